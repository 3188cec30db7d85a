import { type IResolvable, ref, Token } from "cdktf";

import { reference } from "../expr/expr";
import { type Input, isCollection, requiredObject } from "./rows";
import { terraformName } from "./rules";

/**
 * Effect of one deployment's settings on an input or a member:
 *
 * - `fixed`: the value is written into the folder, without a variable
 * - `present`: the input stays a variable, which must be set
 */
export type Settlement = "fixed" | "present";

/** The settings of one deployment. */
export interface DeploymentSettings {
  /** Literals under the Terraform names of inputs and members; missing ones have their default. */
  readonly values: Members;

  /** Effects of the settings, by the Terraform name of an input or a member, such as `smtp.password_secret`. */
  readonly settlements: ReadonlyMap<string, Settlement>;

  /** Explanation of a setting that is not an input; if undefined, the message only suggests the nearest name. */
  readonly hintOf?: (name: string) => string | undefined;
}

type Members = Readonly<Record<string, unknown>>;

/** An input after the settings of one deployment were applied. */
export interface SettledInput {
  /** Row of the input's variable; undefined if it has no variable. */
  readonly row: Input | undefined;

  /** The value as a prop: a literal, a reference, or an object with literals and references. */
  readonly given: unknown;

  /** Inputs or members that must be set. */
  readonly requiredSettings: readonly RequiredSetting[];

  /** Members with a value that synthesis writes into the folder. */
  readonly fixed: readonly FixedMember[];
}

/** An input or member that must be set, by its address after `var.`; a list or a map needs at least one item. */
export interface RequiredSetting {
  readonly path: string;
  readonly hasItems: boolean;
}

interface FixedMember {
  readonly path: string;
  /** Value in Terraform's form. */
  readonly value: unknown;
}

/** An input of a folder for one deployment. */
export function settledInput(name: string, row: Input, settings: DeploymentSettings): SettledInput {
  const path = terraformName(name);
  const given = settings.values[path];
  const settled = settledPart(row, { path, place: "input", value: given, settlements: settings.settlements });
  if (settled.row === undefined || given === undefined || (given === null && row.nullable !== true)) return settled;
  // The row's example is left out, because the deployment has its own value.
  const left = Object.entries(settled.row).filter(([name]) => name !== "example");
  const own = Object.fromEntries(left) as unknown as Input;
  return { ...settled, row: { ...own, default: leftOf(own, given) } };
}

/** A value reduced to the members of the row; the fixed members keep their defaults in the variable's type. */
function leftOf({ members }: Input, value: unknown): unknown {
  if (members === undefined || typeof value !== "object" || value === null) return value;
  const known = Object.entries(members).filter(([name]) => terraformName(name) in value);
  return Object.fromEntries(
    known.map(([name, member]) => [terraformName(name), leftOf(member, (value as Members)[terraformName(name)])]),
  );
}

/** The given value of an input or a member, or its default; a given null counts if null means "none". */
export function settingOrDefault({ default: fallback = null, nullable = false }: Input, given: unknown): unknown {
  return given === null && nullable ? null : (given ?? fallback);
}

/** An input or a member, and its value in the settings. */
interface SettledPart {
  /** Address after `var.`. */
  readonly path: string;
  readonly place: "input" | "member";
  /** Value in the settings; undefined if it is left out. */
  readonly value: unknown;
  readonly settlements: DeploymentSettings["settlements"];
}

function settledPart(row: Input, { path, place, settlements, value }: SettledPart): SettledInput {
  const isMember = place === "member";
  const settlement = settlements.get(path);
  if (settlement === "fixed") {
    const own = settingOrDefault(row, value);
    return {
      row: undefined,
      given: propOf(row, own),
      requiredSettings: [],
      fixed: isMember ? [{ path, value: own }] : [],
    };
  }
  const isPresent = settlement === "present";
  const hasItems = isCollection(row);
  // Terraform itself refuses null for a variable that must be set.
  const musts = isPresent && (isMember || hasItems) ? [{ path, hasItems }] : [];
  const isSettledInside = [...settlements.keys()].some((each) => each.startsWith(`${path}.`));
  if (row.members === undefined || !isSettledInside) {
    const given = settledReference(row, path, { isPresent, isMember });
    return { row: isPresent ? required(row) : row, given, requiredSettings: musts, fixed: [] };
  }

  const members = Object.entries(row.members).map(([name, member]) => {
    const memberPath = `${path}.${terraformName(name)}`;
    const own = (value as Members | null | undefined)?.[terraformName(name)];
    // A settled member that is left out of the variable has its settled value.
    const settledRow = { ...member, default: settingOrDefault(member, own) };
    return [
      name,
      settledRow,
      settledPart(member, { path: memberPath, place: "member", value: own, settlements }),
    ] as const;
  });
  const given = Object.fromEntries(members.map(([name, , each]) => [name, each.given]));
  const fixed = members.flatMap(([, , each]) => each.fixed);
  if (members.every(([, , each]) => each.row === undefined))
    return { row: undefined, given, requiredSettings: [], fixed: isMember ? fixed : [] };
  const left = members.flatMap(([name, , each]) => (each.row === undefined ? [] : [[name, each.row] as const]));
  // Terraform silently drops members that are not in the type. Settled members therefore stay in the type, and
  // validations refuse other values.
  const all = members.map(([name, settledRow, each]) => [name, each.row ?? settledRow] as const);
  const { describe = () => row.description } = row;
  const spec = { ...row, description: describe };
  const { type } = requiredObject(Object.fromEntries(all), spec);
  const whole = { ...row, ...requiredObject(Object.fromEntries(left), spec), type };
  return {
    row: isPresent ? required(whole) : whole,
    given,
    requiredSettings: [...musts, ...members.flatMap(([, , each]) => each.requiredSettings)],
    fixed,
  };
}

/** The row of an input that must be set; its description does not mention null or empty values. */
function required(row: Input): Input {
  const hasDefault = row.default !== null && row.default !== undefined;
  const others = Object.entries(row).filter(([name]) => name !== "nullable" && (hasDefault || name !== "default"));
  const left = Object.fromEntries(others) as unknown as Input;
  return { ...left, description: row.descriptionIfSet ?? row.description };
}

/** A literal with its members under the names of props, without unset members. */
export function propOf(row: Input, value: unknown): unknown {
  const { entries, members } = row;
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const given = value as Members;
  if (entries !== undefined) {
    const entry: Input = { type: "object", description: "", members: entries };
    return Object.fromEntries(Object.entries(given).map(([key, each]) => [key, propOf(entry, each)]));
  }
  if (members === undefined) return value;
  const known = Object.entries(members).filter(([name]) => given[terraformName(name)] !== undefined);
  return Object.fromEntries(known.map(([name, member]) => [name, propOf(member, given[terraformName(name)])]));
}

/** A reference to a variable or one of its members, as a prop. */
export function referenceTo(row: Input, path: string): unknown {
  return asProp(row, ref(`var.${path}`));
}

/** A reference to a variable or one of its members, with the facts whether it may be null and whether it has items. */
function settledReference(
  row: Input,
  path: string,
  { isMember, isPresent }: Readonly<Record<"isMember" | "isPresent", boolean>>,
): unknown {
  const { default: fallback = isMember ? null : undefined, nullable } = row;
  const mayBeNull = !isPresent && (fallback === null || nullable === true);
  const hasItems = isPresent && isCollection(row);
  return asProp(row, reference(`var.${path}`, { knownAt: "plan", mayBeNull, hasItems }));
}

/** A token of the prop's type. */
export function asProp({ type }: Input, token: IResolvable): unknown {
  if (type === "string") return Token.asString(token);
  if (type === "number") return Token.asNumber(token);
  return type === "list(string)" ? Token.asList(token) : token;
}
