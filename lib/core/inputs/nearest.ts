/** A name without case and separators. */
export const plainName = (name: string) => name.replaceAll(/[^A-Za-z0-9]/g, "").toLowerCase();

/** The name that was probably meant; undefined if none is near. */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const most = Math.max(1, Math.floor(plainName(name).length / 3));
  const [best] = known
    .map((each) => ({ each, edits: editsBetween(plainName(name), plainName(each)) }))
    .filter(({ edits }) => edits <= most)
    .sort((one, other) => one.edits - other.edits);
  return best?.each;
}

/** Characters to add, drop, replace, or exchange with the next one (optimal string alignment). */
function editsBetween(one: string, other: string): number {
  const edits = Array.from({ length: one.length + 1 }, (_, row) =>
    Array.from({ length: other.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
  );
  const at = (row: number, column: number) => edits[row]?.[column] ?? Infinity;
  for (let row = 1; row <= one.length; row += 1)
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isExchanged = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const best = Math.min(
        at(row - 1, column - 1) + (isSame ? 0 : 1),
        at(row - 1, column) + 1,
        at(row, column - 1) + 1,
        isExchanged ? at(row - 2, column - 2) + 1 : Infinity,
      );
      edits[row]?.splice(column, 1, best);
    }
  return at(one.length, other.length);
}
