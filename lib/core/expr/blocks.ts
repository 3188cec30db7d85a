import { type TerraformResource } from "cdktf";

import { type Condition, isAlways, isNever, listIf } from "./conditions";
/** A block that Terraform repeats for each element of a collection. */
export interface DynamicBlock {
  readonly forEach: unknown;
  /** Arguments of the block under their Terraform names; `${<block>.key}` and `${<block>.value}` are the element. */
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Adds `dynamic` blocks in places that the framework's iterators do not support: inside a list, for a block that occurs
 * at most once, and for collections with different content.
 *
 * @param parentPath path of the surrounding block, empty for the resource itself; numeric segments address list items
 */
export function addDynamicBlock(
  resource: TerraformResource,
  parentPath: string,
  block: string,
  ...blocks: readonly DynamicBlock[]
): void {
  if (blocks.length === 0) return;
  const bodies = blocks.map(({ content, forEach }) => ({ for_each: forEach, content }));
  resource.addOverride(pathIn(parentPath, `dynamic.${block}`), bodies.length === 1 ? bodies[0] : bodies);
}

/** A block that occurs at most once. */
interface OptionalBlock {
  /** Condition under which the block exists. */
  readonly when: Condition;
  readonly content: DynamicBlock["content"];
}

/** Adds a block that exists if a condition holds; the content does not depend on the condition. */
export function addOptionalBlock(
  resource: TerraformResource,
  parentPath: string,
  block: string,
  { content, when }: OptionalBlock,
): void {
  if (isAlways(when)) resource.addOverride(pathIn(parentPath, block), content);
  else if (!isNever(when)) addDynamicBlock(resource, parentPath, block, { forEach: listIf(when, true), content });
}

/**
 * Optional blocks inside another block: plain if synthesis knows that the condition holds, left out if synthesis knows
 * that it does not, `dynamic` otherwise.
 */
export function optionalBlocks(blocks: Readonly<Record<string, OptionalBlock>>): DynamicBlock["content"] {
  const all = Object.entries(blocks).filter(([, { when }]) => !isNever(when));
  const known = all.filter(([, { when }]) => isAlways(when)).map(([name, { content }]) => [name, content] as const);
  const optional = all.filter(([, { when }]) => !isAlways(when));
  if (optional.length === 0) return Object.fromEntries(known);
  const dynamic = optional.map(
    ([name, { content, when }]) => [name, { for_each: listIf(when, true), content }] as const,
  );
  return { dynamic: Object.fromEntries(dynamic), ...Object.fromEntries(known) };
}

const pathIn = (parentPath: string, path: string): string => (parentPath === "" ? path : `${parentPath}.${path}`);
