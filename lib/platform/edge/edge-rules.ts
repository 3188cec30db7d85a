import { type IResolvable } from "cdktf";

import { CheckedRelation } from "../../core/checked-relation";
import { CheckedValue, matching, oneOf } from "../../core/checked-value";
import { type OptionalValue } from "../../core/conditional";

/** An existing managed zone of Cloud DNS. */
export interface DnsZone {
  /** Name of the zone; one that is null at plan means none. */
  readonly name: string;

  /**
   * Domain that the zone serves, to check at plan that the domain belongs to it.
   *
   * @default - not checked; Cloud DNS refuses a record that does not belong to it
   */
  readonly dnsName?: string;

  /**
   * Project of the zone.
   *
   * @default - the project of the deployment
   */
  readonly project?: string;
}

/** Validation of a domain's certificate by default: on GKE, only the load balancer can do it without a script. */
export const CERTIFICATE_VALIDATION_DEFAULTS = { serverless: "dns", kubernetes: "load-balancer" } as const;

/** Ways in which the certificate authority validates a domain. */
export const CERTIFICATE_VALIDATION = oneOf(["dns", "load-balancer"], {
  remedy: "use dns for a certificate that is valid before the domain points here, load-balancer for one record less",
});

/** Default share of the requests that the load balancer logs. */
export const DEFAULT_SAMPLE_RATE = 0;

export const SAMPLE_RATE = new CheckedValue<number>({
  accepts: (rate) => rate >= 0 && rate <= 1,
  condition: (rate) => `${rate} >= 0 && ${rate} <= 1`,
  must: "be a number from 0 to 1",
  remedy: "use 0 for no logs, 1 for all requests",
  schema: { minimum: 0, maximum: 1 },
});

/** Name of a managed zone, which is not the domain that it serves. */
export const ZONE_NAME = matching("^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$", {
  must: "be the name of a managed zone: up to 63 lower-case letters, digits and hyphens that start with a letter",
  remedy: "look it up with gcloud dns managed-zones list",
});

/** A zone has records of the domain that it serves and of those below it. */
export const ZONE_SERVES_DOMAIN = new CheckedRelation<{ dnsName: string | undefined; domain: string | undefined }>({
  accepts: ({ dnsName, domain }) =>
    dnsName === undefined || domain === undefined || `.${domain}.`.endsWith(`.${dnsName.replace(/[.]$/, "")}.`),
  condition: ({ dnsName, domain }) =>
    `${dnsName} == null || ${domain} == null ? true : endswith(".\${${domain}}.", ".\${trimsuffix(${dnsName}, ".")}.")`,
  problem: (names, shown) =>
    `${names.domain} is ${shown.domain} and ${names.dnsName} is ${shown.dnsName}; the domain must be that of the zone or below it, because Cloud DNS accepts no other records; use the zone that serves the domain`,
});

/** Records are made for a domain. */
export const ZONE_NEEDS_DOMAIN = needsDomain("the records are those of the domain");

/** Without a domain there is no load balancer that could have a policy. */
export const POLICY_NEEDS_DOMAIN = needsDomain("without it there is no load balancer to protect");

/** Without a load balancer in front of it, the default address is the only one. */
export const CLOSED_NEEDS_DOMAIN = new CheckedRelation<{
  closeDefaultAddress: boolean | IResolvable;
  domain: string | undefined;
}>({
  accepts: ({ closeDefaultAddress, domain }) => closeDefaultAddress === false || domain !== undefined,
  condition: ({ closeDefaultAddress, domain }) => `!${closeDefaultAddress} || ${domain} != null`,
  problem: (names) =>
    `${names.closeDefaultAddress} is true and ${names.domain} is not given; there must be a domain, because the default address is the only one without it; set the domain, or set ${names.closeDefaultAddress} to false`,
});

/** Only a load balancer logs requests. */
export const LOG_NEEDS_DOMAIN = new CheckedRelation<{ domain: OptionalValue; rate: number }>({
  accepts: ({ domain, rate }) => rate === 0 || domain !== undefined,
  condition: ({ domain, rate }) => `${rate} == 0 || ${domain} != null`,
  problem: (names, shown) =>
    `${names.rate} is ${shown.rate} without ${names.domain}; it must be 0, because only the load balancer of a domain logs requests; set the domain, or remove ${names.rate}`,
});

function needsDomain(reason: string) {
  return new CheckedRelation<{ given: unknown; domain: OptionalValue }>({
    accepts: ({ domain, given }) => given === undefined || domain !== undefined,
    condition: ({ domain, given }) => `${given} == null || ${domain} != null`,
    problem: (names) =>
      `${names.given} is given without ${names.domain}; it needs one, because ${reason}; set the domain, or remove ${names.given}`,
  });
}
