import { plannedInstances } from "../../../stacks/planned-resources";
import { ConfigurationGraph, referencesIn, stringsIn } from "../../stacks/configuration-graph";
import { atDefaults } from "../../stacks/default-values";
import { type Block, type Terraform } from "../../support/synthesis";

/** A resource of the configuration. */
export interface Element {
  readonly address: string;
  readonly type: string;
  readonly name: string;
  readonly block: Block;
  /** How many there are while nobody sets an input. */
  readonly instances: number;
}

/** A whole text that is one of two values, or a comparison of an input. */
const CHOICE = /^\$\{\((.+?) \? (.+) : (.+)\)\}$/;
const COMPARISON = /^\$\{(var\.\w+ [=!]= \w+)\}$/;

/** What a synthesized configuration makes while nobody sets an input; the order of its parts is the same each time. */
export class DefaultDeployment {
  readonly elements: readonly Element[];
  private readonly terraform: Terraform;
  private readonly references = new Map<unknown, readonly string[]>();

  constructor(synthesized: Terraform) {
    const terraform = sorted(synthesized);
    this.terraform = terraform;
    this.elements = Object.entries(terraform.resource ?? {}).flatMap(([type, named]) =>
      Object.entries(named).map(([name, block]) => ({
        address: `${type}.${name}`,
        type,
        name,
        block,
        instances: plannedInstances(block, terraform.variable ?? {}),
      })),
    );
  }

  get existing(): readonly Element[] {
    return this.elements.filter(({ instances }) => instances > 0);
  }

  existingOf(...types: readonly string[]): Element[] {
    return this.existing.filter(({ type }) => types.includes(type));
  }

  /** References of a value, and of the local and ephemeral values that it names; explicit dependencies are none. */
  named(value: unknown): ReadonlySet<string> {
    const found = new Set<string>();
    const visit = (part: unknown): void => {
      for (const reference of this.ownReferences(part)) {
        if (found.has(reference)) continue;
        found.add(reference);
        const [scope = "", type = "", name = ""] = reference.split(".");
        if (scope === "local") visit(this.terraform.locals?.[type]);
        if (scope === "ephemeral") visit(this.terraform.ephemeral?.[type]?.[name]);
      }
    };
    visit(value);
    return found;
  }

  /** Long values are asked for again and again. */
  private ownReferences(value: unknown): readonly string[] {
    const known = this.references.get(value);
    if (known !== undefined) return known;
    const references = referencesIn(withoutOrder(value));
    this.references.set(value, references);
    return references;
  }

  /** Texts of a value, and of the local values that it names. */
  texts(value: unknown): string[] {
    const locals = [...this.named(value)].filter((reference) => reference.startsWith("local."));
    return [withoutOrder(value), ...locals.map((each) => this.terraform.locals?.[each.replace("local.", "")])].flatMap(
      stringsIn,
    );
  }

  /** A value while nobody sets an input; as it is where that cannot be known. */
  atDefaults(value: unknown): unknown {
    const [, condition, met, unmet] = typeof value === "string" ? (CHOICE.exec(value) ?? []) : [];
    if (condition !== undefined) return this.valueOf((this.holds(condition) ? met : unmet) ?? "");
    const [, comparison] = typeof value === "string" ? (COMPARISON.exec(value) ?? []) : [];
    if (comparison !== undefined) return this.holds(comparison);
    try {
      return atDefaults(this.terraform, value);
    } catch {
      return value;
    }
  }

  /** A literal of Terraform that is JSON too, an input's default, or the text as it is. */
  private valueOf(text: string): unknown {
    const [, input] = /^var\.(\w+)$/.exec(text) ?? [];
    if (input !== undefined) return this.terraform.variable?.[input]?.default;
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }

  /** A name as people see it: with defaults of inputs, and an ellipsis for what is not known before an apply. */
  shownName(name: unknown): string {
    return String(name)
      .replaceAll(/\$\{var\.(\w+)\}/g, (whole, input: string) => {
        const { default: byDefault } = this.terraform.variable?.[input] ?? {};
        return typeof byDefault === "string" ? byDefault : whole;
      })
      .replaceAll(/\$\{[^}]*\}/g, "…");
  }

  private holds(condition: string): boolean {
    const lengths = condition.replaceAll(/length\(var\.(\w+)\)/g, (_, input: string) =>
      String(Object.keys(this.terraform.variable?.[input]?.default ?? {}).length),
    );
    return plannedInstances({ count: `\${(${lengths}) ? 1 : 0}` }, this.terraform.variable ?? {}) === 1;
  }

  /** The input by which each resource that does not exist would come. */
  inputsOfAbsent(): ReadonlyMap<string, string> {
    return new Map(
      this.elements
        .filter(({ instances }) => instances === 0)
        .map(({ address, block: { count, for_each: list } }) => {
          const inputs = [...this.named([count, list])].flatMap((each) => /^var\.(.*)/.exec(each)?.[1] ?? []);
          return [address, inputs.find((input) => this.isOff(input)) ?? inputs[0] ?? ""];
        }),
    );
  }

  /** Whether an input adds something only when it is set. */
  private isOff(input: string): boolean {
    const { default: byDefault } = this.terraform.variable?.[input] ?? {};
    return (
      byDefault === null ||
      ["", "[]", "{}", "false"].includes(JSON.stringify(byDefault ?? "required").replaceAll('"', ""))
    );
  }

  /** What each resource waits for itself, also through its provider. */
  waiting(): ReadonlyMap<string, ReadonlySet<string>> {
    const graph = new ConfigurationGraph(this.terraform);
    const throughProvider = (address: string) =>
      referencesIn(this.terraform.provider?.[/^[a-z]+/.exec(address)?.[0] ?? ""]);
    return new Map(
      graph.elements.map((address) => [address, new Set([...graph.namedBy(address), ...throughProvider(address)])]),
    );
  }
}

/** The same with the names of every object in order, which neither a construct nor a reader of files has to keep. */
function sorted<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted) as T;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([name, each]) => [name, sorted<unknown>(each)])) as T;
}

function withoutOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("depends_on" in value)) return value;
  return { ...value, depends_on: undefined };
}
