import { DOMAIN, PROJECT_ID } from "../../lib/core/place-rules";
import {
  CERTIFICATE_VALIDATION,
  DEFAULT_SAMPLE_RATE,
  LOG_NEEDS_DOMAIN,
  SAMPLE_RATE,
  ZONE_NAME,
  ZONE_NEEDS_DOMAIN,
  ZONE_SERVES_DOMAIN,
} from "../../lib/platform/edge/edge-rules";
import { protectionInputs } from "./protection-inputs";
import { type Input } from "./input-table";
import { memberExpression, memberSentences } from "./object-type";

/** Texts about a domain that differ between the variants. */
interface DoorWords {
  /** What removing an existing security policy does, as a sentence. */
  readonly detached: string;

  /** How clients connect without a domain, as a sentence. */
  readonly withoutDomain: string;

  readonly certificateValidation: string;
}

const DNS_ZONE = {
  members: {
    name: { type: "string", must: ZONE_NAME, description: "name of the zone" },
    project: { type: "string", default: null, must: PROJECT_ID, description: "its project, if it is another one" },
    dns_name: {
      type: "string",
      default: null,
      description: "domain that it serves, so that a plan refuses the zone of another domain",
    },
  },
} as const satisfies Input["type"];

/** Inputs of the domain, its certificate and its records. */
export function frontDoorInputs({ certificateValidation, detached, withoutDomain }: DoorWords) {
  return {
    domain: {
      type: "string",
      default: null,
      description: `Domain of the application, with a Google-managed certificate. Create the records of the output dns_records, or set dns_zone. ${withoutDomain} Changing it later changes the address, which every application that uses this sign-in must then use.`,
      must: DOMAIN,
    },
    certificate_validation: {
      type: "string",
      default: certificateValidation,
      description:
        "How Google validates the domain. dns: by a further record; the certificate is valid before the domain points here. load-balancer: without one; the certificate is valid minutes to an hour after the domain points here. Changing it later replaces the certificate: HTTPS is refused until the new one is valid.",
      must: CERTIFICATE_VALIDATION,
    },
    dns_zone: {
      type: DNS_ZONE,
      default: null,
      description: `Existing zone of Cloud DNS for the records of the domain. ${memberSentences(DNS_ZONE)} A record of the same name and type is overwritten without notice, and is not restored by a destroy. No zone is ever created. Changing it later moves the records.`,
      together: [
        ZONE_NEEDS_DOMAIN.validationOf({ given: "dns_zone", domain: "domain" }),
        ZONE_SERVES_DOMAIN.validationOf(
          { dnsName: "dns_zone.dns_name", domain: "domain" },
          { dnsName: memberExpression("dns_zone", DNS_ZONE, "dns_name") },
        ),
      ],
    },
    ...protectionInputs(detached),
    request_log_sample_rate: {
      type: "number",
      default: DEFAULT_SAMPLE_RATE,
      description:
        "Share of the requests that the load balancer of a domain logs, from 0 to 1. Logs are billed. Changing it later is safe.",
      must: SAMPLE_RATE,
      together: [LOG_NEEDS_DOMAIN.validationOf({ domain: "domain", rate: "request_log_sample_rate" })],
    },
  } as const satisfies Record<string, Input>;
}
