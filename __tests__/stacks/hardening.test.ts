import { resourceAddresses, type Terraform } from "../support/synthesis";
import ADDRESSES from "./addresses.json";
import { valueAt } from "./configuration-graph";
import { literalKubernetes, literalLabWithEverything, literalServerless } from "./literal-programs";
import { argumentAt } from "./provider-schema/argument-at";
import { isKnownPath, providerSchema } from "./provider-schema/provider-schema";
import { shippedStacks } from "./shipped-stacks";

/**
 * What must never change without a discussion, by name, because a snapshot is accepted with one command. Each row holds
 * for every resource of its type, including those added later.
 */
type Row = readonly [promise: string, type: string, path: string, value: RegExp];

const DATABASE = "google_sql_database_instance";
const SECRET = "google_secret_manager_secret";
const BY_INPUT = /^\$\{var\.deletion_protection\}$/;

const ALWAYS: readonly Row[] = [
  ["takes no unencrypted connection", DATABASE, "settings.ip_configuration.ssl_mode", /^ENCRYPTED_ONLY$/],
  ["takes no connection past the proxy", DATABASE, "settings.connector_enforcement", /^REQUIRED$/],
  ["lets in no address", DATABASE, "settings.ip_configuration.authorized_networks", /^absent$/],
  ["has its password in no state", "google_sql_user", "password", /^absent$/],
  ["gets its password as a write-only value", "google_sql_user", "password_wo", /ephemeral\./],
  ["is forgotten, not dropped", "google_sql_user", "deletion_policy", /^ABANDON$/],
  ["has TLS 1.2 at least", "google_compute_ssl_policy", "min_tls_version", /^TLS_1_2$/],
  ["has modern ciphers", "google_compute_ssl_policy", "profile", /^MODERN$/],
  [
    "tells browsers to use HTTPS",
    "google_compute_backend_service",
    "custom_response_headers",
    /Strict-Transport-Security/,
  ],
  ["has a TLS policy", "google_compute_target_https_proxy", "ssl_policy", /google_compute_ssl_policy\./],
  [
    "is public only by its input",
    "google_cloud_run_v2_service",
    "invoker_iam_disabled",
    /^(\$\{var\.public_access == "invoker-check-off" \|\| var\.public_access == "true"\}|true|false)$/,
  ],
  ["can be replaced after a failed start", "google_cloud_run_v2_service", "deletion_protection", /^false$/],
  ["can be replaced after a failed start", "google_cloud_run_v2_job", "deletion_protection", /^false$/],
  ["may be changed by other tools", "google_cloud_run_v2_service", "lifecycle.ignore_changes", /client,client_version/],
  ["grows by itself, and is never made smaller", DATABASE, "settings.disk_size", /^absent$/],
  ["stays on for other users of the project", "google_project_service", "disable_on_destroy", /^false$/],
  ["is never public", "google_storage_bucket", "public_access_prevention", /^enforced$/],
  ["has no rights of single objects", "google_storage_bucket", "uniform_bucket_level_access", /^true$/],
  [
    "has only scripts in the state",
    "google_secret_manager_secret_version",
    "secret_data",
    /^absent$|^\$\{(filebase64\(|base64encode\(join\("\\n", \[file\()"\$\{path\.module\}\/scripts\//,
  ],
  ["is stored in no other region than these", SECRET, "replication.auto", /^absent$/],
  ["stays where it is stored", SECRET, "lifecycle.ignore_changes", /^replication$/],
  ["has nothing in the state", "kubernetes_secret_v1", "data", /^absent$/],
  ["is never changed", "kubernetes_secret_v1", "immutable", /^true$/],
  ["has no token of the cluster", "kubernetes_service_account_v1", "automount_service_account_token", /^false$/],
  [
    "has nodes without a public address",
    "google_container_cluster",
    "private_cluster_config.enable_private_nodes",
    /^true$/,
  ],
  ["boots signed code alone", "google_compute_instance", "shielded_instance_config.enable_secure_boot", /^true$/],
  ["takes no keys of the project", "google_compute_instance", "metadata.block-project-ssh-keys", /^TRUE$/],
  ["runs as no account", "google_compute_instance", "service_account", /^absent$/],
  ["ends", "google_cloud_run_v2_job", "template.template.timeout", /^(240|600|1800|4200)s$/],
  ["is not tried without end", "google_cloud_run_v2_job", "template.template.max_retries", /^[02]$/],
  ["ends", "kubernetes_job_v1", "spec.active_deadline_seconds", /^2400$/],
  ["is not tried without end", "kubernetes_job_v1", "spec.backoff_limit", /^[02]$/],
  ["ends", "kubernetes_cron_job_v1", "spec.job_template.spec.active_deadline_seconds", /^(840|4800|6000)$/],
];

/** A copy of the database is kept by the platform alone, because a script must be able to end that. */
const isNoCopy = (line: string) => !line.endsWith(".standby_database has false");

const PROTECTED: readonly Row[] = [
  ["is kept by Terraform", DATABASE, "deletion_protection", BY_INPUT],
  ["is kept by the platform", DATABASE, "settings.deletion_protection_enabled", BY_INPUT],
  ["is kept", "google_container_cluster", "deletion_protection", BY_INPUT],
  ["is kept while it holds anything", "google_storage_bucket", "force_destroy", /^\$\{!var\.deletion_protection\}$/],
  ["is kept, unless it is a script or a token made anew", SECRET, "deletion_protection", BY_INPUT],
  [
    "can be restored for a week, unless it is a script or a token made anew",
    SECRET,
    "version_destroy_ttl",
    /^604800s$/,
  ],
];

/** Scripts, and what is made anew with the part that needs it. */
const REMADE = new RegExp(
  [
    "google_secret_manager_secret[.](\\w+_script|recovery_access_link",
    "secrets_bootstrap_token",
    "secrets_(ldap|radius|sign_in_probe)_(password|secret|token))$",
  ].join("|"),
);

const ROLES = [
  "roles/artifactregistry.reader",
  "roles/artifactregistry.writer",
  "roles/bigquery.dataEditor",
  "roles/cloudkms.cryptoKeyEncrypterDecrypter",
  "roles/cloudsql.client",
  "roles/container.defaultNodeServiceAccount",
  "roles/iam.workloadIdentityUser",
  "roles/logging.logWriter",
  "roles/pubsub.publisher",
  "roles/run.invoker",
  "roles/secretmanager.secretAccessor",
  "roles/secretmanager.secretVersionManager",
  "roles/storage.objectCreator",
  "roles/storage.objectUser",
  "roles/storage.objectViewer",
];

type Program = readonly [name: string, terraform: Terraform];

const SHIPPED: readonly Program[] = Object.entries(shippedStacks());
const PROGRAMS: readonly Program[] = [
  ...SHIPPED,
  ["serverless program", literalServerless()],
  ["Kubernetes program", literalKubernetes()],
  ["lab program", literalLabWithEverything()],
];

/**
 * The resources of this type whose value at the path is another; an argument that the type does not have is an error.
 */
function others(programs: readonly Program[], type: string, path: string, pattern: RegExp): string[] {
  const values = programs.flatMap(([program, { resource = {} }]) =>
    Object.entries(resource[type] ?? {}).map(([id, block]) => ({
      address: `${program}: ${type}.${id}`,
      value: String(argumentAt(type, block, path)),
    })),
  );
  expect(values.length).toBeGreaterThan(0);
  return values.filter(({ value }) => !pattern.test(value)).map(({ address, value }) => `${address} has ${value}`);
}

/** Every value under this key, wherever it is. */
const under = (key: string, value: unknown): unknown[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([name, item]): unknown[] =>
        (name === key ? [item as unknown] : []).concat(under(key, item)),
      );

const having = (key: string, values: readonly unknown[]) => values.filter((value) => valueAt(value, key) !== undefined);

const containersOf = (pod: unknown): unknown[] =>
  [valueAt(pod, "container"), valueAt(pod, "init_container") ?? []].flat();

describe("Always", () => {
  it.each(ALWAYS)("%s: %s, %s", (_promise, type, path, pattern) => {
    expect(others(PROGRAMS, type, path, pattern)).toEqual([]);
  });

  it("pods are user and group 1000, and may do nothing that a process does not need", () => {
    const contexts = under("security_context", PROGRAMS);
    const [pods, containers] = [having("fs_group", contexts), having("capabilities", contexts)];
    expect([pods.length, containers.length]).toEqual([20, contexts.length - 20]);
    const ofPods = { run_as_user: "1000", run_as_group: "1000", fs_group: "1000", run_as_non_root: true };
    for (const pod of pods) expect(pod).toMatchObject({ ...ofPods, seccomp_profile: { type: "RuntimeDefault" } });
    const ofContainers = { allow_privilege_escalation: false, run_as_non_root: true };
    for (const container of containers) {
      expect(container).toMatchObject({
        ...ofContainers,
        capabilities: { drop: expect.arrayContaining(["ALL"]) as unknown },
      });
    }
    expect(contexts.filter((context) => valueAt(context, "run_as_user") === "0")).toEqual([]);
    const profiles = under("seccomp_profile", PROGRAMS).map((profile) => valueAt(profile, "type"));
    expect(new Set(profiles)).toEqual(new Set(["RuntimeDefault"]));
    const all = having("container", under("spec", PROGRAMS)).flatMap((pod) => containersOf(pod));
    expect(all.filter((container) => valueAt(container, "security_context") === undefined)).toEqual([]);
    const tokens = having("container", under("spec", PROGRAMS)).map((pod) =>
      valueAt(pod, "automount_service_account_token"),
    );
    expect(tokens).toEqual(pods.map(() => false));
  });

  it.each(["host_path", "host_network", "host_pid", "host_ipc", "host_port", "privileged"])(
    "pods have nothing of their node: %s",
    (field) => {
      expect(under(field, providerSchema("kubernetes").resource_schemas).length).toBeGreaterThan(0);
      expect(under(field, PROGRAMS).filter((value) => value !== false)).toEqual([]);
    },
  );

  it("containers are given no capability", () => {
    const path = "spec.template.spec.container.security_context.capabilities.add";
    expect(isKnownPath("kubernetes_deployment_v1", path)).toBe(true);
    expect(having("drop", under("capabilities", PROGRAMS)).length).toBeGreaterThan(0);
    expect(having("add", under("capabilities", PROGRAMS))).toEqual([]);
  });

  it("buckets are mounted as user and group 1000", () => {
    const options = [...under("mountOptions", PROGRAMS), ...under("mount_options", PROGRAMS)].map(String);
    expect(options.length).toBeGreaterThan(8);
    expect(options.filter((given) => !given.includes("uid=1000,gid=1000"))).toEqual([]);
  });

  it("nobody is granted another role than these, and nobody unknown any", () => {
    // A subnetwork has a role too, but no rights.
    expect([...new Set(under("role", PROGRAMS))].filter((role) => role !== "ACTIVE").sort()).toEqual(ROLES);
    const everybody = under("member", PROGRAMS).filter((member) => /^all(Authenticated)?Users$/.test(String(member)));
    // Of the service, in either region, where an organization requires the check of a role.
    expect(everybody).toEqual(["allUsers", "allUsers", "allUsers"]);
  });

  it("grants revoke nothing of others, and nothing refuses to be replaced", () => {
    const types = PROGRAMS.flatMap(([, { resource = {} }]) => Object.keys(resource));
    expect(types.filter((type) => /^google_\w+_iam_(binding|policy)$/.test(type))).toEqual([]);
    expect(isKnownPath(DATABASE, "lifecycle.prevent_destroy")).toBe(true);
    expect(under("prevent_destroy", PROGRAMS)).toEqual([]);
  });

  it("the bootstrap password of an identity provider is in no plan and no state", () => {
    for (const [, { variable = {} }] of SHIPPED.slice(0, 2))
      expect(variable.bootstrap_password).toMatchObject({ ephemeral: true, sensitive: true });
  });

  it("a plan of an identity provider asks no API, but who encrypts the audit log, where a key is to be granted", () => {
    const asked = SHIPPED.slice(0, 2).map(([, { data }]) => data);
    const { google_logging_project_cmek_settings: settings, ...others } = asked[0] ?? {};
    expect([others, asked[1]]).toEqual([{}, asked[0]]);
    expect(Object.values(settings ?? {}).map(({ count }) => count)).toEqual([
      "${local.kms_keys.project_number != null && local.kms_keys.logs != null ? 1 : 0}",
    ]);
  });
});

it.each(PROTECTED)("While deletion_protection is true %s: %s, %s", (_promise, type, path, pattern) => {
  const unprotected = others(SHIPPED.slice(0, 2), type, path, pattern);
  expect(unprotected.filter((line) => !REMADE.test(line.split(" has ")[0] ?? "")).filter(isNoCopy)).toEqual([]);
});

/**
 * Every address that a stack has ever had. A new one is added by hand; none is removed, because existing states hold
 * it.
 */
const KNOWN: Readonly<Record<string, readonly string[]>> = ADDRESSES;

/** What is wrong with addresses that are gone: nothing when a `moved` block leads from each to one that is there. */
function lostAddresses(kept: readonly string[], terraform: Terraform): string[] {
  const there = resourceAddresses(terraform);
  const { moved = [] } = terraform as Terraform & { moved?: readonly { from: string; to: string }[] };
  const isThere = (address: string): boolean =>
    there.includes(address) || moved.some(({ from, to }) => from === address && there.includes(to));
  return kept
    .filter((address) => !isThere(address))
    .map(
      (address) =>
        `${address} is gone; an address must stay, because Terraform deletes what is at it and creates it anew elsewhere; keep the construct's id, or have the resource at the new address say .moveFromId("${address}")`,
    );
}

describe.each(Object.entries(shippedStacks()))("The addresses of %s", (name, terraform) => {
  it("stay, or say where they have moved", () => {
    expect(lostAddresses(KNOWN[name] ?? [], terraform)).toEqual([]);
  });

  it("are all in addresses.json", () => {
    expect(resourceAddresses(terraform).filter((address) => KNOWN[name]?.includes(address) !== true)).toEqual([]);
  });
});
