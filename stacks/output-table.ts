import { type StackOutput } from "../lib/core/portable-stack";

/** Outputs by name. */
export type OutputTable = Readonly<Record<string, readonly [value: unknown, description: string]>>;

export function outputsOf(table: OutputTable): Record<string, StackOutput> {
  const outputs = Object.entries(table).map(([name, [value, description]]) => [name, { value, description }] as const);
  return Object.fromEntries(outputs);
}
