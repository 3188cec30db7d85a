import { PROTECTION_DEFAULTS } from "../../lib/platform/edge/protection";
import { PROTECTION_RULES, RANGES_PER_RULE, type ProtectionRule } from "../../lib/platform/edge/protection-rules";
import { type InputValues } from "./input-values";
import { exactly, type Part, type Range } from "./part";
import { MONTH_HOURS } from "./prices";
import { USAGE } from "./usage";

/** Parts of the load balancer of a domain and of its protection; none without a domain. */
export function frontDoorParts(inputs: InputValues): Part[] {
  if (!inputs.has("domain")) return [];
  return [
    {
      name: "Load balancer of the domain",
      group: "domain",
      price: "forwardingRules",
      quantity: exactly(MONTH_HOURS),
    },
    {
      name: "Data of the load balancer",
      group: "domain",
      price: "loadBalancerData",
      quantity: both(USAGE.receivedGib, USAGE.answersGib),
      varies: "traffic in both directions",
    },
    ...(inputs.has("dns_zone") ? [recordQueries()] : []),
    ...protectionParts(inputs),
  ];
}

/** Traffic to the internet. */
export function internetTraffic(): Part {
  return {
    name: "Traffic to the internet",
    group: "traffic",
    price: "internet",
    quantity: USAGE.answersGib,
    varies: "traffic",
  };
}

function recordQueries(): Part {
  return {
    name: "Queries of the domain's records",
    group: "domain",
    price: "dnsQueries",
    quantity: USAGE.requests,
    varies: "number of DNS queries",
  };
}

function protectionParts(inputs: InputValues): Part[] {
  const requests: Part = {
    name: "Requests that the security policy judges",
    group: "protection",
    price: "armorRequests",
    quantity: USAGE.requests,
    varies: "traffic",
  };
  if (inputs.has("existing_security_policy")) return [requests];
  if (!inputs.has("protection")) return [];
  return [
    { name: "Security policy", group: "protection", price: "armorPolicy", quantity: exactly(1) },
    {
      name: "Rules of the security policy",
      group: "protection",
      price: "armorRule",
      quantity: exactly(ruleCount(inputs.members("protection"))),
    },
    requests,
  ];
}

/** Rules that a policy has with these members of the input `protection`. */
function ruleCount(protection: Readonly<Record<string, unknown>>): number {
  const {
    admin_ranges: ranges = PROTECTION_DEFAULTS.adminRanges,
    restrict_admin: restricts = PROTECTION_DEFAULTS.restrictAdmin,
    waf = PROTECTION_DEFAULTS.waf,
  } = protection as {
    readonly admin_ranges?: readonly string[];
    readonly restrict_admin?: boolean;
    readonly waf?: string;
  };
  const often: Readonly<Record<NonNullable<ProtectionRule["onlyWith"]>, number>> = {
    adminRanges: Math.ceil(ranges.length / RANGES_PER_RULE),
    restrictAdmin: Number(restricts),
    waf: Number(waf !== "off"),
  };
  return PROTECTION_RULES.reduce((count, { onlyWith }) => count + (onlyWith === undefined ? 1 : often[onlyWith]), 0);
}

function both(a: Range, b: Range): Range {
  return { min: a.min + b.min, max: a.max + b.max };
}
