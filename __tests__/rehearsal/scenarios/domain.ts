import { ACCEPTED_BY_BOTH } from "../../stacks/accepted-inputs";
import { type Deployment, type Inputs } from "../deployment/deployment";

/** What a domain is made of in both variants. */

export const POLICY = "google_compute_security_policy.edge_security_policy[0]";
export const ADDRESS_RECORD = "google_dns_record_set.edge_dns_records_address[0]";
export const VALIDATION_RECORD = "google_dns_record_set.edge_dns_records_validation[0]";

/** What is replaced for another domain. */
export const OF_DOMAIN = [
  "google_certificate_manager_certificate.edge_certificate[0]",
  "google_certificate_manager_certificate_map_entry.edge_certificate_entry[0]",
  "google_certificate_manager_dns_authorization.edge_certificate_authorization[0]",
];

/** What turns on APIs and waits for them. */
export const apis = (...names: readonly string[]): string[] => names.map((name) => `*.apis_${name}*`);

/** What a certificate by DNS takes. */
export const BY_DNS = ["google_certificate_manager_*", ...apis("certificatemanager")];

export const ZONE = "projects/my-project/managedZones/example";
export const COMPANY_POLICY = "projects/my-project/global/securityPolicies/company";

/** Inputs of a domain with all its parts. */
export const WITH_DOMAIN: Inputs = {
  domain: "login.example.com",
  dns_zone: { name: "example", dns_name: "example.com" },
  protection: { admin_ranges: ["192.0.2.0/24"] },
};

/** What a domain finds in the project, and in those that combinations name. */
export function prepareDomain({ cloud }: Deployment): void {
  for (const project of [...ACCEPTED_BY_BOTH.project_id, "dns-project"])
    cloud.others.add(`google_dns_managed_zone projects/${project}/managedZones/example`);
  cloud.zoneRecords.set(`${ZONE}/rrsets/login.example.com./A`, ["198.51.100.1"]);
  cloud.others.add(`google_compute_security_policy ${COMPANY_POLICY}`);
}
