import { type CloudObject, type Policy } from "./cloud";
import { membersOf, textAt, valueAt, type ValueObject } from "./terraform-value";

const RUN = ["google_cloud_run_v2_service", "google_cloud_run_v2_job", "google_cloud_run_v2_worker_pool"] as const;
const templateOf = (values: ValueObject) =>
  membersOf(valueAt(values, "template.0.template")).length > 0 ? "template.0.template.0" : "template.0";
const projectOf = ({ values }: CloudObject) => `projects/${textAt(values, "project")}`;

/** Managed and custom constraints, as Google words them. */
const managed = (constraint: string) => (object: CloudObject) =>
  `Error 400: Operation denied by org policy on resource '${projectOf(object)}': ["${constraint}"]`;

/** Resources of ours without a key, and where each would have it. */
const KEYS: Readonly<Record<string, (values: ValueObject) => string>> = {
  google_artifact_registry_repository: (values) => textAt(values, "kms_key_name"),
  google_cloud_run_v2_job: (values) => textAt(values, "template.0.template.0.encryption_key"),
  google_cloud_run_v2_service: (values) => textAt(values, "template.0.encryption_key"),
  google_cloud_run_v2_worker_pool: (values) => textAt(values, "template.0.encryption_key"),
  google_container_cluster: (values) => textAt(values, "database_encryption.0.key_name"),
  google_secret_manager_secret: (values) =>
    textAt(values, "replication.0.user_managed.0.replicas.0.customer_managed_encryption.0.kms_key_name"),
  google_sql_database_instance: (values) => textAt(values, "encryption_key_name"),
  google_storage_bucket: (values) => textAt(values, "encryption.0.default_kms_key_name"),
};

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
  "run.managed.requireInvokerIam": {
    types: ["google_cloud_run_v2_service"],
    refuses: (values) => values.invoker_iam_disabled === true,
    says: managed("constraints/run.managed.requireInvokerIam"),
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
  "container.managed.enablePrivateNodes": {
    types: ["google_container_cluster"],
    refuses: (values) => valueAt(values, "private_cluster_config.0.enable_private_nodes") !== true,
    says: managed("constraints/container.managed.enablePrivateNodes"),
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
  "container.managed.enableBinaryAuthorization": {
    types: ["google_container_cluster"],
    refuses: (values) => membersOf(values.binary_authorization).length === 0,
    says: managed("constraints/container.managed.enableBinaryAuthorization"),
  },
  "gcp.restrictNonCmekServices": Object.entries(KEYS).map(([type, keyOf]) => ({
    types: [type],
    refuses: (values: ValueObject) => keyOf(values) === "",
    says: (object: CloudObject) =>
      `Error 400: Constraint 'constraints/gcp.restrictNonCmekServices' violated for '${projectOf(object)}' attempting to create ${type} ${object.id} without a key`,
  })),
};

/** Constraints of the classic landing zone of Cloud Foundation Fabric, and those of the hardened one beside them. */
export const CLASSIC = [
  "compute.restrictLoadBalancerCreationForTypes",
  "container.managed.enablePrivateNodes",
  "iam.allowedPolicyMemberDomains",
  "run.allowedIngress",
  "run.managed.requireInvokerIam",
  "sql.restrictPublicIp",
  "storage.uniformBucketLevelAccess",
] as const;

export const STRICT = [
  ...CLASSIC,
  "container.managed.enableBinaryAuthorization",
  "gcp.restrictNonCmekServices",
  "run.allowedBinaryAuthorizationPolicies",
  "run.allowedVPCEgress",
] as const;

/** What these constraints refuse. */
export function policiesOf(constraints: readonly string[]): Policy[] {
  return constraints.flatMap((name) => POLICIES[name] ?? []);
}
