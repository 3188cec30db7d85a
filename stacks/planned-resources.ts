/** The part of a synthesized configuration that determines the number of resources. */
export interface CountedConfiguration {
  readonly resource?: Readonly<Record<string, Readonly<Record<string, CountedResource>>>>;
  readonly variable?: Readonly<Record<string, { readonly default?: unknown }>>;
}

interface CountedResource {
  readonly count?: unknown;
  readonly for_each?: unknown;
}

type Variables = NonNullable<CountedConfiguration["variable"]>;

/**
 * Number of resources that a first plan adds if every input keeps its default.
 *
 * A synthesized count is a number, an input, or one of two numbers, depending on conditions on inputs. A count of any
 * other form counts as one resource, and a resource that is repeated for the elements of an input as none.
 */
export function plannedResources({ resource = {}, variable = {} }: CountedConfiguration): number {
  return Object.values(resource)
    .flatMap((named) => Object.values(named))
    .reduce((sum, each) => sum + plannedInstances(each, variable), 0);
}

/** Number of instances of one resource that a first plan adds if every input keeps its default. */
export function plannedInstances({ count = 1, for_each: list }: CountedResource, variables: Variables): number {
  return list === undefined ? countOf(String(count), variables) : 0;
}

function countOf(count: string, variables: Variables): number {
  const [, condition, met, unmet] = /^\$\{(.+) \? (\d+) : (\d+)\}$/.exec(count) ?? [];
  const chosen = condition === undefined ? valueOf(count.replace(/^\$\{(.*)\}$/, "$1"), variables) : undefined;
  if (typeof chosen === "number") return chosen;
  if (condition === undefined) return 1;
  const chosenTerms = condition
    .replaceAll(/try\(([^,]+), null\)/g, "$1")
    .replaceAll(/\(([^()?]+) \? ([^():]+) : ([^()]+)\)/g, (_, test: string, yes: string, no: string) =>
      holds(test, variables) ? yes : no,
    );
  return Number(holds(chosenTerms, variables) ? met : unmet);
}

/** No condition has || within &&, so parentheses change nothing. */
function holds(condition: string, variables: Variables): boolean {
  return condition
    .replaceAll(/[()]/g, "")
    .split(" || ")
    .some((terms) => terms.split(" && ").every((term) => isTrue(term, variables)));
}

function isTrue(term: string, variables: Variables): boolean {
  const [left = "", operator, right = ""] = term.split(/ (==|!=) /);
  if (operator === undefined) return valueOf(left, variables) === true;
  return (valueOf(left, variables) === valueOf(right, variables)) === (operator === "==");
}

/** A literal, or the default of an input; an attribute of an input that is null is null. */
function valueOf(operand: string, variables: Variables): unknown {
  const name = /^var\.(\w+)(\.\w+)?$/.exec(operand)?.[1];
  if (name !== undefined) return variables[name]?.default;
  try {
    return JSON.parse(operand);
  } catch {
    return undefined;
  }
}
