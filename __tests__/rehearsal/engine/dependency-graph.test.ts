import { longestChain, requireShortApply } from "./critical-path";
import { type Dependencies, type Graph, requireWaiting } from "./dependency-graph";
import { closedGates, gatesAmong } from "./gates";
import { refusalBatches } from "./refusal-batches";

const graph = (edges: Readonly<Record<string, readonly string[]>>): Graph =>
  new Map(Object.entries(edges).map(([from, to]) => [from, new Set(to)]));

const DATABASE = "google_sql_database_instance.database";
const CLUSTER = "google_container_cluster.cluster";
const WORKLOAD = "kubernetes_deployment_v1.workload";
const JOB = "kubernetes_job_v1.job";

const existing = [DATABASE, CLUSTER, JOB, WORKLOAD];

const dependencies = (waiting: Graph, needed: Graph): Dependencies => ({
  addresses: new Map(existing.map((address) => [address.replace(".", " "), address])),
  waiting,
  needed,
});

const needed = graph({ [JOB]: [DATABASE, CLUSTER], [WORKLOAD]: [JOB] });

describe("The critical path", () => {
  it("is the chain that takes longest, also through what is not made", () => {
    const waiting = graph({ [WORKLOAD]: ["terraform_data.absent", CLUSTER], "terraform_data.absent": [DATABASE] });
    expect(longestChain(waiting, new Set([DATABASE, CLUSTER, WORKLOAD]))).toEqual({
      addresses: [DATABASE, WORKLOAD],
      seconds: 1020,
    });
  });

  it("may be as long as the needs", () => {
    expect(requireShortApply(dependencies(needed, needed))[0]).toBe(
      `critical path: 19 min 0 s: ${DATABASE} (720 s) > ${JOB} (120 s) > ${WORKLOAD} (300 s)`,
    );
  });

  it("is refused when something long waits for what it does not need", () => {
    const waiting = graph({ [DATABASE]: [CLUSTER], [JOB]: [DATABASE], [WORKLOAD]: [JOB] });
    expect(() => requireShortApply(dependencies(waiting, needed))).toThrow(
      /^critical path: 27 min 0 s.*\nlongest .* 19 min 0 s/,
    );
  });
});

describe("What waits for what", () => {
  it("may do so by way of others", () => {
    const waiting = graph({
      [JOB]: ["kubernetes_namespace_v1.a"],
      "kubernetes_namespace_v1.a": [DATABASE, CLUSTER],
      [WORKLOAD]: [JOB],
    });
    expect(() => requireWaiting(dependencies(waiting, needed))).not.toThrow();
  });

  it("is refused when a need is missing, even if it would succeed by chance", () => {
    const waiting = graph({ [JOB]: [DATABASE], [WORKLOAD]: [JOB] });
    expect(() => requireWaiting(dependencies(waiting, needed))).toThrow(
      `${JOB} does not wait for ${CLUSTER}, which it needs`,
    );
  });
});

it("The gates of a state are known by their addresses, and each stays closed at its own stage", () => {
  const stages = [/^google_project_service\./, /^terraform_data\.(\w+_)?apis_\w+_answers$/];
  const [storage, iam, ...others] = gatesAmong([
    ...["terraform_data.apis_resource_manager", "terraform_data.apis_storage_answers[0]"],
    ...["terraform_data.lab_apis_iam_answers", "google_project_service.apis_run"],
  ]);

  expect([storage?.api, iam?.service, others]).toEqual(["storage", "google_project_service.lab_apis_iam", []]);
  expect(storage && iam && closedGates([storage, iam], stages)).toMatchObject({
    name: "the gates of storage, iam never open",
    afterStage: 1,
    refusals: ["storage.googleapis.com did not answer in project", "iam.googleapis.com did not answer in project"],
  });
});

describe("Refused inputs", () => {
  const variables = {
    region: {},
    zone: {},
    cpu: {},
    memory: { validation: [{ condition: "${var.memory < var.cpu}", error_message: "memory is ${var.memory}" }] },
  };

  it("are shown by one plan where no rule looks at another of them", () => {
    const batches = refusalBatches(
      [
        ["a region", { region: "" }, ["region is empty"]],
        ["a zone", { zone: "" }, ["zone is empty"]],
        ["another zone", { zone: 1 }, ["zone is 1"]],
        ["a memory", { memory: 1 }, ["memory is 1"]],
        ["a CPU", { cpu: 1 }, ["cpu is 1"]],
      ],
      variables,
    );
    expect(batches).toEqual([
      [
        "a region; a zone; a memory",
        { region: "", zone: "", memory: 1 },
        ["region is empty", "zone is empty", "memory is 1"],
      ],
      ["another zone; a CPU", { zone: 1, cpu: 1 }, ["zone is 1", "cpu is 1"]],
    ]);
  });
});
