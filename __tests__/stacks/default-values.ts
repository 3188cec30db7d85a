import { type Terraform } from "../support/synthesis";

/** A whole text that is one reference to an input, or to a member of one with what stands for it. */
const WHOLE = /^\$\{var\.(\w+)\}$/;
const MEMBER = /^\$\{try\(var\.(\w+)\.(\w+), (\d+)\)\}$/;

/** The same of an input that is never null, whose type has the default of each member. */
const MEMBER_OF_WHOLE = /^\$\{var\.(\w+)\.(\w+)\}$/;

/** What stands for an input that is null, and what an input's word chooses. */
const COALESCED = /^\$\{coalesce\(var\.(\w+), (\d+)\)\}$/;
const OTHERWISE = /^\$\{\(?var\.(\w+) != null \? var\.\1 : (".*?")\)?\}$/;
const CHOSEN = /^\$\{((?:\(?var\.\w+ == "[^"]+" \? \[[^\]]*\] : )+)null\)*\}$/;
const CHOICE = /var\.(\w+) == ("[^"]+") \? (\[[^\]]*\]) : /g;

/** A whole text that is one of these, as it is with the given inputs; undefined if it is none. */
function chosenValue(text: string, inputOf: (name: string) => unknown): unknown {
  const [, name = "", fallback = ""] = COALESCED.exec(text) ?? OTHERWISE.exec(text) ?? [];
  if (name !== "") return inputOf(name) ?? JSON.parse(fallback);
  const [, choices] = CHOSEN.exec(text) ?? [];
  if (choices === undefined) return undefined;
  const [, , , value = "null"] =
    [...choices.matchAll(CHOICE)].find(([, input = "", word = ""]) => inputOf(input) === JSON.parse(word)) ?? [];
  return JSON.parse(value);
}

/**
 * A value as it is while nobody sets an input: inputs alone, inside of texts, and members with a number in their place.
 */
export function atDefaults(terraform: Terraform, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => atDefaults(terraform, each));
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, atDefaults(terraform, each)]));
  if (typeof value !== "string") return value;

  const defaultOf = (name: string) => {
    const { default: byDefault } = terraform.variable?.[name] ?? {};
    if (byDefault === undefined) throw new Error(`the input ${name} has no default`);
    return byDefault;
  };
  const inTypeOf = (name: string, member: string) => {
    const type = String(terraform.variable?.[name]?.type);
    const [, fallback] = new RegExp(`\\b${member} = optional\\(\\w+, ([^()]+)\\)`).exec(type) ?? [];
    if (fallback === undefined) throw new Error(`the member ${member} of the input ${name} has no default`);
    return JSON.parse(fallback) as unknown;
  };
  const [, input] = WHOLE.exec(value) ?? [];
  if (input !== undefined) return defaultOf(input);
  const chosen = chosenValue(value, defaultOf);
  if (chosen !== undefined) return chosen;
  const [, object = "", member = "", otherwise] = MEMBER.exec(value) ?? [];
  if (otherwise !== undefined) {
    const members = defaultOf(object) as Record<string, unknown> | null;
    return members?.[member] ?? Number(otherwise);
  }
  const [, whole = "", part = ""] = MEMBER_OF_WHOLE.exec(value) ?? [];
  if (part !== "") return (defaultOf(whole) as Record<string, unknown>)[part] ?? inTypeOf(whole, part);
  return value.replaceAll(/\$\{var\.(\w+)\}/g, (_, name: string) =>
    JSON.stringify(defaultOf(name)).replaceAll('"', ""),
  );
}
