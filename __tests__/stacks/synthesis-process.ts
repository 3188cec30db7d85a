import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../lib/core/package-file";
import { temporaryFolder } from "../support/synthesis";

/** What the command that synthesizes all stacks has printed and written. */
export interface SynthesisProcess {
  readonly output: string;

  /** The configuration of one stack, as it was written. */
  readonly textOf: (stackName: string) => string;
}

/**
 * Runs the command of `cdktf.json` in a folder of its own, on a machine that has Node and nothing else.
 *
 * @param modules files that Node loads before the command
 */
export async function synthesisProcess(...modules: string[]): Promise<SynthesisProcess> {
  const cwd = temporaryFolder();
  const bin = join(cwd, "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const required = [require.resolve("sucrase/register"), ...modules].flatMap((module) => ["--require", module]);
  const { stdout } = await promisify(execFile)("node", [...required, packageFile("stacks/main.ts")], {
    cwd,
    env: { PATH: bin, HOME: cwd },
  });
  const textOf = (stackName: string) => readFileSync(join(cwd, "cdktf.out/stacks", stackName, "cdk.tf.json"), "utf8");
  return { output: stdout, textOf };
}
