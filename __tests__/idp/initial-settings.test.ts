import { ref, TerraformLocal } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import { addWarnings } from "../../lib/core/warnings";
import { initialSettingsRisk } from "../../lib/idp/initial-settings";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf, warningsOf } from "../support/synthesis";

const INITIAL = { AUTHENTIK_GDPR_COMPLIANCE: "false", idp_avatars: "initials" };
const INITIAL_ADVICE =
  "that counts at the first start only, after which the application keeps it itself; change it there, at System > Settings";

describe("Settings that count at the first start only", () => {
  it("cause a warning", () => {
    const warned = (variables: Record<string, string>) => {
      const stack = bareStack();
      addWarnings(stack, "SettingsCount", [initialSettingsRisk(stack, variables)]);
      return warningsOf(stack);
    };
    expect(warned({ ...INITIAL, IDP_AVATARS_URL: "x", AVATARS: "x" })).toEqual([
      `environmentVariables has AUTHENTIK_GDPR_COMPLIANCE, idp_avatars; ${INITIAL_ADVICE}`,
    ]);
    expect(warned({ IDP_LOG_LEVEL: "debug" })).toEqual([]);
  });
});

describeWith(["terraform"], "Settings of an input that count at the first start only", () => {
  it("are named in the warning", () => {
    const stack = bareStack();
    const variable = new InputVariable(stack, "environment_variables", {
      type: "map(string)",
      default: { ...INITIAL, IDP_AVATARS_URL: "x" },
      description: "Text.",
    });
    new TerraformLocal(stack, "message", initialSettingsRisk(stack, ref(variable.fqn)).message);
    expect(evaluated(terraformOf(stack)).message).toBe(
      `environment_variables has AUTHENTIK_GDPR_COMPLIANCE, idp_avatars; ${INITIAL_ADVICE}`,
    );
  });
});
