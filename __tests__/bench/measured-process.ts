import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What one command costs. */
export interface Cost {
  /** Median over the measured runs. */
  readonly milliseconds: number;

  /** Largest resident memory of a Node process of the command, in any run; 0 when it starts none. */
  readonly peakMegabytes: number;
}

export interface MeasuredCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;

  /** Measured runs, after one that warms the file caches. */
  readonly runs: number;
}

/**
 * Runs a command several times, one after the other.
 *
 * @throws Error with what the command printed when it fails
 */
export function measure({ command, args, cwd, environment, runs }: MeasuredCommand): Cost {
  const scratch = mkdtempSync(join(tmpdir(), "measured-"));
  try {
    const memoryFile = join(scratch, "megabytes");
    const hook = join(scratch, "record-memory.cjs");
    writeFileSync(memoryFile, "");
    writeFileSync(hook, RECORD_MEMORY);
    const env = {
      ...process.env,
      ...environment,
      NODE_OPTIONS: `--require ${hook}`,
      MEASURED_MEMORY_FILE: memoryFile,
    };
    const run = (): number => {
      const start = process.hrtime.bigint();
      const { status, stdout, stderr } = spawnSync(command, args, { cwd, env, encoding: "utf8" });
      const nanoseconds = process.hrtime.bigint() - start;
      if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
      return Number(nanoseconds) / 1e6;
    };
    run();
    const times = Array.from({ length: runs }, run).sort((a, b) => a - b);
    const megabytes = readFileSync(memoryFile, "utf8").split("\n").map(Number);
    return { milliseconds: times[Math.floor(runs / 2)] ?? NaN, peakMegabytes: Math.max(...megabytes) };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Every Node process of the command notes its own peak when it ends. */
const RECORD_MEMORY = `
process.on("exit", () => {
  const megabytes = process.resourceUsage().maxRSS / 1024;
  require("node:fs").appendFileSync(process.env.MEASURED_MEMORY_FILE, megabytes + "\\n");
});
`;
