import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { type ProcessRun, runOf } from "../../support/process-run";

let place: string;

beforeAll(() => {
  place = temporaryFolder();
});

/** Runs what `npm run rehearse` runs, without the synth. */
async function runRehearse(args: readonly string[], environment: NodeJS.ProcessEnv = {}): Promise<ProcessRun> {
  const command = ["--import", require.resolve("tsx"), join(__dirname, "rehearse.ts"), ...args];
  const child = spawn(process.execPath, command, {
    cwd: place,
    env: { ...process.env, TMPDIR: place, ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return runOf(child);
}

/** A synthesized folder of a user. */
function folderOf(name: string, configuration: object): string {
  const folder = join(place, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify(configuration));
  return folder;
}

function fileOf(name: string, content: object): string {
  const file = join(place, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const PROVIDER = { provider: { google: [{ project: "their-project" }] } };

const BUCKET = { name: "their-files", location: "EU" };

/** A stack's steps in the table at the end of the output. */
function stepsIn({ stdout }: ProcessRun, stack: string): string[] {
  const table = stdout.slice(stdout.indexOf("\nstack "));
  return [...table.matchAll(new RegExp(`^${stack} {2,}(.+?) {2,}\\d+\\.\\d +\\d+$`, "gm"))].map(
    ([, step]) => step ?? "",
  );
}

const TO_OUTPUT = ["init", "validate", "plan", "apply", "plan again", "output"];

describeWith(["terraform"], "npm run rehearse", () => {
  it("keeps its own state, whatever backend a folder names and whatever its owner has left there", async () => {
    const state = '{ "version": 4, "serial": 7, "lineage": "theirs", "outputs": {}, "resources": [] }';
    const remote = { terraform: { backend: { http: { address: "http://127.0.0.1:9/state" } } }, ...PROVIDER };
    const folder = folderOf("with-a-backend", { ...remote, resource: { google_storage_bucket: { files: BUCKET } } });
    writeFileSync(join(folder, "terraform.tfstate"), state);
    mkdirSync(join(folder, ".terraform"));
    writeFileSync(join(folder, ".terraform/terraform.tfstate"), '{ "version": 3, "backend": { "type": "http" } }');
    const cloud = folderOf("with-a-cloud", {
      terraform: { cloud: { organization: "theirs", workspaces: { name: "a" } } },
    });

    const run = await runRehearse([folder, cloud]);

    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(stepsIn(run, "with-a-backend")).toEqual([...TO_OUTPUT, "destroy"]);
    expect(readFileSync(join(folder, "terraform.tfstate"), "utf8")).toBe(state);
  });

  it("says what is wrong with files of inputs before anything is rehearsed", async () => {
    const folder = folderOf("with-files", {});
    const broken = join(place, "broken.json");
    writeFileSync(broken, "project_id: theirs");
    const list = fileOf("list.json", ["theirs"]);

    const run = await runRehearse([folder, "--var-file", broken, "--protection-off", list]);
    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toBe(
      `${broken}, ${list} cannot be read as JSON; it must be one object of inputs, because Terraform gets it as it is; repair it.\n`,
    );

    const unused = await runRehearse(["idp-serverless", "--var-file", list]);
    expect(unused).toMatchObject({ exitCode: 1, stdout: "" });
    expect(unused.stderr).toMatch(
      /^--var-file and --protection-off are for folders; the stacks have inputs of their own\.\n/,
    );
  });

  it("rehearses only one life cycle of a custom folder", async () => {
    const run = await runRehearse([folderOf("mine", {}), "--exhaustive"]);

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    expect(run.stderr).toMatch(/^--exhaustive is for the stacks; of a folder, one life is rehearsed\.\n/);
  });

  it("lists every step in a table and succeeds when every folder succeeds", async () => {
    const good = folderOf("good", { resource: { terraform_data: { one: { input: "a" } } } });

    const run = await runRehearse([good, "--terraform", "terraform"]);

    expect(run).toMatchObject({ exitCode: 0, stderr: "" });
    expect(run.stdout).toMatch(/^ +\d+\.\d s {2}good {2}init$/m);
    expect(run.stdout).toMatch(/^stack +step +seconds +resources$/m);
    expect(run.stdout).toMatch(/^good +plan +\d+\.\d +1$/m);
    expect(stepsIn(run, "good")).toEqual([...TO_OUTPUT, "destroy"]);
  });

  it("reports a failure with step, address, reason and folder, and continues with the others", async () => {
    const broken = folderOf("broken", {
      ...PROVIDER,
      resource: { google_storage_bucket: { files: { name: "their" } } },
    });
    const foreign = folderOf("foreign", { resource: { aws_s3_bucket: { files: { bucket: "their-files" } } } });
    const good = folderOf("good-too", { resource: { terraform_data: { one: { input: "a" } } } });

    const run = await runRehearse([broken, foreign, good]);

    expect(run.exitCode).toBe(1);
    const [ofBroken = "", ofForeign = ""] = run.stderr.trim().split("\n\nforeign: ");
    expect(ofBroken).toMatch(
      /^broken: the rehearsal failed in step "validate", at google_storage_bucket\.files\.\nError: Missing required argument\n/,
    );
    const [, kept = ""] = /The deployment as it was then is in (\S+)\.$/.exec(ofBroken) ?? [];
    expect(readdirSync(kept)).toContain("cdk.tf.json");
    expect(ofForeign).toBe(
      [
        'the rehearsal failed in step "schemas".',
        `there is no schema of aws_s3_bucket; run: npm run rehearse:schemas -- ${foreign}`,
        `The deployment as it was then is in ${foreign}.`,
      ].join("\n"),
    );
    expect(stepsIn(run, "broken")).toEqual(["init"]);
    expect(stepsIn(run, "good-too")).toEqual([...TO_OUTPUT, "destroy"]);
  });

  it("assumes that what a folder does not create exists, and still detects missing dependencies", async () => {
    const member = "serviceAccount:their@another-project.iam.gserviceaccount.com";
    const grant = { bucket: "others-files", role: "roles/storage.objectViewer", member };
    const grants = { google_storage_bucket_iam_member: { reads: grant } };
    const waiting = { ...grants, google_storage_bucket: { files: BUCKET } };
    const hasty = { google_storage_bucket_iam_member: { reads: { ...grant, bucket: BUCKET.name } } };
    const late = { ...BUCKET, depends_on: ["google_storage_bucket_iam_member.reads"] };

    const run = await runRehearse([
      folderOf("waiting", { ...PROVIDER, resource: waiting }),
      folderOf("hasty", { ...PROVIDER, resource: { ...hasty, google_storage_bucket: { files: late } } }),
    ]);

    expect(stepsIn(run, "waiting")).toEqual([...TO_OUTPUT, "destroy"]);
    expect(stepsIn(run, "hasty")).toEqual(["init", "validate", "plan"]);
    expect(run.stderr).toContain("needs what is not there: google_storage_bucket their-files");
  });

  it("destroys a protected folder only with the inputs for it", async () => {
    const secret = { secret_id: "their-key", replication: { auto: {} }, deletion_protection: "${var.is_protected}" };
    const protectedFolder = folderOf("protected", {
      ...PROVIDER,
      variable: { is_protected: { type: "bool", default: true } },
      resource: { google_secret_manager_secret: { key: secret } },
    });

    const [kept, destroyed] = await Promise.all([
      runRehearse([protectedFolder]),
      runRehearse([protectedFolder, "--protection-off", fileOf("off.json", { is_protected: false })]),
    ]);

    expect(kept.exitCode).toBe(0);
    expect(stepsIn(kept, "protected")).toEqual(TO_OUTPUT);
    expect(kept.stdout).toContain(
      "protected is protected, so it was not destroyed; inputs that switch that off are given by",
    );
    expect(destroyed).toMatchObject({ exitCode: 0, stderr: "" });
    expect(stepsIn(destroyed, "protected")).toEqual([...TO_OUTPUT, "destroy refused", "protection off", "destroy"]);
  });

  it("says how to get a terraform when there is none, or none that is new enough", async () => {
    folderOf(".", { resource: {} });
    const old = join(place, "terraform-of-old");
    writeFileSync(old, `#!/bin/sh\necho '{ "terraform_version": "1.10.5" }'\n`);
    chmodSync(old, 0o755);

    const [missing, misnamed, tooOld] = await Promise.all([
      runRehearse(["."], { PATH: place }),
      runRehearse([".", "--terraform", "terraform-of-mine"]),
      runRehearse([".", "--terraform", old]),
    ]);

    const wayOut =
      /Install Terraform 1\.11 or newer \(https:\S+\)\nor OpenTofu 1\.11 or newer .*, or name one with --terraform PATH\.\n$/;
    expect(missing).toMatchObject({ exitCode: 1, stdout: "", stderr: expect.stringMatching(wayOut) as string });
    expect(missing.stderr).toMatch(/^There is no terraform on the PATH\. /);
    expect(misnamed).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(wayOut) as string });
    expect(misnamed.stderr).toMatch(/^There is no terraform-of-mine\. /);
    expect(tooOld).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(wayOut) as string });
    expect(tooOld.stderr).toMatch(/terraform-of-old is of release 1\.10\.5, which has no write-only attributes\. /);
  });

  it("answers unknown arguments with its usage", async () => {
    const [option, stack] = await Promise.all([runRehearse(["--fast"]), runRehearse(["nowhere"])]);

    expect(option.exitCode).toBe(1);
    expect(option.stderr).toMatch(/^Unknown option '--fast'[^\n]*\n\nnpm run rehearse -- \[stack or folder\.\.\.\]/);
    expect(stack.exitCode).toBe(1);
    expect(stack.stderr).toMatch(
      /^nowhere: neither a stack \(idp-serverless, .+\) nor a folder with a cdk\.tf\.json\.\n\nnpm run rehearse -- /,
    );
  });
});
