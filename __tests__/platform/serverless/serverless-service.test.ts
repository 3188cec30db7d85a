import { InputVariable } from "../../../lib/core/input-variable";
import { TerraformData } from "../../../lib/core/terraform-data";
import { type IdentityProviderContainerProps } from "../../../lib/idp/identity-provider-container";
import { ServerlessService, type ServerlessServiceProps } from "../../../lib/platform/serverless/serverless-service";
import { valueAt } from "../../stacks/configuration-graph";
import {
  PLACE,
  standInContainer,
  standInIdentity,
  standInIdentityProvider,
  standInSettings,
} from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, warningsOf, type BareStack, type Block } from "../../support/synthesis";

const RUNNER = standInIdentity();

interface Given {
  readonly service?: Partial<ServerlessServiceProps>;
  readonly container?: Partial<IdentityProviderContainerProps>;
}

const serviceIn = ({ service = {}, container }: Given = {}, stack: BareStack = bareStack()) => {
  const created = new ServerlessService(stack, "Service", {
    place: PLACE,
    identity: RUNNER,
    container: standInIdentityProvider(stack, container),
    ...service,
  });
  const terraform = () => terraformOf(stack);
  const resource = () => resourceOf(terraform(), "google_cloud_run_v2_service", "service");
  const onlyContainer = () => valueAt(resource(), "template.containers.0") as Block;
  return { stack, created, terraform, resource, onlyContainer };
};

describe("ServerlessService", () => {
  it("waits for settings with secret values, and for its right to read them", () => {
    const stack = bareStack();
    const [stored, granted] = [new TerraformData(stack, "Stored", {}), new TerraformData(stack, "Granted", {})];
    const settings = { ...standInSettings("var.settings"), ready: [stored], grantAccess: () => [granted] };
    const container = standInContainer({ port: 80, secretSettings: [settings] });
    expect(serviceIn({ service: { container } }, stack).resource().depends_on).toEqual([
      "terraform_data.stored",
      "terraform_data.granted",
    ]);
  });

  const NO_INSTANCE =
    "minInstanceCount is 0; mail, tasks and clean-ups wait for the next request, because the worker stops with the last instance; set it to 1, or run separate workers";
  const NO_CPU =
    "cpuAlwaysAllocated is false; mail, tasks and clean-ups wait for the next request, because the worker gets no CPU between requests; set it to true, or run separate workers";

  it("only warns at synth when literals let the worker sleep", () => {
    const { stack, terraform } = serviceIn({ service: { minInstanceCount: 0, cpuAlwaysAllocated: false } });
    expect(warningsOf(stack)).toEqual([NO_INSTANCE, NO_CPU]);
    expect(terraform().check).toBeUndefined();
  });

  it("warns of nothing when workers are separate", () => {
    const service = { minInstanceCount: 0, cpuAlwaysAllocated: false };
    const { stack, terraform } = serviceIn({ container: { workerMode: "separate" }, service });
    expect(warningsOf(stack)).toEqual([]);
    expect(terraform().check).toBeUndefined();
  });

  it("warns at plan when inputs let the worker sleep, under their names", () => {
    const stack = bareStack();
    const minInstanceCount = new InputVariable(stack, "least", { type: "number", description: "Least." }).numberValue;
    const cpuAlwaysAllocated = new InputVariable(stack, "cpu", { type: "bool", description: "CPU." }).booleanValue;
    const { terraform } = serviceIn({ service: { minInstanceCount, cpuAlwaysAllocated } }, stack);
    expect(terraform().check?.service_worker_keeps_running).toEqual({
      assert: [
        { condition: "${var.least > 0}", error_message: `${NO_INSTANCE.replace("minInstanceCount", "least")}.` },
        { condition: "${var.cpu}", error_message: `${NO_CPU.replace("cpuAlwaysAllocated", "cpu")}.` },
      ],
    });
    expect(warningsOf(stack)).toEqual([]);
  });
});
