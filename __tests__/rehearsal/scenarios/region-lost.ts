import { linesOfRestore } from "../../support/google-stand-in-restores";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type TerraformRun } from "../deployment/terraform-process";
import { type Episode } from "../engine/stack-rehearsal";
import { type CloudObject } from "../project/cloud";
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
  web.isLost = (path) => cloud.lostRegion !== undefined && isIn(cloud.lostRegion, path, cloud.ofType(INSTANCE));
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
export const SERVERS = ["google_cloud_run_v2_service", "google_cloud_run_v2_worker_pool"];

/** Whether a path is of something in a region: by its name there, or as an instance of that region. */
function isIn(region: string, path: string, instances: readonly CloudObject[]): boolean {
  const lost = instances.filter(({ values }) => values.region === region).map(({ values }) => textAt(values, "name"));
  return path.includes(`/locations/${region}/`) || lost.some((name) => path.endsWith(`/instances/${name}`));
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

/** What is left of the database, and what must have become of it elsewhere. */
interface Remainder {
  readonly inputs?: Inputs;
  /** Makes it, and returns a check, which throws unless exactly it is in the database elsewhere. */
  readonly leave: (deployment: Deployment, settings: Settings) => () => void;
  readonly said: string;
}

const BACKUP: Remainder = {
  said: "idp-b would be made in europe-west1, from the backup",
  leave: ({ web }, { INSTANCE: instance = "" }) => {
    const backup = web.sql.addBackup("my-project", instance, { location: "us" });
    return () => {
      const restored = web.requests.filter(({ method }) => method.endsWith("restoreBackup"));
      if (JSON.stringify(restored.map(({ body }) => body)) !== JSON.stringify([{ backup }]))
        throw new StepFailure("recover-elsewhere.sh", "it has restored something else than the backup");
    };
  },
};

/** Newer than the backup; the job that reads it is that of the deployment elsewhere, which has dumps, too. */
const DUMP: Remainder = {
  inputs: { dump_schedule: "30 4 * * *" },
  said: "idp-b would be made in europe-west1, from the dump",
  leave: ({ web }, { DATABASE: database = "", DUMP_BUCKET: bucket = "", INSTANCE: instance = "" }) => {
    web.sql.addBackup("my-project", instance, { location: "us", backupInterval: { endTime: ago(125) } });
    const dump = { bucket, name: `latest/${database}.dump`, generation: "1", updated: ago(20) };
    web.storage.objects = [...web.storage.objects, dump, { ...dump, name: `${dump.name}.sha256` }];
    return () => {
      const copied = web.storage.objects.filter((object) => object.bucket !== bucket).map(({ name }) => name);
      const wanted = [`dumps/${database}.dump`, `dumps/${database}.dump.sha256`];
      if (copied.filter((name) => name.startsWith("dumps/")).join() !== wanted.join())
        throw new StepFailure("recover-elsewhere.sh", `it has copied ${copied.join(", ") || "nothing"}`);
      const fills = web.jobs.runs.filter(({ command }) => command.join(" ").includes("restores a dump"));
      const [fill] = fills;
      if (fills.length !== 1 || fill === undefined || fill.databases.join().endsWith(`:${instance}`))
        throw new StepFailure("recover-elsewhere.sh", "it has not filled the database elsewhere, once");
      if (!fill.command.join(" ").includes(`DUMP_FILE=$DUMP_FOLDER/${wanted[0] ?? ""}\n`))
        throw new StepFailure("recover-elsewhere.sh", "it has restored another dump");
      if (web.requests.some(({ method }) => method.endsWith("restoreBackup")))
        throw new StepFailure("recover-elsewhere.sh", "it has restored the backup, which is older");
    };
  },
};

/**
 * The region of a deployment answers 503 to everything: it is made again in another one from what is left, and moves
 * home once the region is back, after which nothing of it is left elsewhere.
 */
const regionLost = (what: string, { inputs, leave, said: expected }: Remainder): Episode => ({
  name: `the region is gone, ${what}, and comes back`,
  play: async (deployment) => {
    const { cloud, web } = deployment;
    if (inputs === undefined) deployment.writeInputs();
    else await deployment.settle({ ...deployment.inputs, ...inputs });
    joinScripts(deployment);
    const settings = await settingsOf(deployment);
    const requireRestored = leave(deployment, settings);
    const before = [...cloud.objects.keys()];
    cloud.lostRegion = HOME;

    const recovered = await deployment.script(
      ["scripts/recover-elsewhere.sh", "recover", ELSEWHERE, "--yes"],
      settings,
    );
    const said = requireSuccess("recover-elsewhere.sh", recovered);
    for (const part of [
      expected,
      "does not answer",
      "the secret key can be read: sessions stay",
      "idp-b runs in europe-west1",
    ])
      if (!said.includes(part)) throw new StepFailure("recover-elsewhere.sh", `it does not say "${part}":\n${said}`);
    requireRestored();
    const service = JSON.stringify(serviceIn(deployment, ELSEWHERE)?.values ?? {});
    if (!service.includes(`"${NAME}-recovered-secret-key"`))
      throw new StepFailure("recover-elsewhere.sh", "the service elsewhere has another secret key");
    const touched = before.filter((key) => !cloud.objects.has(key));
    if (touched.length > 0) throw new StepFailure("recover-elsewhere.sh", `${touched.join(", ")} is gone`);
    await requireSettledThere(deployment);

    cloud.lostRegion = undefined;
    const returned = await deployment.script(["scripts/return-home.sh", "--yes"], settings);
    requireSuccess("return-home.sh", returned);
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
  regionLost("with a dump that is newer than the backup", DUMP),
];
