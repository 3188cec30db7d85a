import { addWarnings } from "../../lib/core/warnings";
import { mailSettings } from "../../lib/idp/mail-settings";
import { clientSecretRisk, recoveryMailRisk } from "../../lib/idp/blueprint-risks";
import { type Smtp } from "../../lib/idp/smtp";
import { BLUEPRINT_INPUTS } from "../../stacks/inputs/blueprint-inputs";
import { declareInputs } from "../../stacks/inputs/input-table";
import { MAIL_INPUTS } from "../../stacks/inputs/mail-inputs";
import { SETTINGS_INPUTS } from "../../stacks/inputs/settings-inputs";
import { warnings, type Inputs } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf, warningsOf } from "../support/synthesis";

const WARNING =
  'blueprints has "password-recovery" and smtp is not given; users would wait for a mail that is never sent; set smtp';

const SERVER = { host: "smtp.example.com", from: "idp@example.com" };

interface Given {
  readonly blueprints?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly smtp?: Smtp;
}

const SILENT: readonly (readonly [string, Given])[] = [
  ["no password recovery", { blueprints: ["branding"] }],
  ["a mail server", { blueprints: ["branding", "password-recovery"], smtp: SERVER }],
  [
    "a mail server as single settings",
    { blueprints: ["password-recovery"], environment: { IDP_EMAIL__HOST: "smtp.example.com" } },
  ],
  [
    "a mail server under the upstream's own names",
    { blueprints: ["password-recovery"], environment: { AUTHENTIK_EMAIL__HOST: "smtp.example.com" } },
  ],
];

describe("Password recovery without a mail server", () => {
  const warned = ({ blueprints = [], environment = {}, smtp }: Given) => {
    const stack = bareStack();
    addWarnings(stack, "Recovery", [recoveryMailRisk(stack, { blueprints, environment, mail: mailSettings(smtp) })]);
    expect(terraformOf(stack).check).toBeUndefined();
    return warningsOf(stack);
  };

  it("is warned of at synth", () => {
    expect(warned({ blueprints: ["password-recovery"], environment: { IDP_LOG_LEVEL: "debug" } })).toEqual([WARNING]);
    expect(warned({ blueprints: ["password-recovery"], smtp: { ...SERVER, enabled: false } })).toEqual([WARNING]);
  });

  it.each(SILENT)("causes no warning with %s", (_, given) => {
    expect(warned(given)).toEqual([]);
  });
});

describeWith(["terraform"], "Password recovery without a mail server, by inputs", () => {
  it("is warned of at plan, and only then", () => {
    const stack = bareStack();
    const inputs = declareInputs(stack, {
      smtp: { ...MAIL_INPUTS.smtp, together: [] },
      blueprints: { ...BLUEPRINT_INPUTS.blueprints, together: [] },
      environment_variables: { type: "map(string)", default: {}, description: "Settings." },
    });
    const { blueprints, environmentVariables } = inputs;
    const mail = mailSettings(inputs.smtp);
    addWarnings(stack, "Recovery", [recoveryMailRisk(stack, { blueprints, environment: environmentVariables, mail })]);
    const sets = [{ blueprints: ["password-recovery"] }, ...SILENT.map(([, given]) => given)].map(
      ({ environment, ...given }: Given): Inputs => ({
        ...given,
        ...(environment && { environment_variables: environment }),
      }),
    );

    expect(warnings(terraformOf(stack), sets)).toEqual([[`${WARNING}.`], ...SILENT.map(() => [])]);
  });
});

describe("The example of an application without its secret", () => {
  interface GivenInputs {
    readonly blueprints?: readonly string[];
    readonly environment_variables?: Readonly<Record<string, string>>;
    readonly secret_environment_variables?: Readonly<Record<string, typeof REFERENCE>>;
  }
  const NAME = "IDP_BLUEPRINT_OIDC_CLIENT_SECRET";
  const REFERENCE = { secretId: "client-secret", secret_id: "client-secret", version: "1" };
  const AVOIDED: readonly (readonly [string, GivenInputs])[] = [
    ["another blueprint", { blueprints: ["branding"] }],
    ["the secret", { blueprints: ["branding", "oidc-client"], secret_environment_variables: { [NAME]: REFERENCE } }],
    ["a plain value", { blueprints: ["oidc-client"], environment_variables: { [NAME]: "x" } }],
  ];
  const UNAVOIDED: GivenInputs = {
    blueprints: ["oidc-client"],
    secret_environment_variables: { IDP_BLUEPRINT_OTHER: REFERENCE },
  };
  const said = (secrets: string) =>
    `blueprints has "oidc-client" and ${secrets} has no ${NAME}; the blueprint fails without it, and there is no application; set it`;

  const warned = ({ blueprints = [], environment_variables: environment = {}, ...others }: GivenInputs) => {
    const stack = bareStack();
    addWarnings(stack, "Secret", [
      clientSecretRisk(stack, { blueprints, environment, secrets: others.secret_environment_variables ?? {} }),
    ]);
    return warningsOf(stack);
  };

  it("is warned of at synth", () => {
    expect(warned(UNAVOIDED)).toEqual([said("secretEnvironmentVariables")]);
  });

  it.each(AVOIDED)("causes no warning with %s", (_, given) => {
    expect(warned(given)).toEqual([]);
  });

  describeWith(["terraform"], "by inputs", () => {
    it("is warned of at plan", () => {
      const stack = bareStack();
      const inputs = declareInputs(stack, {
        blueprints: { ...BLUEPRINT_INPUTS.blueprints, together: [] },
        environment_variables: { type: "map(string)", default: {}, description: "Settings." },
        secret_environment_variables: { ...SETTINGS_INPUTS.secret_environment_variables, together: [] },
      });
      const { blueprints, environmentVariables: environment, secretEnvironmentVariables: secrets } = inputs;
      addWarnings(stack, "Secret", [clientSecretRisk(stack, { blueprints, environment, secrets })]);
      expect(
        warnings(
          terraformOf(stack),
          [UNAVOIDED, ...AVOIDED.map(([, given]) => given)].map((given): Inputs => ({ ...given })),
        ),
      ).toEqual([[`${said("secret_environment_variables")}.`], ...AVOIDED.map(() => [])]);
    });
  });
});
