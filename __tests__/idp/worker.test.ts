import { Token, type TerraformStack } from "cdktf";

import { InputVariable } from "../../lib/core/input-variable";
import { rendered } from "../../lib/core/expression";
import { instanceConnections, workerConnections } from "../../lib/idp/worker-connections";
import { workerContainer } from "../../lib/idp/worker-container";
import { isSeparate, serverArguments, usualWorkerMaximum, type WorkerOptions } from "../../lib/idp/worker-mode";
import { asConstant, evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { standInIdentityProvider } from "../support/stand-in-parts";
import { bareStack } from "../support/synthesis";

const server = (form: WorkerOptions = {}) => standInIdentityProvider(bareStack(), form);

const SIZE = { cpu: "1", memory: "2Gi" };

describe("The container of the server", () => {
  it.each([
    ["in-container", undefined, "false", 20],
    ["all-in-one", ["allinone"], "false", 20],
    ["separate", ["server-alone"], "true", 12],
  ])("has the arguments, the idling and the connections of the worker mode: %s", (...row) => {
    const [workerMode, args, canIdle, connections] = row;
    expect(server({ workerMode })).toMatchObject({ canIdle, database: { connections } });
    expect(server({ workerMode }).args).toEqual(args);
  });

  it("sets the size of a worker only if it is given, and leaves out one that is null at plan", () => {
    expect(Object.keys(server().environment.baseline).filter((name) => name.includes("WORKER"))).toEqual([]);
    expect(server({ workerProcesses: 2, workerThreads: 4 }).environment.baseline).toMatchObject({
      IDP_WORKER__PROCESSES: "2",
      IDP_WORKER__THREADS: "4",
    });
    const stack = bareStack();
    const { baseline, optional } = standInIdentityProvider(stack, fromInputs(stack)).environment;
    expect(baseline).not.toHaveProperty("IDP_WORKER__THREADS");
    expect(rendered(stack, optional)).toMatchObject({ IDP_WORKER__THREADS: "${var.threads}" });
  });
});

describe("The container of a separate worker", () => {
  it("is that of the server with another command, without port and probes", () => {
    const given = server({ workerMode: "separate" });
    const { args, database, ...worker } = workerContainer(given, {}, SIZE);
    expect(args).toEqual(["worker"]);
    expect(database).toEqual({ ...given.database, connections: 10 });
    expect(worker).toEqual({
      ...given,
      args: undefined,
      database: undefined,
      healthCommand: ["/cloud-entrypoint.sh", "healthcheck"],
      livenessProbe: undefined,
      canIdle: "false",
      port: undefined,
      resources: SIZE,
      startupProbe: undefined,
      tlsPort: undefined,
    });
  });

  it("counts its connections by its size", () => {
    const { database } = workerContainer(server(), { workerProcesses: 2, workerThreads: 4 }, SIZE);
    expect(database?.connections).toBe(20);
  });
});

describe("The connections to the database", () => {
  it.each<[string, WorkerOptions, number, number]>([
    ["of the application's own size", {}, 20, 10],
    ["with more threads", { workerThreads: 6 }, 24, 14],
    ["with more processes", { workerProcesses: 3 }, 32, 22],
    ["of a worker elsewhere", { workerMode: "separate", workerProcesses: 3, workerThreads: 1 }, 12, 19],
  ])("are those of an instance and of a worker: %s", (_, form, perInstance, perWorker) => {
    expect([instanceConnections(form), workerConnections(form)]).toEqual([perInstance, perWorker]);
  });
});

/** The same form from inputs that may be null. */
function fromInputs(stack: TerraformStack): Required<WorkerOptions> {
  const input = (id: string, type: "number" | "string") =>
    new InputVariable(stack, id, { type, default: null, description: "An input." });
  return {
    workerMode: input("mode", "string").stringValue,
    workerProcesses: input("processes", "number").numberValue,
    workerThreads: input("threads", "number").numberValue,
  };
}

describeWith(["terraform"], "What Terraform makes of inputs for the worker", () => {
  const FORMS: readonly WorkerOptions[] = ["in-container", "all-in-one", "separate"].flatMap((workerMode) => [
    { workerMode },
    { workerMode, workerProcesses: 2 },
    { workerMode, workerProcesses: 3, workerThreads: 5 },
  ]);

  it("is what literals give", () => {
    const stack = bareStack();
    const form = fromInputs(stack);
    const texts = {
      args: serverArguments(form.workerMode),
      isSeparate: isSeparate(form.workerMode),
      perInstance: Token.asString(instanceConnections(form)),
      perWorker: Token.asString(workerConnections(form)),
      most: Token.asString(usualWorkerMaximum(form.workerProcesses)),
    };
    const locals = FORMS.map(({ workerMode = "", workerProcesses, workerThreads }) => {
      const values: Readonly<Record<string, unknown>> = {
        mode: workerMode,
        processes: workerProcesses ?? null,
        threads: workerThreads ?? null,
      };
      return Object.fromEntries(
        Object.entries(texts)
          .filter(([name]) => name !== "most" || workerProcesses !== undefined)
          .map(([name, text]) => [
            name,
            JSON.parse(
              JSON.stringify(rendered(stack, text)).replaceAll(/var\.(\w+)/g, (_, input: string) =>
                asConstant(values[input]).replaceAll('"', '\\"'),
              ),
            ) as unknown,
          ]),
      );
    });
    const literals = FORMS.map(({ workerMode = "", ...form }) => ({
      args: serverArguments(workerMode) ?? null,
      isSeparate: isSeparate(workerMode) === "true",
      perInstance: instanceConnections({ ...form, workerMode }),
      perWorker: workerConnections({ ...form, workerMode }),
      ...(form.workerProcesses !== undefined && { most: usualWorkerMaximum(form.workerProcesses) }),
    }));
    const named = <Value>(values: readonly Value[]) =>
      Object.fromEntries(values.map((value, index) => [`form_${index}`, value]));
    expect(evaluated({ locals: named(locals) })).toEqual(named(literals));
  });
});
