import { allOf, type Expr } from "./expr";
import { type Input, type Relation, type Table, type Value, type ValuesOf } from "./inputs";

type NameOf<T extends Table> = keyof T & string;

/** What an input asks of others, by their names. */
interface Needs<T extends Table> {
  /** The word that asks; by default every value does that is not null, false or empty. */
  readonly is?: string;
  /** Inputs that must be given, or true. */
  readonly with?: readonly NameOf<T>[];
  /** Inputs that must be left out, or false. */
  readonly without?: readonly NameOf<T>[];
  /** Inputs that must be a word. */
  readonly where?: Readonly<Partial<Record<NameOf<T>, string>>>;
  /** Why, as what follows "because". */
  readonly because: string;
  /**
   * What to do, without a full stop.
   *
   * @default - to set or remove what does not fit, or to remove the input itself
   */
  readonly remedy?: (values: ValuesOf<T>) => string;
}

/** One thing that is asked for. */
interface Need {
  readonly isMet: Expr<boolean>;
  /** What it is, as what follows "it needs". */
  readonly what: string;
  /** What to do where it is not met. */
  readonly fix: { readonly verb: "remove" | "set"; readonly name: string; readonly to?: string };
}

/**
 * A relation of presence: an input that makes sense only with some others, or without them. Where synthesis knows the
 * values, the message names only what does not fit.
 */
export function needs<T extends Table>(of: NameOf<T>, asked: Needs<T>): Relation<T> {
  return {
    of,
    holds: (values) => {
      const asks = asked.is === undefined ? isThere(values[of]) : (values[of] as Expr).eq(asked.is);
      return asks.not().or(allOf(...needsOf(values, asked).map(({ isMet }) => isMet)));
    },
    says: (values) => {
      const all = needsOf(values, asked);
      const unmet = all.filter(({ isMet }) => !isMet.isLiteral || !isMet.literal);
      const named = unmet.length === 0 ? all : unmet;
      return [
        `${subjectOf(values[of], asked.is)}; it needs ${listed(named.map(({ what }) => what))},`,
        `because ${asked.because};`,
        asked.remedy?.(values) ?? remedyOf(values[of], named, asked.is),
      ].join(" ");
    },
  };
}

function needsOf<T extends Table>(values: ValuesOf<T>, { where, with: given = [], without = [] }: Needs<T>): Need[] {
  const words = Object.entries(where ?? {}) as [NameOf<T>, string][];
  return [
    ...given.map((name): Need => {
      const value = values[name];
      const what = isFlag(value.row) ? `${value.name} true` : value.name;
      return {
        isMet: isThere(value),
        what,
        fix: { verb: "set", name: value.name, to: isFlag(value.row) ? "true" : undefined },
      };
    }),
    ...words.map(([name, word]): Need => {
      const value = values[name] as Value<Input<string>>;
      return { isMet: value.eq(word), what: `${value.name} ${word}`, fix: { verb: "set", name: value.name, to: word } };
    }),
    ...without.map((name): Need => {
      const value = values[name];
      const isMet = isAbsent(value);
      if (isFlag(value.row))
        return { isMet, what: `${value.name} false`, fix: { verb: "set", name: value.name, to: "false" } };
      return { isMet, what: `no ${value.name}`, fix: { verb: "remove", name: value.name } };
    }),
  ];
}

const isFlag = ({ type }: Input): boolean => type === "bool";

/** Whether a value is true, has items, or is given. */
function isThere(value: Value): Expr<boolean> {
  const { row } = value;
  if (isFlag(row)) return flagOf(value);
  return hasItems(row) ? value.length().gt(0) : value.isSet();
}

function isAbsent(value: Value): Expr<boolean> {
  const { row } = value;
  if (isFlag(row)) return flagOf(value).not();
  return hasItems(row) ? value.length().eq(0) : value.isNull();
}

const hasItems = ({ default: fallback, type }: Input): boolean => /^(?:list|map)[(]/.test(type) && fallback !== null;

function flagOf(value: Value): Expr<boolean> {
  const flag = value as Expr as Expr<boolean>;
  return value.row.default === null ? (flag as Expr<boolean | null>).coalesce(false) : flag;
}

function subjectOf({ name, row, shown }: Value, is: string | undefined): string {
  if (is !== undefined) return `${name} is ${shown}`;
  return isFlag(row) ? `${name} is true` : `${name} is given`;
}

function remedyOf({ name, row }: Value, unmet: readonly Need[], is: string | undefined): string {
  const fixes = unmet.map(({ fix }) => fix);
  const steps = [
    ...(["set", "remove"] as const).flatMap((verb) => {
      const names = fixes.flatMap((fix) => (fix.verb === verb && fix.to === undefined ? [fix.name] : []));
      return names.length === 0 ? [] : [`${verb} ${listed(names)}`];
    }),
    ...fixes.flatMap((fix) => (fix.to === undefined ? [] : [`set ${fix.name} to ${fix.to}`])),
  ];
  const own = is === undefined ? (isFlag(row) ? `set ${name} to false` : `remove ${name}`) : `leave out ${name}`;
  return `${steps.join(", ")}, or ${own}`;
}

/** Words as a list in a sentence. */
function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? "";
  return words.length < 2 ? last : `${words.slice(0, -1).join(", ")} and ${last}`;
}
