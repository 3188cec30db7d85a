import { quotedInside } from "../../lib/core/expr/text";
import { type Terraform } from "../support/synthesis";

const CHOSEN = /^\$\{(?:[^?]*var\.own_parts != "used"[^?]*|var\.existing_\w+ != null) \? .+ : (.+)\}$/;

/** Locals with the name of a part that the stack makes itself. */
const NAMES = "\\w+_own_email|name_hash|(?:sql|standby)_instance_name";

/** A value with the expressions of some locals in their place. @param names pattern of the locals */
export function withLocals<Value>({ locals = {} }: Terraform, value: Value, names = NAMES): Value {
  const formulaOf = (name: string) => String(locals[name]);
  const inText = new RegExp(`\\$\\{local\\.(${names})\\}`, "g");
  const inExpression = new RegExp(`\\blocal\\.(${names})\\b`, "g");
  let text = JSON.stringify(value);
  for (let former = ""; former !== text;) {
    former = text;
    text = text
      .replaceAll(inText, (_, name: string) => quotedInside(formulaOf(name)))
      .replaceAll(inExpression, (_, name: string) => quotedInside(formulaOf(name).slice(2, -1)));
  }
  return JSON.parse(text) as Value;
}

/** A value with the parts that the stack makes itself, where no existing one is given. */
export function asMade<Value>(terraform: Terraform, value: Value): Value {
  const { locals = {} } = terraform;
  const text = JSON.stringify(withLocals(terraform, value)).replaceAll(
    /\$\{(one\([\w.]+\[\*\]\.\w+\))\}/g,
    (_, one: string) => textOf(one),
  );
  const made = text.replaceAll(/\$\{local\.(\w+)\}/g, (whole, name: string) => {
    const [, own] = CHOSEN.exec(String(locals[name])) ?? [];
    return own === undefined ? whole : quotedInside(textOf(balanced(own)));
  });
  return withLocals(terraform, JSON.parse(made) as Value);
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
