import { type IResolvable, ref, TerraformLocal, type TerraformStack, Token, Tokenization } from "cdktf";
import { type Construct } from "constructs";

import { Expr, exprOf, isPlainObject, literal, reference } from "../expr/expr";
import { type KnownAt } from "../expr/nodes";
import { escaped, expression } from "../expr/terraform-text";
import { mapped } from "../mapped";
import { type Address } from "./address";
import { type Input, isList, type PropOf, type PropsOf, type Table } from "./rows";
import { isKnown, shown, terraformName } from "./rules";
import { isSecret } from "./secrecy";
import { asProp } from "./settled-inputs";

/** The values of all inputs of a table. */
export type ValuesOf<T> = { readonly [Name in keyof T]: Value<T[Name]> };

type MembersOf<Row> = Row extends { readonly members: infer M extends Table } ? M : Table;

/** The type of a value, without the framework's tokens and resources. */
type Plain<Row> = Row extends { readonly members: infer M extends Table }
  ? PropsOf<M, unknown, never>
  : Row extends Input<infer Prop>
    ? Exclude<Prop, IResolvable>
    : unknown;

/** Origin and name of a value. */
export interface Source {
  /** Literal, token or null. */
  readonly given: unknown;
  /** Terraform address of the value. */
  readonly address: Address;
  /** Name in messages. */
  readonly name: string;
  /** Name of a member in messages. */
  readonly messageNameOf: (name: string) => string;
  /**
   * Converts the given value or a member into an expression with its facts; undefined for a variable in a folder for
   * any deployment.
   */
  readonly openOf?: (given: unknown) => Expr;
  /** Whether settings of a deployment fix a part of the value; then `given` has more facts than the address. */
  readonly isSettled?: boolean;
}

/** The value of an input: an expression that knows its rules and its name. */
export class Value<Row = unknown> extends Expr<Plain<Row>> {
  readonly row: Input;

  /** Literal, token or null. */
  readonly given: unknown;

  /** Name in messages. */
  readonly name: string;

  /** Name of a member in messages. */
  readonly messageNameOf: (name: string) => string;

  private readonly value: Expr<Plain<Row>>;
  private readonly hasAddress: boolean;
  private members: ValuesOf<MembersOf<Row>> | undefined;

  constructor(
    row: Input,
    private readonly source: Source,
  ) {
    const { address, given, isSettled = false, messageNameOf, name, openOf } = source;
    const isOptional = (address.isOfMember ? (row.default ?? null) : row.default) === null || row.nullable === true;
    const mayBeNull = isOptional && openOf?.(given).mayBeNull !== false;
    const hasAddress = !isKnown(given) && !(isSettled && Token.isUnresolved(given));
    const value = hasAddress
      ? reference<Plain<Row>>(() => address.text, { knownAt: "plan", mayBeNull, stack: address.stack })
      : isKnown(given)
        ? literal<Plain<Row>>(plainOf(row, given) as Plain<Row>)
        : (exprOf(given) as Expr<Plain<Row>>);
    super(value);
    this.value = value;
    this.hasAddress = hasAddress;
    this.row = row;
    this.given = given;
    this.name = name;
    this.messageNameOf = messageNameOf;
  }

  protected override get token(): IResolvable {
    return this.value;
  }

  /** The address of the value; a literal has one too. */
  get address(): string {
    return this.source.address.text;
  }

  /**
   * Also creates the local for a value that is stored in one. A local must exist before synthesis begins, and every
   * operation on a value reads this property first.
   */
  override get knownAt(): KnownAt {
    if (this.hasAddress) this.source.address.prepare();
    return super.knownAt;
  }

  /** Whether the value is a member of an object. */
  get isMember(): boolean {
    return this.source.address.isOfMember;
  }

  /** The stack of the address; undefined if the address is never used. */
  get stack(): TerraformStack | undefined {
    return this.source.address.stack;
  }

  /** Whether the folder is for one deployment. */
  get isSettled(): boolean {
    return this.source.isSettled === true;
  }

  /** Whether the settings of the deployment fix the value to null; a folder for any deployment has a variable. */
  get isLeftOut(): boolean {
    return this.isSettled && this.given === null;
  }

  /** The value for messages. */
  get shown(): string {
    return isSecret(this.row) ? "given" : shown(this);
  }

  /** The value as a prop of a part: as a program gave it, or a reference to a variable. */
  get setting(): unknown {
    const { given, row, source } = this;
    if (this.isLiteral || !Token.isUnresolved(given)) return given;
    const open = source.openOf?.(given) ?? this;
    if (typeof given === "string") return open.text;
    if (typeof given === "number") return open.number;
    return isList(row) ? open.list : open;
  }

  /** For arguments that are maps. */
  get map(): IResolvable {
    return this.isLiteral ? (this.given as IResolvable) : ref(this.address, this.stack);
  }

  /** Members of an object; if the object is null, members have their defaults. */
  get at(): ValuesOf<MembersOf<Row>> {
    this.members ??= this.membersOf();
    return this.members;
  }

  private membersOf(): ValuesOf<MembersOf<Row>> {
    const { given, name: whole, row, source } = this;
    const members = mapped(row.members ?? {}, (member, each) => {
      const address = source.address.of(member, each);
      const name = `${whole}.${source.messageNameOf(member)}`;
      if (Token.isUnresolved(given)) {
        const { messageNameOf } = source;
        return new Value(each, { given: asProp(each, ref(address.text, address.stack)), address, name, messageNameOf });
      }
      return new Value(each, {
        ...source,
        given: (given as Given | null)?.[member] ?? each.default ?? null,
        address,
        name,
      });
    });
    return members as ValuesOf<MembersOf<Row>>;
  }
}

/** The value of an input or of a member. @param name such as `worker`, or `worker.count` for a member */
export function valueAt<T>(values: ValuesOf<T>, name: string): Value {
  const [input = "", ...members] = name.split(".");
  let value = values[input as keyof T] as Value;
  for (const member of members) value = value.at[member] as Value;
  return value;
}

/**
 * Values as props: literals and expressions, undefined for null; an object that may be null says whether it is enabled.
 */
export type SettingsOf<T> = { readonly [Name in keyof T]?: SettingOf<T[Name]> };

type SettingOf<Row> = Row extends { readonly members: infer M extends Table }
  ? SettingsOf<M> & { readonly enabled: boolean | IResolvable }
  : PropOf<Row>;

/** All values of a table as props of a part. */
export function settingsOf<T extends Table>(values: ValuesOf<T>): SettingsOf<T> {
  const settings = mapped(values as Readonly<Record<string, Value>>, (_, value) => {
    const { given, row, setting } = value;
    if (given === null) return undefined;
    if (row.members === undefined) return setting;
    return { enabled: value.isSet().flag, ...settingsOf(value.at) };
  });
  return settings as SettingsOf<T>;
}

/** Settings or members by name, in the form in which they were given. */
export type Given = Readonly<Record<string, unknown>>;

/** Returns a function that creates a local with the value at its first call, and returns the address of the local. */
export function localOf(localsScope: Construct, name: string, row: Input, value: unknown): () => string {
  let local: TerraformLocal | undefined;
  return () => {
    local ??= new TerraformLocal(localsScope, name, printed(row, value));
    return `local.${local.friendlyUniqueId}`;
  };
}

/** A reference to the address of a value, even of a literal. */
export function addressOf(value: Value): Expr {
  const { address, isLiteral, mayBeNull, stack } = value;
  // Reads `address` now, because the local of a literal must exist before synthesis.
  return isLiteral ? reference(address, { knownAt: "plan", mayBeNull, stack }) : value;
}

/**
 * A value in the form of a variable of its type: with defaults, converted, and with members under their Terraform
 * names.
 */
function printed(row: Input, given: unknown): unknown {
  const { default: fallback, entries, members, type } = row;
  if (Token.isUnresolved(given)) {
    // A text with a token is a template already.
    if (typeof given === "string" && Tokenization.reverseString(given).literals.length > 0) return given;
    const convert = CONVERSIONS[type];
    const value = convert === undefined ? Token.asString(given) : `${convert}(${Token.asString(given)})`;
    // No fallback for an object that is empty or has members of several types, because Terraform would convert it into
    // a map of texts; the addresses of members have their own defaults.
    const isMixed = new Set(Object.values(members ?? {}).map((member) => member.type)).size > 1;
    if ((fallback ?? null) === null || row.nullable === true || isMixed) return expression(value);
    return expression(`(${value} == null ? ${JSON.stringify(fallback)} : ${value})`);
  }
  if (type === "string" && (typeof given === "string" || typeof given === "number")) return escaped(String(given));
  if (typeof given !== "object" || given === null) return given;
  if (Array.isArray(given)) return given.map((each) => printed(TEXT, each));
  if (members) {
    const all = mapped(members, (name, each) => printed(each, (given as Given)[name] ?? each.default ?? null));
    return Object.fromEntries(Object.entries(all).map(([name, value]) => [terraformName(name), value]));
  }
  const entry = entries ? { ...TEXT, type: "object", members: entries } : TEXT;
  const all = mapped(given as Given, (_, each) => printed(entry, each));
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [escaped(key), value]));
}

/** A literal in Terraform's form: with defaults, and with members under their Terraform names. */
export function plainOf(row: Input, given: unknown): unknown {
  const { entries, members, type } = row;
  if (Token.isUnresolved(given)) return given;
  if (type === "string" && (typeof given === "boolean" || typeof given === "number")) return String(given);
  if (!isPlainObject(given)) return given;
  if (Array.isArray(given)) return given.map((each) => plainOf(TEXT, each));
  if (members) {
    const all = Object.entries(members).map(([name, each]) => {
      const own = (given as Given)[name] ?? each.default ?? null;
      return [terraformName(name), plainOf(each, own)];
    });
    return Object.fromEntries(all) as Given;
  }
  const entry = entries ? { ...TEXT, type: "object", members: entries } : TEXT;
  const definedEntries = Object.entries(given as Given).filter(([, each]) => each !== undefined);
  return Object.fromEntries(definedEntries.map(([key, each]) => [key, plainOf(entry, each)]));
}

/** Row for the items of a map or a list that has no row for its items. */
export const TEXT: Input = { type: "string", description: "" };

const CONVERSIONS: Readonly<Record<string, string>> = {
  bool: "tobool",
  number: "tonumber",
  string: "tostring",
  "list(string)": "tolist",
  "map(string)": "tomap",
};
