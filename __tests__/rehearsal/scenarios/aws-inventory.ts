import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";

import { type Deployment, type Inputs } from "../deployment/deployment";

/** Bootstrap credentials, which must never be visible. */
export const BOOTSTRAP_INPUTS: Inputs = {
  cloudb_access_key_id: "AKIABOOTSTRAP0000001",
  cloudb_secret_access_key: "Bootstrap/Secret+Never0Seen000000000000001",
};

/** Fails unless the import is complete and has said so. */
export function requireImport(deployment: Deployment, { jobs }: { readonly jobs: number }): void {
  const { log, web } = deployment;
  const completed = [...web.migration.jobs.values()].filter(({ state }) => state === "COMPLETED");
  if (completed.length !== jobs || web.migration.jobs.size !== jobs) {
    throw new Error(`${completed.length} of ${web.migration.jobs.size} import jobs are completed, expected ${jobs}`);
  }
  if (!log.includes("is completed: ")) throw new Error("the output of the import was not shown");
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
