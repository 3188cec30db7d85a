import { TerraformLocal, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";

import { type Expr, namedLiteral } from "../expr/expr";
import { escapedTexts, rendered } from "../expr/expression";
import { inFileOfVariables } from "../hcl/stack-origin";

type Texts = Readonly<Record<string, string>>;

const TABLES = new Map<string, Texts>();

/**
 * Texts by name that several rules look up: a local of each stack where they do, so that a condition and its message do
 * not repeat them.
 *
 * @param name of the local
 */
export function sharedTable(name: string, texts: Texts): Expr<Texts> {
  TABLES.set(name, texts);
  return namedLiteral(`local.${name}`, texts);
}

/** Names of the tables that a stack has. */
const ADDED = new WeakMap<TerraformStack, Set<string>>();

/** Adds to a stack the tables that its rules look up, once each. */
export function addSharedTables(scope: IConstruct, rules: unknown): void {
  const stack = TerraformStack.of(scope);
  const added = ADDED.get(stack) ?? new Set<string>();
  ADDED.set(stack, added);
  const text = JSON.stringify(rendered(scope, rules));
  for (const [name, texts] of TABLES) {
    if (added.has(name) || !text.includes(`local.${name}`)) continue;
    added.add(name);
    // In a scope of its own, because a construct of the stack may have the same name.
    const local = new TerraformLocal(new Construct(stack, `${name}-table`), name, escapedTexts(texts));
    local.overrideLogicalId(name);
    inFileOfVariables(local);
  }
}
