import { App } from "cdktf";

import { describeWith } from "../support/programs";
import { synthesizeInto } from "../support/synthesis";
import { KUBERNETES_STACK_NAME, kubernetesStack, kubernetesTerraform } from "./kubernetes-stack";
import { serverlessStack, serverlessTerraform, STACK_NAME } from "./serverless-stack";
import { warningsBeside } from "./terraform-run";

const WITHOUT_MISTAKE = `
  project_id                   = "my-project"
  smtp                         = { host = "smtp.example.com", from = "idp@example.com" }
  secret_environment_variables = { IDP_X = { secret_id = "x", version = 1 } }
  alerts                       = { memory = { threshold = 0.8 } }
  liveness_probe               = null
`;

describeWith(["terraform"], "A member of an input that does not exist", () => {
  describe.each([
    [STACK_NAME, serverlessTerraform, serverlessStack],
    [KUBERNETES_STACK_NAME, kubernetesTerraform, kubernetesStack],
  ])("in a file of %s", (name, terraform, stack) => {
    const warned = (files: Readonly<Record<string, string>>) => {
      const { variable = {} } = terraform();
      const folder = synthesizeInto(App.of(stack()), name);
      const part = (file: string) => JSON.parse(folder.read(file)) as object;
      return warningsBeside(
        {
          variable: Object.fromEntries(
            Object.entries(variable).map(([input, { type }]) => [input, { type, default: null }]),
          ),
          ...part("unknown-members.tf.json"),
          ...part("unknown-members_override.tf.json"),
        },
        files,
      );
    };

    it("is warned of at plan, wherever it is and in both formats", () => {
      expect(
        warned({
          "terraform.tfvars": `
            project_id = "my-project"
            protection = { restrict_admins = true, waf = "enforce" }
            smtp       = { host = "a", from = "b", encrypion = "tls", password_secret = { secret_id = "s", version = 1, verison = 2 } }
            alerts     = { memory = { treshold = 90 }, cpu = {} }`,
          "b.tfvars.json": JSON.stringify({ $schema: "x", startup_probe: { period: 9 }, labels: { any: "x" } }),
        }),
      ).toEqual([
        "there are startup_probe.period in b.tfvars.json, smtp.encrypion in terraform.tfvars, smtp.password_secret.verison in terraform.tfvars, protection.restrict_admins in terraform.tfvars, alerts.memory.treshold in terraform.tfvars; an input has no such member, so it is ignored; compare the spelling with terraform.tfvars.example.",
      ]);
    });

    it.each([
      ["no file", {}],
      ["files without a mistake", { "terraform.tfvars": WITHOUT_MISTAKE, "b.tfvars.json": '{"smtp": null}' }],
      ["a file that Terraform refuses by itself", { "other.tfvars": "smtp = {" }],
    ])("causes no warning with %s", (_what, files) => {
      expect(warned(files)).toEqual([]);
    });
  });
});
