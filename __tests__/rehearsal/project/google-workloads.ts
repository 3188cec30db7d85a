import { type Cloud, type CloudObject, type Need, pathOf, Refusal } from "./cloud";
import { secretId } from "./google-secrets";
import { needObject, needRole } from "./needs";
import { type ResourceType } from "./resource-type";
import { membersOf, textAt, textsAt, type Value, valueAt, type ValueObject, valuesAt } from "./terraform-value";

/** What is checked of containers, their environment and mounts before they start. */
export interface Workload {
  readonly project: string;
  /** The block that has `containers`, `volumes` and `service_account`. */
  readonly template: Value;
}

/** Everything that must exist before a workload starts and as long as it exists. */
function workloadNeeds(workload: Workload, cloud: Cloud): Need[] {
  const { project, template } = workload;
  const account = textAt(template, "service_account");
  const member = `serviceAccount:${account}`;
  const secrets = [
    ...valuesAt(template, "containers.0.env.*.value_source.0.secret_key_ref.0"),
    ...membersOf(valueAt(template, "volumes")).flatMap((volume) =>
      valuesAt(volume, "secret.0.items.*").map((item) => ({
        secret: textAt(volume, "secret.0.secret"),
        version: textAt(item, "version"),
      })),
    ),
  ].filter((use) => use !== null);
  const databases = mountedDatabases(template);
  return [
    needObject("google_service_account", account),
    ...textsAt(template, "containers.*.image").flatMap((image) => needImage(project, image)),
    ...secrets.flatMap((use) => secretNeeds(use, workload, member, cloud)),
    ...databaseNeeds(databases, project, member),
    ...bucketNeeds(textsAt(template, "volumes.*.gcs.0.bucket"), member),
    ...roleNeeds(resolvedEnvironment(cloud, workload), databases),
  ];
}

/** Environment of the first container with secrets resolved, as the process sees it. */
export function resolvedEnvironment(cloud: Cloud, { project, template }: Workload): Record<string, string> {
  return Object.fromEntries(
    membersOf(valueAt(template, "containers.0.env")).map((entry) => {
      const reference = valueAt(entry, "value_source.0.secret_key_ref.0");
      const secret = secretId(textAt(reference, "secret"), project, cloud.projectNumber);
      const payload = () => cloud.payloadOf(secret, textAt(reference, "version")) ?? "";
      return [textAt(entry, "name"), reference === null ? textAt(entry, "value") : payload()];
    }),
  );
}

/** Names of the database instances whose sockets are mounted. */
function mountedDatabases(template: Value): string[] {
  return textsAt(template, "volumes.*.cloud_sql_instance.0.instances.*").map((name) => name.split(":").at(-1) ?? "");
}

/** The version of a secret, and the right to read it. */
function secretNeeds(use: Value, { project }: Workload, member: string, { projectNumber }: Cloud): Need[] {
  const secret = secretId(textAt(use, "secret"), project, projectNumber);
  const version = textAt(use, "version");
  return [
    needObject("google_secret_manager_secret", secret),
    {
      what: `version ${version} of the secret ${secret}`,
      isMet: (cloud) => cloud.payloadOf(secret, version) !== undefined,
    },
    needRole({
      type: "google_secret_manager_secret_iam_member",
      isOn: (grant) => secretId(textAt(grant, "secret_id"), project, projectNumber) === secret,
      member,
      roles: ["roles/secretmanager.secretAccessor"],
      target: `the secret ${secret}`,
    }),
  ];
}

/** An image in this project's registry must have been pushed; other images are not checked. */
export function needImage(project: string, image: string): Need[] {
  const isOwn = image.includes(`-docker.pkg.dev/${project}/`);
  return isOwn ? [{ what: `the image ${image}`, isMet: (cloud) => cloud.hasImage(image) }] : [];
}

/** Whether a grant covers an instance: without a condition, or with one on this name. */
function covers(grant: ValueObject, instance: string): boolean {
  const expression = textAt(grant, "condition.0.expression");
  return (
    expression === "" ||
    expression === `resource.type == "sqladmin.googleapis.com/Instance" && resource.name == "${instance}"`
  );
}

/** The need for databases and the right to connect to them. */
export function databaseNeeds(instances: readonly string[], project: string, member: string): Need[] {
  return instances.flatMap((name) => [
    needObject("google_sql_database_instance", name),
    needRole({
      type: "google_project_iam_member",
      isOn: (grant) => textAt(grant, "project") === project && covers(grant, `projects/${project}/instances/${name}`),
      member,
      roles: ["roles/cloudsql.client"],
      target: `the database ${name}`,
    }),
  ]);
}

/** The need for buckets and the right to write to them; a grant under a condition is not on the bucket as a whole. */
export function bucketNeeds(buckets: readonly string[], member: string): Need[] {
  return buckets.flatMap((name) => {
    const right = (role: string) =>
      needRole({
        type: "google_storage_bucket_iam_member",
        isOn: (grant) => pathOf(textAt(grant, "bucket")) === name && membersOf(grant.condition).length === 0,
        member,
        roles: [role],
        target: `the bucket ${name}`,
      });
    // To read a bucket and to add to it is enough for files that are never changed.
    const [whole, ...parts] = ["objectUser", "objectCreator", "objectViewer"].map((role) =>
      right(`roles/storage.${role}`),
    );
    if (whole === undefined) return [];
    return [
      needObject("google_storage_bucket", name),
      { ...whole, isMet: (cloud: Cloud) => whole.isMet(cloud) || parts.every((part) => part.isMet(cloud)) },
    ];
  });
}

/** The instance whose logins another one has: a replica those of what it follows. */
function loginsOf(instance: string, cloud: Cloud): string {
  const found = cloud.find("google_sql_database_instance", instance);
  return textAt(found?.values, "master_instance_name") || instance;
}

/** Whether Cloud Run tries no revision of a service, and keeps no instance of it. */
const isAsleep = (values: ValueObject): boolean => valueAt(values, "template.0.health_check_disabled") === true;

type Environment = Readonly<Record<string, string>>;

/** The administrator's password; a role that is its own administrator has none. */
function administratorOf({ DB_ADMIN_PASSWORD: password, DB_ADMIN_USER: login, DB_USER: user }: Environment) {
  return login === user ? undefined : password;
}

/** A container without an administrator's password needs an existing role. */
export function roleNeeds(environment: Environment, instances: readonly string[]): Need[] {
  const { DB_USER: user = "" } = environment;
  const administrator = administratorOf(environment);
  if (administrator !== undefined) return [];
  return instances.map((instance) => ({
    what: `the role ${user} in the database ${instance}`,
    isMet: (cloud) => cloud.databaseRoles.has(`${loginsOf(instance, cloud)}/${user}`),
  }));
}

/**
 * Signs in to a container's databases: the role must have the container's password. A container with an administrator's
 * password creates the role.
 */
export function logIn(object: CloudObject, environment: Environment, instances: readonly string[], cloud: Cloud): void {
  const { DB_USER: user = "", DB_PASSWORD: password = "" } = environment;
  const administrator = administratorOf(environment);
  for (const instance of instances.map((name) => loginsOf(name, cloud))) {
    const role = `${instance}/${user}`;
    if (administrator === undefined) {
      if (cloud.databaseRoles.get(role) === password) continue;
      throw new Refusal(`${object.id} cannot start: the database refuses the password of its role ${user}`);
    }
    if (cloud.administratorPasswords.get(instance) !== administrator)
      throw new Refusal(`${object.id} failed: the database refuses the administrator's password`);
    const { DB_OTHER_USER: other = "" } = environment;
    if (object.id.includes("db-retire")) {
      const users = [...cloud.podEnvironments]
        .filter(([, pods]) => pods.environment.DB_USER === other)
        .map(([name]) => name);
      if (users.length > 0) throw new Refusal(`${object.id} locks out ${users.join(", ")}`);
      cloud.databaseRoles.delete(`${instance}/${other}`);
      continue;
    }
    if (
      cloud.databaseRoles.has(role) &&
      cloud.databaseRoles.get(role) !== password &&
      environment.DB_PASSWORD_VERSION !== ""
    )
      throw new Refusal(`${object.id} gives another password to ${user}, which is in use`);
    cloud.databaseRoles.set(role, password);
    cloud.roleMakers.set(role, `${object.type} ${object.id}`);
  }
}

/** Cloud Run returns the database volume last, whatever the order of the request. */
function asReturned(template: Value): Value {
  const { volumes = [], containers = [] } = template as ValueObject;
  const isDatabase = (volume: Value) => valueAt(volume, "cloud_sql_instance.0") !== null;
  const databases = membersOf(volumes)
    .filter(isDatabase)
    .map((volume) => textAt(volume, "name"));
  const databaseLast = (items: Value): Value => {
    const isLast = (item: Value) => databases.includes(textAt(item, "name"));
    return [...membersOf(items).filter((item) => !isLast(item)), ...membersOf(items).filter(isLast)];
  };
  return {
    ...(template as ValueObject),
    volumes: databaseLast(volumes),
    containers: membersOf(containers).map((container) => ({
      ...(container as ValueObject),
      volume_mounts: databaseLast(valueAt(container, "volume_mounts")),
    })),
  };
}

/** A container's environment, after it has reached its databases. */
function startContainer(object: CloudObject, template: Value, cloud: Cloud): Readonly<Record<string, string>> {
  const environment = resolvedEnvironment(cloud, { project: textAt(object.values, "project"), template });
  logIn(object, environment, mountedDatabases(template), cloud);
  return environment;
}

/** A row of Cloud Run, which starts only if everything that it refers to exists. */
function cloudRun(collection: string, templateOf: (values: ValueObject) => Value): ResourceType {
  return {
    api: "run",
    id: `projects/{{project}}/locations/{{location}}/${collection}/{{name}}`,
    needs: (values, cloud) =>
      workloadNeeds({ project: textAt(values, "project"), template: templateOf(values) }, cloud),
    protectedBy: { deletion_protection: true },
  };
}

const jobTemplate = (values: ValueObject): Value => valueAt(values, "template.0.template.0");

function runJob(object: CloudObject, cloud: Cloud): void {
  const environment = startContainer(object, jobTemplate(object.values), cloud);
  cloud.executions.push({ job: object.id, environment });
}

/** Executes a job outside Terraform, so that Cloud Run drops the token of the previous execution. */
export function executeByHand(cloud: Cloud, id: string): void {
  const job = cloud.find("google_cloud_run_v2_job", id);
  if (job === undefined) throw new Error(`there is no job ${id}`);
  runJob(job, cloud);
  cloud.update({ ...job, values: { ...job.values, run_execution_token: null } });
}

/** A job runs when it is created with a token, and when it gets its first one. */
export const JOB: ResourceType = {
  ...cloudRun("jobs", jobTemplate),
  afterApply: (object, cloud, isNew) => {
    const hasRun = !isNew && cloud.executions.some(({ job }) => job === object.id);
    if (object.values.run_execution_token !== null && !hasRun) runJob(object, cloud);
  },
  asRead: (values) => ({
    ...values,
    template: [{ ...(valueAt(values, "template.0") as ValueObject), template: [asReturned(jobTemplate(values))] }],
  }),
};

const template = (values: ValueObject): Value => valueAt(values, "template.0");

/** What has instances, and replaces those of an earlier revision. */
export function rolledOut(collection: string): ResourceType {
  return {
    ...cloudRun(collection, template),
    computedBlocks: collection === "workerPools" ? ["instance_splits"] : undefined,
    computed: (values, { cloud }) => {
      const name = textAt(values, "name");
      return {
        uri: `https://${name}-abcdefghij-uc.a.run.app`,
        urls: [`https://${name}-${cloud.projectNumber}.${textAt(values, "location")}.run.app`],
        instance_splits: [{ type: "INSTANCE_SPLIT_ALLOCATION_TYPE_LATEST", percent: 100, revision: "" }],
      };
    },
    afterApply: (object, cloud) => {
      if (!isAsleep(object.values)) startContainer(object, template(object.values), cloud);
    },
    requireStart: (object, cloud) => startContainer(object, template(object.values), cloud),
    asRead: (values) => ({ ...values, template: [asReturned(template(values))] }),
  };
}
