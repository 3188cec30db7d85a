import { TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import { matching, type Check, type EachCheck } from "../core/checks";
import { type Relation } from "../core/relations";
import {
  choice,
  mapOf,
  orResource,
  text,
  textMap,
  textOrNumber,
  type Input,
  type PropsOf,
  type Reading,
  type Table,
} from "../core/rows";
import { type Value } from "../core/value";
import { SECRET_ID_MAX_LENGTH } from "../core/names";
import {
  BASELINE_ENVIRONMENT,
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
import { anyOf, interpolated, type Expr } from "../core/expr";
import { escapedTexts } from "../core/expression";
import { sharedTable } from "../core/shared-table";
import { type CommonVariables, type EnvironmentSpec } from "./container-spec";
import {
  compact,
  concat,
  each,
  element,
  intersection,
  jsonOf,
  keys,
  lookup,
  lower,
  replaceMatches,
  some,
  split,
  trimPrefix,
  upper,
  values,
} from "../core/expr-functions";
import { type Advice, type Finding } from "../core/warnings";

/** A variable with our prefix and with the upstream's own, which would take precedence. */
export function bothPrefixes(variable: string): string[] {
  return [variable, `${UPSTREAM_PREFIX}${variable.slice(NEUTRAL_PREFIX.length)}`];
}

const SECRET = "it is a secret, and variables are in plain text in the state";

/** Names that must not be among the caller's variables: why, and what to do instead of leaving them out. */
const RESERVED_NAMES: readonly (readonly [names: readonly string[], reason: string])[] = [
  [bothPrefixes(SECRET_KEY.variable), SECRET],
  [bothPrefixes(BOOTSTRAP_PASSWORD.variable), `${SECRET}: set it as the bootstrap password`],
  [
    [DATABASE_VARIABLES.password, ...bothPrefixes(`${DATABASE_TARGET_PREFIX}PASSWORD`)],
    [
      `${SECRET}: for a role in another database, use the password in the secret that ends in`,
      DATABASE_PASSWORD_SUFFIX,
    ].join(" "),
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
  [Object.values(POOL_VARIABLES), "the size of a pool follows from the database: use the input for the pool"],
  [["K_CONFIGURATION", "K_REVISION", "K_SERVICE", "PORT"], "the platform sets it, and refuses another value"],
];

const RESERVED = sharedTable(
  "reserved_variables",
  Object.fromEntries(RESERVED_NAMES.flatMap(([names, reason]) => names.map((name) => [name, reason]))),
);

/** Why a name is reserved; empty for one that is not. */
const reasonFor = (name: Expr<string>) => lookup(RESERVED, name, "");

/** The name with our prefix of a variable that may have the upstream's. */
const neutral = (name: Expr<string>) => replaceMatches(name, `^${UPSTREAM_PREFIX}`, NEUTRAL_PREFIX);

/**
 * Names that usually hold a secret. SSLKEY is the path of a key, and words after SECRET or TOKEN can mean that it is
 * not.
 */
const SECRET_NAME = "(PASSWORD|PASSWORD_HASH|TOKEN|KEY)$|SECRET";
const HARMLESS_NAME = "(SSLKEY|PUBLIC_?KEY|_(AGE|DIR|DURATION|EXPIRY|FILE|ID|LENGTH|NAME|PATH|VERSION))$";

/** A value that the application reads from elsewhere; what follows a question mark is the default. */
const REFERENCE = "^((env|file)://[^?]*)?$";
const ELSEWHERE = "(env|file)://.+";

const LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";

/** A host name or an IPv4 address. A name of digits alone would be read as a number. */
export const HOST = `(${LABEL}[.])*[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?|[0-9]{1,3}([.][0-9]{1,3}){3}`;

const ADDRESS = `[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]+@(${LABEL}[.])+${LABEL}`;

/** What the name before an address may consist of: characters, text in quotes, and after these, text in parentheses. */
const CHARACTER = '[^\\x00-\\x20\\x7f()<>@,:\\x3b.\\\\"\\[\\]]';
const QUOTED = '"([^"\\\\\\x00-\\x1f\\x7f]|\\\\["\\\\])*"';
const NAME = `(${CHARACTER}|${QUOTED})(${CHARACTER}|${QUOTED}|[ .]|[(][^()<>\\\\\\r\\n]*[)])*`;

/** Sender of mail, as the application's mail library parses it; it sends nothing with a sender that it refuses. */
const SENDER = `(${NAME})?<${ADDRESS}>|${ADDRESS}`;

const OCTET = "(25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})";
const RANGE_OF_IPV4 = `(${OCTET}[.]){3}${OCTET}/([12]?[0-9]|3[0-2])`;
const RANGE_OF_IPV6 = "[0-9A-Fa-f]*:[0-9A-Fa-f:]*/(1[01][0-9]|12[0-8]|[1-9]?[0-9])";
const RANGE = `(${RANGE_OF_IPV4}|${RANGE_OF_IPV6})`;

/** 1 to 65535. */
const PORT = "[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]";

/** The application takes anything else for false, and mail would not be encrypted. */
const SWITCH = [`^([Tt]rue|TRUE|[Ff]alse|FALSE|${ELSEWHERE})?$`, "true or false"] as const;

/**
 * The entrypoint makes one of the two words for a warning, of which the application's native program knows the shorter.
 */
const LOG_LEVELS = ["trace", "debug", "info", "warning", "warn", "error"] as const;

export const LOG_LEVEL_VARIABLE = "IDP_LOG_LEVEL" satisfies keyof typeof BASELINE_ENVIRONMENT;

/** Variable of the domain for which browsers keep the session. */
export const COOKIE_DOMAIN = "IDP_COOKIE_DOMAIN";

/** Settings whose values the application parses, and fails on later than a plan: a pattern, and what it stands for. */
const PARSED_VALUES: Readonly<Record<string, readonly [pattern: string, form: string]>> = {
  [COOKIE_DOMAIN]: [`^([.]?(${HOST})|${ELSEWHERE})?$`, "a domain such as example.com, without scheme, port and path"],
  IDP_EMAIL__FROM: [
    `^(${SENDER}|${ELSEWHERE})?$`,
    'an e-mail address, with a name in quotes if it has a comma or the like, such as "Example, Inc." <idp@example.com>',
  ],
  // The application takes text for the number 0.
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

/** Shows a name with a text about it, never the value. */
const withText =
  (textOf: (name: Expr<string>) => Expr<string>): EachCheck["shows"] =>
  (name) =>
    interpolated`${jsonOf(name)} (${textOf(name)})`;

/** Names of variables, plain or secret, that the platforms and POSIX accept. */
const NAME_PATTERN = "^[A-Za-z_][A-Za-z0-9_]*$";
const SETTING = `^(${NEUTRAL_PREFIX}|${UPSTREAM_PREFIX})`;

/** The application takes its settings in any case, and would have two of one kind. */
const VARIABLE_NAME: EachCheck<unknown> = {
  each: (name) =>
    name.matches(NAME_PATTERN).and(
      name
        .matches(`(?i)${SETTING}`)
        .not()
        .or(name.eq(upper(name))),
    ),
  shows: "key",
  says: [
    "a name must be letters, digits and underscores and must not start with a digit, because shells drop others,",
    `and with ${NEUTRAL_PREFIX} it must be in capitals; rename it`,
  ].join(" "),
  keySchema: { pattern: NAME_PATTERN },
};

const looksSecret = (name: Expr<string>) =>
  upper(name).matches(SECRET_NAME).and(upper(name).matches(HARMLESS_NAME).not());

/** Rules for the caller's variables; values are never shown, because some hold secrets. */
export const ENVIRONMENT_RULES: readonly EachCheck<string>[] = [
  VARIABLE_NAME,
  {
    each: (name) => reasonFor(name).eq(""),
    shows: withText(reasonFor),
    says: "the deployment sets these itself; leave them out, or do what is said with each",
  },
  {
    each: (name, value) => value.matches(lookup(PATTERNS, neutral(name), "")),
    shows: withText((name) => lookup(FORMS, neutral(name), "")),
    says: [
      "the application parses these values and fails on others only later;",
      "write them in the form that is said with each",
    ].join(" "),
  },
  {
    // A reserved name has a rule of its own, with other remedies.
    each: (name, value) => looksSecret(name).not().or(reasonFor(name).ne(""), value.matches(REFERENCE)),
    shows: "key",
    says: [
      "such a name usually holds a secret, and variables are in plain text in the state;",
      "put the value into Secret Manager and refer to it in the secret environment variables,",
      "or use a file:// or env:// reference",
    ].join(" "),
  },
];

const PROJECT = "([a-z][a-z0-9-]{4,28}[a-z0-9]|[1-9][0-9]*)";
const SECRET_ID = `^(projects/${PROJECT}/secrets/)?[A-Za-z0-9_-]{1,${SECRET_ID_MAX_LENGTH}}$`;
const SECRET_VERSION = "^[1-9][0-9]*$";

/** The name of a secret, in full, because it may belong to another project. */
const fullNameOf: Reading = (secret) =>
  `projects/${secret.getStringAttribute("project")}/secrets/${secret.getStringAttribute("secret_id")}`;

/** What is read of a version. */
const VERSION_READS: Readonly<Record<string, Reading>> = {
  google_secret_manager_secret_version: (version) => ({
    secretId: element(split("/versions/", version.getStringAttribute("name")), 0).text,
    version: version.getStringAttribute("version"),
  }),
};

/** A row of a version of a secret, or of many, for which its resource may be given. */
export const orVersion = <Row extends Input>(row: Row) => orResource("secretData", VERSION_READS, row);

/** A version of an existing secret that is managed elsewhere. */
export const SECRET_REFERENCE = {
  /** Name of the secret, or its resource; in full, `projects/<project>/secrets/<name>`, for one of another project. */
  secretId: orResource(
    "secretId",
    { google_secret_manager_secret: fullNameOf },
    text({
      description:
        "name of the secret, in full (projects/<project>/secrets/<name>, by id or number) for one of another project",
      schema: { pattern: SECRET_ID },
    }),
  ),
  /** Number of the version. Instances read it when they start, so a change rolls out new ones. */
  version: textOrNumber({ description: "number of its version", schema: { pattern: SECRET_VERSION } }),
};

/** What names such a version; its resource may be given instead. */
export interface SecretReference extends PropsOf<typeof SECRET_REFERENCE> {}

/** The same as Terraform has it. */
export interface StoredReference {
  readonly secret_id: string;
  readonly version: string;
}

const isReference = (value: Expr<StoredReference>) =>
  value.member<string>("secret_id").matches(SECRET_ID).and(value.member<string>("version").matches(SECRET_VERSION));

const REFERENCE_RULE = [
  "name a secret, or projects/<project>/secrets/<name> for one of another project, and the number of a version,",
  "because with latest, instances would get a new value at their next start, without a plan that shows it;",
  "look both up with gcloud secrets versions list",
].join(" ");

/** A reference to a secret as a whole. */
export const IS_REFERENCE: Check<StoredReference> = { condition: isReference, must: REFERENCE_RULE };

const BASELINE = Object.entries(BASELINE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);

/** Inputs for the settings of the application. */
export const ENVIRONMENT = {
  /** Settings of the application under their `IDP_` names, in plain text in the state; they override the baseline. */
  environmentVariables: textMap({
    default: {},
    description: [
      `Settings of the application under their IDP_ names. They override the baseline (${BASELINE.join(", ")}).`,
      "They are in plain text in the state: secrets belong in secret_environment_variables,",
      "and names of secrets are refused here. The application ignores names that it does not know.",
      "A change rolls out new instances.",
    ].join(" "),
    must: ENVIRONMENT_RULES,
  }),
  /**
   * Settings under their `IDP_` names whose values are versions of existing secrets, or the resources of these, to
   * which access is granted.
   */
  secretEnvironmentVariables: orVersion(
    mapOf(SECRET_REFERENCE, {
      description: (members) =>
        [
          "Settings of the application under their IDP_ names whose values are existing secrets: { secret_id,",
          `version } each. ${members} The values appear in no state or plan.`,
          "A value of digits alone becomes a number, as everywhere in the application's settings.",
          "Access is granted here. Changing it later is safe; another version rolls out new instances.",
        ].join(" "),
      must: [
        {
          ...VARIABLE_NAME,
          each: (name, value) => VARIABLE_NAME.each(name, value).and(reasonFor(name).eq(""), name.ne(TRUSTED_PROXIES)),
          says: [
            `${VARIABLE_NAME.says}; the deployment sets others itself, because database, secret key, first password,`,
            "ports, paths and trusted proxies are its own;",
            "leave these out, and set the first password as the bootstrap password",
          ].join(" "),
        },
        {
          each: (_, reference: Expr<StoredReference>) => isReference(reference),
          shows: (key, reference) => interpolated`${key} = ${jsonOf(reference)}`,
          says: `each must ${REFERENCE_RULE}`,
        },
      ],
    }),
  ),
  /** How much the application logs, `info` by default; `trace` writes session cookies and other secrets to the log. */
  logLevel: choice(LOG_LEVELS, `; use ${BASELINE_ENVIRONMENT.IDP_LOG_LEVEL}`, {
    default: BASELINE_ENVIRONMENT.IDP_LOG_LEVEL,
    description: [
      "How much the application logs: trace, debug, info, warning or warn, which are the same, or error.",
      "IDP_LOG_LEVEL in environment_variables overrides it. trace writes session cookies and other secrets to the",
      "log. A change rolls out new instances.",
    ].join(" "),
  }),
};

export type EnvironmentInputs = typeof ENVIRONMENT;

const inBoth = (plain: Value, secret: Value) => intersection(keys(plain), keys(secret));

/** A variable has one value: Cloud Run would refuse a second one, and Kubernetes would use the last. */
export const ENVIRONMENT_RELATIONS: readonly Relation<EnvironmentInputs>[] = [
  {
    of: "secretEnvironmentVariables",
    holds: ({ environmentVariables: plain, secretEnvironmentVariables: secret }) =>
      inBoth(plain, secret).length().eq(0),
    says: ({ environmentVariables: plain, secretEnvironmentVariables: secret }) =>
      [
        `${secret.name} and ${plain.name} both have ${inBoth(plain, secret).joinedBy(", ").text};`,
        `a variable has only one value; remove it from ${plain.name}`,
      ].join(" "),
  },
];

/** Settings that the application reads only when it first migrates an empty database; later its own page counts. */
const INITIAL_SETTINGS = [
  "AVATARS",
  "DEFAULT_TOKEN_DURATION",
  "DEFAULT_TOKEN_LENGTH",
  "DEFAULT_USER_CHANGE_EMAIL",
  "DEFAULT_USER_CHANGE_NAME",
  "DEFAULT_USER_CHANGE_USERNAME",
  "FOOTER_LINKS",
  "GDPR_COMPLIANCE",
  "IMPERSONATION",
];
const IS_INITIAL = `(?i)${SETTING}(${INITIAL_SETTINGS.join("|")})$`;
const initialIn = (variables: Variables) =>
  each(
    keys(variables),
    (name) => name,
    (name) => name.matches(IS_INITIAL),
    "name",
  );

type Variables = Expr<Readonly<Record<string, string>>>;

/** Values of a setting among variables, under either prefix. */
export const settingIn = (variables: Variables, setting: string) =>
  compact(bothPrefixes(setting).map((name) => lookup(variables, name, "")));

/**
 * What else reads variables: the runtimes of Python and Go, the C library, clients of PostgreSQL and of clouds, and
 * TLS.
 */
const READ_NAMES = [
  ...["ALL", "HTTP", "HTTPS", "NO"].map((scheme) => `${scheme}_PROXY`),
  "CURL_CA_BUNDLE",
  "HOME",
  "LANG",
  "LANGUAGE",
  "PATH",
  "PROMETHEUS_MULTIPROC_DIR",
  "REQUESTS_CA_BUNDLE",
  "SSLKEYLOGFILE",
  "SSL_CERT_DIR",
  "SSL_CERT_FILE",
  "TMPDIR",
  "TZ",
  "WEB_CONCURRENCY",
  "PGAPPNAME",
  "PGCONNECT_TIMEOUT",
  "PGOPTIONS",
  "PGTZ",
];
const READ_BEGINNINGS = [
  NEUTRAL_PREFIX,
  UPSTREAM_PREFIX,
  "AWS_",
  "BOTO_",
  "DJANGO_",
  "DRAMATIQ_",
  "GLIBC_",
  "GODEBUG",
  "GOFIPS",
  "GOGC",
  "GOMAXPROCS",
  "GOMEMLIMIT",
  "GOOGLE_",
  "GOTRACEBACK",
  "GRPC_",
  "GUNICORN_",
  "KRB5",
  "LC_",
  "LD_",
  "MALLOC_",
  "OPENSSL_",
  "OTEL_",
  "PGSSL",
  "PYTHON",
  "RUST_",
  "SENTRY_",
];
const IS_READ = `^((${READ_NAMES.join("|")})$|${READ_BEGINNINGS.join("|")})`;

/** Names of variables that nothing reads, nor another one by `env://`; case does not matter to all readers. */
function unreadIn(plain: Variables, secret: Value): Expr<readonly string[]> {
  const referred = each(
    values(plain),
    (value) => trimPrefix(element(split("?", value), 0), "env://"),
    undefined,
    "value",
  );
  return each(
    concat<string>(keys(plain), keys(secret)),
    (name) => name,
    (name) => upper(name).matches(IS_READ).not().and(referred.contains(name).not()),
    "name",
  );
}

const NOBODY_READS = [
  "neither the application nor what it runs on reads such a name, so that it has no effect; correct",
  "it, or begin it with IDP_, and with IDP_BLUEPRINT_ where a blueprint of your own reads it",
].join(" ");

/** Further defaults of a container: without those that are known to be null. */
export function optionalVariables(variables: Readonly<Record<string, Expr>>): Readonly<Record<string, string>> {
  const mayBeSet = Object.entries(variables).filter(([, value]) => !value.isLiteral || value.literal !== null);
  // The platform escapes literals.
  return Object.fromEntries(
    mayBeSet.map(([name, value]) => [name, value.isLiteral ? String(value.literal) : value.text]),
  );
}

/** The variables of a container that others have too, as a local of a scope. */
export function commonVariables(
  scope: Construct,
  id: string,
  { baseline, optional }: EnvironmentSpec,
): CommonVariables {
  const variables = { ...optional, ...baseline };
  let local: TerraformLocal | undefined;
  return { variables, local: () => (local ??= new TerraformLocal(scope, id, escapedTexts(variables))) };
}

/** Names that have no effect. */
export const UNREAD_WARNING: Finding<EnvironmentInputs> = {
  finds: "UnreadVariables",
  among: (v) => unreadIn(v.environmentVariables, v.secretEnvironmentVariables),
  says: ({ environmentVariables: plain, secretEnvironmentVariables: secret }, found) =>
    `${plain.name} or ${secret.name} has ${found}; ${NOBODY_READS}`,
};

export const ENVIRONMENT_WARNINGS: readonly (Advice<EnvironmentInputs> | Finding<EnvironmentInputs>)[] = [
  {
    finds: "InitialVariables",
    among: (v) => initialIn(v.environmentVariables),
    says: ({ environmentVariables: plain }, found) =>
      [
        `${plain.name} has ${found}; that counts at the first start only,`,
        "after which the application keeps it itself; change it there, at System > Settings",
      ].join(" "),
  },
  UNREAD_WARNING,
  {
    states: "MailHasOneEncryption",
    holds: ({ environmentVariables: plain }) =>
      anyOf(
        ...["IDP_EMAIL__USE_SSL", "IDP_EMAIL__USE_TLS"].map((name) =>
          some(settingIn(plain, name), (value) => lower(value).eq("true"), "value").not(),
        ),
      ),
    says: ({ environmentVariables: plain }) =>
      [
        `${plain.name} has true for IDP_EMAIL__USE_SSL and for IDP_EMAIL__USE_TLS; the application then sends no mail,`,
        [
          "because a connection is encrypted either from the first byte or later; set SSL for port 465,",
          "and TLS for others",
        ].join(" "),
      ].join(" "),
  },
];

/**
 * A rule against variables of the caller, with either prefix, that another input sets.
 *
 * @param how the names, a condition that the input sets none of them, what the message says of it, and the remedy
 */
export function setOnce<T extends Table & EnvironmentInputs>(
  setter: keyof T,
  how: {
    readonly names: readonly string[];
    readonly isOff: (setter: Value) => Expr<boolean>;
    readonly is: string;
    readonly remedy: (name: string) => string;
  },
): Relation<T> {
  const names = how.names.flatMap(bothPrefixes).sort();
  const taken = (plain: Value, secret: Value) => intersection(concat<string>(keys(plain), keys(secret)), names);
  return {
    of: setter,
    holds: ({ [setter]: by, environmentVariables: plain, secretEnvironmentVariables: secret }) =>
      how.isOff(by).or(taken(plain, secret).length().eq(0)),
    says: ({ [setter]: by, environmentVariables: plain, secretEnvironmentVariables: secret }) =>
      [
        `${plain.name} or ${secret.name} has ${taken(plain, secret).joinedBy(", ").text} and ${by.name} is ${how.is};`,
        "only one of them can set it, because a variable has one value;",
        `remove it there, or ${how.remedy(by.name)}`,
      ].join(" "),
  };
}

export const IS_SENDER: Check = matching(
  `^(${SENDER})$`,
  [
    "be an e-mail address, with or without a name, which must be in quotes if it has a comma or the like,",
    "because no mail can be sent from another; use for example idp@example.com,",
    'Example <idp@example.com> or "Example, Inc." <idp@example.com>,',
    "and a domain with other letters in punycode (xn--)",
  ].join(" "),
);
