import { type Expr } from "./expr/expr";
import { captured, toNumber } from "./expr/functions";

const MEMORY = "^([0-9]+)(Mi|Gi)$";

/** Whether memory is a whole number with a unit that Terraform can convert. */
export const isMemory = (memory: Expr<string>): Expr<boolean> => memory.matches(MEMORY);

/** Converts memory, a whole number with its unit, to MiB; Terraform stops at any other format. */
export function mebibytes(memory: Expr<string>): Expr<number> {
  return toNumber(captured(memory, MEMORY, 0)).times(captured(memory, MEMORY, 1).eq("Gi").choose(1024, 1));
}
