import { TerraformVariable } from "cdktf";
import { type Construct } from "constructs";

import { valuesFrom } from "../../lib/core/inputs/inputs";
import { type Relation } from "../../lib/core/inputs/relations";
import { type Table } from "../../lib/core/inputs/rows";
import { RulesBrokenError } from "../../lib/core/inputs/rules-broken-error";
import {
  KUBERNETES_INPUTS,
  KUBERNETES_RELATIONS,
  KubernetesIdentityProvider,
} from "../../lib/kubernetes-identity-provider";
import { AssessmentLab } from "../../lib/lab";
import { LAB, LAB_RELATIONS } from "../../lib/lab/lab-inputs";
import {
  SERVERLESS_INPUTS,
  SERVERLESS_RELATIONS,
  ServerlessIdentityProvider,
} from "../../lib/serverless-identity-provider";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";
import { ConfigurationGraph } from "./configuration-graph";
import { REFUSED_BY_KUBERNETES, REFUSED_BY_LAB, REFUSED_BY_SERVERLESS } from "./refused-inputs";
import { type Inputs, refusalsOfPlans } from "./terraform-run";

const camelCase = (name: string) => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Inputs that are maps, whose keys are the user's own. */
const MAPS = ["authorized_networks", "database_flags", "environment_variables", "labels"];

/** The props for inputs: their names, and those of members, in the spelling of TypeScript. */
const propsOf = (inputs: Inputs): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(inputs)
      .filter(([, value]) => value !== null)
      .map(([name, value]) => [camelCase(name), MAPS.includes(name) ? value : membersOf(value)]),
  );

const membersOf = (value: unknown): unknown => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return propsOf(value as Inputs);
};

const CONSTRUCTS = [
  {
    Made: ServerlessIdentityProvider,
    table: SERVERLESS_INPUTS,
    relations: SERVERLESS_RELATIONS,
    refused: REFUSED_BY_SERVERLESS,
  },
  {
    Made: KubernetesIdentityProvider,
    table: KUBERNETES_INPUTS,
    relations: KUBERNETES_RELATIONS,
    refused: REFUSED_BY_KUBERNETES,
  },
  { Made: AssessmentLab, table: LAB, relations: LAB_RELATIONS, refused: REFUSED_BY_LAB },
] as const;

it.each([{ Made: ServerlessIdentityProvider }, { Made: KubernetesIdentityProvider }])(
  "A refused destroy of $Made.name deletes nothing that judges its props",
  ({ Made }) => {
    const stack = bareStack();
    const tenantId = new TerraformVariable(stack, "tenant", { type: "string" }).stringValue;
    new Made(stack, "Idp", { projectId: "demo-project", tenantId });
    const kept = new ConfigurationGraph(terraformOf(stack)).startsAfter("terraform_data.idp_deletion_guard");
    expect(kept).toContain("terraform_data.idp_inputs");
  },
);

describeWith(["terraform"], "Judged by the construct or by Terraform", () => {
  describe.each(CONSTRUCTS)("the props of $Made.name", ({ Made, refused, relations, table }) => {
    const cases = [...refused.alone, ...refused.together]
      // A member that is null in Terraform is left out in TypeScript, which then does not compile.
      .filter(({ inputs }) => !Object.values(inputs).some((value) => JSON.stringify(value).includes(":null")))
      // Secrets are given as variables only.
      .filter(({ inputs }) => !/bootstrap_password|cloudb_.*key/.test(Object.keys(inputs).join()));
    const said = new Map<string, readonly string[]>();
    const early: string[] = [];

    beforeAll(() => {
      const planned: [behaviour: string, configuration: object][] = [];
      for (const { behaviour, inputs } of cases) {
        const stack = bareStack();
        const props = { projectId: "demo-project", ...propsOf(inputs) };
        try {
          valuesFrom<Table>(stack, table, props, relations as readonly Relation<Table>[]);
          const { locals, resource } = terraformOf(stack);
          planned.push([behaviour, { locals, resource }]);
        } catch (error) {
          if (!(error instanceof RulesBrokenError)) throw error;
          early.push(behaviour);
          said.set(behaviour, error.failures);
        }
      }
      refusalsOfPlans(planned.map(([, configuration]) => configuration)).forEach((texts, index) =>
        said.set(planned[index]?.[0] ?? "", texts),
      );
    });

    it.each(cases)("are refused like the inputs: $behaviour", ({ behaviour, complaints, inputs }) => {
      const texts = said.get(behaviour) ?? [];
      const subjects = (complaints ?? Object.keys(inputs)).map(camelCase);
      expect(texts.filter((text) => !subjects.some((subject) => text.includes(subject)))).toEqual([]);
      // What is wrong with single values is said first.
      const unsaid = (complaints ?? []).filter(
        (complaint) => !texts.some((text) => text.includes(camelCase(complaint))),
      );
      expect(early.includes(behaviour) ? [] : unsaid).toEqual([]);
      expect(texts).not.toEqual([]);
      expect(texts.join()).not.toContain("unsaid");
    });

    it("are refused at synth, by the construct, where one value is enough to tell", () => {
      expect(early.length).toBeGreaterThan(Made === AssessmentLab ? 8 : 40);
      const make = () =>
        new (Made as new (scope: Construct, id: string, props: object) => unknown)(bareStack(), "Made", {
          projectId: "P",
        });
      expect(make).toThrow('test/Made: 1 problem\n  - projectId is "P"; it must be the id of a project');
    });
  });
});
