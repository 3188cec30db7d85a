import {
  ref,
  TerraformElement,
  TerraformLocal,
  TerraformStack,
  Token,
  Tokenization,
  type IResolvable,
  type ITerraformDependable,
} from "cdktf";
import { Construct } from "constructs";

import {
  isDecided,
  isEach,
  isKnown,
  ofMember,
  oneOf,
  planned,
  problems,
  shown,
  terraformName,
  type Check,
  type EachCheck,
  type Judgement,
} from "./checks";
import { allOf, Expr, exprOf, hcl, isPlainObject, literal, reference, type KnownAt } from "./expr";
import { expression, escaped, settingName } from "./expression";
import { given as givenValue } from "./given";
import { InputVariable } from "./input-variable";
import { requireKnownCounts, type GivenToken } from "./known-at-plan";
import { elementProblem, missing, nearest, unknownNames } from "./known-props";
import { type Input, type PropOf, type PropsOf, type Table } from "./rows";
import { withAttributes } from "./resource-props";
import { RulesBrokenError } from "./rules-broken-error";
import {
  asProp,
  propOf,
  referenceTo,
  settledInput,
  type Must,
  valueOf,
  type DeploymentSettings,
  type SettledInput,
} from "./settled-inputs";
import { addSharedTables } from "./shared-table";
import { TerraformData } from "./terraform-data";

export * from "./rows";

/** A rule about several inputs, also of several tables. */
export interface Relation<T extends Table> {
  /** The input whose validation it becomes. */
  readonly of: keyof T;
  /** Condition; one that fails to evaluate counts as false. */
  readonly holds: (values: ValuesOf<T>) => Expr<boolean>;
  /** What is wrong, the rule, the reason if it is not obvious, and the fix, without a full stop. */
  readonly says: (values: ValuesOf<T>) => string;
}

export type ValuesOf<T> = { readonly [Name in keyof T]: Value<T[Name]> };
type MembersOf<Row> = Row extends { readonly members: infer M extends Table } ? M : Table;

/** The type of a value, without the framework's tokens and resources. */
type Plain<Row> = Row extends { readonly members: infer M extends Table }
  ? PropsOf<M, unknown, never>
  : Row extends Input<infer Prop>
    ? Exclude<Prop, IResolvable>
    : unknown;

/** Where a value comes from, and what it is called. */
interface Source {
  /** Literal, token or null. */
  readonly given: unknown;
  /** Address of a variable or a local with the value; a local exists once something asks for it. */
  readonly path: () => string;
  /** Name in messages. */
  readonly name: string;
  /** Name of a member in messages. */
  readonly messageNameOf: (name: string) => string;
  /** What was given, which knows whether it may be null; undefined for a variable of any deployment. */
  readonly open?: Expr;
  /** What was given for a member, of a value that a program gave; by default, only a token's own facts are known. */
  readonly openOf?: (given: unknown) => Expr;
  /** Whether it is a member of an object. */
  readonly isMember?: boolean;
  /** Whether an object has all members, because Terraform fills in their defaults, and is never null. */
  readonly isWhole?: boolean;
  /** Whether the object that it is a member of is so. */
  readonly isOfWhole?: boolean;
  /** Whether the settings of a deployment decide on a part of it, so that what was given says more than the path. */
  readonly isSettled?: boolean;
  /** The stack that the address is of; undefined where it is never used. */
  readonly stack?: TerraformStack;
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

  constructor(
    row: Input,
    private readonly source: Source,
  ) {
    const { given: whole, isMember = false, isSettled = false, open, stack } = source;
    const isOptional = (isMember ? (row.default ?? null) : row.default) === null || row.nullable === true;
    const mayBeNull = isOptional && open?.mayBeNull !== false;
    const address = () => addressIn(row, source);
    const hasAddress = !isKnown(whole) && !(isSettled && Token.isUnresolved(whole));
    const value = hasAddress
      ? reference<Plain<Row>>(address, { knownAt: "plan", mayBeNull, stack })
      : isKnown(whole)
        ? literal<Plain<Row>>(plainOf(row, whole) as Plain<Row>)
        : (exprOf(whole) as Expr<Plain<Row>>);
    super(value);
    this.value = value;
    this.hasAddress = hasAddress;
    this.row = row;
    this.given = whole;
    this.name = source.name;
    this.messageNameOf = source.messageNameOf;
  }

  protected override get token(): IResolvable {
    return this.value;
  }

  /** The address of the value, also of a literal. */
  get address(): string {
    return addressIn(this.row, this.source);
  }

  /** Something is made of the value, for which its local must exist before the synthesis. */
  override get knownAt(): KnownAt {
    if (this.hasAddress) this.source.path();
    return super.knownAt;
  }

  /** The stack that the address is of; undefined where it is never used. */
  get stack(): TerraformStack | undefined {
    return this.source.stack;
  }

  /** Whether the folder is for one deployment. */
  get isSettled(): boolean {
    return this.source.isSettled === true;
  }

  /** Whether such a folder has no value, where that for any deployment has a variable. */
  get isLeftOut(): boolean {
    return this.isSettled && this.given === null;
  }

  /** For messages. */
  get shown(): string {
    return isSecret(this.row) ? "given" : shown(this);
  }

  /** As a prop of a part: what a program gave, and a reference to a variable. */
  get setting(): unknown {
    const { given, row, source } = this;
    const { open = this } = source;
    if (this.isLiteral || !Token.isUnresolved(given)) return given;
    if (typeof given === "string") return open.text;
    if (typeof given === "number") return open.number;
    return row.type.startsWith("list(") ? open.list : open;
  }

  /** For arguments that are maps. */
  get map(): IResolvable {
    return this.isLiteral ? (this.given as IResolvable) : ref(this.address, this.stack);
  }

  /** Members of an object, with their defaults where it is null. */
  get at(): ValuesOf<MembersOf<Row>> {
    const { given, row, source } = this;
    const { isSettled = false, isWhole = false, name, openOf, path, messageNameOf, stack } = source;
    const members = mapped(row.members ?? {}, (member, each) => {
      const memberPath = () => `${path()}.${terraformName(member)}`;
      const common = {
        path: memberPath,
        name: `${name}.${messageNameOf(member)}`,
        messageNameOf,
        stack,
        isMember: true,
        isOfWhole: isWhole,
        isWhole: isWhole && each.default !== undefined && isFilled(each),
      };
      if (Token.isUnresolved(given))
        return new Value(each, { ...common, given: asProp(each, ref(addressIn(each, { ...common, given }), stack)) });
      const own = (given as Given | null)?.[member] ?? each.default ?? null;
      const open = (openOf ?? exprOf)(own);
      return new Value(each, { ...common, ...(openOf && { openOf }), given: own, open, isSettled });
    });
    return members as ValuesOf<MembersOf<Row>>;
  }
}

/**
 * Values as props: literals and expressions, undefined for null; an object that may be null says whether it is enabled.
 */
export type SettingsOf<T> = { readonly [Name in keyof T]?: SettingOf<T[Name]> };

type SettingOf<Row> = Row extends { readonly members: infer M extends Table }
  ? SettingsOf<M> & { readonly enabled: boolean | IResolvable }
  : PropOf<Row>;

export function settingsOf<T extends Table>(values: ValuesOf<T>): SettingsOf<T> {
  const settings = mapped(values as Readonly<Record<string, Value>>, (_, value) => {
    const { given, row, setting } = value;
    if (given === null) return undefined;
    if (row.members === undefined) return setting;
    return { enabled: value.isSet().flag, ...settingsOf(value.at) };
  });
  return settings as SettingsOf<T>;
}

type Given = Readonly<Record<string, unknown>>;

/** An input as a stack declared it. */
interface DeclaredInput extends SettledInput {
  /** Row of the table. */
  readonly whole: Input;
  readonly isSettled: boolean;
}

/** What a stack declared. */
interface Declared {
  readonly inputs: ReadonlyMap<Input, DeclaredInput>;
  readonly relations: ReadonlySet<unknown>;
  /** Rows of its variables. */
  readonly left: Table;
}

const DECLARED = new WeakMap<TerraformStack, Declared>();

/** Rows of the variables of a stack. */
export function declaredInputs(stack: TerraformStack): Table {
  return DECLARED.get(stack)?.left ?? {};
}

/**
 * Declares the variables of a stack, and returns them as props.
 *
 * @param settings of one deployment, for a stack that has only the variables that these leave
 * @throws RulesBrokenError naming every setting that is wrong
 */
export function declareInputs<T extends Table>(
  stack: TerraformStack,
  table: T,
  relations: readonly Relation<T>[] = [],
  settings?: DeploymentSettings,
): PropsOf<T> {
  if (settings !== undefined) refuseSettings(stack, table, relations, settings);
  // In a scope of their own, because a construct of the stack may have the same name as an input.
  const scope = new Construct(stack, "Inputs");
  const inputs = mapped(table, (name, row): DeclaredInput => {
    if (settings !== undefined) return { ...settledInput(name, row, settings), whole: row, isSettled: true };
    return { row, whole: row, given: referenceTo(row, terraformName(name)), musts: [], fixed: [], isSettled: false };
  });
  const values = mapped(inputs, (name, input) => new Value(input.whole, sourceOf(stack, name, input)));
  const left = Object.fromEntries(
    Object.entries(inputs).flatMap(([name, { row }]) => (row === undefined ? [] : [[name, row] as const])),
  );
  const hosted = hostedRelations(relations, values as ValuesOf<T>, Object.keys(left));
  const rules: unknown[] = [];
  for (const [name, { default: fallback, description, ephemeral, nullable, sensitive, type }] of Object.entries(left)) {
    const value = values[name];
    if (value === undefined) continue;
    const validation = [
      ...judgementsOf(value),
      ...(inputs[name]?.musts ?? []).map(judgementOfMust),
      ...judgementsOfFixed(inputs[name]?.fixed ?? []),
      ...hosted.flatMap(({ host, judgement }) => (host === name && judgement !== undefined ? [judgement] : [])),
    ];
    rules.push(validation);
    new InputVariable(scope, value.name, {
      description,
      ephemeral,
      sensitive,
      type,
      default: fallback,
      ...(nullable === true && { nullable }),
      ...(validation.length > 0 && { validation }),
    });
  }
  addSharedTables(stack, rules);
  const declared = Object.values(inputs).map((input) => [input.whole, input] as const);
  const ofVariables = new Set<unknown>(hosted.map(({ relation }) => relation));
  DECLARED.set(stack, { inputs: new Map(declared), relations: ofVariables, left });
  return mapped(inputs, (_, { given }) => given ?? undefined) as PropsOf<T>;
}

/** A relation that the variables of a stack judge. */
interface HostedRelation<T extends Table> {
  readonly relation: Relation<T>;
  /** The variable that is validated with it; undefined for a relation that always holds. */
  readonly host?: string;
  readonly judgement?: Judgement;
}

/** The relations that variables can judge. @param left names of the inputs for which there is a variable */
function hostedRelations<T extends Table>(
  relations: readonly Relation<T>[],
  values: ValuesOf<T>,
  left: readonly string[],
): HostedRelation<T>[] {
  const judged = relations.map((relation) => {
    const condition = relation.holds(values).orElse(false);
    const addresses = condition.names.join(" ");
    const names = left.filter((name) => new RegExp(`\\bvar[.]${terraformName(name)}\\b`).test(addresses));
    return { relation, condition, names };
  });
  const always = judged.filter(({ condition }) => condition.isLiteral && condition.literal);
  const [own, others] = partition(
    judged.filter((each) => !always.includes(each)),
    ({ names, relation }) => names.includes(String(relation.of)),
  );
  const hosted = own.map((each) => ({ ...each, host: String(each.relation.of) }));
  for (const each of others) {
    // Terraform refuses a validation that does not look at its own variable, and two that look at each other's.
    const host = each.names.find((name) =>
      each.names.every((other) => other === name || !looksAt(hosted, other, name)),
    );
    if (host !== undefined) hosted.push({ ...each, host });
  }
  return [
    ...always.map(({ relation }) => ({ relation })),
    ...hosted.map(({ condition, host, relation }) => ({
      relation,
      host,
      judgement: judgementOf(relation, condition, values),
    })),
  ];
}

/** Whether the validations of a variable look at another one, also by those of others. */
function looksAt(
  hosted: readonly { readonly host: string; readonly names: readonly string[] }[],
  from: string,
  to: string,
  seen = new Set([from]),
): boolean {
  const next = hosted
    .filter(({ host }) => host === from)
    .flatMap(({ names }) => names.filter((name) => !seen.has(name)));
  for (const name of next) seen.add(name);
  return next.includes(to) || next.some((name) => looksAt(hosted, name, to, seen));
}

function partition<Item>(items: readonly Item[], isFirst: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/**
 * Where the value of a declared input comes from.
 *
 * @param localsScope for a local with an object of which a part is settled
 */
function sourceOf(
  stack: TerraformStack,
  name: string,
  { given, isSettled, row, whole }: DeclaredInput,
  localsScope?: Construct,
): Source {
  const variable = `var.${terraformName(name)}`;
  const isLocal = localsScope !== undefined && (row === undefined || !Token.isUnresolved(given));
  const path = isLocal ? localOf(localsScope, name, whole, given) : () => variable;
  const isWhole = !isLocal && row !== undefined && isFilled(row);
  const common = { given, isWhole, path, name: terraformName(name), messageNameOf: terraformName, stack };
  return isSettled ? { ...common, open: exprOf(given), isSettled } : common;
}

/** The values that inputs have by settings, as literals; what no settings may hold has its default. */
function literalsOf(table: Table, given: DeploymentSettings["values"]) {
  return mapped(table, (name, row) => {
    const own = isSecret(row) ? (row.default ?? null) : propOf(row, valueOf(row, given[terraformName(name)]));
    return new Value(row, { given: own, path: () => name, name: terraformName(name), messageNameOf: terraformName });
  });
}

/** The same for what judges inputs, without the rules of their own. */
export function valuesOfSettings<T extends Table>(table: T, { values }: DeploymentSettings): ValuesOf<T> {
  return literalsOf(table, values) as ValuesOf<T>;
}

/** @throws RulesBrokenError naming every setting that is wrong, or has no such name */
function refuseSettings<T extends Table>(
  stack: TerraformStack,
  table: T,
  relations: readonly Relation<T>[],
  settings: DeploymentSettings,
): void {
  const { values: given } = settings;
  const secrets = Object.entries(table)
    .map(([name, row]) => ({ name: terraformName(name), row }))
    .filter(({ name, row }) => isSecret(row) && (given[name] ?? "") !== "")
    .map(({ name }) =>
      [
        `${name} is given; it must not be in the settings, because the folder would have it;`,
        `pass it to each apply, as TF_VAR_${name}`,
      ].join(" "),
    );
  const literals = literalsOf(table, given);
  const others = [...secrets, ...unknownSettings(table, given)];
  const isMissing = (name: string) => literals[name]?.given === null && table[name]?.default === undefined;
  const set = Object.fromEntries(Object.entries(literals).filter(([name]) => !isMissing(name)));
  const isWrong = (name: string) => {
    const value = set[name];
    const isMisspelt = others.some((problem) => problem.startsWith(`${terraformName(name)}.`));
    return isMissing(name) || isMisspelt || (value !== undefined && problemsOf(value).length > 0);
  };
  const values = literals as ValuesOf<T>;
  // A relation of a wrong value would say a second time what is wrong.
  const broken = relations
    .filter((relation) => !namesIn(relation, values).some(isWrong))
    .filter((relation) => isFalse(relation.holds(values).orElse(false)))
    .map((relation) => textAtSynth(relation.says(values)));
  refuse(stack, set, others, broken);
}

/** What has no such name among the settings, and in objects. */
function unknownSettings(table: Table, given: Given, prefix = ""): string[] {
  const rows = Object.fromEntries(Object.entries(table).map(([name, row]) => [terraformName(name), row]));
  const inside = Object.entries(rows).flatMap(([name, { entries, members }]) => {
    const value = given[name];
    if (!isPlainObject(value) || Array.isArray(value)) return [];
    if (members !== undefined) return unknownSettings(members, value as Given, `${prefix}${name}.`);
    if (entries === undefined) return [];
    return Object.entries(value as Given).flatMap(([key, each]) =>
      isPlainObject(each) ? unknownSettings(entries, each as Given, `${prefix}${name}[${JSON.stringify(key)}].`) : [],
    );
  });
  return [...unknownNames(given, Object.keys(rows), prefix, "input"), ...inside];
}

/** What refuses other values of members that are settled. */
function judgementsOfFixed(members: SettledInput["fixed"]): Judgement[] {
  const conditions = members.flatMap(({ path, value }) => {
    const own = exprOf(value);
    if (typeof value !== "object" || value === null)
      return [reference<unknown>(`try(var.${path}, null)`, { knownAt: "plan", mayBeNull: true }).eq(own)];
    // Of a list or an object, only that it is empty can be said in few words.
    return Object.keys(value).length > 0 ? [] : [hcl<boolean>`length(${reference(`var.${path}`, LENGTH)}) == 0`];
  });
  if (conditions.length === 0) return [];
  const names = members.map(({ path }) => path).join(", ");
  return [
    {
      condition: allOf(...conditions).orElse(false).text,
      errorMessage: [
        [
          `one of ${names} has another value than in the settings that this folder was synthesized with;`,
          "they are settled",
        ].join(" "),
        `in it, because they decide which parts it has; leave them out, or synthesize the folder again.`,
      ].join(" "),
    },
  ];
}

const LENGTH = { knownAt: "plan", mayBeNull: false } as const;

/** What refuses null, or an empty list, where the folder has parts for what is set. */
function judgementOfMust({ hasItems, path }: Must): Judgement {
  const what = hasItems ? `length(var.${path}) > 0` : `var.${path} != null`;
  return {
    condition: expression(`try(${what}, false)`),
    errorMessage: [
      [
        `${path} is ${hasItems ? "empty" : "null"}; it must have a value,`,
        "because the parts of this folder are those of a",
      ].join(" "),
      `deployment with it; set it, or synthesize the folder again without it.`,
    ].join(" "),
  };
}

/**
 * Values of props: refuses wrong literals now, and everything else at plan, but for variables that have the same rules.
 *
 * @param others what is wrong with props that are no inputs, to be said with the rest
 * @param propNames of inputs that a program gives in props of other names
 * @throws RulesBrokenError naming everything that is missing or wrong
 */
export function valuesFrom<T extends Table>(
  scope: Construct,
  table: T,
  props: PropsOf<T>,
  relations: readonly Relation<T>[] = [],
  others: readonly string[] = [],
  propNames?: Readonly<Partial<Record<keyof T, string>>>,
): ValuesOf<T> {
  const stack = TerraformStack.of(scope);
  const declared = DECLARED.get(stack);
  const attributes = withAttributes(table, props) as Given | undefined;
  const given = (name: string) => {
    const value = attributes?.[name];
    return table[name]?.nullable === true ? value : (value ?? undefined);
  };
  /** The input of the stack that is passed on as it is. */
  const inputOf = (name: string) => {
    const input = declared?.inputs.get(table[name] as Input);
    return input?.given === (given(name) ?? null) ? input : undefined;
  };
  const localsScope = new Construct(scope, "Given");
  const values = mapped(table, (name, row) => {
    const input = inputOf(name);
    if (input !== undefined) return new Value(row, sourceOf(stack, name, input, localsScope));
    const value = given(name) === undefined ? (row.default ?? null) : given(name);
    const prop = propNames?.[name] ?? name;
    const messageName = settingName(scope, value, prop);
    const messageNameOf = messageName === prop ? String : terraformName;
    const path = localOf(localsScope, name, row, value);
    const openOf = (each: unknown) => givenValue(scope, each);
    return new Value(row, { given: value, path, name: messageName, messageNameOf, stack, open: openOf(value), openOf });
  }) as ValuesOf<T>;

  const isOpen = (name: string) => given(name) !== undefined && inputOf(name) === undefined;
  const isUnchecked = (relation: Relation<T>) =>
    namesIn(relation, values).some((name) =>
      inputOf(name) === undefined ? isOpen(name) : declared?.relations.has(relation) !== true,
    );
  const isWrong = (name: string) =>
    problemsOf(values[name] as Value).length > 0 || others.some((problem) => problem.startsWith(`${name}.`));
  const wrong = new Set(Object.keys(table).filter(isWrong));
  const judged = relations
    .filter((relation) => isUnchecked(relation) && !namesIn(relation, values).some((name) => wrong.has(name)))
    .map((relation) => ({ relation, holds: relation.holds(values).orElse(false) }));
  const broken = judged.filter(({ holds }) => isFalse(holds)).map(({ relation }) => textAtSynth(relation.says(values)));
  refuse(scope, values, others, broken);

  const precondition = Object.entries<Value>(values)
    .filter(([name, { row }]) => isOpen(name) && row.ephemeral !== true)
    .flatMap(([, value]) => judgementsOf(value))
    .concat(
      judged
        .filter(({ holds }) => !holds.isLiteral)
        .map(({ holds, relation }) => ({
          condition: namingSomething(localsScope, relation, holds),
          errorMessage: `${relation.says(values)}.`,
        })),
    );
  // Nothing waits for it but guards, because a plan that one resource refuses is never applied.
  if (precondition.length > 0) {
    new TerraformData(scope, INPUT_CHECKS, { lifecycle: { precondition } });
    addSharedTables(scope, precondition);
  }
  requireKnownCounts(
    scope,
    Object.entries<Value>(values).flatMap(([name, value]) => (isOpen(name) ? tokensIn(value) : [])),
  );
  return values;
}

/** What is a token of a value, and of its members. */
function tokensIn({ at, given, name }: Value): GivenToken[] {
  if (Token.isUnresolved(given)) return [{ name, value: given }];
  return Object.values<Value>(at).flatMap(tokensIn);
}

const INPUT_CHECKS = "Inputs";

/** What checks the values of a deployment's props; a guard that depends on it keeps it in a destroy that is refused. */
export function inputChecksOf(scope: Construct): ITerraformDependable[] {
  const inputChecks = scope.node.tryFindChild(INPUT_CHECKS);
  return inputChecks instanceof TerraformData ? [inputChecks] : [];
}

/**
 * Refuses wrong literals among props of some rows of a table.
 *
 * @param others what else is wrong with the props, to be said with the rest
 * @returns the props, with attributes in the place of resources
 * @throws RulesBrokenError naming all that is wrong
 */
export function refuseWrong<T extends Table, Name extends keyof T & string>(
  scope: Construct,
  table: T,
  props: Partial<Pick<PropsOf<T>, Name & keyof PropsOf<T>>>,
  names: readonly Name[],
  others: readonly string[] = [],
): SettingsOf<Pick<T, Name>> {
  const attributes = withAttributes(table, props) as Given | undefined;
  const values = names.map((name) => {
    const row = table[name] as Input;
    const given = attributes?.[name] ?? row.default ?? null;
    return [name, new Value(row, { given, path: () => name, name, messageNameOf: String })] as const;
  });
  refuse(scope, Object.fromEntries(values), others);
  return (attributes ?? {}) as SettingsOf<Pick<T, Name>>;
}

function refuse(
  scope: Construct,
  values: Readonly<Record<string, Value>>,
  others: readonly string[],
  broken: readonly string[] = [],
): void {
  const all = [...others, ...Object.values(values).flatMap(problemsOf), ...broken];
  // What is only misspelt is not missing.
  const isMisspelt = (problem: string) =>
    others.some((other) => problem === missing(/did you mean ([^?]*)[?]$/.exec(other)?.[1] ?? ""));
  const wrong = all.filter((problem) => !isMisspelt(problem));
  if (wrong.length > 0) throw new RulesBrokenError(scope.node.path, wrong);
}

/** Path of a local with the value, which exists once something asks for it. */
function localOf(localsScope: Construct, name: string, row: Input, value: unknown): () => string {
  let local: TerraformLocal | undefined;
  return () => {
    local ??= new TerraformLocal(localsScope, name, printed(row, value));
    return `local.${local.friendlyUniqueId}`;
  };
}

/** @param whole what is null where the rules of required members do not apply */
function judgementsOf(value: Value, whole?: Expr): Judgement[] {
  const { given, name, row } = value;
  const isOptional = row.default === null || row.nullable === true;
  const own = checksOf(value)
    // What synth has judged needs no condition, and so no local.
    .filter((check) => !isKnown(given) || !isDecided(check, plainOf(row, given)))
    .map((check) => {
      const absent = isOptional ? value : row.default === undefined ? whole : undefined;
      return planned(check, name, addressOf(value), absent, isSecret(row));
    });
  const around = row.default === null ? value : whole;
  return own.concat(Object.values<Value>(value.at).flatMap((each) => judgementsOf(each, around)));
}

/** A value by its address, also a literal. */
function addressOf(value: Value): Expr {
  const { address, isLiteral, mayBeNull, stack } = value;
  // Its local must exist before the synthesis.
  return isLiteral ? reference(address, { knownAt: "plan", mayBeNull, stack }) : value;
}

function isFalse(condition: Expr<boolean>): boolean {
  return condition.isLiteral && !condition.literal;
}

/** A condition of literals that only Terraform can calculate, by a local, because it refuses one that names nothing. */
function namingSomething<T extends Table>(
  localsScope: Construct,
  { of }: Relation<T>,
  condition: Expr<boolean>,
): string {
  if (condition.names.length > 0) return condition.text;
  const id = `${String(of)}IsFine`;
  const count = localsScope.node.children.filter((each) => each.node.id.startsWith(id)).length;
  return new TerraformLocal(localsScope, count === 0 ? id : `${id}${count + 1}`, condition).asString;
}

/** A message that no plan evaluates: without what is known only there. */
export function textAtSynth(message: string): string {
  const known = message.replaceAll(/\$\{TfToken\[[^\]]*\]\}/g, "known only at plan");
  return known.replaceAll(/([$%])\1\{/g, "$1{");
}

function judgementOf<T extends Table>({ says }: Relation<T>, condition: Expr<boolean>, values: ValuesOf<T>): Judgement {
  return { condition: condition.text, errorMessage: `${says(values)}.` };
}

/** Each relation is asked once, because a program may have hundreds of deployments. */
const NAMES_IN = new WeakMap<Relation<never>, readonly string[]>();

/** The inputs that a relation looks at, whatever they hold. */
function namesIn<T extends Table>(relation: Relation<T>, values: ValuesOf<T>): readonly string[] {
  const known = NAMES_IN.get(relation);
  if (known !== undefined) return known;
  const names: string[] = [];
  const get = (_: ValuesOf<T>, name: string) => {
    names.push(name);
    return new Value((values[name] as Value).row, { given: null, path: () => name, name, messageNameOf: String });
  };
  relation.holds(new Proxy(values, { get }));
  NAMES_IN.set(relation, names);
  return names;
}

function problemsOf(value: Value): string[] {
  const { given, name, row } = value;
  if (given === null) return row.default === undefined ? [missing(name)] : [];
  const misshapen = formProblems(name, row, given);
  if (misshapen.length > 0 || Token.isUnresolved(given)) return misshapen;
  if (isSecret(row) && given !== "") {
    return [
      [
        `${name} is given as a literal; it must be a reference, because a literal would be written into the`,
        `synthesized folder; pass the value of ${row.ephemeral === true ? "an ephemeral" : "a sensitive"} variable`,
      ].join(" "),
    ];
  }
  const inside = Object.values<Value>(value.at).flatMap(problemsOf);
  // An element refers to the whole program: it has no text, and is refused where it stands.
  if (holdsElement(given)) return inside;
  const own = [...checksOf(value), ...wordsOf(row)].flatMap((check) =>
    problems(check, name, given, plainOf(row, given), isSecret(row)).map((problem) =>
      withNearest(problem, check, given),
    ),
  );
  return own.concat(inside);
}

/** A rule for words that a plan leaves to the provider or to a relation, where synthesis can say it at once. */
function wordsOf({ must, schema = {} }: Input): readonly Check[] {
  const words = (schema.enum ?? []) as readonly string[];
  return must === undefined && words.length > 0 ? [oneOf(words, `; use ${words[0] ?? ""}`)] : [];
}

/** A problem with the word that was probably meant, in the place of one to use. */
function withNearest(problem: string, { schema = {} }: Check | EachCheck, given: unknown): string {
  const words = ((schema.enum ?? []) as readonly unknown[]).filter((word) => typeof word === "string");
  const near = typeof given === "string" ? nearest(given, words) : undefined;
  return near === undefined ? problem : `${problem.replace(/; use [^;]*$/, "")}; did you mean ${near}?`;
}

/** Whether there is an element of a stack in an object. */
function holdsElement(given: unknown): boolean {
  if (TerraformElement.isTerraformElement(given)) return true;
  return isPlainObject(given) && Object.values(given).some(holdsElement);
}

/** A literal of another type than the row's, or an object with members that it does not have, as sentences. */
function formProblems(name: string, row: Input, given: unknown): string[] {
  const { converted = [], entries, members, reads = {}, type } = row;
  const element = elementProblem(name, given, Object.keys(reads));
  if (element !== undefined) return [element];
  if (Token.isUnresolved(given)) return [];
  if (LITERALS[type] !== undefined) {
    const isFitting = [LITERALS[type], ...converted].some((each) => typeof given === each);
    return isFitting ? [] : [misshapen(name, given, LITERALS[type])];
  }
  const item = /^(?:list|map)\((.+)\)$/s.exec(type)?.[1] ?? "";
  const each = { ...TEXT, type: item, members: entries, reads };
  if (type.startsWith("list(")) {
    if (!Array.isArray(given)) return [misshapen(name, given, "list")];
    return given.flatMap((value, index) => formProblems(`${name}[${index}]`, each, value));
  }
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return [misshapen(name, given, "object", Object.keys(members ?? {}))];
  // Members have their own rows, which are looked at one by one.
  if (members !== undefined) return unknownNames(given, Object.keys(members), `${name}.`);
  return Object.entries(given as Given)
    .filter(([key, value]) => value !== undefined && !Token.isUnresolved(key))
    .flatMap(([key, value]) => {
      const path = `${name}[${JSON.stringify(key)}]`;
      const own = formProblems(path, each, value);
      if (own.length > 0 || entries === undefined || Token.isUnresolved(value)) return own;
      return Object.entries(entries).flatMap(([member, entry]) => memberProblems(path, member, entry, value as Given));
    });
}

/** The same of a member of an object in a map, which must also be there if it has no default. */
function memberProblems(name: string, member: string, row: Input, entry: Given): string[] {
  const [path, given] = [`${name}.${member}`, entry[member] ?? null];
  if (given === null) return row.default === undefined ? [missing(path)] : [];
  return formProblems(path, row, given);
}

/** Types of Terraform that have literals of their own in TypeScript. */
const LITERALS: Readonly<Record<string, "boolean" | "number" | "string">> = {
  bool: "boolean",
  number: "number",
  string: "string",
};

/**
 * @param wanted what it must be
 * @param members of an object
 */
function misshapen(
  name: string,
  given: unknown,
  wanted: "boolean" | "list" | "number" | "object" | "string",
  members: readonly string[] = [],
): string {
  const kind = given === null ? "null" : Array.isArray(given) ? "list" : typeof given;
  const isPlain = (type: string) => type === "number" || type === "boolean";
  const fix =
    wanted === "string" && isPlain(kind)
      ? "put it in quotes"
      : kind === "string" && isPlain(wanted)
        ? withoutQuotes(given, wanted)
        : "correct it";
  const form = members.length === 0 ? "" : ` with ${members.join(", ")}`;
  return `${name} is ${withArticle(kind)}; it must be ${withArticle(wanted)}${form}; ${fix}`;
}

/** What to do with a text in the place of a number or a boolean. */
function withoutQuotes(given: unknown, wanted: string): string {
  const text = String(given).trim();
  const isWanted = wanted === "number" ? text !== "" && !Number.isNaN(Number(text)) : /^(?:true|false)$/.test(text);
  return isWanted ? "write it without quotes" : "correct it";
}

function withArticle(kind: string): string {
  if (kind === "null") return kind;
  return `${kind === "object" ? "an" : "a"} ${kind}`;
}

/** The rules of a row, and those of its entries' members. */
function checksOf({ row: { entries = {}, must = [] }, messageNameOf }: Value): readonly (Check | EachCheck)[] {
  const ofMembers = Object.entries(entries).flatMap(([name, member]) =>
    [member.must ?? []].flat().flatMap((check) => (isEach(check) ? [] : [ofMember(name, messageNameOf(name), check)])),
  );
  return [must, ofMembers].flat();
}

function isSecret({ ephemeral, sensitive }: Input): boolean {
  return ephemeral === true || sensitive === true;
}

/**
 * A value as a variable of its type would have it: with defaults, converted, and members under their Terraform names.
 */
function printed(row: Input, given: unknown): unknown {
  const { default: fallback, entries, members, type } = row;
  if (Token.isUnresolved(given)) {
    // Text around a token is a template already.
    if (typeof given === "string" && Tokenization.reverseString(given).literals.length > 0) return given;
    const convert = CONVERSIONS[type];
    const value = convert === undefined ? Token.asString(given) : `${convert}(${Token.asString(given)})`;
    if ((fallback ?? null) === null || row.nullable === true) return expression(value);
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
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [literal(key), value]));
}

/** A literal as Terraform has it: with defaults, and members under their Terraform names. */
function plainOf(row: Input, given: unknown): unknown {
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

const TEXT: Input = { type: "string", description: "" };

const CONVERSIONS: Readonly<Record<string, string>> = {
  bool: "tobool",
  number: "tonumber",
  string: "tostring",
  "list(string)": "tolist",
  "map(string)": "tomap",
};

/**
 * The address of a value: of a member of an object that may be null, with its default, because Terraform evaluates the
 * message of a rule that holds too.
 */
function addressIn({ default: fallback = null }: Input, { isMember = false, isOfWhole = false, path }: Source): string {
  return isMember && !isOfWhole ? `try(${path()}, ${JSON.stringify(fallback)})` : path();
}

/** Whether a variable or a member of this row is never null. */
function isFilled({ default: fallback, nullable = false }: Input): boolean {
  return fallback !== null && !nullable;
}

function mapped<From, To>(
  from: Readonly<Record<string, From>>,
  convert: (name: string, value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(from).map(([name, value]) => [name, convert(name, value)]));
}
