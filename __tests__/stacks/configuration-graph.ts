import { type Terraform } from "../support/synthesis";

/**
 * Bodies of all `${ }` in a text, also of those inside string literals of other bodies.
 *
 * String literals are emptied, so that what remains is code alone.
 */
function expressionsIn(text: string): string[] {
  const bodies: string[] = [];
  let at = 0;

  const readTemplate = (end: string | undefined): void => {
    while (at < text.length) {
      if (text.startsWith("$${", at)) at += 3;
      else if (text.startsWith("${", at)) bodies.push(readBody());
      else if (end !== undefined && text[at] === "\\") at += 2;
      else if (text[at++] === end) return;
    }
  };
  const readBody = (): string => {
    let body = "";
    let depth = 0;
    at += 2;
    for (let character = text[at++]; character !== undefined; character = text[at++]) {
      if (character === "{") depth += 1;
      if (character === "}" && depth-- === 0) return body;
      body += character;
      if (character === '"') {
        readTemplate('"');
        body += character;
      }
    }
    throw new Error(`an expression does not end: ${text}`);
  };

  readTemplate(undefined);
  return bodies;
}

/** The value at a path of keys and list positions, or undefined where the path ends. */
export function valueAt(block: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], block);
}

/** Every string of a value, keys excluded. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

/**
 * What the expressions of a value refer to: `var.x`, `local.x`, `<type>.<name>`, `ephemeral.<type>.<name>`, `path.x`.
 */
export function referencesIn(value: unknown): string[] {
  const bodies = stringsIn(value).flatMap(expressionsIn);
  return [...new Set(bodies.flatMap((body) => [...body.matchAll(REFERENCE)].map(([reference]) => reference)))];
}

const REFERENCE = /(?<![\w.\])])(?:(?:ephemeral|data)\.)?[a-z]\w*\.[a-z]\w*/g;

/** Where a configuration starts from a given element, and what that needs before it. */
export class ConfigurationGraph {
  /** What each element names itself, in expressions and as explicit dependencies. */
  private readonly named = new Map<string, readonly string[]>();

  constructor(terraform: Terraform) {
    for (const name of Object.keys(terraform.variable ?? {})) this.named.set(`var.${name}`, []);
    const { check, locals: local, output } = terraform;
    for (const [kind, values] of Object.entries({ local, output, check }))
      for (const [name, value] of Object.entries(values ?? {})) this.named.set(`${kind}.${name}`, referencesIn(value));
    for (const [prefix, types] of [
      ["", terraform.resource],
      ["ephemeral.", terraform.ephemeral],
      ["data.", terraform.data],
    ] as const) {
      for (const [type, elements] of Object.entries(types ?? {})) {
        for (const [name, element] of Object.entries(elements)) {
          const { replace_triggered_by: triggers = [] } = (element.lifecycle ?? {}) as Record<string, string[]>;
          const explicit = [...((element.depends_on ?? []) as string[]), ...triggers];
          this.named.set(`${prefix}${type}.${name}`, [...new Set([...explicit, ...referencesIn(element)])]);
        }
      }
    }
  }

  get elements(): string[] {
    return [...this.named.keys()];
  }

  /** What one element names itself. */
  namedBy(element: string): readonly string[] {
    const found = this.named.get(element);
    if (found === undefined) throw new Error(`no element ${element}; there are: ${this.elements.join(", ")}`);
    return found;
  }

  /** Resources and ephemeral resources that must be there before one element starts, however far away, sorted. */
  startsAfter(element: string): string[] {
    const reached = new Set<string>();
    const visit = (from: string): void => {
      for (const next of this.namedBy(from)) {
        if (reached.has(next) || !this.named.has(next)) continue;
        reached.add(next);
        visit(next);
      }
    };
    visit(element);
    return [...reached].filter((name) => !/^(var|local)\./.test(name)).sort();
  }
}
