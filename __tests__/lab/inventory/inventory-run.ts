import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "csv-parse/sync";

import { packageFile } from "../../../lib/core/package-file";
import { programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { runOf } from "../../support/process-run";

export const SCOPED_KEY = { id: "AKIASCOPEDUSER000001", secret: "never/Printed+Secret0000000000000000001" } as const;

interface InventoryManifest {
  readonly instances: number;
  readonly hash: string;
  readonly files: readonly { readonly name: string; readonly kind: string; readonly rows: number }[];
}

interface InventoryOptions {
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
  const run = await runOf(child, ({ stdout }) => onOutput?.(stdout, (signal) => child.kill(signal)));
  const manifest = join(tables, "manifest.json");
  return {
    ...run,
    tables,
    manifest: existsSync(manifest) ? (JSON.parse(readFileSync(manifest, "utf8")) as InventoryManifest) : undefined,
    leftovers: readdirSync(temporary),
  };
}

/** One machine, its type and its disk, as AWS describes them. */
export const MACHINE = {
  InstanceId: "i-1",
  InstanceType: "t3.micro",
  State: { Name: "running" },
  LaunchTime: "2024-03-01T10:00:00+00:00",
  PlatformDetails: "Linux/UNIX",
  Tags: [{ Key: "Name", Value: 'a, "b"\n\u{1F600}\\n' }],
};
const TYPE = { InstanceType: "t3.micro", VCpuInfo: { DefaultVCpus: 2 }, MemoryInfo: { SizeInMiB: 1024 } };
const VOLUME = {
  VolumeId: "vol-1",
  Size: 8,
  VolumeType: "gp3",
  Attachments: [{ InstanceId: "i-1", Device: "/dev/sda1", State: "attached" }],
};

interface ExportScene extends Partial<InventoryOptions> {
  readonly machines?: readonly object[];
  readonly types?: readonly object[];
  readonly volumes?: readonly object[];
  /** Shell lines that the stand-in runs before it answers. */
  readonly before?: string;
}

/** The script with a program in the place of AWS's own that prints what that one would, row by row. */
export async function exported(
  scene: ExportScene = {},
): Promise<InventoryRun & { readonly calls: string; readonly folder: string }> {
  const folder = temporaryFolder();
  const { before = "", machines = [MACHINE], types = [TYPE], volumes = [VOLUME], ...options } = scene;
  const answers = { "describe-instances": machines, "describe-instance-types": types, "describe-volumes": volumes };
  const bin = join(folder, "bin");
  mkdirSync(bin);
  for (const [call, rows] of Object.entries(answers)) {
    writeFileSync(join(folder, call), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  const calls = join(folder, "calls");
  writeFileSync(
    join(bin, "aws"),
    `#!/bin/sh\nCALLS='${calls}'\nprintf '%s\\n' "$*" >>'${calls}'\n${before}\nfor word; do\n[ ! -f "${folder}/$word" ] || exec cat "${folder}/$word"\ndone\n`,
  );
  chmodSync(join(bin, "aws"), 0o755);
  const run = await exportInventory({ folder, programs: [bin, process.env.PATH ?? ""], ...options });
  return { ...run, folder, calls: existsSync(calls) ? readFileSync(calls, "utf8") : "" };
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
