/** A synthesized configuration, as far as it decides how many resources there are. */
export interface CountedConfiguration {
  readonly resource?: Readonly<Record<string, Readonly<Record<string, { readonly count?: unknown }>>>>;
  readonly variable?: Readonly<Record<string, { readonly default?: unknown }>>;
}

type Variables = NonNullable<CountedConfiguration["variable"]>;

/**
 * How many resources a first plan adds when every input that has a default keeps it.
 *
 * Counts are numbers, inputs, or one of two numbers by conditions on inputs that must all hold; more is not synthesized. A
 * count of another form is taken for one resource.
 */
export function plannedResources({ resource = {}, variable = {} }: CountedConfiguration): number {
  return Object.values(resource)
    .flatMap((named) => Object.values(named))
    .reduce((sum, { count = 1 }) => sum + countOf(String(count), variable), 0);
}

function countOf(count: string, variables: Variables): number {
  const [, condition, met, unmet] = /^\$\{(.+) \? (\d+) : (\d+)\}$/.exec(count) ?? [];
  const chosen = condition === undefined ? valueOf(count.replace(/^\$\{(.*)\}$/, "$1"), variables) : undefined;
  if (typeof chosen === "number") return chosen;
  if (condition === undefined) return 1;
  // Conjunctions alone: without a negation or an alternative, parentheses change nothing.
  const holds = condition
    .replaceAll(/[()]/g, "")
    .split(" && ")
    .every((term) => isTrue(term, variables));
  return Number(holds ? met : unmet);
}

function isTrue(term: string, variables: Variables): boolean {
  const [left = "", operator, right = ""] = term.split(/ (==|!=) /);
  if (operator === undefined) return valueOf(left, variables) === true;
  return (valueOf(left, variables) === valueOf(right, variables)) === (operator === "==");
}

/** An input's default, or a literal, which Terraform writes as JSON does. */
function valueOf(operand: string, variables: Variables): unknown {
  const name = /^var\.(\w+)$/.exec(operand)?.[1];
  if (name !== undefined) return variables[name]?.default;
  try {
    return JSON.parse(operand);
  } catch {
    return undefined;
  }
}
