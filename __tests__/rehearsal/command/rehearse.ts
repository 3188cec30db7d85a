import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { packageFile } from "../../../lib/core/package-file";
import { findProgram } from "../../support/programs";
import { planWithRealProviders } from "./real-providers";
import { rehearse } from "../engine/rehearsal";
import { EXHAUSTIVE_PARTS, type RehearsalOptions, USUAL_PARTS, workLimit } from "../engine/run-context";
import { failureParagraph, type RehearsalReport } from "../engine/rehearsal-report";
import { REHEARSALS } from "../scenarios/stacks";
import { killAllRuns } from "../deployment/terraform-process";

const USAGE = `npm run rehearse -- [stack...] [--exhaustive] [--only TEXT] [--keep] [--verbose] [--terraform PATH]
                    [--providers MIRROR]

Takes synthesized stacks through their whole life with the real Terraform, offline, against stand-ins.
  stack               ${Object.keys(REHEARSALS).join(", ")}; all when none is named
  --exhaustive        instead of the usual: the creation of every resource fails once, values of inputs are combined in
                      pairs, and parts take every form; "npm run rehearse:exhaustive" is the same
  --only TEXT         of the usual and the exhaustive: changes, failed creations, faults, episodes, refused inputs and
                      combinations (as JSON) with this in their names
  --keep              keep the folders of all deployments and say where they are
  --verbose           show what Terraform prints
  --terraform PATH    the terraform or tofu to use, by its path or its name
  --providers MIRROR  only plan, with the real providers of a filesystem mirror
`;

const HOW_TO_GET = `Install Terraform 1.11 or newer (https://developer.hashicorp.com/terraform/install)
or OpenTofu 1.11 or newer (https://opentofu.org/docs/intro/install/), or name one with --terraform PATH.
`;

/** Oldest minor release with write-only attributes and ephemeral resources. */
const LEAST_MINOR = 11;

function parsedArguments() {
  return parseArgs({
    allowPositionals: true,
    options: {
      exhaustive: { type: "boolean" },
      help: { type: "boolean" },
      keep: { type: "boolean" },
      only: { type: "string" },
      verbose: { type: "boolean" },
      terraform: { type: "string" },
      providers: { type: "string" },
    },
  });
}

async function main({ positionals, values }: ReturnType<typeof parsedArguments>): Promise<number> {
  if (values.help === true) {
    process.stdout.write(USAGE);
    return 0;
  }
  const stacks = positionals.length > 0 ? positionals : Object.keys(REHEARSALS);
  const unknown = stacks.filter((stack) => REHEARSALS[stack] === undefined);
  if (unknown.length > 0) return complain(`${unknown.join(", ")}: no stack.\n\n${USAGE}`);
  const program = programOf(values.terraform);
  if (program === undefined)
    return complain(`There is no ${values.terraform ?? "terraform on the PATH"}. ${HOW_TO_GET}`);
  const tooOld = problemOfRelease(program);
  if (tooOld !== undefined) return complain(`${tooOld} ${HOW_TO_GET}`);
  const start = performance.now();
  const folders = stacks.map((stack) => ({ stack, folder: packageFile(join("cdktf.out", "stacks", stack)) }));
  const missing = folders.filter(({ folder }) => !existsSync(folder)).map(({ stack }) => stack);
  if (missing.length > 0) return complain(`${missing.join(", ")} is not synthesized; run: npm run synth\n`);
  const limit = workLimit();
  const reports = await Promise.all(
    folders.map(({ folder, stack }): Promise<RehearsalReport> => {
      const rehearsal = REHEARSALS[stack];
      if (rehearsal === undefined) throw new Error(`there is no rehearsal of ${stack}`);
      const options: RehearsalOptions = {
        folder,
        program,
        rehearsal,
        keep: values.keep,
        only: values.only,
        parts: values.only === undefined ? (values.exhaustive === true ? EXHAUSTIVE_PARTS : USUAL_PARTS) : undefined,
        limit,
        onProgress: (line) => process.stdout.write(`${line}\n`),
        onCommand: ({ output }, command) => {
          if (values.verbose === true) process.stdout.write(`\n${stack}$ terraform ${command.join(" ")}\n${output}`);
        },
      };
      const { providers: mirror } = values;
      if (mirror !== undefined) return planWithRealProviders({ ...options, mirror: resolve(mirror) });
      return rehearse(options);
    }),
  );
  process.stdout.write(`${((performance.now() - start) / 1000).toFixed(1)} s in all\n`);
  const failures = reports.flatMap(({ stack, failure }) =>
    failure === undefined ? [] : [failureParagraph(stack, failure)],
  );
  return failures.length === 0 ? 0 : complain(`\n${failures.join("\n\n")}\n`);
}

/** Finds a program by its path, or by its name on the PATH; undefined if there is none. */
function programOf(named: string | undefined): string | undefined {
  if (named === undefined) return findProgram("terraform") ?? findProgram("tofu");
  const places = named.includes("/") ? [] : (process.env.PATH ?? "").split(delimiter);
  return [...places.map((place) => join(place, named)), resolve(named)].find(
    (path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true,
  );
}

/** The problem with a program's release, if any. */
function problemOfRelease(program: string): string | undefined {
  const { stdout } = spawnSync(program, ["version", "-json"], {
    encoding: "utf8",
    env: { ...process.env, CHECKPOINT_DISABLE: "1", TF_CLI_CONFIG_FILE: "/dev/null" },
  });
  const [, release = "", major, minor] = /"terraform_version":\s*"((\d+)\.(\d+)[^"]*)"/.exec(stdout) ?? [];
  if (release === "") return `${program} does not say its release.`;
  if (Number(major) > 1 || Number(minor) >= LEAST_MINOR) return undefined;
  return `${program} is of release ${release}, which has no write-only attributes.`;
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

function usageProblem(error: unknown): number {
  return complain(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
}

function run(): Promise<number> {
  try {
    return main(parsedArguments());
  } catch (error) {
    return Promise.resolve(usageProblem(error));
  }
}

run().then(
  (exitCode) => {
    process.exitCode = exitCode;
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  },
);
