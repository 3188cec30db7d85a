export type Action = "create" | "delete" | "replace" | "update";

/** Actions by address; unchanged resources are not included. */
export type Actions = ReadonlyMap<string, Action>;

/** A deviation from what a step expected. */
export class StepFailure extends Error {
  constructor(
    readonly step: string,
    message: string,
  ) {
    super(message);
  }
}

/** Runs work as part of a step, so that its failures name the step. */
export async function inStep<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StepFailure))
      throw new StepFailure(step, error instanceof Error ? error.message : String(error));
    if (error.step === step || error.step.startsWith(`${step}: `)) throw error;
    throw new StepFailure(`${step}: ${error.step}`, error.message);
  }
}

/**
 * Actions by address, or by a part of many addresses with `*` for the rest; what is said of an address itself counts.
 */
export type Expected = Readonly<Record<string, Action>>;

/** What may happen to an address. */
function actionsFor(address: string, expected: Expected): readonly Action[] {
  const own = expected[address];
  if (own !== undefined) return [own];
  return Object.entries(expected).flatMap(([pattern, action]) => (isMeant(pattern, address) ? [action] : []));
}

function isMeant(pattern: string, address: string): boolean {
  const escaped = pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll("\\*", ".*");
  return new RegExp(`^${escaped}$`).test(address);
}

/** Fails unless the plan does exactly what is expected. */
export function requireActions(step: string, actions: Actions, expected: Expected): void {
  const planned = [...actions];
  const surplus = planned
    .filter(([address, action]) => !actionsFor(address, expected).includes(action))
    .map(([address, action]) => `${action} ${address}`);
  const missing = Object.entries(expected)
    .filter(([pattern, action]) => !planned.some(([address, found]) => found === action && isMeant(pattern, address)))
    .map(([pattern, action]) => `${action} ${pattern}`);
  if (surplus.length + missing.length === 0) return;
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}: ${lines.join(", ")}`];
  throw new StepFailure(
    step,
    [...list("planned, but not expected", surplus), ...list("expected, but not planned", missing)].join("\n"),
  );
}
