import { createHash } from "node:crypto";

import { type Need } from "../cloud";
import { needObject } from "../needs";
import { type ResourceTypes } from "../resource-type";
import { membersOf, textAt, textsIn, valueAt, type ValueObject } from "../terraform-value";
import { computeType, googleType, nameProblems } from "./google-type";

/** Most domains of a certificate that is validated through the load balancer, and most certificates of a map's entry. */
const MOST_DOMAINS = 100;
const MOST_CERTIFICATES_OF_ENTRY = 15;

const AUTHORIZATION = "google_certificate_manager_dns_authorization";
const CERTIFICATE = "google_certificate_manager_certificate";
const ENTRY = "google_certificate_manager_certificate_map_entry";

const isWildcard = (domain: string): boolean => domain.startsWith("*");
const locationOf = (values: ValueObject): string => textAt(values, "location") || "global";
const certificateManagerId = (values: ValueObject, collection: string): string =>
  `projects/${textAt(values, "project")}/locations/${locationOf(values)}/${collection}/${textAt(values, "name")}`;

function authorizationsOf(values: ValueObject): string[] {
  return textsIn(membersOf(valueAt(values, "managed.0.dns_authorizations")));
}

function domainsOf(values: ValueObject): string[] {
  return textsIn(membersOf(valueAt(values, "managed.0.domains")));
}

/** The need for an authorization that covers the domain: one of the domain itself, or of what the wildcard is of. */
function needAuthorizationOf(domain: string, authorizations: readonly string[]): Need {
  return {
    what: `an authorization of ${domain} among ${authorizations.join(", ")}`,
    isMet: (cloud) =>
      authorizations.some((id) => {
        const authorized = textAt(cloud.find(AUTHORIZATION, id)?.values, "domain");
        return authorized === domain || `*.${authorized}` === domain || cloud.hasOthers(AUTHORIZATION, id);
      }),
  };
}

/** Name and data of the record that proves who has a domain. */
function authorizationRecord(values: ValueObject, id: string): ValueObject {
  const hash = createHash("sha256").update(id).digest("hex");
  const perProject = textAt(values, "type") === "PER_PROJECT_RECORD" ? `_${hash.slice(0, 16)}` : "";
  return {
    name: `_acme-challenge${perProject}.${textAt(values, "domain")}.`,
    type: "CNAME",
    data: `${hash.slice(0, 32)}.7.authorize.certificatemanager.goog.`,
  };
}

/** Certificates of load balancers: those of Certificate Manager, and the classic managed one. */
export const CERTIFICATE_TYPES: ResourceTypes = {
  google_certificate_manager_dns_authorization: googleType({
    api: "certificatemanager",
    id: (values) => certificateManagerId(values, "dnsAuthorizations"),
    replacedBy: ["project", "name", "location", "domain", "type"],
    source: "certificatemanager/resource_certificate_manager_dns_authorization.go",
    invalid: (values) => [
      ...nameProblems(values),
      ...(isWildcard(textAt(values, "domain")) ? ["an authorization is of a name, and covers its wildcard"] : []),
    ],
    computed: (values, { id }) => ({ type: "FIXED_RECORD", dns_resource_record: [authorizationRecord(values, id)] }),
  }),

  google_certificate_manager_certificate: googleType({
    api: "certificatemanager",
    id: (values) => certificateManagerId(values, "certificates"),
    replacedBy: ["project", "name", "location", "scope", "managed"],
    source: "certificatemanager/resource_certificate_manager_certificate.go",
    invalid: (values) => [
      ...nameProblems(values),
      ...domainsOf(values)
        .filter((domain) => isWildcard(domain) && authorizationsOf(values).length === 0)
        .map((domain) => `${domain} needs an authorization by DNS`),
      ...authorizationsOf(values)
        .filter((id) => !id.includes(`/locations/${locationOf(values)}/`))
        .map((id) => `${id} is not in the location ${locationOf(values)} of the certificate`),
    ],
    computed: (values) => ({
      san_dnsnames: domainsOf(values),
      managed: [{ state: "PROVISIONING", provisioning_issue: [], authorization_attempt_info: [] }],
    }),
    needs: (values) => {
      const authorizations = authorizationsOf(values);
      return [
        ...authorizations.map((id) => needObject(AUTHORIZATION, id)),
        ...(authorizations.length === 0 ? [] : domainsOf(values)).map((domain) =>
          needAuthorizationOf(domain, authorizations),
        ),
      ];
    },
  }),

  google_certificate_manager_certificate_map: googleType({
    api: "certificatemanager",
    id: "projects/{{project}}/locations/global/certificateMaps/{{name}}",
    replacedBy: ["project", "name"],
    source: "certificatemanager/resource_certificate_manager_certificate_map.go",
    invalid: nameProblems,
  }),

  google_certificate_manager_certificate_map_entry: googleType({
    api: "certificatemanager",
    id: "projects/{{project}}/locations/global/certificateMaps/{{map}}/certificateMapEntries/{{name}}",
    replacedBy: ["project", "map", "name", "hostname", "matcher"],
    source: "certificatemanager/resource_certificate_manager_certificate_map_entry.go",
    invalid: (values) => [
      ...nameProblems(values),
      ...((values.hostname === null) === (values.matcher === null) ? ["an entry has a hostname or a matcher"] : []),
      ...(membersOf(values.certificates).length > MOST_CERTIFICATES_OF_ENTRY
        ? [`an entry has at most ${MOST_CERTIFICATES_OF_ENTRY} certificates`]
        : []),
    ],
    computed: () => ({ state: "ACTIVE" }),
    needs: (values) => [
      needObject(
        "google_certificate_manager_certificate_map",
        `projects/${textAt(values, "project")}/locations/global/certificateMaps/${textAt(values, "map")}`,
      ),
      ...textsIn(membersOf(values.certificates)).map((certificate) => needObject(CERTIFICATE, certificate)),
    ],
    conflicts: (values, { id, cloud }) =>
      cloud
        .ofType(ENTRY)
        .filter((other) => other.id !== id)
        .filter((other) =>
          ["project", "map", "hostname", "matcher"].every((name) => other.values[name] === values[name]),
        )
        .map((other) => `the map has an entry of ${textAt(values, "hostname") || "this matcher"}: ${other.id}`),
  }),

  google_compute_managed_ssl_certificate: computeType({
    path: "global/sslCertificates/{{name}}",
    replacedBy: ["project", "name", "type", "managed", "description"],
    source: "resource_compute_managed_ssl_certificate.go",
    invalid: (values) => [
      ...nameProblems(values),
      ...domainsOf(values)
        .filter(isWildcard)
        .map((domain) => `${domain} cannot be validated through a load balancer`),
      ...(domainsOf(values).length > MOST_DOMAINS ? [`a certificate has at most ${MOST_DOMAINS} domains`] : []),
    ],
    computed: (values) => ({ certificate_id: 1, subject_alternative_names: domainsOf(values) }),
  }),
};
