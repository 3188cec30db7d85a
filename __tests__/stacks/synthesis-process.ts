import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../lib/core/package-file";
import { temporaryFolder } from "../support/temporary-folder";

/** What the command that synthesizes has printed and written. */
export interface SynthesisProcess {
  readonly output: string;

  /** The configuration of one stack, or another file of its folder, as it was written. */
  readonly textOf: (stackName: string, file?: string) => string;
}

/** How the command is called; by default for all stacks, into a folder of its own. */
export interface SynthesisCall {
  readonly environment?: Readonly<Record<string, string>>;
  readonly outdir?: string;
  readonly stackNames?: readonly string[];
}

/**
 * Runs the command of `cdktf.json`, as a user's shell would in a checkout, on a machine that has Node and nothing else.
 *
 * @throws Error with `code` and `stderr` of the command when it fails
 */
export async function runAppCommand({
  environment = {},
  outdir = temporaryFolder(),
  stackNames = [],
}: SynthesisCall = {}): Promise<SynthesisProcess> {
  const home = temporaryFolder();
  const bin = join(home, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const { app } = JSON.parse(readFileSync(packageFile("cdktf.json"), "utf8")) as { app: string };
  const [program = "", ...args] = app.split(" ");
  const { stdout } = await promisify(execFile)(join(bin, program), [...args, ...stackNames], {
    cwd: packageFile("."),
    env: { PATH: bin, HOME: home, CDKTF_OUTDIR: outdir, ...environment },
  });
  const textOf = (stackName: string, file = "cdk.tf.json") =>
    readFileSync(join(outdir, "stacks", stackName, file), "utf8");
  return { output: stdout, textOf };
}
