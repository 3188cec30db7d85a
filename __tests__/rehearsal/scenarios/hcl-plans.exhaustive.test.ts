import { App } from "cdktf";

import { STACKS } from "../../stacks/variants";
import { describeWith, findProgram, programPath } from "../../support/programs";
import { synthesizeInto } from "../../support/synthesis";
import { Deployment, type Inputs } from "../deployment/deployment";
import { toHcl } from "../engine/hcl-folder";
import { inputCombinations, type Matrix } from "../engine/input-matrix";
import { REHEARSALS } from "./stacks";

/** Sets of inputs: nearly every input has another value in one of them. */
const SETS = 3;

/** With `EVERY_INPUT=1`, each value of each input is planned alone, in five minutes. */
const isEveryInput = process.env.EVERY_INPUT === "1";
const setsOf = isEveryInput ? eachAlone : (matrix: Matrix) => inputCombinations(matrix).slice(0, SETS);

/** For each choice but the first of a subject, a set with the first ones of all others. */
function eachAlone(matrix: Matrix): Inputs[] {
  const subjects = Object.values(matrix);
  return subjects.flatMap((choices) =>
    choices
      .slice(1)
      .map((choice) => Object.assign({}, ...subjects.map((each) => (each === choices ? choice : each[0]))) as Inputs),
  );
}

/** OpenTofu only where it is on the machine. */
const PROGRAMS = ["terraform", "tofu"].filter((program) => program === "terraform" || findProgram(program));

/** What a plan says, without what differs between two runs. */
const SAID = ["planned_values", "resource_changes", "output_changes", "checks", "variables"];

async function plansOf(
  deployment: Deployment,
  sets: readonly Readonly<Record<string, unknown>>[],
): Promise<Record<string, unknown>[]> {
  const plans: Record<string, unknown>[] = [];
  try {
    await deployment.init();
    for (const inputs of sets) {
      deployment.inputs = inputs;
      const { file } = await deployment.plan("-refresh=false");
      const text = await deployment.succeed("show", "-json", file);
      // When a deployment is made is a time of the plan.
      const plan = JSON.parse(text.replaceAll(/"since":"[^"]+"/g, '"since":"now"')) as Record<string, unknown>;
      plans.push(Object.fromEntries(SAID.map((name) => [name, plan[name]])));
    }
  } finally {
    await deployment.stop();
  }
  return plans;
}

const actionsOf = (plan: Readonly<Record<string, unknown>>) =>
  (plan.resource_changes as readonly { address: string; change: { actions: unknown } }[]).map(
    ({ address, change }) => [address, change.actions] as const,
  );

describeWith(["terraform", "curl", "jq"], "A plan of the folder in HCL", () => {
  it.each(PROGRAMS.flatMap((program) => STACKS.map((each) => ({ program, ...each }))))(
    "says what that of the JSON says, by $program: $name",
    async ({ program, name, stack }) => {
      const { inputs = {}, matrix = {}, prepare } = REHEARSALS[name] ?? {};
      const { path: source } = synthesizeInto(App.of(stack()), name);
      const sets = [{}, ...setsOf(matrix)].map((each) => ({ ...inputs, ...each }));
      const [json, hcl, newest] = await Promise.all(
        [false, false, true].map((newestProviders) =>
          Deployment.start({ source, inputs, newestProviders, program: programPath(program) }),
        ),
      );
      if (json === undefined || hcl === undefined || newest === undefined) throw new Error("there are three");
      for (const deployment of [json, hcl, newest]) prepare?.(deployment);
      toHcl(hcl);
      const [ofJson, ofHcl] = await Promise.all([plansOf(json, sets), plansOf(hcl, sets)]);
      expect(ofJson).toHaveLength(sets.length);
      expect(ofHcl).toEqual(ofJson);
      // What they know of a resource differs, and what is done does not.
      expect((await plansOf(newest, sets)).map(actionsOf)).toEqual(ofJson.map(actionsOf));
    },
    isEveryInput ? 3_600_000 : 300_000,
  );
});
