import { TerraformDataSource, TerraformElement, TerraformLocal, TerraformResource, TerraformStack } from "cdktf";
import { type IConstruct } from "constructs";

import { EphemeralResource } from "../secrets/ephemeral-resource";
import { attributesIn } from "./addresses";
import { rendered, renderedLocal } from "./expression";

/** What a caller gave in the place of a literal, and what it is called in messages. */
export interface GivenToken {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Refuses, at synth, attributes that only an apply tells where they decide which resources there are.
 *
 * Terraform would refuse the count of a resource, and name no prop. A module's output and a data source are left to it,
 * because a plan may well know them.
 */
export function requireKnownCounts(scope: IConstruct, given: readonly GivenToken[]): void {
  if (given.length > 0) scope.node.addValidation({ validate: () => unknownCounts(scope, given) });
}

function unknownCounts(scope: IConstruct, given: readonly GivenToken[]): string[] {
  const stack = TerraformStack.of(scope);
  const elements = stack.node.findAll().filter((each) => each instanceof TerraformElement);
  const asked = given.flatMap(({ name, value }) => {
    const text = JSON.stringify(rendered(scope, value));
    return attributesIn(text)
      .filter((address) => !isArgument(elements, address))
      .map((address) => ({ name, address }));
  });
  if (asked.length === 0) return [];
  const locals = new Map(
    elements
      .filter((each) => each instanceof TerraformLocal)
      .map((each) => [each.friendlyUniqueId, renderedLocal(each)]),
  );
  const repeated = scope.node.findAll().flatMap((each) => (isRepeatable(each) ? [repetitionOf(each)] : []));
  const decisive = new Set(repeated.flatMap((text) => attributesIn(withLocals(text, locals, withoutValues(text)))));
  return [
    ...new Map(asked.filter(({ address }) => decisive.has(address)).map((each) => [each.name, each])).values(),
  ].map(({ address, name }) =>
    [
      `${name} is ${address}, which no plan may know before that resource is there;`,
      "it must be known at plan, because it decides which resources there are;",
      "give a literal, a variable, or the argument that the attribute is made of",
    ].join(" "),
  );
}

const isRepeatable = (element: IConstruct): element is TerraformResource =>
  element instanceof TerraformResource ||
  element instanceof TerraformDataSource ||
  element instanceof EphemeralResource;

/** Whether an attribute is what the program gave the resource, and so known wherever that is. */
function isArgument(elements: readonly TerraformElement[], address: string): boolean {
  const [type = "", name = "", attribute = ""] = address.split(".");
  const element = elements.find(
    (each) =>
      each instanceof TerraformResource && each.terraformResourceType === type && each.friendlyUniqueId === name,
  );
  if (element === undefined) return false;
  // The provider tells its own project at plan, where none is given.
  if (attribute === "project" && type.startsWith("google_")) return true;
  const value = blockOf(element)[attribute];
  return value !== undefined && attributesIn(JSON.stringify(value)).length === 0;
}

/** Count and `for_each` of an element, as text. */
function repetitionOf(element: TerraformElement): string {
  const { count, for_each: each } = blockOf(element);
  return [count, each].filter((value) => typeof value === "string").join(" ");
}

/** Arguments of an element under Terraform's names. */
function blockOf(element: TerraformElement): Readonly<Record<string, unknown>> {
  let block = rendered(element, element.toTerraform()) as Readonly<Record<string, unknown>>;
  // Of its kind, its type and its name.
  for (let depth = 0; depth < 3; depth++)
    block = (Object.entries(block).find(([key]) => key !== "//")?.[1] ?? {}) as typeof block;
  return block;
}

type Change = (text: string) => string;

/**
 * Leaves out what objects in a repetition have, because only keys decide, but for the members that a set is made of.
 */
function withoutValues(repetition: string): Change {
  const isSet = repetition.includes("toset(");
  const isKept = (member: string) => isSet && new RegExp(`[.]${member}\\b`).test(repetition);
  return (text) => text.replaceAll(MEMBER, (whole, member: string) => (isKept(member) ? whole : `${member} = null`));
}

/**
 * A member of an object that is written out, with a simple value: `network = google_compute_network.main.id` and
 * `name = lower(var.name)` in `{ network = google_compute_network.main.id, name = lower(var.name) }`.
 */
const MEMBER = /\b(\w+) = (?:\w+\([^()]*\)|[\w.[\]-]+)(?=\s*[,}])/g;

/**
 * A text, and those of the locals that it refers to.
 *
 * Of an object, only the member counts, unless all values are looked at; of its entries, what a condition looks at. The
 * items of a list decide nothing, because their number is known.
 *
 * With a local `zones` that is `{ a = "${google_dns_managed_zone.a.name}", b = "${var.b}" }`:
 *
 * - `${local.zones.a}` becomes `${local.zones.a} ${google_dns_managed_zone.a.name}`
 * - `${local.zones}` stays as it is, because its names are known
 * - `${values(local.zones)}` becomes `${values(local.zones)} ${google_dns_managed_zone.a.name} ${var.b}`
 */
function withLocals(
  written: string,
  locals: ReadonlyMap<string, unknown>,
  change: Change,
  seen = new Set<string>(),
): string {
  const text = change(written);
  const references = [...text.matchAll(/(?<![\w.])(values\()?local\.([\w-]+)((?:\.[\w-]+)*)/g)];
  const [, ...conditions] = text.split(" if ");
  const lookedAt = [...conditions.join(" ").matchAll(/\.(\w+)/g)].map(([, name = ""]) => name);
  const more = references.flatMap(([reference, values, name = "", path = ""]) => {
    if (seen.has(reference)) return [];
    seen.add(reference);
    const value = path.split(".").slice(1).reduce<unknown>(memberOf, locals.get(name));
    const entries = isObject(value) ? Object.values(value) : [];
    const decisive = entries.filter(isObject).flatMap((entry) => lookedAt.map((member) => entry[member]));
    const all = [value, ...decisive, ...(values === undefined ? [] : entries)];
    return all.flatMap((each) => (typeof each === "string" ? [withLocals(each, locals, change, seen)] : []));
  });
  return [text, ...more].join(" ");
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member; of an expression, the whole, which decides on its members. */
const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : value);
