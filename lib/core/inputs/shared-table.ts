import { TerraformLocal, TerraformStack } from "cdktf";
import { Construct, type IConstruct } from "constructs";

import { type Expr, hcl, namedLiteral } from "../expr/expr";
import { rendered } from "../expr/locals";
import { escapedTexts } from "../expr/terraform-text";
import { inFileOfChecks, inFileOfVariables } from "../hcl/stack-origin";

type Texts = Readonly<Record<string, string>>;

interface Shared {
  readonly value: Texts | Expr;
  /** Puts the local into a file. */
  readonly place: (part: IConstruct) => void;
}

const SHARED = new Map<string, Shared>();

/**
 * Texts by name for lookups in several rules. Each stack with such a rule has the table as a local, so that conditions
 * and messages do not repeat it.
 *
 * @param name name of the local
 */
export function sharedTable(name: string, texts: Texts): Expr<Texts> {
  SHARED.set(name, { value: escapedTexts(texts), place: inFileOfVariables });
  return namedLiteral(`local.${name}`, texts);
}

/**
 * Words for lookups in several checks, as a local in each stack with such a check. The order of the words is not kept.
 */
export function sharedList(name: string, words: readonly string[]): Expr<readonly string[]> {
  // Written as an expression, because the folder then has many words on one line.
  SHARED.set(name, { value: hcl`toset(${words})`, place: inFileOfChecks });
  return namedLiteral(`local.${name}`, words);
}

/** Names of the tables and lists added to each stack. */
const ADDED = new WeakMap<TerraformStack, Set<string>>();

/** Adds to a stack the tables and lists to which its rules refer, each only once. */
export function addSharedTables(scope: IConstruct, rules: unknown): void {
  const stack = TerraformStack.of(scope);
  const added = ADDED.get(stack) ?? new Set<string>();
  ADDED.set(stack, added);
  const text = JSON.stringify(rendered(scope, rules));
  for (const [name, { place, value }] of SHARED) {
    if (added.has(name) || !new RegExp(`\\blocal[.]${name}\\b`).test(text)) continue;
    added.add(name);
    // A separate scope, because a construct of the stack may have the same name.
    const local = new TerraformLocal(new Construct(stack, `${name}-table`), name, value);
    local.overrideLogicalId(name);
    place(local);
  }
}
