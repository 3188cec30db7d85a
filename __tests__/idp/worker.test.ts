import { type PropsOf, valuesFrom } from "../../lib/core/inputs";
import { connections, serverArguments, WORKER_FORM } from "../../lib/idp/worker";
import { rendered } from "../../lib/core/expression";
import { maxConnections } from "../../lib/platform/sql/database-size";
import { POD_MEMORY } from "../../lib/platform/kubernetes/pod-template";
import { INSTANCE_MEMORY } from "../../lib/platform/serverless/service-options";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";

type Form = PropsOf<typeof WORKER_FORM>;

describeWith(["terraform"], "The worker", () => {
  it.each<[string, Form, readonly string[] | null, number, number]>([
    ["of the application's own size", {}, null, 20, 10],
    ["that the application supervises", { workerMode: "all-in-one" }, ["allinone"], 20, 10],
    ["with more threads", { workerThreads: 6 }, null, 24, 14],
    ["with more processes", { workerProcesses: 3 }, null, 32, 22],
    ["elsewhere", { workerMode: "separate", workerProcesses: 3, workerThreads: 1 }, ["server-alone"], 12, 19],
  ])(
    "decides the server's arguments and the connections of an instance and of a worker: %s",
    (_, form, args, ...most) => {
      const stack = bareStack();
      const values = valuesFrom(stack, WORKER_FORM, form);
      const { perInstance, perWorker } = connections(values);
      const locals = {
        arguments: rendered(stack, serverArguments(values)),
        connections: `\${[${perInstance}, ${perWorker}]}`,
      };
      const found = evaluated({ locals: { ...terraformOf(stack).locals, ...locals } });
      expect([found.arguments, found.connections]).toEqual([args, most]);
    },
  );
});

describeWith(["terraform"], "Sizes", () => {
  const all = (cases: readonly (readonly [string, string])[], of: (first: string, second: string) => string) =>
    evaluated({ locals: { found: `\${[${cases.map((each) => `try(${of(...each)}, false)`).join(", ")}]}` } }).found;

  it("of the database give connections", () => {
    const tiers = ["db-g1-small", "db-custom-1-3840", "db-custom-2-7424", "db-custom-96-638976"];
    expect(
      all(
        tiers.map((tier) => [`"${tier}"`, ""]),
        (tier) => maxConnections(tier),
      ),
    ).toEqual([174, 384, 742, 5000]);
  });

  it.each([
    [
      "Cloud Run",
      INSTANCE_MEMORY,
      ["1 512Mi", "1 4Gi", "2 512Mi", "2 8Gi", "4 2Gi", "4 16384Mi", "8 4096Mi", "8 32Gi"],
      ["1 511Mi", "1 4097Mi", "1 4G", "2 256Mi", "2 1.5Gi", "4 2047Mi", "4 16385Mi", "8 4095Mi", "8 32769Mi"],
    ],
    ["GKE", POD_MEMORY, ["0.5 512Mi", "1 6656Mi", "28 108Gi"], ["1 1023Mi", "1 6657Mi", "28 110593Mi", "2 4"]],
  ])("of an instance fit its CPUs on %s", (_, { fits }, fitting, others) => {
    const pairs = [...fitting, ...others].map((each) => {
      const [cpu = "", memory = ""] = each.split(" ");
      return [cpu, `"${memory}"`] as const;
    });
    expect(all(pairs, fits)).toEqual([...fitting.map(() => true), ...others.map(() => false)]);
  });
});
