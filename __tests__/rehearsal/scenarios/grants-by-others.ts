import { execFileSync } from "node:child_process";

import { KEY } from "../../stacks/accepted-inputs";
import { programFolder } from "../../support/google-stand-in-scripts";
import { type Deployment } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";
import { deniedKeys } from "../project/organization-policies";
import { type Value, type ValueObject } from "../project/terraform-value";
import { addLogins, ALL_EXISTING, withNodes } from "./existing-parts";

/** What commands grant a role on: their words, and the type of the grant with what finds its target. */
const TARGETS: readonly (readonly [words: RegExp, type: string])[] = [
  [/^kms keys add-iam-policy-binding (?<crypto_key_id>\S+)/, "google_kms_crypto_key_iam_member"],
  [/^projects add-iam-policy-binding (?<project>\S+)/, "google_project_iam_member"],
  [/^storage buckets add-iam-policy-binding gs:\/\/(?<bucket>\S+)/, "google_storage_bucket_iam_member"],
  [
    /^secrets add-iam-policy-binding (?<secret_id>\S+) --project=(?<project>\S+)/,
    "google_secret_manager_secret_iam_member",
  ],
  [
    /^artifacts repositories add-iam-policy-binding (?<repository>\S+) --location=(?<location>\S+) --project=(?<project>\S+)/,
    "google_artifact_registry_repository_iam_member",
  ],
  [/^iam service-accounts add-iam-policy-binding (?<service_account_id>\S+)/, "google_service_account_iam_member"],
  [
    /^run jobs add-iam-policy-binding (?<name>\S+) --region=(?<location>\S+) --project=(?<project>\S+)/,
    "google_cloud_run_v2_job_iam_member",
  ],
  [
    /^workload-identity service-agents generate --service=(?<service>\S+) --project=(?<number>\S+)/,
    "google_workload_identity_service_agent",
  ],
];

const LIMIT = /^--condition=expression=(?<expression>.+),title=(?<title>.+)$/;

/** What a shell makes of a command, as a grant. */
function grantOf(command: string): { readonly type: string; readonly values: ValueObject } {
  const words = wordsOf(command);
  const line = words.join(" ");
  const word = (name: string) => words.find((each) => each.startsWith(`--${name}=`))?.slice(name.length + 3) ?? "";
  const limit = LIMIT.exec(words.at(-1) ?? "")?.groups;
  // What takes none has no option for one.
  const none = /^(run|workload-identity) /.test(line) ? "" : "None";
  if (limit === undefined && word("condition") !== none) throw new StepFailure("grants by others", command);
  for (const [pattern, type] of TARGETS) {
    const found = pattern.exec(line)?.groups;
    if (found === undefined) continue;
    const { secret_id: id, ...rest } = found;
    const secret: ValueObject = id === undefined ? {} : { secret_id: `projects/${String(rest.project)}/secrets/${id}` };
    const condition: Value = limit === undefined ? [] : [{ ...limit }];
    return { type, values: { ...rest, ...secret, condition, member: word("member"), role: word("role") } };
  }
  throw new StepFailure("grants by others", `no program has a command "${command}"`);
}

function wordsOf(command: string): string[] {
  const programs = programFolder({ scripts: { gcloud: String.raw`printf '%s\n' "$@"` } });
  const output = execFileSync("sh", ["-c", command], { encoding: "utf8", env: { PATH: `${programs}:/usr/bin:/bin` } });
  return output.trimEnd().split("\n");
}

/** Runs the commands that are left to others; returns how many were new. */
async function grantListed(deployment: Deployment, isPlanned: boolean): Promise<number> {
  deployment.writeInputs();
  const words = isPlanned ? ["plan", "-input=false"] : ["output", "-json", "grant_commands"];
  const { exitCode, output } = await deployment.terraform(words);
  if (exitCode !== 0) throw new StepFailure(words.join(" "), output);
  const listed = isPlanned ? [...output.matchAll(/"(gcloud .*)",$/gm)].map(([, command]) => command) : undefined;
  const { objects } = deployment.cloud;
  const before = objects.size;
  for (const command of (listed ?? JSON.parse(output)) as readonly string[]) {
    const { type, values } = grantOf(command);
    objects.set(`${type} of others: ${command}`, { type, id: command, values, writeOnly: {}, needs: [] });
  }
  return objects.size - before;
}

/** Nothing is granted to existing parts; their owners run the listed commands until an apply succeeds. */
export const GRANTS_BY_OTHERS: Episode = {
  name: "grants by others",
  fromNothing: true,
  play: async (deployment) => {
    const { cloud, inputs } = deployment;
    cloud.policies.push(...deniedKeys(cloud));
    deployment.inputs = withNodes({
      project_id: inputs.project_id,
      alert_emails: ["on-call@example.com"],
      dumps: { schedule: "30 4 * * *" },
      kms_keys: { default: KEY, project_number: "123456789012" },
      deletion_protection: false,
      ...ALL_EXISTING,
      grant_roles: false,
    });
    addLogins(deployment);
    // Without those for keys, an apply fails before there is an output.
    await grantListed(deployment, true);
    for (;;) {
      const failures: unknown[] = [];
      await deployment.applyAtOnce().catch((error: unknown) => failures.push(error));
      if ((await grantListed(deployment, false)) > 0) continue;
      if (failures.length === 0) break;
      throw failures[0] as Error;
    }
    await deployment.requireEmptyPlan("grants by others: second plan");
    const made = [...cloud.objects.keys()].filter((key) => /_iam_member (?!of others)/.test(key));
    if (made.length > 0) throw new StepFailure("grants by others", `the stack has made ${made.join(", ")}`);
  },
};
