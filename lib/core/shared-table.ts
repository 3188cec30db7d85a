import { TerraformLocal, TerraformStack } from "cdktf";
import { type IConstruct } from "constructs";

import { type Expr, namedLiteral } from "./expr";
import { literalMap, rendered } from "./expression";
import { inFileOfVariables } from "./hcl/stack-origin";

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

/** Adds the tables to a stack to which rules refer. */
export function addSharedTables(scope: IConstruct, rules: unknown): void {
  const text = JSON.stringify(rendered(scope, rules));
  const stack = TerraformStack.of(scope);
  for (const [name, texts] of TABLES) {
    if (!text.includes(`local.${name}`) || stack.node.tryFindChild(name) !== undefined) continue;
    const local = new TerraformLocal(stack, name, literalMap(texts));
    local.overrideLogicalId(name);
    inFileOfVariables(local);
  }
}
