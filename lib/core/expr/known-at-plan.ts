import { TerraformDataSource, TerraformElement, TerraformLocal, TerraformResource, TerraformStack } from "cdktf";
import { type IConstruct } from "constructs";

import { prose } from "../prose";
import { EphemeralResource } from "../secrets/ephemeral-resource";
import { attributesIn } from "./addresses";
import { rendered, renderedLocal } from "./locals";

/** A token that a caller passed, and its name in messages. */
export interface GivenToken {
  readonly name: string;
  readonly value: unknown;
}

/**
 * Refuses, at synth, attributes that are unknown before the apply if they decide which resources exist.
 *
 * Terraform's own error would name a resource's count, but no prop. Module outputs and data sources are left to
 * Terraform, because a plan may know them.
 */
export function requireKnownCounts(scope: IConstruct, given: readonly GivenToken[]): void {
  if (given.length > 0) scope.node.addValidation({ validate: () => unknownCounts(scope, given) });
}

function unknownCounts(scope: IConstruct, given: readonly GivenToken[]): string[] {
  const stack = TerraformStack.of(scope);
  const elements = stack.node.findAll().filter((each) => each instanceof TerraformElement);
  const asked = given.flatMap(({ name, value }) =>
    attributesIn(JSON.stringify(rendered(scope, value)))
      .filter((address) => !isArgument(elements, address))
      .map((address) => ({ name, address })),
  );
  if (asked.length === 0) return [];
  const decisive = decisiveAttributes(scope, elements);
  const unknown = new Map(
    asked.filter(({ address }) => decisive.has(address)).map(({ address, name }) => [name, address]),
  );
  return [...unknown].map(
    ([name, address]) =>
      prose`
      ${name} is ${address}, which no plan may know before that resource is there;
      it must be known at plan, because it decides which resources there are;
      give a literal, a variable, or the argument that the attribute is made of
    `,
  );
}

/** Attributes that determine the count or `for_each` of a resource in a scope. */
function decisiveAttributes(scope: IConstruct, elements: readonly TerraformElement[]): ReadonlySet<string> {
  const allLocals = elements.filter((each) => each instanceof TerraformLocal);
  const locals: Locals = new Map(allLocals.map((local) => [local.friendlyUniqueId, renderedLocal(local)]));
  const repetitions = scope.node.findAll().filter(isRepeatable).map(repetitionOf);
  return new Set(repetitions.flatMap((each) => new DecisiveTexts(each, locals).all()).flatMap(attributesIn));
}

const isRepeatable = (element: IConstruct): element is TerraformResource =>
  element instanceof TerraformResource ||
  element instanceof TerraformDataSource ||
  element instanceof EphemeralResource;

/**
 * Whether an attribute repeats an argument of its resource, so that the plan knows the attribute if it knows the
 * argument.
 */
function isArgument(elements: readonly TerraformElement[], address: string): boolean {
  const [type = "", name = "", attribute = ""] = address.split(".");
  const element = elements.find(
    (each) =>
      each instanceof TerraformResource && each.terraformResourceType === type && each.friendlyUniqueId === name,
  );
  if (element === undefined) return false;
  // If the argument is left out, the provider fills in its own project at plan.
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
  // Three levels: kind (such as `resource`), type, name.
  for (let depth = 0; depth < 3; depth++)
    block = (Object.entries(block).find(([key]) => key !== "//")?.[1] ?? {}) as typeof block;
  return block;
}

type Locals = ReadonlyMap<string, unknown>;

/**
 * The texts that determine a count or `for_each`: the expression itself, and the expressions of the locals in it.
 *
 * With a local `zones` that is `{ a = "${google_dns_managed_zone.a.name}", b = "${var.b}" }`:
 *
 * - `${local.zones.a}` depends on `${google_dns_managed_zone.a.name}`
 * - `${local.zones}` depends on nothing else, because its names are known
 * - `${values(local.zones)}` depends on `${google_dns_managed_zone.a.name}` and `${var.b}`
 */
class DecisiveTexts {
  private readonly seen = new Set<string>();

  constructor(
    private readonly repetition: string,
    private readonly locals: Locals,
  ) {}

  all(): string[] {
    return this.from(this.repetition);
  }

  private from(written: string): string[] {
    const text = this.withoutValues(written);
    const lookedAt = membersInConditions(text);
    return [text, ...referencesIn(text).flatMap((reference) => this.ofLocal(reference, lookedAt))];
  }

  private ofLocal({ isOfValues, name, path, text }: LocalReference, lookedAt: readonly string[]): string[] {
    if (this.seen.has(text)) return [];
    this.seen.add(text);
    const value = path.reduce<unknown>(memberOf, this.locals.get(name));
    const entries = isObject(value) ? Object.values(value) : [];
    // The items of a list are irrelevant, because their number is known.
    const inConditions = entries.filter(isObject).flatMap((entry) => lookedAt.map((member) => entry[member]));
    return [value, ...inConditions, ...(isOfValues ? entries : [])]
      .filter((each) => typeof each === "string")
      .flatMap((each) => this.from(each));
  }

  /** Blanks the values of object literals, because only the keys matter; keeps the members from which a set is made. */
  private withoutValues(text: string): string {
    const { repetition } = this;
    const isSet = repetition.includes("toset(");
    const isKept = (member: string) => isSet && new RegExp(`[.]${member}\\b`).test(repetition);
    return text.replaceAll(MEMBER, (whole, member: string) => (isKept(member) ? whole : `${member} = null`));
  }
}

/**
 * A member of an object literal, with a simple value: `network = google_compute_network.main.id` and
 * `name = lower(var.name)` in `{ network = google_compute_network.main.id, name = lower(var.name) }`.
 */
const MEMBER = /\b(\w+) = (?:\w+\([^()]*\)|[\w.[\]-]+)(?=\s*[,}])/g;

/** A reference to a local, such as `values(local.zones)` or `local.zones.a`. */
interface LocalReference {
  readonly text: string;
  readonly name: string;
  /** Names of members. */
  readonly path: readonly string[];
  /** Whether the reference is to `values(…)`. */
  readonly isOfValues: boolean;
}

function referencesIn(text: string): LocalReference[] {
  const found = [...text.matchAll(/(?<![\w.])(values\()?local\.([\w-]+)((?:\.[\w-]+)*)/g)];
  return found.map(([whole, values, name = "", members = ""]) => ({
    text: whole,
    name,
    path: members.split(".").slice(1),
    isOfValues: values !== undefined,
  }));
}

/**
 * Members of entries that are used in conditions: `enabled` in `[for each in local.all : each.name if each.enabled]`.
 */
function membersInConditions(text: string): string[] {
  const [, ...conditions] = text.split(" if ");
  return [...conditions.join(" ").matchAll(/\.(\w+)/g)].map(([, name = ""]) => name);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A member of an object literal. For any other expression, the whole expression, because it determines all members. */
const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : value);
