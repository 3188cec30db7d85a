import { ref, TerraformStack, type IResolvable, type IResolveContext } from "cdktf";

import { type Expr, type KnownAt } from "./expr";
import {
  BINDING,
  literalText,
  plainKey,
  quotedInside,
  templatesOf,
  piecesOf,
  printedToken,
  type Printed,
} from "./expr-text";

/** Resolves a token of the framework for a place inside of an expression. */
export type PrintToken = (token: unknown) => unknown;

/** An item with its index, or a member with its name. */
export type Entry = readonly [key: Expr<string>, value: Expr];

/** What an expression is: a literal, a reference or an operation. */
export interface Form {
  readonly knownAt: KnownAt;
  readonly mayBeNull: boolean;
  /** Undefined unless the value is known at synthesis. */
  readonly literal?: { readonly value: unknown };
  /** The references in it. */
  readonly names: readonly string[];
  /** Whether it is null, where that is simpler than a comparison. */
  readonly isNull?: () => Expr<boolean>;
  /** Whether Terraform may stop at it, such as at a number in words. */
  readonly canFail?: boolean;
  /** Whether it is known to do so. */
  readonly fails?: boolean;
  /** Whether it is a list that is known to have an item, where `entries` does not tell. */
  readonly hasItems?: boolean;
  /** The least number that it can be, where that is known. */
  readonly least?: number;
  /** Items with their indexes, or members with their names, where all of them are known, if not their values. */
  readonly entries?: readonly Entry[];
  print(printToken: PrintToken): Printed;
  /** Alone, as the value of an argument, where that is more than the printed text in braces. */
  alone?(): unknown;
}

/** HCL of an operation: text, or an operand and how tightly it must bind there. */
export type Part = string | { readonly expr: Expr; readonly least: number };

/** What is known of a token. */
export interface TokenFacts {
  readonly knownAt: Exclude<KnownAt, "synth">;
  readonly mayBeNull: boolean;
  /** Addresses of what it refers to. */
  readonly names?: readonly string[];
}

/** What is known of a value by its address. */
export interface ReferenceFacts extends Omit<TokenFacts, "names"> {
  /** Whether it is a list that has an item. */
  readonly hasItems?: boolean;
  /** The stack that has it: the framework takes it for a reference between stacks in any other. */
  readonly stack?: TerraformStack | undefined;
}

/** Conditions that all hold, or of which one does. */
export interface Combination {
  readonly operator: "&&" | "||";
  readonly operands: readonly Expr<boolean>[];
}

/** What is known of the result of an operation. */
export interface OperationFacts {
  /** What it combines, so that another of the same operator takes its operands. */
  readonly combination?: Combination;
  /** The least number that it can be. */
  readonly least?: number;
  readonly mayBeNull?: boolean;
  /** Whether it is null, where that is simpler than a comparison. */
  readonly isNull?: (() => Expr<boolean>) | undefined;
  /** Whether Terraform may stop at it; by default, it may. */
  readonly canFail?: boolean;
  /** Whether it is known to; by default, if it does at an operand. */
  readonly fails?: boolean;
  /** The negation, where it needs no `!`. */
  readonly opposite?: (() => Expr<boolean>) | undefined;
}

/** A value that is known at synthesis. */
export class Literal implements Form {
  readonly knownAt = "synth";
  readonly literal: { readonly value: unknown };
  readonly names = [];

  constructor(value: unknown) {
    this.literal = { value };
  }

  get mayBeNull(): boolean {
    return this.literal.value === null;
  }

  print(): Printed {
    return { text: literalText(this.literal.value), binding: BINDING.value };
  }

  alone(): unknown {
    return templatesOf(this.literal.value);
  }
}

/** Such a value that prints as the address under which the folder has it. */
export class NamedLiteral extends Literal {
  constructor(
    private readonly address: string,
    value: unknown,
  ) {
    super(value);
  }

  override print(): Printed {
    return { text: this.address, binding: BINDING.value };
  }
}

/** A named step, marked by comments until the whole folder is known. */
export class Step implements Form {
  constructor(
    private readonly name: string,
    private readonly value: Expr,
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
    const text = this.value.print(printToken, BINDING.choice);
    return { text: `/*step ${this.name}*/(${text})/*end*/`, binding: BINDING.value };
  }
}

/** A value that Terraform has under an address. */
export class Reference implements Form {
  readonly knownAt: KnownAt;
  readonly mayBeNull: boolean;
  readonly hasItems: boolean;
  private readonly owned: AddressIn | undefined;

  constructor(
    private readonly address: string | (() => string),
    { hasItems = false, knownAt, mayBeNull, stack }: ReferenceFacts,
  ) {
    this.knownAt = knownAt;
    this.mayBeNull = mayBeNull;
    this.hasItems = hasItems;
    this.owned = stack && new AddressIn(stack, () => this.names.join(""));
  }

  get names(): readonly string[] {
    return [typeof this.address === "string" ? this.address : this.address()];
  }

  print(printToken: PrintToken): Printed {
    // The framework knows an element by a token.
    const pieces = this.owned === undefined ? this.names.flatMap(piecesOf) : [this.owned];
    const texts = pieces.map((piece) => (typeof piece === "string" ? piece : printedToken(printToken(piece)).text));
    return { text: texts.join(""), binding: BINDING.value };
  }
}

/** An address in a stack, which no other stack can use as it is. */
export class AddressIn {
  private token: IResolvable | undefined;

  constructor(
    private readonly stack: TerraformStack,
    private readonly addressOf: () => string,
  ) {}

  get address(): string {
    return this.addressOf();
  }

  /** In another stack, the framework keeps in its own token what stands for the address there. */
  inside(context: IResolveContext): unknown {
    if (TerraformStack.of(context.scope) === this.stack) return this.address;
    this.token ??= ref(this.address, this.stack);
    context.suppressBraces = true;
    return context.resolve(this.token);
  }
}

/** A token of the framework, or text around some. */
export class TokenReference implements Form {
  readonly knownAt: KnownAt;
  readonly mayBeNull: boolean;
  readonly names: readonly string[];

  constructor(
    private readonly token: unknown,
    { knownAt, mayBeNull, names = [] }: TokenFacts = { knownAt: "apply", mayBeNull: !isSurelySet(token) },
  ) {
    this.knownAt = knownAt;
    this.mayBeNull = mayBeNull;
    this.names = names;
  }

  get isText(): boolean {
    return typeof this.token === "string" && piecesOf(this.token).length > 1;
  }

  print(printToken: PrintToken): Printed {
    const pieces = typeof this.token === "string" ? piecesOf(this.token) : [];
    const [first] = pieces;
    if (pieces.length <= 1) return printedToken(printToken(first ?? this.token));
    const texts = pieces.map((piece) =>
      typeof piece === "string" ? quotedInside(piece) : `\${${printedToken(printToken(piece)).text}}`,
    );
    return { text: `"${texts.join("")}"`, binding: BINDING.value };
  }

  alone(): unknown {
    return this.token;
  }
}

const ATTRIBUTE = /^(?:(?:data[.])?[a-z0-9]+_\w+[.][\w-]+|module[.][\w-]+)(?:[.]\w+)+$/;

/**
 * True for an attribute of a resource or a data source, a module's output, and for text around tokens: the value may be
 * unknown at plan, but is set.
 */
function isSurelySet(token: unknown): boolean {
  const [first, ...others]: unknown[] = typeof token === "string" ? piecesOf(token) : [token];
  const { identifier } = (first ?? {}) as { readonly identifier?: unknown };
  return others.length > 0 || (typeof identifier === "string" && ATTRIBUTE.test(identifier));
}

/** A list or an object in which something is not known at synthesis. */
export class Collection implements Form {
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

  member(name: string): Expr | undefined {
    return this.entries.find(([key]) => key.isLiteral && key.literal === name)?.[1];
  }

  print(printToken: PrintToken): Printed {
    const items = this.entries.map(([key, value]) => {
      const text = value.print(printToken);
      return this.isList ? text : `${keyText(key, printToken)} = ${text}`;
    });
    const text = this.isList ? `[${items.join(", ")}]` : `{ ${items.join(", ")} }`;
    return { text, binding: BINDING.value };
  }

  alone(): unknown {
    const values = this.entries.map(([, value]) => value);
    return this.isList ? values : Object.fromEntries(this.entries.map(([key, value]) => [key.text, value]));
  }
}

/** An operation on literals at which Terraform stops. */
export class Failure implements Form {
  readonly knownAt = "plan";
  readonly mayBeNull = false;
  readonly canFail = true;
  readonly fails = true;
  readonly names = [];

  constructor(private readonly operation: Expr) {}

  print(printToken: PrintToken): Printed {
    return { text: this.operation.print(printToken, BINDING.value), binding: BINDING.value };
  }
}

/** What stands for each item in turn. */
export class LoopVariable implements Form {
  readonly mayBeNull = true;
  readonly names = [];

  constructor(
    private readonly name: string,
    readonly knownAt: KnownAt,
  ) {}

  print(): Printed {
    return { text: this.name, binding: BINDING.value };
  }
}

/** A value in a place that is only reached if it is not null. */
export class Present implements Form {
  readonly mayBeNull = false;

  constructor(private readonly form: Form) {}

  get knownAt(): KnownAt {
    return this.form.knownAt;
  }

  get canFail(): boolean {
    return this.form.canFail ?? false;
  }

  get fails(): boolean {
    return this.form.fails ?? false;
  }

  get names(): readonly string[] {
    return this.form.names;
  }

  print(printToken: PrintToken): Printed {
    return this.form.print(printToken);
  }
}

/** An operation that cannot be calculated at synthesis. */
export class Operation implements Form {
  readonly knownAt: KnownAt;
  readonly mayBeNull: boolean;
  readonly isNull: (() => Expr<boolean>) | undefined;
  readonly opposite: (() => Expr<boolean>) | undefined;
  readonly canFail: boolean;
  readonly fails: boolean;
  readonly combination: Combination | undefined;
  readonly least?: number;

  constructor(
    private readonly parts: readonly Part[],
    private readonly binding: number,
    { canFail = true, combination, fails, isNull, least, mayBeNull = false, opposite }: OperationFacts = {},
  ) {
    this.combination = combination;
    if (least !== undefined) this.least = least;
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
    const texts = this.parts.map((part) => (typeof part === "string" ? part : part.expr.print(printToken, part.least)));
    return { text: texts.join(""), binding: this.binding };
  }

  private get operands(): readonly Expr[] {
    return this.parts.flatMap((part) => (typeof part === "string" ? [] : part.expr));
  }
}

const MOMENTS: readonly KnownAt[] = ["synth", "plan", "apply"];

/** When the last one is known; an operation is left for the plan at least. */
function latest(operands: readonly Expr[]): KnownAt {
  const moments = operands.map(({ knownAt }) => MOMENTS.indexOf(knownAt));
  return MOMENTS[Math.max(1, ...moments)] ?? "apply";
}

function keyText(key: Expr<string>, printToken: PrintToken): string {
  return key.isLiteral ? plainKey(key.literal) : `(${key.print(printToken)})`;
}
