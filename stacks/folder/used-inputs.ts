import { split } from "./expression-text";

/** Terraform JSON of a root module. */
type Configuration = Readonly<Record<string, unknown>>;

/** The inputs that a folder uses, by their Terraform names, and members such as `smtp.password_secret`. */
export interface UsedInputs {
  /** Inputs that decide which parts and blocks exist, because a `count` or the condition of a block refers to them. */
  readonly deciding: ReadonlySet<string>;

  /** Inputs, without members, to which a part, an output, or the validation of such an input refers. */
  readonly used: ReadonlySet<string>;

  /** Used inputs, or only the used members if nothing refers to the whole input. */
  readonly usedParts: ReadonlySet<string>;

  /** Inputs with only one valid value, because a validation refuses every other value. */
  readonly forced: ReadonlySet<string>;
}

/**
 * Blocks in which a reference counts as use of an input. Checks and validations of other variables are not among them.
 */
const USING = ["provider", "data", "ephemeral", "resource", "module", "output"];

/**
 * Finds the inputs that the configuration of a folder uses, directly or through its locals.
 *
 * @param stated conditions of parts with `for_each`, because the configuration does not show them
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
  // A used input may depend on another input by its validation.
  const variables = (configuration.variable ?? {}) as Configuration;
  for (const name of used) {
    for (const path of comparedMembers(name, conditionsOf(variables[name]), usedParts)) usedParts.add(path);
    for (const path of inputsIn(conditionsOf(variables[name]), locals)) {
      const [other = path] = path.split(".");
      used.add(other);
      // The validation of the input itself does not count as use of a member.
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

/** Matches a collection with elements or without, depending on a condition. */
const OPTIONAL = /^\$\{([\s\S]*) \? \[[\s\S]*\] : \[\]\}$/;

/** A collection that is another one, without an input. */
const REPLACED = /^\$\{toset\(coalesce\((var[.]\w+), \[[^\]]*\]\)\)\}$/;

/** The conditions of blocks, at any depth. */
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

/** Conditions that must all hold; the whole expression if only one of several must hold. */
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
