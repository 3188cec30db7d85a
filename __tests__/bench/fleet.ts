import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";

import pLimit from "p-limit";

import { Deployment, type Inputs } from "../rehearsal/deployment/deployment";
import { besideHandedOverFolder } from "../support/handed-over-folder";
import { findProgram, programPath } from "../support/programs";
import { blockWith } from "../tools/pages";

const PROGRAMS = ["curl", "jq", "terraform", "time"];
const CORES = availableParallelism();
const [MODULES, STATES] = [
  (process.env.FLEET_MODULES ?? "1 5 20 50").split(" "),
  Number(process.env.FLEET_STATES ?? 100),
];

interface Run {
  readonly exitCode: number | null;
  readonly seconds: number;
  readonly megabytes: number;
}

/** Tenants by name. */
const tenants = (count: number) => Array.from({ length: count }, (_, index) => `t${index + 1}`);

/**
 * Measures tenants as modules of one root, and tenants with a state each, on the providers of the rehearsal: one
 * process of Node.js that answers at once, so that what counts is Terraform.
 *
 * @returns whether one failure and the drift of three were told apart from the others
 * @throws Error if a program is missing
 */
export async function measureFleet(print: (text: string) => void): Promise<boolean> {
  const missing = PROGRAMS.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) throw new Error(`fleet needs ${missing.join(", ")}`);
  print(`${CORES} cores\n| What | Wall time | Most memory of a run | Exit codes |\n| --- | --- | --- | --- |\n`);
  for (const count of MODULES.map(Number).filter((each) => each > 0)) await measureModules(count, print);
  return STATES === 0 || measureStates(STATES, print);
}

async function measureModules(count: number, print: (text: string) => void): Promise<void> {
  const source = besideHandedOverFolder();
  rmSync(join(source, "idp-serverless/root.tf"));
  writeFileSync(join(source, "main.tf"), blockWith("stacks/guides/module.md", "hcl", 'source   = "./idp-serverless"'));
  const inputs = {
    tenants: Object.fromEntries(tenants(count).map((name) => [name, { project_id: `${name}-sign-in` }])),
  };
  await deployed(source, inputs, async (deployment) => {
    deployment.writeInputs();
    await measured(deployment, ["init"]);
    for (const command of [["plan"], ["apply", "-auto-approve"], ["plan", "-detailed-exitcode"]]) {
      const run = await measured(deployment, command);
      print(rowOf(`${count} as modules, ${command[0]}`, run.seconds, [run]));
      if (run.exitCode === 1) return;
    }
  });
}

async function measureStates(count: number, print: (text: string) => void): Promise<boolean> {
  const source = besideHandedOverFolder();
  writeFileSync(
    join(source, "idp-serverless/backend_override.tf.json"),
    JSON.stringify({ terraform: { backend: { local: {} } } }),
  );
  const codes: Record<string, (number | null)[]> = {};
  await deployed(source, {}, async (deployment) => {
    const { cloud } = deployment;
    const forEach = async (step: string, ...command: string[]) => {
      const limit = pLimit(CORES);
      const start = performance.now();
      const runs = await Promise.all(
        tenants(count).map((name) =>
          limit(() => {
            const backend = `-backend-config=path=${deployment.folder}/${name}.tfstate`;
            const inputs = [`-var=project_id=${name}-sign-in`, `-var=tenant_id=${name}`];
            const options = command[0] === "init" ? ["-reconfigure", backend] : inputs;
            const environment = { TF_DATA_DIR: join(deployment.folder, `of-${name}`) };
            return measured(deployment, ["-chdir=idp-serverless", ...command, ...options], environment);
          }),
        ),
      );
      print(rowOf(`${count} with a state each, ${step}`, (performance.now() - start) / 1000, runs));
      codes[step] = runs.map(({ exitCode }) => exitCode);
    };
    const plan = ["plan", "-detailed-exitcode", "-lock=false"];
    await forEach("init", "init");
    await forEach("first plan", ...plan);
    cloud.failNext("google_storage_bucket", "refused");
    await forEach("apply, of which one fails", "apply", "-auto-approve");
    await forEach("second apply", "apply", "-auto-approve");
    for (const object of cloud.ofType("google_storage_bucket").slice(0, 3))
      cloud.objects.set(`${object.type} ${object.id}`, { ...object, values: { ...object.values, labels: {} } });
    await forEach("plan, of which three have drifted", ...plan);
  });
  const countOf = (step: string, code: number) => codes[step]?.filter((each) => each === code).length;
  return countOf("apply, of which one fails", 1) === 1 && countOf("plan, of which three have drifted", 2) === 3;
}

async function deployed(source: string, inputs: Inputs, work: (deployment: Deployment) => Promise<void>) {
  await Deployment.use({ source, inputs, program: programPath("terraform") }, async (deployment) => {
    // As for anyone, instead of the settings that make short runs faster and larger.
    deployment.environment = { GOGC: undefined, GOMAXPROCS: undefined };
    await work(deployment);
  });
}

/** One run of Terraform, with its time and most memory. */
async function measured(
  { folder, programEnvironment }: Deployment,
  command: readonly string[],
  further: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const scratch = mkdtempSync(join(tmpdir(), "measured-"));
  const start = performance.now();
  const own = { CHECKPOINT_DISABLE: "1", HOME: folder, TF_CLI_CONFIG_FILE: "/dev/null", TF_INPUT: "0" };
  const whole = ["-f", "%M", "-o", join(scratch, "memory"), programPath("terraform"), ...command];
  const env = { ...programEnvironment, ...own, ...further };
  const child = spawn(programPath("time"), whole, { cwd: folder, env, stdio: "ignore" });
  const exitCode = await new Promise<number | null>((resolve) => child.on("close", resolve));
  const kilobytes = Number(readFileSync(join(scratch, "memory"), "utf8").trim().split("\n").at(-1));
  rmSync(scratch, { recursive: true });
  return { exitCode, seconds: (performance.now() - start) / 1000, megabytes: kilobytes / 1024 };
}

function rowOf(what: string, seconds: number, runs: readonly Run[]): string {
  const codes = [0, 1, 2].flatMap((code) => {
    const count = runs.filter(({ exitCode }) => exitCode === code).length;
    return count === 0 ? [] : [`${code}: ${count}`];
  });
  const most = Math.max(...runs.map(({ megabytes }) => megabytes));
  return `| ${what} | ${seconds.toFixed(0)} s | ${most.toFixed(0)} MB | ${codes.join(", ")} |\n`;
}
