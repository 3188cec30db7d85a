import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** What one start of the stub application has left in its folder of records. */
export interface RecordedStart {
  readonly pid: number;
  readonly parentPid: number;
  readonly arguments: readonly string[];
  /** Values byte for byte, one character per byte. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signals: readonly string[];
  /** Whether it came to its regular end after a signal. */
  readonly ended: boolean;
}

/** Every start of one command of the stub application so far. */
export function recordedStarts(recordsFolder: string, command: string): RecordedStart[] {
  return readdirSync(recordsFolder)
    .filter((name) => name.startsWith(`${command}.`) && !name.endsWith(".part"))
    .map((name) => {
      const files = new Set(readdirSync(join(recordsFolder, name)));
      const read = (file: string) =>
        files.has(file) ? readFileSync(join(recordsFolder, name, file)).toString("latin1") : "";
      return {
        pid: Number(name.slice(command.length + 1)),
        parentPid: Number(read("parent")),
        arguments: read("arguments").split("\0").slice(0, -1),
        environment: Object.fromEntries(
          read("environment")
            .split("\0")
            .slice(0, -1)
            .map((record) => [record.slice(0, record.indexOf("=")), record.slice(record.indexOf("=") + 1)]),
        ),
        signals: read("signals").split("\n").slice(0, -1),
        ended: files.has("ended"),
      };
    });
}

/** The running processes that were started with a variable; those that only wait to be collected do not count. */
export function processesWith(variable: string, value: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .filter((name) => environmentOf(name).includes(`${variable}=${value}`))
    .map(Number);
}

/** Process group of a running process. */
export function groupOf(pid: number): number | undefined {
  return processStatus(pid)?.groupId;
}

/** Parent of a running process. */
export function parentOf(pid: number): number | undefined {
  return processStatus(pid)?.parentPid;
}

/** Program and arguments of a running process; empty when it has ended. */
export function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
  } catch {
    return [];
  }
}

function environmentOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8").split("\0");
  } catch {
    // It has ended, or belongs to somebody else.
    return [];
  }
}

/** Sends a signal to processes, which ends them at once by default; those that are gone already are fine. */
export function killAll(pids: readonly number[], signal: NodeJS.Signals = "SIGKILL"): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch {
      // It ended by itself.
    }
  }
}

/** Polls until `probe` gives a value that is neither undefined nor false. */
export async function eventually<T>(
  what: string,
  probe: () => T | undefined | false,
  timeoutMilliseconds = 5000,
): Promise<T> {
  const deadline = Date.now() + timeoutMilliseconds;
  for (;;) {
    const value = probe();
    if (value !== undefined && value !== false) return value;
    if (Date.now() > deadline) throw new Error(`${what}: not seen within ${timeoutMilliseconds} ms`);
    await delay(5);
  }
}

function processStatus(pid: number): { parentPid: number; groupId: number } | undefined {
  let text: string;
  try {
    text = readFileSync(`/proc/${pid}/stat`, "utf8");
  } catch {
    return undefined;
  }
  // The second field is the program's name in parentheses and may itself hold blanks and parentheses.
  const [, parentPid, groupId] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return { parentPid: Number(parentPid), groupId: Number(groupId) };
}
