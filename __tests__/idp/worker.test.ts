import { type PropsOf, valuesFrom } from "../../lib/core/inputs";
import { connections, serverArguments, WORKER_FORM } from "../../lib/idp/worker";
import { rendered } from "../../lib/core/expression";
import { maxConnections } from "../../lib/platform/sql/database-size";
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

describeWith(["terraform"], "The size of a database", () => {
  it("gives its connections", () => {
    const tiers = ["db-g1-small", "db-custom-1-3840", "db-custom-2-7424", "db-custom-96-638976"];
    const found = `\${[${tiers.map((tier) => maxConnections(`"${tier}"`)).join(", ")}]}`;
    expect(evaluated({ locals: { found } }).found).toEqual([174, 384, 742, 5000]);
  });
});
