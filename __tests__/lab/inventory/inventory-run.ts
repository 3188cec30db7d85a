import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "csv-parse/sync";

import { type GoogleStandIn } from "../../support/google-stand-in";
import { programFolder, type ScriptOptions } from "../../support/google-stand-in-scripts";

export const SCOPED_KEY = { id: "AKIASCOPEDUSER000001", secret: "never/Printed+Secret0000000000000000001" } as const;

/** Settings of the import that are AWS's. */
export const AWS_ENVIRONMENT = {
  AWS_ACCESS_KEY_ID: SCOPED_KEY.id,
  AWS_SECRET_ACCESS_KEY: SCOPED_KEY.secret,
  CLOUDB_REGION: "us-east-1",
};

/** One instance, its type and its disk, as AWS describes them. */
const MACHINE = {
  InstanceId: "i-1",
  InstanceType: "t3.micro",
  State: { Name: "running" },
  LaunchTime: "2024-03-01T10:00:00+00:00",
  PlatformDetails: "Linux/UNIX",
  Tags: [{ Key: "Name", Value: 'a, "b"\n\u{1F600}\\n' }],
};
const TYPE = { InstanceType: "t3.micro", VCpuInfo: { DefaultVCpus: 2 }, MemoryInfo: { SizeInMiB: 1024 } };

export interface Account {
  /** @default one */
  readonly machines?: readonly object[];
  readonly types?: readonly object[];
  readonly volumes?: readonly object[];
  /** Shell lines that the program runs before it answers. */
  readonly before?: string;
}

/** So many instances. */
export const machines = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const id = `i-${String(index).padStart(4, "0")}`;
    return { ...MACHINE, InstanceId: id, Tags: [{ Key: "Name", Value: `web, "${id}"` }] };
  });

/** Adds a program in the place of AWS's own that prints what that one would, row by row, and notes its calls. */
export function withAws(options: ScriptOptions = {}, account: Account = {}): ScriptOptions {
  const { before = "", machines = [MACHINE], types = [TYPE], volumes = [] } = account;
  const folder = options.programs ?? programFolder();
  const answers = { "describe-instances": machines, "describe-instance-types": types, "describe-volumes": volumes };
  for (const [call, rows] of Object.entries(answers)) {
    writeFileSync(join(folder, call), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  }
  const answer = `for word; do\n[ ! -f "${folder}/$word" ] || exec cat "${folder}/$word"\ndone`;
  writeFileSync(join(folder, "aws"), `#!/bin/sh\n${before}\n${answer}\n`);
  chmodSync(join(folder, "aws"), 0o755);
  return { ...options, programs: folder, environment: { ...AWS_ENVIRONMENT, ...options.environment } };
}

/** Rows of the newest table of a kind that was sent to the service; the header is the first. */
export function rowsOf({ migration }: GoogleStandIn, kind: string): string[][] {
  const sent = [...migration.uploads.objects].filter(([name]) => name.endsWith(`/${kind.toLowerCase()}-csv`)).at(-1);
  return parse(sent?.[1] ?? Buffer.of(), { record_delimiter: "\r\n" });
}
