import { execFileSync } from "node:child_process";

import { type ApiScene, inApiScene, scenarioIn } from "../../support/api-scene";
import { type GoogleStandIn } from "../../support/google-stand-in";
import { linesOfRestore, RESTORED_ID } from "../../support/google-stand-in-restores";
import { type ScriptRun } from "../../support/google-stand-in-scripts";

export const PROJECT = "demo-project";
export const INSTANCE = "idp-demo-abc123";
export const DATABASE = "idp_demo";
export const CONNECTION = `${PROJECT}:us-central1:${INSTANCE}`;
export const JOBS = `projects/${PROJECT}/locations/us-central1/jobs`;
export const INIT_JOB = `${INSTANCE}-db-init`;
export const DUMP_JOB = `${INSTANCE}-dump`;
/** Where the administrator's password is kept. */
export const ADMINISTRATOR = `projects/${PROJECT}/secrets/administrator`;

const ENVIRONMENT = {
  PROJECT_ID: PROJECT,
  INSTANCE,
  DATABASE,
  INIT_JOB,
  ADMINISTRATOR_SECRET: "administrator",
  MEDIA_BUCKET: "media",
  REGION: "us-central1",
  LOG_SECONDS: "0",
};

export { RESTORED_ID };

export type SqlScene = ApiScene;

/** Every test has a project of its own, with one instance. */
export const inSqlScene = (test: (scene: SqlScene) => Promise<void>): Promise<void> =>
  inApiScene(ENVIRONMENT, (scene) => {
    haveInstance(scene.standIn);
    return test(scene);
  });

export const scenario = scenarioIn(inSqlScene);

function haveInstance(standIn: GoogleStandIn): void {
  standIn.sql.make(PROJECT, INSTANCE, { [DATABASE]: 7 });
  standIn.secrets.payloads.set(ADMINISTRATOR, "geheim");
  standIn.jobs.outcomeOf = (run) => ({ isSuccess: true, lines: linesOfRestore(run) });
  const cloudsql = { name: "cloudsql", cloudSqlInstance: { instances: [CONNECTION] } };
  const container = {
    image: "docker.io/library/postgres:15-alpine",
    command: ["/bin/sh", "/scripts/script.sh"],
    env: [
      { name: "DB_HOST", value: `/cloudsql/${CONNECTION}` },
      { name: "DB_NAME", value: DATABASE },
      { name: "DB_PASSWORD", valueSource: { secretKeyRef: { secret: "password", version: "1" } } },
    ],
  };
  standIn.jobs.make(`${JOBS}/${INIT_JOB}`, container, [cloudsql]);
  standIn.jobs.make(`${JOBS}/${DUMP_JOB}`, container, [cloudsql, { name: "dumps", gcs: { bucket: "dumps" } }]);
}

/**
 * Fails if anything is left that a script has made, but for a clone that it has named: one whose run was killed before
 * the clone had its label could be anybody's.
 */
export function expectNothingLeft(
  { standIn }: Pick<SqlScene, "standIn">,
  { stderr }: Pick<ScriptRun, "stderr"> = { stderr: "" },
): void {
  const named = /^The clone (\S+) is protected or has no label copy-for/m.exec(stderr)?.[1] ?? "";
  expect(standIn.sql.billed.filter((name) => name !== `${PROJECT}/${named}`)).toEqual([`${PROJECT}/${INSTANCE}`]);
  expect([...standIn.jobs.jobs.keys()]).toEqual([`${JOBS}/${INIT_JOB}`, `${JOBS}/${DUMP_JOB}`]);
}

/** Files as "name generation" that the bucket of uploads has. */
export const filesIn = ({ standIn }: SqlScene): string[] =>
  standIn.storage.objects
    .filter(({ softDeleteTime }) => softDeleteTime === undefined)
    .map(({ generation, name }) => `${name} ${generation}`);

/** What each script of a job does, and code that only this script has. */
const SCRIPT_MARKS = [
  ["waits", "pg_current_wal_flush_lsn"],
  ["counts", "users: $users user"],
  ["restores", "pg_restore --no-owner"],
  ["records", "recorded: $passed_at"],
  ["puts", "swap_databases"],
] as const;

/** What the jobs did, in order: the script of its own or of the copied job, and the variables that matter. */
export function runsOf({ standIn }: SqlScene): readonly string[] {
  return standIn.jobs.runs.map(({ command, databases, environment, job }) => {
    const text = command.join(" ");
    const script = SCRIPT_MARKS.find(([, mark]) => text.includes(mark))?.[0] ?? "db-init";
    const { ACTION = "", DB_NAME = "" } = environment;
    const where = databases
      .map((name) => name.replace(CONNECTION, "").replace(/^.*:(restore-)[0-9a-f]{8}-[0-9a-f]{8}$/, "$1…"))
      .join("+");
    return [job.includes(`/${DUMP_JOB}-`) ? "dump:" : "", script, ACTION, DB_NAME, where].filter(Boolean).join(" ");
  });
}

/** Adds a clone as a run leaves it that was killed some seconds ago; returns its name. */
export function leftClone(
  { standIn }: SqlScene,
  kind: "drill" | "restore",
  secondsAgo: number,
  instance: string = INSTANCE,
): string {
  const [sum = ""] = execFileSync("cksum", { input: instance, encoding: "utf8" }).split(" ");
  const group = `${kind}-${Number(sum).toString(16).padStart(8, "0")}`;
  const clone = `${group}-1a2b3c4d`;
  const made = standIn.sql.make(PROJECT, clone);
  made.createTime = new Date(Date.now() - secondsAgo * 1000).toISOString();
  made.settings = { ...made.settings, deletionProtectionEnabled: false, userLabels: { "copy-for": group } };
  return clone;
}
