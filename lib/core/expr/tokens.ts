import { type IResolvable, type IResolveContext, Token, Tokenization } from "cdktf";

import { AddressIn } from "./leaves";
import { isExpressionAlone, PlainText, TextTemplate } from "./text";

/** A token as the framework writes it inside an expression; `PlainText` or `TextTemplate` if its value is a text. */
export function insideOf(token: unknown, context: IResolveContext): unknown {
  if (token instanceof AddressIn) return token.inside(context);
  context.suppressBraces = true;
  const inside: unknown = context.resolve(token);
  // Resolved outside an expression, an expression gets braces from the framework; a result without braces is a plain
  // text.
  const isExpression = typeof (token as { readonly resolveArg?: unknown }).resolveArg === "function";
  if (isExpression && typeof inside === "string") return inside;
  context.suppressBraces = false;
  const outside: unknown = context.resolve(token);
  if (typeof inside !== "string") return outside;
  if (outside === inside) return inside.startsWith("${") ? inside : new PlainText(inside);
  return typeof outside !== "string" || isExpressionAlone(outside) ? inside : new TextTemplate(outside);
}

const TOKEN_NAMES = new WeakMap<object, string>();
let tokenCount = 0;

/** A name for a token, so that expressions can be compared before the framework resolves their tokens. */
export function tokenName(token: unknown): unknown {
  if (typeof token !== "object" || token === null) return token;
  if (token instanceof AddressIn) return token.address;
  const name = TOKEN_NAMES.get(token) ?? `token_${(tokenCount += 1)}`;
  TOKEN_NAMES.set(token, name);
  return name;
}

/** The token that the framework encoded as a number or a list; undefined for anything else. */
export function tokenBehind(value: unknown): IResolvable | undefined {
  if (typeof value === "number") return Tokenization.reverseNumber(value);
  return Array.isArray(value) && Token.isUnresolved(value) ? Tokenization.reverseList(value as string[]) : undefined;
}
