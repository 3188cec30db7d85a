import { inputsAlone, type RefusedInputs, refusalBatches, requireRefusal, variablesOf } from "./refusal-batches";
import { type RunContext, together } from "./run-context";

/** Inputs that their own rules refuse are planned without the resources, which costs a fifth. */
export async function refusals(context: RunContext): Promise<void> {
  const { refused = [], refusedByProject = [] } = context.options.rehearsal;
  await together([
    refusedPlans(context, "refused inputs, by plans", refused, inputsAlone),
    refusedPlans(context, "inputs refused by the project, by plans", refusedByProject),
  ]);
}

async function refusedPlans(
  context: RunContext,
  step: string,
  refused: readonly RefusedInputs[],
  narrowed?: (configuration: string) => string,
): Promise<void> {
  const wanted = refused.filter(([behaviour]) => context.wants(behaviour));
  if (wanted.length === 0) return;
  const { inputs: required } = context.options.rehearsal;
  await context.with(context.started(), async (origin) => {
    if (narrowed !== undefined) origin.edit("cdk.tf.json", narrowed);
    await origin.init();
    const variables = variablesOf(origin.read("cdk.tf.json") ?? "{}");
    const batches = refusalBatches(wanted, variables);
    await context.each(`${wanted.length} ${step}`, batches, ([behaviour, inputs, texts]) =>
      context.with(origin.fork({ ...required, ...inputs }), (deployment) =>
        requireRefusal(deployment, behaviour, texts, context.isOpenTofu ? variables : undefined),
      ),
    );
  });
}
