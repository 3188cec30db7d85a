import { Token } from "cdktf";

import { isPlainObject } from "./expr";

/** Keywords of JSON Schema; they may accept more than the rule, never less. */
export type Facts = Readonly<Record<string, unknown>>;

/** What a value must be. */
export interface Check {
  /** Completes "it must": the rule, the reason if it is not obvious, and the fix. */
  readonly must: string;
  /** HCL condition on an HCL expression; one that fails to evaluate counts as false. */
  readonly condition: (value: string) => string;
  /** The same for a literal, to refuse it at synth; without it, the plan does. */
  readonly accepts?: (value: never) => boolean;
  readonly schema?: Facts;
  /** Keeps the value out of the message. */
  readonly hides?: boolean;
}

/** What each entry of a map must be, or each item of a list, whose index is its key. */
export interface EachCheck {
  /** HCL condition on `key` and `value`; the members of objects have their Terraform names. */
  readonly each: string;
  /** What the message shows of a wrong entry: never the value if it may be secret. */
  readonly shows: "entry" | "key" | "value" | Shown;
  /** Rest of the sentence: the rule, the reason if it is not obvious, and the fix. */
  readonly says: string;
  /** The same for a literal. */
  readonly accepts?: (key: string, value: never) => boolean;
  readonly keySchema?: Facts;
  readonly schema?: Facts;
}

/** How an entry is shown, as an HCL expression and for a literal. */
interface Shown {
  readonly expression: string;
  readonly of: (key: string, value: never) => string;
}

/** Text that matches a pattern, which must mean the same in JavaScript and in Terraform (RE2). */
export function matching(pattern: string, must: string): Check {
  return {
    must,
    schema: { pattern },
    accepts: (text: number | string) => new RegExp(pattern).test(String(text)),
    condition: (text) => `can(regex(${JSON.stringify(pattern)}, ${text}))`,
  };
}

/** A whole number; `rest` follows the limits. */
export function whole(from: number, to: number, rest: string): Check {
  const isLimited = to < Infinity;
  return {
    must: `be a whole number from ${from}${isLimited ? ` to ${to}` : ""}${rest}`,
    schema: { multipleOf: 1, minimum: from, ...(isLimited && { maximum: to }) },
    accepts: (number: number) => Number.isInteger(number) && number >= from && number <= to,
    condition: (number) =>
      `floor(${number}) == ${number} && ${number} >= ${from}${isLimited ? ` && ${number} <= ${to}` : ""}`,
  };
}

/** One of a few words; `rest` follows them. */
export function oneOf(words: readonly string[], rest: string): Check {
  return {
    must: `be ${words.slice(0, -1).join(", ")} or ${words.slice(-1).join("")}${rest}`,
    schema: { enum: words },
    accepts: (word: string) => words.includes(word),
    condition: (word) => `contains(${JSON.stringify(words)}, ${word})`,
  };
}

/** Items of a list that match a pattern. */
export function eachMatching(pattern: string, says: string): EachCheck {
  return {
    says,
    shows: "value",
    schema: { pattern },
    accepts: (_, value: string) => new RegExp(pattern).test(value),
    each: `can(regex(${JSON.stringify(pattern)}, value))`,
  };
}

/** A rule as a condition for a plan, and its message. */
export interface Judgement {
  readonly condition: string;
  readonly errorMessage: string;
}

/**
 * A rule for a value that is an HCL expression.
 *
 * @param absent expression that is null where the rule does not apply; it always applies without one
 * @param isSecret keeps the value out of the message
 */
export function planned(
  check: Check | EachCheck,
  name: string,
  value: string,
  absent?: string,
  isSecret = false,
): Judgement {
  if (isEach(check)) {
    const wrong = `[for key, value in ${value} : ${shownBy(check).expression} if !${tried(check.each)}]`;
    return {
      condition: `\${alltrue([for key, value in ${value} : ${tried(check.each)}])}`,
      errorMessage: `${name} has \${join(", ", ${wrong})}; ${check.says}.`,
    };
  }
  return {
    condition: `\${${absent === undefined ? "" : `${absent} == null ? true : `}${tried(check.condition(value))}}`,
    errorMessage: `${name} is ${isSecret || check.hides === true ? "given" : shown(value)}; it must ${check.must}.`,
  };
}

/** What is wrong with a literal; empty for nothing, and for what only a plan can tell. */
export function problems(check: Check | EachCheck, name: string, literal: unknown, isSecret = false): string[] {
  if (!isEach(check)) {
    if (!isKnown(literal) || (check.accepts?.(literal as never) ?? true)) return [];
    // JSON cannot represent NaN.
    const text = isSecret || check.hides === true ? "given" : Number.isNaN(literal) ? "NaN" : JSON.stringify(literal);
    return [`${name} is ${text}; it must ${check.must}`];
  }
  const wrong = Object.entries(literal as Readonly<Record<string, never>>)
    .filter(([key, each]) => !Token.isUnresolved(each) && check.accepts?.(key, each) === false)
    .map(([key, each]) => shownBy(check).of(key, each));
  return wrong.length === 0 ? [] : [`${name} has ${wrong.join(", ")}; ${check.says}`];
}

/** Whether no part of a value is a token. */
export function isKnown(value: unknown): boolean {
  if (Token.isUnresolved(value)) return false;
  return !isPlainObject(value) || Object.values(value).every(isKnown);
}

export function isEach(check: Check | EachCheck): check is EachCheck {
  return "each" in check;
}

/** A rule for a member of each object in a map; objects without that member pass. */
export function ofMember(member: string, spelled: string, { accepts, condition, must }: Check): EachCheck {
  const value = `value.${snakeCase(member)}`;
  const of = (entry: Readonly<Record<string, unknown>>) => entry[member] ?? null;
  return {
    each: `${value} == null ? true : ${tried(condition(value))}`,
    ...(accepts && { accepts: (_: string, entry: never) => of(entry) === null || accepts(of(entry) as never) }),
    shows: {
      expression: `"\${key}.${spelled} = \${jsonencode(${value})}"`,
      of: (key, entry) => `${key}.${spelled} = ${JSON.stringify(of(entry))}`,
    },
    says: `it must ${must}`,
  };
}

const SHOWN: Readonly<Record<"entry" | "key" | "value", Shown>> = {
  entry: { expression: '"${key} = ${value}"', of: (key, value) => `${key} = ${String(value)}` },
  key: { expression: "jsonencode(key)", of: (key) => JSON.stringify(key) },
  value: { expression: "jsonencode(value)", of: (_, value) => JSON.stringify(value) },
};

function shownBy({ shows }: EachCheck): Shown {
  return typeof shows === "object" ? shows : SHOWN[shows];
}

/** An expression's value, for messages. */
export function shown(expression: string): string {
  return `\${jsonencode(${expression})}`;
}

/** A condition; one that fails to evaluate counts as false. */
export function tried(condition: string): string {
  return `try(${condition}, false)`;
}

/** The Terraform name of a prop. */
export function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
