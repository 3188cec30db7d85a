import { type TerraformStack } from "cdktf";

import { rendered } from "../lib/core/expr/locals";
import { type StackOutput } from "../lib/core/portable-stack";

/** Outputs by name. */
export type OutputTable = Readonly<Record<string, readonly [value: unknown, description: string]>>;

/** The outputs, except those of missing parts and those that can only be null. */
export function outputsOf(stack: TerraformStack, table: OutputTable): Record<string, StackOutput> {
  const isThere = (value: unknown) => (rendered(stack, value) ?? null) !== null;
  const outputs = Object.entries(table)
    .filter(([, [value]]) => isThere(value))
    .map(([name, [value, description]]) => [name, { value, description }] as const);
  return Object.fromEntries(outputs);
}
