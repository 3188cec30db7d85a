import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { describeWith, findProgram } from "../../support/programs";
import { serverlessStack, STACK_NAME } from "../../stacks/serverless-stack";
import { synthesizeInto } from "../../support/synthesis";
import { rehearse } from "../engine/rehearsal";
import { type RehearsalReport, reportTable } from "../engine/rehearsal-report";
import { EXHAUSTIVE_PARTS, type RehearsalOptions, USUAL_PARTS } from "../engine/run-context";
import { smallRehearsal } from "../engine/small-deployment";
import { withInputs } from "./every-stack";
import { REHEARSALS } from "./stacks";
import { type StackRehearsal } from "../engine/stack-rehearsal";

interface Configuration {
  readonly variable: Record<string, Record<string, unknown>>;
  readonly resource: Record<string, Record<string, Record<string, unknown>>>;
}

const rehearsal: StackRehearsal = REHEARSALS[STACK_NAME] ?? { inputs: {} };

/** Rehearses one life of the stack with a changed configuration. */
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
    parts: ["life"],
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

describeWith(["terraform", "curl", "jq"], "The rehearsal of the serverless stack", () => {
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
      const grant = "google_storage_bucket_iam_member.media_bucket_runtime";
      // The service waits for the worker pool, which would otherwise close a circle.
      for (const address of [SERVICE, "google_cloud_run_v2_worker_pool.worker"]) {
        const waiting = block(configuration, address);
        waiting.depends_on = (waiting.depends_on as string[]).filter((other) => other !== grant);
      }
      // Otherwise the grant, which waits for less, usually exists in time.
      block(configuration, grant).depends_on = [SERVICE];
    });

    expect(failure).toMatchObject({ step: "apply", address: SERVICE });
    expect(failure?.message).toContain("needs what is not there: a grant of roles/storage.objectUser");
  });

  it("sees an attribute that makes the second plan differ", async () => {
    const { failure } = await lifeOf((configuration) => {
      const [template] = [block(configuration, SERVICE).template as { volumes: unknown[] }];
      // Cloud Run returns the database's volume last, whatever the order of the request.
      template.volumes.reverse();
    });

    expect(failure).toMatchObject({ address: SERVICE, message: `planned, but not expected: update ${SERVICE}` });
    expect(failure?.step).toContain("plan again");
  });
});

describeWith(["terraform"], "The rehearsal of everything that a stack describes", () => {
  const SIZED = {
    variable: {
      size: {
        type: "number",
        default: 1,
        validation: { condition: "${var.size > 0}", error_message: "size is ${var.size}; it must be more than 0." },
      },
      name: { default: "a" },
      pause: { default: 0 },
      is_refused: { default: false },
    },
    resource: {
      random_id: { first: { byte_length: "${var.size}" } },
      terraform_data: {
        second: {
          input: "${random_id.first.hex}",
          provisioner: { "local-exec": { command: "sleep ${var.pause}" } },
          lifecycle: {
            postcondition: {
              // Only an apply knows the id.
              condition: '${self.id == "" || !var.is_refused}',
              error_message: "is_refused is true.",
            },
          },
        },
      },
    },
  };
  const DESCRIBED: StackRehearsal = {
    inputs: {},
    // Long enough to be interrupted.
    faultInputs: { pause: 0.5 },
    refused: [["no size", { size: 0 }, ["size is 0; it must be more than 0."]]],
    matrix: { size: [1, 2], name: ["a", "b"] },
    furtherChanges: [
      {
        name: "a larger size",
        change: withInputs({ size: 2 }),
        expected: { "random_id.first": "replace", "terraform_data.second": "update" },
      },
    ],
  };

  it("counts the created resources", async () => {
    const { failure, steps } = await smallRehearsal(SIZED, DESCRIBED);

    expect(failure).toBeUndefined();
    const counts = Object.fromEntries(steps.map(({ step, resources }) => [step, resources]));
    expect(counts).toMatchObject({
      "matrix of inputs,  (4)": 8,
      "1 refused inputs, by plans (1)": undefined,
    });
    expect(reportTable([{ stack: "small", steps }])).toMatch(/^small +1 refused inputs, by plans \(1\) +[\d.]+ +-$/m);
  });

  it("leaves combinations, failed creations and further changes to where they are asked for", async () => {
    const stepsOf = async (parts: RehearsalOptions["parts"]) => {
      const { failure, steps } = await smallRehearsal(SIZED, DESCRIBED, { parts });
      expect(failure).toBeUndefined();
      return steps.map(({ step }) => step);
    };

    const usual = await stepsOf(USUAL_PARTS);
    const exhaustive = await stepsOf(EXHAUSTIVE_PARTS);

    expect(usual).toContain("1 refused inputs, by plans (1)");
    expect(usual).toContain("interrupted (1)");
    expect(usual).not.toContain("a larger size");
    expect(exhaustive).toEqual(expect.arrayContaining(["a larger size", "destroy", "matrix of inputs,  (4)"]));
    expect(exhaustive).not.toContain("interrupted (1)");
    expect(new Set(await stepsOf(undefined))).toEqual(new Set([...usual, ...exhaustive]));
  });

  it("is of what is asked for by its name alone, which must be something", async () => {
    const combination = await smallRehearsal(SIZED, DESCRIBED, { only: '"size":2' });
    const nothing = await smallRehearsal(SIZED, DESCRIBED, { only: "elsewhere" });

    expect(combination.steps.map(({ step }) => step)).toEqual(["matrix of inputs,  (2)"]);
    expect(nothing.failure).toMatchObject({
      step: "--only",
      message: 'nothing that is rehearsed has "elsewhere" in its name',
    });
  });

  it("names the inputs of a combination that fails", async () => {
    const { failure } = await smallRehearsal(SIZED, { ...DESCRIBED, refused: [], matrix: { is_refused: [true] } });

    expect(failure).toMatchObject({
      step: 'matrix {"is_refused":true}: apply',
      address: "terraform_data.second",
    });
  });

  it("names the stage that does not come up, and keeps its folder", async () => {
    const { failure } = await smallRehearsal(
      SIZED,
      { ...DESCRIBED, faultInputs: { is_refused: true }, stages: [/^terraform_data\./] },
      { parts: ["faults"] },
    );

    expect(failure).toMatchObject({ step: "stage ^terraform_data\\.: apply", address: "terraform_data.second" });
  });
});

it.each(Object.entries(REHEARSALS))("The rehearsal of %s says which outputs are null", (_stack, { nullOutputs }) => {
  expect(nullOutputs).toBeDefined();
});
