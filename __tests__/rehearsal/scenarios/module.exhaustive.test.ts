import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { besideHandedOverFolder } from "../../support/handed-over-folder";
import { describeWith, programPath } from "../../support/programs";
import { blockWith } from "../../tools/pages";
import { Deployment } from "../deployment/deployment";
import { requireSoundness } from "../engine/journey";

/** The root that the page shows, with a folder in HCL as the module. */
function rootOfThePage(): string {
  const root = besideHandedOverFolder();
  rmSync(join(root, "idp-serverless", "root.tf"));
  const page = "stacks/guides/module.md";
  writeFileSync(join(root, "main.tf"), blockWith(page, "hcl", 'source   = "./idp-serverless"'));
  mkdirSync(join(root, "tests"));
  writeFileSync(join(root, "tests/sign-in.tftest.hcl"), blockWith(page, "hcl", 'run "'));
  return root;
}

const TENANTS = {
  acme: { project_id: "sign-in-project" },
  globex: { project_id: "sign-in-project" },
  initech: { project_id: "other-project" },
};

describeWith(["terraform", "curl", "jq"], "Three tenants in two projects, each a module of one root", () => {
  it("are applied, one goes and harms no other, and all are destroyed", async () => {
    const program = programPath("terraform");
    await Deployment.use({ source: rootOfThePage(), inputs: { tenants: TENANTS }, program }, async (deployment) => {
      await deployment.init();
      expect(await deployment.succeed("test", "-no-color")).toContain("1 passed, 0 failed");
      await deployment.applyAtOnce();
      requireSoundness(deployment, "apply");
      await deployment.requireEmptyPlan("second plan");
      await deployment.refuse(["destroy", "-auto-approve", "-input=false"], "nothing is deleted");

      const { globex, ...others } = TENANTS;
      await deployment.applyWith({ tenants: { ...others, globex: { ...globex, protected: false } } });
      await deployment.applyWith({ tenants: others });
      requireSoundness(deployment, "one tenant has gone");
      await deployment.requireEmptyPlan("plan of the others");
      expect(deployment.stateAddresses().filter((address) => address.includes("globex"))).toEqual([]);
      expect(deployment.cloud.ofType("google_sql_database_instance")).toHaveLength(2);

      const { acme, initech } = others;
      await deployment.applyWith({
        tenants: { acme: { ...acme, protected: false }, initech: { ...initech, protected: false } },
      });
      await deployment.succeed("destroy", "-auto-approve", "-input=false");
      expect([...deployment.cloud.objects.keys()]).toEqual([]);
    });
  }, 300_000);
});
