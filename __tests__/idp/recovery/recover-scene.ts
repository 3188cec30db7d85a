import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programFolder, type ScriptRun } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { DATABASE, inSqlScene, INSTANCE, PROJECT, type SqlScene } from "./sql-scene";

export const LOST = "us-central1";
export const ELSEWHERE = "europe-west1";
const JOBS = `projects/${PROJECT}/locations/${ELSEWHERE}/jobs`;
const SERVERS = `projects/${PROJECT}/locations/${ELSEWHERE}`;
const SERVICE = `${SERVERS}/services/idp-b-demo-abc123`;
export const NEW = { instance: "sql-new", database: "idp_b_demo", job: "idp-b-demo-abc123-db-init" };
export const SECRET = `projects/${PROJECT}/secrets/key`;
export const KEPT = `projects/${PROJECT}/secrets/idp-b-recovered-secret-key`;
/** The mark of how far the recovery is. */
export const MARK = `projects/${PROJECT}/secrets/idp-b-recovery`;
export const KEY = "a very secret key";

export interface LostScene extends SqlScene {
  readonly folder: string;
  /** What Terraform and the restoration have done, in order. */
  readonly done: () => readonly string[];
  readonly recover: (
    words: readonly string[],
    input?: string,
    further?: Readonly<Record<string, string>>,
  ) => Promise<ScriptRun>;
  /** Inputs that the deployment elsewhere was given. */
  readonly given: (name?: string) => unknown;
  /** Gives the folder of the stack further inputs. */
  readonly haveInputs: (...names: readonly string[]) => void;
  /** The deployment elsewhere is there, and serves. */
  readonly haveServers: () => void;
  /** Of the deployment elsewhere, how often a backup was restored into it. */
  readonly restores: () => number;
}

/** A deployment whose region is gone, in a project where another one can be made. */
export const lostScenario = (what: string, test: (scene: LostScene) => Promise<void>): void => {
  it.concurrent(what, () =>
    inSqlScene(async (scene) => {
      const { standIn } = scene;
      const folder = temporaryFolder();
      const [log, applied] = [join(folder, "log"), join(temporaryFolder(), "applied")];
      writeFileSync(log, "");
      const inputs = [
        "region",
        "application_name",
        "secret_locations",
        "dns_zone",
        "secret_read_log",
        "existing_secrets",
      ];
      const haveInputs = (...further: readonly string[]) => {
        const variable = Object.fromEntries([...inputs, ...further].map((name) => [name, {}]));
        writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify({ variable }));
      };
      haveInputs();
      const settings = {
        PROJECT_ID: PROJECT,
        APPLICATION_NAME: "idp-b",
        INSTANCE: NEW.instance,
        BACKUP_PLAN: "",
        DATABASE: NEW.database,
        INIT_JOB: NEW.job,
        ADMINISTRATOR_SECRET: "administrator",
        MEDIA_BUCKET: "media-b",
        DUMP_BUCKET: "dumps-b",
        REGION: ELSEWHERE,
      };
      const exported = Object.entries(settings).map((pair) => pair.join("="));
      const programs = programFolder({
        scripts: {
          terraform: `case "$*" in
            *restore_settings)
              [ -e '${applied}' ] || exec echo 'Warning: No outputs found'
              echo "export ${exported.join(" ")}"
              ;;
            *service_url) echo https://idp-b.example.com ;;
            *dns_records) echo '[{ "name": "sign-in.example.com", "type": "A", "value": "203.0.113.7" }]' ;;
            *)
              mkdir -p "$TF_DATA_DIR" && echo "$* in $TF_DATA_DIR" >>'${log}'
              case "$*" in apply*) : >'${applied}' && [ ! -e refuses ] ;; esac
              ;;
          esac`,
        },
      });
      haveNewDeployment(scene);
      standIn.secrets.payloads.set(SECRET, KEY);
      standIn.isLost = (path) => path.includes(`/${INSTANCE}`) || path.includes(`/locations/${LOST}/`);
      standIn.onRequest = ({ method }) => {
        if (method.endsWith("restoreBackup")) appendFileSync(log, "the backup is restored\n");
        if (method.endsWith("services.delete")) appendFileSync(log, "the service is removed\n");
      };
      const environment = {
        APPLICATION_NAME: "idp",
        DATABASE_REGION: LOST,
        DUMP_BUCKET: "dumps",
        SECRET_KEY_SECRET: "key",
        SECRET_KEY_VERSION: "1",
      };
      await test({
        ...scene,
        folder,
        done: () => readFileSync(log, "utf8").trim().split("\n"),
        given: (name = "idp-b") =>
          JSON.parse(readFileSync(join(folder, `recovery-${name}.tfvars.json`), "utf8")) as unknown,
        haveInputs,
        haveServers: () => {
          writeFileSync(applied, "");
          standIn.jobs.servers.add(SERVICE);
        },
        restores: () => standIn.requests.filter(({ method }) => method.endsWith("restoreBackup")).length,
        recover: (words, input, further = {}) =>
          scene.run("recover-elsewhere", {
            arguments: words,
            environment: { ...environment, ...further },
            folder,
            input,
            programs,
          }),
      });
    }),
  );
};

function haveNewDeployment({ standIn }: SqlScene): void {
  const { database, instance, job } = NEW;
  const connection = `${PROJECT}:${ELSEWHERE}:${instance}`;
  standIn.sql.make(PROJECT, instance, { [database]: 1 });
  const volumes = [{ name: "cloudsql", cloudSqlInstance: { instances: [connection] } }];
  const container = {
    image: "docker.io/library/postgres:15-alpine",
    command: ["/bin/sh", "/scripts/script.sh"],
    env: [
      { name: "DB_HOST", value: `/cloudsql/${connection}` },
      { name: "DB_NAME", value: database },
    ],
  };
  standIn.jobs.make(`${JOBS}/${job}`, container, volumes);
  standIn.jobs.make(`${JOBS}/${job.replace("db-init", "dump")}`, container, [
    ...volumes,
    { name: "dumps", gcs: { bucket: "dumps-b" } },
  ]);
  for (const server of [SERVICE, `${SERVERS}/workerPools/idp-b-demo-abc123-w`]) standIn.jobs.servers.add(server);
}

/** Time so many minutes ago. */
const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

/** Adds a backup, encrypted with a version of a key if one is named; returns its name. */
export const haveBackup = ({ standIn }: SqlScene, minutes: number, location: string, kmsKeyVersion?: string): string =>
  standIn.sql.addBackup(PROJECT, INSTANCE, {
    location,
    ...(kmsKeyVersion !== undefined && { kmsKey: kmsKeyVersion.replace(/\/cryptoKeyVersions.*/, ""), kmsKeyVersion }),
    // What is written while it is made may be missing.
    backupInterval: { startTime: ago(minutes), endTime: ago(minutes - 5) },
  });

export function haveDump({ standIn }: SqlScene, minutes: number): void {
  const dump = { bucket: "dumps", name: `latest/${DATABASE}.dump`, generation: "1", updated: ago(minutes) };
  standIn.storage.objects = [...standIn.storage.objects, dump, { ...dump, name: `${dump.name}.sha256` }];
}

/** Adds a whole dump to a bucket as a copy, in the folder of the bucket of dumps; returns its name. */
export function haveCopy({ standIn }: SqlScene, bucket: string, minutes: number): string {
  const time = ago(minutes).replace(/[-:]|[.][0-9]+/g, "");
  const copy = { bucket, name: `dumps/${DATABASE}-${time}.dump`, generation: "1", updated: ago(0) };
  standIn.storage.objects = [...standIn.storage.objects, copy, { ...copy, name: `${copy.name}.sha256` }];
  return copy.name;
}

export const haveUploads = ({ standIn }: SqlScene): void => {
  const names = ["media/public/a b.png", "reports/1.csv", "others.txt"];
  const uploads = names.map((name) => ({ bucket: "media", name, generation: "1" }));
  standIn.storage.objects = [...standIn.storage.objects, ...uploads];
};

export const IN = "in .terraform-idp-b";
export const APPLY = `apply -input=false -auto-approve -var-file=recovery-idp-b.tfvars.json ${IN}`;
