import { rendered } from "../../lib/core/expression";
import { mailSettings } from "../../lib/idp/mail-settings";
import { type Smtp } from "../../lib/idp/smtp";
import { declareInputs } from "../../stacks/inputs/input-table";
import { MAIL_INPUTS } from "../../stacks/inputs/mail-inputs";
import { evaluated, type Inputs } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";

const SERVER: Smtp = { host: "smtp.example.com", from: "Sign-in <idp@example.com>" };

describe("The settings of a mail server", () => {
  it("are the application's, with STARTTLS on the port of submission and no sign-in by default", () => {
    expect(mailSettings(SERVER)).toEqual({
      isOn: "true",
      environment: {
        baseline: {
          IDP_EMAIL__HOST: "smtp.example.com",
          IDP_EMAIL__PORT: "587",
          IDP_EMAIL__USE_TLS: "true",
          IDP_EMAIL__USE_SSL: "false",
          IDP_EMAIL__TIMEOUT: "10",
          IDP_EMAIL__FROM: "Sign-in <idp@example.com>",
        },
        optional: {},
      },
      password: undefined,
      ports: [587],
    });
  });

  it.each([
    ["starttls", "true", "false"],
    ["tls", "false", "true"],
    ["none", "false", "false"],
  ])("say %s by two switches", (encryption, startsTls, encryptsAtOnce) => {
    expect(mailSettings({ ...SERVER, encryption }).environment.baseline).toMatchObject({
      IDP_EMAIL__USE_TLS: startsTls,
      IDP_EMAIL__USE_SSL: encryptsAtOnce,
    });
  });

  it("take the password from a secret, and never hold it", () => {
    const passwordSecret = { secretId: "smtp-password", version: 3 };
    const settings = mailSettings({ ...SERVER, username: "idp", passwordSecret });
    expect(settings.password).toEqual({ IDP_EMAIL__PASSWORD: passwordSecret });
    expect(settings.environment.baseline).toMatchObject({ IDP_EMAIL__USERNAME: "idp" });
    expect(settings.environment.baseline).not.toHaveProperty("IDP_EMAIL__PASSWORD");
  });

  it.each(["123456", "12e4", "true", "null"])(
    "quote a user name that the application would parse as something else: %s",
    (username) => {
      const { baseline } = mailSettings({ ...SERVER, username }).environment;
      expect(JSON.parse(baseline.IDP_EMAIL__USERNAME ?? "")).toBe(username);
    },
  );

  it("are none without a mail server, or with one that is switched off", () => {
    const none = { isOn: "false", environment: { baseline: {}, optional: {} }, password: undefined, ports: [] };
    expect(mailSettings(undefined)).toEqual(none);
    const passwordSecret = { secretId: "smtp-password", version: 3 };
    expect(mailSettings({ ...SERVER, enabled: false, username: "idp", passwordSecret })).toEqual(none);
  });
});

describeWith(["terraform"], "The settings of a mail server, read by Terraform", () => {
  const settingsOf = (smtp: Inputs): unknown => {
    const stack = bareStack();
    const { environment, isOn, password, ports } = mailSettings(declareInputs(stack, MAIL_INPUTS).smtp);
    const { type } = terraformOf(stack).variable?.smtp ?? {};
    const values = rendered(stack, {
      environment: `\${{ for name, value in local.all : name => value if value != null }}`,
      all: environment.optional,
      is_on: isOn,
      password,
      ports,
    }) as Record<string, unknown>;
    expect(environment.baseline).toEqual({});
    const { all, ...evaluatedSettings } = evaluated({
      variable: { smtp: { type, default: smtp } },
      locals: values,
    });
    expect(all).toBeDefined();
    return evaluatedSettings;
  };

  it("are the same as those of literals, hold all members, and the secret by its name", () => {
    expect(settingsOf({ host: "smtp.example.com", from: "Sign-in <idp@example.com>" })).toEqual({
      environment: mailSettings(SERVER).environment.baseline,
      ...{ is_on: true, password: {}, ports: [587] },
    });
    const password_secret = { secret_id: "smtp-password", version: 3 };
    const given = { host: "10.0.0.25", from: "idp@example.com", port: 465, encryption: "tls", timeout: 60 };
    expect(settingsOf({ ...given, username: "123456", password_secret })).toEqual({
      environment: {
        IDP_EMAIL__HOST: "10.0.0.25",
        IDP_EMAIL__PORT: "465",
        IDP_EMAIL__USERNAME: '"123456"',
        IDP_EMAIL__USE_TLS: "false",
        IDP_EMAIL__USE_SSL: "true",
        IDP_EMAIL__TIMEOUT: "60",
        IDP_EMAIL__FROM: "idp@example.com",
      },
      is_on: true,
      password: { IDP_EMAIL__PASSWORD: { secret_id: "smtp-password", version: "3" } },
      ports: [465],
    });
  });
});
