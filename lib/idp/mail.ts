import { allOf, type Expr } from "../core/expr/expr";
import { isJson, jsonOf, toText } from "../core/expr/functions";
import { type Relation } from "../core/inputs/relations";
import { choice, number, object, type PropsOf, text } from "../core/inputs/rows";
import { isWhole, matching, wholeNumber } from "../core/inputs/rules";
import { type ValuesOf } from "../core/inputs/value";
import { prose } from "../core/prose";
import { type EnvironmentInputs, optionalVariables, setOnce } from "./environment";
import { HOST, IS_SENDER } from "./environment-rules";
import { IS_REFERENCE, orVersion, SECRET_REFERENCE, type SecretReference } from "./secret-reference";
import { conditionalReference } from "./secret-settings";

/** Variables of the application for the mail server. */
export const MAIL_VARIABLES = {
  encryptsAtOnce: "IDP_EMAIL__USE_SSL",
  from: "IDP_EMAIL__FROM",
  host: "IDP_EMAIL__HOST",
  password: "IDP_EMAIL__PASSWORD",
  port: "IDP_EMAIL__PORT",
  startsTls: "IDP_EMAIL__USE_TLS",
  timeout: "IDP_EMAIL__TIMEOUT",
  username: "IDP_EMAIL__USERNAME",
} as const;

/** Inputs of the application's mail. */
export const MAIL = {
  /**
   * Mail server for the application's mail, for example for the recovery of passwords. Without a server, the
   * application sends no mail.
   */
  smtp: object(
    {
      /** Host name or IPv4 address of the server. */
      host: text({
        description: "name or IPv4 address of the server",
        must: matching(
          `^(${HOST})$`,
          prose`
            be a host name or an IPv4 address, without scheme or port; use for example smtp.example.com,
            set the port separately, and write other letters as punycode (xn--…)
          `,
        ),
      }),
      /** Port of the server, 587 by default; Google blocks port 25. */
      port: number({
        default: 587,
        description: "port of the server, never 25, which Google Cloud blocks",
        must: {
          must: "be a port from 1 to 65535 and not 25, because Google Cloud blocks that one; use 587, or 465 with tls",
          condition: (port: Expr<number>) => isWhole(port, 1, 65_535).and(port.ne(25)),
          schema: { ...wholeNumber(1, 65_535, "").schema, not: { enum: [25] } },
        },
      }),
      /** User name at the server, always with a password. */
      username: text({
        default: null,
        description: "user name at the server; needs password_secret",
        schema: { pattern: "^\\S(.*\\S)?$" },
      }),
      /** Sender of all mail, `idp@example.com` or `Example <idp@example.com>`; the server must accept it. */
      from: text({
        description: prose`
          sender of all mail, which the server must accept: an address,
          or a name and an address such as Example <idp@example.com> or "Example, Inc." <idp@example.com>
        `,
        must: IS_SENDER,
      }),
      /**
       * `starttls`, the default; `tls`, from the first byte, as servers on port 465 expect; or `none`, which allows no
       * password.
       */
      encryption: choice(["starttls", "tls", "none"], {
        fix: "use starttls, or tls for a server on port 465",
        default: "starttls",
        description:
          "starttls; tls, from the first byte, usually on port 465; or none, which is refused with a password",
      }),
      /**
       * Existing secret with the password, or the resource of its version. On GKE, the account that runs Terraform must
       * be able to read the secret too.
       */
      passwordSecret: orVersion(
        object(SECRET_REFERENCE, {
          must: IS_REFERENCE,
          first: "store the password in Secret Manager",
          description: () =>
            prose`
              existing secret with the password, { secret_id, version } as in secret_environment_variables;
              needs username
            `,
        }),
      ),
      /**
       * Seconds after which an attempt to reach the server fails, 1 to 300, 10 by default. The application tries again.
       */
      timeout: number({
        default: 10,
        description: "seconds after which an attempt fails, 1 to 300; the worker tries again",
        must: wholeNumber(1, 300, ", because a task of the worker is blocked that long; use 10"),
      }),
    },
    {
      description: (members) =>
        prose`
          Mail server that takes the application's mail. ${members} [[Null for none: the application sends no mail.]]
          A change rolls out new instances.
        `,
    },
  ),
};

/** A mail server. */
export interface SmtpProps extends PropsOf<
  (typeof MAIL)["smtp"]["members"],
  { readonly passwordSecret: SecretReference }
> {}

const givenOrNot = (value: Expr) => value.isNull().choose("not given", "given").text;

export const MAIL_RELATIONS: readonly Relation<EnvironmentInputs & typeof MAIL>[] = [
  {
    host: "smtp",
    holds: ({ smtp: { at } }) => at.username.isNull().eq(at.passwordSecret.isNull()),
    message: ({ smtp: { at } }) =>
      prose`
        ${at.username.name} is ${at.username.shown} and ${at.passwordSecret.name} is
        ${givenOrNot(at.passwordSecret)}; the application signs in with both or not at all; set both,
        or remove both
      `,
  },
  {
    // By convention, each of these two ports has a fixed encryption; with the wrong encryption, each side waits for the
    // other to begin.
    host: "smtp",
    holds: ({ smtp: { at } }) => {
      const isEncrypted = at.encryption.ne("none").or(at.passwordSecret.isNull());
      const isAgreed = at.port.eq(465).eq(at.encryption.eq("tls"));
      return isEncrypted.and(at.port.isOneOf([465, 587]).not().or(isAgreed));
    },
    message: ({ smtp: { at } }) =>
      prose`
        ${at.encryption.name} is ${at.encryption.shown} with ${at.port.name} ${at.port.shown},
        and ${at.passwordSecret.name} is ${givenOrNot(at.passwordSecret)}; a password needs encryption,
        because it could be read in transit, and servers encrypt from the first byte on port 465 and not on 587;
        use tls with 465, or starttls with 587, and none only without a password
      `,
  },
  setOnce<EnvironmentInputs & typeof MAIL>("smtp", {
    names: Object.values(MAIL_VARIABLES),
    isOff: (smtp) => smtp.isNull(),
    is: "given",
    remedy: (smtp) => `remove ${smtp}`,
  }),
];

type Mail = ValuesOf<typeof MAIL>["smtp"];

/** The application's mail settings without the password; none, or null at plan, if there is no mail server. */
export function mailSettings(mail: Mail): Readonly<Record<string, string>> {
  const { encryption, from, host, port, timeout, username } = mail.at;
  const setting = (value: Expr<boolean | number | string | null>) =>
    mail.isSet().choose(value.isLiteral && value.literal === null ? value : toText(value.present), null);
  return optionalVariables({
    [MAIL_VARIABLES.host]: setting(host),
    [MAIL_VARIABLES.port]: setting(port),
    // The application parses its environment as JSON where possible, so a user name of digits would become a number.
    [MAIL_VARIABLES.username]: setting(isJson(username).choose(jsonOf(username), username)),
    [MAIL_VARIABLES.startsTls]: setting(encryption.eq("starttls")),
    [MAIL_VARIABLES.encryptsAtOnce]: setting(encryption.eq("tls")),
    [MAIL_VARIABLES.timeout]: setting(timeout),
    [MAIL_VARIABLES.from]: setting(from),
  });
}

/** The variable with the password, as a map; empty if there is no password. */
export function mailPassword(mail: Mail): Expr {
  const { passwordSecret } = mail.at;
  const isGiven = allOf(mail.isSet(), passwordSecret.isSet());
  return conditionalReference(MAIL_VARIABLES.password, passwordSecret.at, isGiven);
}

/** TCP ports that must be open for the mail server. */
export const mailPorts = (mail: Mail): Expr<readonly unknown[]> =>
  mail.isSet().choose<readonly unknown[]>([mail.at.port], []);

/** A command that needs a mail server; null at plan if there is none. */
export const ifMail = (mail: Mail, command: string) => mail.isSet().choose(command, null).text;

/** The application's own command that sends a test mail; the recipient's address, here a placeholder, follows. */
export const TEST_MAIL_COMMAND = "test_email";
export const TEST_MAIL_READER = "RECIPIENT";
