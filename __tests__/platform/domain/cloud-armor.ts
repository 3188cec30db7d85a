import { BlockList, isIPv6 } from "node:net";

import { Environment } from "@marcbachmann/cel-js";

import { valuesFrom } from "../../../lib/core/inputs/inputs";
import { type PropsOf } from "../../../lib/core/inputs/rows";
import { type Value } from "../../../lib/core/inputs/value";
import { type ProtectionInputs, protectionInputs } from "../../../lib/platform/domain/protection";
import { PROTECTION_RULES } from "../../../lib/platform/domain/protection-rules";
import { SecurityPolicy } from "../../../lib/platform/domain/security-policy";
import { CONTEXT } from "../../support/stand-in-parts";
import { type BareStack, bareStack, resourceOf, terraformOf } from "../../support/synthesis";

export type Protection = PropsOf<ProtectionInputs["protection"]["members"]>;

/** A protection as a program gives it; none without. */
export const valueOf = (stack: BareStack, protection?: Protection): Value<ProtectionInputs["protection"]> =>
  valuesFrom(stack, protectionInputs(""), { protection }).protection;

/** A request as it reaches the load balancer; by default one of a visitor's browser that reads. */
export interface Request {
  readonly path: string;
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly from?: string;
}

/** What happens to a request, the rule that decides, and rules in preview that would have decided otherwise. */
interface Decision {
  readonly action: string;
  readonly rule: string;
  readonly noted: readonly string[];
}

/** A rule of a synthesized policy. */
interface Rule {
  readonly action: string;
  readonly priority: number;
  readonly preview: boolean;
  readonly match: {
    readonly config?: { readonly src_ip_ranges: readonly string[] };
    readonly expr?: { readonly expression: string };
  };
  readonly rate_limit_options?: {
    readonly exceed_action: string;
    readonly rate_limit_threshold: { readonly count: number };
  };
}

/** Patterns that stand for the preconfigured signatures, of which there are hundreds. */
const SIGNATURES: Readonly<Record<string, RegExp>> = {
  "sqli-v33-stable": /['"+/ ](or|and)['"+/ ]{0,2}\d=|union\s+select|;\s*drop\s+table/i,
  "xss-v33-stable": /<script|onerror\s*=|javascript:/i,
  "lfi-v33-stable": /\.\.\/|\/etc\/passwd|\.git\/config|\/\.env\b/i,
  "rce-v33-stable": /\$\(|;\s*(cat|curl|wget)\b|\$\{jndi:|import os|phpinfo\(/i,
  "scannerdetection-v33-stable": /sqlmap|nikto|nuclei|masscan/i,
  "protocolattack-v33-stable": /[\r\n]\s*[\w-]+:\s|\b(GET|POST) \/\S* HTTP\/1/i,
};

/** Decodes once, and leaves what is no code, as Cloud Armor does. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (codes) => Buffer.from(codes.replaceAll("%", ""), "hex").toString());
}

const BROWSER = { "user-agent": "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0" };

/** The request that is decided about, because functions of the language do not see it. */
let current = completed({ path: "/" });

function looksLike(signatures: string): boolean {
  const pattern = SIGNATURES[signatures];
  if (pattern === undefined) throw new Error(`there are no signatures ${signatures}`);
  const { body, headers, path, query } = current;
  const texts = signatures.startsWith("scanner") ? Object.values(headers) : [path, query, body];
  return texts.some((text) => pattern.test(text) || pattern.test(decoded(text)));
}

/** Refuses what is not in the language: another function, another field, another type. */
const LANGUAGE = new Environment()
  .registerVariable({ name: "request", schema: { method: "string", path: "string" } })
  .registerFunction("string.urlDecode(): string", decoded)
  .registerFunction("evaluatePreconfiguredWaf(string, map<string, int>): bool", looksLike);

/** Parsed expressions, of which every request needs several. */
const PARSED = new Map<string, ReturnType<Environment["parse"]>>();

function parsed(expression: string): ReturnType<Environment["parse"]> {
  const result = PARSED.get(expression) ?? LANGUAGE.parse(expression);
  PARSED.set(expression, result);
  return result;
}

/** Cloud Armor with one policy, for a minute: takes the first rule that matches. */
export class CloudArmor {
  private readonly rules: readonly Rule[];

  /** Requests by rule and address. */
  private readonly counted = new Map<string, number>();

  constructor(protection: Protection) {
    this.rules = rulesOf(protection);
  }

  decide(request: Request): Decision {
    current = completed(request);
    const noted: string[] = [];
    for (const rule of this.rules) {
      if (!this.matches(rule)) continue;
      const action = this.actionOf(rule);
      if (!rule.preview) return { action, rule: idOf(rule), noted };
      if (action !== "allow") noted.push(idOf(rule));
    }
    throw new Error("no rule of the policy matches; the default rule must");
  }

  private actionOf({ action, priority, rate_limit_options: limit }: Rule): string {
    if (limit === undefined) return action;
    const key = `${priority} ${current.from}`;
    const count = (this.counted.get(key) ?? 0) + 1;
    this.counted.set(key, count);
    return count > limit.rate_limit_threshold.count ? limit.exceed_action : "allow";
  }

  private matches({ match }: Rule): boolean {
    const { from, method, path } = current;
    if (match.expr !== undefined) {
      return parsed(match.expr.expression)({ request: { method, path } }) === true;
    }
    return match.config?.src_ip_ranges.some((range) => range === "*" || isWithin(from, range)) === true;
  }
}

function completed({ body = "", from = "198.51.100.7", headers = BROWSER, method = "GET", path, query = "" }: Request) {
  return { body, from, headers, method, path, query };
}

/** Rules by protection, because a synthesis takes a tenth of a second. */
const POLICIES = new Map<string, readonly Rule[]>();

/** The rules of the synthesized policy in their order. */
function rulesOf(protection: Protection): readonly Rule[] {
  const key = JSON.stringify(protection);
  const known = POLICIES.get(key);
  if (known !== undefined) return known;
  const stack = bareStack();
  new SecurityPolicy(stack, "Policy", {
    context: CONTEXT,
    domain: "login.example.com",
    protection: valueOf(stack, protection),
  });
  const policy = resourceOf(terraformOf(stack), "google_compute_security_policy", "policy");
  const rules = (policy.rule as Rule[]).toSorted((a, b) => a.priority - b.priority);
  POLICIES.set(key, rules);
  return rules;
}

const idOf = ({ priority }: Rule) => PROTECTION_RULES.findLast((rule) => rule.priority <= priority)?.id ?? "";

function isWithin(address: string, range: string): boolean {
  const [network = "", prefix] = range.split("/");
  if (isIPv6(address) !== isIPv6(network)) return false;
  const family = isIPv6(network) ? "ipv6" : "ipv4";
  const list = new BlockList();
  list.addSubnet(network, Number(prefix), family);
  return list.check(address, family);
}
