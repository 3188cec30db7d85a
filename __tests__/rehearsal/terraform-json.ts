import { type Action } from "./steps";

interface StateFile {
  readonly resources?: readonly {
    readonly type: string;
    readonly name: string;
    readonly instances: readonly {
      readonly index_key?: number | string;
      readonly attributes?: { readonly id?: string };
    }[];
  }[];
}

/** Addresses of everything in a state file. */
export function addressesIn(state: unknown): string[] {
  const { resources = [] } = state as StateFile;
  return resources.flatMap(({ type, name, instances }) =>
    instances.map(({ index_key: key }) => `${type}.${name}${key === undefined ? "" : `[${JSON.stringify(key)}]`}`),
  );
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
}

/** What a plan shown as JSON would do. */
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
