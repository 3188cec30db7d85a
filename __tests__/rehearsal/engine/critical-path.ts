import { type Dependencies, type Graph } from "./dependency-graph";
import { creationSeconds } from "./simulated-durations";
import { StepFailure } from "../deployment/steps";

/** How much longer than the longest chain of needs an apply may take. */
const MOST = 1.15;

/** Things one after the other, and how long they take. */
export interface Chain {
  readonly addresses: readonly string[];
  readonly seconds: number;
}

/**
 * Compares how long a first apply would take with how long it must.
 *
 * It would take as long as the longest chain of what waits for what. It must take as long as the longest chain of real
 * needs: something needs another thing when the stand-in project refuses it without that, or a script is known to work with
 * it. A dependency of the configuration that is no need lengthens the first and not the second.
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

/** The chain that takes longest, of things that exist; others take no time, but what is behind them does. */
export function longestChain(graph: Graph, existing: ReadonlySet<string>): Chain {
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
  return [...new Set([...graph.keys(), ...existing])].map(chainTo).reduce(longer, NOTHING);
}

function inWords({ addresses, seconds }: Chain): string {
  const steps = addresses.map((address) => `${address} (${creationSeconds(address)} s)`);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s: ${steps.join(" > ")}`;
}
