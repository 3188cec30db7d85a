import { type Dependencies, levelsOf } from "./dependency-graph";
import { type EndState, type StagedFault } from "./fault-scenarios";

/** Types whose creation may fail after the resource exists, which must then be replaced. */
const BREAKABLE = [
  ...["google_cloud_run_v2_job", "google_cloud_run_v2_service"],
  ...["kubernetes_deployment_v1", "kubernetes_ingress_v1", "kubernetes_job_v1", "kubernetes_service_v1"],
];

/** For each resource of the end state, a failed creation, from the last stage that does not have it yet. */
export function resourceFaults(end: EndState, stages: readonly RegExp[]): StagedFault[] {
  return end.objects.flatMap((key) => {
    const [type = ""] = key.split(" ");
    const refused = faultOf([key], stages, "refused");
    return BREAKABLE.includes(type) ? [refused, faultOf([key], stages, "broken")] : [refused];
  });
}

/**
 * Like `resourceFaults`, for resources whose single failures another stack rehearses: those that match the pattern fail
 * together, unless one of them waits for another.
 */
export function fewerFaults(
  end: EndState,
  stages: readonly RegExp[],
  together: RegExp,
  { addresses, waiting }: Dependencies,
): StagedFault[] {
  const levels = levelsOf(waiting);
  const groups = new Map<string, string[]>();
  for (const key of end.objects.filter((object) => together.test(object))) {
    const group = `${stageOf(key, stages)} ${levels.get(addresses.get(key) ?? "") ?? 0}`;
    groups.set(group, [...(groups.get(group) ?? []), key]);
  }
  const others = end.objects.filter((key) => !together.test(key));
  return [
    ...[...groups.values()].map((keys) => faultOf(keys, stages, "refused")),
    ...resourceFaults({ ...end, objects: others }, stages),
  ];
}

function faultOf(keys: readonly string[], stages: readonly RegExp[], kind: "broken" | "refused"): StagedFault {
  return {
    name: `${keys.join(", ")} ${keys.length > 1 ? "are" : "is"} ${kind} on create`,
    afterStage: Math.min(...keys.map((key) => stageOf(key, stages))),
    prepare: ({ cloud }) => {
      for (const key of keys) {
        const [type = "", ...id] = key.split(" ");
        cloud.failOnce(type, id.join(" "), kind);
      }
    },
    refusal: "injected failure",
  };
}

/** The number of stages after which a resource does not exist yet. */
function stageOf(key: string, stages: readonly RegExp[]): number {
  const [type = ""] = key.split(" ");
  const stage = stages.findIndex((pattern) => pattern.test(`${type}.`));
  return stage < 0 ? stages.length : stage;
}
