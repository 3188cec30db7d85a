import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "csv-parse/sync";

import { packageFile } from "../../../lib/core/package-file";
import { programPath } from "../../support/programs";

export const SCOPED_KEY = { id: "AKIASCOPEDUSER000001", secret: "never/Printed+Secret0000000000000000001" } as const;

export interface InventoryManifest {
  readonly instances: number;
  readonly hash: string;
  readonly files: readonly {
    readonly name: string;
    readonly kind: string;
    readonly bytes: number;
    readonly rows: number;
    readonly sha256: string;
  }[];
}

export interface InventoryOptions {
  /** Empty folder of the test's own; inventory, home and temporary files are kept apart in it. */
  readonly folder: string;
  /** Folders of programs, in the order in which they are searched. */
  readonly programs: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** @default "dash" */
  readonly shell?: "bash" | "busybox" | "dash";
  /** Called with the output so far whenever a line arrives. */
  readonly onOutput?: (output: string, kill: (signal: NodeJS.Signals) => void) => void;
}

export interface InventoryRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Undefined when there is none. */
  readonly manifest: InventoryManifest | undefined;
  /** Folder of the tables. */
  readonly tables: string;
  /** What the script has left in the folder for temporary files. */
  readonly leftovers: readonly string[];
}

/** Runs `export-inventory.sh` for real; resolves when it has ended, whatever its exit code. */
export async function exportInventory(options: InventoryOptions): Promise<InventoryRun> {
  const { environment, folder, onOutput, programs, shell = "dash" } = options;
  const [tables, temporary] = [join(folder, "tables"), join(folder, "temporary")];
  for (const path of [tables, temporary]) mkdirSync(path, { recursive: true });
  const script = packageFile("lib/lab/scripts/export-inventory.sh");
  const child = spawn(programPath(shell), shell === "busybox" ? ["sh", script] : [script], {
    env: {
      PATH: programs.join(":"),
      HOME: folder,
      TMPDIR: temporary,
      GOOGLE_REST_LIBRARY: packageFile("lib/core/scripts/google-rest.sh"),
      REST_RETRY_BASE_SECONDS: "0.01",
      AWS_ACCESS_KEY_ID: SCOPED_KEY.id,
      AWS_SECRET_ACCESS_KEY: SCOPED_KEY.secret,
      CLOUDB_REGION: "us-east-1",
      INVENTORY_FOLDER: tables,
      ...environment,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const run = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const) {
    child[stream].setEncoding("utf8").on("data", (text: string) => {
      run[stream] += text;
      onOutput?.(run.stdout, (signal) => child.kill(signal));
    });
  }
  const exitCode = await new Promise<number | null>((resolve, reject) => {
    child.on("error", reject).on("close", resolve);
  });
  const manifest = join(tables, "manifest.json");
  return {
    ...run,
    exitCode,
    tables,
    manifest: existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as InventoryManifest) : undefined,
    leftovers: readdirSync(temporary),
  };
}

/** Rows of one kind of table, out of all its files, in the order of the manifest; the header of each is the first. */
export function rowsOf({ manifest, tables }: InventoryRun, kind: string): string[][] {
  const files = manifest?.files.filter((file) => file.kind === kind) ?? [];
  return files.flatMap(({ name }) => parse(readFileSync(join(tables, name)), { record_delimiter: "\r\n" }));
}

/** The same without the headers. */
export function contentsOf(run: InventoryRun, kind: string): string[][] {
  return rowsOf(run, kind).filter(([first]) => first !== "MachineId");
}

/** Processes that still belong to a run: all of them have its folder for temporary files. */
export function processesOf(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((process) => {
      try {
        const environment = readFileSync(join("/proc", process, "environ"), "utf8").split("\0");
        const isOurs = environment.includes(`TMPDIR=${join(folder, "temporary")}`);
        return isOurs ? [readFileSync(join("/proc", process, "cmdline"), "utf8").replaceAll("\0", " ")] : [];
      } catch {
        // Ended meanwhile, or somebody else's.
        return [];
      }
    })
    .filter((command) => command !== "");
}
