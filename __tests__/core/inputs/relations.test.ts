import { Construct } from "constructs";

import { declareInputs } from "../../../lib/core/inputs/declared-inputs";
import { valuesFrom } from "../../../lib/core/inputs/inputs";
import { namesIn, type Relation } from "../../../lib/core/inputs/relations";
import { number, type Table, text } from "../../../lib/core/inputs/rows";
import { type ValuesOf } from "../../../lib/core/inputs/value";
import { KUBERNETES_INPUTS, KUBERNETES_RELATIONS } from "../../../lib/kubernetes-identity-provider";
import { LAB, LAB_RELATIONS } from "../../../lib/lab/lab-inputs";
import { SERVERLESS_INPUTS, SERVERLESS_RELATIONS } from "../../../lib/serverless-identity-provider";
import { bareStack } from "../../support/synthesis";

const PAIR = {
  count: number({ default: null, description: "Count." }),
  mode: text({ default: "beside", description: "Mode." }),
};

const COUNT_IN_MODE: Relation<typeof PAIR> = {
  host: "count",
  holds: (v) => v.count.isNullOr(() => v.mode.eq("apart")),
  message: (v) => `${v.count.name} is given and ${v.mode.name} is ${v.mode.shown}; set it to apart`,
};

/** Values of a stack that has a variable for each input. */
function openValues<T extends Table>(table: T): ValuesOf<T> {
  const stack = bareStack();
  return valuesFrom(new Construct(stack, "Part"), table, declareInputs(stack, table));
}

describe("The inputs of a relation", () => {
  it("are also those that it looks at only where another one is given", () => {
    const values = valuesFrom(new Construct(bareStack(), "Part"), PAIR, { count: 2, mode: "apart" });

    expect(namesIn(COUNT_IN_MODE, values)).toEqual(["count", "mode"]);
  });

  it.each<readonly [string, Table, readonly Relation<never>[]]>([
    ["ServerlessIdentityProvider", SERVERLESS_INPUTS, SERVERLESS_RELATIONS],
    ["KubernetesIdentityProvider", KUBERNETES_INPUTS, KUBERNETES_RELATIONS],
    ["AssessmentLab", LAB, LAB_RELATIONS],
  ])("of %s are all that a condition has", (_, table, relations) => {
    const values = openValues(table);
    const unseen = relations.flatMap((relation) => {
      const names = namesIn(relation as Relation<Table>, values).map((name) => values[name]?.address);
      const addresses = (relation as Relation<Table>).holds(values).names;
      return addresses.filter((address) => /^var[.]\w+$/.test(address) && !names.includes(address));
    });

    expect(unseen).toEqual([]);
  });
});
