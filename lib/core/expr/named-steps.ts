import { STEP_END, STEP_MIDDLE, STEP_START } from "./nodes";
import { templateIn } from "./text";

type Body = Readonly<Record<string, unknown>>;

/** Longest step, in characters, that stays inline if it is used once. */
const MAX_INLINE_LENGTH = 100;

/** Whether a step becomes a local. */
type IsLocal = (name: string, text: string) => boolean;

/**
 * Turns steps that `namedStep` marked into locals. Short steps with a single use stay inline, and so do steps with a
 * name that is taken, for example by another deployment in the same stack.
 *
 * @param terraform Terraform JSON of a root module
 */
export function withNamedSteps(terraform: Body): Body {
  const steps = stepsWorthAName(terraform);
  if (steps === undefined) return terraform;
  const { variable = {}, ...others } = terraform;
  const definitions: Record<string, string> = {};
  const isLocal: IsLocal = (name, text) => {
    if (steps.has(name)) definitions[name] = templateIn(text) ?? `\${${text}}`;
    return steps.has(name);
  };
  const rest = written(others, isLocal) as Body;
  // Serves only to define the steps of validations, because `variablesWith` follows references through them.
  written(variable, isLocal);
  const locals = { ...(rest.locals as Body | undefined), ...definitions };
  const variables = variablesWith(variable as Readonly<Record<string, Body>>, isLocal, locals);
  const used = usedIn([rest, variables, Object.values(definitions)]);
  const usedLocals = Object.entries(locals).filter(
    ([name]) => definitions[name] === undefined || used.has(`local.${name}`),
  );
  const all = { ...rest, ...(usedLocals.length > 0 && { locals: Object.fromEntries(usedLocals) }) };
  return Object.keys(variables).length === 0 ? all : { ...all, variable: variables };
}

/** Names of steps that become locals; undefined if nothing is marked. */
function stepsWorthAName(terraform: Body): ReadonlySet<string> | undefined {
  const texts = new Map<string, Set<string>>();
  const underNames = written(terraform, (name, text) => {
    texts.set(name, (texts.get(name) ?? new Set()).add(text));
    return true;
  });
  if (texts.size === 0) return undefined;
  const present = new Set(Object.keys(terraform.locals ?? {}));
  const all = JSON.stringify([underNames, [...texts.values()].map((each) => [...each])]);
  const usesOf = (name: string) => all.split(new RegExp(`\\blocal[.]${name}\\b`)).length - 1;
  const isWorthIt = ([name, [text = "", ...others]]: readonly [string, readonly string[]]) =>
    others.length === 0 && !present.has(name) && (text.length > MAX_INLINE_LENGTH || usesOf(name) > 1);
  const named = [...texts].map(([name, each]) => [name, [...each]] as const).filter(isWorthIt);
  return new Set(named.map(([name]) => name));
}

/** A value with each marked step as a local or inline. */
function written(value: unknown, isLocal: IsLocal): unknown {
  if (typeof value === "string") return writtenText(value, isLocal);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => written(each, isLocal));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, written(each, isLocal)]));
}

function writtenText(text: string, isLocal: IsLocal): string {
  let rest = text;
  // The last step has no other one in it.
  for (let from = rest.lastIndexOf(STEP_START); from >= 0; from = rest.lastIndexOf(STEP_START)) {
    const nameEnd = rest.indexOf(STEP_MIDDLE, from);
    const stepEnd = rest.indexOf(STEP_END, nameEnd);
    const name = rest.slice(from + STEP_START.length, nameEnd);
    const step = rest.slice(nameEnd + STEP_MIDDLE.length, stepEnd);
    const [before, after] = [rest.slice(0, from), rest.slice(stepEnd + STEP_END.length)];
    const isNamed = isLocal(name, step);
    const isInText = before.endsWith("${") && after.startsWith("}");
    const template = isInText && !isNamed ? templateIn(step) : undefined;
    rest =
      template === undefined
        ? `${before}${isNamed ? `local.${name}` : `(${step})`}${after}`
        : `${before.slice(0, -"${".length)}${template}${after.slice("}".length)}`;
  }
  return rest;
}

/**
 * The variables, with locals for the named steps of their validations where Terraform allows it: a local in a
 * validation must not refer back to the validated variable, and the condition must name the variable directly.
 */
function variablesWith(variables: Readonly<Record<string, Body>>, isLocal: IsLocal, locals: Body): Body {
  const inline = Object.entries(variables).map(([name, body]) => [name, written(body, () => false) as Body] as const);
  const finished = new Map(inline);
  const leadsTo = (from: string, target: string, seen = new Set<string>()): boolean => {
    if (from === target) return true;
    if (seen.has(from)) return false;
    seen.add(from);
    const [kind, name = ""] = from.split(".");
    const source = kind === "local" ? locals[name] : finished.get(name)?.validation;
    return [...usedIn(source)].some((next) => next !== from && leadsTo(next, target, seen));
  };
  for (const [name, body] of Object.entries(variables)) {
    const isFirst: IsLocal = (step, text) => !leadsTo(`local.${step}`, `var.${name}`) && isLocal(step, text);
    const { validation = [], ...others } = body as { readonly validation?: readonly Body[] };
    if (validation.length === 0) continue;
    const validations = validation.map((each) => {
      const named = written(each, isFirst) as Body;
      const isOwn = usedIn(named.condition).has(`var.${name}`);
      return isOwn ? named : { ...named, condition: written(each.condition, () => false) };
    });
    finished.set(name, { ...others, validation: validations });
  }
  return Object.fromEntries(finished);
}

/** Variables and locals to which a value refers. */
function usedIn(value: unknown): Set<string> {
  return new Set(JSON.stringify(value ?? null).match(/\b(?:var|local)[.]\w+/g));
}
