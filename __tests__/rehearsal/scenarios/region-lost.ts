import { linesOfRestore } from "../../support/google-stand-in-restores";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type TerraformRun } from "../deployment/terraform-process";
import { type Episode } from "../engine/stack-rehearsal";
import { type Cloud, type CloudObject } from "../project/cloud";
import { membersOf, textAt, textsAt, valueAt, type ValueObject } from "../project/terraform-value";

export const HOME = "us-central1";
const ELSEWHERE = "europe-west1";
const NAME = "idp-b";
const VAR_FILE = `-var-file=recovery-${NAME}.tfvars.json`;
const THERE = { TF_DATA_DIR: `.terraform-${NAME}` };

/** What the secrets of Secret Manager are sent as, and the administrator's password to Cloud SQL: where they belong. */
export const SENDING_SECRETS = /addVersion$|users\.update$/;

/** Lets the scripts see what Terraform has made, and Terraform what scripts make and remove. */
export function joinScripts({ cloud, web }: Deployment): void {
  web.jobs.outcomeOf = (run) => ({ isSuccess: true, lines: linesOfRestore(run) });
  web.sql.hasInstance = () => false;
  web.isLost = (path) => isLost(cloud, path);
  web.onRequest = ({ body, method, path }) => {
    for (const object of cloud.ofType(INSTANCE)) {
      const [project, name] = [textAt(object.values, "project"), textAt(object.values, "name")];
      const made = web.sql.instances.get(`${project}/${name}`) ?? web.sql.make(project, name);
      made.databases.set(name.replace("sql-", "db-").replaceAll("-", "_"), 1);
    }
    for (const { id, values } of cloud.ofType("google_cloud_run_v2_job")) {
      if (web.jobs.jobs.has(id)) continue;
      web.jobs.make(id, ...containerOf(values));
      web.jobs.runAs(id, textAt(values, "template.0.template.0.service_account"));
    }
    for (const type of SERVERS) for (const { id } of cloud.ofType(type)) web.jobs.servers.add(id);
    for (const [name, payload] of cloud.livePayloads)
      web.secrets.payloads.set(`projects/my-project/secrets/${name.split("/")[3] ?? ""}`, payload);
    if (/\.(services|workerPools)\.delete$/.test(method))
      for (const type of SERVERS) cloud.forget(`${type} ${path.replace(/^.*(?=projects\/)/, "")}`);
    if (method.endsWith("addVersion")) {
      const [, project = "", secret = ""] = /projects\/([^/]+)\/secrets\/([^/:]+)/.exec(path) ?? [];
      const { data } = body.payload as { readonly data: string };
      cloud.addOthersSecret(project, secret, 1, Buffer.from(data, "base64").toString());
    }
  };
}

export const INSTANCE = "google_sql_database_instance";
const SECRET = "google_secret_manager_secret";
export const SERVERS = ["google_cloud_run_v2_service", "google_cloud_run_v2_worker_pool"];

/** What has its region not in its path, by what precedes the name there, and the attribute with the name. */
const WITHOUT_REGION = [
  [INSTANCE, "instances", "name"],
  ["google_storage_bucket", "b", "name"],
  [SECRET, "secrets", "secret_id"],
] as const;

/** Whether a path is of something that is in the lost region alone, such as a copy of a file from or to there. */
function isLost(cloud: Cloud, path: string): boolean {
  if (cloud.lostRegion === undefined) return false;
  const steps = `${path.replaceAll(":", "/")}/`;
  return (
    steps.includes(`/locations/${cloud.lostRegion}/`) ||
    WITHOUT_REGION.some(([type, collection, attribute]) =>
      cloud
        .ofType(type)
        .some(
          (object) => cloud.isLost(object) && steps.includes(`/${collection}/${textAt(object.values, attribute)}/`),
        ),
    )
  );
}

/** Container and volumes of a job, as its API has them. */
function containerOf(values: ValueObject): [ValueObject, ValueObject[]] {
  const template = valueAt(values, "template.0.template.0") as ValueObject;
  const container = valueAt(template, "containers.0") as ValueObject;
  const env = membersOf(valueAt(container, "env")).map((each) => {
    const { name, value } = each as ValueObject;
    return { name: name ?? "", value: value ?? "" };
  });
  const volumes = membersOf(valueAt(template, "volumes")).flatMap((volume) => {
    const instances = textsAt(volume, "cloud_sql_instance.0.instances.*");
    return instances.length === 0 ? [] : [{ name: "cloudsql", cloudSqlInstance: { instances } }];
  });
  const { args, command, image } = container;
  return [{ image: image ?? "", command: command ?? [], args: args ?? [], env }, volumes];
}

export function requireSuccess(step: string, { exitCode, output }: TerraformRun): string {
  if (exitCode !== 0) throw new StepFailure(step, output.slice(-4000));
  return output;
}

export type Settings = Readonly<Record<string, string>>;

/** Variables that the command in the output restore_settings exports. */
export async function settingsOf(deployment: Deployment): Promise<Settings> {
  const output = await deployment.succeed("output", "-raw", "restore_settings");
  const words = output
    .trim()
    .replace(/^export /, "")
    .split(" ");
  return Object.fromEntries(words.map((word) => word.split("=") as [string, string]));
}

const serviceIn = ({ cloud }: Deployment, region: string): CloudObject | undefined =>
  cloud.ofType("google_cloud_run_v2_service").find(({ values }) => values.location === region);

/** Fails unless a plan of the deployment elsewhere is empty. */
async function requireSettledThere(deployment: Deployment): Promise<void> {
  deployment.environment = THERE;
  const { exitCode, output } = await deployment.terraform(["plan", "-input=false", "-detailed-exitcode", VAR_FILE]);
  deployment.environment = {};
  if (exitCode !== 0) throw new StepFailure("plan elsewhere", output.slice(-4000));
}

/** Time so many minutes ago. */
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** What is left of a deployment, and what must have become of it elsewhere. */
interface Remainder {
  /** Inputs that a deployment has had from the beginning. @default - those of every deployment */
  readonly prepared?: Inputs;
  /** Fails unless exactly this is in the database elsewhere. */
  readonly requireRestored: (deployment: Deployment, settings: Settings, backup: string) => void;
  /** Words of the look, and of the recovery. */
  readonly found: readonly (string | RegExp)[];
  readonly said: readonly (string | RegExp)[];
  /** Whether the secret key and the uploads are elsewhere, too. */
  readonly isKept: boolean;
}

/** There is a newer dump than the backup, but in the region that is gone. */
const UNREADABLE_DUMP = /dump +those in gs:\/\/\S+\/dumps\/ cannot be listed/;

/** Adds a dump with its checksum to a bucket. */
function addDump({ web }: Deployment, bucket: string, name: string): void {
  const dump = { bucket, name, generation: "1", updated: ago(20) };
  web.storage.objects = [...web.storage.objects, dump, { ...dump, name: `${name}.sha256` }];
}

const restoredBackups = ({ web }: Deployment): string =>
  JSON.stringify(web.requests.filter(({ method }) => method.endsWith("restoreBackup")).map(({ body }) => body));

/** By default: dumps, uploads and secrets are in the region of the deployment, and go with it. */
const BACKUP: Remainder = {
  requireRestored: (deployment, _, backup) => {
    if (restoredBackups(deployment) !== JSON.stringify([{ backup }]))
      throw new StepFailure("recover-elsewhere.sh", "it has restored something else than the backup");
  },
  found: [UNREADABLE_DUMP, "idp-b would be made in europe-west1, from the backup"],
  said: [
    "the secret key cannot be read, so all sessions and signed links end",
    /uploads +cannot be read, and stay away until recover-elsewhere.sh uploads brings them/,
  ],
  isKept: false,
};

const COPIES = "acme-backups";
const UPLOADS = "acme-uploads";

/** Far newer than the backup. */
const COPIED_AT = ago(20).replace(/[-:]|[.][0-9]+/g, "");

/** The copied dump, by what the guide says: in a folder with the name of the bucket of dumps. */
const copyOf = ({ DATABASE: database = "", DUMP_BUCKET: bucket = "" }: Settings): string =>
  `${bucket}/${database}-${COPIED_AT}.dump`;

/** As the guide prepares it: only what others keep elsewhere, or what is in two regions, is left. */
const COPIED_DUMP: Remainder = {
  prepared: {
    dumps: { schedule: "0 * * * *", copy_bucket: COPIES },
    existing_bucket: { name: UPLOADS },
    secret_locations: [HOME, ELSEWHERE],
  },
  requireRestored: (deployment, settings) => {
    const { web } = deployment;
    const { DUMP_BUCKET: bucket = "", INSTANCE: instance = "" } = settings;
    const copied = web.storage.objects
      .filter((object) => ![bucket, COPIES].includes(object.bucket) && object.name.startsWith("dumps/"))
      .map(({ name }) => name);
    const [, file = ""] = copyOf(settings).split("/");
    const wanted = [`dumps/${file}`, `dumps/${file}.sha256`];
    if (copied.join() !== wanted.join())
      throw new StepFailure("recover-elsewhere.sh", `it has copied ${copied.join(", ") || "nothing"}`);
    const fills = web.jobs.runs.filter(({ command }) => command.join(" ").includes("pg_restore --no-owner"));
    const [fill] = fills;
    if (fills.length !== 1 || fill === undefined || fill.databases.join().endsWith(`:${instance}`))
      throw new StepFailure("recover-elsewhere.sh", "it has not filled the database elsewhere, once");
    if (!fill.command.join(" ").includes(`DUMP_FILE=$DUMP_FOLDER/${wanted[0] ?? ""}\n`))
      throw new StepFailure("recover-elsewhere.sh", "it has restored another dump");
    if (restoredBackups(deployment) !== "[]")
      throw new StepFailure("recover-elsewhere.sh", "it has restored the backup, which is older");
  },
  found: [
    UNREADABLE_DUMP,
    new RegExp(`copy +gs://${COPIES}/\\S+${COPIED_AT}[.]dump of `),
    "idp-b would be made in europe-west1, from the dump",
  ],
  said: ["the secret key can be read: sessions stay", /uploads +can be read/],
  isKept: true,
};

/** Runs recover-elsewhere.sh, which must say this. */
async function runScript(
  deployment: Deployment,
  settings: Settings,
  words: readonly string[],
  parts: readonly (string | RegExp)[],
): Promise<void> {
  const run = await deployment.script(["scripts/recover-elsewhere.sh", ...words], settings);
  const output = requireSuccess("recover-elsewhere.sh", run);
  for (const part of ["does not answer", ...parts])
    if (!(typeof part === "string" ? output.includes(part) : part.test(output)))
      throw new StepFailure("recover-elsewhere.sh", `it does not say "${String(part)}":\n${output}`);
}

/** Fails unless the service elsewhere has the secret key, or one of its own, and no secret of the lost region. */
function requireSecretsThere(deployment: Deployment, isKept: boolean): void {
  const service = JSON.stringify(serviceIn(deployment, ELSEWHERE)?.values ?? {});
  if (service.includes(`"${NAME}-recovered-secret-key"`) !== isKept)
    throw new StepFailure("recover-elsewhere.sh", `the secret key elsewhere ${isKept ? "is another" : "is that here"}`);
  const { cloud } = deployment;
  const names = cloud.ofType(SECRET).filter((secret) => cloud.isLost(secret));
  const read = names.map(({ values }) => textAt(values, "secret_id")).filter((name) => service.includes(name));
  if (read.length > 0) throw new StepFailure("recover-elsewhere.sh", `the service elsewhere reads ${read.join(", ")}`);
}

const BEFORE = "media/public/before.png";
const SINCE = "media/public/since.png";

function addUpload({ web }: Deployment, { MEDIA_BUCKET: bucket = "" }: Settings, name: string): void {
  web.storage.objects = [...web.storage.objects, { bucket, name, generation: "1" }];
}

/** Fails unless these are the uploads of a deployment. */
function requireUploads(
  step: string,
  { web }: Deployment,
  { MEDIA_BUCKET: bucket = "" }: Settings,
  wanted: readonly string[],
): void {
  const names = web.storage.objects.filter((object) => object.bucket === bucket).map(({ name }) => name);
  if (names.sort().join() !== wanted.join())
    throw new StepFailure(step, `the uploads in ${bucket} are ${names.join(", ") || "none"}`);
}

/** Settings of the deployment elsewhere. */
async function settingsThere(deployment: Deployment): Promise<Settings> {
  deployment.environment = THERE;
  const settings = await settingsOf(deployment);
  deployment.environment = {};
  return settings;
}

/**
 * The region of a deployment answers 503 to everything, also for buckets and secrets that are in it alone: it is made
 * again in another one from what is left, and moves home once the region is back, after which nothing of it is left
 * elsewhere.
 */
const regionLost = (what: string, { found, isKept, prepared, requireRestored, said }: Remainder): Episode => ({
  name: `the region is gone, ${what}, and comes back`,
  // No secret is moved by another place of secrets.
  fromNothing: prepared !== undefined,
  play: async (deployment) => {
    const { cloud, web } = deployment;
    // Those of others, which are elsewhere.
    for (const name of [COPIES, UPLOADS]) cloud.others.add(`google_storage_bucket ${name}`);
    if (prepared === undefined) deployment.writeInputs();
    else await deployment.settle({ ...deployment.inputs, ...prepared });
    joinScripts(deployment);
    const settings = await settingsOf(deployment);
    const { DATABASE: database = "", DUMP_BUCKET: dumps = "", INSTANCE: instance = "" } = settings;
    const written = { location: "us", backupInterval: { endTime: ago(1500) } };
    const backup = web.sql.addBackup("my-project", instance, written);
    addDump(deployment, dumps, `latest/${database}.dump`);
    addDump(deployment, COPIES, copyOf(settings));
    addUpload(deployment, settings, BEFORE);
    const before = [...cloud.objects.keys()];
    cloud.lostRegion = HOME;

    await runScript(deployment, settings, ["look", ELSEWHERE], found);
    const recovery = ["recover", ELSEWHERE, "--yes"];
    await runScript(deployment, settings, recovery, [...found, ...said, "idp-b runs in europe-west1"]);
    requireRestored(deployment, settings, backup);
    requireSecretsThere(deployment, isKept);
    const there = await settingsThere(deployment);
    requireUploads("recover-elsewhere.sh", deployment, there, isKept ? [BEFORE] : []);
    const touched = before.filter((key) => !cloud.objects.has(key));
    if (touched.length > 0) throw new StepFailure("recover-elsewhere.sh", `${touched.join(", ")} is gone`);
    await requireSettledThere(deployment);

    cloud.lostRegion = undefined;
    addUpload(deployment, there, SINCE);
    const returned = await deployment.script(["scripts/return-home.sh", "--yes"], settings);
    requireSuccess("return-home.sh", returned);
    requireUploads("return-home.sh", deployment, settings, [BEFORE, SINCE]);
    if (serviceIn(deployment, HOME) === undefined) throw new StepFailure("return-home.sh", "there is no service here");
    await deployment.requireEmptyPlan("return-home.sh: second plan");
    deployment.environment = THERE;
    for (const command of ["apply", "destroy"])
      await deployment.succeed(command, "-auto-approve", "-input=false", VAR_FILE, "-var=deletion_protection=false");
    deployment.environment = {};
    const left = [...cloud.objects.keys()].filter((key) => !before.includes(key));
    if (left.length > 0) throw new StepFailure("destroy elsewhere", `there still is ${left.join(", ")}`);
    const sent = web.requests.filter(({ method }) => !SENDING_SECRETS.test(method));
    web.requests.splice(0, web.requests.length, ...sent);
  },
});

export const REGION_LOST = [
  regionLost("with a backup elsewhere", BACKUP),
  regionLost("with a copy of its dumps elsewhere", COPIED_DUMP),
];
