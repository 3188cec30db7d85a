import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { type DeploymentContext } from "../../../lib/core/place";
import { type OneTimeJobSpec } from "../../../lib/idp/job-runner";
import { ServerlessJobs } from "../../../lib/platform/serverless/cloud-run-jobs";
import { PLACE, placeOf, standInContainer, standInIdentity, standInJob } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";

interface Given {
  readonly job?: Partial<OneTimeJobSpec>;
  readonly container?: Partial<ContainerSpec>;
  readonly place?: DeploymentContext;
}

const jobIn = ({ job, container, place = PLACE }: Given = {}) => {
  const stack = bareStack();
  const spec = standInJob(stack, { container: standInContainer(container), ...job });
  new ServerlessJobs({ place, identity: standInIdentity() }).runOnce(stack, "Prepare", spec);
  return resourceOf(terraformOf(stack), "google_cloud_run_v2_job", "prepare");
};

describe("ServerlessJobs", () => {
  it("keeps name and execution token together below 63 characters for the longest possible names", () => {
    const place = placeOf({ tenantPrefix: `${"t".repeat(20)}-abc123`, applicationName: "a".repeat(18) });
    const resource = jobIn({ job: { name: "db-init" }, place });
    const [, tokenLength] = /, 0, (\d+)\)\}$/.exec(String(resource.run_execution_token)) ?? [];
    expect(String(resource.name).length + Number(tokenLength)).toBeLessThan(63);
  });
});
