import { InputVariable } from "../../lib/core/input-variable";
import { conditionalSetting, mergedReferences, type SecretSettings } from "../../lib/idp/secret-settings";
import { rendered } from "../../lib/core/expression";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { standInSecret, standInSettings } from "../support/stand-in-parts";
import { bareStack, terraformOf } from "../support/synthesis";

describeWith(["terraform"], "Settings with secret values, read by Terraform", () => {
  const referencesOf = (settings: readonly SecretSettings[]) => {
    const stack = bareStack();
    new InputVariable(stack, "wanted", { type: "bool", default: true, description: "Whether." });
    const { variable } = terraformOf(stack);
    return evaluated({ variable, locals: { references: rendered(stack, mergedReferences(settings)) } }).references;
  };

  it("omit a variable whose condition does not hold", () => {
    const token = (condition: string) =>
      conditionalSetting("IDP_BOOTSTRAP_TOKEN", standInSecret("token", "2"), condition);
    expect(referencesOf([token("!var.wanted")])).toEqual({});
    expect(referencesOf([token("!var.wanted"), token("var.wanted"), standInSettings("{}")])).toEqual({
      IDP_BOOTSTRAP_TOKEN: { secret_id: "token", version: "2", identity: "token/2" },
    });
  });
});
