import { PROJECT_ID } from "../../core/deployment-context";
import { type Expr, exprOf, interpolated } from "../../core/expr/expr";
import { compact, each, endsWith, jsonOf, trimSuffix } from "../../core/expr/functions";
import { needs } from "../../core/inputs/needs";
import { type Relation } from "../../core/inputs/relations";
import { isDataSource } from "../../core/inputs/resource-props";
import {
  choice,
  flag,
  number,
  object,
  orResource,
  type PropsOf,
  type ProviderResource,
  text,
} from "../../core/inputs/rows";
import { matching, type Rule } from "../../core/inputs/rules";
import { type SettingsOf } from "../../core/inputs/value";
import { type WarningRelation } from "../../core/inputs/warnings";
import { prose } from "../../core/prose";

const DOMAIN_PATTERN = "^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.])+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$";
const DOMAIN_MAX_LENGTH = 253;

/** Domain name of an identity provider, for which a certificate is issued. */
const DOMAIN: Rule<string> = {
  condition: (domain) => domain.matches(DOMAIN_PATTERN).and(domain.length().le(DOMAIN_MAX_LENGTH)),
  schema: { pattern: DOMAIN_PATTERN },
  must: prose`
    be a full domain name of lower-case letters, digits, hyphens and dots, at most ${DOMAIN_MAX_LENGTH} characters,
    without https://, a path, or a dot at the end, because a certificate is made for exactly this name;
    use for example login.example.com,
    and for a name with other letters its form in punycode, such as xn--mller-kva.example
  `,
};

/** Default validation of a domain's certificate. On GKE, only validation by the load balancer needs no script. */
const CERTIFICATE_VALIDATION = { serverless: "dns", kubernetes: "load-balancer" } as const;

const YEAR_OF_HTTPS = "max-age=31536000";

const ZONE = {
  /** Name of the zone. */
  name: text({
    description: "name of the zone",
    must: matching(
      "^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$",
      prose`
        be the name of a managed zone: up to 63 lower-case letters, digits and hyphens that start with a letter;
        look it up with gcloud dns managed-zones list
      `,
    ),
  }),
  /** Project of the zone; by default, the project of the deployment. */
  project: text({ default: null, description: "its project, if it is another one", schema: PROJECT_ID.schema }),
  /** Whether the zone is private. The record that validates the domain is not created in a private zone. */
  private: flag({
    default: false,
    description: "whether only networks can read it: the record that validates the domain is then not created in it",
  }),
  /** Domain of the zone. A plan uses it to check that the application's domain belongs to the zone. */
  dnsName: text({
    default: null,
    description: "domain that it serves, so that a plan refuses the zone of another domain",
  }),
};

/** Attributes that are read from a zone. */
function attributesOfZone(zone: ProviderResource): DnsZoneProps {
  const [name, project, dnsName] = ["name", "project", "dns_name"].map((each) => zone.getStringAttribute(each)) as [
    string,
    string,
    string,
  ];
  // The argument, unlike the attribute, is known at synthesis.
  const { visibilityInput: given } = zone as { readonly visibilityInput?: string };
  const visibility = isDataSource(zone) ? zone.getStringAttribute("visibility") : (given ?? "public");
  return { name, project, private: exprOf(visibility).eq("private").flag, dnsName };
}

export type DnsZone = SettingsOf<typeof ZONE>;

/** Existing zone of Cloud DNS as a prop. */
export interface DnsZoneProps extends PropsOf<typeof ZONE> {}

/**
 * Inputs of the domain, its certificate and its records.
 *
 * @param withoutDomain access of clients without a domain, as a sentence
 */
export function domainInputs(platform: keyof typeof CERTIFICATE_VALIDATION, withoutDomain: string) {
  return {
    /**
     * Domain of the application, with a Google-managed certificate. Without a domain, clients use the address that the
     * platform assigns.
     */
    domain: text({
      default: null,
      description: prose`
        Domain of the application, with a Google-managed certificate.
        Create the records of the output dns_records, or set dns_zone.
        [[${withoutDomain}]] Changing it later changes the address, which every application that uses this sign-in
        must then use.
      `,
      must: DOMAIN,
    }),
    /** Validation of the certificate: `dns`, the default on Cloud Run, or `load-balancer`, the default on GKE. */
    certificateValidation: choice(["dns", "load-balancer"], {
      default: CERTIFICATE_VALIDATION[platform],
      description: prose`
        How Google validates the domain. dns: by a further record;
        the certificate is valid before the domain points here. load-balancer: without one;
        the certificate is valid minutes to an hour after the domain points here.
        Changing it later replaces the certificate: HTTPS is refused until the new one is valid.
      `,
      fix: "use dns for a certificate that is valid before the domain points here, load-balancer for one record less",
    }),
    /**
     * Existing zone of Cloud DNS, or its resource, for the records of the domain; existing records of the same name and
     * type are overwritten.
     */
    dnsZone: orResource(
      "dnsName",
      { google_dns_managed_zone: attributesOfZone },
      object(ZONE, {
        description: (members) =>
          prose`
            Existing zone of Cloud DNS for the records of the domain. ${members} A record of the same name and type
            is overwritten without notice, and is not restored by a destroy. No zone is ever created.
            Changing it later moves the records.
          `,
      }),
    ),
    /** Options of the load balancer of a domain. */
    domainOptions: object(
      {
        /** Header that makes browsers use only HTTPS for the domain, by default for a year; empty for no header. */
        strictTransportSecurity: text({
          default: YEAR_OF_HTTPS,
          description: prose`
            header Strict-Transport-Security, by which browsers use nothing but HTTPS for the domain; empty for none;
            browsers keep it for max-age seconds: before removing it, send max-age=0 until all have seen that
          `,
          must: matching(
            "^(max-age=[0-9]{1,10}(; includeSubDomains)?(; preload)?)?$",
            prose`
              be empty, or max-age with a number of seconds, then includeSubDomains and preload if you want them,
              because browsers ignore a header that they cannot read; use for example max-age=31536000;
              includeSubDomains
            `,
          ),
        }),
        /** Redirects port 80 to HTTPS; otherwise port 80 is closed. */
        httpRedirect: flag({
          default: true,
          description: "redirects port 80 to HTTPS; false leaves the port closed",
        }),
        /** Adds an IPv6 address and an AAAA record, for clients without IPv4. */
        ipv6: flag({
          default: false,
          description: prose`
            gives it an IPv6 address too, with an AAAA record in dns_records, for clients that have no IPv4;
            a change rolls out new instances, because the application must know the address
          `,
        }),
        /**
         * Share of logged requests, from 0 to 1; by default 1 while a rule of the protection is in preview, otherwise
         * 0. Logs are billed.
         */
        requestLogSampleRate: number({
          default: null,
          description: prose`
            share of the requests that it logs, from 0 to 1[[; null for 1 while a rule of protection is in preview,
            which only marks requests there, else 0]]; logs are billed
          `,
        }),
      },
      {
        default: {},
        description: (members) =>
          `Options of the load balancer of a domain. ${members} Changing them later takes effect within minutes.`,
      },
    ),
  };
}

export type DomainInputs = ReturnType<typeof domainInputs>;

/** Options of the load balancer of a domain. */
export interface DomainOptions extends PropsOf<DomainInputs["domainOptions"]["members"]> {}

/** The response headers of a load balancer. */
export const strictTransportHeaders = (value: Expr<string>) =>
  each(compact([value]), (policy) => interpolated`Strict-Transport-Security: ${policy}`, undefined, "policy");

/**
 * Warns of an input that has no effect without a domain.
 *
 * @param usual default of the input
 * @param reason why the input needs a domain
 */
export function uselessWithoutDomain<T extends DomainInputs>(
  of: keyof T,
  usual: number | string | boolean,
  reason: string,
): WarningRelation<T> {
  return {
    localId: `${String(of).charAt(0).toUpperCase()}${String(of).slice(1)}HasDomain`,
    holds: (v) => v.domain.isSet().or((v[of] as Expr).eq(usual)),
    message: (v) =>
      `${v[of].name} is set without ${v.domain.name}; only ${reason}; set ${v.domain.name}, or leave it out`,
  };
}

/** Warns of a certificate validation without a domain; the default depends on the variant. */
export const certificateWarning = (platform: keyof typeof CERTIFICATE_VALIDATION) =>
  uselessWithoutDomain<DomainInputs>(
    "certificateValidation",
    CERTIFICATE_VALIDATION[platform],
    "a domain has a certificate",
  );

/** Warnings of both variants. */
export const DOMAIN_WARNINGS: readonly WarningRelation<DomainInputs>[] = [
  {
    localId: "DomainOptionsHaveDomain",
    holds: ({ domain, domainOptions: { at } }) =>
      domain.isSet().or(at.strictTransportSecurity.eq(YEAR_OF_HTTPS).and(at.ipv6.not())),
    message: ({ domain, domainOptions }) =>
      prose`
        ${domainOptions.name} has a header or an IPv6 address without ${domain.name};
        only the load balancer of a domain has them; set ${domain.name}, or leave them out
      `,
  },
];

export const DOMAIN_RELATIONS: readonly Relation<DomainInputs>[] = [
  {
    host: "dnsZone",
    holds: ({ dnsZone, dnsZone: { at }, domain }) => {
      const isServed = (name: Expr<string>, zone: Expr<string>) =>
        endsWith(interpolated`.${name}.`, interpolated`.${trimSuffix(zone, ".")}.`);
      const isIn = (name: Expr<string>) => at.dnsName.isNullOr((zone) => isServed(name, zone));
      return dnsZone.isNullOr(() => domain.isSetAnd(isIn));
    },
    message: ({ dnsZone, dnsZone: { at }, domain }) => {
      const because = "because Cloud DNS accepts no other records";
      const of = interpolated`${domain.name} is ${jsonOf(domain)} and ${at.dnsName.name} is ${jsonOf(at.dnsName)}`;
      const fix = interpolated`use the zone that serves the domain, or remove ${dnsZone.name}`;
      const outside = interpolated`${of}; the domain must be that of the zone or one below it, ${because}; ${fix}`;
      const rule = interpolated`it needs ${domain.name}, because its records are those of the domain`;
      const ways = interpolated`set ${domain.name}, or remove ${dnsZone.name}`;
      const alone = interpolated`${dnsZone.name} is given; ${rule}; ${ways}`;
      return domain.isNull().choose(alone, outside).text;
    },
  },
  {
    host: "domainOptions",
    holds: ({ domain, domainOptions: { at } }) => {
      const rate = at.requestLogSampleRate;
      const share = rate.coalesce(0);
      return share.eq(0).or(share.gt(0).and(share.le(1), domain.isSet()));
    },
    message: ({
      domain,
      domainOptions: {
        at: { requestLogSampleRate: rate },
      },
    }) =>
      prose`
        ${rate.name} is ${rate.shown}; it must be a number from 0 to 1, and 0 without ${domain.name},
        because only the load balancer of a domain logs requests; use 0 for no logs, 1 for all requests,
        and set the domain
      `,
  },
];

/** Input of Cloud Run's own address. */
export const DEFAULT_ADDRESS = {
  /**
   * Closes the address that Cloud Run assigns. Set it only after the domain works, because the address is closed first.
   */
  closeDefaultAddress: flag({
    default: false,
    description: prose`
      Closes the address that Cloud Run assigns, so that every request goes through the load balancer of the
      domain. Never set it in the apply that adds a domain to a running deployment:
      the address is closed before the load balancer exists. Changing it later takes effect at once.
    `,
  }),
};

/** Refused without a load balancer, because the default address is the only one then. */
export const DEFAULT_ADDRESS_RELATIONS: readonly Relation<DomainInputs & typeof DEFAULT_ADDRESS>[] = [
  needs("closeDefaultAddress", { with: ["domain"], because: "the default address is the only one without it" }),
];
