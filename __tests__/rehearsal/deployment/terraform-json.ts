import { type Action, type Actions, StepFailure } from "./steps";

/** The part of a state file that is read. */
export interface StateFile {
  /** Outputs that are not null. */
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly resources?: readonly {
    readonly type: string;
    readonly name: string;
    readonly instances: readonly {
      readonly index_key?: number | string;
      readonly attributes?: { readonly id?: string };
    }[];
  }[];
}

/** Type and identity of everything in a state file, by address. */
export function keysByAddress({ resources = [] }: StateFile): ReadonlyMap<string, string> {
  return new Map(
    resources.flatMap(({ type, name, instances }) =>
      instances.map(({ index_key: key, attributes }): [string, string] => [
        `${type}.${name}${key === undefined ? "" : `[${JSON.stringify(key)}]`}`,
        `${type} ${attributes?.id ?? ""}`,
      ]),
    ),
  );
}

/** What a plan says of a resource, by action. */
const SAID: readonly (readonly [words: RegExp, Action])[] = [
  [/^(.+) will be created$/, "create"],
  [/^(.+) will be destroyed$/, "delete"],
  [/^(.+) will be updated in-place$/, "update"],
  [/^(.+) (?:must be replaced|is tainted, so must be replaced|will be replaced, as requested)$/, "replace"],
  [/^(.+) will be replaced due to changes in replace_triggered_by$/, "replace"],
];

/** Actions by address in the text of a plan, as many as its last line counts. */
export function actionsIn(text: string): Actions {
  const actions = new Map<string, Action>();
  for (const [, line = ""] of text.matchAll(/^ {2}# (.+)$/gm))
    for (const [words, action] of SAID) {
      const [, address] = words.exec(line) ?? [];
      if (address !== undefined) actions.set(address, action);
    }
  const counted = /^Plan: (\d+) to add, (\d+) to change, (\d+) to destroy\.$/m.exec(text)?.slice(1) ?? ["0", "0", "0"];
  const count = (...kinds: Action[]) => [...actions.values()].filter((action) => kinds.includes(action)).length;
  const found = [count("create", "replace"), count("update"), count("delete", "replace")];
  if (found.join() !== counted.join())
    throw new StepFailure(
      "plan",
      `${found.join()} actions are found where Terraform counts ${counted.join()}:\n${text}`,
    );
  return actions;
}
