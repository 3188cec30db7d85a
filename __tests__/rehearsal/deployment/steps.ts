export type Action = "create" | "delete" | "replace" | "update";

/** A plan in a file, and what it would do, by address; what stays as it is, is not in it. */
export interface Plan {
  readonly file: string;
  readonly actions: ReadonlyMap<string, Action>;
  /** Names of the outputs that it would change. */
  readonly outputs: readonly string[];
}

/** How a command was refused. */
export interface Refusals {
  readonly output: string;
}

/** Something went otherwise than expected: in which step, and what. */
export class StepFailure extends Error {
  constructor(
    readonly step: string,
    message: string,
  ) {
    super(message);
  }
}

/** Works as a part of a step, so that what fails inside it names the step as well. */
export async function inStep<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StepFailure) || error.step === step || error.step.startsWith(`${step}: `)) throw error;
    throw new StepFailure(`${step}: ${error.step}`, error.message);
  }
}

/** Actions as one line each, sorted. */
function actionLines(actions: ReadonlyMap<string, Action>): string[] {
  return [...actions].map(([address, action]) => `${action} ${address}`).sort();
}

/** Fails unless the plan does exactly what is expected. */
export function requireActions(step: string, plan: Plan, expected: Readonly<Record<string, Action>>): void {
  const found = actionLines(plan.actions);
  const wanted = actionLines(new Map(Object.entries(expected)));
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

/** Fails with what a plan does that should have done nothing. */
export function failOfChanges(step: string, plan: Plan): never {
  requireActions(step, plan, {});
  const { outputs } = plan;
  throw new StepFailure(
    step,
    outputs.length > 0
      ? `the plan changes outputs: ${outputs.join(", ")}`
      : "a plan had changes, and the next one has none",
  );
}
