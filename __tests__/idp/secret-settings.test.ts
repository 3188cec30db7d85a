import { InputVariable } from "../../lib/core/input-variable";
import { conditionalSetting, mergedReferences, type SecretSettings } from "../../lib/idp/secret-settings";
import { rendered } from "../../lib/core/expression";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { standInIdentity, standInSecret, standInSettings } from "../support/stand-in-parts";
import { bareStack, terraformOf } from "../support/synthesis";

describe("Settings with secret values", () => {
  it("are none without a set, and one set as it is", () => {
    const settings = standInSettings("var.settings");
    expect(mergedReferences([])).toBeUndefined();
    expect(mergedReferences([settings])).toBe(settings.references);
  });

  it("wait for the secret of a variable, and let an identity read it", () => {
    const granted: string[] = [];
    const secret = {
      ...standInSecret("token"),
      grantAccess: ({ name }: { readonly name: string }) => {
        granted.push(name);
        return [];
      },
    };
    const setting = conditionalSetting("IDP_BOOTSTRAP_TOKEN", secret, "true");
    setting.grantAccess(standInIdentity("Runtime"));
    expect(granted).toEqual(["Runtime"]);
    expect(setting.ready).toBe(secret.ready);
  });
});

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
