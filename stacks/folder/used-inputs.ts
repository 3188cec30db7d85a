import { split } from "./expression-text";

/** Terraform JSON of a root module. */
type Configuration = Readonly<Record<string, unknown>>;

/** The inputs that a folder uses, by their Terraform names, and members such as `smtp.password_secret`. */
export interface UsedInputs {
  /** Those that decide which parts exist, and which blocks of them: they stand in a `count`, or before a block. */
  readonly deciding: ReadonlySet<string>;

  /** Those to which a part or an output refers, or the validation of such an input, without members. */
  readonly used: ReadonlySet<string>;

  /** Inputs that are used, or members where only these are referred to. */
  readonly usedParts: ReadonlySet<string>;

  /** Those that have one value only, because a validation refuses every other. */
  readonly forced: ReadonlySet<string>;
}

/** Blocks that make something of an input; a check warns of it, and another variable is validated with it. */
const USING = ["provider", "data", "ephemeral", "resource", "module", "output"];

/**
 * Finds out what the configuration of a folder uses, also through its locals.
 *
 * @param stated conditions of parts that are repeated, which show none
 */
export function usedInputs(configuration: Configuration, stated: readonly string[] = []): UsedInputs {
  const locals = (configuration.locals ?? {}) as Configuration;
  const counts = ["data", "ephemeral", "resource"].flatMap((kind) =>
    Object.values((configuration[kind] ?? {}) as Configuration).flatMap((elements) =>
      Object.values(elements as Configuration).flatMap((each) => (each as Configuration).count ?? []),
    ),
  );
  const parts = ["data", "ephemeral", "resource"].map((kind) => configuration[kind]);
  const conditions = [...counts, ...stated, ...conditionsOfBlocks(parts)];
  const usedParts = inputsIn(
    USING.map((block) => configuration[block]),
    locals,
  );
  const used = rootsOf(usedParts);
  // What is used may depend on another input by its validation.
  const variables = (configuration.variable ?? {}) as Configuration;
  for (const name of used) {
    for (const path of comparedMembers(name, conditionsOf(variables[name]), usedParts)) usedParts.add(path);
    for (const path of inputsIn(conditionsOf(variables[name]), locals)) {
      const [other = path] = path.split(".");
      used.add(other);
      // A validation of its own makes nothing of a member.
      if (other !== name) usedParts.add(path);
    }
  }
  const forced = new Set(Object.values(variables).flatMap((each) => conditionsOf(each).flatMap(forcedBy)));
  return { deciding: inputsIn(conditions, locals), used, usedParts, forced };
}

/** Members of an input with which a rule compares a member that is used. */
function comparedMembers(input: string, conditions: readonly string[], used: ReadonlySet<string>): readonly string[] {
  const comparison = new RegExp(`\\bvar[.](${input}[.]\\w+) == var[.](${input}[.]\\w+)`, "g");
  return conditions
    .flatMap((condition) => [...condition.matchAll(comparison)].map(([, ...both]) => both))
    .filter((both) => both.some((path) => used.has(path)))
    .flat();
}

/** A collection that has elements or none, by a condition. */
const OPTIONAL = /^\$\{([\s\S]*) \? \[[\s\S]*\] : \[\]\}$/;

/** A collection that is another one, without an input. */
const REPLACED = /^\$\{toset\(coalesce\((var[.]\w+), \[[^\]]*\]\)\)\}$/;

/** The conditions under which there are blocks, at any depth. */
function conditionsOfBlocks(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const { dynamic = {} } = value as { readonly dynamic?: Configuration };
  const blocks = Object.values(dynamic).flat() as { readonly for_each?: unknown }[];
  const conditions = blocks.flatMap(({ for_each: elements }) =>
    [OPTIONAL, REPLACED].flatMap((form) => form.exec(String(elements))?.[1] ?? []),
  );
  return [...conditions, ...Object.values(value).flatMap(conditionsOfBlocks)];
}

function conditionsOf(variable: unknown): string[] {
  const { validation = [] } = (variable ?? {}) as { readonly validation?: readonly { readonly condition: string }[] };
  return validation.map(({ condition }) => condition);
}

/** What is compared with a literal: an input, or a member with its default. */
const INPUT = String.raw`(?:try[(])?var[.]([a-z_][\w.]*)(?:, [^,()]+[)])?`;

const FORCED = [
  new RegExp(`^!?${INPUT}$`),
  new RegExp(`^${INPUT} == (?:null|true|false|-?[\\d.]+|"[^"$%]*")$`),
  new RegExp(`^length[(]${INPUT}[)] == 0$`),
];

/** Inputs for which a condition, alone or together with others, allows only one value. */
function forcedBy(condition: string): string[] {
  const text = /^\$\{([\s\S]*)\}$/.exec(condition)?.[1] ?? condition;
  return conjunctsOf(text).flatMap((each) => FORCED.flatMap((form) => form.exec(each)?.[1] ?? []));
}

/** Conditions that must all hold; the whole where only one of several must. */
function conjunctsOf(text: string): string[] {
  const inner = /^[(](.*)[)]$/s.exec(text)?.[1];
  if (inner !== undefined && split(text, " ").length === 1) return conjunctsOf(inner);
  if (split(text, " || ").length > 1 || split(text, " ? ").length > 1) return [text];
  const all = split(text, " && ");
  return all.length === 1 ? all : all.flatMap(conjunctsOf);
}

/** Names of inputs without members. */
function rootsOf(paths: ReadonlySet<string>): Set<string> {
  return new Set([...paths].map((path) => path.replace(/[.].*/, "")));
}

const REFERENCE = /\b(var|local)[.]([\w-]+(?:[.][a-z_]\w*)*)/g;

/** Inputs in a value, and in the locals to which it refers. */
function inputsIn(value: unknown, locals: Configuration): Set<string> {
  const inputs = new Set<string>();
  const seen = new Set<string>();
  const search = (each: unknown) => {
    for (const [, kind, path = ""] of JSON.stringify(each ?? null).matchAll(REFERENCE)) {
      if (kind === "var") inputs.add(path);
      const [local = ""] = path.split(".");
      if (kind === "var" || seen.has(local)) continue;
      seen.add(local);
      search(locals[local]);
    }
  };
  search(value);
  return inputs;
}
