import { type Deployment } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Cloud, type CloudSurroundings } from "../project/cloud";

/** One address, without an index, that needs another one or waits for it. */
type Edge = readonly [from: string, to: string];

/** Name of the step. */
export const DEPENDENCIES_STEP = "each resource waits for what it needs";

/**
 * Fails if a resource of a complete deployment does not wait for what it needs, even if the order happens to be right.
 * A resource needs another one if the project misses something without that one.
 */
export async function requireDependencies(deployment: Deployment): Promise<void> {
  const addresses = new Map([...deployment.stateKeys].map(([address, key]) => [key, address.replace(/\[.*/, "")]));
  const graph = await deployment.succeed("graph");
  const before = new Map<string, Set<string>>();
  for (const [, from = "", to = ""] of graph.matchAll(/"([^"]+)" -> "([^"]+)"/g))
    before.set(from, (before.get(from) ?? new Set()).add(to));
  const problems = needs(deployment.cloud, addresses)
    .filter(([user, need]) => !waits(before, user, need))
    .map(([user, need]) => `${user} does not wait for ${need}, which it needs`);
  if (problems.length > 0) throw new StepFailure(DEPENDENCIES_STEP, problems.join("\n"));
}

/** Removes each resource in turn, and closes each gate, and finds those that miss it. */
function needs(cloud: Cloud, addresses: ReadonlyMap<string, string>): Edge[] {
  return [...addresses].flatMap(([key, address]) => {
    const without = cloud.copy(withoutApi(cloud.surroundings, key, address));
    without.forget(key);
    return [...cloud.objects.values()].flatMap((object): Edge[] => {
      const user = addresses.get(`${object.type} ${object.id}`);
      const isUser = user !== undefined && user !== address && without.missingNeeds(object).length > 0;
      return isUser ? [[user, address]] : [];
    });
  });
}

/** The surroundings with an API still off, or not answering, if the resource is what turns it on and waits for it. */
function withoutApi(surroundings: CloudSurroundings, key: string, address: string): CloudSurroundings {
  const service = address.startsWith("google_project_service.") ? key.split("/").at(-1) : undefined;
  return {
    ...surroundings,
    enabledApis: new Set([...surroundings.enabledApis].filter((api) => api !== service)),
    hasAnswered: (api) => `${api}.googleapis.com` !== service && surroundings.hasAnswered(api),
  };
}

/** Whether an address comes after another one, directly or not. */
function waits(
  before: ReadonlyMap<string, ReadonlySet<string>>,
  user: string,
  need: string,
  seen = new Set<string>(),
): boolean {
  if (seen.has(user)) return false;
  seen.add(user);
  return [...(before.get(user) ?? [])].some((each) => each === need || waits(before, each, need, seen));
}
