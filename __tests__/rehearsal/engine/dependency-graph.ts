import { type Cloud, type CloudSurroundings } from "../project/cloud";
import { type Deployment } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";

/** What a script needs, and its effect, which is not in the state. */
export interface ScriptRehearsal {
  /** Addresses of what it needs, without an index. */
  readonly needs: readonly string[];
  /** The surroundings as they are before it runs. */
  readonly before: (surroundings: CloudSurroundings) => CloudSurroundings;
}

/** Scripts by the address of the resource that runs them, without an index. */
export type Scripts = Readonly<Record<string, ScriptRehearsal>>;

/** What comes before each address; all addresses without an index. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The dependencies of a complete deployment: those of the configuration and the real needs. */
export interface Dependencies {
  /** Addresses of what exists, by type and identity. */
  readonly addresses: ReadonlyMap<string, string>;
  /** From `terraform graph`, including dependencies through providers and local values. */
  readonly waiting: Graph;
  /** Found by removing each resource from the stand-in project. */
  readonly needed: Graph;
}

export async function dependenciesOf(deployment: Deployment, scripts: Scripts): Promise<Dependencies> {
  const addresses = new Map([...deployment.stateKeys].map(([address, key]) => [key, address.replace(/\[.*/, "")]));
  return { addresses, waiting: await waitingIn(deployment), needed: needs(deployment.cloud, addresses, scripts) };
}

async function waitingIn(deployment: Deployment): Promise<Graph> {
  const output = await deployment.succeed("graph");
  return graphOf([...output.matchAll(/"([^"]+)" -> "([^"]+)"/g)].map(([, from = "", to = ""]) => [from, to] as const));
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
    const service = address.startsWith("google_project_service.") ? key.split("/").at(-1) : undefined;
    const without = cloud.copy(
      service === undefined ? cloud.surroundings : withoutService(cloud.surroundings, service),
    );
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

/** The surroundings with one API that has not answered yet. */
function withoutAnswer(surroundings: CloudSurroundings, api: string): CloudSurroundings {
  return { ...surroundings, hasAnswered: (name) => name !== api && surroundings.hasAnswered(name) };
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

/** Fails if a resource does not wait for what it needs, even if the order happens to be right. */
export function requireWaiting({ needed, waiting }: Dependencies): void {
  const problems = [...needed].flatMap(([user, needs]) => {
    const before = allBefore(waiting, user);
    return [...needs]
      .filter((need) => !before.has(need))
      .map((need) => `${user} does not wait for ${need}, which it needs`);
  });
  if (problems.length > 0) throw new StepFailure("dependencies", problems.join("\n"));
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
    const [, prefix, api] = /^terraform_data\.(\w*apis)_(\w+)_answers\b/.exec(address) ?? [];
    if (prefix === undefined || api === undefined) return [];
    return [
      { api, address: `terraform_data.${prefix}_${api}_answers`, service: `google_project_service.${prefix}_${api}` },
    ];
  });
}

/** The scripts of the gates. */
export function gateScripts(gates: readonly Gate[]): Scripts {
  return Object.fromEntries(
    gates.map(({ api, address, service }) => [
      address,
      { needs: [service], before: (surroundings) => withoutAnswer(surroundings, api) },
    ]),
  );
}
