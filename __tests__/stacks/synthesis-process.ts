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

/** How the command is called; by default in a folder of its own, for all stacks. */
export interface SynthesisCall {
  /** Checkout whose command it is. */
  readonly checkout?: string;
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stackNames?: readonly string[];
}

/**
 * Runs the command of `cdktf.json`, as a user's shell would in a checkout, on a machine that has Node and nothing else.
 *
 * @throws Error with `code` and `stderr` of the command when it fails
 */
export async function runAppCommand({
  checkout = packageFile("."),
  cwd = temporaryFolder(),
  environment = {},
  stackNames = [],
}: SynthesisCall = {}): Promise<SynthesisProcess> {
  const bin = join(temporaryFolder(), "bin");
  mkdirSync(bin);
  symlinkSync(process.execPath, join(bin, "node"));
  const { app } = JSON.parse(readFileSync(join(checkout, "cdktf.json"), "utf8")) as { app: string };
  const [program = "", script = "", ...args] = app.split(" ");
  const { stdout } = await promisify(execFile)(join(bin, program), [join(checkout, script), ...args, ...stackNames], {
    cwd,
    env: { PATH: bin, HOME: cwd, ...environment },
  });
  const textOf = (stackName: string, file = "cdk.tf.json") =>
    readFileSync(join(cwd, "cdktf.out/stacks", stackName, file), "utf8");
  return { output: stdout, textOf };
}

/**
 * Synthesizes all stacks by the command of `cdktf.json`.
 *
 * @param modules files that Node loads before the command
 */
export function synthesisProcess(...modules: string[]): Promise<SynthesisProcess> {
  // The first one compiles the others.
  const required = modules.length === 0 ? [] : [require.resolve("sucrase/register"), ...modules];
  const options = required.map((module) => `--require ${JSON.stringify(module)}`).join(" ");
  return runAppCommand({ environment: { NODE_OPTIONS: options } });
}
