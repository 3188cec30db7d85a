import { type EndState, type FaultScenario } from "./fault-scenarios";

/** Types whose creation may break after the thing exists, which leaves it to be replaced. */
const BREAKABLE = [
  ...["google_cloud_run_v2_job", "google_cloud_run_v2_service"],
  ...["kubernetes_deployment_v1", "kubernetes_ingress_v1", "kubernetes_job_v1", "kubernetes_service_v1"],
];

/** A failure on create of each thing that exists in the end, from the last stage that does not have it yet. */
export function resourceFaults(
  end: EndState,
  stages: readonly RegExp[],
): (FaultScenario & { readonly afterStage: number })[] {
  return end.objects.flatMap((key) => {
    const [type = "", ...rest] = key.split(" ");
    const id = rest.join(" ");
    const stage = stages.findIndex((pattern) => pattern.test(`${type}.`));
    const fault = (kind: "broken" | "refused") => ({
      name: `${key} is ${kind} on create`,
      afterStage: stage < 0 ? stages.length : stage,
      prepare: ({ cloud }: Parameters<FaultScenario["prepare"]>[0]) => {
        cloud.failOnce(type, id, kind);
      },
      refusal: "injected failure",
    });
    return BREAKABLE.includes(type) ? [fault("refused"), fault("broken")] : [fault("refused")];
  });
}
