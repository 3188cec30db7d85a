import { membersOf, textAt, type Value, valueAt, type ValueObject } from "../terraform-value";
import { quantity } from "../quantity";

/** Arguments of the scaling that the provider sends and the API does not know, by their names there. */
const UNKNOWN_SCALING = {
  max_instance_count: "maxInstanceCount",
  min_instance_count: "minInstanceCount",
  scaling_mode: "scalingMode",
} as const;

/** Allowed CPUs of a container, with the least and the most memory of each. */
const MEMORY: Readonly<Record<string, readonly [least: string, most: string]>> = {
  "1": ["512Mi", "4Gi"],
  "2": ["512Mi", "8Gi"],
  "4": ["2Gi", "16Gi"],
  "8": ["4Gi", "32Gi"],
};

const PROBES = {
  startup_probe: { longestDelay: 240, longestPeriod: 240, longestTotal: 600 },
  liveness_probe: { longestDelay: 3600, longestPeriod: 3600, longestTotal: Number.POSITIVE_INFINITY },
} as const;

/** The provider's own values of what a probe leaves out. */
const PROBE_DEFAULTS = { failure_threshold: 3, initial_delay_seconds: 0, period_seconds: 10, timeout_seconds: 1 };

const PROBE_KINDS = ["grpc", "http_get", "tcp_socket"] as const;

/** What the API refuses of a worker pool: it scales by hand alone, has no port, and its probes have limits. */
export function poolProblems(values: ValueObject): readonly string[] {
  return [
    ...scalingProblems(valueAt(values, "scaling.0")),
    ...membersOf(valueAt(values, "template.0.containers")).flatMap((container) => [
      ...sizeProblems(container),
      ...Object.keys(PROBES).flatMap((name) => probeProblems(name as keyof typeof PROBES, container)),
    ]),
  ];
}

/** How many instances a pool has; the provider's default is the API's, one. */
export function poolInstances(values: ValueObject): number {
  return Number(valueAt(values, "scaling.0.manual_instance_count") ?? 1);
}

function scalingProblems(scaling: Value): string[] {
  const unknown = Object.entries(UNKNOWN_SCALING).filter(([name]) => valueAt(scaling, name) !== null);
  const count = valueAt(scaling, "manual_instance_count");
  return [
    ...unknown.map(([, name]) => `Unknown name "${name}" at 'worker_pool.scaling': Cannot find field`),
    ...(typeof count === "number" && count < 0 ? ["scaling.manual_instance_count must not be negative"] : []),
  ];
}

function sizeProblems(container: Value): string[] {
  const limits = valueAt(container, "resources.0.limits");
  const [cpu, memory] = [textAt(limits, "cpu") || "1", textAt(limits, "memory") || "512Mi"];
  const [least, most] = MEMORY[cpu] ?? [];
  if (least === undefined || most === undefined)
    return [`cpu must be one of ${Object.keys(MEMORY).join(", ")}, got ${cpu}`];
  const fits = quantity(memory) >= quantity(least) && quantity(memory) <= quantity(most);
  return fits ? [] : [`${cpu} CPU take ${least} to ${most} of memory, got ${memory}`];
}

function probeProblems(name: keyof typeof PROBES, container: Value): string[] {
  const probe = valueAt(container, `${name}.0`);
  if (probe === null) return [];
  const { longestDelay, longestPeriod, longestTotal } = PROBES[name];
  const seconds = (argument: keyof typeof PROBE_DEFAULTS) =>
    Number(valueAt(probe, argument) ?? PROBE_DEFAULTS[argument]);
  const [delay, period] = [seconds("initial_delay_seconds"), seconds("period_seconds")];
  const total = period * seconds("failure_threshold");
  const kinds = PROBE_KINDS.filter((kind) => valueAt(probe, `${kind}.0`) !== null);
  const isPortless = kinds.some((kind) => valueAt(probe, `${kind}.0.port`) === null);
  return [
    ...(kinds.length === 1 ? [] : ["exactly one of grpc, http_get, tcp_socket must be specified"]),
    // A service's probe falls back to the port of its container.
    ...(isPortless ? ["port must be specified, because a worker pool has none"] : []),
    ...(delay > longestDelay ? [`initial_delay_seconds must be at most ${longestDelay}, got ${delay}`] : []),
    ...(period > longestPeriod ? [`period_seconds must be at most ${longestPeriod}, got ${period}`] : []),
    ...(seconds("timeout_seconds") > period ? [`timeout_seconds must not exceed period_seconds, ${period}`] : []),
    ...(total > longestTotal ? [`it may take at most ${longestTotal} seconds, got ${total}`] : []),
  ].map((problem) => `${name}: ${problem}`);
}
