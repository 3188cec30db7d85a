import { type Action, StepFailure } from "../deployment/steps";

const VERSION = "google_secret_manager_secret_version";

/** Names of the secret versions that are replaced or deleted. */
export function versionsOf(state: ReadonlyMap<string, string>, expected: Readonly<Record<string, Action>>): string[] {
  const going = [...state].filter(([address]) => expected[address] === "replace" || expected[address] === "delete");
  return going.map(([, key]) => key.split(" ")).flatMap(([type, id = ""]) => (type === VERSION ? [id] : []));
}

/** Fails unless exactly the expected versions are gone: a secret changes only where a new version was meant. */
export function requireRewrites(
  step: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  meant: readonly string[],
): void {
  const lost = [...before.keys()].filter((name) => !after.has(name));
  const surplus = lost.filter((name) => !meant.includes(name));
  const kept = meant.filter((name) => !lost.includes(name));
  if (surplus.length > 0) throw new StepFailure(step, `these versions of secrets are gone: ${surplus.join(", ")}`);
  if (kept.length > 0) throw new StepFailure(step, `these versions of secrets are still there: ${kept.join(", ")}`);
}
