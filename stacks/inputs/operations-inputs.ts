import { DATABASE_MAJOR_VERSION, REQUESTS_PER_INSTANCE } from "../../lib/idp/contract";
import { DEFAULT_LOG_LEVEL, LOG_LEVEL } from "../../lib/idp/parsed-values";
import { DEFAULT_PROBES, PROBE_FIGURES, PROBE_TIMEOUT, STARTUP_TIME } from "../../lib/idp/probe-rules";
import { DEFAULT_REQUEST_TIMEOUT_SECONDS, REQUEST_TIMEOUT } from "../../lib/platform/instance-rules";
import { REQUEST_CONCURRENCY } from "../../lib/platform/serverless/service-options";
import { DATABASE_FLAGS, DATABASE_MAJOR } from "../../lib/platform/sql/database-flags";
import { type Input } from "./input-table";
import { memberExpression, memberSentences } from "./object-type";
import { type PlatformWords } from "./platform-words";

/**
 * Type of an input for a probe.
 *
 * @param outcome what a number of failures in a row means
 */
function probeType(probe: keyof typeof DEFAULT_PROBES, outcome: string) {
  const { failureThreshold, initialDelaySeconds, periodSeconds, timeoutSeconds } = DEFAULT_PROBES[probe];
  const must = PROBE_FIGURES[probe];
  return {
    members: {
      initial_delay_seconds: {
        type: "number",
        default: initialDelaySeconds,
        must: must.initialDelaySeconds,
        description: "seconds before the first check",
      },
      period_seconds: {
        type: "number",
        default: periodSeconds,
        must: must.periodSeconds,
        description: "seconds between checks",
      },
      timeout_seconds: {
        type: "number",
        default: timeoutSeconds,
        description: "seconds after which a check without an answer fails",
      },
      failure_threshold: {
        type: "number",
        default: failureThreshold,
        must: must.failureThreshold,
        description: `failures in a row ${outcome}`,
      },
    },
  } as const satisfies Input["type"];
}

/** Names and Terraform expressions of some members of a probe, for rules that relate them. */
function membersOf<Name extends string>(
  input: string,
  type: ReturnType<typeof probeType>,
  members: Readonly<Record<Name, keyof ReturnType<typeof probeType>["members"]>>,
) {
  const mapped = (convert: (member: keyof ReturnType<typeof probeType>["members"]) => string) =>
    Object.fromEntries(
      Object.entries<keyof ReturnType<typeof probeType>["members"]>(members).map(([name, member]) => [
        name,
        convert(member),
      ]),
    ) as Record<Name, string>;
  return [mapped((member) => `${input}.${member}`), mapped((member) => memberExpression(input, type, member))] as const;
}

const STARTUP = probeType("startupProbe", "after which the start counts as failed");
const LIVENESS = probeType("livenessProbe", "after which the instance is restarted");
const TIMEOUT = { timeoutSeconds: "timeout_seconds", periodSeconds: "period_seconds" } as const;
const TIME = { periodSeconds: "period_seconds", failureThreshold: "failure_threshold" } as const;

/** Inputs of both variants for operators. */
export function operationsInputs({ requestTimeout }: PlatformWords) {
  return {
    database_flags: {
      type: "map(string)",
      default: {},
      description:
        "Flags of the database server, by name; they override those for logging. max_connections follows from database_tier: one for every 10 MB of memory. Changing them later is safe; some restart the database, as Cloud SQL's list of flags says.",
      must: DATABASE_FLAGS,
    },
    database_version: {
      type: "number",
      default: DATABASE_MAJOR_VERSION,
      description: `Major version of PostgreSQL: ${DATABASE_MAJOR_VERSION} only, the one that is tested with the application; no later change is possible.`,
      must: DATABASE_MAJOR,
    },
    liveness_probe: {
      type: LIVENESS,
      default: {},
      description: `When a hanging instance is restarted. ${memberSentences(LIVENESS)} A change rolls out new instances.`,
      together: [PROBE_TIMEOUT.validationOf(...membersOf("liveness_probe", LIVENESS, TIMEOUT))],
    },
    log_level: {
      type: "string",
      default: DEFAULT_LOG_LEVEL,
      description:
        "How much the application logs: trace, debug, info, warning or error. IDP_LOG_LEVEL in environment_variables overrides it. trace writes session cookies and other secrets to the log. A change rolls out new instances.",
      must: LOG_LEVEL,
    },
    request_timeout_seconds: {
      type: "number",
      default: DEFAULT_REQUEST_TIMEOUT_SECONDS,
      description: `${requestTimeout.limit}, and of a web socket: 1 to 3600 seconds. With less, outposts and administration pages are cut off and connect again. ${requestTimeout.change}`,
      must: REQUEST_TIMEOUT,
    },
    startup_probe: {
      type: STARTUP,
      default: {},
      description: `How long a start may take: initial_delay_seconds, then period_seconds times failure_threshold, at most 600 s. ${memberSentences(STARTUP)} Migrations of a new release run in that time. A change rolls out new instances.`,
      together: [
        PROBE_TIMEOUT.validationOf(...membersOf("startup_probe", STARTUP, TIMEOUT)),
        STARTUP_TIME.validationOf(...membersOf("startup_probe", STARTUP, TIME)),
      ],
    },
  } as const satisfies Record<string, Input>;
}

/** The same for Cloud Run only. */
export const SERVERLESS_OPERATIONS_INPUTS = {
  max_instance_request_concurrency: {
    type: "number",
    default: REQUESTS_PER_INSTANCE,
    description:
      "Maximum number of requests that one instance answers at the same time: 1 to 1000. Each takes a database connection, but for web sockets, of which every open page of the application holds one. With fewer, Cloud Run starts further instances sooner. A change rolls out new instances.",
    must: REQUEST_CONCURRENCY,
  },
  startup_cpu_boost: {
    type: "bool",
    default: true,
    description:
      "Gives an instance more CPU while it starts, billed as if it had it. A change rolls out new instances.",
  },
} as const satisfies Record<string, Input>;
