import { SECRET_NAME, SECRET_VERSION } from "../../lib/idp/secret-references";
import { SMTP_DEFAULTS } from "../../lib/idp/smtp";
import {
  LOGIN_COMPLETE,
  MAIL_SET_ONCE,
  PASSWORD_ENCRYPTED,
  SMTP_ENCRYPTION,
  SMTP_FROM,
  SMTP_HOST,
  SMTP_PORT,
  SMTP_TIMEOUT,
  SMTP_USERNAME,
} from "../../lib/idp/smtp-rules";
import { type Input } from "./input-table";
import { memberExpression } from "./object-type";

const SMTP = {
  members: {
    host: { type: "string", must: SMTP_HOST },
    port: { type: "number", default: SMTP_DEFAULTS.port, must: SMTP_PORT },
    username: { type: "string", default: null, must: SMTP_USERNAME },
    from: { type: "string", must: SMTP_FROM },
    encryption: { type: "string", default: SMTP_DEFAULTS.encryption, must: SMTP_ENCRYPTION },
    password_secret: {
      type: {
        members: {
          secret_id: { type: "string", must: SECRET_NAME },
          version: { type: "string", must: SECRET_VERSION },
        },
      },
      default: null,
    },
    timeout: { type: "number", default: SMTP_DEFAULTS.timeout, must: SMTP_TIMEOUT },
  },
} as const satisfies Input["type"];

const LOGIN = [
  { password: "smtp.password_secret", username: "smtp.username" },
  {
    password: memberExpression("smtp", SMTP, "password_secret"),
    username: memberExpression("smtp", SMTP, "username"),
  },
] as const;

/** Inputs for the application's mail. */
export const MAIL_INPUTS = {
  smtp: {
    type: SMTP,
    default: null,
    description:
      "Mail server that takes the application's mail. host: its name. port: never 25, which Google Cloud blocks. username and password_secret: { secret_id, version } of an existing secret, as in secret_environment_variables; both or none. from: the sender, an address, or a name with one: Example <idp@example.com>. encryption: starttls, tls (from the start on, mostly port 465) or none. timeout: seconds until the server is given up. Null for none: the application sends no mail. A change rolls out new instances.",
    together: [
      ...LOGIN_COMPLETE.map((rule) => rule.validationOf(...LOGIN)),
      PASSWORD_ENCRYPTED.validationOf(
        { encryption: "smtp.encryption", password: "smtp.password_secret" },
        { encryption: memberExpression("smtp", SMTP, "encryption"), password: LOGIN[1].password },
      ),
      MAIL_SET_ONCE.validationOf({ setter: "smtp", variables: "environment_variables" }),
      MAIL_SET_ONCE.validationOf({ setter: "smtp", variables: "secret_environment_variables" }),
    ],
  },
} as const satisfies Record<string, Input>;
