import { CheckedEntries } from "../core/checked-entries";
import {
  BOOTSTRAP_PASSWORD,
  DATABASE_PASSWORD_SUFFIX,
  DATABASE_TARGETS,
  DATABASE_VARIABLES,
  NEUTRAL_PREFIX,
  SECRET_KEY,
  SERVER_LISTENER,
  TLS_PORT,
  TRUSTED_PROXIES,
  UPSTREAM_PREFIX,
} from "./contract";
import { PARSED_VALUES } from "./parsed-values";

/** Names that must not be among the caller's variables. */
interface ReservedName {
  readonly names: readonly string[];

  /** What sets the variable, why, and what to do instead. */
  readonly reason: string;
}

/** Follows "because" for secrets, which must not be in a map that Terraform stores. */
const IN_THE_STATE = "variables are in plain text in the state";

const RESERVED_NAMES: readonly ReservedName[] = [
  {
    names: bothPrefixes(SECRET_KEY.variable),
    reason: `it is generated once and read from the secret store, because ${IN_THE_STATE}; leave it out`,
  },
  {
    names: bothPrefixes(BOOTSTRAP_PASSWORD.variable),
    reason: `it is read from the secret store, because ${IN_THE_STATE}; set it as the bootstrap password`,
  },
  {
    names: [DATABASE_VARIABLES.password, ...bothPrefixes(DATABASE_TARGETS.password)],
    reason: `it is generated and read from the secret store, because ${IN_THE_STATE}; leave it out; for a role in another database, use the password in the secret that ends in ${DATABASE_PASSWORD_SUFFIX}`,
  },
  {
    names: Object.values(DATABASE_VARIABLES).filter((name) => name !== DATABASE_VARIABLES.password),
    reason:
      "it is set to the database of this deployment, the only one that is prepared; leave it out, or set the matching IDP_POSTGRESQL__ variable to use another database",
  },
  {
    names: [
      ...Object.keys({ ...SERVER_LISTENER, ...TLS_PORT.environment }),
      ...["IDP_LISTEN__METRICS", "IDP_WEB__PATH", "IDP_STORAGE__FILE__PATH"],
      ...["IDP_STORAGE__MEDIA__FILE__PATH", "IDP_STORAGE__REPORTS__FILE__PATH"],
    ].flatMap(bothPrefixes),
    reason:
      "it is fixed, because ports, probes, rules for requests and the mount of the uploads are made for one place each; leave it out",
  },
  {
    names: [`${UPSTREAM_PREFIX}${TRUSTED_PROXIES.slice(NEUTRAL_PREFIX.length)}`],
    reason: `it would replace the platform's own load balancers, because that prefix wins; use ${TRUSTED_PROXIES}, which is added to them`,
  },
  {
    names: ["K_CONFIGURATION", "K_REVISION", "K_SERVICE", "PORT"],
    reason: "the platform sets it to the port on which the container listens, and refuses another value; leave it out",
  },
];

/** Pattern of variable names that the platforms and POSIX accept. */
const NAME_PATTERN = "^[A-Za-z_][A-Za-z0-9_]*$";

/**
 * Names that usually hold a secret. SSLKEY is the path of a key, and words after SECRET or TOKEN can mean that the
 * value is not the secret itself.
 */
const SECRET_NAME = "(PASSWORD|PASSWORD_HASH|TOKEN|KEY)$|SECRET";
const HARMLESS_NAME = "(SSLKEY|PUBLIC_?KEY|_(AGE|DIR|DURATION|EXPIRY|FILE|ID|LENGTH|NAME|PATH|VERSION))$";

/** A value that the application reads from elsewhere; what follows a question mark is the default. */
const REFERENCE = "^((env|file)://[^?]*)?$";

function looksSecret(name: string): boolean {
  return new RegExp(SECRET_NAME).test(name.toUpperCase()) && !new RegExp(HARMLESS_NAME).test(name.toUpperCase());
}

/** They have rules of their own, with other remedies. */
const RESERVED_SECRETS = RESERVED_NAMES.flatMap(({ names }) => names).filter(looksSecret);

/** A variable with our prefix and with the upstream's own, which would take precedence. */
export function bothPrefixes(variable: string): string[] {
  return [variable, `${UPSTREAM_PREFIX}${variable.slice(NEUTRAL_PREFIX.length)}`];
}

const SETTING = `^(${NEUTRAL_PREFIX}|${UPSTREAM_PREFIX})`;

/** Rule for the names of variables, plain or secret. */
export const VARIABLE_NAME = new CheckedEntries<unknown>({
  // The application takes its settings in any case, and would have two of one kind.
  accepts: (name) =>
    new RegExp(NAME_PATTERN).test(name) && (!new RegExp(SETTING, "i").test(name) || name === name.toUpperCase()),
  condition: `can(regex("${NAME_PATTERN}", key)) && (!can(regex("(?i)${SETTING}", key)) || key == upper(key))`,
  show: "key",
  rule: `a name must be letters, digits and underscores and must not start with a digit, because shells drop others, and with ${NEUTRAL_PREFIX} it must be in capitals; rename it`,
  keySchema: { pattern: NAME_PATTERN },
});

/** Rules for the names of the caller's variables; values are never shown, because some hold secrets. */
export const ENVIRONMENT_RULES: readonly CheckedEntries[] = [
  VARIABLE_NAME,
  ...RESERVED_NAMES.map(
    ({ names, reason }) =>
      new CheckedEntries({
        accepts: (name) => !names.includes(name),
        condition: `!contains(${JSON.stringify(names)}, key)`,
        show: "key",
        rule: reason,
      }),
  ),
  ...Object.entries(PARSED_VALUES).map(([variable, value]) => {
    const names = bothPrefixes(variable);
    return new CheckedEntries({
      accepts: (name, text) => !names.includes(name) || value.accepts(text),
      condition: `!contains(${JSON.stringify(names)}, key) || ${value.condition("value")}`,
      show: "key",
      rule: value.requirement,
    });
  }),
  new CheckedEntries({
    accepts: (name, value) =>
      !looksSecret(name) || RESERVED_SECRETS.includes(name) || new RegExp(REFERENCE).test(value),
    condition: [
      `!can(regex("${SECRET_NAME}", upper(key)))`,
      `can(regex("${HARMLESS_NAME}", upper(key)))`,
      `contains(${JSON.stringify(RESERVED_SECRETS)}, key)`,
      `can(regex("${REFERENCE}", value))`,
    ].join(" || "),
    show: "key",
    rule: `such a name usually holds a secret, and ${IN_THE_STATE}; put the value into Secret Manager and refer to it in the secret environment variables, or use a file:// or env:// reference`,
  }),
];

const ALL_RESERVED = [...RESERVED_NAMES.flatMap(({ names }) => names), TRUSTED_PROXIES];

/** Rule for the names of the caller's variables with secret values. */
export const FREE_NAME = new CheckedEntries<unknown>({
  accepts: (name) => !ALL_RESERVED.includes(name),
  condition: `!contains(${JSON.stringify(ALL_RESERVED)}, key)`,
  show: "key",
  rule: "the deployment sets these itself, because database, secret key, first password, ports, paths and trusted proxies are its own; leave them out, and set the first password as the bootstrap password",
});
