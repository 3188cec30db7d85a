import { workerContainer } from "../../../lib/idp/worker-container";
import { ServerlessWorkerPool } from "../../../lib/platform/serverless/serverless-worker-pool";
import { PLACE, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

it("ServerlessWorkerPool sets only the number for scaling, because the API knows nothing else", () => {
  const stack = bareStack();
  const server = standInIdentityProvider(stack, { workerMode: "separate" });
  const container = workerContainer(server, {}, { cpu: "1", memory: "2Gi" });
  new ServerlessWorkerPool(stack, "Worker", { place: PLACE, identity: standInIdentity(), container });
  expect(resourceOf(terraformOf(stack), "google_cloud_run_v2_worker_pool", "worker").scaling).toEqual({
    manual_instance_count: 1,
  });
});
