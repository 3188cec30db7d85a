import { CheckedRelation } from "../core/checked-relation";
import { matching, oneOf, wholeNumber, CheckedValue } from "../core/checked-value";
import { isOn } from "../core/conditional";
import { type Rule } from "../core/rules";
import { type EnvironmentOverrides } from "./container-spec";
import { HOST, SMTP_FROM } from "./parsed-values";
import { SECRET_NAME, SECRET_VERSION, type SecretReferences } from "./secret-references";
import { setOnce } from "./set-once";
import {
  BLOCKED_PORT,
  IMPLICIT_TLS,
  MAIL_VARIABLES,
  NO_ENCRYPTION,
  SMTP_DEFAULTS,
  STARTTLS,
  type PasswordSecret,
  type Smtp,
} from "./smtp";

export const SMTP_HOST = matching(`^(${HOST})$`, {
  must: "be a host name or an IPv4 address, without scheme or port",
  remedy: "use for example smtp.example.com, and set the port separately",
});

/** Rules for the port, each with its own reason. */
export const SMTP_PORT: readonly CheckedValue<number>[] = [
  wholeNumber({ from: 1, to: 65_535 }, { reason: "there are no others", remedy: `use ${SMTP_DEFAULTS.port}` }),
  new CheckedValue<number>({
    accepts: (port) => port !== BLOCKED_PORT,
    condition: (port) => `${port} != ${BLOCKED_PORT}`,
    must: `not be ${BLOCKED_PORT}`,
    reason: "Google Cloud blocks that port",
    remedy: `use ${SMTP_DEFAULTS.port}, or 465 with ${IMPLICIT_TLS}`,
    schema: { not: { enum: [BLOCKED_PORT] } },
  }),
];

export const SMTP_ENCRYPTION = oneOf([STARTTLS, IMPLICIT_TLS, NO_ENCRYPTION], {
  remedy: `use ${STARTTLS}, or ${IMPLICIT_TLS} for a server on port 465`,
});

export const SMTP_USERNAME = matching("^\\S(.*\\S)?$", {
  must: "be one line without spaces at its ends",
  reason: "the server compares it exactly",
  remedy: "leave it out for a server that requires none",
});

export const SMTP_TIMEOUT = wholeNumber(
  { from: 1, to: 300 },
  { reason: "a task of the worker is blocked that long", remedy: `use ${SMTP_DEFAULTS.timeout}` },
);

/** User name and password; either may be absent: undefined in TypeScript, null in Terraform. */
interface Login {
  readonly password: unknown;
  readonly username: unknown;
}

/** Rules for user name and password: both or none. */
export const LOGIN_COMPLETE: readonly CheckedRelation<Login>[] = [
  new CheckedRelation<Login>({
    accepts: ({ password, username }) => username === undefined || password !== undefined,
    condition: ({ password, username }) => `${username} == null || ${password} != null`,
    problem: (names, { username }) =>
      `${names.username} is ${username} without ${names.password}; a user name needs a password, because the application signs in with both or not at all; set ${names.password}, or remove ${names.username}`,
  }),
  new CheckedRelation<Login>({
    accepts: ({ password, username }) => password === undefined || username !== undefined,
    condition: ({ password, username }) => `${password} == null || ${username} != null`,
    problem: (names) =>
      `${names.password} is given without ${names.username}; a password needs a user name, because the application signs in with both or not at all; set ${names.username}, or remove ${names.password}`,
  }),
];

/** Ports on which servers agree about the encryption; with the other one, each side waits for the other to begin. */
const TLS_PORT = 465;
export const PORT_FITS_ENCRYPTION = new CheckedRelation<{ encryption: string; port: number }>({
  accepts: ({ encryption, port }) =>
    ![TLS_PORT, SMTP_DEFAULTS.port].includes(port) || (port === TLS_PORT) === (encryption === IMPLICIT_TLS),
  condition: ({ encryption, port }) =>
    `!contains([${TLS_PORT}, ${SMTP_DEFAULTS.port}], ${port}) || (${port} == ${TLS_PORT}) == (${encryption} == "${IMPLICIT_TLS}")`,
  problem: (names, shown) =>
    `${names.port} is ${shown.port} and ${names.encryption} is ${shown.encryption}; they must fit, because servers encrypt from the first byte on port ${TLS_PORT} and not on ${SMTP_DEFAULTS.port}, and no mail would be sent; use ${IMPLICIT_TLS} with ${TLS_PORT}, or ${STARTTLS} with ${SMTP_DEFAULTS.port}`,
});

/** Keeps the password off the network. */
export const PASSWORD_ENCRYPTED = new CheckedRelation<{ encryption: string; password: unknown }>({
  accepts: ({ encryption, password }) => encryption !== NO_ENCRYPTION || password === undefined,
  condition: ({ encryption, password }) => `${encryption} != "${NO_ENCRYPTION}" || ${password} == null`,
  problem: (names) =>
    `${names.encryption} is "${NO_ENCRYPTION}" and ${names.password} is given; a password needs encryption, because it could be read in transit; use ${STARTTLS} or ${IMPLICIT_TLS}, or remove ${names.password} and the user name`,
});

/** The mail settings are given in one place. */
export const MAIL_SET_ONCE = setOnce<unknown>({
  variables: Object.values(MAIL_VARIABLES),
  isOn: (smtp) => smtp !== undefined,
  isOff: (smtp) => `${smtp} == null`,
  is: "given",
  remedy: (smtp) => `remove ${smtp}`,
});

interface JudgedProps {
  readonly environmentVariables?: EnvironmentOverrides;
  readonly secretEnvironmentVariables?: SecretReferences;
  readonly smtp?: Smtp;
}

const passwordOf = ({ smtp }: JudgedProps): unknown => presenceOf(smtp?.passwordSecret);

const LOGIN = {
  password: ["smtp.passwordSecret", passwordOf],
  username: ["smtp.username", ({ smtp }: JudgedProps) => smtp?.username],
} as const;

const ENCRYPTION = [
  "smtp.encryption",
  ({ smtp }: JudgedProps) => smtp?.encryption ?? SMTP_DEFAULTS.encryption,
] as const;

const SMTP_GIVEN = ["smtp", ({ smtp }: JudgedProps) => presenceOf(smtp)] as const;

/** Rules for the mail server, under the names that the caller uses. */
export const SMTP_RULES: readonly Rule<JudgedProps>[] = [
  SMTP_HOST.ruleOn("smtp.host", ({ smtp }) => smtp?.host),
  ...SMTP_PORT.map((rule) => rule.ruleOn<JudgedProps>("smtp.port", ({ smtp }) => smtp?.port)),
  SMTP_USERNAME.ruleOn("smtp.username", ({ smtp }) => smtp?.username),
  SMTP_FROM.ruleOn("smtp.from", ({ smtp }) => smtp?.from),
  SMTP_ENCRYPTION.ruleOn("smtp.encryption", ({ smtp }) => smtp?.encryption),
  SECRET_NAME.ruleOn("smtp.passwordSecret.secretId", ({ smtp }) => smtp?.passwordSecret?.secretId),
  SECRET_VERSION.ruleOn("smtp.passwordSecret.version", ({ smtp }) => smtp?.passwordSecret?.version),
  SMTP_TIMEOUT.ruleOn("smtp.timeout", ({ smtp }) => smtp?.timeout),
  ...LOGIN_COMPLETE.map((rule) => rule.ruleOn<JudgedProps>(LOGIN)),
  PASSWORD_ENCRYPTED.ruleOn({ encryption: ENCRYPTION, password: LOGIN.password }),
  PORT_FITS_ENCRYPTION.ruleOn({
    encryption: ENCRYPTION,
    port: ["smtp.port", ({ smtp }) => smtp?.port ?? SMTP_DEFAULTS.port],
  }),
  MAIL_SET_ONCE.ruleOn({
    setter: SMTP_GIVEN,
    variables: ["environmentVariables", ({ environmentVariables = {} }) => environmentVariables],
  }),
  MAIL_SET_ONCE.ruleOn({
    setter: SMTP_GIVEN,
    variables: ["secretEnvironmentVariables", ({ secretEnvironmentVariables = {} }) => secretEnvironmentVariables],
  }),
];

/** Undefined for none, like an optional value; known only to Terraform if the switch is. */
function presenceOf(given: PasswordSecret | Smtp | undefined): unknown {
  const presence = given === undefined ? "false" : isOn(given.enabled ?? true);
  return presence === "false" ? undefined : presence;
}
