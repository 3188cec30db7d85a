import { InputVariable } from "../../lib/core/input-variable";
import {
  choice,
  flag,
  number,
  object,
  text,
  texts,
  valuesFrom,
  type PropsOf,
  type Relation,
} from "../../lib/core/inputs";
import { EACH_ONCE, eachMatching, matching, whole } from "../../lib/core/checks";
import { refusalsOfPlans } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, terraformOf, type BareStack } from "../support/synthesis";

const TABLE = {
  host: text({ description: "Host.", must: [matching("^[a-z.]+$", "be a host name; use for example a.example")] }),
  ports: number({ default: 1, description: "Ports.", must: [whole(1, 9, "; use 1")] }),
  kept: choice(["ALL", "LATEST"], "; use ALL", { default: "ALL", description: "Which." }),
  isOn: flag({ default: true, description: "Whether." }),
  names: texts({
    default: [],
    description: "Names.",
    must: [eachMatching("^[a-z]+$", "each must be a word; rewrite it"), EACH_ONCE],
  }),
  login: object(
    {
      user: text({ description: "user" }),
      key: number({ default: null, description: "key", must: [whole(1, Infinity, "; count")] }),
    },
    { description: (members) => `Login. ${members}` },
  ),
};

const RELATIONS: readonly Relation<typeof TABLE>[] = [
  {
    of: "ports",
    holds: (v) => `!${v.isOn} || ${v.ports} <= 5`,
    says: ({ isOn, ports }) => `${ports.name} is ${ports.shown} while ${isOn.name}; it must be at most 5; lower it`,
  },
];

const made = (props: (stack: BareStack) => PropsOf<typeof TABLE>) => {
  const stack = bareStack();
  valuesFrom(stack, TABLE, props(stack), RELATIONS);
  const { locals, resource, variable } = terraformOf(stack);
  return { locals, variable, ...(resource && { resource }) };
};

describe("Props of a table", () => {
  it("are refused at synth, all at once, if a literal breaks a rule of its own", () => {
    expect(() =>
      made(() => ({ host: "A", ports: 1.5, kept: "NONE", names: ["a", "B", "a"], login: { user: "a", key: 0 } })),
    ).toThrow(
      [
        "test: 6 problems",
        '  - host is "A"; it must be a host name; use for example a.example',
        "  - ports is 1.5; it must be a whole number from 1 to 9; use 1",
        '  - kept is "NONE"; it must be ALL or LATEST; use ALL',
        '  - names has "B"; each must be a word; rewrite it',
        '  - names is ["a","B","a"]; it must contain each only once, because one of the two was probably meant to be another; correct or remove it',
        "  - login.key is 0; it must be a whole number from 1; count",
      ].join("\n"),
    );
    expect(() => made(() => ({}) as never)).toThrow("host is missing; it has no default; set it");
  });
});

describeWith(["terraform"], "Variables of a program", () => {
  const input = (stack: BareStack, name: string, type: string, value: unknown) =>
    new InputVariable(stack, name, { type, description: "Anything.", default: value });

  it("meet the same rules at plan, under their own names, and have the default where they are null", () => {
    const own = (values: Readonly<Record<"host" | "login" | "number", unknown>>) =>
      made((stack) => ({
        host: input(stack, "my_host", "string", values.host).stringValue,
        ports: input(stack, "my_number", "number", values.number).numberValue,
        login: input(stack, "my_login", "any", values.login).value as never,
      }));
    expect(
      refusalsOfPlans([
        own({ host: "A", number: 6, login: { user: "a", key: 0 } }),
        own({ host: "a", number: null, login: null }),
        own({ host: "a", number: 5, login: { user: "a" } }),
      ]),
    ).toEqual([
      [
        'my_host is "A"; it must be a host name; use for example a.example.',
        "my_login.key is 0; it must be a whole number from 1; count.",
        "my_number is 6 while isOn; it must be at most 5; lower it.",
      ],
      [],
      [],
    ]);
  });
});
