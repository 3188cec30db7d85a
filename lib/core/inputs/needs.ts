import { present } from "../expr/conditions";
import { allOf, type Expr, hcl } from "../expr/expr";
import { compact } from "../expr/functions";
import { wordList } from "../word-list";
import { type Relation } from "./relations";
import { type Input, isCollection, type Table } from "./rows";
import { type Value, valueAt, type ValuesOf } from "./value";

/** Names of inputs, and of their members after a dot: `dumps.schedule`. */
type NameOf<T extends Table> = { [Name in keyof T & string]: MemberOf<T[Name], Name> | Name }[keyof T & string];

type MemberOf<Row, Name extends string> = Row extends { readonly members: infer Members }
  ? `${Name}.${keyof Members & string}`
  : never;

/** Requirements of an input on other inputs, by name. */
interface Needs<T extends Table> {
  /** The word that needs the other inputs; by default, every value that is not null, false or empty. */
  readonly whenWord?: string;
  /** Inputs that must be given, or true. */
  readonly with?: readonly NameOf<T>[];
  /** Inputs that must be left out, or false. */
  readonly without?: readonly NameOf<T>[];
  /** Inputs that must have a certain word as their value. */
  readonly withWords?: Readonly<Partial<Record<NameOf<T>, string>>>;
  /** The reason, in the words after "because". */
  readonly because: string;
  /**
   * The fix, without a full stop.
   *
   * @default - set or remove the inputs that break the rule, or remove the input itself
   */
  readonly remedy?: (values: ValuesOf<T>) => string;
}

/** How to meet a requirement: an input to set or to remove, by its name, or another step. */
interface Fix {
  readonly remove?: string;
  readonly set?: string;
  readonly step?: string;
}

/** One requirement. */
interface Need {
  readonly isMet: Expr<boolean>;
  /** The requirement, in the words after "it needs". */
  readonly what: string;
  readonly fix: Fix;
}

/**
 * A relation for an input that makes sense only together with, or only without, certain other inputs. The message names
 * only unmet requirements, even if a plan judges them.
 */
export function needs<T extends Table>(of: NameOf<T>, asked: Needs<T>): Relation<T> {
  return {
    host: of.split(".")[0] as keyof T,
    holds: (values) => {
      const value = valueAt(values, of);
      const asks = asked.whenWord === undefined ? isThere(value) : (value as Expr).eq(asked.whenWord);
      return asks.not().or(allOf(...needsOf(values, asked).map(({ isMet }) => isMet)));
    },
    message: (values) => {
      const all = needsOf(values, asked);
      const unmet = all.filter(({ isMet }) => !isMet.isLiteral || !isMet.literal);
      // The message is also built if the relation holds; then `unmet` is empty.
      const named = unmet.length === 0 ? all : unmet;
      return [
        `${subjectOf(valueAt(values, of), asked.whenWord)}; it needs ${wordsOf(named)},`,
        `because ${asked.because};`,
        asked.remedy?.(values) ?? remedyOf(valueAt(values, of), named, asked.whenWord),
      ].join(" ");
    },
  };
}

function needsOf<T extends Table>(
  values: ValuesOf<T>,
  { withWords, with: given = [], without = [] }: Needs<T>,
): Need[] {
  const words = Object.entries(withWords ?? {}) as [NameOf<T>, string][];
  return [
    ...given.map((name): Need => {
      const value = valueAt(values, name);
      const isMet = isThere(value);
      return isFlag(value.row)
        ? { isMet, what: `${value.name} true`, fix: { step: `set ${value.name} to true` } }
        : { isMet, what: value.name, fix: { set: value.name } };
    }),
    ...words.map(([name, word]): Need => {
      const value = valueAt(values, name) as Value<Input<string>>;
      const fix = { step: `set ${value.name} to ${word}` };
      return { isMet: value.eq(word), what: `${value.name} ${word}`, fix };
    }),
    ...without.map((name): Need => {
      const value = valueAt(values, name);
      const isMet = isAbsent(value);
      return isFlag(value.row)
        ? { isMet, what: `${value.name} false`, fix: { step: `set ${value.name} to false` } }
        : { isMet, what: `no ${value.name}`, fix: { remove: value.name } };
    }),
  ];
}

const isFlag = ({ type }: Input): boolean => type === "bool";

/** Whether a boolean is true, a collection has items, or any other value is given. */
function isThere(value: Value): Expr<boolean> {
  const { row } = value;
  if (isFlag(row)) return flagOf(value);
  return isCollectionNeverNull(row) ? value.length().gt(0) : value.isSet();
}

const isAbsent = (value: Value): Expr<boolean> =>
  isCollectionNeverNull(value.row) ? value.length().eq(0) : isThere(value).not();

/** Whether an input is a list or a map that is never null; such an input counts as given only if it has items. */
const isCollectionNeverNull = (row: Input): boolean => isCollection(row) && row.default !== null;

function flagOf(value: Value): Expr<boolean> {
  const flag = value as Expr as Expr<boolean>;
  return value.row.default === null ? (flag as Expr<boolean | null>).coalesce(false) : flag;
}

function subjectOf({ name, row, shown }: Value, whenWord: string | undefined): string {
  if (whenWord !== undefined) return `${name} is ${shown}`;
  return isFlag(row) ? `${name} is true` : `${name} is given`;
}

function remedyOf(value: Value, unmet: readonly Need[], whenWord: string | undefined): string {
  return `${stepsOf(unmet)}, or ${wayOut(value, whenWord)}`;
}

/** The unmet requirements in words. */
function wordsOf(needs: readonly Need[]): string {
  return isForPlan(needs) ? unmetAtPlan(needs, ({ what }) => what) : wordList(needs.map(({ what }) => what));
}

/** Steps that meet the requirements. */
function stepsOf(needs: readonly Need[]): string {
  if (isForPlan(needs)) return unmetAtPlan(needs, ({ fix }) => stepOfOne(fix));
  const fixes = needs.map(({ fix }) => fix);
  return [
    ...stepOf("set", present(...fixes.map(({ set }) => set))),
    ...stepOf("remove", present(...fixes.map(({ remove }) => remove))),
    ...present(...fixes.map(({ step }) => step)),
  ].join(", ");
}

/** Whether only a plan knows which of several requirements are unmet. */
function isForPlan(needs: readonly Need[]): boolean {
  return needs.length > 1 && needs.some(({ isMet }) => !isMet.isLiteral);
}

/** Expression that joins the texts of the unmet requirements at plan. */
function unmetAtPlan(needs: readonly Need[], textOf: (need: Need) => string): string {
  const texts = needs.map((need) => need.isMet.choose<string | null>(null, textOf(need)));
  return hcl<string>`join(", ", ${compact(texts)})`.text;
}

const stepOfOne = ({ remove, set, step = "" }: Fix): string =>
  [...stepOf("set", present(set)), ...stepOf("remove", present(remove)), step].filter((part) => part !== "").join(", ");

/** One step for several inputs: the verb and their names. */
const stepOf = (verb: string, names: readonly string[]) => (names.length === 0 ? [] : [`${verb} ${wordList(names)}`]);

/** The step that removes the requirement. */
function wayOut({ name, row }: Value, whenWord: string | undefined): string {
  if (whenWord !== undefined) return `leave out ${name}`;
  if (isFlag(row)) return `set ${name} to false`;
  return `remove ${name}`;
}
