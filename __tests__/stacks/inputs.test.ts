import { describeWith } from "../support/programs";
import { type Block } from "../support/synthesis";
import {
  ACCEPTED,
  ACCEPTED_BY_BOTH,
  ACCEPTED_BY_KUBERNETES,
  ACCEPTED_GEOIP,
  ACCEPTED_MAIL,
  ACCEPTED_PROBES,
  ACCEPTED_PROTECTIONS,
  ACCEPTED_SECRET_SETTINGS,
  ACCEPTED_SETS,
  ACCEPTED_SETS_OF_KUBERNETES,
  ACCEPTED_SETS_OF_LAB,
  type AcceptedInputs,
} from "./accepted-inputs";
import { kubernetesTerraform } from "./kubernetes-stack";
import { labTerraform } from "./lab-stack";
import { REFUSED_BY_KUBERNETES, REFUSED_BY_LAB, REFUSED_BY_SERVERLESS, type RefusedInputs } from "./refused-inputs";
import { serverlessTerraform } from "./serverless-stack";
import { type Inputs, refusals, refusalsOfFile } from "./terraform-run";

interface Judged {
  readonly name: string;
  readonly terraform: () => { readonly variable?: Readonly<Record<string, Block>> };

  /** By rules that look at one input, and by those that compare several, at which Terraform looks next. */
  readonly refused: { readonly alone: readonly RefusedInputs[]; readonly together: readonly RefusedInputs[] };
  readonly accepted: AcceptedInputs;

  /** Inputs that another stack has too, with the same rules: it judges them. @default none */
  readonly judgedElsewhere?: ReadonlySet<string>;

  /** Values that the rehearsal combines. @default none */
  readonly combined?: Inputs;
}

const named = (name: string, values: readonly unknown[], further: Inputs = {}): AcceptedInputs =>
  Object.fromEntries(
    values.map((value) => [`${name} ${JSON.stringify(value).slice(0, 80)}`, { ...further, [name]: value }]),
  );

/** The inputs that have the same rules in both variants. */
function commonInputs(): Set<string> {
  const [one = {}, other = {}] = [serverlessTerraform(), kubernetesTerraform()].map(({ variable = {} }) =>
    Object.fromEntries(
      Object.entries(variable).map(([name, { default: standard, type, validation }]) => [
        name,
        JSON.stringify([type, standard, validation]),
      ]),
    ),
  );
  return new Set(Object.keys(one).filter((name) => one[name] === other[name]));
}

const STACKS: readonly Judged[] = [
  {
    name: "idp-serverless",
    terraform: serverlessTerraform,
    refused: REFUSED_BY_SERVERLESS,
    combined: { ...ACCEPTED_BY_BOTH, ...ACCEPTED },
    accepted: {
      ...ACCEPTED_SETS,
      ...named("smtp", ACCEPTED_MAIL),
      ...named("secret_environment_variables", ACCEPTED_SECRET_SETTINGS),
      ...named("protection", ACCEPTED_PROTECTIONS, { domain: "login.example.com" }),
    },
  },
  {
    name: "idp-kubernetes",
    terraform: kubernetesTerraform,
    refused: REFUSED_BY_KUBERNETES,
    judgedElsewhere: commonInputs(),
    combined: { ...ACCEPTED_BY_BOTH, ...ACCEPTED_BY_KUBERNETES },
    accepted: {
      ...ACCEPTED_SETS_OF_KUBERNETES,
      ...named("geoip", ACCEPTED_GEOIP),
      ...named("sign_in_probe", ACCEPTED_PROBES, { domain: "login.example.com" }),
    },
  },
  { name: "assessment-lab", terraform: labTerraform, refused: REFUSED_BY_LAB, accepted: ACCEPTED_SETS_OF_LAB },
];

const PROJECT = { project_id: "demo-project" };

/** How a message ends, where it has no expression. */
const endOf = (message: string) => message.slice(message.lastIndexOf("}") + 1);

/** Parts that may exist, here or elsewhere. */
const OPTIONAL_PART = /^(existing_(?!container_image|security_policy)|slo$)/;

/** A rule for one member, which is judged and named by itself in place of a rule for all that would recite each. */
const ofMember = (name: string, { error_message: message }: { readonly error_message: string }) =>
  message.startsWith(`${name}.`);

// More are more than anybody reads: a rule must relate inputs, protect data, or refuse what the platform refuses late.
it("Both identity providers have at most 143 rules of inputs together, and two for each part that may exist", () => {
  const variants = [serverlessTerraform(), kubernetesTerraform()].map(({ variable = {} }) => variable);
  const inputs = new Set(variants.flatMap((variables) => Object.keys(variables)));
  const rulesOf = (name: string) =>
    Math.max(
      ...variants.map((variables) => {
        const rules = (variables[name]?.validation ?? []) as { error_message: string }[];
        return rules.filter((rule) => !OPTIONAL_PART.test(name) || !ofMember(name, rule)).length;
      }),
    );
  const parts = [...inputs].filter((name) => OPTIONAL_PART.test(name)).length;
  expect(parts).toBeGreaterThan(1);
  expect([...inputs].map(rulesOf).reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(143 + 2 * parts);
});

describeWith(["terraform"], "Judged by Terraform", () => {
  describe.each(STACKS)("the inputs of $name", ({ combined = {}, judgedElsewhere = new Set(), ...stack }) => {
    const accepted = Object.entries(stack.accepted).map(([behaviour, inputs]) => ({ behaviour, inputs }));
    const variables = () => stack.terraform().variable ?? {};
    const isOwn = ({ inputs }: RefusedInputs) => Object.keys(inputs).some((name) => !judgedElsewhere.has(name));
    const refused = { alone: stack.refused.alone.filter(isOwn), together: stack.refused.together.filter(isOwn) };
    const cases = [...refused.alone, ...refused.together];
    const said = new Map<string, readonly string[]>();

    beforeAll(() => {
      for (const group of [refused.alone, [...refused.together, ...accepted]]) {
        const found = refusals(
          stack.terraform(),
          group.map(({ inputs }) => ({ ...PROJECT, ...inputs })),
        );
        group.forEach(({ behaviour }, index) => said.set(behaviour, found[index] ?? []));
      }
    });

    it.each(cases)("refuse $behaviour", ({ behaviour, complaints, inputs }) => {
      const texts = said.get(behaviour) ?? [];
      const subjects = complaints ?? Object.keys(inputs);
      expect(texts.filter((text) => !subjects.some((subject) => text.includes(subject)))).toEqual([]);
      expect((complaints ?? []).filter((complaint) => !texts.some((text) => text.includes(complaint)))).toEqual([]);
      expect(texts).not.toEqual([]);
      expect(texts.join()).not.toContain("unsaid");
    });

    it.each(accepted)("accept $behaviour", ({ behaviour }) => {
      expect(said.get(behaviour)).toEqual([]);
    });

    it("are all judged: every validation refuses something here", () => {
      const texts = cases.flatMap(({ behaviour }) => said.get(behaviour) ?? []);
      const own = Object.entries(variables()).filter(([name]) => !judgedElsewhere.has(name));
      const silent = own.flatMap(([name, { validation: rules = [] }]) =>
        (rules as { error_message: string }[])
          .map(({ error_message: message }) => endOf(message))
          .filter((ending) => !texts.some((text) => text.endsWith(ending)))
          .map((ending) => `${name}: …${ending}`),
      );
      expect(silent).toEqual([]);
    });

    it("are all tried", () => {
      const sets = [combined, ...[...cases, ...accepted].map(({ inputs }) => inputs)];
      const tried = new Set(sets.flatMap((inputs) => Object.keys(inputs)));
      expect(Object.keys(variables()).filter((name) => !tried.has(name) && !judgedElsewhere.has(name))).toEqual([]);
    });

    it("are complained of all at once, from a file of inputs", () => {
      const wrong = { project_id: "My Project", region: "us-central1-a", tenant_id: "Acme" };
      expect(refusalsOfFile(stack.terraform(), wrong).map((text) => text.split(" ")[0])).toEqual(Object.keys(wrong));
    });

    it("have defaults that pass, treat null as not given, and ask for the project", () => {
      const inputs = Object.fromEntries(Object.keys(variables()).map((name) => [name, null]));
      expect(refusalsOfFile(stack.terraform(), PROJECT)).toEqual([]);
      expect(refusalsOfFile(stack.terraform(), { ...inputs, ...PROJECT })).toEqual([]);
      expect(refusalsOfFile(stack.terraform(), {})).toEqual([
        expect.stringContaining('input variable "project_id" is not set, and has no default value.'),
      ]);
    });
  });
});
