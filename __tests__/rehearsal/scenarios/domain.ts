import { ACCEPTED_BY_BOTH } from "../../stacks/accepted-inputs";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { all, withInputs } from "./every-stack";
import { DASHBOARD, OF_HOST } from "./monitoring";

const POLICY = "google_compute_security_policy.edge_security_policy[0]";
const ADDRESS_RECORD = "google_dns_record_set.edge_dns_records_address[0]";
const VALIDATION_RECORD = "google_dns_record_set.edge_dns_records_validation[0]";

/** What is replaced for another domain. */
const OF_DOMAIN = [
  "google_certificate_manager_certificate.edge_certificate[0]",
  "google_certificate_manager_certificate_map_entry.edge_certificate_entry[0]",
  "google_certificate_manager_dns_authorization.edge_certificate_authorization[0]",
];

/** What turns on APIs and waits for them. */
export const apis = (...names: readonly string[]): string[] => names.map((name) => `*.apis_${name}*`);

/** What a certificate by DNS takes. */
const BY_DNS = ["google_certificate_manager_*", ...apis("certificatemanager")];

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
  cloud.others.add(`google_compute_security_policy ${COMPANY_POLICY}`);
}

const SERVICE = "google_cloud_run_v2_service.service";
const BACKEND = "google_compute_backend_service.front_door_backend[0]";
const HTTPS_PROXY = "google_compute_target_https_proxy.front_door_https_proxy[0]";
const HTTPS_RULE = "google_compute_global_forwarding_rule.front_door_https_rule[0]";
const CLASSIC_CERTIFICATE = "google_compute_managed_ssl_certificate.front_door_certificate[0]";

/** What an IPv6 address takes. */
const IPV6 = "*.ipv6*";

/** What every domain has. */
const DOOR = ["*.front_door_*", "google_compute_global_address.address[0]"];

/** From no domain to one, to another, between the kinds of certificate, with and without a policy, and away from it. */
export const SERVERLESS_DOMAIN_CHANGES: readonly ChangeScenario[] = [
  {
    name: "a domain",
    change: withInputs(WITH_DOMAIN),
    expected: {
      ...OF_HOST,
      ...all("create", [...apis("compute", "dns"), ...DOOR, ...BY_DNS, POLICY]),
      ...all("create", [ADDRESS_RECORD, VALIDATION_RECORD]),
      [SERVICE]: "update",
    },
  },
  {
    name: "another domain, with an IPv6 address",
    change: withInputs({ domain: "sso.example.com", domain_options: { ipv6: true } }),
    expected: {
      ...OF_HOST,
      ...all("replace", [...OF_DOMAIN, ADDRESS_RECORD, VALIDATION_RECORD]),
      [IPV6]: "create",
      [SERVICE]: "update",
    },
  },
  {
    name: "a domain without protection, validated through the load balancer",
    change: withInputs({ certificate_validation: "load-balancer", domain_options: { ipv6: false }, protection: null }),
    expected: {
      ...all("delete", [...BY_DNS, IPV6, POLICY, VALIDATION_RECORD]),
      [CLASSIC_CERTIFICATE]: "create",
      [HTTPS_PROXY]: "replace",
      // Its chart of refused requests goes with the policy.
      ...all("update", [BACKEND, HTTPS_RULE, DASHBOARD, SERVICE]),
    },
  },
  {
    name: "a domain validated by DNS again, with an existing policy and nothing beside it",
    change: withInputs({
      certificate_validation: "dns",
      close_default_address: true,
      existing_security_policy: COMPANY_POLICY,
    }),
    expected: {
      ...all("create", [...BY_DNS, VALIDATION_RECORD]),
      [CLASSIC_CERTIFICATE]: "delete",
      [HTTPS_PROXY]: "replace",
      ...all("update", [BACKEND, HTTPS_RULE, SERVICE]),
    },
  },
  {
    name: "no domain",
    change: withInputs({
      close_default_address: false,
      dns_zone: null,
      domain: null,
      existing_security_policy: null,
    }),
    expected: {
      ...OF_HOST,
      ...all("delete", [...apis("compute", "dns"), ...DOOR, ...BY_DNS]),
      ...all("delete", [ADDRESS_RECORD, VALIDATION_RECORD]),
      [SERVICE]: "update",
    },
  },
];

export const DEPLOYMENT = "kubernetes_deployment_v1.workload";
export const REGIONAL_ADDRESS = "google_compute_address.address_regional[0]";
const INGRESS_PARTS = ["*.front_door_*", "google_compute_global_address.address_global[0]", ADDRESS_RECORD];
const SERVICE_OF_PODS = "kubernetes_service_v1.front_door_load_balancer[0]";
const INGRESS = "kubernetes_ingress_v1.front_door_ingress[0]";
const ALLOW_INGRESS = "kubernetes_network_policy_v1.front_door_allow_ingress";
const SETTINGS = "terraform_data.front_door_load_balancer_settings[0]";

/** Fails unless the load balancer of the Ingress has all of these settings. */
const requireSettings =
  (...settings: readonly string[]): ChangeScenario["verify"] =>
  ({ web }) => {
    const found = JSON.stringify([...web.loadBalancers.resources.values()]);
    const missing = settings.filter((setting) => !found.includes(setting));
    if (missing.length > 0) throw new Error(`the load balancer lacks ${missing.join(", ")}: ${found}`);
  };

/**
 * From no domain to one, to another with the other kind of certificate and an existing policy, back, and away from it.
 */
export const KUBERNETES_DOMAIN_CHANGES: readonly ChangeScenario[] = [
  {
    name: "a domain",
    change: withInputs(WITH_DOMAIN),
    expected: {
      ...OF_HOST,
      ...all("delete", [REGIONAL_ADDRESS, SERVICE_OF_PODS]),
      ...all("create", [...apis("dns"), ...INGRESS_PARTS, POLICY]),
      // The application gets its public address.
      ...all("update", [ALLOW_INGRESS, DEPLOYMENT]),
    },
    verify: requireSettings('"timeoutSec":3600', "-protection", "-tls", "Strict-Transport-Security: max-age=31536000"),
  },
  {
    name: "another domain, validated by DNS, with an existing policy and a log",
    change: withInputs({
      certificate_validation: "dns",
      domain: "sso.example.com",
      existing_security_policy: COMPANY_POLICY,
      domain_options: { ipv6: true, request_log_sample_rate: 0.25, strict_transport_security: "max-age=0" },
      protection: null,
    }),
    expected: {
      ...OF_HOST,
      ...all("create", [...BY_DNS, IPV6, VALIDATION_RECORD]),
      ...all("replace", [CLASSIC_CERTIFICATE, ADDRESS_RECORD, SETTINGS]),
      ...all("update", [INGRESS, DEPLOYMENT]),
      [POLICY]: "delete",
    },
    verify: requireSettings('"sampleRate":0.25', "/company", '"certificateMap":', "-Security: max-age=0", "-idp-ipv6-"),
  },
  {
    name: "another domain, validated through the load balancer, with protection",
    change: withInputs({
      certificate_validation: "load-balancer",
      domain: "login.example.com",
      existing_security_policy: null,
      domain_options: { request_log_sample_rate: 0 },
      protection: {},
    }),
    expected: {
      ...OF_HOST,
      ...all("delete", [...BY_DNS, IPV6, VALIDATION_RECORD]),
      ...all("replace", [CLASSIC_CERTIFICATE, ADDRESS_RECORD, SETTINGS]),
      ...all("update", [INGRESS, DEPLOYMENT]),
      [POLICY]: "create",
    },
    verify: requireSettings('"timeoutSec":3600', "-protection"),
  },
  {
    name: "no domain any more",
    change: withInputs({
      dns_zone: null,
      domain: null,
      protection: null,
      domain_options: { strict_transport_security: "max-age=31536000" },
    }),
    expected: {
      ...OF_HOST,
      ...all("create", [REGIONAL_ADDRESS, SERVICE_OF_PODS]),
      ...all("delete", [...apis("dns"), ...INGRESS_PARTS, POLICY]),
      ...all("update", [ALLOW_INGRESS, DEPLOYMENT]),
    },
  },
];
