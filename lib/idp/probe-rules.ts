import { CheckedRelation } from "../core/checked-relation";
import { type CheckedValue, wholeNumber } from "../core/checked-value";
import { type Rule } from "../core/rules";
import { type ProbeSpec } from "./container-spec";
import {
  HEALTH_PATH,
  LIVENESS_PROBE,
  PROBE_MAX_SECONDS,
  PROBE_TIMEOUT_SECONDS,
  STARTUP_MAX_SECONDS,
  STARTUP_PROBE,
} from "./contract";

/** The probes of a container as given by the caller. */
export interface GivenProbes {
  /**
   * Probe that holds back traffic until migrations are done. Period × failures must not exceed 600 s.
   *
   * @default - GET `/-/health/ready/`, 60 s delay, every 15 s, 40 failures
   */
  readonly startupProbe?: Partial<ProbeSpec>;

  /**
   * Probe that restarts a hanging instance.
   *
   * @default - GET `/-/health/live/`, 60 s delay, every 30 s, 3 failures
   */
  readonly livenessProbe?: Partial<ProbeSpec>;
}

type ProbeName = keyof GivenProbes;

/** Every setting of both probes. */
export const DEFAULT_PROBES = {
  startupProbe: { timeoutSeconds: PROBE_TIMEOUT_SECONDS, ...STARTUP_PROBE },
  livenessProbe: { timeoutSeconds: PROBE_TIMEOUT_SECONDS, ...LIVENESS_PROBE },
} as const satisfies Readonly<Record<ProbeName, ProbeSpec>>;

/** A probe with defaults for missing settings. */
export function completeProbe(given: GivenProbes, probe: ProbeName): ProbeSpec {
  const defaults = DEFAULT_PROBES[probe];
  const {
    failureThreshold = defaults.failureThreshold,
    initialDelaySeconds = defaults.initialDelaySeconds,
    path = defaults.path,
    periodSeconds = defaults.periodSeconds,
    timeoutSeconds = defaults.timeoutSeconds,
  } = given[probe] ?? {};
  return { path, initialDelaySeconds, periodSeconds, timeoutSeconds, failureThreshold };
}

/** The settings of a probe that have a rule of their own. */
type Figure = "failureThreshold" | "initialDelaySeconds" | "periodSeconds";

function figureRules(probe: ProbeName): Readonly<Record<Figure, CheckedValue<number>>> {
  const { failureThreshold, initialDelaySeconds, periodSeconds } = DEFAULT_PROBES[probe];
  const to = PROBE_MAX_SECONDS[probe];
  const reason = "Cloud Run refuses others, and both platforms get the same probes";
  return {
    initialDelaySeconds: wholeNumber({ from: 0, to }, { reason, remedy: `use ${initialDelaySeconds}` }),
    periodSeconds: wholeNumber({ from: 1, to }, { reason, remedy: `use ${periodSeconds}` }),
    failureThreshold: wholeNumber(
      { from: 1 },
      { reason: "it counts failures before the platform acts", remedy: `use ${failureThreshold}` },
    ),
  };
}

/** Rules for single settings of each probe. */
export const PROBE_FIGURES = {
  startupProbe: figureRules("startupProbe"),
  livenessProbe: figureRules("livenessProbe"),
} as const;

/** One probe ends before the next begins. */
export const PROBE_TIMEOUT = new CheckedRelation<{ timeoutSeconds: number; periodSeconds: number }>({
  accepts: ({ periodSeconds, timeoutSeconds }) =>
    Number.isInteger(timeoutSeconds) && timeoutSeconds >= 1 && timeoutSeconds <= periodSeconds,
  condition: ({ periodSeconds, timeoutSeconds }) =>
    `floor(${timeoutSeconds}) == ${timeoutSeconds} && ${timeoutSeconds} >= 1 && ${timeoutSeconds} <= ${periodSeconds}`,
  problem: (names, shown) =>
    `${names.timeoutSeconds} is ${shown.timeoutSeconds}; it must be a whole number from 1 to ${names.periodSeconds}, which is ${shown.periodSeconds}, because the platform refuses probes that overlap; change one of the two`,
});

/** Limits the time of a start after the delay. */
export const STARTUP_TIME = new CheckedRelation<{ periodSeconds: number; failureThreshold: number }, "seconds">({
  accepts: ({ failureThreshold, periodSeconds }) => periodSeconds * failureThreshold <= STARTUP_MAX_SECONDS,
  condition: ({ failureThreshold, periodSeconds }) =>
    `${periodSeconds} * ${failureThreshold} <= ${STARTUP_MAX_SECONDS}`,
  figures: {
    seconds: {
      of: ({ failureThreshold, periodSeconds }) => periodSeconds * failureThreshold,
      expression: ({ failureThreshold, periodSeconds }) => `${periodSeconds} * ${failureThreshold}`,
    },
  },
  problem: (names, shown, { seconds }) =>
    `${names.periodSeconds} × ${names.failureThreshold} is ${shown.periodSeconds} s × ${shown.failureThreshold} = ${seconds} s; it must not exceed ${STARTUP_MAX_SECONDS} s, because Cloud Run refuses more, and both platforms get the same probes; lower one of the two`,
});

/** Excludes paths that the server would resolve to another page. */
const HEALTH_PAGE = new RegExp(`^${HEALTH_PATH}([A-Za-z0-9_-]+/)+$`);

function pathRule(probe: ProbeName): Rule<GivenProbes> {
  const pathOf = (given: GivenProbes) => completeProbe(given, probe).path;
  return {
    holds: (given) => HEALTH_PAGE.test(pathOf(given)),
    message: (given) =>
      `${probe}.path is ${JSON.stringify(pathOf(given))}; it must be under ${HEALTH_PATH}, without . or .. segments and with a slash at the end, because other pages answer 401 or 403 to a prober without credentials and the instance would never be ready; use ${STARTUP_PROBE.path} or ${LIVENESS_PROBE.path}`,
  };
}

const PROBES = ["startupProbe", "livenessProbe"] as const;
const FIGURES = ["initialDelaySeconds", "periodSeconds", "failureThreshold"] as const;

/** How a rule gets a setting of a probe, or its default. */
function source<Setting extends Exclude<keyof ProbeSpec, "path">>(probe: ProbeName, setting: Setting) {
  return [`${probe}.${setting}`, (given: GivenProbes) => completeProbe(given, probe)[setting]] as const;
}

/** Rules for the probes, for each construct that takes them. */
export const PROBE_RULES: readonly Rule<GivenProbes>[] = [
  ...PROBES.flatMap((probe) => [
    pathRule(probe),
    ...FIGURES.map((figure) => PROBE_FIGURES[probe][figure].ruleOn<GivenProbes>(...source(probe, figure))),
    PROBE_TIMEOUT.ruleOn<GivenProbes>({
      timeoutSeconds: source(probe, "timeoutSeconds"),
      periodSeconds: source(probe, "periodSeconds"),
    }),
  ]),
  STARTUP_TIME.ruleOn<GivenProbes>({
    periodSeconds: source("startupProbe", "periodSeconds"),
    failureThreshold: source("startupProbe", "failureThreshold"),
  }),
];
