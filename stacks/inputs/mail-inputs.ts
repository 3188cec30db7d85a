import { BLOCKED_PORT, SMTP_DEFAULTS } from "../../lib/idp/smtp";
import {
  LOGIN_COMPLETE,
  MAIL_SET_ONCE,
  PASSWORD_ENCRYPTED,
  PORT_FITS_ENCRYPTION,
  SMTP_ENCRYPTION,
  SMTP_HOST,
  SMTP_PORT,
  SMTP_TIMEOUT,
  SMTP_USERNAME,
} from "../../lib/idp/smtp-rules";
import { SMTP_FROM } from "../../lib/idp/parsed-values";
import { type Input } from "./input-table";
import { memberExpression, memberSentences } from "./object-type";
import { SECRET_REFERENCE } from "./settings-inputs";

const SMTP = {
  members: {
    host: { type: "string", must: SMTP_HOST, description: "name or IPv4 address of the server" },
    port: {
      type: "number",
      default: SMTP_DEFAULTS.port,
      must: SMTP_PORT,
      description: `port of the server, never ${BLOCKED_PORT}, which Google Cloud blocks`,
    },
    username: {
      type: "string",
      default: null,
      must: SMTP_USERNAME,
      description: "user name at the server; needs password_secret",
    },
    from: {
      type: "string",
      must: SMTP_FROM,
      description:
        'sender of all mail, which the server must accept: an address, or a name and an address such as Example <idp@example.com> or "Example, Inc." <idp@example.com>',
    },
    encryption: {
      type: "string",
      default: SMTP_DEFAULTS.encryption,
      must: SMTP_ENCRYPTION,
      description: "starttls; tls, from the first byte, usually on port 465; or none, which is refused with a password",
    },
    password_secret: {
      type: SECRET_REFERENCE,
      default: null,
      description:
        "existing secret with the password, { secret_id, version } as in secret_environment_variables; needs username",
    },
    timeout: {
      type: "number",
      default: SMTP_DEFAULTS.timeout,
      must: SMTP_TIMEOUT,
      description: "seconds after which an attempt fails, 1 to 300; the worker tries again",
    },
  },
} as const satisfies Input["type"];

const LOGIN = [
  { password: "smtp.password_secret", username: "smtp.username" },
  {
    password: memberExpression("smtp", SMTP, "password_secret"),
    username: memberExpression("smtp", SMTP, "username"),
  },
] as const;

const ENCRYPTION = { name: "smtp.encryption", value: memberExpression("smtp", SMTP, "encryption") } as const;

/** Inputs for the application's mail. */
export const MAIL_INPUTS = {
  smtp: {
    type: SMTP,
    default: null,
    description: `Mail server that takes the application's mail. ${memberSentences(SMTP)} Null for none: the application sends no mail. A change rolls out new instances.`,
    together: [
      ...LOGIN_COMPLETE.map((rule) => rule.validationOf(...LOGIN)),
      PASSWORD_ENCRYPTED.validationOf(
        { encryption: ENCRYPTION.name, password: "smtp.password_secret" },
        { encryption: ENCRYPTION.value, password: LOGIN[1].password },
      ),
      PORT_FITS_ENCRYPTION.validationOf(
        { encryption: ENCRYPTION.name, port: "smtp.port" },
        { encryption: ENCRYPTION.value, port: memberExpression("smtp", SMTP, "port") },
      ),
      MAIL_SET_ONCE.validationOf({ setter: "smtp", variables: "environment_variables" }),
      MAIL_SET_ONCE.validationOf({ setter: "smtp", variables: "secret_environment_variables" }),
    ],
  },
} as const satisfies Record<string, Input>;
