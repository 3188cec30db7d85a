import { InputVariable } from "../../../lib/core/inputs/input-variable";
import { type IdentityProviderContainerProps } from "../../../lib/idp/identity-provider-container";
import { ServerlessService, type ServerlessServiceProps } from "../../../lib/platform/serverless/serverless-service";
import { CONTEXT, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { type BareStack, bareStack, terraformOf, warningsOf } from "../../support/synthesis";

const serviceIn = (
  stack: BareStack,
  service: Partial<ServerlessServiceProps>,
  container?: Partial<IdentityProviderContainerProps>,
) => {
  new ServerlessService(stack, "Service", {
    context: CONTEXT,
    identity: standInIdentity(),
    container: standInIdentityProvider(stack, container),
    ...service,
  });
};

describe("ServerlessService", () => {
  const NO_INSTANCE =
    'minInstanceCount is 0; mail, tasks and clean-ups wait for the next request, because the worker stops with the last instance; set it to 1, or set workerMode to "separate"';
  const NO_CPU =
    'cpuAlwaysAllocated is false; mail, tasks and clean-ups wait for the next request, because the worker gets no CPU between requests; set it to true, or set workerMode to "separate"';

  it.each([
    ["only warns at synth when literals let the worker sleep", "in-container", [NO_INSTANCE, NO_CPU]],
    ["warns of nothing when workers are separate", "separate", []],
  ])("%s", (_, workerMode, warnings) => {
    const stack = bareStack();
    serviceIn(stack, { minInstanceCount: 0, cpuAlwaysAllocated: false }, { workerMode });
    expect(warningsOf(stack)).toEqual(warnings);
    expect(terraformOf(stack).check).toBeUndefined();
  });

  it("warns at plan when inputs let the worker sleep, under their names", () => {
    const stack = bareStack();
    const minInstanceCount = new InputVariable(stack, "least", { type: "number", description: "Least." }).numberValue;
    const cpuAlwaysAllocated = new InputVariable(stack, "cpu", { type: "bool", description: "CPU." }).booleanValue;
    serviceIn(stack, { minInstanceCount, cpuAlwaysAllocated });
    expect(terraformOf(stack).check?.service_worker_keeps_running).toEqual({
      assert: [
        { condition: "${var.least > 0}", error_message: `${NO_INSTANCE.replace("minInstanceCount", "least")}.` },
        { condition: "${var.cpu}", error_message: `${NO_CPU.replace("cpuAlwaysAllocated", "cpu")}.` },
      ],
    });
    expect(warningsOf(stack)).toEqual([]);
  });
});
