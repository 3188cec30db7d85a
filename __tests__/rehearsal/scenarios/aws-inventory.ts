import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

import { programFolder } from "../../support/google-stand-in-scripts";
import { findProgram } from "../../support/programs";
import { AWS_MACHINES } from "../project/aws-stand-in";
import { type Deployment, type Inputs } from "../deployment/deployment";
import { textAt } from "../project/terraform-value";

/** Bootstrap credentials, which must never be visible. */
export const BOOTSTRAP_INPUTS: Inputs = {
  cloudb_access_key_id: "AKIABOOTSTRAP0000001",
  cloudb_secret_access_key: "Bootstrap/Secret+Never0Seen000000000000001",
};

let realPrograms: string | undefined;

/**
 * Makes the scripts of a deployment run the real AWS CLI.
 *
 * Prints a line if it is missing, and fails if `CI` is set.
 */
export function useAwsCli(deployment: Deployment): void {
  const found = findProgram("aws");
  if (found === undefined) {
    const lack = "aws is not on the PATH: apt-get install awscli";
    if (process.env.CI !== undefined && process.env.CI !== "") throw new Error(lack);
    process.stderr.write(`SKIPPED the real AWS CLI: ${lack}\n`);
    return;
  }
  // The AWS CLI is a script itself and needs more of the machine than the deployment's scripts may see.
  const program = `PATH='${process.env.PATH ?? ""}' exec '${found}' "$@"`;
  deployment.environment.PATH = realPrograms ??= programFolder({ scripts: { aws: program } });
}

/** Fails unless the import is complete, used the scoped key, and exposed no secret. */
export function requireImport(deployment: Deployment, { jobs }: { readonly jobs: number }): void {
  const { aws, cloud, log, web } = deployment;
  const completed = [...web.migration.jobs.values()].filter(({ state }) => state === "COMPLETED");
  if (completed.length !== jobs || web.migration.jobs.size !== jobs) {
    throw new Error(`${completed.length} of ${web.migration.jobs.size} import jobs are completed, expected ${jobs}`);
  }
  const machines = completed.map(({ assets }) => assets.length);
  const isReal = deployment.environment.PATH !== undefined;
  if (isReal && machines.some((count) => count !== AWS_MACHINES))
    throw new Error(`${machines.join()} machines imported`);

  const [key] = cloud.ofType("aws_iam_access_key");
  const others = aws.requests.filter(({ accessKeyId }) => accessKeyId !== key?.id);
  if (isReal && (aws.requests.length < 3 || others.length > 0)) {
    throw new Error(`${aws.requests.length} requests to AWS, ${others.length} not with the scoped key`);
  }
  if (!log.includes("is completed: ")) throw new Error("the output of the import was not shown");
  requireHiddenSecrets(deployment);
}

/** The state holds only the scoped key's secret; output and requests hold no secret. */
function requireHiddenSecrets(deployment: Deployment): void {
  const { cloud, log, web } = deployment;
  const scoped = cloud.ofType("aws_iam_access_key").map(({ values }) => textAt(values, "secret"));
  const bootstrap = Object.values(BOOTSTRAP_INPUTS).map(String);
  const requests = JSON.stringify(web.requests.map(({ path, body, headers }) => [path, body, headers]));
  for (const secret of [...scoped, ...bootstrap]) {
    if (log.includes(secret)) throw new Error("an AWS key was printed");
    if (requests.includes(secret)) throw new Error("an AWS key was sent to the assessment service");
  }
  const state = deployment.read("terraform.tfstate") ?? "";
  if (bootstrap.some((secret) => state.includes(secret))) throw new Error("the bootstrap key is in the state");
}

/** Fails unless the destroy's last line says what is left in Migration Center and how to remove it. */
export function requireSurvivors({ log, web }: Deployment): void {
  if (web.migration.sources.size === 0 || web.migration.jobs.size === 0) {
    throw new Error("destroy has removed something from the assessment service");
  }
  const lines = log.split("\n").filter((line) => line.includes("(local-exec): "));
  const [source] = [...web.migration.sources.keys()].slice(-1);
  const id = source?.split("/").at(-1) ?? "";
  const last = lines.at(-1) ?? "";
  const command = /To remove them: (.*)$/.exec(last)?.[1] ?? "";
  const isWhole = new RegExp(`: the (sources ([a-z0-9-]+, )*|discovery source )${id}, `).test(last);
  if (!isWhole || !new RegExp(`SOURCE_ID=${id} DEPLOYMENT_ID=[a-z0-9]+ sh `).test(command)) {
    throw new Error(`destroy ends with "${last}"`);
  }
  // In the user's folder, not in Terraform's.
  const help = spawnSync("sh", ["-c", `${command} --help`], { cwd: tmpdir(), encoding: "utf8" });
  if (!help.stdout.includes("assessment-cleanup.sh --yes")) throw new Error(`${command}: ${help.stderr}`);
  const after = log.slice(log.lastIndexOf(last) + last.length);
  const later = /^\S+: Destroying\.\.\.|^\S+: Destruction complete/m.exec(
    after.replace(/^.*(survivors_at_destroy|random_id).*$/gm, ""),
  );
  if (later !== null) throw new Error(`after the note of what survives comes "${later[0]}"`);
}
