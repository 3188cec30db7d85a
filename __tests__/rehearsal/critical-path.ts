import { type Cloud, type CloudSurroundings } from "./cloud";
import { type Deployment } from "./deployment";
import { creationSeconds } from "./simulated-durations";
import { StepFailure } from "./steps";
import { instancesIn } from "./terraform-json";

/** What a script makes, of which nothing is in the state: both ways of saying that it is not there yet. */
export interface ScriptRehearsal {
  /** Addresses, without an index, of what it needs. */
  readonly needs: readonly string[];
  /** The surroundings as they are before it has run. */
  readonly before: (surroundings: CloudSurroundings) => CloudSurroundings;
}

/** Scripts by the address, without an index, of what runs them. */
export type Scripts = Readonly<Record<string, ScriptRehearsal>>;

/** How much longer than the longest chain of needs an apply may take. */
const MOST = 1.15;

/** What waits for what: addresses, without an index, by address. */
export type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** The longest chain of a graph. */
export interface Chain {
  readonly addresses: readonly string[];
  readonly seconds: number;
}

/**
 * Compares how long a first apply would take with how long it must.
 *
 * It would take as long as the longest chain of what waits for what, as `terraform graph` tells it. It must take as long
 * as the longest chain of real needs: something needs another thing when the stand-in project refuses it without that
 * thing, or a script is known to work with it. A dependency of the configuration that is no need lengthens the first and
 * not the second.
 *
 * @returns one line about each
 */
export async function requireShortApply(deployment: Deployment, scripts: Scripts): Promise<string[]> {
  const addresses = new Map(
    instancesIn(JSON.parse(deployment.read("terraform.tfstate") ?? "{}")).map(({ address, key }) => [key, address]),
  );
  const waiting = longestChain(await dependencies(deployment), new Set(addresses.values()));
  const needed = longestChain(needs(deployment.cloud, addresses, scripts), new Set(addresses.values()));
  const lines = [`critical path: ${inWords(waiting)}`, `longest chain of needs: ${inWords(needed)}`];
  if (waiting.seconds > needed.seconds * MOST) throw new StepFailure("critical path", lines.join("\n"));
  return lines;
}

/** What waits for what in the configuration, by way of providers and local values as well. */
async function dependencies(deployment: Deployment): Promise<Graph> {
  const { exitCode, output } = await deployment.terraform(["graph"]);
  if (exitCode !== 0) throw new StepFailure("critical path", output);
  const edges = [...output.matchAll(/"([^"]+)" -> "([^"]+)"/g)];
  return graphOf(edges.map(([, from = "", to = ""]) => [from, to] as const));
}

/** What needs what: everything is taken away in turn, and who misses it is asked. */
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

function graphOf(edges: readonly (readonly [string, string])[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to));
  return graph;
}

/** The chain that takes longest, of things that exist; others take no time, but what is behind them does. */
export function longestChain(graph: Graph, existing: ReadonlySet<string>): Chain {
  const chains = new Map<string, Chain>();
  const chainTo = (address: string): Chain => {
    const known = chains.get(address);
    if (known !== undefined) return known;
    const before = [...(graph.get(address) ?? [])].map(chainTo);
    const longest = before.reduce((one, other) => (other.seconds > one.seconds ? other : one), NO_CHAIN);
    const chain = existing.has(address)
      ? { addresses: [...longest.addresses, address], seconds: longest.seconds + creationSeconds(address) }
      : longest;
    chains.set(address, chain);
    return chain;
  };
  return [...new Set([...graph.keys(), ...existing])]
    .map(chainTo)
    .reduce((one, other) => (other.seconds > one.seconds ? other : one), NO_CHAIN);
}

const NO_CHAIN: Chain = { addresses: [], seconds: 0 };

function inWords({ addresses, seconds }: Chain): string {
  const minutes = `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const steps = addresses.map((address) => `${address} (${creationSeconds(address)} s)`);
  return `${minutes}: ${steps.join(" > ")}`;
}
