import { spawn } from "node:child_process";
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

import { packageFile } from "../../../lib/core/package-file";
import { findProgram, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";

const SCRIPT = packageFile("lib/idp/scripts/db-init.sh");

export type Shell = "dash" | "busybox sh";

/** Programs of busybox in the job's image that the scripts may use. */
const BUSYBOX_PROGRAMS = [
  ...["cat", "date", "dd", "grep", "mkdir", "mkfifo", "mktemp", "mv", "rm", "setsid", "sha256sum"],
  ...["sleep", "tee", "timeout", "wc", "wget", "xargs"],
];

export type Environment = Readonly<Record<string, string>>;

export interface RunOptions {
  readonly shell?: Shell;
  /** Shell text of programs that come before the real ones on the PATH. */
  readonly programs?: Readonly<Record<string, string>>;
  /** @default db-init.sh */
  readonly file?: string;
}

export interface Outcome {
  readonly exitCode: number | null;
  readonly output: string;
}

export interface ScriptRun {
  /** Resolves when the script has ended and all its children have closed their output. */
  readonly outcome: Promise<Outcome>;
  /** Resolves when the script itself has ended. */
  readonly ended: Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Kills the script and its process group, as the end of a container does. */
  kill(): void;
}

/** Path of psql itself; on Debian's PATH there is a slower Perl wrapper. */
export function psqlPath(): string {
  const besideServer = join(dirname(findProgram("initdb") ?? "/"), "psql");
  return existsSync(besideServer) ? besideServer : programPath("psql");
}

/** Starts the real script with exactly this environment. */
export function startScript(environment: Environment, options: RunOptions = {}): ScriptRun {
  const shell = options.shell ?? "dash";
  // The image's wget everywhere: it is the pickiest about its options, and other machines may have none.
  const folder = programFolder(options.programs ?? {}, shell === "busybox sh" ? BUSYBOX_PROGRAMS : ["wget"]);
  const systemPath = `${dirname(psqlPath())}:${process.env.PATH ?? ""}`;
  // A single stream for both outputs keeps their lines in order.
  const child = spawn("/bin/sh", ["-c", 'exec "$@" 2>&1', "sh", ...shellCommand(shell), options.file ?? SCRIPT], {
    env: {
      ...environment,
      PATH: `${folder}:${systemPath}`,
      REAL_PSQL: psqlPath(),
      PROGRAM_FOLDER: folder,
    },
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const outcome = new Promise<Outcome>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, output }));
  });
  return {
    outcome,
    ended: new Promise((resolve) => {
      child.once("exit", () => resolve());
    }),
    signal: (name) => child.kill(name),
    kill: () => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    },
  };
}

export function runScript(environment: Environment, options?: RunOptions): Promise<Outcome> {
  return startScript(environment, options).outcome;
}

function shellCommand(shell: Shell): string[] {
  return shell === "busybox sh" ? [programPath("busybox"), "sh"] : [programPath(shell)];
}

/** A folder of stand-in programs, with busybox in the place of the others that are named. */
function programFolder(programs: Readonly<Record<string, string>>, ofBusybox: readonly string[]): string {
  const folder = temporaryFolder();
  for (const name of ofBusybox) {
    if (programs[name] === undefined) symlinkSync(programPath("busybox"), join(folder, name));
  }
  for (const [name, text] of Object.entries(programs)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** The line that a stand-in program writes to a file, once it exists. */
export async function contentOf(file: string): Promise<string> {
  for (;;) {
    try {
      const content = readFileSync(file, "utf8");
      if (content.endsWith("\n")) return content.trimEnd();
    } catch {
      // Not written yet; the time limit of the test ends this loop.
    }
    await pause(5);
  }
}

/** Stand-in for the database proxy's administration port; records the requests. */
export interface ProxyRecorder {
  readonly quitUrl: string;
  readonly requests: readonly string[];
  close(): Promise<void>;
}

export async function startProxyRecorder(): Promise<ProxyRecorder> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method ?? ""} ${request.url ?? ""}`);
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    quitUrl: `http://127.0.0.1:${port}/quitquitquit`,
    requests,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
