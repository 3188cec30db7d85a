import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { joinedScript } from "../../../lib/core/joined-script";
import { programPath } from "../../support/programs";
import { type Cluster, SUPERUSER } from "../db-init/cluster";
import { type Environment, programFolder, psqlPath, runScript, type Shell } from "../db-init/script-run";
import { applicationLogin, type Tenant, type TenantServer } from "../db-init/tenants";

const execute = promisify(execFile);
const SCRIPTS = join(__dirname, "../../../lib/idp/scripts");

/** Programs of busybox in the image of the jobs. */
const BUSYBOX_PROGRAMS = "date dd grep mkdir mkfifo mktemp mv rm sha256sum sleep tee timeout wc wget xargs".split(" ");

/** Data of an application that a restore has to bring back. */
const USERS = [
  "CREATE TABLE authentik_core_user (id bigserial PRIMARY KEY, name text NOT NULL)",
  "INSERT INTO authentik_core_user (name) VALUES ('akadmin'), ('Zoë 🙂')",
  "CREATE SCHEMA template",
  "CREATE VIEW template.names AS SELECT name FROM authentik_core_user",
  "SELECT lo_from_bytea(0, 'large')",
];

/** A new tenant whose database has contents. */
export async function filledTenant(
  { cluster, tenant }: Pick<TenantServer, "cluster" | "tenant">,
  contents: readonly string[] = USERS,
): Promise<Tenant> {
  const settings = tenant();
  await runScript(settings);
  await cluster.query(applicationLogin(settings), ...contents);
  return settings;
}

/** The database beside that of a tenant into which is restored. */
export function restored(settings: Environment): Environment {
  return { ...settings, DB_NAME: `${settings.DB_NAME ?? ""}_restored` };
}

/** Exchanges the databases, as the run that has filled the restored one. */
export async function exchange(cluster: Cluster, settings: Environment, options?: JobOptions): Promise<JobEnd> {
  const identity = `SELECT oid FROM pg_database WHERE datname = '${restored(settings).DB_NAME ?? ""}'`;
  const RESTORED_ID = await cluster.query({ user: SUPERUSER }, identity);
  return runJob("swap-database.sh", settings, { ACTION: "swap", RESTORED_ID }, options);
}

interface JobEnd {
  readonly exitCode: number;
  readonly output: string;
}

interface JobOptions {
  readonly shell?: Shell;

  /** Shell text of programs that come before the real ones on the PATH. */
  readonly programs?: Readonly<Record<string, string>>;
}

/** PATH with the programs of PostgreSQL 15. */
export function databasePath(): string {
  return `${dirname(psqlPath())}:${process.env.PATH ?? ""}`;
}

/** Runs a script as a job does, against the database of a tenant. */
export async function runJob(
  script: string,
  settings: Environment,
  further: Environment = {},
  { programs = {}, shell = "dash" }: JobOptions = {},
): Promise<JobEnd> {
  const folder = programFolder(programs, shell === "busybox sh" ? BUSYBOX_PROGRAMS : ["wget"]);
  try {
    // An empty address: there is no proxy to stop.
    const environment = { ...settings, PATH: `${folder}:${databasePath()}`, DB_PROXY_QUIT_URL: "", ...further };
    const [program, ...words] = shell === "busybox sh" ? [programPath("busybox"), "sh"] : [programPath(shell)];
    const { stderr, stdout } = await execute(program, [...words, jobText(folder, script)], { env: environment });
    return { exitCode: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stderr, stdout } = error as { code: number; stderr: string; stdout: string };
    return { exitCode: code, output: stdout + stderr };
  }
}

/** The script as its job has it: what runs by itself as it is, the others after the text that they share. */
function jobText(folder: string, script: string): string {
  const path = join(SCRIPTS, script);
  const text = joinedScript(path);
  if (!text.includes("after database-client.sh")) return path;
  const whole = join(folder, script);
  writeFileSync(whole, joinedScript(join(SCRIPTS, "database-client.sh")) + text);
  return whole;
}
