import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { KUBERNETES_STACK_NAME, kubernetesStack } from "../../stacks/kubernetes-stack";
import { valueAt } from "../../stacks/configuration-graph";
import { findProgram, describeWith } from "../../support/programs";
import { resourceOf, synthesizeInto, type Terraform } from "../../support/synthesis";
import { IDP_KUBERNETES } from "./idp-kubernetes";
import { rehearse } from "../engine/rehearsal";
import { type RehearsalReport } from "../engine/rehearsal-report";

type Loose = Record<string, unknown>;

const PROGRAM = findProgram("terraform") ?? "";

/** The stack's folder with a changed configuration. */
function folderOf(change: (configuration: Terraform) => void): string {
  const { path } = synthesizeInto(App.of(kubernetesStack()), KUBERNETES_STACK_NAME);
  const file = join(path, "cdk.tf.json");
  const configuration = JSON.parse(readFileSync(file, "utf8")) as Terraform;
  change(configuration);
  writeFileSync(file, JSON.stringify(configuration));
  return path;
}

/** Rehearses one life of the changed stack. */
async function lifeOf(change: (configuration: Terraform) => void): Promise<RehearsalReport> {
  const folder = folderOf(change);
  const report = await rehearse({ folder, program: PROGRAM, rehearsal: IDP_KUBERNETES, parts: ["life"] });
  if (report.failure !== undefined) rmSync(report.failure.folder, { recursive: true, force: true });
  return report;
}

const JOB = "kubernetes_job_v1.db_init";
const WORKLOAD = "kubernetes_deployment_v1.workload";

/** The block at a path of a resource, to be modified. */
function part(configuration: Terraform, address: string, path: string): Loose {
  const [type = "", name = ""] = address.split(".");
  const block = valueAt(resourceOf(configuration, type, name), path);
  if (typeof block !== "object" || block === null) throw new Error(`there is no ${path} in ${address}`);
  return block as Loose;
}

const withoutToleration = (configuration: Terraform): void => {
  delete part(configuration, JOB, "spec.template.spec").toleration;
};

describeWith(["terraform", "curl", "jq"], "The rehearsal of the Kubernetes stack", () => {
  it("sees that a job would run at every apply, because admission writes what its pod leaves out", async () => {
    const { failure } = await lifeOf(withoutToleration);

    expect(failure).toMatchObject({ address: JOB, message: `planned, but not expected: replace ${JOB}` });
    expect(failure?.step).toContain("plan again");
  });

  it("sees that every plan would change the deployment, because its annotations are not left alone", async () => {
    const { failure } = await lifeOf((configuration) => {
      const [provider] = configuration.provider?.kubernetes ?? [];
      delete (provider as Loose).ignore_annotations;
    });

    expect(failure?.message).toContain(`update ${WORKLOAD}`);
    expect(failure?.step).toContain("plan again");
  });
});
