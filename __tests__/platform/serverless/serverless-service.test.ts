import { InputVariable } from "../../../lib/core/input-variable";
import { type IdentityProviderContainerProps } from "../../../lib/idp/identity-provider-container";
import { ServerlessService, type ServerlessServiceProps } from "../../../lib/platform/serverless/serverless-service";
import { PLACE, standInIdentity, standInIdentityProvider } from "../../support/stand-in-parts";
import { bareStack, terraformOf, warningsOf, type BareStack } from "../../support/synthesis";

interface Given {
  readonly service?: Partial<ServerlessServiceProps>;
  readonly container?: Partial<IdentityProviderContainerProps>;
}

const serviceIn = ({ service = {}, container }: Given = {}, stack: BareStack = bareStack()) => {
  new ServerlessService(stack, "Service", {
    place: PLACE,
    identity: standInIdentity(),
    container: standInIdentityProvider(stack, container),
    ...service,
  });
  return { stack, terraform: () => terraformOf(stack) };
};

describe("ServerlessService", () => {
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
