import { matching, oneOf, type CheckedValue } from "../core/checked-value";
import { BASELINE_ENVIRONMENT, TRUSTED_PROXIES } from "./contract";

const LABEL = "[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?";

/** A host name or an IPv4 address. A name of digits alone would be read as a number. */
export const HOST = `(${LABEL}[.])*[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?|[0-9]{1,3}([.][0-9]{1,3}){3}`;

const ADDRESS = `[A-Za-z0-9.!#$%&'*+/=?^_\`{|}~-]+@(${LABEL}[.])+${LABEL}`;

/** What the name before an address may consist of: characters, text in quotes, and after these, text in parentheses. */
const CHARACTER = '[^\\x00-\\x20\\x7f()<>@,:\\x3b.\\\\"\\[\\]]';
const QUOTED = '"([^"\\\\\\x00-\\x1f\\x7f]|\\\\["\\\\])*"';
const NAME = `(${CHARACTER}|${QUOTED})(${CHARACTER}|${QUOTED}|[ .]|[(][^()<>\\\\\\r\\n]*[)])*`;
const SENDER = `(${NAME})?<${ADDRESS}>|${ADDRESS}`;

/** Sender of mail, as the application's mail library parses it; it sends nothing with a sender that it refuses. */
export const SMTP_FROM = matching(`^(${SENDER})$`, {
  must: "be an e-mail address, with or without a name, which must be in quotes if it has a comma or the like",
  reason: "no mail can be sent from another",
  remedy:
    'use for example idp@example.com, Example <idp@example.com> or "Example, Inc." <idp@example.com>, and a domain with other letters in punycode (xn--)',
});

/** Variable of the log level. */
export const LOG_LEVEL_VARIABLE = "IDP_LOG_LEVEL" satisfies keyof typeof BASELINE_ENVIRONMENT;

export const DEFAULT_LOG_LEVEL = BASELINE_ENVIRONMENT[LOG_LEVEL_VARIABLE];

const LOG_LEVELS = ["trace", "debug", "info", "warning", "error"];

/** How much the application logs. */
export const LOG_LEVEL = oneOf(LOG_LEVELS, { remedy: `use ${DEFAULT_LOG_LEVEL}` });

/** A setting that the application reads from elsewhere. */
const ELSEWHERE = "(env|file)://.+";

const OCTET = "(25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})";
const RANGE = `((${OCTET}[.]){3}${OCTET}/([12]?[0-9]|3[0-2])|[0-9A-Fa-f]*:[0-9A-Fa-f:]*/(1[01][0-9]|12[0-8]|[1-9]?[0-9]))`;

/** Settings among the caller's variables whose values the application parses, and fails on later than a plan. */
export const PARSED_VALUES: Readonly<Record<string, CheckedValue<string>>> = {
  IDP_COOKIE_DOMAIN: matching(`^([.]?(${HOST})|${ELSEWHERE})?$`, {
    must: "be a domain without scheme, port and path",
    reason: "browsers refuse the cookies of another, and nobody can sign in",
    remedy: "use for example example.com",
  }),
  IDP_EMAIL__FROM: matching(`^(${SENDER}|${ELSEWHERE})?$`, {
    must: "be an e-mail address, with a name in quotes if it has a comma or the like",
    reason: "no mail can be sent from another",
    remedy: 'use for example "Example, Inc." <idp@example.com>',
  }),
  [LOG_LEVEL_VARIABLE]: matching(`^(${[...LOG_LEVELS, "warn"].join("|")}|${ELSEWHERE})$`, {
    must: `be one of ${LOG_LEVELS.join(", ")}`,
    reason: "the application does not start with another",
    remedy: `use ${DEFAULT_LOG_LEVEL}`,
  }),
  [TRUSTED_PROXIES]: matching(`^${RANGE}( *, *${RANGE})*$`, {
    must: "be address ranges in CIDR notation, with commas between them",
    reason: "the application reads no others",
    remedy: "use for example 203.0.113.0/24",
  }),
};
