import { App } from "cdktf";

import { SERVERLESS, STACK_NAME } from "../../stacks/serverless-stack";
import { describeWith, programPath } from "../../support/programs";
import { synthesizeInto } from "../../support/synthesis";
import { Deployment } from "../deployment/deployment";
import { membersOf, type ValueObject } from "../project/terraform-value";

const TYPE = "google_sql_database_instance";
const DATABASE = `-target=${TYPE}.database`;

/** Lets Cloud SQL say which service makes the backups, as it does once a plan is attached. */
function attach({ cloud }: Deployment): void {
  for (const { id, type, values, ...object } of cloud.ofType(TYPE)) {
    const [settings] = membersOf(values.settings) as readonly ValueObject[];
    const [backups] = membersOf(settings?.backup_configuration) as readonly ValueObject[];
    const attached = { ...settings, backup_configuration: [{ ...backups, backup_tier: "ENHANCED" }] };
    cloud.objects.set(`${type} ${id}`, { ...object, id, type, values: { ...values, settings: [attached] } });
  }
}

describeWith(["terraform"], "A backup plan that an organization has attached", () => {
  it("is seen in the next plan, which names the input to set", async () => {
    const { path: source } = synthesizeInto(App.of(SERVERLESS.stack()), STACK_NAME);
    const inputs = { project_id: "demo-project" };
    await Deployment.use({ source, inputs, program: programPath("terraform") }, async (deployment) => {
      await deployment.init();
      await deployment.applyAtOnce(DATABASE);
      attach(deployment);

      await deployment.refuse(
        ["plan", "-input=false", DATABASE],
        "a backup plan of Backup and DR is attached to",
        "set existing_backup_plan",
      );

      const plan = "projects/acme-backups/locations/us-central1/backupPlans/daily";
      deployment.inputs = { ...inputs, existing_backup_plan: plan, backup_before_upgrade: false };
      await deployment.plan(DATABASE);
    });
  });
});
