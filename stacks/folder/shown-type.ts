import { type Input, requiredObject, type Table } from "../../lib/core/inputs/rows";

/** The type of an input for readers, without settled members, because these are in the variable only to be refused. */
export function shownType({ members, type }: Input): string {
  if (members === undefined) return type;
  const shown = Object.entries(members).map(([name, row]) => [name, { ...row, type: shownType(row) }]);
  return requiredObject(Object.fromEntries(shown) as Table, { description: String }).type;
}
