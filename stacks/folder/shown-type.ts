import { type Input, requiredObject, type Table } from "../../lib/core/inputs/rows";

/** The type of an input for readers: without settled members, which the variable has only to refuse them. */
export function shownType({ members, type }: Input): string {
  if (members === undefined) return type;
  const shown = Object.entries(members).map(([name, row]) => [name, { ...row, type: shownType(row) }]);
  return requiredObject(Object.fromEntries(shown) as Table, { description: String }).type;
}
