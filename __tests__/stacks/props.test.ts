import { type Construct } from "constructs";

import { ServerlessIdentityProvider } from "../../lib";
import { RulesBrokenError } from "../../lib/core/rules-broken-error";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { AssessmentLab } from "../../lib/lab";
import { describeWith } from "../support/programs";
import { terraformOf } from "../support/synthesis";
import { bareLabStack } from "./lab-stack";
import { REFUSED_BY_KUBERNETES, REFUSED_BY_LAB, REFUSED_BY_SERVERLESS } from "./refused-inputs";
import { refusalsOfPlans, type Inputs } from "./terraform-run";

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

/** Props that are not spelled as the inputs. */
const forIdentityProvider = ({ network, subnetwork, ...others }: Inputs): object => {
  const isAttached = (network ?? subnetwork ?? undefined) !== undefined;
  return { ...propsOf(others), ...(isAttached && { network: { network: network ?? undefined, subnetwork } }) };
};
const forLab = ({ cloudb_region: region, rdp_source_ranges: rdp, ...others }: Inputs): object => ({
  ...propsOf(others),
  ...(region !== undefined && { aws: { accessKeyId: "", secretAccessKey: "", region } }),
  ...(rdp !== undefined && { sourceRanges: { rdp } }),
});

const CONSTRUCTS = [
  { Made: ServerlessIdentityProvider, refused: REFUSED_BY_SERVERLESS, spelled: forIdentityProvider },
  { Made: KubernetesIdentityProvider, refused: REFUSED_BY_KUBERNETES, spelled: forIdentityProvider },
  { Made: AssessmentLab, refused: REFUSED_BY_LAB, spelled: forLab },
] as const;

describeWith(["terraform"], "Judged by the construct or by Terraform", () => {
  describe.each(CONSTRUCTS)("the props of $Made.name", ({ Made, refused, spelled }) => {
    const cases = [...refused.alone, ...refused.together]
      // A member that is null in Terraform is left out in TypeScript, which then does not compile.
      .filter(([, inputs]) => !Object.values(inputs).some((value) => JSON.stringify(value).includes(":null")))
      // Secrets are given as variables only, and nothing of a lab is named after its tenant.
      .filter(
        ([, inputs]) =>
          !/bootstrap_password|cloudb_.*key|tenant_id/.test(Object.keys(inputs).join()) ||
          (Made !== AssessmentLab && !("bootstrap_password" in inputs)),
      )
      .map(([behaviour, inputs, complaints]) => ({ behaviour, inputs, complaints }));
    const made = (inputs: Inputs) => {
      const stack = bareLabStack();
      new (Made as new (scope: Construct, id: string, props: object) => unknown)(stack, "Made", {
        projectId: "demo-project",
        ...spelled(inputs),
      });
      return terraformOf(stack);
    };
    const said = new Map<string, readonly string[]>();
    const early: string[] = [];

    beforeAll(() => {
      const planned: [behaviour: string, configuration: object][] = [];
      for (const { behaviour, inputs } of cases) {
        try {
          const { locals = {}, resource = {}, variable } = made(inputs);
          const given = Object.entries(locals).filter(([name]) => name.startsWith("made_given_"));
          const { made_inputs: checked } = resource.terraform_data ?? {};
          planned.push([
            behaviour,
            { variable, locals: Object.fromEntries(given), resource: { terraform_data: { checked: checked ?? {} } } },
          ]);
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

    it("are refused at synth where one value is enough to tell", () => {
      expect(early.length).toBeGreaterThan(Made === AssessmentLab ? 8 : 40);
    });
  });
});
