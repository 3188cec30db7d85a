import { requireProps } from "../../lib/core/rules";
import { type EnvironmentOverrides } from "../../lib/idp/container-spec";
import { SETTINGS_RULES, type SettingsProps } from "../../lib/idp/settings-props";
import { type Smtp } from "../../lib/idp/smtp";
import { declareInputs } from "../../stacks/inputs/input-table";
import { MAIL_INPUTS } from "../../stacks/inputs/mail-inputs";
import { SETTINGS_INPUTS } from "../../stacks/inputs/settings-inputs";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";
import { testInputs } from "./judged-inputs";
import { ACCEPTED_MAIL, REFUSED_MAIL_ALONE, REFUSED_MAIL_TOGETHER } from "./refused-mail-inputs";

const variables = () => {
  const stack = bareStack();
  declareInputs(stack, {
    ...MAIL_INPUTS,
    secret_environment_variables: { ...SETTINGS_INPUTS.secret_environment_variables, together: [] },
    environment_variables: { type: "map(string)", default: {}, description: "Settings." },
  });
  return terraformOf(stack).variable ?? {};
};

describeWith(["terraform"], "The input of the mail server, judged by Terraform", () => {
  const accepted = ACCEPTED_MAIL.map((smtp) => [JSON.stringify(smtp), { smtp }] as const);

  testInputs({
    variables,
    alone: REFUSED_MAIL_ALONE,
    together: REFUSED_MAIL_TOGETHER,
    accepted: [
      ...accepted,
      ["settings of mail without a mail server", { environment_variables: { IDP_EMAIL__HOST: "smtp.example.com" } }],
    ],
    complete: ["smtp"],
  });
});

describe("The prop of the mail server", () => {
  interface Props extends SettingsProps {
    readonly environmentVariables?: EnvironmentOverrides;
  }
  const problemsOf = (smtp: Smtp, others: Omit<Props, "smtp"> = {}): string[] => {
    const props: Props = { ...others, smtp };
    try {
      requireProps("test", props, [], SETTINGS_RULES);
      return [];
    } catch (error) {
      return (error as Error).message.split("\n  - ").slice(1);
    }
  };
  const SERVER = { host: "smtp.example.com", from: "idp@example.com" };
  const LOGIN = { username: "idp", passwordSecret: { secretId: "smtp-password", version: 1 } };

  it("is refused for the same reasons as the input, at synth and all at once", () => {
    expect(
      problemsOf(
        {
          host: "smtp.example.com:465",
          port: 25,
          from: "idp",
          encryption: "none",
          passwordSecret: { secretId: "my secret", version: "latest" },
          timeout: 0.5,
        },
        {
          environmentVariables: { IDP_EMAIL__HOST: "x", IDP_LOG_LEVEL: "debug" },
          secretEnvironmentVariables: { AUTHENTIK_EMAIL__PASSWORD: { secretId: "smtp-password", version: 1 } },
        },
      ),
    ).toEqual([
      'smtp.host is "smtp.example.com:465"; it must be a host name or an IPv4 address, without scheme or port; use for example smtp.example.com, and set the port separately',
      "smtp.port is 25; it must not be 25, because Google Cloud blocks that port; use 587, or 465 with tls",
      'smtp.from is "idp"; it must be an e-mail address, with or without a name, because servers refuse mail without a valid sender; use for example idp@example.com, or Example <idp@example.com>',
      'smtp.passwordSecret.secretId is "my secret"; it must be the name of a secret, or projects/<project>/secrets/<name> for one of another project; look it up with gcloud secrets list',
      'smtp.passwordSecret.version is "latest"; it must be the number of a version, because with latest, instances would get a new value at their next start, without a plan that shows it; use the number that gcloud secrets versions list shows',
      "smtp.timeout is 0.5; it must be a whole number from 1 to 300, because a task of the worker is blocked that long; use 10",
      "smtp.passwordSecret is given without smtp.username; a password needs a user name, because the application signs in with both or not at all; set smtp.username, or remove smtp.passwordSecret",
      'smtp.encryption is "none" and smtp.passwordSecret is given; a password needs encryption, because it could be read in transit; use starttls or tls, or remove smtp.passwordSecret and the user name',
      "environmentVariables has IDP_EMAIL__HOST and smtp is given; only one of them can set it, because a variable has one value; remove it from environmentVariables, or remove smtp",
      "secretEnvironmentVariables has AUTHENTIK_EMAIL__PASSWORD and smtp is given; only one of them can set it, because a variable has one value; remove it from secretEnvironmentVariables, or remove smtp",
    ]);
  });

  it("needs a password with a user name", () => {
    expect(problemsOf({ ...SERVER, username: "idp" })).toEqual([
      'smtp.username is "idp" without smtp.passwordSecret; a user name needs a password, because the application signs in with both or not at all; set smtp.passwordSecret, or remove smtp.username',
    ]);
  });

  it.each([
    ["a server without a password", SERVER],
    ["one with a password", { ...SERVER, ...LOGIN }],
    ["a sender with a name", { ...SERVER, from: "Sign-in <idp@example.com>" }],
    ["an address inside a network, without encryption", { ...SERVER, host: "10.0.0.25", encryption: "none" }],
  ])("may be %s", (_, smtp) => {
    expect(problemsOf(smtp)).toEqual([]);
  });

  it("that is switched off leaves the variables to the caller", () => {
    expect(
      problemsOf({ ...SERVER, enabled: false }, { environmentVariables: { IDP_EMAIL__HOST: "smtp.example.com" } }),
    ).toEqual([]);
  });
});
