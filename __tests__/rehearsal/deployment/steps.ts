export type Action = "create" | "delete" | "replace" | "update";

/** A plan in a file, and its actions by address; unchanged resources are not included. */
export interface Plan {
  readonly file: string;
  readonly actions: ReadonlyMap<string, Action>;
}

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
    if (!(error instanceof StepFailure) || error.step === step || error.step.startsWith(`${step}: `)) throw error;
    throw new StepFailure(`${step}: ${error.step}`, error.message);
  }
}

/** Fails unless the plan does exactly what is expected. */
export function requireActions(
  step: string,
  { actions }: Pick<Plan, "actions">,
  expected: Readonly<Record<string, Action>>,
): void {
  const found = [...actions].map(([address, action]) => `${action} ${address}`).sort();
  const wanted = Object.entries(expected)
    .map(([address, action]) => `${action} ${address}`)
    .sort();
  const surplus = found.filter((line) => !wanted.includes(line));
  const missing = wanted.filter((line) => !found.includes(line));
  if (surplus.length + missing.length === 0) return;
  const list = (title: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`${title}: ${lines.join(", ")}`];
  throw new StepFailure(
    step,
    [...list("planned, but not expected", surplus), ...list("expected, but not planned", missing)].join("\n"),
  );
}
