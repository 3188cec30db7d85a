import { spawn } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { programFolder } from "../../support/google-stand-in-scripts";
import { processesOf, SCOPED_KEY } from "./inventory-run";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { runOf } from "../../support/process-run";

interface Scene {
  readonly arguments?: readonly string[];
  /** Shell lines in the place of the steps: what the wrapper does with them is what is looked at here. */
  readonly exportStep?: string;
  readonly importStep?: string;
  readonly programs?: string;
  readonly killAt?: string;
}

const GOOD_EXPORT = 'echo "exporting with $AWS_ACCESS_KEY_ID"; echo table >"$INVENTORY_FOLDER/vmInfo.csv"';
const GOOD_IMPORT = 'echo "importing $(cat "$INVENTORY_FOLDER/vmInfo.csv")"';

/** The wrapper in a folder as Terraform has it, beside the steps of the test. */
async function discovered(scene: Scene = {}) {
  const folder = temporaryFolder();
  const temporary = join(folder, "temporary");
  mkdirSync(temporary);
  copyFileSync(packageFile("lib/lab/scripts/discover-cloudb.sh"), join(folder, "discover-cloudb.sh"));
  for (const library of ["rest-script.sh", "google-credentials.sh", "google-rest.sh"]) {
    copyFileSync(packageFile(`lib/core/scripts/${library}`), join(folder, library));
  }
  writeFileSync(join(folder, "export-inventory.sh"), `set -eu\n${scene.exportStep ?? GOOD_EXPORT}\n`);
  writeFileSync(join(folder, "import-inventory.sh"), `set -eu\n${scene.importStep ?? GOOD_IMPORT}\n`);
  const programs = scene.programs ?? programFolder({ scripts: { aws: "exit 1" } });
  const child = spawn(programPath("dash"), [join(folder, "discover-cloudb.sh"), ...(scene.arguments ?? [])], {
    env: {
      PATH: programs,
      TMPDIR: temporary,
      MARKS: folder,
      AWS_ACCESS_KEY_ID: SCOPED_KEY.id,
      AWS_SECRET_ACCESS_KEY: SCOPED_KEY.secret,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const run = await runOf(child, ({ stdout }) => {
    if (scene.killAt !== undefined && stdout.includes(scene.killAt)) child.kill("SIGTERM");
  });
  return { ...run, folder, leftovers: readdirSync(temporary) };
}

describeWith(["dash", "jq", "curl"], "discover-cloudb.sh", () => {
  it.concurrent("imports what was exported, and leaves nothing behind", async () => {
    expect(await discovered()).toMatchObject({
      exitCode: 0,
      stdout: `exporting with ${SCOPED_KEY.id}\nimporting table\n`,
      stderr: "",
      leftovers: [],
    });
  });

  it.concurrent("keeps the inventory private while it exists", async () => {
    const { stdout } = await discovered({
      importStep: 'ls -ld "$INVENTORY_FOLDER" | cut -c 1-10',
      programs: process.env.PATH ?? "",
    });
    expect(stdout).toContain("drwx------\n");
  });

  it.concurrent("keeps the key from the import", async () => {
    const run = await discovered({ importStep: 'echo "${AWS_ACCESS_KEY_ID-none} ${AWS_SECRET_ACCESS_KEY-none}"' });
    expect(run).toMatchObject({ exitCode: 0, stdout: `exporting with ${SCOPED_KEY.id}\nnone none\n` });
  });

  it.concurrent.each([
    ["exportStep", 7],
    ["importStep", 3],
  ])("ends with the exit code of the %s, and imports nothing after a failed export", async (step, code) => {
    const run = await discovered({ [step]: `exit ${code}`, ...(code === 7 ? {} : { exportStep: ":" }) });
    expect(run).toMatchObject({ exitCode: code, stdout: "", leftovers: [] });
  });

  it.concurrent.each(["exportStep", "importStep"])("ends the %s too when it is interrupted", async (step) => {
    const run = await discovered({
      [step]: 'trap "echo ended >\\"$MARKS/ended\\"; exit 143" TERM\necho waiting\nwhile :; do sleep 0.05; done',
      killAt: "waiting",
    });
    expect(run).toMatchObject({ exitCode: 143, stderr: "Interrupted by SIGTERM.\n", leftovers: [] });
    expect(readFileSync(join(run.folder, "ended"), "utf8")).toBe("ended\n");
    expect(processesOf(run.folder)).toEqual([]);
  });

  it.concurrent("names all missing programs in one message, before anything is done", async () => {
    const programs = programFolder({ without: ["curl", "jq"] });
    const run = await discovered({ arguments: ["--check"], programs });
    expect(run).toMatchObject({ exitCode: 2, stdout: "", leftovers: [] });
    expect(run.stderr).toBe(
      "Missing on this machine: aws curl jq. Install them (jq 1.6 or newer, aws 1 or 2), then run the same command again.\n",
    );
  });
});
