import { Fn, Token } from "cdktf";

import { type Expr, exprOf, literal, namedStep, namedText, reference } from "../../../lib/core/expr/expr";
import { withNamedSteps } from "../../../lib/core/expr/named-steps";
import { TerraformData } from "../../../lib/core/terraform-data";
import { terraformWith } from "../../support/synthesis";

const KNOWN = { knownAt: "plan", mayBeNull: false } as const;
const variable = (name: string): Expr<number> => reference<number>(`var.${name}`, KNOWN);

/** The configuration in which these are the inputs of resources. */
const withInputs = (...inputs: readonly Expr[]) =>
  terraformWith((stack) => {
    inputs.forEach((input, index) => {
      new TerraformData(stack, `r${index}`, { input: { value: Token.asString(input) } });
    });
  });

const valuesOf = ({ resource }: ReturnType<typeof withInputs>) =>
  Object.values(resource?.terraform_data ?? {}).map(({ input }) => (input as { value: unknown }).value);

describe("A named step", () => {
  it("is a local where it is used twice", () => {
    const sum = namedStep("connections", variable("a").plus(variable("b")));
    const terraform = withInputs(sum.times(2), sum);
    expect(terraform.locals).toEqual({ connections: "${var.a + var.b}" });
    expect(valuesOf(terraform)).toEqual(["${local.connections * 2}", "${local.connections}"]);
  });

  it("stays where it is if it is short and used once", () => {
    const terraform = withInputs(namedStep("connections", variable("a").plus(1)).times(2));
    expect(terraform.locals).toBeUndefined();
    expect(valuesOf(terraform)).toEqual(["${(var.a + 1) * 2}"]);
  });

  it("of a text is the same string for the same text, because callers compare names", () => {
    const text = `sql-${variable("a").text}`;
    expect(namedText("instance", text)).toBe(namedText("instance", text));
    expect(namedText("instance", "sql-a")).toBe("sql-a");
  });

  it("is a part of a text without quotes, and a local that is a text", () => {
    const name = namedText("instance", `sql-"${variable("a").text}"`);
    expect(valuesOf(withInputs(exprOf(`the ${name} here`)))).toEqual(['the sql-"${var.a}" here']);
    const terraform = withInputs(exprOf(`${name}, ${name}`), exprOf(Fn.upper(name)));
    expect(terraform.locals).toEqual({ instance: 'sql-"${var.a}"' });
    expect(valuesOf(terraform)).toEqual(["${local.instance}, ${local.instance}", "${upper(local.instance)}"]);
  });

  it("may have others in it", () => {
    const inner = namedStep("inner", variable("a").plus(1));
    const outer = namedStep("outer", inner.times(inner));
    expect(withInputs(outer, outer).locals).toEqual({
      inner: "${var.a + 1}",
      outer: "${local.inner * local.inner}",
    });
  });

  it("stays where it is if another calculation has its name", () => {
    const stepOf = (name: string) => namedStep("connections", variable(name).plus(1));
    const terraform = withInputs(stepOf("a"), stepOf("a"), stepOf("b"), stepOf("b"));
    expect(terraform.locals).toBeUndefined();
    expect(valuesOf(terraform)).toEqual(["${(var.a + 1)}", "${(var.a + 1)}", "${(var.b + 1)}", "${(var.b + 1)}"]);
  });

  it("is calculated where all of it is known", () => {
    const sum = namedStep("connections", literal(1).plus(2));
    expect(valuesOf(withInputs(sum, sum))).toEqual([3, 3]);
  });
});

describe("A named step in the validation of a variable", () => {
  const step = (text: string) => `\${/*step size*/(${text})/*end*/ < 5`;
  const configuration = (conditions: Readonly<Record<string, string>>) => ({
    locals: { other: "${/*step size*/(var.a + var.b)/*end*/}" },
    variable: Object.fromEntries(
      Object.entries(conditions).map(([name, condition]) => [name, { validation: [{ condition }] }]),
    ),
  });
  const conditionsOf = (conditions: Readonly<Record<string, string>>) => {
    const { variable: variables } = withNamedSteps(configuration(conditions)) as {
      variable: Record<string, { validation: { condition: string }[] }>;
    };
    return Object.fromEntries(Object.entries(variables).map(([name, each]) => [name, each.validation[0]?.condition]));
  };
  const sum = "var.a + var.b";

  it("is the local, where this refers to other variables", () => {
    expect(conditionsOf({ c: `${step(sum)} && var.c > 0}` })).toEqual({ c: "${local.size < 5 && var.c > 0}" });
  });

  it("stays where it is if Terraform would find a cycle", () => {
    expect(conditionsOf({ a: `${step(sum)} && var.a > 0}` })).toEqual({ a: `\${(${sum}) < 5 && var.a > 0}` });
    // What reads a variable waits for its validation, which here waits for the other one.
    const byOther = { a: "${var.a < var.c}", c: `${step(sum)} && var.c > 0}` };
    expect(conditionsOf(byOther)).toEqual({ a: byOther.a, c: `\${(${sum}) < 5 && var.c > 0}` });
  });

  it("stays where it is if the condition would not name its own variable", () => {
    expect(conditionsOf({ c: `${step(sum)}}` })).toEqual({ c: `\${(${sum}) < 5}` });
  });
});
