import { type Refusal } from "./refusal";
import { type Inputs } from "./terraform-run";

/** Needed by every protection. */
const DOMAIN = { domain: "sign-in.example.com" };

/** Ranges of administrators that fill a given number of rules to the last place. */
const manyRanges = (count: number) =>
  Array.from({ length: count }, (_, index) => `10.${Math.floor(index / 256)}.${index % 256}.0/24`);

/** Protections that are accepted, for trying combinations and for plans. */
export const ACCEPTED_PROTECTIONS: readonly (Inputs | null)[] = [
  null,
  {},
  { sign_ins_per_minute: 1, requests_per_minute: 1, ban_seconds: 60, waf: "off" },
  { sign_ins_per_minute: 10000, requests_per_minute: 1000000, ban_seconds: 3600, waf: "enforce" },
  { admin_ranges: ["203.0.113.0/24", "2001:db8::/32"], restrict_admin: true },
  { admin_ranges: manyRanges(1000), waf: null, sign_ins_per_minute: null },
];

const alone = (behaviour: string, member: string, value: unknown, rule: string): Refusal => [
  behaviour,
  { ...DOMAIN, protection: { [member]: value } },
  [`protection.${member} is ${JSON.stringify(value)}; ${rule}.`],
];

const SIGN_INS_RULE =
  "it must be a whole number from 1 to 10000, because Cloud Armor counts no further for a ban; use 60";
const REQUESTS_RULE = "it must be a whole number from 1 to 1000000, because Cloud Armor counts no further; use 600";
const BAN_RULE =
  "it must be a whole number from 60 to 3600, because a ban outlasts the counted minute, and addresses change hands; use 300";
const WAF_RULE =
  "it must be off, preview or enforce; use preview, and enforce once the log shows no request of your own";
const RANGES_RULE =
  "each must be an IPv4 or IPv6 range, but not of all addresses, written with its first address in the shortest form and not IPv4-mapped; use for example 203.0.113.0/24, 2001:db8::/32, or /32 for one address";

const WRONG_RANGES = [
  "203.0.113.7",
  "203.0.113.7/24",
  "0.0.0.0/0",
  "::/0",
  "2001:DB8::/32",
  "::ffff:203.0.113.7/128",
  "::ffff:0:0/96",
  "office",
];

/** What a protection is refused for by itself. */
export const REFUSED_PROTECTIONS_ALONE: readonly Refusal[] = [
  alone("no sign-in at all", "sign_ins_per_minute", 0, SIGN_INS_RULE),
  alone("half a sign-in", "sign_ins_per_minute", 1.5, SIGN_INS_RULE),
  alone("more sign-ins than are counted", "sign_ins_per_minute", 10001, SIGN_INS_RULE),
  alone("no request at all", "requests_per_minute", 0, REQUESTS_RULE),
  alone("more requests than are counted", "requests_per_minute", 1000001, REQUESTS_RULE),
  alone("a ban that ends before the count", "ban_seconds", 59, BAN_RULE),
  alone("a ban for longer than an hour", "ban_seconds", 3601, BAN_RULE),
  alone("another word for what happens to attacks", "waf", "block", WAF_RULE),
  [
    "ranges of administrators that are none, not written as the platform answers, or everybody",
    { ...DOMAIN, protection: { admin_ranges: ["203.0.113.0/24", ...WRONG_RANGES, "2001:db8::/32"] } },
    [`protection.admin_ranges has ${WRONG_RANGES.map((range) => JSON.stringify(range)).join(", ")}; ${RANGES_RULE}.`],
  ],
  [
    "more ranges of administrators than a policy has room for",
    { ...DOMAIN, protection: { admin_ranges: manyRanges(1001) } },
    [
      "protection.admin_ranges has 1001 ranges; it must not have more than 1000, because a policy has room for no more; use wider ranges.",
    ],
  ],
  [
    "an administration that nobody reaches",
    { ...DOMAIN, protection: { restrict_admin: true } },
    [
      "protection.restrict_admin is true and protection.admin_ranges is empty; there must be a range, because everybody would be locked out of the administration; set the ranges of the administrators, or set protection.restrict_admin to false.",
    ],
  ],
  [
    "an existing policy by its name alone",
    { ...DOMAIN, existing_security_policy: "company" },
    [
      'existing_security_policy is "company"; it must be projects/<project>/global/securityPolicies/<name>, because a global load balancer accepts no regional policy; write it in full.',
    ],
  ],
  [
    "a regional policy",
    { ...DOMAIN, existing_security_policy: "projects/my-project/regions/europe-west1/securityPolicies/company" },
    [
      'existing_security_policy is "projects/my-project/regions/europe-west1/securityPolicies/company"; it must be projects/<project>/global/securityPolicies/<name>, because a global load balancer accepts no regional policy; write it in full.',
    ],
  ],
];

const WITHOUT_DOMAIN =
  "it needs one, because without it there is no load balancer to protect; set the domain, or remove";

/** What a protection is refused for beside other inputs. */
export const REFUSED_PROTECTIONS_TOGETHER: readonly Refusal[] = [
  [
    "a protection without a domain",
    { domain: null, protection: {} },
    [`protection is given without domain; ${WITHOUT_DOMAIN} protection.`],
  ],
  [
    "an existing policy without a domain",
    { domain: null, existing_security_policy: "projects/my-project/global/securityPolicies/company" },
    [`existing_security_policy is given without domain; ${WITHOUT_DOMAIN} existing_security_policy.`],
  ],
  [
    "an existing policy and a protection",
    { ...DOMAIN, protection: {}, existing_security_policy: "projects/my-project/global/securityPolicies/company" },
    [
      "protection and existing_security_policy are both given; only one can be, because a load balancer has one policy; remove one of them.",
    ],
  ],
];

/** Of those that one object can show, one case: every plan of a rehearsal takes a second. */
export const FEW_REFUSED_PROTECTIONS_ALONE: readonly Refusal[] = [
  [
    "a protection whose members are all wrong",
    {
      ...DOMAIN,
      protection: {
        admin_ranges: ["office"],
        ban_seconds: 0,
        requests_per_minute: 0,
        sign_ins_per_minute: 0,
        waf: "on",
      },
    },
    [
      `protection.admin_ranges has "office"; ${RANGES_RULE}.`,
      `protection.ban_seconds is 0; ${BAN_RULE}.`,
      `protection.requests_per_minute is 0; ${REQUESTS_RULE}.`,
      `protection.sign_ins_per_minute is 0; ${SIGN_INS_RULE}.`,
      `protection.waf is "on"; ${WAF_RULE}.`,
    ],
  ],
  ...REFUSED_PROTECTIONS_ALONE.filter(([, { protection = {} }]) =>
    ["admin_ranges", "restrict_admin"].some((member) => member in (protection as object)),
  ).slice(1),
  ...REFUSED_PROTECTIONS_ALONE.filter(([, inputs]) => "existing_security_policy" in inputs).slice(1),
];
