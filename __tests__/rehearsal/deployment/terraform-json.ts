import { type Action } from "./steps";

interface Resource {
  readonly type: string;
  readonly name: string;
  readonly instances: readonly {
    readonly index_key?: number | string;
    readonly attributes?: { readonly id?: string };
  }[];
}

interface StateFile {
  readonly resources?: readonly Resource[];
}

/** Addresses of everything in a state file. */
export function addressesIn(state: unknown): string[] {
  return [...keysByAddress(state).keys()];
}

/** Addresses, without an index, of everything in a state file, each with its type and identity. */
export function instancesIn(state: unknown): { readonly address: string; readonly key: string }[] {
  const { resources = [] } = state as StateFile;
  return resources.flatMap(({ type, name, instances }) =>
    instances.map(({ attributes: { id = "" } = {} }) => ({ address: `${type}.${name}`, key: `${type} ${id}` })),
  );
}

interface PlanJson {
  readonly resource_changes?: readonly {
    readonly address: string;
    readonly mode: string;
    readonly change: { readonly actions: readonly string[] };
  }[];
  readonly output_changes?: Readonly<Record<string, { readonly actions: readonly string[] }>>;
}

/** Actions of a plan shown as JSON. */
export function actionsOf(shown: unknown): ReadonlyMap<string, Action> {
  const changes = (shown as PlanJson).resource_changes ?? [];
  return new Map(
    changes
      .filter(({ mode, change }) => mode === "managed" && change.actions.join() !== "no-op")
      .map(({ address, change: { actions } }): [string, Action] => [
        address,
        actions.length === 2 ? "replace" : (actions[0] as Action),
      ]),
  );
}

/** Outputs that a plan shown as JSON changes, sorted. */
export function changedOutputsOf(shown: unknown): string[] {
  const changes = Object.entries((shown as PlanJson).output_changes ?? {});
  return changes
    .filter(([, { actions }]) => actions.join() !== "no-op")
    .map(([name]) => name)
    .sort();
}

/** Type and identity of everything in a state file, by address. */
export function keysByAddress(state: unknown): ReadonlyMap<string, string> {
  const { resources = [] } = state as StateFile;
  return new Map(
    resources.flatMap((resource) =>
      resource.instances.map((instance): [string, string] => [
        addressOf(resource, instance),
        `${resource.type} ${instance.attributes?.id ?? ""}`,
      ]),
    ),
  );
}

function addressOf({ type, name }: Resource, { index_key: key }: Resource["instances"][number]): string {
  return `${type}.${name}${key === undefined ? "" : `[${JSON.stringify(key)}]`}`;
}
