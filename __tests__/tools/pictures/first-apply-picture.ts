import { chainsTo } from "../../rehearsal/engine/critical-path";
import { creationSeconds } from "../../rehearsal/engine/simulated-durations";
import { type Terraform } from "../../support/synthesis";
import { DefaultDeployment } from "./default-deployment";
import { PARTS } from "./picture-words";
import { pictureId, type Picture } from "./picture";

/** Resources of a first apply that belong together, from the start of the first to the end of the last. */
interface Part {
  readonly words: string;
  readonly addresses: readonly string[];
  readonly from: number;
  readonly to: number;
}

/**
 * The order of a first apply with the defaults: what waits for what, when each part starts and ends by the typical times
 * of the rehearsal, and what the whole apply waits for.
 */
export function firstApplyPicture(stack: string, terraform: Terraform): Picture {
  const deployment = new DefaultDeployment(terraform);
  const counts = new Map(deployment.existing.map(({ address, instances }) => [address, instances]));
  const waiting = deployment.waiting();
  const chains = chainsTo(waiting, new Set(counts.keys()));
  const ends = (address: string) => chains.get(address)?.seconds ?? 0;
  const parts = partsOf([...counts.keys()], ends);
  const partOf = (address: string) => parts.find(({ addresses }) => addresses.includes(address));

  const slowest = [...counts.keys()].reduce((one, other) => (ends(other) > ends(one) ? other : one));
  const chain = chains.get(slowest)?.addresses ?? [];
  const slowParts = [...new Set(chain.map(partOf))];
  const isSlow = ([from, to]: Between) => slowParts.includes(from) && slowParts[slowParts.indexOf(from) + 1] === to;
  const all = arrowsBetween(parts, waiting);
  const least = needed(parts, all);
  const arrows = all.filter((arrow) => isSlow(arrow) || least.includes(arrow));

  return {
    title: `${stack}: the order of a first apply`,
    description: `A first apply with the defaults makes ${[...counts.values()].reduce((sum, count) => sum + count, 0)} resources. It takes about ${Math.round(ends(slowest) / 60)} minutes, and longer while the platform is slow; what it waits for has a thick border. Times are minutes and seconds after its start.`,
    direction: "TB",
    frames: [],
    nodes: parts.map((part) => ({
      id: pictureId(part.words),
      lines: [part.words, `${clock(part.from)} – ${clock(part.to)}`],
      kind: slowParts.includes(part) ? "main-step" : "step",
    })),
    arrows: arrows.map((arrow) => ({
      from: pictureId(arrow[0].words),
      to: pictureId(arrow[1].words),
      isMain: isSlow(arrow),
    })),
  };
}

function partsOf(addresses: readonly string[], ends: (address: string) => number): Part[] {
  const members = new Map<string, string[]>();
  for (const address of addresses) {
    const words = partOfAddress(address);
    members.set(words, [...(members.get(words) ?? []), address]);
  }
  return [...members]
    .map(([words, own]) => ({
      words,
      addresses: own,
      from: Math.min(...own.map((address) => ends(address) - creationSeconds(address))),
      to: Math.max(...own.map(ends)),
    }))
    .sort((one, other) => one.from - other.from || one.to - other.to || (one.words < other.words ? -1 : 1));
}

/**
 * The part of a first apply to which a resource belongs.
 *
 * @throws Error when it belongs to none
 */
export function partOfAddress(address: string): string {
  const [words] = PARTS.find(([, pattern]) => pattern.test(address)) ?? [];
  if (words === undefined) throw new Error(`${address} is in no part of a first apply; add it to picture-words.ts`);
  return words;
}

type Between = readonly [from: Part, to: Part];

/** From each part to those that wait for it, directly or through what does not exist. */
function arrowsBetween(parts: readonly Part[], waiting: ReadonlyMap<string, ReadonlySet<string>>): Between[] {
  const owner = new Map(parts.flatMap((part) => part.addresses.map((address) => [address, part])));
  const before = (address: string, passed = new Set<string>()): Part[] =>
    [...(waiting.get(address) ?? [])].flatMap((next) => {
      const part = owner.get(next);
      if (part !== undefined) return [part];
      if (passed.has(next)) return [];
      passed.add(next);
      return before(next, passed);
    });
  return parts.flatMap((to) =>
    [...new Set(to.addresses.flatMap((address) => before(address)))]
      .filter((from) => from !== to)
      .map((from) => [from, to] as const),
  );
}

/** Arrows without those that a longer way says too. */
function needed(parts: readonly Part[], arrows: readonly Between[]): Between[] {
  const after = (part: Part) => arrows.filter(([from]) => from === part).map(([, to]) => to);
  const reaches = (from: Part, goal: Part, passed: readonly Part[]): boolean => {
    if (passed.includes(from))
      throw new Error(`parts of a first apply wait for each other: ${wordsOf([...passed, from])}`);
    return from === goal || after(from).some((next) => reaches(next, goal, [...passed, from]));
  };
  for (const part of parts) after(part).forEach((next) => reaches(next, part, [part]));
  return arrows.filter(([from, to]) => !after(from).some((next) => next !== to && reaches(next, to, [from])));
}

function wordsOf(parts: readonly Part[]): string {
  return parts.map(({ words }) => words).join(" > ");
}

/** Seconds as minutes and seconds. */
function clock(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}
