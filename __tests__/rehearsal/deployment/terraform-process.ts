import { type ChildProcess, spawn } from "node:child_process";

/** What one run of Terraform came to. */
export interface TerraformRun {
  readonly exitCode: number | null;
  /** Everything printed, as a user sees it. */
  readonly output: string;
}

export interface TerraformOptions {
  readonly program: string;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
  /** Called with the output so far whenever something is printed. */
  readonly onOutput?: (output: string, child: ChildProcess) => void;
}

/** Runs under way. They have groups of their own, so nobody else ends them when this process is told to stop. */
const underWay = new Set<ChildProcess>();

/** Terraform without anything of the user's own: no settings file, no check for newer versions, no prompts. */
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
      ...options.environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that a kill reaches the scripts as well, as it would on a machine that goes down.
    detached: true,
  });
  underWay.add(child);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      options.onOutput?.(output, child);
    });
  }
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  }).finally(() => underWay.delete(child));
  return { exitCode, output };
}

/** Ends a run and the scripts that it has started, at once. */
export function killWithScripts(child: ChildProcess): void {
  if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
}

/** Ends every run that is under way, for a process that is told to stop. */
export function killAllRuns(): void {
  underWay.forEach(killWithScripts);
}

/** What Terraform says from its first error on. */
export function problemsIn(output: string): string {
  const text = unwrapped(output);
  return text.slice(Math.max(0, text.indexOf("Error: ")));
}

/** Terraform breaks lines of messages at a fixed width, inside a frame. */
export function unwrapped(output: string): string {
  return output
    .split("\n")
    .map((line) => line.replace(/^[╷│╵]\s?/, "").trimEnd())
    .join("\n");
}
