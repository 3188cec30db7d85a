import { type Expr, interpolated } from "../core/expr/expr";
import { jsonOf, lookup, replaceMatches, upper } from "../core/expr/functions";
import { type ItemRule, matching, type Rule } from "../core/inputs/rules";
import { sharedTable } from "../core/inputs/shared-table";
import { prose } from "../core/prose";
import {
  type BASELINE_ENVIRONMENT,
  BOOTSTRAP_PASSWORD,
  DATABASE_PASSWORD_SUFFIX,
  DATABASE_TARGET_PREFIX,
  DATABASE_VARIABLES,
  NEUTRAL_PREFIX,
  POOL_VARIABLES,
  SECRET_KEY,
  SERVER_LISTENER,
  TLS_PORT,
  TRUSTED_PROXIES,
  UPSTREAM_PREFIX,
} from "./contract";

/** A variable under both prefixes, the library's and the upstream's; the upstream's would take precedence. */
export function bothPrefixes(variable: string): string[] {
  return [variable, `${UPSTREAM_PREFIX}${variable.slice(NEUTRAL_PREFIX.length)}`];
}

const SECRET = "it is a secret, and variables are in plain text in the state";

/** Names that must not be among the caller's variables, with the reason and an alternative. */
const RESERVED_NAMES: readonly (readonly [names: readonly string[], reason: string])[] = [
  [bothPrefixes(SECRET_KEY.variable), `${SECRET}: name the secret that has it in existing_secrets.secret_key`],
  [
    bothPrefixes(BOOTSTRAP_PASSWORD.variable),
    `${SECRET}: set bootstrap_password, or existing_secrets.bootstrap_password`,
  ],
  [
    [DATABASE_VARIABLES.password, ...bothPrefixes(`${DATABASE_TARGET_PREFIX}PASSWORD`)],
    prose`
      ${SECRET}: for a role in another database, use the password in the secret that ends in
      ${DATABASE_PASSWORD_SUFFIX}
    `,
  ],
  [
    Object.values(DATABASE_VARIABLES).filter((name) => name !== DATABASE_VARIABLES.password),
    "only the database of this deployment is prepared: set the matching IDP_POSTGRESQL__ variable to use another",
  ],
  [
    [
      ...Object.keys({ ...SERVER_LISTENER, ...TLS_PORT.environment }),
      "IDP_LISTEN__METRICS",
      "IDP_WEB__PATH",
      "IDP_STORAGE__FILE__PATH",
      "IDP_STORAGE__MEDIA__FILE__PATH",
      "IDP_STORAGE__REPORTS__FILE__PATH",
    ]
      .flatMap(bothPrefixes)
      .concat("UPSTREAM_PREFIX"),
    "names, ports, probes, rules for requests and the mount of the uploads are made for one place each",
  ],
  [
    [`${UPSTREAM_PREFIX}${TRUSTED_PROXIES.slice(NEUTRAL_PREFIX.length)}`],
    `it would replace the platform's own load balancers: use ${TRUSTED_PROXIES}, which is added to them`,
  ],
  [Object.values(POOL_VARIABLES), "the size of a pool follows from the database: use connection_pool"],
  [["K_CONFIGURATION", "K_REVISION", "K_SERVICE", "PORT"], "the platform sets it, and refuses another value"],
];

/** Props that the reasons mention. */
const NAMED_IN_REASONS = [
  "existingSecrets.secretKey",
  "existingSecrets.bootstrapPassword",
  "bootstrapPassword",
  "connectionPool",
];

const RESERVED = sharedTable(
  "reserved_variables",
  Object.fromEntries(RESERVED_NAMES.flatMap(([names, reason]) => names.map((name) => [name, reason]))),
);

/** The reason why a name is reserved; empty for any other name. */
export const reasonFor = (name: Expr<string>) => lookup(RESERVED, name, "");

/** The name of a variable with the library's prefix in place of the upstream's prefix. */
const neutral = (name: Expr<string>) => replaceMatches(name, `^${UPSTREAM_PREFIX}`, NEUTRAL_PREFIX);

/**
 * Names that usually hold a secret, unless `HARMLESS_NAME` matches: SSLKEY is the path of a key, and TOKEN_LENGTH or
 * SECRET_NAME holds no secret.
 */
const SECRET_NAME = "(PASSWORD|PASSWORD_HASH|TOKEN|KEY)$|SECRET";

const HARMLESS_NAME = "(SSLKEY|PUBLIC_?KEY|_(AGE|DIR|DURATION|EXPIRY|FILE|ID|LENGTH|NAME|PATH|VERSION))$";

/** A value that refers to an environment variable or a file; the default follows a question mark. */
const REFERENCE = "^((env|file)://[^?]*)?$";

const ELSEWHERE = "(env|file)://.+";

const LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";

/** A host name or an IPv4 address. A name must not consist of digits, because it would be read as a number. */
export const HOST = `(${LABEL}[.])*[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?|[0-9]{1,3}([.][0-9]{1,3}){3}`;

const ADDRESS = `[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]+@(${LABEL}[.])+${LABEL}`;

/** Syntax of the name before an address: characters and text in quotes, followed by text in parentheses. */
const CHARACTER = '[^\\x00-\\x20\\x7f()<>@,:\\x3b.\\\\"\\[\\]]';

const QUOTED = '"([^"\\\\\\x00-\\x1f\\x7f]|\\\\["\\\\])*"';

const NAME = `(${CHARACTER}|${QUOTED})(${CHARACTER}|${QUOTED}|[ .]|[(][^()<>\\\\\\r\\n]*[)])*`;

/**
 * Sender of mail, in the syntax of the application's mail library, because the library sends nothing with an invalid
 * sender.
 */
const SENDER = `(${NAME})?<${ADDRESS}>|${ADDRESS}`;

const OCTET = "(25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})";

const RANGE_OF_IPV4 = `(${OCTET}[.]){3}${OCTET}/([12]?[0-9]|3[0-2])`;

const RANGE_OF_IPV6 = "[0-9A-Fa-f]*:[0-9A-Fa-f:]*/(1[01][0-9]|12[0-8]|[1-9]?[0-9])";

const RANGE = `(${RANGE_OF_IPV4}|${RANGE_OF_IPV6})`;

/** A port number, 1 to 65535. */
const PORT = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]";

/** Checked, because the application treats any other word as false and would then not encrypt mail. */
const SWITCH = [`^([Tt]rue|TRUE|[Ff]alse|FALSE|${ELSEWHERE})?$`, "true or false"] as const;

/**
 * Both words for a warning are valid, because the entrypoint replaces `warning`, which the application's native program
 * does not know.
 */
export const LOG_LEVELS = ["trace", "debug", "info", "warning", "warn", "error"] as const;

/** Variable for the log level of the application. */
export const LOG_LEVEL_VARIABLE = "IDP_LOG_LEVEL" satisfies keyof typeof BASELINE_ENVIRONMENT;

/** Variable for the cookie domain of sessions. */
export const COOKIE_DOMAIN = "IDP_COOKIE_DOMAIN";

/**
 * Patterns of settings, with their meaning in words. A plan checks these settings, because the application parses them
 * only at its start.
 */
const PARSED_VALUES: Readonly<Record<string, readonly [pattern: string, form: string]>> = {
  [COOKIE_DOMAIN]: [`^([.]?(${HOST})|${ELSEWHERE})?$`, "a domain such as example.com, without scheme, port and path"],
  IDP_EMAIL__FROM: [
    `^(${SENDER}|${ELSEWHERE})?$`,
    'an e-mail address, with a name in quotes if it has a comma or the like, such as "Example, Inc." <idp@example.com>',
  ],
  // Checked, because the application would read a text as the number 0.
  IDP_EMAIL__PORT: [`^(${PORT}|${ELSEWHERE})$`, "a whole number from 1 to 65535"],
  IDP_EMAIL__TIMEOUT: [`^([1-9][0-9]*|${ELSEWHERE})$`, "a whole number of seconds from 1"],
  IDP_EMAIL__HOST: [`^(${HOST}|${ELSEWHERE})?$`, "a host name or an IPv4 address, without scheme and port"],
  IDP_EMAIL__USERNAME: ['^("[^"]*"|.*[^-+.0-9eE].*)?$', "text that is not a number, or digits in double quotes"],
  IDP_EMAIL__USE_SSL: SWITCH,
  IDP_EMAIL__USE_TLS: SWITCH,
  [LOG_LEVEL_VARIABLE]: [`^(${LOG_LEVELS.join("|")}|${ELSEWHERE})$`, `one of ${LOG_LEVELS.join(", ")}`],
  [TRUSTED_PROXIES]: [`^${RANGE}( *, *${RANGE})*$`, "address ranges in CIDR notation, with commas between them"],
};

const parsedBy = (of: (parsed: readonly [pattern: string, form: string]) => string) =>
  Object.fromEntries(Object.entries(PARSED_VALUES).map(([variable, parsed]) => [variable, of(parsed)]));

const PATTERNS = sharedTable(
  "variable_patterns",
  parsedBy(([pattern]) => pattern),
);

const FORMS = sharedTable(
  "variable_forms",
  parsedBy(([, form]) => form),
);

/** Names of variables, plain or secret, that the platforms and POSIX accept. */
const NAME_PATTERN = "^[A-Za-z_][A-Za-z0-9_]*$";

/** Prefixes of the application's settings. */
export const SETTING = `^(${NEUTRAL_PREFIX}|${UPSTREAM_PREFIX})`;

/** Settings must be in capitals, because the application ignores case, and two names could mean the same setting. */
export const VARIABLE_NAME: ItemRule<unknown> = {
  each: (name) =>
    name.matches(NAME_PATTERN).and(
      name
        .matches(`(?i)${SETTING}`)
        .not()
        .or(name.eq(upper(name))),
    ),
  shows: "key",
  message: prose`
    a name must be letters, digits and underscores and must not start with a digit, because shells drop others,
    and with ${NEUTRAL_PREFIX} it must be in capitals; rename it
  `,
  keySchema: { pattern: NAME_PATTERN },
};

const looksSecret = (name: Expr<string>) =>
  upper(name).matches(SECRET_NAME).and(upper(name).matches(HARMLESS_NAME).not());

/**
 * Rules for the caller's variables. Messages never show values of arbitrary variables, because some contain secrets.
 */
export const ENVIRONMENT_RULES: readonly ItemRule<string>[] = [
  VARIABLE_NAME,
  {
    each: (name) => reasonFor(name).eq(""),
    shows: (name) => interpolated`${jsonOf(name)} (${reasonFor(name)})`,
    message: "the deployment sets these itself; leave them out, or do what is said with each",
    names: NAMED_IN_REASONS,
  },
  {
    each: (name, value) => value.matches(lookup(PATTERNS, neutral(name), "")),
    // The message may show values, because none of these settings is a secret.
    shows: (name, value) => interpolated`${jsonOf(name)} = ${jsonOf(value)} (${lookup(FORMS, neutral(name), "")})`,
    message: prose`
      the application parses these values and fails on others only later;
      write them in the form that is said with each
    `,
  },
  {
    // Another rule reports reserved names, with other remedies.
    each: (name, value) => looksSecret(name).not().or(reasonFor(name).ne(""), value.matches(REFERENCE)),
    shows: "key",
    message: prose`
      such a name usually holds a secret, and variables are in plain text in the state;
      put the value into Secret Manager and refer to it in secret_environment_variables,
      or use a file:// or env:// reference
    `,
    names: ["secretEnvironmentVariables"],
  },
];

/** A rule for the sender's address. */
export const IS_SENDER: Rule = matching(
  `^(${SENDER})$`,
  prose`
    be an e-mail address, with or without a name, which must be in quotes if it has a comma or the like,
    because no mail can be sent from another; use for example idp@example.com,
    Example <idp@example.com> or "Example, Inc." <idp@example.com>,
    and a domain with other letters in punycode (xn--)
  `,
);
