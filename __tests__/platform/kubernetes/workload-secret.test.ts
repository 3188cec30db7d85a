import { WorkloadSecret } from "../../../lib/platform/kubernetes/workload-secret";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { namespaceIn, PLACE, standInSecret, standInSettings } from "../../support/stand-in-parts";
import { bareStack, terraformOf } from "../../support/synthesis";

describeWith(["terraform"], "WorkloadSecret with further secrets, read by Terraform", () => {
  const SMTP = { secret_id: "smtp", version: 3 };

  /** What the name is a hash of, for several sets of further secrets. */
  const versionsOf = (...sets: readonly Readonly<Record<string, object>>[]) => {
    const all = sets.map((references, index) => {
      const stack = bareStack();
      new WorkloadSecret(stack, "Secrets", {
        name: "idp",
        namespace: namespaceIn(stack),
        projectId: PLACE.projectId,
        values: { A: standInSecret("a", "5") },
        settings: [standInSettings("var.settings")],
      });
      return String(terraformOf(stack).locals?.secrets_versions).replaceAll(
        "local.secrets_references",
        `jsondecode(local.set_${index})`,
      );
    });
    const locals = Object.fromEntries(sets.map((references, index) => [`set_${index}`, JSON.stringify(references)]));
    return evaluated({ locals: { ...locals, all } }).all;
  };

  it("is another object when one comes, goes, has another identity or another version", () => {
    expect(
      versionsOf(
        {},
        { X: SMTP },
        { X: SMTP, Y: SMTP },
        { X: { ...SMTP, version: 2 } },
        { X: { ...SMTP, identity: "first" } },
      ),
    ).toEqual(["A=a/5,", "A=a/5,X=smtp:3", "A=a/5,X=smtp:3,Y=smtp:3", "A=a/5,X=smtp:2", "A=a/5,X=smtp:first"]);
  });
});
