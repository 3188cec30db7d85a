import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { describeWith, findProgram } from "../support/programs";
import { serverlessStack, STACK_NAME } from "../stacks/serverless-stack";
import { synthesizeInto } from "../support/synthesis";
import { rehearse } from "./rehearsal";
import { failureParagraph, type RehearsalReport } from "./rehearsal-report";
import { REHEARSALS } from "./stacks";
import { type StackRehearsal } from "./stack-rehearsal";

interface Configuration {
  readonly variable: Record<string, Record<string, unknown>>;
  readonly resource: Record<string, Record<string, Record<string, unknown>>>;
}

const rehearsal: StackRehearsal = REHEARSALS[STACK_NAME] ?? { inputs: {} };

/** A life of the stack, after somebody has changed its configuration. */
async function lifeOf(change: (configuration: Configuration) => void = () => undefined): Promise<RehearsalReport> {
  const { path } = synthesizeInto(App.of(serverlessStack()), STACK_NAME);
  const file = join(path, "cdk.tf.json");
  const configuration = JSON.parse(readFileSync(file, "utf8")) as Configuration;
  change(configuration);
  writeFileSync(file, JSON.stringify(configuration));
  const report = await rehearse({
    folder: path,
    program: findProgram("terraform") ?? "",
    rehearsal,
    lifecycleOnly: true,
  });
  if (report.failure !== undefined) rmSync(report.failure.folder, { recursive: true, force: true });
  return report;
}

function block(configuration: Configuration, address: string): Record<string, unknown> {
  const [type = "", name = ""] = address.split(".");
  const found = configuration.resource[type]?.[name];
  if (found === undefined) throw new Error(`there is no ${address}`);
  return found;
}

const SERVICE = "google_cloud_run_v2_service.service";

jest.setTimeout(60_000);

describeWith(["terraform", "curl", "jq"], "The rehearsal of the serverless stack", () => {
  it("applies it, plans nothing more, refuses a protected destroy and destroys it without a rest", async () => {
    const { failure, steps } = await lifeOf();

    expect(failure && failureParagraph(STACK_NAME, failure)).toBeUndefined();
    expect(steps.map(({ step }) => step)).toEqual([
      ...["init", "validate", "plan", "apply", "plan again", "output"],
      ...["destroy refused", "protection off", "destroy"],
    ]);
  });

  it("sees a secret that is stored where everybody with the state can read it", async () => {
    const { failure } = await lifeOf((configuration) => {
      configuration.variable.bootstrap_password = { type: "string", default: "given-by-hand-0815" };
      const version = block(configuration, "google_secret_manager_secret_version.secrets_bootstrap_password_version");
      delete version.secret_data_wo;
      delete version.secret_data_wo_version;
      version.secret_data = "${var.bootstrap_password}";
    });

    expect(failure?.message).toMatch(/^the payload of \S+bootstrap-password\/versions\/1 is in terraform.tfstate$/m);
  });

  it("sees that the service does not wait for its grant", async () => {
    const { failure } = await lifeOf((configuration) => {
      const service = block(configuration, SERVICE);
      const grant = "google_storage_bucket_iam_member.media_bucket_runtime";
      service.depends_on = (service.depends_on as string[]).filter((address) => address !== grant);
      // Otherwise the grant, which waits for less, is mostly there in time.
      block(configuration, grant).depends_on = [SERVICE];
    });

    expect(failure).toMatchObject({ step: "apply", address: SERVICE });
    expect(failure?.message).toContain("needs what is not there: a grant of roles/storage.objectUser");
  });

  it("sees an attribute that makes the second plan differ", async () => {
    const { failure } = await lifeOf((configuration) => {
      const [template] = [block(configuration, SERVICE).template as { volumes: unknown[] }];
      // The platform returns the database's volume last, whatever the order it was given in.
      template.volumes.reverse();
    });

    expect(failure).toMatchObject({ address: SERVICE, message: `planned, but not expected: update ${SERVICE}` });
    expect(failure?.step).toContain("plan again");
  });
});
