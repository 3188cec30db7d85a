import { type StackOutput } from "../lib/core/portable-stack";

/** Outputs by name. */
export type OutputTable = Readonly<Record<string, readonly [value: unknown, description: string]>>;

/** The outputs that there are: none of a part that is not made. */
export function outputsOf(table: OutputTable): Record<string, StackOutput> {
  const outputs = Object.entries(table)
    .filter(([, [value]]) => value !== undefined)
    .map(([name, [value, description]]) => [name, { value, description }] as const);
  return Object.fromEntries(outputs);
}
