import { type Deployment } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Cloud, type CloudSurroundings } from "../project/cloud";

/** What a script needs, and its effect, which is not in the state. */
interface ScriptRehearsal {
  /** Addresses of what it needs, without an index. */
  readonly needs: readonly string[];
  /** The surroundings as they are before it runs. */
  readonly before: (surroundings: CloudSurroundings) => CloudSurroundings;
}

/** Scripts by the address of the resource that runs them, without an index. */
export type Scripts = Readonly<Record<string, ScriptRehearsal>>;

/** What comes before each address; all addresses without an index. */
type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Fails if a resource of a complete deployment does not wait for what it needs, even if the order happens to be right, or
 * if resources wait so much that a first apply takes clearly longer than it must.
 *
 * A resource needs another one if the project misses it without that one, or if a script is known to use it.
 *
 * @returns the longest chain of dependencies, in words
 */
export async function requireDependencies(deployment: Deployment, scripts: Scripts): Promise<string> {
  const addresses = new Map([...deployment.stateKeys].map(([address, key]) => [key, address.replace(/\[.*/, "")]));
  const gates = gateScripts(gatesAmong(deployment.stateAddresses()));
  const needed = needs(deployment.cloud, addresses, { ...gates, ...scripts });
  const output = await deployment.succeed("graph");
  const edges = [...output.matchAll(/"([^"]+)" -> "([^"]+)"/g)];
  const waiting = graphOf(edges.map(([, from = "", to = ""]) => [from, to] as const));
  const problems = [...needed].flatMap(([user, all]) => {
    const before = allBefore(waiting, user);
    return [...all]
      .filter((need) => !before.has(need))
      .map((need) => `${user} does not wait for ${need}, which it needs`);
  });
  if (problems.length > 0) throw new StepFailure("dependencies", problems.join("\n"));
  return requireShortApply(waiting, needed, new Set(addresses.values()));
}

/** Removes each resource in turn and finds those that miss it. */
function needs(cloud: Cloud, addresses: ReadonlyMap<string, string>, scripts: Scripts): Graph {
  const edges: (readonly [string, string])[] = [];
  const ask = (address: string, without: Cloud): void => {
    for (const object of cloud.objects.values()) {
      const user = addresses.get(`${object.type} ${object.id}`);
      if (user !== undefined && user !== address && without.missingNeeds(object).length > 0)
        edges.push([user, address]);
    }
  };
  for (const [key, address] of addresses) {
    if (!cloud.objects.has(key)) continue;
    const isService = address.startsWith("google_project_service.");
    const service = key.split("/").at(-1) ?? "";
    const without = cloud.copy(isService ? withoutService(cloud.surroundings, service) : cloud.surroundings);
    without.forget(key);
    ask(address, without);
  }
  for (const [address, script] of Object.entries(scripts)) {
    edges.push(...script.needs.map((need) => [address, need] as const));
    ask(address, cloud.copy(script.before(cloud.surroundings)));
  }
  return graphOf(edges);
}

/** The surroundings with one service of the project still off. */
export function withoutService(surroundings: CloudSurroundings, service: string): CloudSurroundings {
  const enabledApis = new Set([...surroundings.enabledApis].filter((api) => api !== service));
  return { ...surroundings, enabledApis };
}

function graphOf(edges: readonly (readonly [string, string])[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
}

/** All direct and indirect predecessors of an address. */
function allBefore(graph: Graph, address: string, found = new Set<string>()): ReadonlySet<string> {
  for (const before of graph.get(address) ?? []) {
    if (found.has(before)) continue;
    found.add(before);
    allBefore(graph, before, found);
  }
  return found;
}

/** The gate of one API, which opens when the API answers; created in `lib/core/project-apis.ts`. */
export interface Gate {
  readonly api: string;
  /** Address of the resource that waits, without an index. */
  readonly address: string;
  /** Address of the resource that turns the API on, without an index. */
  readonly service: string;
}

/** Gates among the addresses of a state. */
export function gatesAmong(addresses: readonly string[]): Gate[] {
  return addresses.flatMap((address) => {
    const [, prefix = "", api = ""] = /^terraform_data\.(\w*apis)_(\w+)_answers\b/.exec(address) ?? [];
    if (api === "") return [];
    return [{ api, address: address.replace(/\[.*/, ""), service: `google_project_service.${prefix}_${api}` }];
  });
}

function gateScripts(gates: readonly Gate[]): Scripts {
  const closed = (api: string) => (surroundings: CloudSurroundings) => ({
    ...surroundings,
    hasAnswered: (name: string) => name !== api && surroundings.hasAnswered(name),
  });
  return Object.fromEntries(
    gates.map(({ api, address, service }) => [address, { needs: [service], before: closed(api) }]),
  );
}

/** Allowed ratio of an apply's duration to that of the longest chain of real needs. */
const MOST = 1.15;

/** Seconds to create a resource; all others take one second. */
const SECONDS: readonly (readonly [address: RegExp, seconds: number])[] = [
  [/_iam_member\./, 10],
  [/^google_sql_database_instance\./, 720],
  [/^google_container_cluster\./, 480],
  [/^kubernetes_(deployment_v1\.workload|ingress_v1\.)/, 300],
  // The service also migrates the database at its first start.
  [/^google_cloud_run_v2_service\./, 240],
  [/^terraform_data\.(image_build|\w*_source_registered)$/, 180],
  [/^kubernetes_(job|deployment)_v1\./, 120],
  [/^terraform_data\.\w*apis_\w+_answers$|^google_cloud_run_v2_|^kubernetes_service_v1\.\w*load_balancer$/, 60],
  [/^terraform_data\.\w*apis_resource_manager$|^google_compute_(network|subnetwork|instance)\./, 30],
  [/^google_(project_service|compute_router_nat)\./, 20],
  [/^google_(certificate_manager|compute|service_account|artifact_registry_repository)/, 10],
];

/** Resources that are created one after the other, and their total duration. */
interface Chain {
  readonly steps: readonly string[];
  readonly seconds: number;
}

function requireShortApply(waiting: Graph, needed: Graph, existing: ReadonlySet<string>): string {
  const would = longestChain(waiting, existing);
  const must = longestChain(needed, existing);
  const inWords = ({ seconds, steps }: Chain) => `${Math.round(seconds / 60)} min: ${steps.join(" > ")}`;
  const text = `a first apply takes ${inWords(would)}`;
  if (would.seconds > must.seconds * MOST)
    throw new StepFailure("dependencies", `${text}\nwhere it needs ${inWords(must)}`);
  return text;
}

/** The chain that takes longest; addresses that do not exist take no time, but their dependencies do. */
function longestChain(graph: Graph, existing: ReadonlySet<string>): Chain {
  const chains = new Map<string, Chain>();
  const longest = (all: readonly Chain[]): Chain =>
    all.reduce((one, other) => (other.seconds > one.seconds ? other : one), { steps: [], seconds: 0 });
  const chainTo = (address: string): Chain => {
    const known = chains.get(address);
    if (known !== undefined) return known;
    const before = longest([...(graph.get(address) ?? [])].map(chainTo));
    const seconds = SECONDS.find(([pattern]) => pattern.test(address))?.[1] ?? 1;
    const chain = existing.has(address)
      ? { steps: [...before.steps, `${address} (${seconds} s)`], seconds: before.seconds + seconds }
      : before;
    chains.set(address, chain);
    return chain;
  };
  return longest([...graph.keys(), ...existing].map(chainTo));
}
