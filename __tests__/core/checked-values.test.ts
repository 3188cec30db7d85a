import { CheckedEntries } from "../../lib/core/checked-entries";
import { CheckedRelation } from "../../lib/core/checked-relation";
import { CheckedValue, matching, oneOf, wholeNumber } from "../../lib/core/checked-value";
import { expression, numberExpression } from "../../lib/core/expression";
import { InputVariable } from "../../lib/core/input-variable";
import { type Rule } from "../../lib/core/rules";
import { refusals } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf } from "../support/synthesis";

const WORD = matching("^[a-z]+$", {
  must: "be lower-case letters",
  reason: "names allow nothing else",
  remedy: "rewrite it",
});
const COUNT = wholeNumber({ from: 1, to: 9 }, { remedy: "use 1" });
const SIZE = oneOf(["small", "middle", "large"], { remedy: "use small" });
const SECRET = new CheckedValue<string>({
  accepts: (text) => text.length > 3,
  condition: (text) => `length(${text}) > 3`,
  must: "be longer",
  remedy: "lengthen it",
  secret: true,
});
const TAGS = new CheckedEntries({
  accepts: (key, value) => key !== "no" && value !== "",
  condition: 'key != "no" && value != ""',
  show: "entry",
  rule: "each must have a value; give one",
});
const RANGE = new CheckedRelation<{ least: number; most: number }, "excess">({
  accepts: ({ least, most }) => least <= most,
  condition: ({ least, most }) => `${least} <= ${most}`,
  figures: {
    excess: { of: ({ least, most }) => least - most, expression: ({ least, most }) => `${least} - ${most}` },
  },
  problem: (names, shown, { excess }) =>
    `${names.least} is ${shown.least}; it must not exceed ${names.most} ${shown.most}; lower it by ${excess}`,
});

/** Inputs and their messages, which are the same from a rule on props and from Terraform. */
const CASES: readonly (readonly [given: Partial<Props>, said: readonly string[]])[] = [
  [{ word: "fine", amount: 5, size: "large", secret: "longer", tags: { a: "b" }, least: 1, most: 1 }, []],
  [{ word: "Not" }, ['word is "Not"; it must be lower-case letters, because names allow nothing else; rewrite it']],
  [{ word: "" }, ['word is ""; it must be lower-case letters, because names allow nothing else; rewrite it']],
  [{ amount: 0 }, ["amount is 0; it must be a whole number from 1 to 9; use 1"]],
  [{ amount: 10 }, ["amount is 10; it must be a whole number from 1 to 9; use 1"]],
  [{ amount: 1.5 }, ["amount is 1.5; it must be a whole number from 1 to 9; use 1"]],
  [{ size: "huge" }, ['size is "huge"; it must be small, middle or large; use small']],
  [{ secret: "abc" }, ["secret is given; it must be longer; lengthen it"]],
  [{ tags: { a: "", no: "x", b: "c" } }, ["tags has a = , no = x; each must have a value; give one"]],
  [{ least: 3, most: 1 }, ["least is 3; it must not exceed most 1; lower it by 2"]],
  [
    { word: 'quo"te', amount: -1, least: 2, most: 0 },
    [
      'word is "quo\\"te"; it must be lower-case letters, because names allow nothing else; rewrite it',
      "amount is -1; it must be a whole number from 1 to 9; use 1",
      "least is 2; it must not exceed most 0; lower it by 2",
    ],
  ],
];

interface Props {
  readonly word: string;
  readonly amount: number;
  readonly size: string;
  readonly secret: string;
  readonly tags: Record<string, string>;
  readonly least: number;
  readonly most: number;
}
const FINE: Props = { word: "fine", amount: 5, size: "large", secret: "longer", tags: {}, least: 1, most: 1 };

const RULES: readonly Rule<Partial<Props>>[] = [
  WORD.ruleOn("word", ({ word }) => word),
  COUNT.ruleOn("amount", ({ amount }) => amount),
  SIZE.ruleOn("size", ({ size }) => size),
  SECRET.ruleOn("secret", ({ secret }) => secret),
  TAGS.ruleOn("tags", ({ tags }) => tags),
  RANGE.ruleOn({
    least: ["least", ({ least = 0 }) => least],
    most: ["most", ({ most = 0 }) => most],
  }),
];

const saidOf = (props: Partial<Props>) =>
  RULES.filter((rule) => !rule.holds(props)).flatMap((rule) => rule.message(props));

describe("What a value must be", () => {
  it.each(CASES)("is said of a prop: %j", (given, said) => {
    expect(saidOf({ ...FINE, ...given })).toEqual(said);
  });

  it("is not checked for values that are absent or known only to Terraform", () => {
    expect(saidOf({})).toEqual([]);
    expect(
      saidOf({
        word: expression("var.word"),
        amount: numberExpression("var.amount"),
        least: numberExpression("var.a"),
      }),
    ).toEqual([]);
  });
});

describeWith(["terraform"], "What an input must be", () => {
  const stack = bareStack();
  const variable = (name: string, type: string, validation: ReturnType<typeof WORD.validationOf>[]) =>
    new InputVariable(stack, name, { type, default: FINE[name as keyof Props], description: "Text.", validation });
  variable("word", "string", [WORD.validationOf("word", false)]);
  variable("amount", "number", [COUNT.validationOf("amount", false)]);
  variable("size", "string", [SIZE.validationOf("size", false)]);
  variable("secret", "string", [SECRET.validationOf("secret", false)]);
  variable("tags", "map(string)", [TAGS.validationOf("tags")]);
  variable("least", "number", [RANGE.validationOf({ least: "least", most: "most" })]);
  variable("most", "number", []);
  const { variable: variables = {} } = terraformOf(stack);
  // Terraform checks rules on several inputs only if every input is valid by itself.
  const judged = CASES.filter(([, said]) => said.length < 2);
  const groups = [judged.filter(([given]) => !("least" in given)), judged.filter(([given]) => "least" in given)];
  const cases = groups.flatMap((group) => {
    const found = refusals(
      variables,
      group.map(([given]) => ({ ...given })),
    );
    return group.map(([given, said], index) => [given, said, found[index]] as const);
  });

  it.each(cases)("is said in the same words: %j", (_, said, found) => {
    expect(found).toEqual(said.map((sentence) => `${sentence}.`));
  });
});
