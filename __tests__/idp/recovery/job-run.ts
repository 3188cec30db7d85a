import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { joinedScript } from "../../../lib/core/joined-script";
import { programPath } from "../../support/programs";
import { type Environment, programFolder, psqlPath, type Shell } from "../db-init/script-run";

const execute = promisify(execFile);
const SCRIPTS = join(__dirname, "../../../lib/idp/scripts");

/** Programs of busybox in the image of the jobs. */
const BUSYBOX_PROGRAMS = [
  "date",
  "grep",
  "mv",
  "xargs",
  "dd",
  "mkdir",
  "mkfifo",
  "mktemp",
  "rm",
  "sha256sum",
  "sleep",
  "tee",
  "timeout",
  "wc",
];

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
  const folder = programFolder(programs, shell === "busybox sh" ? [...BUSYBOX_PROGRAMS, "wget"] : ["wget"]);
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
