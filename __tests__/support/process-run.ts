import { type ChildProcessByStdio } from "node:child_process";
import { type Readable, type Writable } from "node:stream";

/** What a process prints, apart and in one text. */
export interface Printed {
  readonly stdout: string;
  readonly stderr: string;
  readonly output: string;
}

export interface ProcessRun extends Printed {
  readonly exitCode: number | null;
}

type Child = ChildProcessByStdio<Writable | null, Readable, Readable>;

/** What a process has printed so far, and its exit code once it has ended and all of it is read. */
export function followed(child: Child, onOutput?: (printed: Printed) => void) {
  const printed = { stdout: "", stderr: "", output: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      printed[stream] += text;
      printed.output += text;
      onOutput?.(printed);
    });
  }
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  return { printed: printed as Printed, ended };
}

/** All that a process has printed when it has ended, whatever its exit code. */
export async function runOf(child: Child, onOutput?: (printed: Printed) => void): Promise<ProcessRun> {
  const { ended, printed } = followed(child, onOutput);
  const exitCode = await ended;
  return { ...printed, exitCode };
}
