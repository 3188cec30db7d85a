import { amountRange, COST_HEADINGS, costRows, priceBasis, rangeReasons } from "./cost-table";
import { type Cost } from "./monthly-cost";

/** Columns with numbers, which are right-aligned. */
const NUMBERS = new Set(["Quantity", "Price", "A month"]);

/** The cost of a stack as text. */
export function costText(cost: Cost): string {
  const { firstApply, firstApplyParts, monthly, parts, stack, unknown } = cost;
  const sum = ["Sum", "", "", "", amountRange(monthly)];
  const reasons = rangeReasons(parts);
  return [
    `${stack}: ${amountRange(monthly)} US dollars a month`,
    priceBasis(cost),
    "",
    ...aligned([[...COST_HEADINGS], ...costRows(parts), sum]),
    ...(firstApplyParts.length === 0 ? [] : ["", `A first apply costs ${amountRange(firstApply)} in addition, once.`]),
    ...(reasons.length === 0 ? [] : ["", "What the ranges depend on", ...reasons.map(item)]),
    "",
    "What is not known",
    ...unknown.map(item),
    "",
    "Sources of the prices, and the assumed use: stacks/costs.md",
    "",
  ].join("\n");
}

function item(text: string): string {
  return `  - ${text}`;
}

function aligned(rows: readonly string[][]): string[] {
  const widths = COST_HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    COST_HEADINGS.map((heading, column) => {
      const [cell = "", width = 0] = [row[column], widths[column]];
      return NUMBERS.has(heading) ? cell.padStart(width) : cell.padEnd(width);
    })
      .join("  ")
      .trimEnd(),
  );
}
