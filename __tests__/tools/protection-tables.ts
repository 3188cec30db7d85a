import { ADMINISTRATION_PATHS, FLOW_EXECUTOR_PATH, SERVER_TO_SERVER_PATHS } from "../../lib/idp/public-paths";
import {
  PROTECTION_RULES,
  RANGES_PER_RULE,
  UNEXAMINED_PATHS,
  type ProtectionRule,
} from "../../lib/platform/edge/protection-rules";

/** A row for each rule, in the order in which Cloud Armor looks at them. */
export function protectionCells(): string[][] {
  return PROTECTION_RULES.map((rule) => [
    String(rule.priority),
    rule.title,
    actionOf(rule),
    CONDITIONS[rule.onlyWith ?? "protection"],
    rule.reason,
  ]);
}

/** Which paths the rules name. */
export function protectionPathCells(): string[][] {
  const examining = PROTECTION_RULES.filter(
    ({ match, onlyWith }) => onlyWith === "waf" && names(match, UNEXAMINED_PATHS),
  );
  return [
    [shown(ADMINISTRATION_PATHS), `denied by ${priorityOf("administration")}`],
    [shown(UNEXAMINED_PATHS), `passed over by ${examining.map(({ priority }) => priority).join(", ")}`],
    [shown([FLOW_EXECUTOR_PATH]), `forms are counted by ${priorityOf("sign-ins")}`],
    [shown(Object.values(SERVER_TO_SERVER_PATHS)), `not counted by ${priorityOf("requests")}`],
  ];
}

const CONDITIONS: Readonly<Record<"protection" | NonNullable<ProtectionRule["onlyWith"]>, string>> = {
  adminRanges: `\`admin_ranges\`, once for each ${RANGES_PER_RULE} of them`,
  protection: "always",
  restrictAdmin: "`restrict_admin`",
  waf: "`waf` other than `off`",
};

/** Inputs that the limits of the rules are called after. */
const LIMITS = { requestsPerMinute: "requests_per_minute", signInsPerMinute: "sign_ins_per_minute" } as const;

function actionOf({ action, limit, onlyWith }: ProtectionRule): string {
  if (limit !== undefined) {
    const beyond = action === "rate_based_ban" ? "429 for `ban_seconds`" : "429";
    return `${beyond} above \`${LIMITS[limit]}\``;
  }
  return onlyWith === "waf" ? "403, or a note in the log" : action.replace("deny(403)", "403");
}

function names(match: ProtectionRule["match"], paths: readonly string[]): boolean {
  return typeof match !== "string" && paths.every((path) => match.expression.includes(`'${path}'`));
}

function priorityOf(id: string): number {
  const rule = PROTECTION_RULES.find((each) => each.id === id);
  if (rule === undefined) throw new Error(`there is no rule ${id}`);
  return rule.priority;
}

function shown(paths: readonly string[]): string {
  return paths.map((path) => `\`${path}\``).join(", ");
}
