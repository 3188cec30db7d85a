import { type Terraform } from "../support/synthesis";

/** A whole text that is one reference to an input, or to a member of one with what stands for it. */
const WHOLE = /^\$\{var\.(\w+)\}$/;
const MEMBER = /^\$\{try\(var\.(\w+)\.(\w+), (\d+)\)\}$/;

/** A value as it is while nobody sets an input: inputs alone, inside of texts, and members with a number in their place. */
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
  const [, input] = WHOLE.exec(value) ?? [];
  if (input !== undefined) return defaultOf(input);
  const [, object = "", member = "", otherwise] = MEMBER.exec(value) ?? [];
  if (otherwise !== undefined) {
    const members = defaultOf(object) as Record<string, unknown> | null;
    return members?.[member] ?? Number(otherwise);
  }
  return value.replaceAll(/\$\{var\.(\w+)\}/g, (_, name: string) => JSON.stringify(defaultOf(name)).replaceAll('"', ""));
}
