import { POOLED_REQUESTS_PER_INSTANCE } from "../../lib/idp/contract";
import { RESERVED_CONNECTIONS } from "../../lib/platform/sql/database-size";
import { valueAt } from "../stacks/configuration-graph";
import { kubernetesTerraform } from "../stacks/kubernetes-stack";
import { ADDRESS, serverlessResource, serverlessTerraform } from "../stacks/serverless-stack";
import { evaluatedTogether, localsOf } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { type Block } from "../support/synthesis";

/** Inputs that decide about the pool. */
const CONCERNED = [
  "connection_pool",
  "container_memory",
  "database_tier",
  "existing_container_image",
  "environment_variables",
  "existing_database",
  "max_instance_count",
  "max_instance_request_concurrency",
  "request_timeout_seconds",
  "worker",
  "worker_mode",
];

const LIMIT = "template.max_instance_request_concurrency";

interface Planned {
  /** Connections of a server's pool and of a separate worker's, and the seconds that a request waits for one. */
  readonly pools: readonly unknown[];
  /** Requests at a time of one instance, on Cloud Run. */
  readonly requests: number;
}

const PLATFORMS = {
  "Cloud Run": { terraform: serverlessTerraform, server: "application_environment" },
  GKE: { terraform: kubernetesTerraform, server: "application_environment" },
} as const;

/** What deployments have at plan, each with its inputs. */
function planned(platform: keyof typeof PLATFORMS, deployments: readonly Readonly<Record<string, unknown>>[]) {
  const { server, terraform } = PLATFORMS[platform];
  const { locals = {}, variable = {} } = terraform();
  const of = (name: string) => {
    const { CONNECTION_POOL_SIZE: size, CONNECTION_POOL_WAIT_SECONDS: wait } = locals[name] as Block;
    return [size, wait];
  };
  const wanted = {
    pools: [of(server)[0], of("worker_baseline_environment")[0], of(server)[1]],
    requests: platform === "GKE" ? null : valueAt(serverlessResource(ADDRESS.service), LIMIT),
  };
  const configurations = deployments.map((inputs, index) => {
    const declared = CONCERNED.filter((name) => name in variable).map((name) => {
      const { [name]: declaration } = variable;
      return [name, { type: declaration?.type, default: inputs[name] ?? declaration?.default }];
    });
    const all = { ...localsOf(wanted, locals), ...wanted };
    return [`deployment ${index}`, { locals: all, variable: Object.fromEntries(declared) as Block }] as const;
  });
  const found = evaluatedTogether(["pools", "requests"], Object.fromEntries(configurations));
  return Object.values(found) as unknown as readonly Planned[];
}

describeWith(["terraform"], "The connection pool", () => {
  const image = { existing_container_image: "registry.example/idp:1" };
  const separate = { worker_mode: "separate", worker: { count: 2 } };

  it("divides what the database accepts among the instances of a rollout, after what separate workers take", () => {
    const rows = [
      {},
      { max_instance_count: 5 },
      separate,
      { database_tier: "db-custom-4-15360", max_instance_count: 12 },
    ];
    const sizes = (platform: keyof typeof PLATFORMS) => planned(platform, rows).map(({ pools }) => pools.slice(0, 2));
    expect(sizes("Cloud Run")).toEqual([
      [62, 16],
      [37, 16],
      [51, 16],
      [63, 16],
    ]);
    expect(sizes("GKE")).toEqual([
      [93, 16],
      [62, 16],
      [77, 16],
      [117, 16],
    ]);
    // Twice 2 workers on Cloud Run; on GKE 2, one that the autoscaler may add, and one of a rollout.
    const all = { "Cloud Run": 6 * 51 + 4 * 16, GKE: 4 * 77 + 4 * 16 };
    for (const used of Object.values(all)) expect(used + RESERVED_CONNECTIONS).toBeLessThanOrEqual(384);
  });

  it("is on by default, but for an image that may lack it, and lets a request wait for less than its own limit", () => {
    const rows = [
      {},
      image,
      { ...image, connection_pool: true },
      { connection_pool: false },
      { request_timeout_seconds: 1 },
    ];
    expect(planned("Cloud Run", rows).map(({ pools: [size, , wait] }) => [size, wait])).toEqual([
      [62, 25],
      [null, null],
      [62, 25],
      [null, null],
      [62, 0.5],
    ]);
  });

  it("makes room for 750 open pages with three instances, and for 1,000 with four", () => {
    const rows = [{}, { max_instance_count: 4 }, { connection_pool: false }, { max_instance_request_concurrency: 80 }];
    const [usual, four, without, chosen] = planned("Cloud Run", rows).map(({ requests }) => requests);
    expect([3 * Number(usual), 4 * Number(four), without, chosen]).toEqual([750, 1000, 36, 80]);
    expect(usual).toBe(POOLED_REQUESTS_PER_INSTANCE);
  });
});
