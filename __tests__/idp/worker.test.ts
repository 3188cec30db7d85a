import { exprOf, hcl, literal, reference } from "../../lib/core/expr/expr";
import { rendered } from "../../lib/core/expr/locals";
import { valuesFrom } from "../../lib/core/inputs/inputs";
import { type PropsOf } from "../../lib/core/inputs/rows";
import { RESOURCES } from "../../lib/idp/contract";
import { ENVIRONMENT } from "../../lib/idp/environment";
import { connections, serverArguments, WORKER_FORM, workerVariables } from "../../lib/idp/worker";
import { maxConnections } from "../../lib/platform/sql/database-size";
import { valueAt } from "../stacks/configuration-graph";
import { KUBERNETES_ADDRESS, kubernetesTerraform, podContainerOf } from "../stacks/kubernetes-stack";
import { ADDRESS, containerOf, serverlessTerraform } from "../stacks/serverless-stack";
import { evaluated, evaluatedTogether, localsOf } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, type Block, terraformOf } from "../support/synthesis";

const SIZE = { ...ENVIRONMENT, ...WORKER_FORM };
type Form = PropsOf<typeof SIZE>;

describeWith(["terraform"], "The worker", () => {
  const size = (processes: number, threads: number) => ({
    IDP_WORKER__PROCESSES: String(processes),
    IDP_WORKER__THREADS: String(threads),
  });
  it.each<[string, Form & { memory?: string }, readonly string[] | null, number, number, object]>([
    ["of the default size", {}, null, 26, 16, size(2, 2)],
    ["in short memory", { memory: "2Gi" }, null, 20, 10, size(1, 2)],
    ["that the application supervises", { workerMode: "all-in-one" }, ["allinone"], 26, 16, size(2, 2)],
    ["with more threads", { worker: { threads: 6 } }, null, 34, 24, size(2, 6)],
    ["with more processes", { worker: { processes: 3 } }, null, 32, 22, size(3, 2)],
    ["with one process", { worker: { processes: 1 } }, null, 20, 10, size(1, 2)],
    [
      "with one thread, and so not with one process",
      { memory: "2Gi", worker: { threads: 1 } },
      null,
      24,
      14,
      size(2, 1),
    ],
    [
      "with one thread by a variable of the caller",
      { memory: "2Gi", environmentVariables: { IDP_WORKER__THREADS: "1" } },
      null,
      26,
      16,
      size(2, 2),
    ],
    ["with memory that has a rule of its own", { memory: "2 GB" }, null, 20, 10, expect.anything() as object],
    [
      "elsewhere",
      { workerMode: "separate", worker: { processes: 3 } },
      ["server-alone"],
      12,
      22,
      expect.anything() as object,
    ],
  ])(
    "decides its size, the server's arguments and the connections of an instance and of a worker: %s",
    (_, { memory = RESOURCES.memory, ...form }, args, ofInstance, ofWorker, variables) => {
      const stack = bareStack();
      const values = valuesFrom(stack, SIZE, form);
      const beside = reference<string>("local.memory", { knownAt: "plan", mayBeNull: false });
      // A separate worker of half of the memory.
      const separate = literal(memory === RESOURCES.memory ? "2Gi" : "1Gi");
      const { perInstance, perWorker } = connections(values, { beside, separate });
      const locals = {
        memory,
        arguments: serverArguments(values) ?? null,
        connections: rendered(stack, exprOf([perInstance, perWorker])),
        variables: rendered(stack, workerVariables(values, "beside", beside)),
      };
      const found = evaluated({ locals: { ...terraformOf(stack).locals, ...locals } });
      const asText = Object.entries(found.variables as object).map(([name, value]) => [name, String(value)]);
      expect([found.arguments, found.connections]).toEqual([args, [ofInstance, ofWorker]]);
      expect(Object.fromEntries(asText)).toEqual(variables);
    },
  );

  describe.each([
    [
      "Cloud Run",
      serverlessTerraform,
      () => [containerOf(ADDRESS.service), containerOf("google_cloud_run_v2_worker_pool.worker")],
    ],
    [
      "GKE",
      kubernetesTerraform,
      () => [podContainerOf(KUBERNETES_ADDRESS.workload), podContainerOf("kubernetes_deployment_v1.worker")],
    ],
  ] as const)("on %s", (_, terraform, containers) => {
    /** Probes of several deployments, each with some inputs. */
    const probesOf = <Name extends string>(deployments: Readonly<Record<Name, Record<string, unknown>>>) => {
      const { variable = {} } = terraform();
      const concerned = Object.fromEntries(
        ["application_version", "existing_container_image", "liveness_probe", "startup_probe"].map((input) => [
          input,
          { default: variable[input]?.default, type: variable[input]?.type },
        ]),
      );
      const [server, worker] = containers();
      const probes = {
        worker: worker?.liveness_probe,
        started: worker?.startup_probe,
        server: server?.liveness_probe,
      };
      const locals = { ...localsOf(probes, terraform().locals ?? {}), ...probes };
      const configured = Object.entries<Record<string, unknown>>(deployments).map(([name, inputs]) => {
        const given = Object.entries(inputs).map(([input, value]) => [input, { ...concerned[input], default: value }]);
        return [name, { locals, variable: { ...concerned, ...Object.fromEntries(given) } as Block }] as const;
      });
      const found = evaluatedTogether(Object.keys(probes), Object.fromEntries(configured));
      return found as Readonly<Record<Name, Block>>;
    };

    it("is asked by HTTP, where its release answers", () => {
      const image = { existing_container_image: "registry.example/idp:1" };
      const [misspelt, corrected] = ["/-/heath/", "/-/health/"];
      const rows: readonly (readonly [Record<string, unknown>, string | undefined])[] = [
        ...["latest", "2025.12.6", "2026.5.9"].map((release) => [{ application_version: release }, misspelt] as const),
        ...["2026.8.6", "2027.2.0"].map((release) => [{ application_version: release }, corrected] as const),
        [image, corrected],
        [{ ...image, application_version: "2026.5.9" }, misspelt],
      ];
      const found = Object.values(
        probesOf(Object.fromEntries(rows.map(([inputs], index) => [`row ${index}`, inputs]))),
      );
      const pathOf = (probe: unknown) => valueAt(probe, "http_get.0.path") ?? valueAt(probe, "http_get.path");
      expect(found.map(({ started, worker }) => [pathOf(started), pathOf(worker)])).toEqual(
        rows.map(([, folder]) => [`${folder}ready/`, `${folder}live/`]),
      );
    });

    it("outlives a database that is away for ten minutes, and a server does with two lines", () => {
      const { patient, usual } = probesOf({
        usual: {},
        patient: { liveness_probe: { period_seconds: 60, failure_threshold: 15 } },
      });
      const probes = [usual.worker, usual.server, patient.server];
      expect(probes.map((probe) => restartsDuring(600, probe, usual.started))).toEqual([0, 1, 0]);
      expect(restartsDuring(3600, usual.worker, usual.started)).toBeGreaterThan(0);
    });
  });
});

/**
 * How often a platform restarts a container that answers no probe for so long, as it waits for its database in its
 * start.
 */
function restartsDuring(outageSeconds: number, liveness: unknown, startup: unknown): number {
  const patience = (probe: unknown) => {
    const { failure_threshold: failures, period_seconds: period } = probe as Readonly<Record<string, number>>;
    return Number(failures) * Number(period);
  };
  const delay = Number((startup as Block).initial_delay_seconds);
  let restarts = 0;
  for (let second = patience(liveness); second <= outageSeconds; second += delay + patience(startup)) restarts += 1;
  return restarts;
}

describeWith(["terraform"], "The size of a database", () => {
  it("gives its connections", () => {
    const tiers = ["db-g1-small", "db-custom-1-3840", "db-custom-2-7424", "db-custom-96-638976"];
    const limits = [174, 384, 742, 5000];
    expect(tiers.map((tier) => maxConnections(literal(tier)).literal)).toEqual(limits);
    const tier = reference<string>("tier", { knownAt: "plan", mayBeNull: false });
    const stack = bareStack();
    const found = rendered(stack, hcl`[for tier in ${tiers} : ${maxConnections(tier)}]`);
    expect(evaluated({ locals: { found } }).found).toEqual(limits);
  });
});
