import { anyOf, type Expr, interpolated } from "../core/expr/expr";
import {
  compact,
  concat,
  each,
  element,
  endsWith,
  every,
  keys,
  lookup,
  lower,
  some,
  split,
  trimPrefix,
  upper,
  values,
} from "../core/expr/functions";
import { type Optional } from "../core/inputs/rows";
import { type Value } from "../core/inputs/value";
import { type WarningItems, type WarningRelation } from "../core/inputs/warnings";
import { prose } from "../core/prose";
import { NEUTRAL_PREFIX, UPSTREAM_PREFIX } from "./contract";
import { type EnvironmentInputs } from "./environment";
import { bothPrefixes, COOKIE_DOMAIN, SETTING } from "./environment-rules";

/**
 * Settings that the application only uses when it first migrates an empty database; later, it uses its settings page.
 */
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
 * Names of variables for other software in the image: the runtimes of Python and Go, the C library, clients of
 * PostgreSQL and of clouds, and TLS.
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

/**
 * Names of variables that neither a program nor an `env://` value reads. Compared without case, because some programs
 * ignore it.
 */
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

const NOBODY_READS = prose`
  neither the application nor what it runs on reads such a name, so that it has no effect; correct
  it, or begin it with IDP_, and with IDP_BLUEPRINT_ where a blueprint of your own reads it
`;

/** Warning about variables without an effect. */
export const UNREAD_WARNING: WarningItems<EnvironmentInputs> = {
  localId: "UnreadVariables",
  among: (v) => unreadIn(v.environmentVariables, v.secretEnvironmentVariables),
  message: ({ environmentVariables: plain, secretEnvironmentVariables: secret }, found) =>
    `${plain.name} or ${secret.name} has ${found}; ${NOBODY_READS}`,
};

/** Warnings about variables at plan. */
export const ENVIRONMENT_WARNINGS: readonly (WarningRelation<EnvironmentInputs> | WarningItems<EnvironmentInputs>)[] = [
  {
    localId: "InitialVariables",
    among: (v) => initialIn(v.environmentVariables),
    message: ({ environmentVariables: plain }, found) =>
      prose`
        ${plain.name} has ${found}; that counts at the first start only,
        after which the application keeps it itself; change it there, at System > Settings
      `,
  },
  UNREAD_WARNING,
  {
    localId: "MailHasOneEncryption",
    holds: ({ environmentVariables: plain }) =>
      anyOf(
        ...["IDP_EMAIL__USE_SSL", "IDP_EMAIL__USE_TLS"].map((name) =>
          some(settingIn(plain, name), (value) => lower(value).eq("true"), "value").not(),
        ),
      ),
    message: ({ environmentVariables: plain }) =>
      [
        `${plain.name} has true for IDP_EMAIL__USE_SSL and for IDP_EMAIL__USE_TLS; the application then sends no mail,`,
        prose`
          because a connection is encrypted either from the first byte or later; set SSL for port 465,
          and TLS for others
        `,
      ].join(" "),
  },
];

/** Warning that also depends on the domain. */
export const COOKIE_WARNINGS: readonly WarningRelation<EnvironmentInputs & Readonly<{ domain: Optional<string> }>>[] = [
  {
    localId: "CookieDomainCoversDomain",
    holds: ({ domain, environmentVariables: plain }) =>
      domain.isNullOr((name) =>
        every(
          settingIn(plain, COOKIE_DOMAIN),
          (value) =>
            value.matches("://").or(endsWith(interpolated`.${name}`, interpolated`.${trimPrefix(value, ".")}`)),
          "value",
        ),
      ),
    message: ({ domain, environmentVariables: plain }) =>
      prose`
        ${plain.name} has ${COOKIE_DOMAIN}, which does not cover ${domain.name} ${domain.shown};
        browsers then keep no session, and nobody can sign in; use the domain itself or one that it is part of
      `,
  },
];
