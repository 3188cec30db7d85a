import { createHash } from "node:crypto";

import { type CloudObject, type Need, pathOf, Refusal } from "./cloud";
import { CLUSTER } from "./google-cluster";
import { certificateConflicts, needEntry, portConflicts, schemeConflicts } from "./google-load-balancing";
import { GOOGLE_EPHEMERAL_TYPES, SECRET_VERSION, setPassword } from "./google-secrets";
import { JOB, rolledOut } from "./google-workloads";
import { needApi, needObject, needPrincipal, needRole } from "./needs";
import { type Lookup, type ProviderTypes, type ResourceType, type ResourceTypes } from "./resource-type";
import { sameValue, textAt, valueAt, type ValueObject } from "./terraform-value";

/** A grant to one principal on the resource that arguments name; one under a condition is another grant. */
function grant(api: string, on: string, refs: ResourceType["refs"] = {}): ResourceType {
  const PLACEHOLDER = /\{\{(\w+)\}\}/g;
  return {
    api,
    id: (values) =>
      [
        on.replaceAll(PLACEHOLDER, (_, name: string) => textAt(values, name)),
        ...["role", "member", "condition.0.title"].map((path) => textAt(values, path)),
      ]
        .filter((part) => part !== "")
        .join("/"),
    replacedBy: [...[...on.matchAll(PLACEHOLDER)].map(([, name = ""]) => name), "role", "member", "condition"],
    refs,
    needs: (values) => needPrincipal(textAt(values, "member")),
  };
}

/** A number of so many digits, the same for the same seed. */
function numberOf(seed: string, digits: number): string {
  const hash = BigInt(`0x${createHash("sha256").update(seed).digest("hex")}`);
  return `1${String(hash % 10n ** BigInt(digits - 1)).padStart(digits - 1, "0")}`;
}

/** A resource of Cloud Monitoring, which gives it a number. */
function numbered(collection: string, wordsAt: string, row: Partial<ResourceType> = {}): ResourceType {
  const words = (values: ValueObject) => textAt(values, wordsAt).split(/(?<="displayName":"[^"]*")/)[0] ?? "";
  return {
    api: "monitoring",
    // Checks of two deployments may have the same host.
    id: (values) => {
      const number = numberOf(words(values) + textAt(values, "display_name"), 18);
      return `projects/${textAt(values, "project")}/${collection}/${number}`;
    },
    ...row,
    computed: (_values, { id }) => ({ name: id, uptime_check_id: id.split("/").at(-1) ?? "" }),
  };
}

const registryOf = (values: ValueObject): string =>
  `${textAt(values, "location")}-docker.pkg.dev/${textAt(values, "project")}/${textAt(values, "repository_id")}`;

const emailOf = (values: ValueObject, project: string): string =>
  `${textAt(values, "account_id")}@${textAt(values, "project") || project}.iam.gserviceaccount.com`;

/** Services whose agents use keys, by where the agents' accounts are. */
const AGENTS: Readonly<Record<string, string>> = {
  "compute-system": "compute",
  "container-engine-robot": "container",
  "gcp-sa-artifactregistry": "artifactregistry",
  "gcp-sa-cloud-sql": "sqladmin",
  "gcp-sa-secretmanager": "secretmanager",
  "gs-project-accounts": "storage",
  "serverless-robot-prod": "run",
};

/** The account with which Cloud Logging encrypts, which it makes when it is asked for it. */
const LOGGING_ENCRYPTER = "cmek-p123456789012@gcp-sa-logging.iam.gserviceaccount.com";

/** The need for the agent that is the member of a grant. */
function needAgent(member: string): Need[] {
  if (member === `serviceAccount:${LOGGING_ENCRYPTER}`) return [];
  const [, number = "", host = ""] =
    /^serviceAccount:service-(\d+)@([a-z-]+)\.iam\.gserviceaccount\.com$/.exec(member) ?? [];
  const service = AGENTS[host] ?? "no service";
  const parent = `projects/${number}/locations/global/serviceProducers/${service}.googleapis.com`;
  return [needObject("google_workload_identity_service_agent", `${parent}/`)];
}

const PRIMARY = "master_instance_name";
const PRIVATE_NETWORK = "settings.0.ip_configuration.0.private_network";

/** The need for private services access, from which a database gets its address; a network from elsewhere has it. */
function needServicesAccess(network: string): Need {
  return {
    what: `private services access in ${network}`,
    isMet: (cloud) =>
      cloud.find("google_compute_network", pathOf(network)) === undefined ||
      cloud
        .ofType("google_service_networking_connection")
        .some(({ values }) => pathOf(textAt(values, "network")) === pathOf(network)),
  };
}

/** Addresses to assign, from blocks reserved for documentation. */
const GLOBAL_ADDRESSES = Array.from({ length: 20 }, (_none, index) => `203.0.113.${index + 30}`);

const GLOBAL_IPV6_ADDRESSES = GLOBAL_ADDRESSES.map((_, index) => `2001:db8:0:${(index + 30).toString(16)}::`);

const STORAGE: ResourceTypes = {
  google_artifact_registry_repository: {
    api: "artifactregistry",
    id: "projects/{{project}}/locations/{{location}}/repositories/{{repository_id}}",
    replacedBy: ["format"],
    computed: (values) => ({ name: textAt(values, "repository_id") }),
    // The images go with their repository.
    afterCreate: ({ values }, cloud) => cloud.deletedRepositories.delete(`${registryOf(values)}/`),
    afterDestroy: ({ values }, cloud) => cloud.deletedRepositories.add(`${registryOf(values)}/`),
  },
  google_migration_center_group: {
    api: "migrationcenter",
    id: "projects/{{project}}/locations/{{location}}/groups/{{group_id}}",
    computed: (_values, { id }) => ({ name: id }),
  },
  google_secret_manager_secret: {
    api: "secretmanager",
    id: "projects/{{project}}/secrets/{{secret_id}}",
    replacedBy: ["replication"],
    protectedBy: { deletion_protection: false },
    computed: (values, { cloud }) => ({ name: cloud.secretName(textAt(values, "secret_id")) }),
    afterDestroy: ({ id }, cloud) => cloud.endSecret(id),
  },
  google_secret_manager_secret_version: SECRET_VERSION,
  google_sql_database_instance: {
    api: "sqladmin",
    id: "{{name}}",
    replacedBy: ["region"],
    // The private network can be set later but not removed; an instance of its own never follows another one.
    replacedWhen: (prior, planned) => [
      ...(textAt(prior, PRIVATE_NETWORK) !== "" && valueAt(planned, PRIVATE_NETWORK) === null ? [PRIVATE_NETWORK] : []),
      ...(["", textAt(prior, PRIMARY)].includes(textAt(planned, PRIMARY)) ? [] : [PRIMARY]),
    ],
    refs: { [PRIMARY]: "google_sql_database_instance" },
    needs: (values) => {
      const network = textAt(values, PRIVATE_NETWORK);
      return network === "" ? [] : [...needApi("compute"), needServicesAccess(network)];
    },
    protectedBy: { deletion_protection: true, "settings.0.deletion_protection_enabled": false },
    computed: (values) => {
      const isPrivate = textAt(values, PRIVATE_NETWORK) !== "";
      const address = isPrivate ? "10.20.0.5" : "203.0.113.5";
      return {
        connection_name: ["project", "region", "name"].map((attribute) => textAt(values, attribute)).join(":"),
        instance_type: textAt(values, "instance_type") || "CLOUD_SQL_INSTANCE",
        [PRIMARY]: textAt(values, PRIMARY),
        first_ip_address: address,
        private_ip_address: isPrivate ? address : "",
        public_ip_address: isPrivate ? "" : address,
      };
    },
    afterDestroy: ({ id }, cloud) => {
      cloud.administratorPasswords.delete(id);
      for (const role of cloud.databaseRoles.keys()) if (role.startsWith(`${id}/`)) cloud.databaseRoles.delete(role);
    },
  },
  google_sql_user: {
    api: "sqladmin",
    id: "{{name}}/{{host}}/{{instance}}",
    refs: { instance: "google_sql_database_instance" },
    computed: { host: "" },
    // Cloud SQL takes the creation of a login that exists for a change of its password.
    afterApply: setPassword,
  },
  google_storage_bucket: {
    api: "storage",
    id: "{{name}}",
    replacedBy: ["location"],
    conflicts: (values, { before }) => {
      const [former, period] = [before ?? {}, values].map((of) => Number(textAt(of, RETENTION_SECONDS)));
      const wasLocked = before !== null && valueAt(before, "retention_policy.0.is_locked") === true;
      if (!wasLocked || (period ?? 0) >= (former ?? 0)) return [];
      return ["Cannot reduce retention duration of a locked Retention Policy"];
    },
    // Grants and files go with their bucket, unless that is left where it is.
    beforeDestroy: (prior, { id }, cloud) => {
      if (prior.deletion_policy === "ABANDON") return;
      if (valueAt(prior, "retention_policy.0.is_locked") === true)
        throw new Refusal(`Bucket "${id}" contains objects that have not met the retention period yet`);
      const parts = [...cloud.objects.values()].filter(({ values }) => textAt(values, "bucket") === id);
      if (prior.force_destroy !== true && parts.some(({ type }) => type === "google_storage_bucket_object"))
        throw new Refusal(`Error trying to delete bucket ${id} containing objects without \`force_destroy\``);
      for (const { type, id: part } of parts) cloud.forget(`${type} ${part}`);
    },
  },
  google_storage_bucket_object: {
    api: "storage",
    id: "{{bucket}}-{{name}}",
    replacedBy: ["content_type"],
    refs: { bucket: "google_storage_bucket" },
  },
};

/** Refuses what the provider itself refuses. */
function requireDeletable({ deletion_policy: policy }: ValueObject, id: string): void {
  if (policy === "PREVENT") throw new Refusal(`cannot destroy "${id}" without setting deletion_policy="DELETE"`);
}

/** Path of the time for which a bucket keeps files. */
const RETENTION_SECONDS = "retention_policy.0.retention_period";

const KEY_OF_LOGS = "cmek_settings.0.kms_key_name";

/** Logs that are kept, and what is copied into them. */
const LOGGING: ResourceTypes = {
  google_logging_project_bucket_config: {
    api: "logging",
    id: "projects/{{project}}/locations/{{location}}/buckets/{{bucket_id}}",
    needs: (values) => {
      const key = textAt(values, KEY_OF_LOGS);
      if (key === "") return [];
      const member = `serviceAccount:${LOGGING_ENCRYPTER}`;
      const isOn = (grant: ValueObject) => textAt(grant, "crypto_key_id") === key;
      const roles = ["roles/cloudkms.cryptoKeyEncrypterDecrypter"];
      return [needRole({ type: "google_kms_crypto_key_iam_member", isOn, member, roles, target: key })];
    },
    conflicts: (values, { before }) => {
      if (before === null) return [];
      const isAs = (path: string) => sameValue(valueAt(before, path), valueAt(values, path));
      return [
        ...(before.locked === true && !(isAs("retention_days") && isAs("locked")) ? ["the bucket is locked"] : []),
        ...(isAs(KEY_OF_LOGS) ? [] : ["a log bucket keeps the key that it was made with"]),
      ];
    },
    computed: (_values, { id }) => ({ name: id, lifecycle_state: "ACTIVE" }),
    beforeDestroy: (prior, { id }) => {
      requireDeletable(prior, id);
      if (prior.locked === true && prior.deletion_policy !== "ABANDON")
        throw new Refusal(`cannot delete ${id}: the bucket is locked and not empty`);
    },
  },
  google_logging_project_sink: {
    api: "logging",
    id: "projects/{{project}}/sinks/{{name}}",
    needs: (values) => {
      const [, bucket] = /^logging[.]googleapis[.]com[/](.+[/]buckets[/].+)$/.exec(textAt(values, "destination")) ?? [];
      return bucket === undefined ? [] : [needObject("google_logging_project_bucket_config", bucket)];
    },
    computed: { writer_identity: "serviceAccount:service-123456789012@gcp-sa-logging.iam.gserviceaccount.com" },
    beforeDestroy: (prior, { id }) => {
      requireDeletable(prior, id);
    },
  },
};

const IAM: ResourceTypes = {
  google_artifact_registry_repository_iam_member: grant(
    "artifactregistry",
    "projects/{{project}}/locations/{{location}}/repositories/{{repository}}",
    { repository: "google_artifact_registry_repository" },
  ),
  google_cloud_run_v2_job_iam_member: grant("run", "projects/{{project}}/locations/{{location}}/jobs/{{name}}", {
    name: "google_cloud_run_v2_job",
  }),
  google_cloud_run_v2_service_iam_member: grant(
    "run",
    "projects/{{project}}/locations/{{location}}/services/{{name}}",
    {
      name: "google_cloud_run_v2_service",
    },
  ),
  google_kms_crypto_key_iam_member: {
    ...grant("cloudkms", "{{crypto_key_id}}"),
    // Of the project of the key.
    api: undefined,
    needs: (values) => needAgent(textAt(values, "member")),
  },
  // Those of a topic and a dataset are of another project.
  google_pubsub_topic_iam_member: { ...grant("pubsub", "projects/{{project}}/topics/{{topic}}"), api: undefined },
  google_bigquery_dataset_iam_member: {
    ...grant("bigquery", "projects/{{project}}/datasets/{{dataset_id}}"),
    api: undefined,
  },
  google_project_iam_member: grant("cloudresourcemanager", "{{project}}"),
  google_workload_identity_service_agent: {
    api: "workloadidentity",
    id: "{{parent}}/",
    conflicts: (values) => {
      const parent = textAt(values, "parent");
      if (/^projects\/\d+\/locations\/global\/serviceProducers\/[a-z]+\.googleapis\.com$/.test(parent)) return [];
      return [`"${parent}" has no number of a project or no service`];
    },
  },
  google_secret_manager_secret_iam_member: {
    ...grant("secretmanager", "{{secret_id}}", { secret_id: "google_secret_manager_secret" }),
    isPlacedByReference: true,
    computed: (values) => ({ project: textAt(values, "secret_id").split("/")[1] ?? "" }),
  },
  google_service_account_iam_member: grant("iam", "{{service_account_id}}", {
    service_account_id: "google_service_account",
  }),
  google_storage_bucket_iam_member: grant("storage", "b/{{bucket}}", { bucket: "google_storage_bucket" }),
  google_project_iam_audit_config: { api: "cloudresourcemanager", id: "{{project}}/audit_config/{{service}}" },
  google_project_service: {
    api: "cloudresourcemanager",
    id: "{{project}}/{{service}}",
    afterCreate: ({ values }, cloud) => cloud.surroundings.enabledApis.add(textAt(values, "service")),
    afterDestroy: ({ values }, cloud) => {
      if (values.disable_on_destroy !== false) cloud.surroundings.enabledApis.delete(textAt(values, "service"));
    },
  },
  google_service_account: {
    api: "iam",
    id: "projects/{{project}}/serviceAccounts/{{email}}",
    replacedBy: ["account_id"],
    conflicts: (values) => {
      const accountId = textAt(values, "account_id");
      if (/^(?=.{6,30}$)[a-z][a-z0-9-]*[a-z0-9]$/.test(accountId)) return [];
      return [`"account_id" ("${accountId}") must be between 6 and 30 characters long`];
    },
    knownAtPlan: (values, { project }) => {
      const email = emailOf(values, project);
      return { email, member: `serviceAccount:${email}` };
    },
    computed: (values, { id }) => ({ name: id, unique_id: numberOf(textAt(values, "email"), 21) }),
  },
};

const compute =
  (scope: string) =>
  (collection: string, row: Partial<ResourceType> = {}): ResourceType => ({
    api: "compute",
    id: `projects/{{project}}/${scope}/${collection}/{{name}}`,
    ...row,
  });
const global = compute("global");
const regional = compute("regions/{{region}}");
const certificateManager = (collection: string, row: Partial<ResourceType> = {}): ResourceType => ({
  api: "certificatemanager",
  // Those of a region have one in their arguments.
  id: (values) =>
    `projects/${textAt(values, "project")}/locations/${textAt(values, "location") || "global"}/${collection}/${textAt(values, "name")}`,
  ...row,
  replacedBy: ["name", "location", ...(row.replacedBy ?? [])],
});

const NETWORK: ResourceTypes = {
  google_compute_network: global("networks", {
    replacedBy: ["auto_create_subnetworks"],
  }),
  google_compute_subnetwork: regional("subnetworks", {
    replacedBy: ["network"],
    refs: { network: "google_compute_network" },
  }),
  google_compute_router: regional("routers", {
    replacedBy: ["network"],
    refs: { network: "google_compute_network" },
  }),
  google_compute_router_nat: {
    api: "compute",
    id: "{{project}}/{{region}}/{{router}}/{{name}}",
    refs: { router: "google_compute_router" },
  },
  google_compute_address: regional("addresses", {
    replacedBy: ["address_type", "purpose", "subnetwork"],
    computed: (values) => ({ address: values.address_type === "INTERNAL" ? "10.128.0.20" : "203.0.113.20" }),
  }),
  google_compute_global_address: global("addresses", {
    replacedBy: ["network"],
    refs: { network: "google_compute_network" },
    computed: (values, { cloud }) => {
      const taken = cloud.ofType("google_compute_global_address").map((other) => other.values.address);
      const free = values.ip_version === "IPV6" ? GLOBAL_IPV6_ADDRESSES : GLOBAL_ADDRESSES;
      return { address: free.find((address) => !taken.includes(address)) ?? "" };
    },
  }),
  google_service_networking_connection: {
    api: "servicenetworking",
    id: "{{network}}:{{service}}",
    refs: { network: "google_compute_network", "reserved_peering_ranges.*": "google_compute_global_address" },
  },
  google_compute_firewall: global("firewalls", {
    replacedBy: ["direction"],
    refs: { network: "google_compute_network" },
  }),
  google_compute_instance: {
    api: "compute",
    id: "projects/{{project}}/zones/{{zone}}/instances/{{name}}",
    replacedBy: ["boot_disk.0.initialize_params.0.image", "boot_disk.0.kms_key_self_link"],
    refs: { "network_interface.*.network": "google_compute_network" },
  },
};

/**
 * The need for a subnetwork in which the proxies of internal load balancers get addresses: one of the project, or one
 * from before.
 */
const needProxySubnetwork = (network: string): Need => ({
  what: `a subnetwork for proxies in ${network}`,
  isMet: (cloud) =>
    cloud
      .ofType("google_compute_subnetwork")
      .some(({ values }) => values.purpose === "REGIONAL_MANAGED_PROXY" && values.network === network) ||
    cloud.others.has(`google_compute_subnetwork proxies of ${network}`),
});

/** Load balancers, certificates and records. */
const LOAD_BALANCING: ResourceTypes = {
  google_compute_region_network_endpoint_group: regional("networkEndpointGroups", {
    replacedBy: ["cloud_run", "network_endpoint_type"],
  }),
  google_compute_backend_service: global("backendServices", {
    refs: {
      "backend.*.group": "google_compute_region_network_endpoint_group",
      security_policy: "google_compute_security_policy",
    },
    conflicts: schemeConflicts("google_compute_backend_service"),
  }),
  google_compute_security_policy: global("securityPolicies", {
    replacedBy: ["type"],
  }),
  google_compute_url_map: global("urlMaps", {
    refs: { default_service: "google_compute_backend_service" },
  }),
  google_compute_ssl_policy: global("sslPolicies"),
  google_compute_target_https_proxy: global("targetHttpsProxies", {
    refs: {
      url_map: "google_compute_url_map",
      "ssl_certificates.*": "google_compute_managed_ssl_certificate",
      ssl_policy: "google_compute_ssl_policy",
      certificate_map: "google_certificate_manager_certificate_map",
    },
    needs: needEntry,
    conflicts: certificateConflicts,
  }),
  google_compute_target_http_proxy: global("targetHttpProxies", {
    refs: { url_map: "google_compute_url_map" },
  }),
  google_compute_global_forwarding_rule: global("forwardingRules", {
    replacedBy: ["ip_address", "ip_protocol", "port_range"],
    refs: { ip_address: "google_compute_global_address" },
    needs: (values) => {
      const target = textAt(values, "target");
      return [
        needObject(`google_compute_target_http${target.includes("/targetHttpProxies/") ? "" : "s"}_proxy`, target),
      ];
    },
    conflicts: (values, context) => [
      ...portConflicts(values, context),
      ...schemeConflicts("google_compute_global_forwarding_rule")(values, context),
    ],
  }),
  google_compute_region_backend_service: regional("backendServices", {
    refs: { "backend.*.group": "google_compute_region_network_endpoint_group" },
  }),
  google_compute_region_url_map: regional("urlMaps", {
    refs: { default_service: "google_compute_region_backend_service" },
  }),
  google_compute_region_ssl_policy: regional("sslPolicies"),
  google_compute_region_target_https_proxy: regional("targetHttpsProxies", {
    refs: {
      url_map: "google_compute_region_url_map",
      ssl_policy: "google_compute_region_ssl_policy",
      "certificate_manager_certificates.*": "google_certificate_manager_certificate",
    },
  }),
  google_compute_region_target_http_proxy: regional("targetHttpProxies", {
    refs: { url_map: "google_compute_region_url_map" },
  }),
  google_compute_forwarding_rule: regional("forwardingRules", {
    replacedBy: ["ip_address", "ip_protocol", "port_range", "network", "subnetwork"],
    refs: { ip_address: "google_compute_address" },
    needs: (values) => {
      const target = textAt(values, "target");
      return [
        needObject(
          `google_compute_region_target_http${target.includes("/targetHttpProxies/") ? "" : "s"}_proxy`,
          target,
        ),
        needProxySubnetwork(textAt(values, "network")),
      ];
    },
  }),
  google_compute_managed_ssl_certificate: global("sslCertificates", {
    replacedBy: ["managed"],
  }),
  google_certificate_manager_dns_authorization: certificateManager("dnsAuthorizations", {
    replacedBy: ["domain", "type"],
    computed: (values, { id }) => ({
      dns_resource_record: [
        {
          name: `_acme-challenge_${numberOf(id, 16)}.${textAt(values, "domain")}.`,
          type: "CNAME",
          data: `${numberOf(id, 32)}.7.authorize.certificatemanager.goog.`,
        },
      ],
    }),
  }),
  google_certificate_manager_certificate: certificateManager("certificates", {
    replacedBy: ["managed"],
    refs: { "managed.0.dns_authorizations.*": "google_certificate_manager_dns_authorization" },
  }),
  google_certificate_manager_certificate_map: certificateManager("certificateMaps"),
  google_certificate_manager_certificate_map_entry: {
    api: "certificatemanager",
    id: "projects/{{project}}/locations/global/certificateMaps/{{map}}/certificateMapEntries/{{name}}",
    replacedBy: ["hostname"],
    refs: {
      map: "google_certificate_manager_certificate_map",
      "certificates.*": "google_certificate_manager_certificate",
    },
    conflicts: ({ map = null, hostname = null }, { id, cloud }) =>
      cloud
        .ofType("google_certificate_manager_certificate_map_entry")
        .filter((other) => other.id !== id && other.values.map === map && other.values.hostname === hostname)
        .map((other) => `the map has an entry of this host name: ${other.id}`),
  },
  google_dns_record_set: {
    api: "dns",
    id: "projects/{{project}}/managedZones/{{managed_zone}}/rrsets/{{name}}/{{type}}",
    refs: { managed_zone: "google_dns_managed_zone" },
  },
};

const MONITORING: ResourceTypes = {
  google_monitoring_notification_channel: numbered("notificationChannels", "display_name"),
  google_monitoring_alert_policy: numbered("alertPolicies", "display_name", {
    refs: { "notification_channels.*": "google_monitoring_notification_channel" },
  }),
  google_monitoring_uptime_check_config: numbered("uptimeCheckConfigs", "monitored_resource.0.labels.host", {
    replacedBy: ["monitored_resource", "http_check.0.request_method"],
    beforeDestroy: (_prior, { id }, cloud) => {
      const number = id.split("/").at(-1) ?? id;
      const names = ({ values }: CloudObject) => JSON.stringify(values).includes(number);
      const user = cloud.ofType("google_monitoring_alert_policy").find(names);
      if (user !== undefined) throw new Refusal(`cannot delete ${id}: the alert policy ${user.id} names it`);
    },
  }),
  google_monitoring_dashboard: numbered("dashboards", "dashboard_json"),
  google_monitoring_custom_service: { api: "monitoring", id: "projects/{{project}}/services/{{service_id}}" },
  google_monitoring_slo: {
    api: "monitoring",
    id: "projects/{{project}}/services/{{service}}/serviceLevelObjectives/{{slo_id}}",
    refs: { service: "google_monitoring_custom_service" },
  },
};

const WORKLOADS: ResourceTypes = {
  google_cloud_run_v2_job: JOB,
  google_cloud_run_v2_service: rolledOut("services"),
  google_cloud_run_v2_worker_pool: rolledOut("workerPools"),
  google_cloud_scheduler_job: {
    api: "cloudscheduler",
    id: "projects/{{project}}/locations/{{region}}/jobs/{{name}}",
    refs: {
      "http_target.0.uri": "google_cloud_run_v2_job",
      "http_target.0.oauth_token.0.service_account_email": "google_service_account",
    },
    needs: (values) => [
      needRole({
        type: "google_cloud_run_v2_job_iam_member",
        isOn: (grant) => textAt(values, "http_target.0.uri").endsWith(`/${textAt(grant, "name")}:run`),
        member: `serviceAccount:${textAt(values, "http_target.0.oauth_token.0.service_account_email")}`,
        roles: ["roles/run.invoker"],
        target: "the job",
      }),
    ],
  },
  google_container_cluster: CLUSTER,
};

const DATA_SOURCES: Readonly<Record<string, Lookup>> = {
  google_logging_project_cmek_settings: (config) => {
    const id = `projects/${textAt(config, "project")}/cmekSettings`;
    return { id, name: id, service_account_id: LOGGING_ENCRYPTER };
  },
  google_compute_networks: (config, cloud, settings) => {
    const id = `projects/${textAt(config, "project") || settings.project}/global/networks`;
    const start = `google_compute_network ${id}/`;
    const found = [...cloud.others, ...cloud.objects.keys()].filter((key) => key.startsWith(start));
    return { id, networks: found.map((key) => key.slice(start.length)) };
  },
};

export const GOOGLE: ProviderTypes = {
  resources: { ...STORAGE, ...LOGGING, ...IAM, ...NETWORK, ...LOAD_BALANCING, ...MONITORING, ...WORKLOADS },
  ephemeral: GOOGLE_EPHEMERAL_TYPES,
  dataSources: DATA_SOURCES,
};
