import { type ContainerSpec } from "../../../lib/idp/container-spec";
import { OnDemandJob, type OnDemandJobProps } from "../../../lib/platform/serverless/on-demand-job";
import { valueAt } from "../../stacks/configuration-graph";
import {
  PLACE,
  placeOf,
  standInContainer,
  standInDatabase,
  standInIdentity,
  standInSecret,
} from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type Block } from "../../support/synthesis";

const RUNNER = standInIdentity();

const CONTAINER: Partial<ContainerSpec> = {
  args: ["test_email", "--help"],
  database: { instance: standInDatabase(), hostVariable: "HOST" },
  environment: { baseline: { PLAIN: "value" }, overrides: {}, required: {} },
  secretEnvironment: { SECRET: standInSecret("secret", "5") },
  resources: { cpu: "2", memory: "4Gi" },
};

const jobIn = (props: Partial<OnDemandJobProps> = {}) => {
  const stack = bareStack();
  const created = new OnDemandJob(stack, "TestMail", {
    container: standInContainer(CONTAINER),
    identity: RUNNER,
    name: "test-mail",
    place: PLACE,
    timeoutSeconds: 600,
    ...props,
  });
  const resource = resourceOf(terraformOf(stack), "google_cloud_run_v2_job", "test_mail");
  return { created, resource, task: valueAt(resource, "template.template") as Block };
};

describe("OnDemandJob", () => {
  it("has a name that Cloud Run accepts, even for the longest possible names", () => {
    const place = placeOf({ tenantPrefix: `${"t".repeat(20)}-abc123`, applicationName: "a".repeat(18) });
    expect(String(jobIn({ place }).resource.name).length).toBeLessThan(63);
  });
});
