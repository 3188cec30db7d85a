import { type Action } from "./steps";

/** What a plan says of a resource in its text, by action; nothing else that it says is a change. */
const WORDS: readonly (readonly [Action, RegExp])[] = [
  ["create", /^will be created$/],
  ["update", /^will be updated in-place$/],
  ["replace", /^(must be replaced|is tainted, so (it )?must be replaced|will be replaced(,| due to) .*)$/],
  ["delete", /^will be destroyed$/],
];

/**
 * Actions of a plan as it is printed, by address.
 *
 * @throws Error when they are not as many as the plan itself counts
 */
export function printedActions(output: string): ReadonlyMap<string, Action> {
  const actions = new Map<string, Action>();
  for (const [, address = "", text = ""] of output.matchAll(/^ +# (\S+) (.+)$/gm)) {
    const [action] = WORDS.find(([, words]) => words.test(text)) ?? [];
    if (action !== undefined) actions.set(address, action);
  }
  const count = (...wanted: Action[]) => [...actions.values()].filter((action) => wanted.includes(action)).length;
  const read = [count("create", "replace"), count("update"), count("delete", "replace")];
  const counted = /^Plan: (?:\d+ to import, )?(\d+) to add, (\d+) to change, (\d+) to destroy/m
    .exec(output)
    ?.slice(1) ?? ["0", "0", "0"];
  if (read.join() !== counted.join()) {
    throw new Error(
      `read ${read.join(", ")} additions, changes and deletions from a plan of ${counted.join(", ")}:\n${output}`,
    );
  }
  return actions;
}
