import { rendered } from "../../lib/core/expr/locals";
import { declareInputs } from "../../lib/core/inputs/declared-inputs";
import { valuesFrom } from "../../lib/core/inputs/inputs";
import { MAIL, mailPassword, mailPorts, mailSettings } from "../../lib/idp/mail";
import { evaluated, type Inputs } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";

describeWith(["terraform"], "The settings of a mail server, read by Terraform", () => {
  /** As a stack's input, and as the prop of a program. */
  const settingsOf = (smtp: Inputs | null, prop?: object): unknown => {
    const stack = bareStack();
    const props = prop === undefined ? declareInputs(stack, MAIL) : { smtp: prop as never };
    const mail = valuesFrom(stack, MAIL, props).smtp;
    const all = rendered(stack, mailSettings(mail));
    const settings = {
      all,
      environment: "${{ for name, value in local.all : name => value if value != null }}",
      is_on: rendered(stack, mail.isSet()),
      password: rendered(stack, mailPassword(mail)),
      ports: rendered(stack, mailPorts(mail)),
    };
    const { locals, variable } = terraformOf(stack);
    const { type } = variable?.smtp ?? {};
    const found = evaluated({
      ...(type === undefined ? {} : { variable: { smtp: { type, default: smtp } } }),
      locals: { ...locals, ...settings },
    });
    return { environment: found.environment, is_on: found.is_on, password: found.password, ports: found.ports };
  };

  it("are the application's, with STARTTLS on the port of submission and no sign-in by default", () => {
    const server = { host: "smtp.example.com", from: "Sign-in <idp@example.com>" };
    const expected = {
      environment: {
        IDP_EMAIL__HOST: "smtp.example.com",
        IDP_EMAIL__PORT: "587",
        IDP_EMAIL__USE_TLS: "true",
        IDP_EMAIL__USE_SSL: "false",
        IDP_EMAIL__TIMEOUT: "10",
        IDP_EMAIL__FROM: "Sign-in <idp@example.com>",
      },
      is_on: true,
      password: {},
      ports: [587],
    };
    expect([settingsOf(server), settingsOf(null, server)]).toEqual([expected, expected]);
  });

  it("hold all members, the secret by its name, and a user name that would be parsed as a number in quotes", () => {
    const given = { host: "10.0.0.25", from: "idp@example.com", port: 465, encryption: "tls", timeout: 60 };
    const expected = {
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
    };
    const username = "123456";
    expect([
      settingsOf({ ...given, username, password_secret: { secret_id: "smtp-password", version: 3 } }),
      settingsOf(null, { ...given, username, passwordSecret: { secretId: "smtp-password", version: 3 } }),
    ]).toEqual([expected, expected]);
  });

  it("are none without a mail server", () => {
    expect(settingsOf(null)).toEqual({ environment: {}, is_on: false, password: {}, ports: [] });
  });
});
