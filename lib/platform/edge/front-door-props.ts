import { DOMAIN, PROJECT_ID } from "../../core/place-rules";
import { type Rule } from "../../core/rules";
import {
  CERTIFICATE_VALIDATION,
  DEFAULT_SAMPLE_RATE,
  type DnsZone,
  LOG_NEEDS_DOMAIN,
  SAMPLE_RATE,
  ZONE_NAME,
  ZONE_NEEDS_DOMAIN,
  ZONE_SERVES_DOMAIN,
} from "./edge-rules";
import { POLICY_RULES, type Protection } from "./protection";

/** Props of the front door that both variants share. */
export interface DomainProps {
  /**
   * Domain of the application, with a Google-managed certificate.
   *
   * @default - none; clients use the address that the platform assigns
   */
  readonly domain?: string;

  /**
   * How the certificate authority validates the domain. `dns`: by a further record; the certificate is valid before the
   * domain points here. `load-balancer`: without a further record; it is valid minutes to an hour after the domain
   * points here.
   *
   * @default "dns" on Cloud Run, "load-balancer" on GKE
   */
  readonly certificateValidation?: "dns" | "load-balancer" | (string & {});

  /**
   * Existing zone of Cloud DNS in which the records of the domain are created. A record of the same name and type is
   * overwritten without notice, and is not restored when this deployment is destroyed.
   *
   * @default - none; you create the records
   */
  readonly dnsZone?: DnsZone;

  /**
   * Rules of Cloud Armor for the load balancer of the domain; `{}` is enough.
   *
   * @default - none
   */
  readonly protection?: Protection;

  /**
   * Existing security policy instead of `protection`: `projects/<project>/global/securityPolicies/<name>`.
   *
   * @default - none
   */
  readonly existingSecurityPolicy?: string;

  /**
   * Share of the requests that the load balancer of a domain logs, from 0 to 1. Logs are billed.
   *
   * @default 0
   */
  readonly requestLogSampleRate?: number;
}

export const FRONT_DOOR_RULES: readonly Rule<DomainProps>[] = [
  DOMAIN.ruleOn("domain", ({ domain }) => domain),
  CERTIFICATE_VALIDATION.ruleOn("certificateValidation", ({ certificateValidation: validation }) => validation),
  ZONE_NEEDS_DOMAIN.ruleOn({
    given: ["dnsZone", ({ dnsZone }) => dnsZone?.name],
    domain: ["domain", ({ domain }) => domain],
  }),
  ZONE_NAME.ruleOn("dnsZone.name", ({ dnsZone }) => dnsZone?.name),
  PROJECT_ID.ruleOn("dnsZone.project", ({ dnsZone }) => dnsZone?.project),
  ZONE_SERVES_DOMAIN.ruleOn({
    domain: ["domain", ({ domain }) => domain],
    dnsName: ["dnsZone.dnsName", ({ dnsZone }) => dnsZone?.dnsName],
  }),
  ...POLICY_RULES,
  SAMPLE_RATE.ruleOn("requestLogSampleRate", ({ requestLogSampleRate }) => requestLogSampleRate),
  LOG_NEEDS_DOMAIN.ruleOn({
    domain: ["domain", ({ domain }) => domain],
    rate: ["requestLogSampleRate", ({ requestLogSampleRate = DEFAULT_SAMPLE_RATE }) => requestLogSampleRate],
  }),
];
