import { wordList } from "../../lib/core/word-list";
import { asText, beforeClosing, replaceExpressions, split, whereSet, withoutBrackets } from "./expression-text";

/** Terraform JSON, or a part of it. */
export type Block = Readonly<Record<string, unknown>>;

/** A synthesized resource, with its type and name. */
export interface FoundResource {
  readonly type: string;
  readonly name: string;
  readonly body: Block;
}

/** Facts of a synthesized configuration that need no plan. */
export class ConfigurationFacts {
  readonly resources: readonly FoundResource[];
  private readonly locals: Block;
  private readonly variables: Readonly<Record<string, Block>>;

  constructor(readonly configuration: Block) {
    this.locals = (configuration.locals ?? {}) as Block;
    this.variables = (configuration.variable ?? {}) as Readonly<Record<string, Block>>;
    const types = (configuration.resource ?? {}) as Readonly<Record<string, Readonly<Record<string, Block>>>>;
    this.resources = Object.entries(types).flatMap(([type, named]) =>
      Object.entries(named).map(([name, body]) => ({ type, name, body })),
    );
  }

  ofType(pattern: RegExp): readonly FoundResource[] {
    return this.resources.filter(({ type }) => pattern.test(type));
  }

  /** A resource by its address, if the configuration has it. */
  at(address: string): FoundResource | undefined {
    return this.resources.find(({ name, type }) => `${type}.${name}` === address);
  }

  hasInput(name: string): boolean {
    return name in this.variables;
  }

  /** Whether a resource depends on an input or a member. */
  uses(path: string): boolean {
    const { locals, resource } = this.configuration;
    return new RegExp(`\\bvar[.]${path}\\b`).test(JSON.stringify([locals, resource]));
  }

  /** The default of an input or a member; undefined if it must be set. */
  defaultOf(path: string): unknown {
    const [input = "", ...members] = path.split(".");
    const variable = this.variables[input];
    let [value, type] = [variable?.default, asText(variable?.type ?? "")];
    for (const member of members) {
      if (typeof value !== "object" || value === null) return undefined;
      const { [member]: own } = value as Block;
      const declared = memberOf(type, member);
      [value, type] = [own ?? declared?.default, declared?.type ?? ""];
    }
    return value;
  }

  /** An expression with its locals replaced by their values. */
  expanded(value: unknown): string {
    let text = typeof value === "string" ? value : JSON.stringify(value ?? null);
    // A local may refer to another one, but never to itself.
    for (let former = ""; former !== text;) {
      former = text;
      text = text.replace(/\blocal((?:[.][a-z_]\w*)+)/g, (whole, path: string) => this.localAt(path) ?? whole);
    }
    return text;
  }

  /** The expression in a local, in brackets, or a text in it. */
  private localAt(path: string): string | undefined {
    const [, name = "", ...members] = path.split(".");
    if (NAMED.includes(name)) return undefined;
    const value = members.reduce<unknown>((part, each) => (part as Block | undefined)?.[each], this.locals[name]);
    if (typeof value !== "string") return undefined;
    const [, inner] = /^\$\{([\s\S]*)\}$/.exec(value) ?? [];
    return inner === undefined ? JSON.stringify(value) : `(${inner})`;
  }

  /** Inputs in an expression, with their members, in order of appearance. */
  inputsIn(value: unknown): readonly string[] {
    const found = this.expanded(value).matchAll(/\bvar[.]([a-z_]\w*(?:[.][a-z_]\w*)*)/g);
    return [...new Set([...found].map(([, path = ""]) => path))];
  }

  /** The conditions of a `count` or of a block, each in words; empty for a part that always exists. */
  conditionsOf({ count }: Block): readonly string[] {
    const [, expression] = /^\$\{([\s\S]*)\}$/.exec(asText(count ?? "")) ?? [];
    if (expression === undefined) return count === 0 ? ["never"] : [];
    const [, condition] = /^([\s\S]*) \? 1 : 0$/.exec(expression) ?? [];
    if (condition !== undefined) return this.inWords(condition);
    const [, name] = /^var[.](\w+)$/.exec(expression) ?? [];
    if (name === undefined) return [asCode(expression)];
    return this.defaultOf(name) === 0 ? [`with \`${name}\``] : [`unless \`${name} = 0\``];
  }

  /** Inputs that add a part for each element but are empty in this folder, in words. */
  elementsOf({ for_each: each }: Block): readonly string[] {
    const empty = this.inputsIn(each).filter((path) => isEmpty(this.defaultOf(root(path)) ?? null));
    return empty.map((path) => `with \`${path}\``);
  }

  /** A condition in words, one text for each part that must hold. */
  inWords(condition: string): readonly string[] {
    const phrases = this.conjuncts(this.expanded(condition)).flatMap((each) => this.phrase(each) ?? []);
    // If one alternative must hold anyway, the others are irrelevant.
    return [...new Set(phrases)].filter(
      (phrase) => !phrases.some((other) => other !== phrase && phrase.split(OR).includes(other)),
    );
  }

  private conjuncts(text: string): readonly string[] {
    const bare = withoutBrackets(text.trim());
    // `||` has a lower precedence than `&&`.
    if (split(bare, " || ").length > 1) return [bare];
    const parts = split(bare, " && ");
    if (parts.length > 1) return parts.flatMap((part) => this.conjuncts(part));
    const [, present = ""] = /^(.*) != null$/.exec(bare) ?? [];
    const chosen = INTERNAL.test(present) ? undefined : whereSet(present);
    return chosen === undefined ? [bare] : [...this.conjuncts(chosen[0]), ...this.conjuncts(`${chosen[1]} != null`)];
  }

  /** One part of a condition in words; undefined if a reader cannot set it. */
  private phrase(written: string): string | undefined {
    const text = written.replaceAll(MEMBER_OR_DEFAULT, "$1");
    const alternatives = split(text, " || ");
    if (alternatives.length > 1) {
      // Left out, because own parts beside their replacements exist only during a migration, and the page explains this
      // once.
      const lastingAlternatives = alternatives.filter((each) => !/\bvar[.]own_parts\b/.test(each));
      const phrases = lastingAlternatives.flatMap((each) => {
        const parts = this.conjuncts(each).flatMap((part) => this.phrase(part) ?? []);
        // Brackets show which phrases belong together.
        if (parts.length > 1 && parts.some((part) => part.includes(OR))) return [asCode(withoutBrackets(each.trim()))];
        return parts.length === 0 ? [] : [parts.join(" and ")];
      });
      return phrases.length === 0 ? undefined : [...new Set(phrases)].join(OR);
    }
    if (/\bvar[.]own_parts\b/.test(text)) return undefined;
    const [, presence, operator] = /^(.*) (==|!=) null$/.exec(text) ?? [];
    if (presence !== undefined) return this.presence(presence, operator === "!=") ?? this.otherwise(text);
    const [, size, comparison] = /^length[(]var[.]([\w.]+)[)] (==|>) 0$/.exec(text) ?? [];
    if (size !== undefined) return comparison === ">" ? `with \`${size}\`` : `without \`${size}\``;
    const [, word, relation, value] = /^var[.](\w+) (==|!=) "([^"]*)"$/.exec(text) ?? [];
    if (word !== undefined && value === "") return relation === "==" ? `without \`${word}\`` : `with \`${word}\``;
    if (word !== undefined)
      return relation === "==" ? `with \`${word} = "${value}"\`` : `unless \`${word} = "${value}"\``;
    const [, negation, flag] = /^(!?)[(]*(?:try[(])?var[.]([\w.]+)(?:, false[)])?[)]*$/.exec(text) ?? [];
    if (flag !== undefined) return this.switched(flag, negation === "");
    const [, list, element] = /^contains[(]var[.](\w+), "([^"]*)"[)]$/.exec(text) ?? [];
    if (list !== undefined) return `with \`${element}\` in \`${list}\``;
    const [, lists] = /^[(]?length[(]concat[(](.*)[)][)][)]? > 0$/.exec(text) ?? [];
    if (lists !== undefined) return `with ${namesAsCode(this.inputsIn(lists), "or")}`;
    const [, matched] = /^can[(]regex[(]"[^"]*", (.*)[)][)]$/.exec(text) ?? [];
    const [path, ...others] = pathsIn(matched ?? "") ?? [];
    return path !== undefined && others.length === 0 ? `with \`${path}\`` : this.otherwise(text);
  }

  /** Words for any other expression; undefined if it does not depend on an input. */
  private otherwise(text: string): string | undefined {
    return this.inputsIn(text).length === 0 ? undefined : asCode(text);
  }

  private presence(text: string, isPresent: boolean): string | undefined {
    const [, chosen, domain] = INTERNAL.exec(text) ?? [];
    if (isPresent && chosen !== undefined && domain !== undefined) {
      const isInternal = text.includes(" == ");
      return `with \`${domain}\`${isInternal ? " and" : ", unless"} \`${chosen} = "internal"\``;
    }
    const inputs = pathsIn(text);
    const [first] = inputs ?? [];
    if (inputs === undefined || first === undefined) return undefined;
    const name = namesAsCode(inputs, isPresent ? "or" : "and");
    const isUsual = (this.defaultOf(first) ?? null) !== null;
    if (isUsual) return isPresent ? `unless ${name} is null` : `with ${name} = null`;
    return isPresent ? `with ${name}` : `without ${name}`;
  }

  private switched(flag: string, isOn: boolean): string {
    const isUsual = this.defaultOf(flag) === true;
    if (isUsual) return isOn ? `unless \`${flag}\` is false` : `with \`${flag} = false\``;
    return isOn ? `with \`${flag}\`` : `without \`${flag}\``;
  }

  /**
   * A value of a resource in words: a literal, or the input that determines it, with the input's value in this folder.
   */
  valueInWords(value: unknown): string {
    if (typeof value === "number" || typeof value === "boolean") return String(value);
    const text = asText(value ?? "");
    const inputs = this.inputsIn(text);
    // Members of an object that is not set have no value.
    const names = [...new Set(inputs.map((path) => (this.defaultOf(path) === undefined ? root(path) : path)))];
    return names.length === 0 ? text : names.map((each) => this.inputInWords(each)).join(" or ");
  }

  /** An input with its default value. */
  inputInWords(name: string): string {
    const value = this.defaultOf(name);
    if (value === undefined) return `\`${name}\``;
    if (isEmpty(value)) return `\`${name}\`, here not set`;
    return `\`${name}\`, here \`${typeof value === "string" ? value : JSON.stringify(value)}\``;
  }

  /** A name with placeholders for its variable parts, as code. */
  nameInWords(value: unknown): string {
    return `\`${this.template(asText(value))}\``;
  }

  /** The text of a name, with `<input>` for the value of an input and `…` for a computed part. */
  template(text: string): string {
    const bare = text.replace(/^\$\{local[.](\w+)\}$/, (whole, name: string) => asText(this.locals[name] ?? whole));
    return replaceExpressions(bare, (inner) => {
      const [, kind, name = ""] = /^(var|local)[.]([\w.]+)$/.exec(inner) ?? [];
      if (kind === "var" || name === "tenant_prefix") return `<${name}>`;
      if (NAMED.includes(name) || inner.startsWith("kubernetes_namespace_v1.namespace.")) return "<namespace>";
      const value = this.locals[name];
      if (typeof value === "string") return this.template(value);
      const [, quoted] = /^"(.*)"$/.exec(inner) ?? [];
      if (quoted !== undefined) return this.template(quoted);
      return "…";
    });
  }
}

/** Whether a value is absent, or a collection without elements. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === "" || (typeof value === "object" && Object.keys(value).length === 0);

/** Locals that a page describes by name instead of by their content. */
const NAMED = ["tenant_prefix", "chosen_namespace", "namespace_name"];

/** A domain by its kind of load balancer. */
const INTERNAL = /^[(]?var[.](\w+) [!=]= "internal" \? var[.](\w+) : null[)]?$/;

/** A member of an object that may be null, and a default that is not. */
const MEMBER_OR_DEFAULT = /\btry[(](var(?:[.]\w+)+), (?:true|\d+|"[^"]*"|\[[^\]]*\])[)]/g;

/** Separator of alternatives, because each alternative is a whole phrase. */
const OR = " or ";

/** An expression that cannot be put in words, for a cell of a table. */
const asCode = (expression: string): string => `where \`${expression.replaceAll("|", "\\|")}\``;

/** The inputs in an expression that returns the first of them that is set; undefined for other expressions. */
function pathsIn(expression: string): readonly string[] | undefined {
  const text = withoutBrackets(expression.trim());
  const [, path] = /^var[.]([a-z_]\w*(?:[.][a-z_]\w*)*)$/.exec(text) ?? [];
  if (path !== undefined) return [path];
  const [, tried] = /^try[(](.*), null[)]$/.exec(text) ?? [];
  if (tried !== undefined) return pathsIn(tried);
  const [, values] = /^coalesce[(](.*)[)]$/.exec(text) ?? [];
  const pathsOfValues = values === undefined ? [undefined] : split(values, ", ").map(pathsIn);
  return pathsOfValues.some((each) => each === undefined)
    ? undefined
    : [...new Set(pathsOfValues.flatMap((each) => each ?? []))];
}

/** The type and the default of a member in the type of an object, as Terraform writes it. */
function memberOf(type: string, member: string): { readonly type: string; readonly default: unknown } | undefined {
  const [, rest] = new RegExp(`[{,] ${member} = optional[(](.*)$`, "s").exec(type) ?? [];
  if (rest === undefined) return undefined;
  const [own = "", ...value] = split(beforeClosing(rest), ", ");
  return { type: own, default: JSON.parse(value.join(", ")) };
}

/** An input without its members. */
export const root = (path: string): string => path.split(".")[0] ?? path;

const namesAsCode = (names: readonly string[], conjunction: "and" | "or" = "and"): string =>
  wordList(
    names.map((name) => `\`${name}\``),
    conjunction,
  );
