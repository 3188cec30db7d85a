import { type IResolvable, type IResolveContext, ref, TerraformStack } from "cdktf";

import { ATTRIBUTE_ALONE } from "./addresses";
import { type ExpressionNode, type KnownAt, type PrintToken } from "./nodes";
import { literalText, piecesOf, PRECEDENCE, type Printed, printedToken, quotedInside, templatesOf } from "./text";

/** Known facts of a token. */
export interface TokenFacts {
  readonly knownAt: Exclude<KnownAt, "synth">;
  readonly mayBeNull: boolean;
  /** Addresses to which the token refers. */
  readonly names?: readonly string[];
}

/** Known facts of the value at an address. */
export interface ReferenceFacts extends Omit<TokenFacts, "names"> {
  /** Whether the value is a list with at least one item. */
  readonly hasItems?: boolean;
  /**
   * The stack of the address; used in any other stack, the framework turns the address into a cross-stack reference.
   */
  readonly stack?: TerraformStack | undefined;
}

/** A value that is known at synthesis. */
export class Literal implements ExpressionNode {
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
    return { text: literalText(this.literal.value), precedence: PRECEDENCE.value };
  }

  alone(): unknown {
    return templatesOf(this.literal.value);
  }
}

/** A value that is known at synthesis, but printed as an address in the folder. */
export class NamedLiteral extends Literal {
  constructor(
    private readonly address: string,
    value: unknown,
  ) {
    super(value);
  }

  override print(): Printed {
    return { text: this.address, precedence: PRECEDENCE.value };
  }
}

/** A value at an address in Terraform. */
export class Reference implements ExpressionNode {
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
    // The framework recognizes a reference to an element only by a token.
    const pieces = this.owned === undefined ? this.names.flatMap(piecesOf) : [this.owned];
    const texts = pieces.map((piece) => (typeof piece === "string" ? piece : printedToken(printToken(piece)).text));
    return { text: texts.join(""), precedence: PRECEDENCE.value };
  }
}

/** An address in a stack. Another stack needs a cross-stack reference instead. */
export class AddressIn {
  private token: IResolvable | undefined;

  constructor(
    private readonly stack: TerraformStack,
    private readonly addressOf: () => string,
  ) {}

  get address(): string {
    return this.addressOf();
  }

  /** The address in its own stack; in another stack, the framework's token for a cross-stack reference. */
  inside(context: IResolveContext): unknown {
    if (TerraformStack.of(context.scope) === this.stack) return this.address;
    this.token ??= ref(this.address, this.stack);
    context.suppressBraces = true;
    return context.resolve(this.token);
  }
}

/** A token of the framework, or a text with tokens. */
export class TokenReference implements ExpressionNode {
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
    return { text: `"${texts.join("")}"`, precedence: PRECEDENCE.value };
  }

  alone(): unknown {
    return this.token;
  }
}

/**
 * True for an attribute of a resource or a data source, a module's output, and text with tokens: these are never null,
 * though a plan may not know the value.
 */
function isSurelySet(token: unknown): boolean {
  const [first, ...others]: unknown[] = typeof token === "string" ? piecesOf(token) : [token];
  const { identifier } = (first ?? {}) as { readonly identifier?: unknown };
  return others.length > 0 || (typeof identifier === "string" && ATTRIBUTE_ALONE.test(identifier));
}

/** The variable of a `for` expression. */
export class LoopVariable implements ExpressionNode {
  readonly mayBeNull = true;
  readonly names = [];

  constructor(
    private readonly name: string,
    readonly knownAt: KnownAt,
  ) {}

  print(): Printed {
    return { text: this.name, precedence: PRECEDENCE.value };
  }
}
