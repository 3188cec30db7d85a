import { type Expr } from "./expr";
import { captured, toNumber } from "./expr-functions";

const MEMORY = "^([0-9]+)(Mi|Gi)$";

/** Memory, a whole number with its unit, in MiB: an HCL expression that fails for any other format. */
export function mebibytes(memory: string): string {
  const parts = `regex("${MEMORY}", ${memory})`;
  return `tonumber(${parts}[0]) * (${parts}[1] == "Gi" ? 1024 : 1)`;
}

/** The same, typed. */
export function mebibytesIn(memory: Expr<string>): Expr<number> {
  return toNumber(captured(memory, MEMORY, 0)).times(captured(memory, MEMORY, 1).eq("Gi").choose(1024, 1));
}
