import { policiesOf, STRICT } from "../rehearsal/project/organization-policies";
import { type ValueObject } from "../rehearsal/project/terraform-value";

const flags = [
  ["log_connections", "on"],
  ["log_disconnections", "on"],
  ["log_min_duration_statement", "-1"],
  ["cloudsql.enable_pgaudit", "on"],
].map(([name = "", value = ""]) => ({ name, value }));

/** Values that each constraint refuses, and others that it accepts; without the latter, it refuses all of the type. */
const JUDGED: Readonly<Record<string, readonly [refused: ValueObject, accepted?: ValueObject]>> = {
  "compute.managed.disableSerialPortLogging": [
    { metadata: { "serial-port-logging-enable": "TRUE" } },
    { metadata: { "serial-port-logging-enable": "FALSE" } },
  ],
  "compute.requireOsLogin": [{ metadata: { "enable-oslogin": "FALSE" } }, { metadata: { "enable-oslogin": "TRUE" } }],
  "compute.requireShieldedVm": [{}, { shielded_instance_config: [{ enable_secure_boot: true }] }],
  "compute.requireVpcFlowLogs": [{ log_config: [] }, { log_config: [{}] }],
  "compute.restrictCloudNATUsage": [{}],
  "compute.restrictLoadBalancerCreationForTypes": [
    { load_balancing_scheme: "EXTERNAL_MANAGED" },
    { load_balancing_scheme: "INTERNAL_MANAGED" },
  ],
  "compute.trustedImageProjects": [
    { boot_disk: [{ initialize_params: [{ image: "somebody/debian-12" }] }] },
    { boot_disk: [{ initialize_params: [{ image: "debian-cloud/debian-12" }] }] },
  ],
  "compute.vmExternalIpAccess": [
    { network_interface: [{ access_config: [{}] }] },
    { network_interface: [{ access_config: [] }] },
  ],
  "container.managed.disableInsecureKubeletReadOnlyPort": [
    {},
    {
      node_pool_auto_config: [{ node_kubelet_config: [{ insecure_kubelet_readonly_port_enabled: "FALSE" }] }],
    },
  ],
  "container.managed.disableRBACSystemBindings": [
    {},
    { rbac_binding_config: [{ enable_insecure_binding_system_authenticated: false }] },
  ],
  "container.managed.enableBinaryAuthorization": [{}, { binary_authorization: [{}] }],
  "container.managed.enableGoogleGroupsRBAC": [{}, { authenticator_groups_config: [{}] }],
  "container.managed.enablePrivateNodes": [{}, { private_cluster_config: [{ enable_private_nodes: true }] }],
  "container.managed.enableSecretsEncryption": [{}, { database_encryption: [{}] }],
  "container.managed.enableSecurityBulletinNotifications": [{}, { notification_config: [{}] }],
  "custom.cloudrunDisableEnvironmentVariablePattern": [
    { template: [{ containers: [{ env: [{ name: "IDP_SECRET_KEY" }] }] }] },
    { template: [{ containers: [{ env: [{ name: "IDP_LOG_LEVEL" }] }] }] },
  ],
  "custom.cloudsqlEnforcePasswordComplexity": [{}, { settings: [{ password_validation_policy: [{}] }] }],
  "custom.cloudsqlRequireAutomatedBackup": [{}, { settings: [{ backup_configuration: [{ enabled: true }] }] }],
  "custom.cloudsqlRequireHighAvailability": [{}, { settings: [{ availability_type: "REGIONAL" }] }],
  "custom.cloudsqlRequirePointInTimeRecovery": [
    {},
    { settings: [{ backup_configuration: [{ point_in_time_recovery_enabled: true }] }] },
  ],
  "custom.cloudsqlRequirePostgreSQLDatabaseFlags": [
    { settings: [{ database_flags: flags.slice(1) }] },
    { settings: [{ database_flags: flags }] },
  ],
  "custom.cloudsqlRequireRootPassword": [{}, { settings: [{ password_validation_policy: [{}] }] }],
  "custom.cloudsqlRequireSSLConnection": [{}, { settings: [{ ip_configuration: [{ ssl_mode: "ENCRYPTED_ONLY" }] }] }],
  "custom.firewallEnforceRuleLogging": [{}, { log_config: [{}] }],
  "custom.gkeRequireMasterAuthorizedNetworks": [{}, { master_authorized_networks_config: [{}] }],
  "custom.gkeRequirePrivateEndpoint": [{}, { private_cluster_config: [{ enable_private_endpoint: true }] }],
  "custom.iamDisablePublicBindings": [{ member: "allUsers" }, { member: "group:staff@example.com" }],
  "custom.networkDisableTargetHTTPProxy": [{}],
  "custom.networkDisableWeakSSLPolicy": [{ min_tls_version: "TLS_1_0" }, { min_tls_version: "TLS_1_2" }],
  "custom.networkRequireBackendServiceLogging": [{}, { log_config: [{ enable: true }] }],
  "custom.networkRequireCustomModeVpc": [{ auto_create_subnetworks: true }, { auto_create_subnetworks: false }],
  "custom.networkRequireSubnetPrivateGoogleAccess": [{}, { private_ip_google_access: true }],
  "gcp.restrictNonCmekServices": [{}, { kms_key_name: "key" }],
  "gcp.restrictServiceUsage": [{ service: "bigtable.googleapis.com" }, { service: "run.googleapis.com" }],
  "iam.allowedPolicyMemberDomains": [{ member: "allUsers" }, { member: "group:staff@example.com" }],
  "run.allowedBinaryAuthorizationPolicies": [{}, { binary_authorization: [{}] }],
  "run.allowedIngress": [{ ingress: "INGRESS_TRAFFIC_ALL" }, { ingress: "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER" }],
  "run.allowedVPCEgress": [{}, { template: [{ vpc_access: [{ egress: "ALL_TRAFFIC" }] }] }],
  "run.managed.requireInvokerIam": [{ invoker_iam_disabled: true }, { invoker_iam_disabled: false }],
  "sql.restrictPublicIp": [{}, { settings: [{ ip_configuration: [{ ipv4_enabled: false }] }] }],
  "storage.publicAccessPrevention": [{}, { public_access_prevention: "enforced" }],
  "storage.uniformBucketLevelAccess": [{}, { uniform_bucket_level_access: true }],
};

it.each(STRICT)(
  "The rehearsed constraint %s refuses what the landing zones refuse, names itself, and accepts what the guide advises",
  (name) => {
    const [policy] = policiesOf([name]);
    const [refused = {}, accepted] = JUDGED[name] ?? [];
    expect(policy?.refuses(refused)).toBe(true);
    const said = policy?.says({ type: "any", id: "any", values: refused, needs: [], writeOnly: {} });
    // Google does not say which this one is.
    if (name !== "iam.allowedPolicyMemberDomains") expect(said).toContain(name);
    if (accepted !== undefined) expect(policy?.refuses(accepted)).toBe(false);
  },
);
