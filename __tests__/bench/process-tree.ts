import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** What one run of a command costs, with everything that it starts. */
export interface TreeCost {
  readonly seconds: number;

  /** Largest resident memory of all its processes together; pages that they share count for each. */
  readonly peakMegabytes: number;
}

const SAMPLE_MILLISECONDS = 50;
const PAGE_BYTES = 4096;
const PARENT_FIELD = 1;
const RESIDENT_FIELD = 21;

/**
 * Runs a command once and watches its tree of processes.
 *
 * @throws Error with what the command printed when it fails
 */
export async function measureTree(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<TreeCost> {
  const start = process.hrtime.bigint();
  const child = spawn(command, args, { env: environment, stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => (output += text));
  }
  let peakBytes = 0;
  const sampling = setInterval(() => {
    peakBytes = Math.max(peakBytes, residentBytes(child.pid ?? 0));
  }, SAMPLE_MILLISECONDS);
  const status = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  }).finally(() => {
    clearInterval(sampling);
  });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
  return { seconds: Number(process.hrtime.bigint() - start) / 1e9, peakMegabytes: peakBytes / 1e6 };
}

function residentBytes(root: number): number {
  const parents = new Map<number, number>();
  const pages = new Map<number, number>();
  for (const name of readdirSync("/proc")) {
    const id = Number(name);
    if (!Number.isInteger(id)) continue;
    try {
      // The name of the program, in parentheses, may hold anything; what follows it is counted from there.
      const fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      parents.set(id, Number(fields[PARENT_FIELD]));
      pages.set(id, Number(fields[RESIDENT_FIELD]));
    } catch {
      // Ended meanwhile.
    }
  }
  const belongs = (id: number): boolean => {
    if (id === root) return true;
    const parent = parents.get(id);
    return parent !== undefined && parent > 1 && belongs(parent);
  };
  return [...pages].filter(([id]) => belongs(id)).reduce((sum, [, count]) => sum + count * PAGE_BYTES, 0);
}
