import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { workerContainer } from "../../../lib/idp/worker-container";
import {
  ServerlessWorkerPool,
  type ServerlessWorkerPoolProps,
} from "../../../lib/platform/serverless/serverless-worker-pool";
import { valueAt } from "../../stacks/configuration-graph";
import { PLACE, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack, type Block } from "../../support/synthesis";

const TYPE = "google_cloud_run_v2_worker_pool";

const RUNNER = standInIdentity();

const workerIn = (stack: BareStack, changes: Partial<ContainerSpec> = {}): ContainerSpec => ({
  ...workerContainer(standInIdentityProvider(stack, { workerMode: "separate" }), {}, { cpu: "1", memory: "2Gi" }),
  ...changes,
});

const poolIn = (
  props: Partial<ServerlessWorkerPoolProps> = {},
  changes: Partial<ContainerSpec> = {},
  stack: BareStack = bareStack(),
) => {
  const made = new ServerlessWorkerPool(stack, "Worker", {
    place: PLACE,
    identity: RUNNER,
    container: workerIn(stack, changes),
    ...props,
  });
  return { stack, made, resource: () => resourceOf(terraformOf(stack), TYPE, "worker") };
};

describe("ServerlessWorkerPool", () => {
  it("sets only the number for scaling, because the API knows nothing else", () => {
    expect(Object.keys(poolIn().resource().scaling as Block)).toEqual(["manual_instance_count"]);
    expect(valueAt(poolIn().resource(), "scaling.manual_instance_count")).toBe(1);
  });
});
