import { type TerraformResource } from "cdktf";

/** A block that Terraform repeats for each element of a collection. */
export interface DynamicBlock {
  /** Map or list, as a value or an expression. */
  readonly forEach: unknown;

  /** Arguments of the block under Terraform's own names; `${<block>.key}` and `${<block>.value}` are the element. */
  readonly content: Readonly<Record<string, unknown>>;
}

/**
 * Adds a `dynamic` block where the framework's own iterators cannot: below a list, and for a block of which there is one
 * or none.
 *
 * @param parentPath path of the surrounding block, empty for the resource itself; numeric segments address list items
 * @param block name of the repeated block
 */
export function addDynamicBlock(
  resource: TerraformResource,
  parentPath: string,
  block: string,
  { forEach, content }: DynamicBlock,
): void {
  const path = parentPath === "" ? "dynamic" : `${parentPath}.dynamic`;
  resource.addOverride(`${path}.${block}`, { for_each: forEach, content });
}
