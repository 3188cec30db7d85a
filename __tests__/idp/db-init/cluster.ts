import { execFile, execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { DEFAULT_FLAGS } from "../../../lib/platform/sql/database-flags";
import { freePort } from "../../support/loopback-server";
import { postgresqlFolder, programPath } from "../../support/programs";
import { clientFolder } from "./script-run";

const execute = promisify(execFile);

/** The only superuser, as in Cloud SQL, so that `postgres` is an ordinary login as it is there. */
export const SUPERUSER = "cloudsqladmin";
export const ADMIN_PASSWORD = "admin-9vJt2";

export interface Login {
  readonly user: string;
  readonly password?: string;
  readonly database?: string;
}

/** A PostgreSQL server modelled on Cloud SQL, reachable by socket and loopback. */
export interface Cluster {
  readonly socketFolder: string;
  readonly port: number;
  /** Runs statements and returns the rows, columns separated by "|". */
  query(login: Login, ...statements: string[]): Promise<string>;
  log(): string;
  /** Ends this server, and starts one of a later release on what pg_upgrade makes of its data, as Cloud SQL does. */
  upgradedTo(release: number): Promise<Cluster>;
  /** Starts a read replica that streams from this server, whose flags let it. */
  replica(): Promise<Cluster>;
  /** Ends this server at once, as the loss of its region does; the result starts it again on the same data. */
  crash(): Promise<() => Promise<Cluster>>;
  stop(): Promise<void>;
}

/** Flags of a server that replicas stream from. */
export const REPLICATING = { wal_level: "replica", max_wal_senders: "5" } as const;

/**
 * Logs more than our flags ask for, so that everything that could reach a log does.
 *
 * @param flags of the server, which override these
 * @param release of PostgreSQL; by default what is installed
 */
export async function startCluster(flags: Readonly<Record<string, string>> = {}, release?: number): Promise<Cluster> {
  const cluster = await serve(newFolder(), flags, release);
  await cluster.query(
    { user: SUPERUSER },
    "CREATE ROLE cloudsqlsuperuser CREATEDB CREATEROLE",
    "GRANT pg_monitor, pg_signal_backend TO cloudsqlsuperuser",
    `CREATE ROLE postgres LOGIN CREATEDB CREATEROLE PASSWORD '${ADMIN_PASSWORD}'`,
    // From 16 on, only who may hand a role on may grant it; Cloud SQL lets every member of this one.
    "GRANT cloudsqlsuperuser TO postgres WITH ADMIN OPTION",
  );
  return cluster;
}

/** A new folder for a server. */
function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "db-"));
  const { gid, uid } = serverOwner();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  return folder;
}

/** Starts a server on the data in a folder, which are made where there are none. */
async function serve(
  folder: string,
  flags: Readonly<Record<string, string>>,
  release: number | undefined,
): Promise<Cluster> {
  const owner = serverOwner();
  const data = join(folder, "data");
  if (!existsSync(data)) makeDataFolder(data, owner, programOf("initdb", release));
  writeFileSync(
    join(data, "pg_hba.conf"),
    `local all,replication ${SUPERUSER} trust\nlocal all all scram-sha-256\nhost all all 127.0.0.1/32 scram-sha-256\n`,
  );

  const port = await freePort();
  const settings = [
    "fsync=off",
    "full_page_writes=off",
    "autovacuum=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "listen_addresses=127.0.0.1",
    `unix_socket_directories=${folder}`,
    ...Object.entries({ ...DEFAULT_FLAGS, log_statement: "all", ...flags }).map((flag) => flag.join("=")),
  ].flatMap((setting) => ["-c", setting]);
  const server = spawn(programOf("postgres", release), ["-D", data, "-p", String(port), ...settings], {
    ...owner,
    cwd: folder,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = new Promise<void>((resolve) => server.once("exit", () => resolve()));
  let log = "";
  await new Promise<void>((resolve, reject) => {
    server.stderr.on("data", (chunk: Buffer) => {
      log += chunk.toString();
      if (/ready to accept (read-only )?connections/.test(log)) resolve();
    });
    void ended.then(() => {
      reject(new Error(`the server did not start:\n${log}`));
    });
  });

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    server.kill(signal);
    await ended;
  };
  return {
    socketFolder: folder,
    port,
    async query(login, ...statements) {
      const commands = statements.flatMap((statement) => ["--command", statement]);
      const options = ["--no-psqlrc", "--no-password", "--quiet", "--no-align", "--tuples-only"];
      const { stdout } = await execute(
        join(clientFolder(release), "psql"),
        [...options, "--set", "ON_ERROR_STOP=1", ...commands],
        {
          env: {
            PGHOST: folder,
            PGPORT: String(port),
            PGUSER: login.user,
            PGPASSWORD: login.password ?? "",
            PGDATABASE: login.database ?? "postgres",
            PGCLIENTENCODING: "UTF8",
          },
        },
      );
      return stdout.trimEnd();
    },
    log: () => log,
    async upgradedTo(later) {
      await end("SIGINT");
      const next = newFolder();
      const upgraded = join(next, "data");
      makeDataFolder(upgraded, owner, programOf("initdb", later));
      const programs = ["--old-bindir", dirname(programOf("postgres", release)), "--new-bindir", clientFolder(later)];
      const options = ["--old-datadir", data, "--new-datadir", upgraded, "--username", SUPERUSER, "--socketdir", next];
      execFileSync(programOf("pg_upgrade", later), [...programs, ...options], { ...owner, cwd: next, stdio: "pipe" });
      rmSync(folder, { recursive: true, force: true });
      return serve(next, flags, later);
    },
    async replica() {
      const next = newFolder();
      const source = ["--host", folder, "--port", String(port), "--username", SUPERUSER];
      const copy = ["--pgdata", join(next, "data"), "--write-recovery-conf", "--checkpoint=fast", "--no-sync"];
      execFileSync(join(clientFolder(release), "pg_basebackup"), [...source, ...copy], {
        ...owner,
        cwd: next,
        stdio: "pipe",
      });
      return serve(next, flags, release);
    },
    async crash() {
      await end("SIGQUIT");
      return () => serve(folder, flags, release);
    },
    async stop() {
      await end("SIGQUIT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function programOf(name: string, release: number | undefined): string {
  return release === undefined ? programPath(name) : join(postgresqlFolder(release) ?? "", name);
}

/** Copies the folder that `initdb` has once made on this machine, which takes a tenth of the time of making it. */
function makeDataFolder(data: string, owner: Owner, initdb: string): void {
  const kept = join(
    __dirname,
    "../../../.jest-cache",
    `postgresql-${statSync(initdb).size}-${statSync(initdb).mtimeMs}-${owner.uid ?? "own"}`,
  );
  if (!existsSync(kept)) {
    const options = ["--pgdata", data, "--username", SUPERUSER, "--encoding", "UTF8", "--locale", "C", "--no-sync"];
    execFileSync(initdb, [...options, "--auth", "trust"], { ...owner, cwd: dirname(data), stdio: "pipe" });
    const copy = `${kept}.${process.pid}`;
    mkdirSync(dirname(kept), { recursive: true });
    execFileSync("cp", ["-a", data, copy]);
    try {
      renameSync(copy, kept);
    } catch {
      // Another worker was faster.
      rmSync(copy, { recursive: true, force: true });
    }
    return;
  }
  execFileSync("cp", ["-a", kept, data]);
}

/** Account that a server can run as. */
export interface Owner {
  readonly uid?: number;
  readonly gid?: number;
}

/** The server refuses to run as root; Debian's package creates an account for it. */
export function serverOwner(): Owner {
  if (process.getuid?.() !== 0) return {};
  const idOf = (kind: string): number => Number(execFileSync("id", [kind, "postgres"], { encoding: "utf8" }));
  return { uid: idOf("-u"), gid: idOf("-g") };
}
