import { type ChildProcess, spawn } from "node:child_process";

import { runOf } from "../../support/process-run";

/** Result of one run of Terraform. */
export interface TerraformRun {
  readonly exitCode: number | null;
  /** All output, as a user sees it. */
  readonly output: string;
}

export interface TerraformOptions {
  readonly program: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with the output so far after each print. */
  readonly onOutput?: (output: string, child: ChildProcess) => void;
}

/** Current runs. They have their own process groups, so this process must end them when it is stopped. */
const underWay = new Set<ChildProcess>();

/** Runs Terraform without the user's configuration: no settings file, no version check, no prompts. */
export async function runTerraform(options: TerraformOptions, ...command: string[]): Promise<TerraformRun> {
  const child = spawn(options.program, command, {
    cwd: options.folder,
    env: {
      HOME: options.folder,
      TMPDIR: process.env.TMPDIR ?? "/tmp",
      CHECKPOINT_DISABLE: "1",
      TF_CLI_CONFIG_FILE: "/dev/null",
      TF_IN_AUTOMATION: "1",
      TF_INPUT: "0",
      // A run lives for seconds, which is too short for collecting memory to be worth its time.
      GOGC: "off",
      GOMEMLIMIT: "2GiB",
      ...options.environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A process group of its own, so that a kill also reaches the scripts, as when the machine goes down.
    detached: true,
  });
  underWay.add(child);
  return runOf(child, ({ output }) => options.onOutput?.(output, child)).finally(() => underWay.delete(child));
}

/** Kills all current runs and their scripts when this process is stopped. */
export function killAllRuns(): void {
  for (const { pid } of underWay) if (pid !== undefined) process.kill(-pid, "SIGKILL");
}

/** Terraform's output from its first error on. */
export function problemsIn(output: string): string {
  const text = unwrapped(output);
  return text.slice(Math.max(0, text.indexOf("Error: ")));
}

/** Joins the lines of messages, which Terraform wraps at a fixed width inside a frame. */
export function unwrapped(output: string): string {
  return output
    .split("\n")
    .map((line) => line.replace(/^[╷│╵]\s?/, "").trimEnd())
    .join("\n");
}
