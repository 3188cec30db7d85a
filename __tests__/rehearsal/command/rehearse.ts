import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";

import { nearest } from "../../../lib/core/inputs/nearest";
import { packageFile } from "../../../lib/core/package-file";
import { findProgram } from "../../support/programs";
import { killAllRuns } from "../deployment/terraform-process";
import { rehearse } from "../engine/rehearsal";
import {
  EXHAUSTIVE_PARTS,
  nothingFound,
  type RehearsalFailure,
  type RehearsalOptions,
  type RehearsalReport,
  USUAL_PARTS,
  workLimit,
} from "../engine/run-context";
import { REHEARSALS } from "../scenarios/stacks";

const USAGE = `npm run rehearse -- [stack...] [--exhaustive] [--only TEXT] [--keep] [--terraform PATH]

Takes synthesized stacks through their whole life with the real Terraform, offline, against stand-ins.
  stack               ${Object.keys(REHEARSALS).join(", ")}; all when none is named
  --exhaustive        instead of the usual: further episodes, the creation of every resource fails once, values of inputs
                      are combined, and parts take every form; "npm run rehearse:exhaustive" is the same
  --only TEXT         of the usual and the exhaustive: changes, failed creations, faults, episodes and combinations (as
                      JSON) with this in their names
  --keep              keep the folders of all deployments and say where they are
  --terraform PATH    the terraform to use
`;

const INTRODUCTION =
  "Each line is a step that ended as expected, also where it names a refusal or a failure: those are provoked.";

/** How long the usual rehearsal takes on two cores; nothing is said of a part of it, or of more. */
function timeOf(stacks: readonly string[], isUsual: boolean): string {
  if (!isUsual) return "";
  const isAll = stacks.length === Object.keys(REHEARSALS).length;
  const isShort = stacks.every((stack) => stack === "assessment-lab");
  const who = isAll ? "all stacks together take" : `${stacks.join(" and ")} ${stacks.length > 1 ? "take" : "takes"}`;
  return `On two cores, ${who} ${isShort ? "about half a minute" : isAll ? "about four minutes" : "up to four minutes"}.\n`;
}

const HOW_TO_GET = `Install Terraform 1.11 or newer (https://developer.hashicorp.com/terraform/install), or name one with
--terraform PATH.
`;

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      exhaustive: { type: "boolean" },
      help: { type: "boolean" },
      keep: { type: "boolean" },
      only: { type: "string" },
      terraform: { type: "string" },
    },
  });
  const { exhaustive = false, help = false, keep, only, terraform } = values;
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const program = terraform === undefined ? findProgram("terraform") : resolve(terraform);
  if (program === undefined || !existsSync(program))
    return complain(`There is no ${terraform ?? "terraform on the PATH"}. ${HOW_TO_GET}`);
  const unknown = positionals.filter((stack) => REHEARSALS[stack] === undefined);
  if (unknown.length > 0) return complain(`${unknown.map(unknownStack).join("")}\n${USAGE}`);
  const chosen = Object.entries(REHEARSALS).filter(
    ([stack]) => positionals.length === 0 || positionals.includes(stack),
  );
  const folders = temporaryOutput();
  if (!synthesize(folders)) return 1;
  const stacks = chosen.map(([stack]) => stack);
  process.stdout.write(`${INTRODUCTION}\n${timeOf(stacks, !exhaustive && only === undefined)}`);
  const limit = workLimit();
  const works = chosen.map(([stack, rehearsal]): Promise<RehearsalReport> => {
    const folder = join(folders, "stacks", stack);
    const options: RehearsalOptions = {
      folder,
      keep,
      limit,
      only,
      program,
      rehearsal,
      parts: only !== undefined ? undefined : exhaustive ? EXHAUSTIVE_PARTS : USUAL_PARTS,
      onProgress: (line) => process.stdout.write(`${line}\n`),
    };
    return rehearse(options);
  });
  const reports = await Promise.all(works);
  const duration = `${(performance.now() / 1000).toFixed(1)} s in all`;
  const failures = reports.flatMap(({ stack, failure }) =>
    failure === undefined ? [] : [failureParagraph(stack, failure)],
  );
  if (failures.length > 0) return complain(`\n${failures.join("\n\n")}\n`);
  const nothing = nothingFound(only, reports);
  if (nothing !== undefined) return complain(`${nothing}\n`);
  process.stdout.write(`All passed, ${duration}.\n`);
  return 0;
}

function unknownStack(name: string): string {
  const near = nearest(name, Object.keys(REHEARSALS));
  return `${name} is no stack${near === undefined ? "." : `; did you mean ${near}?`}\n`;
}

/** A folder that is removed at the end: what somebody has synthesized, and put beside it, is not touched. */
function temporaryOutput(): string {
  const folder = mkdtempSync(join(tmpdir(), "rehearsal-"));
  process.on("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Writes the folders that are rehearsed, without the commands for their first apply; whether that succeeded. */
function synthesize(outputFolder: string): boolean {
  const synthesis = spawnSync("npm", ["run", "--silent", "synth"], {
    cwd: packageFile("."),
    env: { ...process.env, CDKTF_OUTDIR: outputFolder, STATE_BACKEND: "local" },
    stdio: ["ignore", "ignore", "inherit"],
  });
  return synthesis.status === 0;
}

/** A paragraph that describes the failure. */
function failureParagraph(stack: string, { step, address, message, folder }: RehearsalFailure): string {
  return [
    `${stack}: the rehearsal failed in step "${step}"${address === undefined ? "" : `, at ${address}`}.`,
    message.trim(),
    `The deployment as it was then is in ${folder}.`,
  ].join("\n");
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
    const { code = "", message, stack = message } = error as Error & { readonly code?: string };
    process.exitCode = complain(code.startsWith("ERR_PARSE_ARGS") ? `${message}\n\n${USAGE}` : `${stack}\n`);
  },
);
