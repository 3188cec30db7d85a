import { type TerraformElement, TerraformLocal, TerraformStack, TerraformVariable, Token, Tokenization } from "cdktf";
import { type IConstruct } from "constructs";

import { ADDRESS_ALONE, ADDRESSES, PLANNED } from "./addresses";
import { Expr, exprOf, tokenReference } from "./expr";
import { type TokenFacts } from "./leaves";
import { rendered, renderedLocal } from "./locals";
import { type KnownAt } from "./nodes";
import { isWhole } from "./text";

/**
 * A value from a caller, as an expression that knows whether it may be null.
 *
 * An attribute, a module's output, a data source and text around them count as set, even while their value is unknown.
 * Only a variable, or an expression calculated from one, may be null at plan.
 */
export function givenValue<T>(scope: IConstruct, value: T): Expr<T> {
  if (typeof value === "string" && isText(value))
    return tokenReference(value, { ...factsOf(scope, value), mayBeNull: false });
  if (value instanceof Expr || !Token.isUnresolved(value)) return exprOf(value);
  return tokenReference(value, factsOf(scope, value));
}

/** Whether a token is embedded in a text. */
function isText(value: string): boolean {
  const { literals, tokens } = Tokenization.reverseString(value);
  return tokens.length > 0 && (literals.length > 0 || tokens.length > 1);
}

function factsOf(scope: IConstruct, value: unknown): TokenFacts {
  const text = rendered(scope, value);
  if (typeof text !== "string") return { knownAt: "apply", mayBeNull: false };
  return factsOfText(TerraformStack.of(scope), text);
}

function factsOfText(stack: TerraformStack, text: string): TokenFacts {
  const [, address] = ADDRESS_ALONE.exec(text) ?? [];
  const names = [...new Set(text.match(ADDRESSES) ?? [])];
  const facts = names.map((name) => factsOfAddress(stack, name));
  const knownAt: KnownAt = facts.some((each) => each.knownAt === "apply") ? "apply" : "plan";
  if (address !== undefined) return { knownAt, mayBeNull: facts[0]?.mayBeNull ?? false, names };
  // An operator may follow the call: `lower(var.a) == "x" ? var.b : null`.
  const isCallAlone = NEVER_NULL.test(text) && isWhole(text.slice(2, -1));
  return { knownAt, mayBeNull: !isCallAlone, names };
}

/** Functions that never return null. */
const MAKING_VALUES = [
  "abs",
  "base64\\w+",
  "ceil",
  "compact",
  "concat",
  "distinct",
  "endswith",
  "file\\w*",
  "flatten",
  "floor",
  "format\\w*",
  "join",
  "json\\w+",
  "keys",
  "length",
  "lower",
  "merge",
  "replace",
  "sha\\w+",
  "split",
  "startswith",
  "strcontains",
  "substr",
  "title",
  // Conversions return null for null.
  '(?:tobool|tolist|tomap|tonumber|toset|tostring)(?=\\("|\\(\\d)',
  "trim\\w*",
  "upper",
  "values",
];
const NEVER_NULL = new RegExp(`^\\$\\{(?:${MAKING_VALUES.join("|")})\\(`);

function factsOfAddress(stack: TerraformStack, name: string): TokenFacts {
  if (name.startsWith("local.")) {
    const local = elementOf(stack, name, TerraformLocal);
    if (local === undefined) return { knownAt: "plan", mayBeNull: true };
    const value = renderedLocal(local);
    if (value === null) return { knownAt: "plan", mayBeNull: true };
    return typeof value === "string" ? factsOfText(stack, value) : { knownAt: "apply", mayBeNull: false };
  }
  if (name.startsWith("var.")) {
    const [, , ...members] = name.split(".");
    const variable = elementOf(stack, name, TerraformVariable);
    return { knownAt: "plan", mayBeNull: variable?.nullable !== false || members.length > 0 };
  }
  return { knownAt: PLANNED.test(name) ? "plan" : "apply", mayBeNull: false };
}

/** The element of the stack that has the given address. */
function elementOf<E extends TerraformElement>(
  stack: TerraformStack,
  address: string,
  type: new (...args: never[]) => E,
): E | undefined {
  const [, name] = address.split(".");
  const elements = stack.node.findAll().filter((each): each is E => each instanceof type);
  return elements.find((each) => each.friendlyUniqueId === name);
}
