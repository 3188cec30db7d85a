import { plainKey, PRECEDENCE, type Printed } from "./text";

/** When a value is known: at synthesis, at every plan, or possibly only at the apply. */
export type KnownAt = "synth" | "plan" | "apply";

/** Resolves a token of the framework for a place inside an expression. */
export type PrintToken = (token: unknown) => unknown;

/**
 * Content of an expression: a literal, a reference or another leaf, or an operation on expressions.
 *
 * `Condition` and `Entry` stand for types of expressions, which this file cannot import.
 */
export interface ExpressionNode<Condition = unknown, Entry = unknown> {
  readonly knownAt: KnownAt;
  readonly mayBeNull: boolean;
  /** Undefined unless the value is known at synthesis. */
  readonly literal?: { readonly value: unknown };
  /** Addresses to which the node refers. */
  readonly names: readonly string[];
  /** Whether the value is a list with at least one item for certain; needed only without `entries`. */
  readonly hasItems?: boolean;
  /**
   * Items with their indexes, or members with their names, if all indexes or names are known; the values may be
   * unknown.
   */
  readonly entries?: readonly Entry[];
  /** Condition that is true if the value is null; only if it is simpler than a comparison with null. */
  readonly isNull?: (() => Condition) | undefined;
  /** The negation, if it needs no `!`. */
  readonly opposite?: (() => Condition) | undefined;
  /** Operands of an `&&` or `||`, so that an outer combination by the same operator can absorb them. */
  readonly combination?: Combination<Condition> | undefined;
  /** Whether evaluation may fail, for example because a number is written in words. */
  readonly canFail?: boolean;
  /** Whether evaluation is certain to fail. */
  readonly fails?: boolean;
  /** Lower bound of the value, if known. */
  readonly lowerBound?: number;
  print(printToken: PrintToken): Printed;
  /** The value of an argument that consists of this node alone; by default, the printed text in braces. */
  alone?(): unknown;
}

/** Conditions combined by `&&` or `||`. */
export interface Combination<Condition> {
  readonly operator: "&&" | "||";
  readonly operands: readonly Condition[];
}

/** Known facts of a node's operands. */
interface Inner<T = unknown> {
  readonly knownAt: KnownAt;
  readonly mayBeNull: boolean;
  readonly canFail: boolean;
  readonly fails: boolean;
  readonly hasItems: boolean;
  readonly isLiteral: boolean;
  readonly literal: T;
  readonly names: readonly string[];
  readonly text: string;
  print(printToken: PrintToken, minimumPrecedence?: number): string;
}

/** An item with its index, or a member with its name. */
type InnerEntry = readonly [key: Inner<string>, value: Inner];

/** Part of an operation's HCL: a text, or an operand with the precedence below which the operand needs parentheses. */
export type Part = string | { readonly expr: Inner; readonly minimumPrecedence: number };

/** Known facts of the result of an operation. */
export interface OperationFacts<Condition> {
  readonly combination?: Combination<Condition>;
  /** Lower bound of the value. */
  readonly lowerBound?: number;
  readonly mayBeNull?: boolean;
  readonly isNull?: (() => Condition) | undefined;
  /** Whether evaluation may fail; true by default. */
  readonly canFail?: boolean;
  /** Whether evaluation is certain to fail; by default, if the evaluation of an operand is certain to fail. */
  readonly fails?: boolean;
  readonly opposite?: (() => Condition) | undefined;
}

/** What marks a step: its name is between beginning and middle, its text between middle and end. */
export const STEP_START = "/*step ";
export const STEP_MIDDLE = "*/(";
export const STEP_END = ")/*end*/";

/** A named step, marked by comments until the whole folder is known. */
export class Step implements ExpressionNode {
  constructor(
    private readonly name: string,
    private readonly value: Inner,
  ) {}

  get knownAt(): KnownAt {
    return this.value.knownAt;
  }

  get mayBeNull(): boolean {
    return this.value.mayBeNull;
  }

  get canFail(): boolean {
    return this.value.canFail;
  }

  get fails(): boolean {
    return this.value.fails;
  }

  get hasItems(): boolean {
    return this.value.hasItems;
  }

  get names(): readonly string[] {
    return this.value.names;
  }

  print(printToken: PrintToken): Printed {
    const text = this.value.print(printToken, PRECEDENCE.choice);
    return { text: `${STEP_START}${this.name}${STEP_MIDDLE}${text}${STEP_END}`, precedence: PRECEDENCE.value };
  }
}

/** A list or an object whose values are not all known at synthesis. */
export class Collection<Entry extends InnerEntry> implements ExpressionNode<never, Entry> {
  readonly mayBeNull = false;

  constructor(
    readonly entries: readonly Entry[],
    private readonly isList: boolean,
  ) {}

  get knownAt(): KnownAt {
    return latest(this.entries.flat());
  }

  get canFail(): boolean {
    return this.entries.flat().some((each) => each.canFail);
  }

  get fails(): boolean {
    return this.entries.flat().some((each) => each.fails);
  }

  get names(): readonly string[] {
    return this.entries.flat().flatMap((each) => each.names);
  }

  print(printToken: PrintToken): Printed {
    const items = this.entries.map(([key, value]) => {
      const text = value.print(printToken);
      return this.isList ? text : `${keyText(key, printToken)} = ${text}`;
    });
    const text = this.isList ? `[${items.join(", ")}]` : `{ ${items.join(", ")} }`;
    return { text, precedence: PRECEDENCE.value };
  }

  alone(): unknown {
    const values = this.entries.map(([, value]) => value);
    return this.isList ? values : Object.fromEntries(this.entries.map(([key, value]) => [key.text, value]));
  }
}

/** An operation on literals that would fail in Terraform. */
export class Failure implements ExpressionNode {
  readonly knownAt = "plan";
  readonly mayBeNull = false;
  readonly canFail = true;
  readonly fails = true;
  readonly names = [];

  constructor(private readonly operation: Inner) {}

  print(printToken: PrintToken): Printed {
    return { text: this.operation.print(printToken, PRECEDENCE.value), precedence: PRECEDENCE.value };
  }
}

/** A value in a place that is evaluated only if the value is not null. */
export class Present implements ExpressionNode {
  readonly mayBeNull = false;

  constructor(private readonly node: ExpressionNode) {}

  get knownAt(): KnownAt {
    return this.node.knownAt;
  }

  get canFail(): boolean {
    return this.node.canFail ?? false;
  }

  get fails(): boolean {
    return this.node.fails ?? false;
  }

  get names(): readonly string[] {
    return this.node.names;
  }

  print(printToken: PrintToken): Printed {
    return this.node.print(printToken);
  }
}

/** An operation that cannot be calculated at synthesis. */
export class Operation<Condition> implements ExpressionNode<Condition> {
  readonly knownAt: KnownAt;
  readonly mayBeNull: boolean;
  readonly isNull: (() => Condition) | undefined;
  readonly opposite: (() => Condition) | undefined;
  readonly canFail: boolean;
  readonly fails: boolean;
  readonly combination: Combination<Condition> | undefined;
  readonly lowerBound?: number;

  constructor(
    private readonly parts: readonly Part[],
    private readonly precedence: number,
    {
      canFail = true,
      combination,
      fails,
      isNull,
      lowerBound,
      mayBeNull = false,
      opposite,
    }: OperationFacts<Condition> = {},
  ) {
    this.combination = combination;
    if (lowerBound !== undefined) this.lowerBound = lowerBound;
    this.canFail = canFail;
    this.fails = fails ?? this.operands.some((each) => each.fails);
    this.isNull = isNull;
    this.mayBeNull = mayBeNull;
    this.opposite = opposite;
    this.knownAt = latest(this.operands);
  }

  get names(): readonly string[] {
    return [...new Set(this.operands.flatMap((each) => each.names))];
  }

  print(printToken: PrintToken): Printed {
    const texts = this.parts.map((part) =>
      typeof part === "string" ? part : part.expr.print(printToken, part.minimumPrecedence),
    );
    return { text: texts.join(""), precedence: this.precedence };
  }

  private get operands(): readonly Inner[] {
    return this.parts.flatMap((part) => (typeof part === "string" ? [] : part.expr));
  }
}

const MOMENTS: readonly KnownAt[] = ["synth", "plan", "apply"];

/** Time at which all operands are known, at plan at the earliest. */
function latest(operands: readonly Inner[]): KnownAt {
  const moments = operands.map(({ knownAt }) => MOMENTS.indexOf(knownAt));
  return MOMENTS[Math.max(1, ...moments)] ?? "apply";
}

function keyText(key: Inner<string>, printToken: PrintToken): string {
  return key.isLiteral ? plainKey(key.literal) : `(${key.print(printToken)})`;
}
