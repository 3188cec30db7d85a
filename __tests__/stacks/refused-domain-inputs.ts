import { type Refusal } from "./refusal";
import { type Inputs } from "./terraform-run";

const DOMAIN_RULE =
  "it must be a full domain name of lower-case letters, digits, hyphens and dots, at most 253 characters, without a dot at the end, because a certificate is made for exactly this name; use for example login.example.com";

const one = (behaviour: string, name: string, value: unknown, rule: string, further: Inputs = {}): Refusal => [
  behaviour,
  { [name]: value, ...further },
  [`${name} is ${JSON.stringify(value)}; ${rule}.`],
];

const WITH_DOMAIN = { domain: "login.example.com" };

/** What both variants refuse of a domain by a rule that looks at one input. */
export const REFUSED_DOMAINS_ALONE: readonly Refusal[] = [
  ...[
    "",
    "localhost",
    "203.0.113.7",
    "Login.example.com",
    "*.example.com",
    "example.com.",
    "example.com:443",
    "https://example.com",
    `${"a.".repeat(126)}com`,
  ].map((domain) => one(`the domain "${domain}"`, "domain", domain, DOMAIN_RULE)),
  one(
    "another way to validate a certificate",
    "certificate_validation",
    "mail",
    "it must be dns or load-balancer; use dns for a certificate that is valid before the domain points here, load-balancer for one record less",
  ),
  ...[-0.1, 1.5].map((rate) =>
    one(
      `${rate} of the requests`,
      "request_log_sample_rate",
      rate,
      "it must be a number from 0 to 1; use 0 for no logs, 1 for all requests",
      WITH_DOMAIN,
    ),
  ),
  [
    "a zone without a name",
    { ...WITH_DOMAIN, dns_zone: { name: null } },
    [
      "dns_zone.name is null; it must be the name of a managed zone: up to 63 lower-case letters, digits and hyphens that start with a letter; look it up with gcloud dns managed-zones list.",
    ],
  ],
  [
    "a zone in a project by its name",
    { ...WITH_DOMAIN, dns_zone: { name: "example", project: "Our Project" } },
    [
      'dns_zone.project is "Our Project"; it must be the id of a project: 6 to 30 lower-case letters, digits and hyphens that start with a letter; use the id, not the name or the number.',
    ],
  ],
  [
    "a zone by its domain",
    { ...WITH_DOMAIN, dns_zone: { name: "example.com" } },
    [
      'dns_zone.name is "example.com"; it must be the name of a managed zone: up to 63 lower-case letters, digits and hyphens that start with a letter; look it up with gcloud dns managed-zones list.',
    ],
  ],
];

/** What both variants refuse of a domain by a rule that compares several inputs. */
export const REFUSED_DOMAINS_TOGETHER: readonly Refusal[] = [
  [
    "a log of requests without a domain",
    { request_log_sample_rate: 0.5 },
    [
      "request_log_sample_rate is 0.5 without domain; it must be 0, because only the load balancer of a domain logs requests; set the domain, or remove request_log_sample_rate.",
    ],
  ],
  [
    "a zone without a domain",
    { dns_zone: { name: "example" } },
    [
      "dns_zone is given without domain; it needs one, because the records are those of the domain; set the domain, or remove dns_zone.",
    ],
  ],
  [
    "a zone that serves another domain",
    { ...WITH_DOMAIN, dns_zone: { name: "other", dns_name: "ample.com." } },
    [
      'domain is "login.example.com" and dns_zone.dns_name is "ample.com."; the domain must be that of the zone or below it, because Cloud DNS accepts no other records; use the zone that serves the domain.',
    ],
  ],
];

/** The only address of a service, closed. */
export const CLOSED_WITHOUT_DOMAIN: Refusal = [
  "the default address closed without another one",
  { close_default_address: true },
  [
    "close_default_address is true and domain is not given; there must be a domain, because the default address is the only one without it; set the domain, or set close_default_address to false.",
  ],
];
