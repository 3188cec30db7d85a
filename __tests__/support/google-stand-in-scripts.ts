import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type ProcessRun, runOf } from "./process-run";
import { programPath } from "./programs";
import { temporaryFolder } from "./temporary-folder";

/** Programs that the scripts may call, except gcloud: a test that needs it adds its own. */
export const PROGRAMS = [
  "awk",
  "base64",
  "cat",
  "chmod",
  "cksum",
  "cp",
  "curl",
  "cut",
  "date",
  "grep",
  "jq",
  "mkdir",
  "mkfifo",
  "ln",
  "mktemp",
  "mv",
  "od",
  "rm",
  "sed",
  "sh",
  "sha256sum",
  "sleep",
  "sort",
  "tail",
  "tr",
  "wc",
] as const;

export type Shell = "bash" | "busybox" | "dash";

/** Program and first argument that make a shell. */
export const shellCommand = (shell: Shell): readonly string[] =>
  shell === "busybox" ? [programPath(shell), "sh"] : [programPath(shell)];

export const SCRIPTS = {
  "assessment-cleanup": "lib/lab/scripts/assessment-cleanup.sh",
  "assessment-status": "lib/lab/scripts/assessment-status.sh",
  "backup-before-upgrade": "lib/idp/scripts/backup-before-upgrade.sh",
  "build-image": "lib/idp/scripts/build-image.sh",
  "configure-load-balancer": "lib/platform/kubernetes/scripts/configure-load-balancer.sh",
  facts: "lib/idp/scripts/facts.sh",
  "import-inventory": "lib/lab/scripts/import-inventory.sh",
  promote: "lib/idp/scripts/promote.sh",
  "recover-elsewhere": "lib/idp/scripts/recover-elsewhere.sh",
  "register-source": "lib/lab/scripts/register-source.sh",
  "restore-drill": "lib/idp/scripts/restore-drill.sh",
  restore: "lib/idp/scripts/restore.sh",
  "return-home": "lib/idp/scripts/return-home.sh",
  "wait-for-api": "lib/core/scripts/wait-for-api.sh",
} as const;

export type ScriptName = keyof typeof SCRIPTS;

const ROOT = join(__dirname, "../..");

/** Short pauses, and no metadata server unless a test adds one. */
const FAST_ENVIRONMENT = {
  GCE_METADATA_HOST: "127.0.0.1:9",
  GOOGLE_REST_LIBRARY: join(ROOT, "lib/core/scripts/google-rest.sh"),
  REST_POLL_SECONDS: "0.02",
  REST_RETRY_BASE_SECONDS: "0.01",
  REST_TRIES: "4",
};

export type { ProcessRun as ScriptRun } from "./process-run";

export interface ScriptOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** @default "dash" */
  readonly shell?: Shell;
  readonly arguments?: readonly string[];
  /** Folder that it is run in. @default that of the tests */
  readonly folder?: string;
  /** Folder for the PATH. @default the programs that the scripts may call */
  readonly programs?: string;
  /** Standard input of the script. @default nothing */
  readonly input?: string;
  /** `ended` resolves when the script itself has ended. */
  readonly onStart?: (kill: (signal: NodeJS.Signals) => void, ended: Promise<unknown>) => unknown;
  /** Called with the output so far whenever a line arrives; `close` closes its standard output. */
  readonly onOutput?: (output: string, kill: (signal: NodeJS.Signals) => void, close: () => void) => void;
}

let sharedPrograms: string | undefined;

/** Runs one of the REST scripts; resolves when it has ended, whatever its exit code. */
export async function runScript(script: ScriptName, options: ScriptOptions = {}): Promise<ProcessRun> {
  return runFile(join(ROOT, SCRIPTS[script]), options);
}

export async function runFile(file: string, options: ScriptOptions = {}): Promise<ProcessRun> {
  const shell = options.shell ?? "dash";
  const programs = options.programs ?? (sharedPrograms ??= programFolder());
  const [program = "", ...words] = [...shellCommand(shell), file, ...(options.arguments ?? [])];
  const child = spawn(program, words, {
    cwd: options.folder,
    // Nothing else, so that a developer's own credentials and settings have no effect.
    env: { PATH: programs, HOME: programs, TMPDIR: tmpdir(), ...FAST_ENVIRONMENT, ...options.environment },
    stdio: ["pipe", "pipe", "pipe"],
  });
  const started = options.onStart?.((signal) => child.kill(signal), once(child, "exit"));
  // A script that reads nothing may already have ended.
  child.stdin.on("error", () => undefined).end(options.input ?? "");
  const run = runOf(child, ({ output }) =>
    options.onOutput?.(
      output,
      (signal) => child.kill(signal),
      () => child.stdout.destroy(),
    ),
  );
  await Promise.all([run, started]);
  return run;
}

/**
 * A private folder of programs: links to the real ones, without the excluded ones, and scripts of the test.
 */
export function programFolder(
  options: { readonly without?: readonly string[]; readonly scripts?: Readonly<Record<string, string>> } = {},
): string {
  const folder = temporaryFolder();
  const own = options.scripts ?? {};
  for (const program of PROGRAMS) {
    if (program in own || options.without?.includes(program) === true) continue;
    symlinkSync(programPath(program), join(folder, program));
  }
  for (const [name, text] of Object.entries(own)) {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

/** Programs that first log their arguments to a file, one call per line. */
export function recordingPrograms(log: string): string {
  return programFolder({
    scripts: Object.fromEntries(
      PROGRAMS.filter((program) => program !== "sh").map((program) => [
        program,
        `printf '%s\\n' "${program} $*" >>'${log}'\nexec ${programPath(program)} "$@"`,
      ]),
    ),
  });
}
