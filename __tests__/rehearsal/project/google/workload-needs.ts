import { type Cloud, type Need } from "../cloud";
import { needGrant, needObject } from "../needs";
import { secretId } from "./references";
import { membersOf, textAt, valueAt, type Value, textsIn } from "../terraform-value";

/** What is checked of containers, their environment and mounts before they start. */
export interface Workload {
  readonly project: string;
  /** The block that has `containers`, `volumes` and `service_account`. */
  readonly template: Value;
}

interface SecretUse {
  readonly secret: string;
  readonly version: string;
}

/** Everything that must exist before a workload starts and as long as it exists. */
export function workloadNeeds(cloud: Cloud, { project, template }: Workload): Need[] {
  const account = textAt(template, "service_account");
  const member = `serviceAccount:${account}`;
  const secrets = [...secretEnvironment(template).map(([, use]) => use), ...mountedSecrets(template)];
  return [
    needObject("google_service_account", `projects/${project}/serviceAccounts/${account}`),
    ...membersOf(valueAt(template, "containers")).flatMap((container) =>
      imageNeed(project, textAt(container, "image")),
    ),
    ...secrets.flatMap((use) => secretNeeds(cloud, use, project, member)),
    ...databaseNeeds(mountedDatabases(template), project, member),
    ...bucketNeeds(mountedBuckets(template), member),
  ];
}

/** Environment of the first container with secrets resolved, as the process sees it. */
export function resolvedEnvironment(cloud: Cloud, { project, template }: Workload): Record<string, string> {
  const entries = membersOf(valueAt(template, "containers.0.env")).map((entry) => [
    textAt(entry, "name"),
    textAt(entry, "value"),
  ]);
  const secrets = secretEnvironment(template).map(([name, { secret, version }]) => [
    name,
    cloud.payloadOf(secretId(secret, project, cloud.projectNumber), version) ?? "",
  ]);
  return Object.fromEntries([...entries, ...secrets]) as Record<string, string>;
}

/** Names of the database instances whose sockets are mounted. */
export function mountedDatabases(template: Value): string[] {
  return membersOf(valueAt(template, "volumes")).flatMap((volume) =>
    textsIn(membersOf(valueAt(volume, "cloud_sql_instance.0.instances"))).map((name) => name.split(":").at(-1) ?? ""),
  );
}

/** Cloud Run returns the database volume last, whatever the order of the request. */
export function asReturned(template: Value): Value {
  const databaseLast = (items: Value, isDatabase: (item: Value) => boolean): Value => [
    ...membersOf(items).filter((item) => !isDatabase(item)),
    ...membersOf(items).filter(isDatabase),
  ];
  const databases = membersOf(valueAt(template, "volumes"))
    .filter((volume) => membersOf(valueAt(volume, "cloud_sql_instance")).length > 0)
    .map((volume) => textAt(volume, "name"));
  return {
    ...(template as Record<string, Value>),
    volumes: databaseLast(valueAt(template, "volumes"), (volume) => databases.includes(textAt(volume, "name"))),
    containers: membersOf(valueAt(template, "containers")).map((container) => ({
      ...(container as Record<string, Value>),
      volume_mounts: databaseLast(valueAt(container, "volume_mounts"), (mount) =>
        databases.includes(textAt(mount, "name")),
      ),
    })),
  };
}

function secretEnvironment(template: Value): [name: string, use: SecretUse][] {
  return membersOf(valueAt(template, "containers.0.env")).flatMap((entry): [string, SecretUse][] => {
    const reference = valueAt(entry, "value_source.0.secret_key_ref.0");
    if (reference === null) return [];
    return [[textAt(entry, "name"), { secret: textAt(reference, "secret"), version: textAt(reference, "version") }]];
  });
}

function mountedSecrets(template: Value): SecretUse[] {
  return membersOf(valueAt(template, "volumes")).flatMap((volume) =>
    membersOf(valueAt(volume, "secret.0.items")).map((item) => ({
      secret: textAt(volume, "secret.0.secret"),
      version: textAt(item, "version"),
    })),
  );
}

function secretNeeds(cloud: Cloud, { secret, version }: SecretUse, project: string, member: string): Need[] {
  const full = secretId(secret, project, cloud.projectNumber);
  const short = secret.split("/").at(-1) ?? "";
  const id = `projects/${cloud.projectNumber}/secrets/${short}/versions/${version}`;
  const type = "google_secret_manager_secret_version";
  return [
    needObject("google_secret_manager_secret", full),
    {
      what: `${type} ${id}`,
      isMet: (owner) => owner.payloadOf(full, version) !== undefined || owner.hasOthers(type, id),
    },
    needGrant(
      "google_secret_manager_secret_iam_member",
      (values) => secretId(textAt(values, "secret_id"), project, cloud.projectNumber) === full,
      member,
      ["roles/secretmanager.secretAccessor"],
      `the secret ${short}`,
    ),
  ];
}

/** An image in this project's registry must have been pushed; other images are not checked. */
export function imageNeed(project: string, image: string): Need[] {
  const [, location, name = ""] = new RegExp(`^([a-z0-9-]+)-docker\\.pkg\\.dev/${project}/([^/]+)/`).exec(image) ?? [];
  if (location === undefined) return [];
  const repository = `projects/${project}/locations/${location}/repositories/${name}`;
  return [
    {
      what: `the image ${image}`,
      isMet: (cloud) => cloud.hasImage(image) || cloud.hasOthers("google_artifact_registry_repository", repository),
    },
  ];
}

/** The need for databases and the right to connect to them. */
export function databaseNeeds(instances: readonly string[], project: string, member: string): Need[] {
  return instances.flatMap((name) => [
    needObject("google_sql_database_instance", name),
    needGrant(
      "google_project_iam_member",
      (values) => textAt(values, "project") === project,
      member,
      ["roles/cloudsql.client", "roles/cloudsql.editor", "roles/cloudsql.admin"],
      `the project ${project}`,
    ),
  ]);
}

function mountedBuckets(template: Value): string[] {
  const buckets = membersOf(valueAt(template, "volumes")).map((volume) => textAt(volume, "gcs.0.bucket"));
  return buckets.filter((name) => name !== "");
}

/** Roles that allow to read and write a whole bucket. */
const BUCKET_USERS = ["roles/storage.objectUser", "roles/storage.objectAdmin", "roles/storage.admin"];

/** Roles that together allow to read a bucket and to add to it, which is enough for files that are never changed. */
const BUCKET_KEEPERS = ["roles/storage.objectCreator", "roles/storage.objectViewer"];

/** The need for buckets and the right to write to them; a grant under a condition is not on the bucket as a whole. */
export function bucketNeeds(buckets: readonly string[], member: string): Need[] {
  return buckets.flatMap((name) => {
    const granted = (roles: readonly string[]) =>
      needGrant(
        "google_storage_bucket_iam_member",
        (values) =>
          textAt(values, "bucket").replace(/^b\//, "") === name && membersOf(valueAt(values, "condition")).length === 0,
        member,
        roles,
        `the bucket ${name}`,
      );
    const whole = granted(BUCKET_USERS);
    const parts = BUCKET_KEEPERS.map((role) => granted([role]));
    return [
      needObject("google_storage_bucket", name),
      {
        what: whole.what,
        isMet: (cloud: Cloud) => whole.isMet(cloud) || parts.every((part) => part.isMet(cloud)),
      },
    ];
  });
}
