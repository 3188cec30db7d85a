import { type Terraform } from "../support/synthesis";

const CHOSEN = /^\$\{(?:[^?]*var\.own_parts != "used"[^?]*|var\.existing_\w+ != null) \? .+ : (.+)\}$/;

/** A value with the parts that the stack makes itself, where no existing one is given. */
export function asMade<Value>({ locals = {} }: Terraform, value: Value): Value {
  const text = JSON.stringify(value).replaceAll(/\$\{(one\([\w.]+\[\*\]\.\w+\))\}/g, (_, one: string) => textOf(one));
  const made = text.replaceAll(/\$\{local\.(\w+)\}/g, (whole, name: string) => {
    const [, own] = CHOSEN.exec(String(locals[name])) ?? [];
    return own === undefined ? whole : JSON.stringify(textOf(balanced(own))).slice(1, -1);
  });
  return JSON.parse(made) as Value;
}

/** The end of an expression, without the parentheses that were opened before it. */
function balanced(expression: string): string {
  const excess = expression.split(")").length - expression.split("(").length;
  return excess > 0 ? expression.slice(0, -excess) : expression;
}

/** An expression as part of a text that is in JSON. */
function textOf(expression: string): string {
  const [, resource, attribute] = /^(?:one|try)\(([\w.]+)\[[*0]\]\.(\w+)(?:, "")?\)$/.exec(expression) ?? [];
  if (resource !== undefined) return `\${${resource}.${String(attribute)}}`;
  const [, template] = /^"(.*)"$/.exec(expression) ?? [];
  return template ?? `\${${expression}}`;
}

/** Whether a grant is to a part that exists, or on one. */
export const isForExisting = (name: string) => /(^|_)existing_(?!secrets_(?!existing))/.test(name);
