import { spawn } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { serverOwner } from "../idp/db-init/cluster";
import { shellCommand } from "../support/google-stand-in-scripts";
import { followed } from "../support/process-run";
import { programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";
import { commandLine, eventually, recordedStarts } from "./processes";

export type PooledInstance = Awaited<ReturnType<typeof startPooledInstance>>;

/** What an instance with a connection pool needs. */
export const POOL_PROGRAMS = ["dash", "dumb-init", "pgbouncer", "postgres", "psql"] as const;

/**
 * Starts the image's entrypoint with a real PgBouncer and a stub application, and resolves when that has started.
 *
 * It runs as the account of the database, because PgBouncer refuses to run as root.
 *
 * @param variables what the platform gives it, with the database and the size of the pool
 * @returns where the application finds the pool, what the instance says, and how to end all of it
 */
export async function startPooledInstance(variables: Readonly<Record<string, string>>) {
  const folder = temporaryFolder();
  const paths = ["bin", "media", "records", "tmp"].map((name) => join(folder, name));
  const [bin = "", media = "", records = "", TMPDIR = ""] = paths;
  for (const path of paths) mkdirSync(path);
  for (const name of ["cloud-entrypoint.sh", "connection-pool.sh"]) {
    copyFileSync(packageFile(`image/${name}`), join(folder, name));
  }
  copyFileSync(join(__dirname, "stub-ak.sh"), join(bin, "ak"));
  for (const path of [folder, ...paths, join(bin, "ak")]) chmodSync(path, 0o777);
  const command = ["--", ...shellCommand("dash"), join(folder, "cloud-entrypoint.sh"), "server-alone"];
  const child = spawn(programPath("dumb-init"), command, {
    ...serverOwner(),
    env: {
      IDP_SECRET_KEY: "key",
      IDP_STORAGE__FILE__PATH: media,
      STUB_RECORDS: records,
      TMPDIR,
      PATH: [bin, "/usr/sbin", "/usr/bin", "/bin"].join(":"),
      ...variables,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { printed } = followed(child);
  const ended = new Promise((resolve) => child.on("exit", resolve));
  /** Waits for the end, because the shell ends its pool only while somebody reads what it says. */
  const stop = async (): Promise<void> => {
    child.kill();
    await ended;
  };
  const started = eventually("the application", () => recordedStarts(records, "server")[0]);
  const { environment } = await started.catch((error: unknown) => {
    // Nobody else knows its number yet.
    child.kill();
    throw error;
  });
  const { AUTHENTIK_POSTGRESQL__HOST: host = "", AUTHENTIK_POSTGRESQL__PORT: port } = environment;
  return { host, port: Number(port), printed, stop };
}

/** The processes of PgBouncer whose socket is in a folder. */
export function processesOfPool(folder: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .map(Number)
    .filter((pid) => commandLine(pid).join(" ") === `pgbouncer ${folder}/settings`);
}
