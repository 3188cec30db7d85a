import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { type DeploymentContext } from "../../../lib/core/place";
import { type OneTimeJobSpec } from "../../../lib/idp/job-runner";
import { ServerlessJobs } from "../../../lib/platform/serverless/serverless-jobs";
import {
  PLACE,
  placeOf,
  standInContainer,
  standInDatabase,
  standInIdentity,
  standInJob,
} from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";
import { brokenRules } from "../../support/broken-rules";

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

  it("refuses names that leave no room for the token, and a socket path that no address holds", () => {
    const place = placeOf({ applicationName: "a".repeat(18) });
    const database = { instance: standInDatabase({ connectionNameLength: 102 }), hostVariable: "HOST" };
    const name = `idp-${"p".repeat(40)}`.slice(0, 26);
    expect(() => jobIn({ job: { name }, container: { database }, place })).toThrow(
      brokenRules("test/Prepare", [
        `job name ${"a".repeat(18)}-demo-abc123-${name} is 57 characters, the limit is 54, because the name of an execution ends in a token; shorten the application name or the tenant id by 3`,
        "the connection name of the database, from job.container.database.instance, has 102 characters; it must have at most 83, because the path of its socket has at most 107; shorten the application name or the tenant id by 19",
      ]),
    );
  });
});
