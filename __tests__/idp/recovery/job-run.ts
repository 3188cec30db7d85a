import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { programPath } from "../../support/programs";
import { type Environment, psqlPath } from "../db-init/script-run";

const execute = promisify(execFile);
const SCRIPTS = join(__dirname, "../../../lib/idp/scripts");

interface JobEnd {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a script as a job does, against the database of a tenant. */
export async function runJob(script: string, settings: Environment, further: Environment = {}): Promise<JobEnd> {
  // An empty address: there is no proxy to stop.
  const path = `${dirname(psqlPath())}:${process.env.PATH ?? ""}`;
  const environment = { ...settings, PATH: path, DB_PROXY_QUIT_URL: "", ...further };
  try {
    const { stderr, stdout } = await execute(programPath("dash"), [join(SCRIPTS, script)], { env: environment });
    return { exitCode: 0, output: stdout + stderr };
  } catch (error) {
    const { code, stderr, stdout } = error as { code: number; stderr: string; stdout: string };
    return { exitCode: code, output: stdout + stderr };
  }
}
