/** One line of the report: what we cost beside a peer, and what we aim at. */
export interface Figure {
  readonly name: string;
  readonly ours: string;
  readonly peer: string;
  readonly ratio: string;
  readonly goal: string;
  readonly reached: boolean;
}

/** All figures as a table in plain text, and the exit code of whoever prints it: a missed goal is a failure. */
export function report(figures: readonly Figure[]): { readonly text: string; readonly exitCode: number } {
  const rows = [
    ["figure", "ours", "peer", "ratio", "goal", ""],
    ...figures.map(({ name, ours, peer, ratio, goal, reached }) => [
      name,
      ours,
      peer,
      ratio,
      goal,
      reached ? "reached" : "missed",
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
  return { text: `${lines.join("\n")}\n`, exitCode: figures.every(({ reached }) => reached) ? 0 : 1 };
}
