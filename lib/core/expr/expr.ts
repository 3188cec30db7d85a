import { isDeepStrictEqual } from "node:util";

import { type IResolvable, type IResolveContext, Token } from "cdktf";

import { finite, lengthOf, listIn, NO_VALUE, numberIn, regularExpression, textIn, valueIn } from "./coercion";
import {
  Literal,
  LoopVariable,
  NamedLiteral,
  Reference,
  type ReferenceFacts,
  type TokenFacts,
  TokenReference,
} from "./leaves";
import {
  Collection,
  type Combination,
  type ExpressionNode,
  Failure,
  type KnownAt,
  Operation,
  type OperationFacts,
  type Part,
  Present,
  type PrintToken,
  Step,
} from "./nodes";
import { escapedTemplate, isWhole, piecesOf, PRECEDENCE, quotedInside } from "./text";
import { insideOf, tokenBehind, tokenName } from "./tokens";

/** A value of a type, or an expression of it. */
export type Operand<T> = Expr<T> | T;

/** A token of the framework. The property `type` excludes typed expressions, because the compiler checks those. */
interface ForeignToken extends IResolvable {
  readonly type?: never;
}

/** A condition: a boolean, a typed expression, or a token of the framework, whose type only Terraform knows. */
type ConditionOperand = ForeignToken | Operand<boolean>;

/** An item with its index, or a member with its name. */
type Entry = readonly [key: Expr<string>, value: Expr];

type Node = ExpressionNode<Expr<boolean>, Entry>;
type Facts = OperationFacts<Expr<boolean>>;

/** Length of an expression that is understood at a glance, such as `var.existing_database != null`, in characters. */
const MAX_GLANCE_LENGTH = 45;

/** Space for the condition of a check on one line of a folder, in characters. */
const MAX_LINE_LENGTH = 100;

/**
 * A typed Terraform expression: a literal, a reference or an operation.
 *
 * Operations on literals are calculated at synthesis, so they leave no trace in the folder. All other operations print
 * as HCL with the necessary parentheses. An expression can be used wherever the framework accepts a token: `text`,
 * `number`, `list` and the expression itself are tokens, or literals if the value is known.
 */
export class Expr<T = unknown> implements IResolvable {
  /** Empty, because recording stack traces would take most of the synthesis time. */
  readonly creationStack: string[] = [];

  /** Only for the compiler: keeps expressions of different types apart. */
  declare protected readonly type?: T;

  private readonly node: Node;

  /** @param node content of the expression, or an expression with the same content */
  constructor(node: Expr<T> | Node) {
    this.node = node instanceof Expr ? node.node : node;
  }

  get knownAt(): KnownAt {
    return this.node.knownAt;
  }

  /** Whether the value may be null. */
  get mayBeNull(): boolean {
    return this.node.mayBeNull;
  }

  /** Whether Terraform's evaluation of the expression may fail, for example if a number is written in words. */
  get canFail(): boolean {
    return this.node.canFail ?? false;
  }

  /** Whether evaluation is certain to fail, even if some values are unknown. */
  get fails(): boolean {
    return this.node.fails ?? false;
  }

  /** Whether the value is a list with at least one item for certain. */
  get hasItems(): boolean {
    return this.node.hasItems ?? (this.entries?.length ?? 0) > 0;
  }

  /**
   * Items with their indexes, or members with their names, if all indexes or names are known; the values may be
   * unknown.
   */
  get entries(): readonly Entry[] | undefined {
    return this.node.entries ?? (this.isLiteral ? literalEntries(this.literal) : undefined);
  }

  /** The same value, marked as not null, for a place that is evaluated only if the value is not null. */
  get present(): Expr<NonNullable<T>> {
    if (!this.mayBeNull || this.isLiteral) return this as unknown as Expr<NonNullable<T>>;
    return new Expr<NonNullable<T>>(new Present(this.node));
  }

  /** Whether the value is known at synthesis. */
  get isLiteral(): boolean {
    return this.node.literal !== undefined;
  }

  /** Whether the value is a text that contains tokens. */
  get isText(): boolean {
    return this.node instanceof TokenReference && this.node.isText;
  }

  /** The value. @throws Error if it is not known at synthesis */
  get literal(): T {
    if (this.node.literal === undefined) throw new Error("an expression has no value before the plan");
    return this.node.literal.value as T;
  }

  /** Addresses to which the expression refers, such as `var.domain`. */
  get names(): readonly string[] {
    return this.node.names;
  }

  /** For arguments that are strings; a token where the value is null, a list or an object. */
  get text(): string {
    const isText = this.knownAt === "synth" && typeof this.literal !== "object";
    return isText ? escapedTemplate(String(this.literal)) : Token.asString(this.token);
  }

  /** For arguments that are numbers. */
  get number(): number {
    return this.knownAt === "synth" ? (this.literal as number) : Token.asNumber(this.token);
  }

  /** For arguments that are lists of strings. */
  get list(): string[] {
    return this.knownAt === "synth" ? (this.literal as string[]).map(escapedTemplate) : Token.asList(this.token);
  }

  /** For arguments that are booleans. */
  get flag(): boolean | IResolvable {
    return this.knownAt === "synth" ? (this.literal as boolean) : this.token;
  }

  isNull(): Expr<boolean> {
    const { isNull, literal: known, mayBeNull } = this.node;
    if (known !== undefined) return literal(known.value === null);
    if (!mayBeNull) return literal(false);
    return isNull?.() ?? this.compared("==", PRECEDENCE.equality, literal(null));
  }

  isSet(): Expr<boolean> {
    return this.isNull().not();
  }

  eq(other: Operand<T>): Expr<boolean> {
    const right = exprOf(other);
    if (this.isAbove(right)) return literal(false);
    return foldConstants([this, right], isDeepStrictEqual, () => this.compared("==", PRECEDENCE.equality, right));
  }

  ne(other: Operand<T>): Expr<boolean> {
    return this.eq(other).not();
  }

  /** Whether a condition holds for the value, or the value is null. */
  isNullOr(condition: (present: Expr<NonNullable<T>>) => Operand<boolean>): Expr<boolean> {
    return unlessNull(this, condition, true);
  }

  /** Whether the value is not null and a condition holds for it. */
  isSetAnd(condition: (present: Expr<NonNullable<T>>) => Operand<boolean>): Expr<boolean> {
    return unlessNull(this, condition, false);
  }

  lt(other: Operand<number>): Expr<boolean> {
    return this.ordered("<", other, (a, b) => a < b);
  }

  le(other: Operand<number>): Expr<boolean> {
    return this.ordered("<=", other, (a, b) => a <= b);
  }

  gt(other: Operand<number>): Expr<boolean> {
    if (this.isAbove(exprOf(other))) return literal(true);
    return this.ordered(">", other, (a, b) => a > b);
  }

  ge(other: Operand<number>): Expr<boolean> {
    return this.ordered(">=", other, (a, b) => a >= b);
  }

  and(...others: readonly ConditionOperand[]): Expr<boolean> {
    return allOf(this as Expr<boolean>, ...others);
  }

  or(...others: readonly ConditionOperand[]): Expr<boolean> {
    return anyOf(this as Expr<boolean>, ...others);
  }

  not(): Expr<boolean> {
    if (this.isLiteral) return literal(this.literal !== true);
    const { opposite } = this.node;
    if (opposite !== undefined) return opposite();
    const parts = ["!", { expr: this as Expr, minimumPrecedence: PRECEDENCE.sign }];
    const facts = { ...failsOnlyWithOperands([this]), opposite: () => this as Expr<boolean> };
    return new Expr(new Operation(parts, PRECEDENCE.sign, facts));
  }

  /** One of two values, depending on this condition. */
  choose<A, B = A>(whenTrue: Operand<A>, whenFalse: Operand<B>): Expr<A | B> {
    const [one, other] = [exprOf(whenTrue), exprOf(whenFalse)] as const;
    if (this.isLiteral) return this.literal === true ? one : other;
    if (one.isLiteral && other.isLiteral && one.literal === true && other.literal === false)
      return this as unknown as Expr<A | B>;
    if (one.isLiteral && other.isLiteral && one.literal === false && other.literal === true)
      return this.not() as unknown as Expr<A | B>;
    const parts = [
      { expr: this, minimumPrecedence: PRECEDENCE.or },
      " ? ",
      { expr: one, minimumPrecedence: PRECEDENCE.or },
      " : ",
      // A nested choice gets parentheses, because a chain of choices is hard to read.
      { expr: other, minimumPrecedence: PRECEDENCE.or },
    ];
    const isNull = () => {
      if (!other.mayBeNull) return this.and(one.isNull());
      if (!one.mayBeNull) return this.not().and(other.isNull());
      return this.choose(one.isNull(), other.isNull());
    };
    const canFail = this.canFail || this.mayBeNull || one.canFail || other.canFail;
    const mayBeNull = one.mayBeNull || other.mayBeNull;
    return new Expr(new Operation(parts, PRECEDENCE.choice, { canFail, fails: this.fails, isNull, mayBeNull }));
  }

  /** The value, or a fallback if the value is null or an empty text, as Terraform's `coalesce` has it. */
  coalesce(fallback: Operand<NonNullable<T>>): Expr<NonNullable<T>> {
    const other = exprOf(fallback);
    if (this.isLiteral) {
      const isSkipped = this.literal === null || (this.literal as unknown) === "";
      return isSkipped ? other : (this as unknown as Expr<NonNullable<T>>);
    }
    if (!this.mayBeNull) return this as unknown as Expr<NonNullable<T>>;
    return call("coalesce", [this, other], { canFail: this.canFail || other.canFail, mayBeNull: false });
  }

  /**
   * The value, or `other` if the value is null. Unlike Terraform's `coalesce`, this accepts null or an empty text as
   * `other`.
   */
  ifNull<O>(other: Operand<O>): Expr<NonNullable<T> | O> {
    return this.isNull().choose<O, NonNullable<T>>(other, this.present);
  }

  plus(other: Operand<number>): Expr<number> {
    return this.calculated("+", PRECEDENCE.sum, other, (a, b) => a + b);
  }

  minus(other: Operand<number>): Expr<number> {
    return this.calculated("-", PRECEDENCE.sum, other, (a, b) => a - b);
  }

  times(other: Operand<number>): Expr<number> {
    return this.calculated("*", PRECEDENCE.product, other, (a, b) => a * b);
  }

  dividedBy(other: Operand<number>): Expr<number> {
    return this.calculated("/", PRECEDENCE.product, other, (a, b) => a / b);
  }

  modulo(other: Operand<number>): Expr<number> {
    return this.calculated("%", PRECEDENCE.product, other, (a, b) => a % b);
  }

  floor(): Expr<number> {
    return foldConstants(
      [this],
      (a) => Math.floor(numberIn(a)),
      () => call("floor", [this], failsOnlyWithOperands([this])),
    );
  }

  length(): Expr<number> {
    const { entries } = this;
    if (entries !== undefined) return literal(entries.length);
    const facts = { ...failsOnlyWithOperands([this]), ...(this.hasItems && { lowerBound: 1 }) };
    return foldConstants([this], lengthOf, () => call("length", [this], facts));
  }

  /** Whether a list has an element. */
  contains(element: Operand<T extends readonly (infer Element)[] ? Element : never>): Expr<boolean> {
    const other = exprOf(element as unknown);
    const has = (list: unknown, each: unknown) => listIn(list).includes(valueIn(each));
    return foldConstants([this, other], has, () =>
      call("contains", [this, other], failsOnlyWithOperands([this, other])),
    );
  }

  /** Whether the value is one of a few. */
  isOneOf(values: readonly T[]): Expr<boolean> {
    return literal(values).contains(this as never);
  }

  /** Whether a text matches a pattern, which must mean the same in JavaScript and in Terraform (RE2). */
  matches(pattern: Operand<string>): Expr<boolean> {
    const other = exprOf(pattern);
    if (this.fails || other.fails) return literal(false);
    const fits = (text: unknown, form: unknown) =>
      text !== null && regularExpression(form as string).test(textIn(text));
    const parts = [
      "can(regex(",
      { expr: other, minimumPrecedence: PRECEDENCE.choice },
      ", ",
      { expr: this as Expr, minimumPrecedence: PRECEDENCE.choice },
    ];
    const facts = { canFail: false, mayBeNull: false };
    return foldConstants([this, other], fits, () => new Expr(new Operation([...parts, "))"], PRECEDENCE.value, facts)));
  }

  /** The items of the list, joined to one text. */
  joinedBy(separator: string): Expr<string> {
    const joined = (items: unknown) => listIn(items).map(textIn).join(separator);
    return foldConstants([this], joined, () => call("join", [literal(separator), this], { mayBeNull: false }));
  }

  /** A member of an object, under its Terraform name. */
  member<Value = unknown>(name: string): Expr<Value> {
    const { entries } = this.node;
    if (entries !== undefined) return (memberIn(entries, name) ?? literal(null)) as Expr<Value>;
    const memberOf = (value: unknown) => (value as Readonly<Record<string, Value>> | null)?.[name] ?? (null as Value);
    const parts = [{ expr: this as Expr, minimumPrecedence: PRECEDENCE.value }, `.${name}`];
    const facts = { mayBeNull: true, ...failsOnlyWithOperands([this]) };
    return foldConstants([this], memberOf, () => new Expr<Value>(new Operation(parts, PRECEDENCE.value, facts)));
  }

  /** The value, or `fallback` if its evaluation fails: `try()`. Null stays null. */
  tryOr(fallback: Operand<T>): Expr<T> {
    const other = exprOf(fallback);
    if (this.fails) return other;
    if (this.isLiteral || !this.canFail) return this;
    return call("try", [this, other], { canFail: other.canFail, mayBeNull: this.mayBeNull || other.mayBeNull });
  }

  /** The operands, if the expression combines them by the given operator; otherwise the expression itself. @internal */
  operandsOf(operator: Combination<unknown>["operator"]): readonly Expr<boolean>[] {
    const { combination } = this.node;
    return combination?.operator === operator ? combination.operands : [this as Expr<boolean>];
  }

  /** Whether the expression is long enough for a local with a descriptive name. @internal */
  get isLong(): boolean {
    return !this.isLiteral && this.print(tokenName).length > MAX_GLANCE_LENGTH;
  }

  /** Whether the expression is too long for one line. @internal */
  get takesLines(): boolean {
    return !this.isLiteral && this.print(tokenName).length > MAX_LINE_LENGTH;
  }

  /** @internal */
  print(printToken: PrintToken, minimumPrecedence: number = PRECEDENCE.choice): string {
    const { precedence, text } = this.node.print(printToken);
    return precedence < minimumPrecedence ? `(${text})` : text;
  }

  resolve(context: IResolveContext): unknown {
    // The framework's context says whether the expression is inside braces already.
    const { suppressBraces: isInside } = context;
    try {
      if (isInside !== true && this.node.alone !== undefined) return this.node.alone();
      const printToken: PrintToken = (token) =>
        isExpr(token) ? token.print(printToken, PRECEDENCE.value) : insideOf(token, context);
      const text = this.print(printToken, isInside === true ? PRECEDENCE.value : PRECEDENCE.choice);
      return isInside === true ? text : `\${${text}}`;
    } finally {
      context.suppressBraces = isInside;
    }
  }

  /** This expression as a token; the framework recognizes a token by the result of its `toString`. */
  protected get token(): IResolvable {
    return this;
  }

  /** The expression as a string token. */
  toString(): string {
    return this.text;
  }

  toJSON(): string {
    return "<expression>";
  }

  /** Whether the known lower bound, and therefore every possible value, is greater than another number. */
  private isAbove(other: Expr): boolean {
    const { lowerBound } = this.node;
    return lowerBound !== undefined && other.isLiteral && lowerBound > numberIn(other.literal);
  }

  private ordered(operator: string, other: Operand<number>, compare: (a: number, b: number) => boolean) {
    const right = exprOf(other);
    const compared = (a: unknown, b: unknown) => compare(numberIn(a), numberIn(b));
    return foldConstants([this, right], compared, () => this.compared(operator, PRECEDENCE.comparison, right));
  }

  private compared(operator: string, precedence: number, right: Expr): Expr<boolean> {
    const opposite = OPPOSITES[operator];
    const parts = infix(this, operator, right, precedence);
    const turned = opposite === undefined ? undefined : () => this.compared(opposite, precedence, right);
    // Null equals only null and cannot be ordered.
    const canFail = [this, right].some(
      (each) => each.canFail || (precedence === PRECEDENCE.comparison && each.mayBeNull),
    );
    return new Expr(new Operation(parts, precedence, { canFail, opposite: turned }));
  }

  private calculated(
    operator: string,
    precedence: number,
    other: Operand<number>,
    calculate: (a: number, b: number) => number,
  ): Expr<number> {
    const right = exprOf(other);
    const isSum = operator === "+" || operator === "-";
    if (isSum && right.isLiteral && right.literal === 0 && !this.mayBeNull) return this as unknown as Expr<number>;
    const result = (a: unknown, b: unknown) => finite(calculate(numberIn(a), numberIn(b)));
    const parts = infix(this, operator, right, precedence);
    const isDivision = operator === "/" || operator === "%";
    const canBeZero = isDivision && !(right.isLiteral && right.literal !== 0);
    const canFail = canBeZero || failsOnlyWithOperands([this, right]).canFail;
    return foldConstants([this, right], result, () => new Expr(new Operation(parts, precedence, { canFail })));
  }
}

const OPPOSITES: Readonly<Record<string, string>> = {
  "==": "!=",
  "!=": "==",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
};

/**
 * A condition for a value that is not null. Terraform before 1.12 evaluates both operands of `||` and `&&`, so a
 * condition that can fail is put into `? :`.
 *
 * @param condition may be called twice, so it must create no constructs
 * @param whenNull result for null
 */
function unlessNull<T>(
  value: Expr<T>,
  condition: (present: Expr<NonNullable<T>>) => Operand<boolean>,
  whenNull: boolean,
): Expr<boolean> {
  const isNull = value.isNull();
  if (isNull.isLiteral && isNull.literal) return literal(whenNull);
  const holds = exprOf(condition(value as Expr<NonNullable<T>>));
  if (!holds.canFail) return whenNull ? isNull.or(holds) : isNull.not().and(holds);
  const ofPresent = condition(value.present);
  return whenNull ? isNull.choose(true, ofPresent) : isNull.not().choose(ofPresent, false);
}

/**
 * The result of an operation: a literal if all operands are literals, otherwise an expression for Terraform.
 *
 * @param fold calculates the literal; throws `NO_VALUE` if Terraform would fail too, and returns undefined if only
 *   Terraform can calculate the result
 */
export function foldConstants<R>(
  operands: readonly Expr[],
  fold: (...values: readonly unknown[]) => R | undefined,
  otherwise: () => Expr<R>,
): Expr<R> {
  if (!operands.every((each) => each.isLiteral)) return otherwise();
  try {
    const value = fold(...operands.map((each) => each.literal));
    return value === undefined ? otherwise() : literal(value);
  } catch (error) {
    if (error !== NO_VALUE) throw error;
    return new Expr<R>(new Failure(otherwise()));
  }
}

/** Facts of an operation that fails only if one of its operands fails or is null. */
export function failsOnlyWithOperands(operands: readonly Expr[]): { readonly canFail: boolean } {
  return { canFail: operands.some((each) => each.canFail || each.mayBeNull) };
}

/** A value that is known. */
export function literal<T>(value: T): Expr<T> {
  return new Expr<T>(new Literal(value));
}

/**
 * A literal that is also available at an address in the folder; operations that synthesis cannot calculate print the
 * address.
 */
export function namedLiteral<T>(address: string, value: T): Expr<T> {
  return new Expr<T>(new NamedLiteral(address, value));
}

/**
 * A named step of a calculation, such as `worker_processes`. A long step, or a step with several uses, becomes a local
 * with that name.
 */
export function namedStep<T>(name: string, value: Expr<T>): Expr<T> {
  return value.isLiteral ? value : new Expr<T>(new Step(name, value));
}

/** Named steps that are texts, by name and text. */
const NAMED_TEXTS = new Map<string, string>();

/** A named step that is a text; equal texts give equal strings, because callers compare names. */
export function namedText(name: string, text: string): string {
  if (!Token.isUnresolved(text)) return text;
  const key = `${name} ${text}`;
  const named = NAMED_TEXTS.get(key) ?? namedStep(name, exprOf(text)).text;
  NAMED_TEXTS.set(key, named);
  return named;
}

/**
 * A value at an address in Terraform.
 *
 * @param address such as `var.domain`; a function is called when the reference is printed
 */
export function reference<T>(address: string | (() => string), facts: ReferenceFacts): Expr<T> {
  return new Expr<T>(new Reference(address, facts));
}

/**
 * Hand-written HCL for syntax without an operator in `Expr`: `for`, splats, patterns.
 *
 * Embedded values are operands: a string is printed in quotes, an expression with the necessary parentheses. Line
 * breaks in the template only format the source and are not printed.
 */
export function hcl<T = never>(texts: TemplateStringsArray, ...operands: readonly unknown[]): Expr<T> {
  return writtenHcl(texts.map(onOneLine), operands, { mayBeNull: true });
}

/** HCL without the line breaks of the source, because the folder breaks lines itself. */
function onOneLine(text: string): string {
  if (!text.includes("\n")) return text;
  return text.replaceAll(/(?<=[([])\s*\n\s*|\s*\n\s*(?=[)\]])/g, "").replaceAll(/\s*\n\s*/g, " ");
}

/** HCL from the texts and operands of a template, as for `hcl`, with known facts of the result. */
export function writtenHcl<T>(texts: readonly string[], operands: readonly unknown[], facts: Facts): Expr<T> {
  const parts = texts.flatMap((text, index): Part[] => {
    if (index >= operands.length) return [text];
    // An operand alone in brackets, or between commas, needs no parentheses.
    const isApart = /(?:[([{,:]|\bif)\s*$/.test(text) && /^\s*[)\]},]/.test(texts[index + 1] ?? "");
    return [text, { expr: exprOf(operands[index]), minimumPrecedence: isApart ? PRECEDENCE.choice : PRECEDENCE.value }];
  });
  return new Expr<T>(new Operation(parts, isWhole(texts.join("\0")) ? PRECEDENCE.value : PRECEDENCE.choice, facts));
}

/** A text with embedded values. */
export function interpolated(texts: TemplateStringsArray, ...operands: readonly Operand<unknown>[]): Expr<string> {
  const values = operands.map((each) => exprOf(each));
  const pieces: string[] = [];
  const open: Expr[] = [];
  let piece = "";
  for (const [index, text] of texts.entries()) {
    piece += escapedTemplate(text);
    const value = values[index];
    if (value === undefined) pieces.push(piece);
    else if (value.isLiteral && value.literal !== null) piece += escapedTemplate(textIn(value.literal));
    else {
      pieces.push(piece);
      open.push(value);
      piece = "";
    }
  }
  const joined = (...parts: readonly unknown[]) =>
    texts.reduce((before, text, index) => before + textIn(parts[index - 1]) + text);
  const [quote, begin, end] = ['"', "${", "}"] as const;
  const frame = pieces.map(
    (text, index) => `${index === 0 ? quote : end}${quotedInside(text)}${index === pieces.length - 1 ? quote : begin}`,
  );
  return foldConstants(values, joined, () =>
    writtenHcl(frame, open, { mayBeNull: false, ...failsOnlyWithOperands(values) }),
  );
}

/** A call of a Terraform function. */
export function call<T>(name: string, operands: readonly unknown[], facts: Facts = {}): Expr<T> {
  const parts = operands.flatMap((operand, index): Part[] => [
    index === 0 ? "" : ", ",
    { expr: exprOf(operand), minimumPrecedence: PRECEDENCE.choice },
  ]);
  return new Expr<T>(new Operation([`${name}(`, ...parts, ")"], PRECEDENCE.value, facts));
}

/** Whether all conditions hold. */
export function allOf(...conditions: readonly ConditionOperand[]): Expr<boolean> {
  return combined(conditions, "&&", PRECEDENCE.and, true);
}

/** Whether one of the conditions holds. */
export function anyOf(...conditions: readonly ConditionOperand[]): Expr<boolean> {
  return combined(conditions, "||", PRECEDENCE.or, false);
}

/** @param neutral operand that leaves the result unchanged (`true` for `&&`); its opposite decides the result */
function combined(
  conditions: readonly ConditionOperand[],
  operator: "&&" | "||",
  precedence: number,
  neutral: boolean,
): Expr<boolean> {
  const all = conditions.map((each) => exprOf(each as Operand<boolean>));
  if (all.some((each) => each.isLiteral && each.literal !== neutral)) return literal(!neutral);
  const open = withoutRepeated(all.filter((each) => !each.isLiteral).flatMap((each) => each.operandsOf(operator)));
  const failing = open.filter((each) => each.fails).length;
  const [first, ...others] = open;
  if (first === undefined) return literal(neutral);
  if (others.length === 0) return first;
  const parts = open.flatMap((expr, index): Part[] => [
    index === 0 ? "" : ` ${operator} `,
    { expr, minimumPrecedence: precedence + 1 },
  ]);
  const fails = neutral ? failing > 0 : failing === open.length;
  const combination = { operator, operands: open };
  return new Expr<boolean>(new Operation(parts, precedence, { combination, fails, ...failsOnlyWithOperands(open) }));
}

/** The conditions without duplicates; two expressions with the same printed text are duplicates. */
function withoutRepeated(conditions: readonly Expr<boolean>[]): Expr<boolean>[] {
  if (conditions.length < 2) return [...conditions];
  return [...new Map(conditions.map((each) => [each.print(tokenName), each])).values()];
}

/**
 * Converts any value from a caller into an expression: a literal, a token, text with tokens, a list or an object with
 * tokens.
 *
 * The only fact derived about a token is that an attribute of a resource is never null; `given` derives more.
 */
export function exprOf<T>(value: Operand<T>): Expr<T> {
  if (isExpr(value)) return value;
  if (typeof value === "string") return textOf(value) as unknown as Expr<T>;
  const behind = tokenBehind(value);
  if (isExpr<T>(behind)) return behind;
  if (Token.isUnresolved(value)) return new Expr<T>(new TokenReference(value));
  if (!isPlainObject(value)) return literal(value);
  const entries = Object.entries(value as Readonly<Record<string, unknown>>).map(
    ([key, each]) => [exprOf(key), exprOf(each)] as const,
  );
  if (entries.every(([key, each]) => key.isLiteral && each.isLiteral)) {
    const known = entries.map(([key, each]) => [key.literal, each.literal] as const);
    return literal((Array.isArray(value) ? known.map(([, each]) => each) : Object.fromEntries(known)) as T);
  }
  return new Expr<T>(new Collection(entries, Array.isArray(value)));
}

/** True for lists and objects of values; false for an element of a stack, because it refers to the whole program. */
export function isPlainObject(value: unknown): value is object {
  if (typeof value !== "object" || value === null) return false;
  // No comparison with `Object.prototype`, because an object may come from another realm, as in a Jest test.
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === null || Object.getPrototypeOf(prototype) === null;
}

function textOf(value: string): Expr<string> {
  const pieces = piecesOf(value);
  if (pieces.every((piece) => typeof piece === "string")) return literal(value);
  const [first, ...others] = pieces;
  return others.length === 0 && isExpr<string>(first) ? first : new Expr(new TokenReference(value));
}

function isExpr<T>(value: unknown): value is Expr<T> {
  return value instanceof Expr;
}

/** A token as an expression, with known facts. */
export function tokenReference<T>(token: T, facts: TokenFacts): Expr<T> {
  return new Expr<T>(new TokenReference(token, facts));
}

/** A variable of a `for` expression. */
export function loopVariable<T>(name: string, { knownAt }: Expr): Expr<T> {
  return new Expr<T>(new LoopVariable(name, knownAt));
}

function memberIn(entries: readonly Entry[], name: string): Expr | undefined {
  return entries.find(([key]) => key.isLiteral && key.literal === name)?.[1];
}

function literalEntries(value: unknown): readonly Entry[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const entries = Object.entries(value);
  // Terraform iterates over an object in the order of its names.
  if (!Array.isArray(value)) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return entries.map(([key, each]) => [literal(key), literal<unknown>(each)]);
}

const infix = (left: Expr, operator: string, right: Expr, precedence: number): Part[] => [
  { expr: left, minimumPrecedence: precedence },
  ` ${operator} `,
  { expr: right, minimumPrecedence: precedence + 1 },
];
