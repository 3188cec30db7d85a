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
  return [...keysByAddress(state).keys()];
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
    resources.flatMap(({ type, name, instances }) =>
      instances.map(({ index_key: key, attributes }): [string, string] => [
        `${type}.${name}${key === undefined ? "" : `[${JSON.stringify(key)}]`}`,
        `${type} ${attributes?.id ?? ""}`,
      ]),
    ),
  );
}
