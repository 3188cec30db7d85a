import { ExistingSecrets } from "../../lib/idp/existing-secrets";
import { SETTINGS_RULES, type SettingsProps } from "../../lib/idp/settings-props";
import { requireProps } from "../../lib/core/rules";
import { type EnvironmentOverrides } from "../../lib/idp/container-spec";
import { APPLICATION_INPUTS } from "../../stacks/inputs/application-inputs";
import { declareInputs } from "../../stacks/inputs/input-table";
import { SETTINGS_INPUTS } from "../../stacks/inputs/settings-inputs";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";
import { testInputs } from "./judged-inputs";
import { ACCEPTED_SECRET_SETTINGS, REFUSED_SETTINGS_ALONE, REFUSED_SETTINGS_TOGETHER } from "./refused-settings-inputs";

const terraform = () => {
  const stack = bareStack();
  const { secretEnvironmentVariables } = declareInputs(stack, {
    ...SETTINGS_INPUTS,
    bootstrap_token: APPLICATION_INPUTS.bootstrap_token,
    environment_variables: { type: "map(string)", default: {}, description: "Settings." },
  });
  new ExistingSecrets(stack, "Secrets", { projectId: "demo-project", references: [secretEnvironmentVariables] });
  return terraformOf(stack);
};

describeWith(["terraform"], "The inputs of the settings, judged by Terraform", () => {
  const further = [
    { IDP_BOOTSTRAP_TOKEN: { secret_id: "token", version: 1 } },
    { IDP_A: { secret_id: "projects/123456789012/secrets/a", version: 3 } },
  ];
  const accepted = [...ACCEPTED_SECRET_SETTINGS, ...further].map(
    (settings) => [JSON.stringify(settings), { secret_environment_variables: settings }] as const,
  );

  testInputs({
    variables: () => terraform().variable ?? {},
    alone: REFUSED_SETTINGS_ALONE,
    together: REFUSED_SETTINGS_TOGETHER,
    accepted: [...accepted, ["nothing", {}]],
  });
});

describe("The props of the settings", () => {
  interface Props extends SettingsProps {
    readonly bootstrapToken?: boolean;
    readonly environmentVariables?: EnvironmentOverrides;
  }
  const problemsOf = (props: Props): string[] => {
    try {
      requireProps("test", props, [], SETTINGS_RULES);
      return [];
    } catch (error) {
      return (error as Error).message.split("\n  - ").slice(1);
    }
  };

  it("are refused for the same reasons as the inputs, at synth", () => {
    const smtp = { secretId: "smtp", version: 3 };
    expect(
      problemsOf({
        environmentVariables: { IDP_A: "x" },
        secretEnvironmentVariables: {
          IDP_A: smtp,
          "IDP-B": smtp,
          IDP_SECRET_KEY: smtp,
          IDP_C: { secretId: "my secret", version: "latest" },
          IDP_D: { secretId: "smtp" } as never,
        },
      }),
    ).toEqual([
      'secretEnvironmentVariables has "IDP-B"; a name must be letters, digits and underscores and must not start with a digit, because shells drop others; rename it',
      'secretEnvironmentVariables has "IDP_SECRET_KEY"; the deployment sets these itself, because database, secret key, first password and ports are its own; leave them out, and set the first password as the bootstrap password',
      'secretEnvironmentVariables has "IDP_D"; each must have the name of a secret and the number of a version; set both',
      'secretEnvironmentVariables has IDP_C.secretId = "my secret"; it must be the name of a secret, or projects/<project>/secrets/<name> for one of another project; look it up with gcloud secrets list',
      'secretEnvironmentVariables has IDP_C.version = "latest"; it must be the number of a version, because with latest, instances would get a new value at their next start, without a plan that shows it; use the number that gcloud secrets versions list shows',
      "secretEnvironmentVariables and environmentVariables both have IDP_A; a variable has only one value; remove it from environmentVariables",
    ]);
  });

  it("are refused with a given token beside a generated one", () => {
    const token = { secretId: "token", version: 1 };
    const secretEnvironmentVariables = { IDP_BOOTSTRAP_TOKEN: token };
    expect(problemsOf({ bootstrapToken: true, secretEnvironmentVariables })).toEqual([
      "secretEnvironmentVariables has IDP_BOOTSTRAP_TOKEN and bootstrapToken is true; only one of them can set it, because a variable has one value; remove it from secretEnvironmentVariables, or set bootstrapToken to false",
    ]);
    expect(problemsOf({ bootstrapToken: false, secretEnvironmentVariables })).toEqual([]);
  });

  it("are accepted as numbers and as text, for this project and another by its id or number", () => {
    expect(
      problemsOf({
        secretEnvironmentVariables: {
          IDP_A: { secretId: "smtp", version: 3 },
          IDP_B: { secretId: "projects/other-project/secrets/smtp", version: "12" },
          IDP_C: { secretId: "projects/123456789012/secrets/smtp", version: "12" },
        },
      }),
    ).toEqual([]);
  });
});
