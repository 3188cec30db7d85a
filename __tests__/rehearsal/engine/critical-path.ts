import { type Dependencies, type Graph } from "./dependency-graph";
import { creationSeconds } from "./simulated-durations";
import { StepFailure } from "../deployment/steps";

/** Allowed ratio of an apply's duration to that of the longest chain of real needs. */
const MOST = 1.15;

/** Resources that are created one after the other, and their total duration. */
interface Chain {
  readonly addresses: readonly string[];
  readonly seconds: number;
}

/**
 * Compares how long a first apply takes with the shortest time possible.
 *
 * The former is the longest chain of dependencies, the latter the longest chain of real needs: a resource needs another
 * one if the stand-in project refuses it without that one, or if a script is known to use it. A dependency that is not a
 * need can lengthen only the former.
 *
 * @returns one line about each
 */
export function requireShortApply({ addresses, needed, waiting }: Dependencies): string[] {
  const existing = new Set(addresses.values());
  const would = longestChain(waiting, existing);
  const must = longestChain(needed, existing);
  const lines = [`critical path: ${inWords(would)}`, `longest chain of needs: ${inWords(must)}`];
  if (would.seconds > must.seconds * MOST) throw new StepFailure("critical path", lines.join("\n"));
  return lines;
}

const NOTHING: Chain = { addresses: [], seconds: 0 };

const longer = (one: Chain, other: Chain): Chain => (other.seconds > one.seconds ? other : one);

/** The chain that takes longest; addresses that do not exist take no time, but their dependencies do. */
function longestChain(graph: Graph, existing: ReadonlySet<string>): Chain {
  return [...chainsTo(graph, existing).values()].reduce(longer, NOTHING);
}

/** The chain that takes longest until each address is there, itself included. */
function chainsTo(graph: Graph, existing: ReadonlySet<string>): ReadonlyMap<string, Chain> {
  const chains = new Map<string, Chain>();
  const chainTo = (address: string): Chain => {
    const known = chains.get(address);
    if (known !== undefined) return known;
    const before = [...(graph.get(address) ?? [])].map(chainTo).reduce(longer, NOTHING);
    const chain = existing.has(address)
      ? { addresses: [...before.addresses, address], seconds: before.seconds + creationSeconds(address) }
      : before;
    chains.set(address, chain);
    return chain;
  };
  for (const address of [...graph.keys(), ...existing]) chainTo(address);
  return chains;
}

function inWords({ addresses, seconds }: Chain): string {
  const steps = addresses.map((address) => `${address} (${creationSeconds(address)} s)`);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s: ${steps.join(" > ")}`;
}
