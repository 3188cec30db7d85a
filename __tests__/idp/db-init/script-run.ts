import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { type ScriptOptions, type ScriptRun, type Shell, shellCommand } from "../../support/google-stand-in-scripts";
import { LoopbackServer } from "../../support/loopback-server";
import { runOf } from "../../support/process-run";
import { type ProgramStandIn } from "../../support/program-stand-in";
import { findProgram, postgresqlFolder, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";

const SCRIPT = packageFile("lib/idp/scripts/db-init.sh");

/** Programs of busybox in the job's image that the scripts may use. */
const BUSYBOX_PROGRAMS = [
  "awk",
  "cat",
  "date",
  "dd",
  "grep",
  "mkdir",
  "mkfifo",
  "mktemp",
  "mv",
  "rm",
  "sed",
  "setsid",
  "sha256sum",
  "sleep",
  "tail",
  "tee",
  "timeout",
  "tr",
  "wc",
  "wget",
  "xargs",
];

export type Environment = Readonly<Record<string, string>>;

export interface RunOptions {
  readonly programs?: ProgramStandIn;
  /** @default db-init.sh */
  readonly file?: string;
  readonly onStart?: ScriptOptions["onStart"];
}

/**
 * Folder of the clients themselves; on Debian's PATH there are slower Perl wrappers.
 *
 * @param release of PostgreSQL; by default what is installed
 */
export function clientFolder(release?: string | number): string {
  if (release !== undefined) return postgresqlFolder(Number(release)) ?? "";
  const besideServer = dirname(findProgram("initdb") ?? "/");
  return existsSync(join(besideServer, "psql")) ? besideServer : dirname(programPath("psql"));
}

/**
 * Runs the real script with exactly this environment, whose SHELL it runs in: dash, unless that is busybox, and with
 * the clients of its POSTGRESQL_RELEASE.
 */
export async function runScript(environment: Environment, options: RunOptions = {}): Promise<ScriptRun> {
  const { file = SCRIPT, onStart, programs } = options;
  const shell = environment.SHELL === "busybox" ? "busybox" : "dash";
  const path = [busyboxFolder(shell), clientFolder(environment.POSTGRESQL_RELEASE), process.env.PATH].join(":");
  // A single stream for both outputs keeps their lines in order.
  const child = spawn("/bin/sh", ["-c", 'exec "$@" 2>&1', "sh", ...shellCommand(shell), file], {
    env: { ...environment, PATH: programs?.before(path) ?? path },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const kill = (signal: NodeJS.Signals): void => {
    // A kill ends the process group too, as the end of a container does.
    if (signal === "SIGKILL" && child.pid !== undefined) killGroup(child.pid);
    else child.kill(signal);
  };
  const [run] = await Promise.all([runOf(child), onStart?.(kill, once(child, "exit"))]);
  return run;
}

/** Does nothing where the script has ended by itself before. */
function killGroup(processGroup: number): void {
  try {
    process.kill(-processGroup, "SIGKILL");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error;
  }
}

/** Fails with all that the script has said, unless it ends well. */
export async function succeeds(run: Promise<ScriptRun>): Promise<void> {
  const { exitCode, output } = await run;
  if (exitCode !== 0) throw new Error(`the script ended with ${exitCode}:\n${output}`);
}

const busyboxFolders = new Map<Shell, string>();

/** A folder with the programs of busybox that are used with a shell. */
function busyboxFolder(shell: Shell): string {
  const made = busyboxFolders.get(shell);
  if (made !== undefined) return made;
  const folder = temporaryFolder();
  // The image's wget everywhere: it is the pickiest about its options, and other machines may have none.
  for (const name of shell === "busybox" ? BUSYBOX_PROGRAMS : ["wget"])
    symlinkSync(programPath("busybox"), join(folder, name));
  busyboxFolders.set(shell, folder);
  return folder;
}

/** Stand-in for the database proxy's administration port; records the requests. */
export interface ProxyRecorder {
  readonly quitUrl: string;
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function startProxyRecorder(): Promise<ProxyRecorder> {
  const requests: string[] = [];
  const server = new LoopbackServer((request, response) => {
    requests.push(`${request.method ?? ""} ${request.url ?? ""}`);
    response.end();
  });
  await server.start();
  return { quitUrl: `http://${server.host}/quitquitquit`, requests, close: () => server.stop() };
}
