import { describeWith } from "../support/programs";
import { KUBERNETES_STACK_NAME, kubernetesTerraform } from "./kubernetes-stack";
import { labTerraform } from "./lab-stack";
import { serverlessTerraform, STACK_NAME } from "./serverless-stack";
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
    [STACK_NAME, serverlessTerraform],
    [KUBERNETES_STACK_NAME, kubernetesTerraform],
  ])("in a file of %s", (_, terraform) => {
    const warned = (files: Readonly<Record<string, string>>) => {
      const { check, locals, terraform: settings, variable = {} } = terraform();
      const { terraform: builtIn } = settings.required_providers as Readonly<Record<string, unknown>>;
      return warningsBeside(
        {
          terraform: { required_providers: { terraform: builtIn } },
          variable: Object.fromEntries(
            Object.entries(variable).map(([name, { type }]) => [name, { type, default: null }]),
          ),
          locals: { unknown_members: locals?.unknown_members },
          check: { members_are_known: check?.members_are_known },
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

  it("cannot be given to the lab, which has no input with members", () => {
    expect(labTerraform().check).not.toHaveProperty("members_are_known");
  });
});
