import { allOf } from "../core/expr/expr";
import { type Relation } from "../core/inputs/relations";
import { count, number, object, type PropsOf } from "../core/inputs/rows";
import { isWhole } from "../core/inputs/rules";
import { type ValuesOf } from "../core/inputs/value";
import { prose } from "../core/prose";
import { type ProbeSpec } from "./container-spec";
import {
  LIVENESS_PROBE,
  PROBE_MAX_SECONDS,
  PROBE_TIMEOUT_SECONDS,
  STARTUP_MAX_SECONDS,
  STARTUP_PROBE,
} from "./contract";

/** @param outcome effect of repeated failures, in words */
function probeRows(
  { failureThreshold, initialDelaySeconds, periodSeconds }: typeof LIVENESS_PROBE | typeof STARTUP_PROBE,
  longest: number,
  outcome: string,
) {
  return {
    /** Seconds from the start of the container to the first check. */
    initialDelaySeconds: count(initialDelaySeconds, "seconds before the first check", 0, longest),
    /** Seconds between checks. */
    periodSeconds: count(periodSeconds, "seconds between checks", 1, longest),
    /** Seconds after which a check without an answer fails, at most the period. */
    timeoutSeconds: number({
      default: PROBE_TIMEOUT_SECONDS,
      description: "seconds after which a check without an answer fails",
    }),
    /** Consecutive failures after which the platform acts. */
    failureThreshold: count(failureThreshold, `failures in a row ${outcome}`, 1),
  };
}

/** Inputs of the probes. */
export const PROBES = {
  /**
   * Holds back traffic until migrations are done: 60 s delay, every 15 s, 40 failures. Period × failures must not
   * exceed 600 s.
   */
  startupProbe: object(
    probeRows(STARTUP_PROBE, PROBE_MAX_SECONDS.startupProbe, "after which the start counts as failed"),
    {
      default: {},
      description: (members) =>
        prose`
          How long a start may take: initial_delay_seconds, then period_seconds times failure_threshold,
          at most 600 s. ${members} Migrations of a new release run in that time.
          A change rolls out new instances.
        `,
    },
  ),
  /** Restarts a hanging instance: 60 s delay, every 30 s, 3 failures. */
  livenessProbe: object(
    probeRows(LIVENESS_PROBE, PROBE_MAX_SECONDS.livenessProbe, "after which the instance is restarted"),
    {
      default: {},
      description: (members) => `When a hanging instance is restarted. ${members} A change rolls out new instances.`,
    },
  ),
};

/** Timing and threshold of a probe. */
export interface ProbeProps extends PropsOf<ReturnType<typeof probeRows>> {}

type Probe = "livenessProbe" | "startupProbe";

/** A probe must time out before the next one begins, so that its failure is counted. */
const timing = (of: Probe): Relation<typeof PROBES> => ({
  host: of,
  holds: ({ [of]: { at } }) =>
    allOf(
      isWhole(at.initialDelaySeconds, 0, PROBE_MAX_SECONDS[of]),
      isWhole(at.periodSeconds, 1, PROBE_MAX_SECONDS[of]),
      isWhole(at.timeoutSeconds, 1),
      isWhole(at.failureThreshold, 1),
      at.timeoutSeconds.le(at.periodSeconds),
    ),
  message: ({ [of]: { at } }) => {
    const given = Object.values(at).map(({ name, shown }) => `${name} is ${shown}`);
    return prose`
      ${given.join(", ")}; all must be whole numbers, delay and period at most ${PROBE_MAX_SECONDS[of]},
      period, timeout and threshold at least 1, and the timeout at most the period,
      because Cloud Run refuses others, and both platforms get the same probes; change what differs
    `;
  },
});

type Start = ValuesOf<typeof PROBES>["startupProbe"]["at"];

const longestStart = ({ failureThreshold, periodSeconds }: Start) => periodSeconds.times(failureThreshold);

export const PROBE_RELATIONS: readonly Relation<typeof PROBES>[] = [
  timing("startupProbe"),
  {
    host: "startupProbe",
    holds: ({ startupProbe: { at } }) => longestStart(at).le(STARTUP_MAX_SECONDS),
    message: ({ startupProbe: { at } }) => {
      const { failureThreshold: failures, periodSeconds: period } = at;
      return prose`
        ${period.name} × ${failures.name} is ${period.shown} s × ${failures.shown} = ${longestStart(at).text} s;
        it must not exceed ${STARTUP_MAX_SECONDS} s,
        because Cloud Run refuses more, and both platforms get the same probes; lower one of the two
      `;
    },
  },
  timing("livenessProbe"),
];

export function probeOf(values: ValuesOf<typeof PROBES>, probe: Probe): ProbeSpec {
  const { failureThreshold, initialDelaySeconds, periodSeconds, timeoutSeconds } = values[probe].at;
  return {
    path: probe === "startupProbe" ? STARTUP_PROBE.path : LIVENESS_PROBE.path,
    initialDelaySeconds: initialDelaySeconds.number,
    periodSeconds: periodSeconds.number,
    timeoutSeconds: timeoutSeconds.number,
    failureThreshold: failureThreshold.number,
  };
}
