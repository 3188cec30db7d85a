import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import { SERVERLESS, STACK_NAME } from "../../stacks/serverless-stack";
import { describeWith, programPath } from "../../support/programs";
import { synthesizeInto } from "../../support/synthesis";
import { Deployment } from "../deployment/deployment";

/** Plans the folder with a file of its owner's. */
async function withOverride(
  text: string,
  work: (deployment: Deployment) => Promise<unknown>,
  settings: Readonly<Record<string, unknown>> = {},
): Promise<void> {
  const { path: source } = synthesizeInto(App.of(SERVERLESS.stack()), STACK_NAME);
  const inputs = { project_id: "demo-project", ...settings };
  await Deployment.use({ source, inputs, program: programPath("terraform") }, async (deployment) => {
    writeFileSync(join(deployment.folder, "own_override.tf"), text);
    await deployment.init();
    await work(deployment);
  });
}

const settingsWith = (lines: string) => `resource "google_sql_database_instance" "database" {
  settings {
    tier = "db-custom-2-7680"
    ${lines}
  }
}
`;

const PROTECTED = "deletion_protection_enabled = true";
const FLAGS = 'database_flags {\n name = "jit"\n value = "off"\n}';
const BACKUPS = "backup_configuration {\n enabled = true\n point_in_time_recovery_enabled = true\n}";
const TLS = 'connector_enforcement = "REQUIRED"\n ip_configuration {\n ssl_mode = "ENCRYPTED_ONLY"\n}';

/** What an override leaves out, and what is said of it. */
const INCOMPLETE: readonly (readonly [said: string, rest: readonly string[]])[] = [
  ["deletion protection", [FLAGS, BACKUPS, TLS]],
  ["backups or point-in-time recovery", [PROTECTED, FLAGS, TLS]],
  ["the flags of the server", [PROTECTED, BACKUPS, TLS]],
  ["TLS or the proxy", [PROTECTED, FLAGS, BACKUPS]],
];

describeWith(["terraform"], "An override of the database's settings", () => {
  it("is refused by the plan where it takes away what protects the data, each with its name", async () => {
    await withOverride(settingsWith(""), async (deployment) => {
      const whole = INCOMPLETE.map(([said]) => `is without ${said}`);
      await deployment.refuse(["plan", "-input=false"], ...whole, "repeat the whole block settings in it");
    });
    for (const [said, rest] of INCOMPLETE)
      await withOverride(settingsWith(rest.join("\n")), (deployment) =>
        deployment.refuse(["plan", "-input=false"], `is without ${said}`),
      );
  });

  it("is planned where it adds a protection that the settings leave out", async () => {
    const text = settingsWith([PROTECTED, FLAGS, BACKUPS, TLS].join("\n"));
    await withOverride(text, (deployment) => deployment.plan(), { deletion_protection: false });
  });

  it("is planned where it repeats them, as are arguments outside of blocks", async () => {
    const argument =
      'resource "google_artifact_registry_repository" "registry" {\n  cleanup_policy_dry_run = true\n}\n';
    await withOverride(settingsWith([PROTECTED, FLAGS, BACKUPS, TLS].join("\n")) + argument, async (deployment) => {
      await deployment.plan();
      const { output } = await deployment.terraform(["show", "-json", "plan.tfplan"]);
      const { planned_values: planned } = JSON.parse(output) as {
        readonly planned_values: { readonly root_module: { readonly resources: readonly Planned[] } };
      };
      const valuesOf = (type: string) => planned.root_module.resources.find((each) => each.type === type)?.values;
      expect(valuesOf("google_artifact_registry_repository")).toMatchObject({
        cleanup_policy_dry_run: true,
        format: "DOCKER",
      });
      expect(valuesOf("google_sql_database_instance")).toMatchObject({ settings: [{ tier: "db-custom-2-7680" }] });
    });
  });
});

interface Planned {
  readonly type: string;
  readonly values: Readonly<Record<string, unknown>>;
}
