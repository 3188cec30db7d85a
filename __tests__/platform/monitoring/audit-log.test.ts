import { literal } from "../../../lib/core/expr/expr";
import { RulesBrokenError } from "../../../lib/core/inputs/rules-broken-error";
import { KubernetesIdentityProvider } from "../../../lib/kubernetes-identity-provider";
import { type Platform } from "../../../lib/platform/monitoring/alert";
import { auditFilters, type AuditNames } from "../../../lib/platform/monitoring/audit-filter";
import {
  ServerlessIdentityProvider,
  type ServerlessIdentityProviderProps,
} from "../../../lib/serverless-identity-provider";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { bareStack, type Block, type Terraform, terraformOf } from "../../support/synthesis";
import { FACTS } from "./alert-fixture";
import { isSelected, type LogEntry } from "./log-filter";

const PLATFORMS = ["serverless", "kubernetes"] as const;
const PROVIDERS = { kubernetes: KubernetesIdentityProvider, serverless: ServerlessIdentityProvider } as const;

type Props = Omit<ServerlessIdentityProviderProps, "projectId" | "tenantId">;

function madeOn(platform: Platform, props: Props): Terraform {
  const stack = bareStack();
  new PROVIDERS[platform](stack, "Idp", { projectId: "my-project", tenantId: "demo", ...props });
  return terraformOf(stack);
}

/** What sets how long the application keeps events, of which the tests of that tell. */
const OF_EVENTS = /event_retention|idp_cluster_runtime2$|idp_apis_cloudscheduler$/;

/** Addresses of what there is with some props more than without them. */
function further(platform: Platform, props: Props, before: Props = {}): string[] {
  const addressesIn = ({ data = {}, resource = {} }: Terraform) =>
    Object.entries({ ...resource, ...data }).flatMap(([type, named]) =>
      Object.keys(named).map((name) => `${type}.${name}`),
    );
  const former = addressesIn(madeOn(platform, before));
  return addressesIn(madeOn(platform, { ...before, ...props })).filter(
    (address) => !former.includes(address) && !OF_EVENTS.test(address),
  );
}

const BUCKET = "google_logging_project_bucket_config.idp_audit_log_bucket";
const SINK = "google_logging_project_sink.idp_audit_log_sink";
const COPY = "google_logging_project_sink.idp_audit_log_copy";

const blockAt = ({ resource = {} }: Terraform, address: string): Block => {
  const [type = "", name = ""] = address.split(".");
  return resource[type]?.[name] ?? {};
};

const TOPIC = "pubsub.googleapis.com/projects/audit-project/topics/sign-ins";
const DATASET = "bigquery.googleapis.com/projects/audit-project/datasets/sign_ins";
const PROJECT = "logging.googleapis.com/projects/audit-project";
const KEY = "projects/keys/locations/us-central1/keyRings/idp/cryptoKeys/idp";

describe.each(PLATFORMS)("The audit log on %s", (platform) => {
  it("is not there by default, and where it is, has a bucket and a sink and nothing else", () => {
    expect(JSON.stringify(madeOn(platform, {}))).not.toMatch(/google_logging_project|audit_log/);
    expect(further(platform, { auditLog: {} })).toEqual([BUCKET, SINK]);
  });

  it("keeps entries in the region for the given time, and is deleted by nobody while protected", () => {
    const terraform = madeOn(platform, { region: "europe-west1", auditLog: { retentionDays: 400 } });
    expect(blockAt(terraform, BUCKET)).toMatchObject({
      project: "my-project",
      location: "europe-west1",
      retention_days: 400,
      locked: false,
      deletion_policy: "PREVENT",
    });
    const { bucket_id: bucket } = blockAt(terraform, BUCKET);
    expect(blockAt(terraform, SINK)).toMatchObject({
      destination: `logging.googleapis.com/projects/my-project/locations/europe-west1/buckets/${String(bucket)}`,
      unique_writer_identity: true,
      // Deleted before the bucket, it would end what an apply that is refused keeps.
      deletion_policy: "PREVENT",
      depends_on: [BUCKET],
    });
    const freed = madeOn(platform, { deletionProtection: false, auditLog: {} });
    expect(blockAt(freed, BUCKET)).toMatchObject({ retention_days: 365, deletion_policy: "DELETE" });
    expect(blockAt(freed, SINK)).toMatchObject({ deletion_policy: "DELETE" });
  });

  it("stays after a destroy where it is locked, because it could not be deleted", () => {
    const terraform = madeOn(platform, { deletionProtection: false, auditLog: { locked: true } });
    expect(blockAt(terraform, BUCKET)).toMatchObject({ locked: true, deletion_policy: "ABANDON" });
  });

  it.each([
    [
      TOPIC,
      "google_pubsub_topic_iam_member.idp_audit_log_topic",
      { topic: "sign-ins", role: "roles/pubsub.publisher" },
    ],
    [
      DATASET,
      "google_bigquery_dataset_iam_member.idp_audit_log_dataset",
      { dataset_id: "sign_ins", role: "roles/bigquery.dataEditor" },
    ],
    [PROJECT, "google_project_iam_member.idp_audit_log_project", { role: "roles/logging.logWriter" }],
  ])("is copied to %s by a sink whose writer is granted one role", (destination, grant, expected) => {
    const auditLog = { destination };
    expect(further(platform, { auditLog }, { auditLog: {} }).sort()).toEqual([COPY, grant].sort());
    const terraform = madeOn(platform, { auditLog });
    expect(blockAt(terraform, grant)).toMatchObject({
      ...expected,
      project: "audit-project",
      member: `\${${COPY}.writer_identity}`,
    });
    const { bigquery_options: options, destination: given, filter } = blockAt(terraform, COPY);
    expect(given).toBe(destination);
    const { depends_on: before, filter: same } = blockAt(terraform, SINK);
    expect(filter).toBe(same);
    // Protected, it is the first to be deleted, so that its refusal keeps the copy as well.
    expect(before).toEqual([BUCKET, COPY, grant]);
    expect(options).toEqual(destination === DATASET ? { use_partitioned_tables: true } : undefined);
  });

  it("takes the key of its own or the default, and grants it to whom Cloud Logging names", () => {
    const logs = { logs: KEY, projectNumber: "123" };
    expect(further(platform, { auditLog: {}, kmsKeys: logs }, { kmsKeys: logs }).sort()).toEqual(
      [
        BUCKET,
        SINK,
        "google_kms_crypto_key_iam_member.idp_key_grants_logging_encrypts",
        "google_logging_project_cmek_settings.idp_key_grants_logging_settings",
      ].sort(),
    );
    const settings = "data.google_logging_project_cmek_settings.idp_key_grants_logging_settings";
    const terraform = madeOn(platform, { auditLog: {}, kmsKeys: { default: KEY, projectNumber: "123" } });
    expect(blockAt(terraform, "google_kms_crypto_key_iam_member.idp_key_grants_logging_encrypts")).toMatchObject({
      crypto_key_id: KEY,
      member: `serviceAccount:\${${settings}.service_account_id}`,
    });
    expect(JSON.stringify(blockAt(terraform, BUCKET).dynamic)).toContain("local.idp_usable_kms_keys.logs");
    const unasked = madeOn(platform, { kmsKeys: { default: KEY, projectNumber: "123" } });
    expect(JSON.stringify(unasked)).not.toMatch(/key_grants_logging|"logs"/);
  });

  it.each([
    [{ logLevel: "warn" }, /logLevel, or IDP_LOG_LEVEL in environmentVariables, is above info/],
    [{ logLevel: "error" }, /the audit log would have no sign-ins and no changes/],
    [{ environmentVariables: { IDP_LOG_LEVEL: "warning" } }, /set it to info, or remove auditLog/],
    [{ environmentVariables: { AUTHENTIK_LOG_LEVEL: "error" } }, /must be info, debug or trace/],
  ] as const)("is refused with a level that hides its events: %j", (props, said) => {
    expect(() => madeOn(platform, { auditLog: {}, ...props })).toThrow(said);
    expect(() => madeOn(platform, props)).not.toThrow();
  });

  it.each([{ logLevel: "debug" }, { logLevel: "error", environmentVariables: { IDP_LOG_LEVEL: "info" } }])(
    "is accepted with %j",
    (props) => {
      expect(() => madeOn(platform, { auditLog: {}, ...props })).not.toThrow();
    },
  );

  it.each([
    [{ retentionDays: 0 }, /whole number from 1 to 3650/],
    [{ retentionDays: 3651 }, /whole number from 1 to 3650/],
    [{ destination: "storage.googleapis.com/a-bucket" }, /name the project by its id/],
    [{ destination: "projects/audit-project/topics/sign-ins" }, /pubsub.googleapis.com/],
  ] as const)("refuses %j", (auditLog, said) => {
    expect(() => madeOn(platform, { auditLog })).toThrow(RulesBrokenError);
    expect(() => madeOn(platform, { auditLog })).toThrow(said);
  });
});

describeWith(["terraform"], "Commands for the owner of a destination", () => {
  it.each([
    [TOPIC, "gcloud pubsub topics add-iam-policy-binding sign-ins --project=audit-project --member='W' --role=R"],
    [
      DATASET,
      [
        "bq query --use_legacy_sql=false --project_id=audit-project",
        "'GRANT `R` ON SCHEMA `audit-project.sign_ins` TO \"W\"'",
      ].join(" "),
    ],
    [PROJECT, "gcloud projects add-iam-policy-binding audit-project --member='W' --role=R --condition=None"],
  ])("stand for the grant to %s where nothing may be granted", (destination, expected) => {
    const terraform = madeOn("serverless", { grantRoles: false, auditLog: { destination } });
    const grants = Object.values(terraform.resource ?? {}).flatMap((named) =>
      Object.entries(named).filter(([name]) => /^idp_audit_log_(topic|dataset|project)$/.test(name)),
    );
    expect(grants.map(([, { count }]) => count)).toEqual([0]);
    const commands = JSON.stringify(terraform.locals?.idp_grant_commands)
      .replaceAll(`\${${COPY}.writer_identity}`, "W")
      .replaceAll(/google_logging_project_sink[.]idp_audit_log_copy[.]writer_identity/g, '\\"W\\"');
    const { commands: listed } = evaluated({ locals: { commands: JSON.parse(commands) as unknown } }) as {
      readonly commands: readonly string[];
    };
    expect(listed.map((command) => command.replace(/roles\/[\w.]+/g, "R"))).toContain(expected);
  });
});

const AUDIT_NAMES: AuditNames = {
  ...FACTS,
  deployment: { tenantPrefix: "demo-1a2b3c", applicationName: "idp" },
  accountIds: ["idp-run-0a1b2c3d4e5f", "idp-init-0a1b2c3d4e5f"],
  givenAccounts: literal(["build@my-project.iam.gserviceaccount.com"]),
};

const CLUSTER = { name: "gke-idp-5f0a1b2c3d4e", location: "us-central1" };

const namesOn = (platform: Platform): AuditNames => ({
  ...AUDIT_NAMES,
  ...(platform === "kubernetes" && { cluster: CLUSTER }),
});

const CLUSTER_LABELS = { cluster_name: CLUSTER.name, location: CLUSTER.location };

const EVENT = { event: "Created Event", level: "info", logger: "authentik.events.models" };
const REQUEST = { auth_via: "session", level: "info", logger: "authentik.asgi", method: "GET", status: 200 };

/** Lines that the application was seen to write, as far as a filter may look at them. */
const LINES: readonly Readonly<Record<string, unknown>>[] = [
  { ...EVENT, action: "login_failed", client_ip: "192.0.2.1", context: { username: "akadmin" }, user: { pk: 4 } },
  { ...REQUEST, event: "/api/v3/flows/executor/default-authentication-flow/?query=" },
  { ...REQUEST, event: "/api/v3/admin/settings/" },
  { event: "Task enqueued", level: "info", logger: "authentik.tasks.middleware", task_id: "73cd6413" },
  { event: "Task finished", exc: "ConnectionRefusedError()", level: "info", logger: "authentik.tasks.middleware" },
  { event: "Sent 0 scheduled tasks", level: "info", logger: "django_dramatiq_postgres.scheduler" },
  { event: "Internal Server Error: /-/health/live/", level: "error", logger: "django.request" },
  { event: "worker has exited", level: "warn", target: "authentik::worker" },
  { event: "Invalid credentials", level: "info", logger: "authentik.stages.password" },
];

const ofServer: Readonly<Record<Platform, LogEntry["resource"]>> = {
  serverless: { type: "cloud_run_revision", labels: { service_name: FACTS.workload } },
  kubernetes: {
    type: "k8s_container",
    labels: { ...CLUSTER_LABELS, namespace_name: FACTS.namespace, container_name: "server" },
  },
};

const audit = (log: string, protoPayload: object, labels: Readonly<Record<string, string>> = {}): LogEntry => ({
  logName: `projects/my-project/logs/cloudaudit.googleapis.com%2F${log}`,
  resource: { type: "audited_resource", labels },
  protoPayload,
});

const by = (principalEmail: string, resourceName: string) => ({ authenticationInfo: { principalEmail }, resourceName });

describe.each(PLATFORMS)("The filter of the audit log on %s", (platform) => {
  const filters = Object.values(auditFilters(namesOn(platform), platform));
  const takes = (entry: LogEntry) => isSelected(filters.map((filter) => `(${filter})`).join(" OR "), entry);
  const line = (jsonPayload: object, resource = ofServer[platform]): LogEntry => ({ resource, jsonPayload });

  it("takes the event among the lines that the application wrote, and no other line", () => {
    expect(LINES.filter((each) => takes(line(each)))).toEqual(LINES.slice(0, 1));
  });

  it("takes sign-ins with an unknown name, and changes of the settings, of which there is no event", () => {
    expect(takes(line({ event: "invalid_login", logger: "authentik.flows.stage" }))).toBe(true);
    const request = { ...REQUEST, event: "/api/v3/admin/settings/" };
    expect(takes(line({ ...request, method: "PATCH" }))).toBe(true);
    expect(takes(line(request))).toBe(false);
  });

  it("takes nothing of another deployment", () => {
    const labels = { service_name: "other-demo-1a2b3c", namespace_name: "other", worker_pool_name: "other" };
    const event = { ...EVENT, action: "login" };
    expect(takes(line(event))).toBe(true);
    expect(takes(line(event, { type: "cloud_run_revision", labels }))).toBe(false);
    const read = (secret: string) =>
      audit("data_access", {
        ...by("stranger@example.com", `projects/1/secrets/${secret}/versions/1`),
        serviceName: "secretmanager.googleapis.com",
        methodName: "google.cloud.secretmanager.v1.SecretManagerService.AccessSecretVersion",
      });
    expect(takes(read("secret-demo-1a2b3c-idp-secret-key"))).toBe(true);
    expect(takes(read("secret-other-9a9b9c-idp-secret-key"))).toBe(false);
  });

  it("takes nothing of a deployment in another cluster of the project, whatever its namespace is called", () => {
    const event = { ...EVENT, action: "login" };
    const labels = { namespace_name: FACTS.namespace, container_name: "server" };
    const change = by("admin@example.com", `apps/v1/namespaces/${FACTS.namespace}/deployments/idp`);
    for (const other of [
      { ...CLUSTER_LABELS, cluster_name: "gke-idp-0d1e2f3a4b5c" },
      { ...CLUSTER_LABELS, location: "europe-west1" },
    ]) {
      expect(takes(line(event, { type: "k8s_container", labels: { ...labels, ...other } }))).toBe(false);
      expect(takes(audit("activity", change, other))).toBe(false);
    }
  });

  it.each([
    "projects/my-project/instances/sql-demo-1a2b3c-idp-two",
    "projects/1/secrets/secret-demo-1a2b3c-idp-two-secret-key",
    "projects/1/secrets/secret-demo-1a2b3c-idp-two-secret-key/versions/2",
    "namespaces/my-project/services/idp-two-demo-1a2b3c",
    "projects/_/buckets/bkt-idp-twodemo-1a2b3c-media",
  ])("takes no change of %s, whose application's name begins the same way", (name) => {
    expect(takes(audit("activity", by("admin@example.com", name)))).toBe(false);
  });

  it("takes changes of the project's policy, by which somebody may do more, and no others of the project", () => {
    const of = (methodName: string): LogEntry => ({
      ...audit("activity", {
        ...by("admin@example.com", "projects/my-project"),
        methodName,
        serviceName: "cloudresourcemanager.googleapis.com",
      }),
      resource: { type: "project", labels: { project_id: "my-project" } },
    });
    expect(takes(of("SetIamPolicy"))).toBe(true);
    expect(takes(of("UpdateProject"))).toBe(false);
  });

  it.each([
    "projects/my-project/instances/sql-demo-1a2b3c-idp",
    "projects/1/secrets/secret-demo-1a2b3c-idp-secret-key/versions/2",
    "projects/_/buckets/bkt-idpdemo-1a2b3c-media",
    "namespaces/my-project/services/idp-demo-1a2b3c",
    "projects/my-project/locations/us-central1/buckets/idp-demo-1a2b3c-audit",
    "projects/my-project/sinks/idp-demo-1a2b3c-audit",
  ])("takes who changed %s, but not who read it", (name) => {
    const payload = by("admin@example.com", name);
    expect(takes(audit("activity", payload))).toBe(true);
    expect(takes(audit("data_access", payload))).toBe(false);
    expect(takes(audit("activity", by("admin@example.com", name.replaceAll("1a2b3c", "9a9b9c"))))).toBe(false);
  });

  it("takes a restore drill that has passed, by the line of its job, and nothing else that looks like it", () => {
    const passed = {
      message: "restore-drill: passed",
      instance: "sql-demo-1a2b3c-idp",
      users: 7,
      as_of: "2026-11-22T11:00:00Z",
      clone_seconds: 420,
      seconds: 700,
    };
    const jobOf = (name: string, changes: Readonly<Record<string, string>> = {}): LogEntry["resource"] =>
      platform === "serverless"
        ? { type: "cloud_run_job", labels: { job_name: name } }
        : {
            type: "k8s_container",
            labels: { ...CLUSTER_LABELS, namespace_name: FACTS.namespace, pod_name: `${name}-x7k2p`, ...changes },
          };
    const copy = jobOf("idp-demo-1a2b3c-db-init-0a1b2c3-1a2b3c4d-restore");
    expect(takes(line(passed, copy))).toBe(true);
    expect(takes(line({ ...passed, instance: "sql-demo-1a2b3c-idp-two" }, copy))).toBe(false);
    expect(takes(line({ ...passed, message: "restore-drill: begun" }, copy))).toBe(false);
    expect(takes(line(passed, jobOf("idp-demo-1a2b3c-check-up")))).toBe(false);
    expect(takes(line(passed, ofServer[platform]))).toBe(false);
    if (platform === "kubernetes")
      expect(takes(line(passed, jobOf("idp-db-init-1a2b3c4d-restore", { namespace_name: "other" })))).toBe(false);
  });

  it("takes changes of the deployment's accounts, which the log has by a number", () => {
    const payload = by("admin@example.com", "projects/-/serviceAccounts/123456789");
    const of = (id: string) => ({ email_id: `${id}@my-project.iam.gserviceaccount.com` });
    expect(takes(audit("activity", payload, of("idp-run-0a1b2c3d4e5f")))).toBe(true);
    expect(takes(audit("activity", payload, of("build")))).toBe(true);
    expect(takes(audit("activity", payload, of("other-0a1b2c3d4e5f")))).toBe(false);
  });

  it("takes what people change in the namespace, and not what the cluster does there", () => {
    const name = `apps/v1/namespaces/${FACTS.namespace}/deployments/idp`;
    const isInCluster = platform === "kubernetes";
    expect(takes(audit("activity", by("admin@example.com", name), CLUSTER_LABELS))).toBe(isInCluster);
    const controller = by("system:serviceaccount:kube-system:deployment-controller", name);
    expect(takes(audit("activity", controller, CLUSTER_LABELS))).toBe(false);
  });
});

describe("The filter of the audit log in a stack", () => {
  const EMAIL = "own@my-project.iam.gserviceaccount.com";
  const filterOf = (platform: Platform, props: Props): string => {
    const { changes, events } = madeOn(platform, { auditLog: {}, ...props }).locals?.idp_audit_log_filters as Block;
    return `${String(events)} ${String(changes)}`;
  };

  it.each([
    ["serverless", ["idp-run", "idp-build", "idp-start-dump", "idp-start-check-up", "idp-start-sign-in"]],
    ["kubernetes", ["idp-run", "idp-build", "idp-node"]],
  ] as const)("names each service account on %s that the deployment can make, and those that are given", (on, own) => {
    const filter = filterOf(on, { existingServiceAccounts: { service: EMAIL } });
    for (const purpose of own) expect(filter).toMatch(new RegExp(`[(|]${purpose}-[0-9a-f]+@[|]`));
    expect(filter).toContain(`@|${EMAIL})`);
    expect(filterOf(on, {})).not.toContain(EMAIL);
  });

  it("names the cluster that is made, or the one that is given", () => {
    const { resource = {} } = madeOn("kubernetes", { auditLog: {} });
    const [made = ""] = Object.keys(resource.google_container_cluster ?? {});
    expect(filterOf("kubernetes", {})).toContain(`cluster_name="\${google_container_cluster.${made}.name}"`);
    const existingCluster = {
      name: "shared",
      location: "us-central1-a",
      endpoint: "192.0.2.10",
      caCertificate: "QQ==",
      nodeAccount: "nodes@my-project.iam.gserviceaccount.com",
    };
    const stack = bareStack();
    const common = { projectId: "my-project", tenantId: "demo" };
    new KubernetesIdentityProvider(stack, "Idp", { ...common, auditLog: {}, existingCluster, ownParts: "deleted" });
    const filter = JSON.stringify(terraformOf(stack).locals?.idp_audit_log_filters);
    expect(filter).toContain(String.raw`cluster_name=\"shared\" AND resource.labels.location=\"us-central1-a\"`);
  });
});
