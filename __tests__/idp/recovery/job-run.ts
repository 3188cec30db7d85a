import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { type Cluster, SUPERUSER } from "../db-init/cluster";
import { type Environment, type RunOptions, runScript } from "../db-init/script-run";
import { applicationLogin, type Tenant, type TestServer } from "../db-init/tenants";

/** Data of an application that a restore has to bring back. */
const USERS = [
  "CREATE TABLE authentik_core_user (id bigserial PRIMARY KEY, name text NOT NULL)",
  "INSERT INTO authentik_core_user (name) VALUES ('akadmin'), ('Zoë 🙂')",
  "CREATE SCHEMA template",
  "CREATE VIEW template.names AS SELECT name FROM authentik_core_user",
  "SELECT lo_from_bytea(0, 'large')",
];

/** Names of its users. */
export const NAMES = "SELECT string_agg(name, ',' ORDER BY name COLLATE \"C\") FROM template.names";

/** A new tenant whose database has contents. */
export async function filledTenant(
  { cluster, tenant }: Pick<TestServer, "cluster" | "tenant">,
  contents: readonly string[] = USERS,
): Promise<Tenant> {
  const settings = tenant();
  await runScript(settings);
  if (contents.length > 0) await cluster.query(applicationLogin(settings), ...contents);
  return settings;
}

/** The database beside that of a tenant into which is restored. */
export function restored(settings: Environment): Environment {
  return { ...settings, DB_NAME: `${settings.DB_NAME ?? ""}_restored` };
}

/** A new tenant whose database has contents, with an empty one beside it. */
export async function tenantWithRestored(
  server: Pick<TestServer, "cluster" | "tenant">,
  contents: readonly string[] = USERS,
): Promise<Tenant> {
  const settings = await filledTenant(server, contents);
  await runScript(restored(settings));
  return settings;
}

/** What makes a job copy the database of a tenant. */
export function copyOf({ DB_HOST = "", DB_NAME = "", DB_PORT = "" }: Environment): Environment {
  return { SOURCE_HOST: DB_HOST, SOURCE_PORT: DB_PORT, SOURCE_NAME: DB_NAME };
}

/** Runs the job that exchanges databases. */
export function swap(settings: Environment, ACTION: string, further: Environment = {}): Promise<ScriptRun> {
  return runJob("swap-database.sh", settings, { ACTION, ...further });
}

/** Exchanges the databases, as the run that has filled the restored one. */
export async function exchange(cluster: Cluster, settings: Environment, options?: RunOptions): Promise<ScriptRun> {
  const idQuery = `SELECT oid FROM pg_database WHERE datname = '${restored(settings).DB_NAME ?? ""}'`;
  const RESTORED_ID = await cluster.query({ user: SUPERUSER }, idQuery);
  return runJob("swap-database.sh", settings, { ACTION: "swap", RESTORED_ID }, options);
}

/** Runs a script as a job does, against the database of a tenant. */
export function runJob(
  script: string,
  settings: Environment,
  further: Environment = {},
  options: RunOptions = {},
): Promise<ScriptRun> {
  // An empty address: there is no proxy to stop.
  return runScript({ ...settings, DB_PROXY_QUIT_URL: "", ...further }, { ...options, file: jobFile(script) });
}

/** The script as its job has it: behind the libraries that it shares with others. */
function jobFile(script: string): string {
  const textOf = (name: string) => readFileSync(packageFile(`lib/idp/scripts/${name}`), "utf8");
  const libraries = script === "dump-database.sh" ? [] : ["database-client.sh"];
  const file = join(temporaryFolder(), script);
  writeFileSync(file, [...libraries, "unrestorable.sh", script].map(textOf).join("\n"));
  return file;
}
