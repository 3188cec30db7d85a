import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { packageFile } from "../../lib/core/package-file";
import { findProgram } from "../support/programs";
import { type Inputs } from "./deployment";
import { planWithRealProviders } from "./real-providers";
import { rehearse, type RehearsalOptions } from "./rehearsal";
import { failureParagraph, type RehearsalReport, reportTable } from "./rehearsal-report";
import { REHEARSALS } from "./stacks";
import { killAllRuns } from "./terraform-process";

const USAGE = `npm run rehearse -- [stack or folder...] [--keep] [--verbose] [--terraform PATH] [--providers MIRROR] [--var-file FILE]

Takes synthesized stacks through their whole life with the real Terraform, offline, against stand-ins.
  stack               ${Object.keys(REHEARSALS).join(", ")}; all when none is named
  folder              any synthesized folder, of which one life is rehearsed
  --var-file FILE     inputs of these folders as JSON
  --keep              keep the folders of all deployments and say where they are
  --verbose           show what Terraform prints
  --terraform PATH    the terraform or tofu to use
  --providers MIRROR  only plan, with the real providers of a filesystem mirror
`;

const HOW_TO_GET = `There is no terraform on the PATH. Install Terraform 1.11 or newer (https://developer.hashicorp.com/terraform/install)
or OpenTofu 1.11 or newer (https://opentofu.org/docs/intro/install/), or name one with --terraform PATH.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean" },
      keep: { type: "boolean" },
      verbose: { type: "boolean" },
      terraform: { type: "string" },
      providers: { type: "string" },
      "var-file": { type: "string" },
    },
  });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  const stacks = positionals.length > 0 ? positionals : Object.keys(REHEARSALS);
  const isFolder = (stack: string) => existsSync(join(stack, "cdk.tf.json"));
  const unknown = stacks.filter((stack) => REHEARSALS[stack] === undefined && !isFolder(stack));
  if (unknown.length > 0) return complain(`There is no stack ${unknown.join(", ")}.\n\n${USAGE}`);
  const program =
    values.terraform === undefined ? (findProgram("terraform") ?? findProgram("tofu")) : resolve(values.terraform);
  if (program === undefined || !existsSync(program)) return complain(HOW_TO_GET);

  const start = performance.now();
  const reports: RehearsalReport[] = [];
  for (const stack of stacks) {
    const known = REHEARSALS[stack];
    const folder = known === undefined ? resolve(stack) : packageFile(join("cdktf.out", "stacks", stack));
    if (!existsSync(folder)) return complain(`${stack} is not synthesized; run: npm run synth\n`);
    const options: RehearsalOptions = {
      folder,
      program,
      rehearsal: known ?? { inputs: inputsOf(values["var-file"]) },
      lifecycleOnly: known === undefined,
      keep: values.keep,
      onProgress: (line) => process.stdout.write(`${line}\n`),
      onCommand: ({ output }, command) => {
        if (values.verbose === true) process.stdout.write(`\n$ terraform ${command.join(" ")}\n${output}`);
      },
    };
    reports.push(
      values.providers === undefined
        ? await rehearse(options)
        : await planWithRealProviders({ ...options, mirror: resolve(values.providers) }),
    );
  }
  process.stdout.write(`\n${reportTable(reports)}\n\n${((performance.now() - start) / 1000).toFixed(1)} s in all\n`);
  const failures = reports.flatMap(({ stack, failure }) =>
    failure === undefined ? [] : [failureParagraph(stack, failure)],
  );
  return failures.length === 0 ? 0 : complain(`\n${failures.join("\n\n")}\n`);
}

function inputsOf(file: string | undefined): Inputs {
  return file === undefined ? {} : (JSON.parse(readFileSync(file, "utf8")) as Inputs);
}

function complain(text: string): number {
  process.stderr.write(text);
  return 1;
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    killAllRuns();
    process.exit(1);
  });
}

main().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);
