import { exec } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { parse as parseHcl } from "@cdktf/hcl2json";
import Ajv from "ajv";
import { parse } from "yaml";

import { packageFile } from "../../lib/core/package-file";
import { NEWEST_KNOWN_VERSION, RELEASE_LINES } from "../../lib/idp/releases";
import { Deployment } from "../rehearsal/deployment/deployment";
import { besideHandedOverFolder } from "../support/handed-over-folder";
import { describeWith, programPath } from "../support/programs";
import { temporaryFolder } from "../support/temporary-folder";

type Words = Readonly<Record<string, string>>;

type Steps = readonly { readonly if?: string; readonly run?: string }[];
type Workflow = Readonly<Record<"jobs", Readonly<Record<string, { readonly env: Words; readonly steps: Steps }>>>>;

const run = promisify(exec);
const EXAMPLE = packageFile("stacks/examples/fleet");
const textOf = (file: string) => readFileSync(join(EXAMPLE, file), "utf8");
const { tenants } = JSON.parse(textOf("fleet.json")) as { tenants: Readonly<Record<string, Words>> };
const NAMES = Object.keys(tenants);
const RINGS = Object.values(tenants).map(({ ring = "" }) => ring);
const workflowOf = (name: string) => parse(textOf(`.github/workflows/${name}.yaml`)) as Workflow;
const { jobs } = workflowOf("fleet");
const { env: { COMMAND = "" } = {}, steps = [] } = workflowOf("tenant").jobs.tenant ?? {};
const [APPLY = "", PLAN = ""] = /'push' && '(.*)' \|\| '(.*)'/.exec(COMMAND)?.slice(1) ?? [];
const BUCKET = "google_storage_bucket";

/** Exit code and output of a script, in the shell of the service. */
async function shell(lines: readonly (string | undefined)[] = [], cwd: string, env: Partial<Words>) {
  const file = join(temporaryFolder(), "script");
  writeFileSync(file, lines.join("\n"));
  return run(`/bin/bash -e ${file}`, { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 28 }).then(
    ({ stdout }) => ({ code: 0, stdout }),
    (error: unknown) => {
      const { code, stdout } = error as { code: number; stdout: string };
      return { code, stdout };
    },
  );
}

describe("The example of a fleet", () => {
  it("has a file for each tenant, which the schema of the folder accepts, and a known release for each ring", () => {
    const schema = readFileSync(join(besideHandedOverFolder(), "idp-serverless/inputs.schema.json"), "utf8");
    const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false });
    const accepts = ajv.compile(JSON.parse(schema) as object);
    const inputsIn = (file: string) => JSON.parse(textOf(`${file}.tfvars.json`)) as Words;
    expect(readdirSync(join(EXAMPLE, "tenants"))).toEqual(NAMES.map((name) => `${name}.tfvars.json`));
    for (const [name, { ring, planner, deployer }] of Object.entries(tenants)) {
      const own = inputsIn(`tenants/${name}`);
      expect([accepts(own), accepts({ ...inputsIn(`rings/${ring}`), ...own }), accepts.errors]).toEqual([
        true,
        true,
        null,
      ]);
      const accounts = ["planner", "deployer"].map((account) => `${account}@${own.project_id}.iam.gserviceaccount.com`);
      expect([planner, deployer]).toEqual(accounts);
    }
    const releases = ["canary", "everyone"].map((ring) => inputsIn(`rings/${ring}`).application_version);
    expect(releases).toEqual([NEWEST_KNOWN_VERSION, RELEASE_LINES[0].newest]);
  });

  it("has a configuration of Terragrunt that can be read, and a unit for each tenant in its ring", async () => {
    const root: unknown = await parseHcl("root.hcl", textOf("root.hcl"));
    const source = "${local.root}/${local.fleet.tenants[local.tenant].folder}";
    expect(root).toMatchObject({ terraform: [{ source }] });
    const folder = temporaryFolder();
    cpSync(EXAMPLE, folder, { recursive: true });
    expect(await shell([textOf("units.sh")], folder, {})).toEqual({ code: 0, stdout: "" });
    const files = readdirSync(join(folder, "units"), { recursive: true, encoding: "utf8" });
    const units = NAMES.map((name, index) => `${RINGS[index]}/${name}/terragrunt.hcl`);
    expect(files.filter((file) => file.endsWith(".hcl")).sort()).toEqual(units);
    const unit: unknown = await parseHcl("unit.hcl", readFileSync(join(folder, "units", units[0] ?? ""), "utf8"));
    expect(unit).toMatchObject({ include: { root: [{ path: '${find_in_parent_folders("root.hcl")}' }] } });
  });

  it.each([
    ["that ends in the middle", '{ "tenants": {'],
    ["that is empty", ""],
    ["without tenants", '{ "tenants": {} }'],
    ["with a tenant that leaves the folder", '{ "tenants": { "../../x": { "ring": "canary" } } }'],
    ["with a tenant of two lines", '{ "tenants": { "x\\ny": { "ring": "canary" } } }'],
    ["with a ring that leaves the folder", '{ "tenants": { "x": { "ring": "../.." } } }'],
    ["with a tenant without a ring, after a whole one", '{ "tenants": { "a": { "ring": "b" }, "x": {} } }'],
  ])("refuses a fleet.json %s, and keeps the units that there are", async (_, fleet) => {
    const folder = join(temporaryFolder(), "repository/fleet");
    cpSync(EXAMPLE, folder, { recursive: true });
    await shell([textOf("units.sh")], folder, {});
    const filesAround = () => readdirSync(join(folder, "../.."), { recursive: true, encoding: "utf8" }).sort();
    const before = filesAround();
    writeFileSync(join(folder, "fleet.json"), fleet);
    expect(await shell([textOf("units.sh")], folder, {})).toEqual({ code: 1, stdout: "" });
    expect(filesAround()).toEqual(before);
  });
});

describeWith(["bash", "curl", "jq", "terraform"], "The pipeline of the example", () => {
  it("plans and applies each tenant; a failure, a drift and a release concern their tenants alone", async () => {
    await inRepository(async ({ cloud, folder }, environment) => {
      const at = (name: string) => join(folder, name);
      await shell([jobs.fleet?.steps[1]?.run], folder, { ...environment, GITHUB_OUTPUT: at("output") });
      const matrix = [...readFileSync(at("output"), "utf8").matchAll(/^(\w+)=(.*)$/gm)].flatMap(([, name, list = ""]) =>
        (JSON.parse(list) as Words[]).filter(({ ring }) => ring === name),
      );
      expect(matrix).toEqual(NAMES.map((tenant) => ({ tenant, ...tenants[tenant] })));
      expect(jobs).toMatchObject({
        approve: { needs: ["fleet", "canary"] },
        everyone: { needs: ["fleet", "approve"] },
      });
      let runs = 0;
      /** The jobs of a run, all at once: whether each is well, and what the summary says. */
      const outcomes = async (event: string) => {
        const number = (runs += 1);
        const isWell = matrix.map(async ({ folder: FOLDER, ring: RING, tenant: TENANT }) => {
          // Each job has a copy of the repository; here, only what Terraform keeps in it is apart.
          const files = { TF_DATA_DIR: at(`data-${TENANT}`), GITHUB_ENV: at(`${TENANT}-${number}`) };
          const own = { TENANT, RING, FOLDER, ...files };
          const env = { ...environment, ...own, GITHUB_EVENT_NAME: event, COMMAND: event === "push" ? APPLY : PLAN };
          const [always = [], usual = []] = [true, false].map((isAlways) =>
            steps.filter((step) => (step.if === "always()") === isAlways).map((step) => step.run),
          );
          const { code } = await shell(usual, folder, env);
          await shell([`. ${own.GITHUB_ENV}`, ...always], folder, env);
          return code;
        });
        const codes = await Promise.all(isWell);
        const summary = at(`summary-${number}`);
        await shell([jobs.report?.steps[1]?.run], folder, { ...environment, GITHUB_STEP_SUMMARY: summary });
        const rows = readFileSync(summary, "utf8").matchAll(/^\| (\w+) \| \w+ \| (.*) \|$/gm);
        return [...rows]
          .slice(1)
          .map(([, tenant, code], index) => `${tenant} ${code}, ${codes[index] === 0 ? "well" : "failed"}`);
      };
      expect(await outcomes("pull_request")).toEqual(["acme 2, well", "globex 2, well", "initech 2, well"]);
      const refuses = ({ project }: { project?: unknown }) => project === "globex-sign-in";
      cloud.policies.push({ types: [BUCKET], refuses, says: () => "not in this project" });
      expect(await outcomes("push")).toEqual(["acme 0, well", "globex 1, failed", "initech 0, well"]);
      cloud.policies.pop();
      expect(await outcomes("push")).toEqual(["acme 0, well", "globex 0, well", "initech 0, well"]);
      expect(cloud.ofType("google_cloud_run_v2_service")).toHaveLength(NAMES.length);
      for (const object of cloud.ofType(BUCKET).filter(({ values }) => values.project === "initech-sign-in"))
        cloud.objects.set(`${BUCKET} ${object.id}`, { ...object, values: { ...object.values, labels: {} } });
      expect(await outcomes("schedule")).toEqual(["acme 0, well", "globex 0, well", "initech 2, failed"]);
      cpSync(at("rings/everyone.tfvars.json"), at("rings/canary.tfvars.json"));
      expect(await outcomes("pull_request")).toEqual(["acme 2, well", "globex 0, well", "initech 2, well"]);
    });
  });
});

/** A repository as the page describes it, on the providers of the rehearsal. */
async function inRepository(
  work: (deployment: Deployment, environment: Partial<Words>) => Promise<void>,
): Promise<void> {
  const source = besideHandedOverFolder();
  cpSync(EXAMPLE, source, { recursive: true });
  // The bucket of the page cannot be reached, so the options of its backend become the path of a file.
  writeFileSync(join(source, "idp-serverless/backend_override.tf.json"), '{"terraform":{"backend":{"local":{}}}}');
  await Deployment.use({ source, inputs: {}, program: programPath("terraform") }, async (deployment) => {
    const programs = join(deployment.folder, "programs");
    mkdirSync(programs);
    const options = `"\${@/#-backend-config=prefix=/-backend-config=path=${deployment.folder}/}"`;
    const shim = `#!/bin/bash\nset -- ${options}\nexec ${programPath("terraform")} "\${@/-backend-config=bucket=my-states/-no-color}"\n`;
    writeFileSync(join(programs, "terraform"), shim, { mode: 0o755 });
    const PATH = `${programs}:${deployment.programEnvironment.PATH}`;
    const settings = { TF_IN_AUTOMATION: "true", TF_INPUT: "false", CHECKPOINT_DISABLE: "1" };
    await work(deployment, { ...deployment.programEnvironment, ...settings, PATH });
  });
}
