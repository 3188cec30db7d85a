import { literal } from "../../../lib/core/expr/expr";
import { type AlertFacts, type Platform } from "../../../lib/platform/monitoring/alert";
import { alertsOn } from "../../../lib/platform/monitoring/alerts";

/** Facts of a deployment of the defaults. */
export const FACTS: AlertFacts = {
  nameOf: String,
  projectId: "my-project",
  host: "login.example.com",
  urlMap: "idp-demo-1a2b3c-https",
  database: "sql-demo-1a2b3c-idp",
  diskLimitGb: "0",
  maxConnections: "100",
  maxInstances: "3",
  workload: "idp-demo-1a2b3c",
  worker: "idp-demo-1a2b3c-w",
  workers: "2",
  securityPolicy: "idp-demo-1a2b3c-protection",
  deployment: "idp-demo-1a2b3c",
  job: "idp-demo-1a2b3c-db-init",
  hasDomain: false,
  availableGoal: "0.999",
  latencyGoal: literal(0.95),
  latencyMs: "250",
  checkUpJob: "idp-demo-1a2b3c-check-up",
  checkUpWindow: "30m",
  eventRetentionJob: "idp-demo-1a2b3c-events",
  recoveryJob: "idp-demo-1a2b3c-recovery",
  signInProbeJob: "idp-demo-1a2b3c-sign-in",
  signInProbeWindow: "30m",
  standbyDatabase: "sql-demo-1a2b3c-idp-standby1",
  dumpJob: "idp-demo-1a2b3c-dump",
  firstDumpJob: "idp-demo-1a2b3c-dump-1",
  dumpBucket: "bkt-idpdemo-1a2b3c-dumps",
  namespace: "identity-provider",
  secretPrefix: "secret-demo-1a2b3c-idp-",
  secretReaders: '"idp-run-0a1b2c@my-project.iam.gserviceaccount.com" OR "deployer@example.com"',
};

const PLATFORMS: readonly Platform[] = ["kubernetes", "serverless"];

const casesOf = (facts: AlertFacts, ending = "") =>
  PLATFORMS.flatMap((platform) =>
    alertsOn(platform).map(({ filter, query, ...alert }) => ({
      alert: { ...alert, id: `${alert.id}${ending}` },
      platform,
      name: `${alert.id}${ending} on ${platform}`,
      filter: filter?.(facts, platform) ?? "",
      query: query?.(facts, platform) ?? "",
    })),
  );

const WITH_LIMIT = casesOf({ ...FACTS, diskLimitGb: "100" }, " with a limit");
const WITH_DOMAIN = casesOf({ ...FACTS, hasDomain: true }, " with a domain");
const CASES = [
  ...casesOf(FACTS),
  ...WITH_LIMIT.filter(({ alert }) => alert.id.startsWith("database-disk with")),
  ...WITH_DOMAIN.filter(({ alert }) => alert.id.startsWith("slo-")),
];

export const METRIC_CASES = CASES.filter(({ query }) => query !== "");
export const LOG_CASES = CASES.filter(({ filter }) => filter !== "");

/** The expression of an alert as a policy has it. */
export function ruleOf({ alert: { limit }, query }: (typeof CASES)[number]): string {
  return `${query} ${limit?.raisedWhen} ${limit?.threshold}`;
}
