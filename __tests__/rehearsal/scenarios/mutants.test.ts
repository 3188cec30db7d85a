import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { valueAt } from "../../stacks/configuration-graph";
import { serverlessStack, STACK_NAME } from "../../stacks/serverless-stack";
import { describeWith, programPath } from "../../support/programs";
import { synthesizeInto } from "../../support/synthesis";
import { rehearse } from "../engine/rehearsal";
import { type RehearsalFailure } from "../engine/run-context";
import { IDP_SERVERLESS } from "./idp-serverless";

type Loose = Record<string, unknown>;

/** The block at a path of a configuration, to be modified. */
function block(configuration: Loose, ...path: string[]): Loose {
  const found = valueAt(configuration, path.join("."));
  if (typeof found !== "object" || found === null) throw new Error(`there is no ${path.join(".")}`);
  return found as Loose;
}

/** How one life of the stack fails with a changed configuration. */
async function failureOf(change: (configuration: Loose) => void): Promise<RehearsalFailure | undefined> {
  const { path: folder } = synthesizeInto(App.of(serverlessStack()), STACK_NAME);
  const file = join(folder, "cdk.tf.json");
  const configuration = JSON.parse(readFileSync(file, "utf8")) as Loose;
  change(configuration);
  writeFileSync(file, JSON.stringify(configuration));
  const { failure } = await rehearse({
    folder,
    program: programPath("terraform"),
    rehearsal: IDP_SERVERLESS,
    parts: ["life"],
  });
  if (failure !== undefined) rmSync(failure.folder, { recursive: true, force: true });
  return failure;
}

const SERVICE = "google_cloud_run_v2_service.service";
const WORKER = "google_cloud_run_v2_worker_pool.worker";
const GRANT = "google_storage_bucket_iam_member.media_bucket_runtime";

describeWith(["terraform", "curl", "jq"], "The rehearsal", () => {
  it("sees a secret that is stored where everybody with the state can read it", async () => {
    const failure = await failureOf((configuration) => {
      block(configuration, "variable").bootstrap_password = { type: "string", default: "given-by-hand-0815" };
      const versions = block(configuration, "resource", "google_secret_manager_secret_version");
      const version = block(versions, "secrets_bootstrap_password_version");
      delete version.secret_data_wo;
      delete version.secret_data_wo_version;
      version.secret_data = "${var.bootstrap_password}";
    });
    expect(failure?.message).toMatch(/^the payload of \S+bootstrap-password\/versions\/1 is in terraform.tfstate$/m);
  });

  it("sees that the service does not wait for its grant", async () => {
    const failure = await failureOf((configuration) => {
      // The service waits for the worker pool, which would otherwise close a circle.
      for (const address of [SERVICE, WORKER]) {
        const waiting = block(configuration, "resource", address);
        waiting.depends_on = (waiting.depends_on as string[]).filter((other) => other !== GRANT);
      }
      // Otherwise the grant, which waits for less, usually exists in time.
      block(configuration, "resource", GRANT).depends_on = [SERVICE];
    });
    expect(failure).toMatchObject({ step: "apply", address: SERVICE });
    expect(failure?.message).toContain("needs what is not there: a grant of roles/storage.objectUser");
  });
});
