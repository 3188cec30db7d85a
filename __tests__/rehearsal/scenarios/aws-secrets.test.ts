import { join } from "node:path";
import { readFileSync, writeFileSync } from "node:fs";

import { App } from "cdktf";

import { AssessmentLabStack } from "../../../stacks/assessment-lab";
import { describeWith, findProgram } from "../../support/programs";
import { synthesizeInto, testApp } from "../../support/synthesis";
import { BOOTSTRAP_INPUTS } from "./aws-inventory";
import { Deployment } from "../deployment/deployment";
import { textAt } from "../project/terraform-value";

const INPUTS = { project_id: "my-project", linux_vm_count: 0, create_windows_vm: false, ...BOOTSTRAP_INPUTS };

/** Applies the lab with the AWS inventory, a changed configuration and Terraform's most verbose log. */
async function applied(change: (text: string) => string = (text) => text) {
  const app = testApp();
  new AssessmentLabStack(app, "assessment-lab");
  const { path } = synthesizeInto(App.of(app), "assessment-lab");
  const file = join(path, "cdk.tf.json");
  writeFileSync(file, change(readFileSync(file, "utf8")));
  const deployment = await Deployment.start({ source: path, inputs: INPUTS, program: findProgram("terraform") ?? "" });
  try {
    deployment.environment.TF_LOG = "TRACE";
    await deployment.init();
    await deployment.applyAtOnce();
    const [key] = deployment.cloud.ofType("aws_iam_access_key");
    return { log: deployment.log, secret: textAt(key?.values ?? null, "secret") };
  } finally {
    await deployment.stop();
  }
}

describeWith(["terraform", "curl", "jq"], "The secret of the scoped AWS key", () => {
  it("reaches the script in an environment that Terraform neither prints nor logs, so the script's output is shown", async () => {
    const { log, secret } = await applied();

    expect(secret).toMatch(/^.{40}$/);
    expect(log).toContain("[TRACE]");
    expect(log).toMatch(/lab_cloudb_import\[0\] \(local-exec\): Import job cloudb-\S+ is completed: 1 instances/);
    expect(log.includes(secret)).toBe(false);
    for (const value of Object.values(BOOTSTRAP_INPUTS)) expect(log.includes(String(value))).toBe(false);
  });

  it("would hide that output if it kept its mark", async () => {
    const { log, secret } = await applied((text) => text.replace(/nonsensitive\((one\([^)]*\))\)/, "$1"));

    expect(log).toMatch(
      /lab_cloudb_import\[0\] \(local-exec\): \(output suppressed due to sensitive value in config\)/,
    );
    expect(log).not.toContain("is completed");
    expect(log.includes(secret)).toBe(false);
  });
});
