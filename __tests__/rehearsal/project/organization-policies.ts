import { type Cloud, type CloudObject, type Policy } from "./cloud";
import { membersOf, textAt, valueAt, type ValueObject, valuesAt } from "./terraform-value";

const RUN = ["google_cloud_run_v2_service", "google_cloud_run_v2_job", "google_cloud_run_v2_worker_pool"] as const;
const templateOf = (values: ValueObject) =>
  membersOf(valueAt(values, "template.0.template")).length > 0 ? "template.0.template.0" : "template.0";
const projectOf = ({ values }: CloudObject) => `projects/${textAt(values, "project")}`;

const is = (path: string, value: unknown) => (values: ValueObject) => valueAt(values, path) === value;
const isNot = (path: string, value: unknown) => (values: ValueObject) => valueAt(values, path) !== value;
const lacks = (path: string) => (values: ValueObject) => membersOf(valueAt(values, path)).length === 0;
const RUN_AGENT = "serverless-robot-prod";
const INSTANCE = "google_sql_database_instance";
const CLUSTER = "google_container_cluster";
const SERVICE = "google_cloud_run_v2_service";

/** What the constraint asks of the flags of PostgreSQL. */
const FLAGS = {
  log_connections: "on",
  log_disconnections: "on",
  log_min_duration_statement: "-1",
  "cloudsql.enable_pgaudit": "on",
};

/** Managed constraints, and custom ones of organizations: types, and what is refused of them. */
const MANAGED: Readonly<Record<string, readonly [types: readonly string[], refuses: Policy["refuses"]]>> = {
  "run.managed.requireInvokerIam": [[SERVICE], is("invoker_iam_disabled", true)],
  "container.managed.disableInsecureKubeletReadOnlyPort": [
    [CLUSTER],
    isNot("node_pool_auto_config.0.node_kubelet_config.0.insecure_kubelet_readonly_port_enabled", "FALSE"),
  ],
  "container.managed.disableRBACSystemBindings": [
    [CLUSTER],
    isNot("rbac_binding_config.0.enable_insecure_binding_system_authenticated", false),
  ],
  "container.managed.enableBinaryAuthorization": [[CLUSTER], lacks("binary_authorization")],
  "container.managed.enableGoogleGroupsRBAC": [[CLUSTER], lacks("authenticator_groups_config")],
  "container.managed.enablePrivateNodes": [[CLUSTER], isNot("private_cluster_config.0.enable_private_nodes", true)],
  "container.managed.enableSecretsEncryption": [[CLUSTER], lacks("database_encryption")],
  "container.managed.enableSecurityBulletinNotifications": [[CLUSTER], lacks("notification_config")],
  "custom.cloudrunDisableEnvironmentVariablePattern": [
    [SERVICE],
    (values) =>
      valuesAt(values, "template.0.containers.*.env.*.name").some((name) =>
        /secret|key|password|token/i.test(JSON.stringify(name)),
      ),
  ],
  "custom.cloudsqlEnforcePasswordComplexity": [[INSTANCE], lacks("settings.0.password_validation_policy")],
  "custom.cloudsqlRequireAutomatedBackup": [[INSTANCE], isNot("settings.0.backup_configuration.0.enabled", true)],
  "custom.cloudsqlRequireHighAvailability": [[INSTANCE], isNot("settings.0.availability_type", "REGIONAL")],
  "custom.cloudsqlRequirePointInTimeRecovery": [
    [INSTANCE],
    isNot("settings.0.backup_configuration.0.point_in_time_recovery_enabled", true),
  ],
  "custom.cloudsqlRequirePostgreSQLDatabaseFlags": [
    [INSTANCE],
    (values) => {
      const flags = membersOf(valueAt(values, "settings.0.database_flags")).map((flag) => JSON.stringify(flag));
      return Object.entries(FLAGS).some(([name, value]) => !flags.includes(JSON.stringify({ name, value })));
    },
  ],
  "custom.cloudsqlRequireRootPassword": [[INSTANCE], lacks("settings.0.password_validation_policy")],
  "custom.cloudsqlRequireSSLConnection": [
    [INSTANCE],
    isNot("settings.0.ip_configuration.0.ssl_mode", "ENCRYPTED_ONLY"),
  ],
  "custom.gkeRequireMasterAuthorizedNetworks": [[CLUSTER], lacks("master_authorized_networks_config")],
  "custom.gkeRequirePrivateEndpoint": [[CLUSTER], isNot("private_cluster_config.0.enable_private_endpoint", true)],
  "custom.iamDisablePublicBindings": [["google_cloud_run_v2_service_iam_member"], is("member", "allUsers")],
  "custom.networkDisableTargetHTTPProxy": [
    ["google_compute_target_http_proxy", "google_compute_region_target_http_proxy"],
    () => true,
  ],
  "compute.managed.disableSerialPortLogging": [
    ["google_compute_instance"],
    is("metadata.serial-port-logging-enable", "TRUE"),
  ],
  "custom.firewallEnforceRuleLogging": [["google_compute_firewall"], lacks("log_config")],
  "custom.networkRequireCustomModeVpc": [["google_compute_network"], is("auto_create_subnetworks", true)],
  "custom.networkDisableWeakSSLPolicy": [
    ["google_compute_ssl_policy", "google_compute_region_ssl_policy"],
    isNot("min_tls_version", "TLS_1_2"),
  ],
  "custom.networkRequireBackendServiceLogging": [
    ["google_compute_backend_service", "google_compute_region_backend_service"],
    isNot("log_config.0.enable", true),
  ],
  "custom.networkRequireSubnetPrivateGoogleAccess": [
    ["google_compute_subnetwork"],
    (values) => values.private_ip_google_access !== true && values.purpose !== "REGIONAL_MANAGED_PROXY",
  ],
};

/** Public projects of images that the lab uses, of all that the classic and the hardened landing zone trust. */
const TRUSTED = /^(debian-cloud|windows-cloud)[/]/;
const IMAGE = "boot_disk.0.initialize_params.0.image";

/** Where the account is of whom a key must be granted to, and where a resource of ours has the key. */
const KEYS: Readonly<Record<string, readonly [agent: string, keyOf: (values: ValueObject) => string]>> = {
  google_artifact_registry_repository: ["gcp-sa-artifactregistry", (values) => textAt(values, "kms_key_name")],
  google_cloud_run_v2_job: [RUN_AGENT, (values) => textAt(values, "template.0.template.0.encryption_key")],
  google_cloud_run_v2_service: [RUN_AGENT, (values) => textAt(values, "template.0.encryption_key")],
  google_cloud_run_v2_worker_pool: [RUN_AGENT, (values) => textAt(values, "template.0.encryption_key")],
  google_compute_instance: ["compute-system", (values) => textAt(values, "boot_disk.0.kms_key_self_link")],
  google_container_cluster: [
    "container-engine-robot",
    (values) =>
      textAt(values, "database_encryption.0.key_name") &&
      textAt(values, "cluster_autoscaling.0.auto_provisioning_defaults.0.boot_disk_kms_key"),
  ],
  google_secret_manager_secret: [
    "gcp-sa-secretmanager",
    (values) => textAt(values, "replication.0.user_managed.0.replicas.0.customer_managed_encryption.0.kms_key_name"),
  ],
  google_sql_database_instance: ["gcp-sa-cloud-sql", (values) => textAt(values, "encryption_key_name")],
  google_storage_bucket: ["gs-project-accounts", (values) => textAt(values, "encryption.0.default_kms_key_name")],
};

/** What is refused while the agent of a service may not use its key. */
export function deniedKeys(cloud: Cloud): Policy[] {
  return Object.entries(KEYS).map(([type, [agent, keyOf]]) => ({
    types: [type],
    refuses: (values) => {
      const key = keyOf(values);
      const isGrant = ({ values: grant }: CloudObject) =>
        textAt(grant, "crypto_key_id") === key && textAt(grant, "member").includes(`@${agent}.`);
      return key !== "" && !cloud.ofType("google_kms_crypto_key_iam_member").some(isGrant);
    },
    says: ({ id }) =>
      `Error 403: Permission 'cloudkms.cryptoKeyVersions.useToEncrypt' denied for the account of ${agent} to encrypt ${id}`,
  }));
}

/**
 * Services that the hardened landing zone lets be used, of those that concern us, and what the guide says to exempt.
 */
const USABLE = [
  "artifactregistry certificatemanager cloudbuild cloudkms cloudresourcemanager compute container dns iam iamcredentials iap",
  "logging monitoring pubsub secretmanager servicenetworking sqladmin storage",
  "binaryauthorization cloudscheduler migrationcenter run workloadidentity",
].flatMap((names) => names.split(" ").map((name) => `${name}.googleapis.com`));

/** Constraints of usual landing zones that meet a resource of ours. */
const POLICIES: Readonly<Record<string, Policy | readonly Policy[]>> = {
  "compute.restrictLoadBalancerCreationForTypes": {
    types: ["google_compute_forwarding_rule", "google_compute_global_forwarding_rule"],
    refuses: (values) => !textAt(values, "load_balancing_scheme").startsWith("INTERNAL"),
    says: (object) =>
      `Error 412: Constraint constraints/compute.restrictLoadBalancerCreationForTypes violated for ${projectOf(object)}. Forwarding Rule ${object.id} of type EXTERNAL_MANAGED_HTTP_HTTPS is not allowed., conditionNotMet`,
  },
  "iam.allowedPolicyMemberDomains": {
    types: ["google_cloud_run_v2_service_iam_member"],
    refuses: (values) => textAt(values, "member") === "allUsers",
    says: () =>
      "Error 400: One or more users named in the policy do not belong to a permitted customer,  perhaps due to an organization policy.",
  },
  "run.allowedIngress": {
    types: ["google_cloud_run_v2_service"],
    refuses: (values) => textAt(values, "ingress") === "INGRESS_TRAFFIC_ALL",
    says: () =>
      'Error 400: Constraint constraints/run.allowedIngress violated for attempting CreateService with annotation "run.googleapis.com/ingress" set to the default value all.',
  },
  "sql.restrictPublicIp": {
    types: ["google_sql_database_instance"],
    refuses: (values) => valueAt(values, "settings.0.ip_configuration.0.ipv4_enabled") !== false,
    says: ({ id }) =>
      `Error 400: Invalid request: Organization Policy check failure: the external IP of this instance violates the constraints/sql.restrictPublicIp enforced at the ${id} project.`,
  },
  "storage.uniformBucketLevelAccess": {
    types: ["google_storage_bucket"],
    refuses: (values) => values.uniform_bucket_level_access !== true,
    says: () =>
      "Error 412: Request violates constraint 'constraints/storage.uniformBucketLevelAccess'., conditionNotMet",
  },
  "compute.vmExternalIpAccess": {
    types: ["google_compute_instance"],
    refuses: (values) => membersOf(valueAt(values, "network_interface.0.access_config")).length > 0,
    says: (object) =>
      `Error 412: Constraint constraints/compute.vmExternalIpAccess violated for ${projectOf(object)}. Add instance ${object.id} to the constraint to use external IP with it., conditionNotMet`,
  },
  "compute.requireOsLogin": {
    types: ["google_compute_instance"],
    refuses: (values) => textAt(values, "metadata.enable-oslogin") === "FALSE",
    says: (object) => `Error 412: Constraint constraints/compute.requireOsLogin violated for ${projectOf(object)}.`,
  },
  "compute.requireShieldedVm": {
    types: ["google_compute_instance"],
    refuses: (values) => valueAt(values, "shielded_instance_config.0.enable_secure_boot") !== true,
    says: (object) =>
      `Error 412: Constraint constraints/compute.requireShieldedVm violated for project ${projectOf(object)}. Secure Boot is not enabled in the 'shielded_instance_config' field.`,
  },
  "compute.trustedImageProjects": {
    types: ["google_compute_instance"],
    refuses: (values) => !TRUSTED.test(textAt(values, IMAGE)),
    says: (object) =>
      `Error 412: Constraint constraints/compute.trustedImageProjects violated for ${projectOf(object)}. Use of images from project ${textAt(object.values, IMAGE)} is prohibited.`,
  },
  "run.allowedVPCEgress": {
    types: RUN,
    refuses: (values) => textAt(values, `${templateOf(values)}.vpc_access.0.egress`) !== "ALL_TRAFFIC",
    says: () =>
      'Error 400: Constraint constraints/run.allowedVPCEgress violated for attempting CreateJob with annotation "run.googleapis.com/vpc-access-egress" set to null.',
  },
  "run.allowedBinaryAuthorizationPolicies": {
    types: RUN,
    refuses: (values) => membersOf(values.binary_authorization).length === 0,
    says: () => "Error 400: Constraint constraints/run.allowedBinaryAuthorizationPolicies violated",
  },
  "compute.requireVpcFlowLogs": {
    types: ["google_compute_subnetwork"],
    refuses: lacks("log_config"),
    says: () => "Error 412: Constraint constraints/compute.requireVpcFlowLogs violated, conditionNotMet",
  },
  "compute.restrictCloudNATUsage": {
    types: ["google_compute_router_nat"],
    refuses: () => true,
    says: (object) =>
      `Error 412: Constraint constraints/compute.restrictCloudNATUsage violated for ${projectOf(object)}. ${object.id} is not allowed to use Cloud NAT., conditionNotMet`,
  },
  "storage.publicAccessPrevention": {
    types: ["google_storage_bucket"],
    refuses: isNot("public_access_prevention", "enforced"),
    says: () => "Error 412: Request violates constraint 'constraints/storage.publicAccessPrevention'., conditionNotMet",
  },
  "gcp.restrictServiceUsage": {
    types: ["google_project_service"],
    refuses: (values) => !USABLE.includes(textAt(values, "service")),
    says: (object) =>
      `Error 403: Request is disallowed by organization's constraints/gcp.restrictServiceUsage constraint for '${projectOf(object)}' attempting to use service '${textAt(object.values, "service")}'.`,
  },
  "gcp.restrictNonCmekServices": Object.entries(KEYS).map(([type, [, keyOf]]) => ({
    types: [type],
    refuses: (values: ValueObject) => keyOf(values) === "",
    says: (object: CloudObject) =>
      `Error 400: Constraint 'constraints/gcp.restrictNonCmekServices' violated for '${projectOf(object)}' attempting to create ${type} ${object.id} without a key`,
  })),
};

/** Constraints of the classic landing zone of Cloud Foundation Fabric, and those of the hardened one beside them. */
export const CLASSIC = [
  "compute.requireOsLogin",
  "compute.restrictLoadBalancerCreationForTypes",
  "compute.trustedImageProjects",
  "compute.vmExternalIpAccess",
  "container.managed.enablePrivateNodes",
  "iam.allowedPolicyMemberDomains",
  "run.allowedIngress",
  "run.managed.requireInvokerIam",
  "sql.restrictPublicIp",
  "storage.publicAccessPrevention",
  "storage.uniformBucketLevelAccess",
] as const;

export const STRICT = [
  ...CLASSIC,
  ...Object.keys(MANAGED).filter((name) => !(CLASSIC as readonly string[]).includes(name)),
  "compute.requireShieldedVm",
  "compute.requireVpcFlowLogs",
  "compute.restrictCloudNATUsage",
  "gcp.restrictNonCmekServices",
  "gcp.restrictServiceUsage",
  "run.allowedBinaryAuthorizationPolicies",
  "run.allowedVPCEgress",
] as const;

/** What these constraints refuse. */
export function policiesOf(constraints: readonly string[]): Policy[] {
  return constraints.flatMap((name) => {
    const [types, refuses] = MANAGED[name] ?? [];
    if (types === undefined || refuses === undefined) return POLICIES[name] ?? [];
    const kind = name.startsWith("custom.") ? "customConstraints" : "constraints";
    const says = (object: CloudObject) =>
      `Error 400: Operation denied by org policy on resource '${projectOf(object)}': ["${kind}/${name}"]`;
    return [{ types, refuses, says }];
  });
}
