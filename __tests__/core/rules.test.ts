import { inspect } from "node:util";

import { TerraformStack, Token } from "cdktf";
import { Construct } from "constructs";

import { expression, numberExpression } from "../../lib/core/expression";
import { ifKnown, requireProps, RulesBrokenError, secretPresence, type Rule } from "../../lib/core/rules";
import { testApp } from "../support/synthesis";

interface Props {
  readonly name: string;
  readonly size?: number;
}

const RULES: readonly Rule<Props>[] = [
  {
    holds: ({ name }) => ifKnown(name, (known) => known.length <= 3),
    message: ({ name }) => `name is ${name}; it must be short`,
  },
  {
    holds: ({ size }) => ifKnown(size, (known) => known > 0),
    message: ({ size }) => [`size is ${size ?? 0}`, "size decides the price"],
  },
];

const checked = (props: Props) => () => {
  const thing = new Construct(new TerraformStack(testApp(), "test"), "Thing");
  requireProps(thing, props, ["name"], RULES);
};

describe("requireProps", () => {
  it("reports every problem at once, including several of one rule", () => {
    expect(checked({ name: "abcd", size: -1 })).toThrow(
      new Error(
        [
          "test/Thing: 3 problems",
          "  - name is abcd; it must be short",
          "  - size is -1",
          "  - size decides the price",
        ].join("\n"),
      ),
    );
  });

  it("names what is missing, and checks no rule meanwhile", () => {
    expect(checked({ size: -1 } as unknown as Props)).toThrow(
      new Error("test/Thing: 1 problem\n  - name is missing; it has no default; set it"),
    );
  });

  it("prints each problem once, followed by the calls in the user's own program only", () => {
    const printed = inspect(new RulesBrokenError("test/Thing", ["name is abcd; it must be short"]));
    expect(printed).toMatch(/^RulesBrokenError: test\/Thing: 1 problem\n {2}- name is abcd; it must be short\n/);
    expect(printed.split("name is abcd")).toHaveLength(2);
    expect(printed).toContain("rules.test.ts");
    expect(printed).not.toMatch(/node:internal|node_modules/);
  });
});

describe("ifKnown", () => {
  const never = () => false;

  it.each([
    ["an absent value", undefined],
    ["a text with a token", `a-${expression("var.b")}`],
    ["a number token", numberExpression("var.b")],
    ["a list token", Token.asList(expression("var.b"))],
  ])("does not judge %s", (_, value) => {
    expect(ifKnown<unknown>(value, never)).toBe(true);
  });

  it.each([
    ["a text", ""],
    ["a number", 0],
    ["a boolean", false],
    ["null", null],
  ])("judges %s", (_, value) => {
    expect(ifKnown<unknown>(value, never)).toBe(false);
  });
});

describe("secretPresence", () => {
  it.each([undefined, null, ""])("says that %j is missing", (value) => {
    expect(secretPresence(value)).toBe("missing");
  });

  it.each(["hunter2", expression("var.password"), 0])("says that %j is given, not what it is", (value) => {
    expect(secretPresence(value)).toBe("given");
  });
});
