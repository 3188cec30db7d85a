import { type TerraformStack } from "cdktf";

import { addWarnings } from "../../lib/core/warnings";
import { clientSecretRisk, recoveryMailRisk } from "../../lib/idp/blueprint-risks";
import { mailSettings } from "../../lib/idp/mail-settings";
import { BLUEPRINT_INPUTS } from "../../stacks/inputs/blueprint-inputs";
import { declareInputs } from "../../stacks/inputs/input-table";
import { MAIL_INPUTS } from "../../stacks/inputs/mail-inputs";
import { SETTINGS_INPUTS } from "../../stacks/inputs/settings-inputs";
import { warnings, type Inputs } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf, warningsOf } from "../support/synthesis";

/** What decides about a risk, in words that are the same in TypeScript and in Terraform. */
interface Given {
  readonly blueprints: readonly string[];
  readonly environment_variables?: Readonly<Record<string, string>>;
  readonly secret_environment_variables?: Readonly<Record<string, typeof REFERENCE>>;
  readonly smtp?: { readonly host: string; readonly from: string };
}

const REFERENCE = { secretId: "client-secret", secret_id: "client-secret", version: "1" };
const SERVER = { host: "smtp.example.com", from: "idp@example.com" };
const CLIENT_SECRET = "IDP_BLUEPRINT_OIDC_CLIENT_SECRET";

interface RiskCase {
  readonly risk: (stack: TerraformStack, given: Declared) => Parameters<typeof addWarnings>[2][number];
  /** @param secrets what secret settings are called */
  readonly warning: (secrets: string) => string;
  readonly risky: readonly Given[];
  readonly safe: readonly Given[];
}

const RECOVERY: RiskCase = {
  risk: (stack: TerraformStack, { blueprints, environmentVariables: environment, smtp }: Declared) =>
    recoveryMailRisk(stack, { blueprints, environment, mail: mailSettings(smtp) }),
  warning: () =>
    'blueprints has "password-recovery" and smtp is not given; users would wait for a mail that is never sent; set smtp',
  risky: [{ blueprints: ["password-recovery"], environment_variables: { IDP_LOG_LEVEL: "debug" } }],
  safe: [
    { blueprints: ["branding"] },
    { blueprints: ["branding", "password-recovery"], smtp: SERVER },
    { blueprints: ["password-recovery"], environment_variables: { IDP_EMAIL__HOST: "smtp.example.com" } },
    { blueprints: ["password-recovery"], environment_variables: { AUTHENTIK_EMAIL__HOST: "smtp.example.com" } },
  ],
};

const CLIENT: RiskCase = {
  risk: (stack: TerraformStack, given: Declared) =>
    clientSecretRisk(stack, {
      blueprints: given.blueprints,
      environment: given.environmentVariables,
      secrets: given.secretEnvironmentVariables,
    }),
  warning: (secrets: string) =>
    `blueprints has "oidc-client" and ${secrets} has no ${CLIENT_SECRET}; the blueprint fails without it, and there is no application; set it`,
  risky: [{ blueprints: ["oidc-client"], secret_environment_variables: { IDP_BLUEPRINT_OTHER: REFERENCE } }],
  safe: [
    { blueprints: ["branding"] },
    { blueprints: ["branding", "oidc-client"], secret_environment_variables: { [CLIENT_SECRET]: REFERENCE } },
    { blueprints: ["oidc-client"], environment_variables: { [CLIENT_SECRET]: "x" } },
  ],
};

const INPUTS = {
  smtp: { ...MAIL_INPUTS.smtp, together: [] },
  blueprints: { ...BLUEPRINT_INPUTS.blueprints, together: [] },
  environment_variables: { type: "map(string)", default: {}, description: "Settings." },
  secret_environment_variables: { ...SETTINGS_INPUTS.secret_environment_variables, together: [] },
} as const;

type Declared = ReturnType<typeof declareInputs<typeof INPUTS>>;

describe.each<[string, RiskCase]>([
  ["Password recovery without a mail server", RECOVERY],
  ["The example of an application without its secret", CLIENT],
])("%s", (_, { risk, risky, safe, warning }) => {
  const cases = [...risky, ...safe];
  const warned = (message: string) => cases.map((_case, index) => (index < risky.length ? [message] : []));

  it("is warned of at synth, and nothing else is", () => {
    const said = cases.map((given) => {
      const stack = bareStack();
      const literals = {
        ...given,
        environmentVariables: given.environment_variables ?? {},
        secretEnvironmentVariables: given.secret_environment_variables ?? {},
      } as unknown as Declared;
      addWarnings(stack, "Risk", [risk(stack, literals)]);
      expect(terraformOf(stack).check).toBeUndefined();
      return warningsOf(stack);
    });
    expect(said).toEqual(warned(warning("secretEnvironmentVariables")));
  });

  describeWith(["terraform"], "by inputs", () => {
    it("is warned of at plan, and nothing else is", () => {
      const stack = bareStack();
      addWarnings(stack, "Risk", [risk(stack, declareInputs(stack, INPUTS))]);
      expect(
        warnings(
          terraformOf(stack),
          cases.map((given): Inputs => ({ ...given })),
        ),
      ).toEqual(warned(`${warning("secret_environment_variables")}.`));
    });
  });
});
