import { ServerlessIdentityProvider } from "../../lib";
import { RulesBrokenError } from "../../lib/core/rules";
import { KubernetesIdentityProvider } from "../../lib/kubernetes";
import { type Construct } from "constructs";
import { camelCase } from "../../stacks/inputs/object-type";
import { bareStack } from "../support/synthesis";
import { REFUSED_BY_KUBERNETES, REFUSED_BY_SERVERLESS } from "./refused-inputs";
import { type Inputs } from "./terraform-run";

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

const VARIANTS = [
  { Variant: ServerlessIdentityProvider, refused: REFUSED_BY_SERVERLESS },
  { Variant: KubernetesIdentityProvider, refused: REFUSED_BY_KUBERNETES },
] as const;

describe.each(VARIANTS)("The props of $Variant.name", ({ Variant, refused }) => {
  const failuresOf = (inputs: Inputs): readonly string[] => {
    const { network, subnetwork, ...others } = { project_id: "demo-project", tenant_id: "demo", ...inputs } as Inputs;
    const isAttached = (network ?? subnetwork ?? undefined) !== undefined;
    const props = { ...propsOf(others), ...(isAttached && { network: { network: network ?? undefined, subnetwork } }) };
    try {
      new (Variant as new (scope: Construct, id: string, props: object) => unknown)(bareStack(), "Idp", props);
      return [];
    } catch (error) {
      if (error instanceof RulesBrokenError) return error.failures;
      throw error;
    }
  };

  const cases = [...refused.alone, ...refused.together]
    // A member that is null in Terraform is left out in TypeScript, which then does not compile.
    .filter(([, inputs]) => !Object.values(inputs).some((value) => JSON.stringify(value).includes(":null")))
    .map(([behaviour, inputs, complaints]) => ({ behaviour, inputs, complaints }));

  it.each(cases)("are refused at synth like the inputs: $behaviour", ({ complaints, inputs }) => {
    const failures = failuresOf(inputs);
    const subjects = (complaints ?? Object.keys(inputs)).map(camelCase);
    expect(failures.filter((failure) => !subjects.some((subject) => failure.includes(subject)))).toEqual([]);
    expect(
      (complaints ?? []).filter((complaint) => !failures.some((text) => text.includes(camelCase(complaint)))),
    ).toEqual([]);
    expect(failures).not.toEqual([]);
    expect(failures.join()).not.toContain("unsaid");
  });

  it("are refused all at once", () => {
    const wrong = Object.fromEntries(
      refused.alone.flatMap(([, inputs]) => (Object.keys(inputs).length === 1 ? Object.entries(inputs) : [])).reverse(),
    );
    const failures = failuresOf(wrong).join("\n");
    const silent = Object.keys(wrong).filter((name) => !new RegExp(`\\b${camelCase(name)}\\b`).test(failures));
    expect(Object.keys(wrong).length).toBeGreaterThan(30);
    expect(silent).toEqual([]);
  });
});
