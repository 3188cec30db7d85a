import { ComputeNetwork } from "@cdktf/provider-google/lib/compute-network";
import { conditional, Fn, Lazy, TerraformLocal, TerraformVariable, Token } from "cdktf";

import {
  allOf,
  anyOf,
  call,
  type Expr,
  exprOf,
  hcl,
  interpolated,
  literal,
  reference,
} from "../../../lib/core/expr/expr";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { fc } from "../../support/seeded-cases";
import { bareStack, terraformOf } from "../../support/synthesis";

const variable = <T>(name: string) => reference<T>(`var.${name}`, { knownAt: "plan", mayBeNull: true });

/** What an expression is in Terraform JSON. */
function written(value: unknown): unknown {
  const stack = bareStack();
  new TerraformLocal(stack, "value", value);
  return terraformOf(stack).locals?.value;
}

const a = variable<boolean>("a");
const b = variable<boolean>("b");
const c = variable<boolean>("c");
const n = variable<number>("n");
const text = variable<string | null>("text");

describe("An expression", () => {
  it.each<[string, unknown, unknown]>([
    ["a literal", literal("x"), "x"],
    ["a literal with a marker of templates", literal("${x} %{y}"), "$${x} %%{y}"],
    ["a number", literal(3), 3],
    ["null", literal(null), null],
    ["a reference", a, "${var.a}"],
    ["and below or", a.and(b).or(c), "${var.a && var.b || var.c}"],
    ["or below and", a.or(b).and(c), "${(var.a || var.b) && var.c}"],
    ["and in and", a.and(b.and(c)), "${var.a && var.b && var.c}"],
    ["or in or", a.or(b).or(c), "${var.a || var.b || var.c}"],
    [
      "a condition that repeats another",
      a.and(text.isSet(), b, text.isSet().and(a)),
      "${var.a && var.text != null && var.b}",
    ],
    ["a negated comparison", text.eq("x").not(), '${var.text != "x"}'],
    ["a twice negated one", text.eq("x").not().not(), '${var.text == "x"}'],
    ["a negated reference", a.not(), "${!var.a}"],
    ["a negated negation", a.not().not(), "${var.a}"],
    ["a negated operation", a.and(b).not(), "${!(var.a && var.b)}"],
    ["a comparison with null", text.isNull(), "${var.text == null}"],
    ["one with what is set", text.isSet(), "${var.text != null}"],
    ["a comparison of numbers", n.plus(1).le(n.times(2)), "${var.n + 1 <= var.n * 2}"],
    ["a comparison of comparisons", n.lt(1).eq(a), "${var.n < 1 == var.a}"],
    ["a sum in a product", n.plus(1).times(2), "${(var.n + 1) * 2}"],
    ["a difference from a difference", n.minus(n.minus(1)), "${var.n - (var.n - 1)}"],
    ["a choice in a choice", a.choose(b.choose(1, 2), c.choose(3, 4)), "${var.a ? (var.b ? 1 : 2) : (var.c ? 3 : 4)}"],
    ["a choice in a condition", a.choose(b, c).and(b), "${(var.a ? var.b : var.c) && var.b}"],
    ["a fallback", text.coalesce("x"), '${coalesce(var.text, "x")}'],
    ["a fallback that may be null", text.ifNull(variable("y")), "${var.text == null ? var.y : var.text}"],
    ["null as a text", interpolated`a${literal(null).text}`, '${"a${null}"}'],
    ["a pattern", text.matches("^[a-z]{1,3}\\d$"), '${can(regex("^[a-z]{1,3}\\\\d$", var.text))}'],
    ["one of a few", text.isOneOf(["x", "y"]), '${contains(["x", "y"], var.text)}'],
    ["a member", variable("object").member("name"), "${var.object.name}"],
    ["a member of an operation", hcl`${a} ? x : y`.member("name"), "${(var.a ? x : y).name}"],
    ["a list with a reference", exprOf(["x", text]), ["x", "${var.text}"]],
    ["a call with it", call("compact", [["x", text]]), '${compact(["x", var.text])}'],
    ["an object with one", call("keys", [{ x: text, "y z": 1 }]), '${keys({ x = var.text, "y z" = 1 })}'],
    [
      "HCL by hand",
      hcl`[for x in ${a.choose(b, c)} : x if ${a.or(b)}]`,
      "${[for x in (var.a ? var.b : var.c) : x if var.a || var.b]}",
    ],
    ["a comparison of it", hcl<number>`length(${text}) - 1`.ge(2), "${(length(var.text) - 1) >= 2}"],
    ["a comparison of a call", hcl<number>`length(${text})`.ge(2), "${length(var.text) >= 2}"],
  ])("writes %s with the parentheses that it needs", (_, expression, expected) => {
    expect(written(expression)).toEqual(expected);
  });

  it.each<[string, Expr, unknown]>([
    ["a condition with what is false", allOf(a, false), false],
    ["an alternative with what is true", anyOf(a, true), true],
    ["a comparison of words", literal("x").eq("x"), true],
    ["a comparison of numbers", literal(3).ge(4), false],
    ["arithmetic", literal(3).plus(4).times(2).minus(1).dividedBy(13).modulo(2).floor(), 1],
    ["a fallback", literal<string | null>(null).coalesce("x"), "x"],
    ["a fallback of an empty text, which coalesce skips", literal<string | null>("").coalesce("x"), "x"],
    ["what is null", literal(null).isNull(), true],
    ["a fallback of no text", literal<string | null>(null).ifNull(""), ""],
    ["what is null as a text", exprOf(literal(null).text).isNull(), true],
    ["what a list is as a text", exprOf<unknown>(literal(["x"]).text).length(), 1],
    ["whether a list is null", exprOf(["x", text]).isNull(), false],
    ["the length of a list that is not known", exprOf(["x", text]).length(), 2],
    ["a member of an object", exprOf({ x: 1, y: text }).member("x"), 1],
    ["a missing member of one", exprOf({ x: 1, y: text }).member("z"), null],
    ["an element", literal(["x", "y"]).contains("y"), true],
    ["a pattern", literal("abc").matches("^[a-z]+$"), true],
    ["whether a choice is null", a.choose("x", "y").isNull(), false],
    ["what cannot fail", literal("x").tryOr("y"), "x"],
  ])("calculates %s at synthesis", (_, expression, expected) => {
    expect(expression.isLiteral).toBe(true);
    expect(expression.literal).toEqual(expected);
  });

  it("is the condition of a choice that is null only then", () => {
    expect(written(a.choose("x", literal<string | null>(null)).isSet())).toBe("${var.a}");
    expect(written(a.choose<string | null>("x", text).isNull())).toBe("${!var.a && var.text == null}");
    expect(written(a.choose<string | null>(text, "x").isNull())).toBe("${var.a && var.text == null}");
  });

  it("leaves out what changes nothing", () => {
    expect(allOf(true, a, a)).toBe(a);
    expect(anyOf(false, a)).toBe(a);
    expect(a.choose(true, false)).toBe(a);
  });

  it("asks for what may be null only where it is not, unless nothing fails then", () => {
    expect(written(text.isNullOr((word) => word.matches("^a")))).toBe(
      '${var.text == null || can(regex("^a", var.text))}',
    );
    expect(written(n.isNullOr((number) => number.ge(1)))).toBe("${var.n == null ? true : var.n >= 1}");
    expect(written(text.isSetAnd((word) => word.eq("a")))).toBe('${var.text != null && var.text == "a"}');
    expect(written(n.isSetAnd((number) => number.ge(1).not()))).toBe("${var.n != null ? var.n < 1 : false}");
  });

  it("fails negated where it does otherwise, and nowhere else", () => {
    const isShort = text.coalesce("").matches("^.{3}$");
    expect([isShort.and(a.present).not().canFail, n.ge(1).and(b).not().canFail]).toEqual([false, true]);
  });

  it("can be read at a glance, or not", () => {
    expect([text.isSet().isLong, a.and(text.isNull(), variable("existing_database").isNull()).isLong]).toEqual([
      false,
      true,
    ]);
  });

  it("knows when its value is known", () => {
    const id = reference("google_x.y.id", { knownAt: "apply", mayBeNull: false });
    expect(literal(1).plus(2).knownAt).toBe("synth");
    expect(n.plus(1).knownAt).toBe("plan");
    expect(exprOf([n, id]).knownAt).toBe("apply");
    expect(id.isNull().knownAt).toBe("synth");
    expect(a.and(hcl`${id} == ${n}`).names).toEqual(["var.a", "google_x.y.id", "var.n"]);
  });

  it("has no value before the plan", () => {
    expect(() => a.literal).toThrow("an expression has no value before the plan");
  });
});

describe("An expression with what a caller may give", () => {
  const stack = bareStack();
  const network = new ComputeNetwork(stack, "network", { name: "network" });
  const given = new TerraformVariable(stack, "given", { type: "any" });
  const local = (value: unknown): unknown => {
    const id = `local_${stack.node.children.length}`;
    new TerraformLocal(stack, id, value);
    return terraformOf(stack).locals?.[id];
  };
  const id = "google_compute_network.network.id";
  const TWO_TEXTS = `"\${${id}}-\${var.given}"`;
  const instances = reference(`${network.fqn}[*].id`, { knownAt: "apply", mayBeNull: false });

  it.each<[string, unknown, string]>([
    ["an attribute", network.id, id],
    ["text around a token", `a "${network.id}" b`, `"a \\"\${${id}}\\" b"`],
    ["text around two", `${network.id}/${given.stringValue}`, `"\${${id}}/\${var.given}"`],
    ["text around a number", `v${given.numberValue}`, '"v${var.given}"'],
    ["a choice of the framework", Token.asString(conditional(given.value, "a", "b")), '(var.given ? "a" : "b")'],
    ["a call of the framework", Fn.join("-", ["a", given.stringValue]), 'join("-", ["a", var.given])'],
    ["a number", given.numberValue, "var.given"],
    ["a list", given.listValue, "var.given"],
    ["a list with a token", ["x", given.stringValue], '["x", var.given]'],
    ["an object with one", { name: given.stringValue }, "{ name = var.given }"],
    ["a lazy literal", Lazy.stringValue({ produce: () => "later" }), '"later"'],
    ["a lazy token", Lazy.stringValue({ produce: () => given.stringValue }), "var.given"],
    [
      "a lazy object",
      Lazy.anyValue({ produce: () => ({ name: given.stringValue, x: "y" }) }),
      '{ name = var.given, x = "y" }',
    ],
    [
      "a call with an address that is made of a token",
      call("one", [instances]),
      "one(google_compute_network.network[*].id)",
    ],
    ["a lazy text around tokens", Lazy.stringValue({ produce: () => `${network.id}-${given.stringValue}` }), TWO_TEXTS],
    [
      "a text around tokens in an object",
      hcl`length(${Token.asAny({ x: `${network.id}-${given.stringValue}` })})`,
      `length({ x = ${TWO_TEXTS} })`,
    ],
    ["an expression in a token", exprOf<unknown>(variable("x").text), "var.x"],
  ])("prints %s rightly", (_, value, printed) => {
    expect(local(exprOf(value).eq("y"))).toBe(`\${${printed} == "y"}`);
  });

  it("stands in texts and calls of the framework", () => {
    expect(local(`a-${a.choose("x", "y").text}`)).toBe('a-${var.a ? "x" : "y"}');
    expect(local(Fn.join("-", [a.choose("x", "y").text, exprOf(`${network.id}/x`).text]))).toBe(
      `\${join("-", [(var.a ? "x" : "y"), "\${${id}}/x"])}`,
    );
    expect(local(exprOf(`${network.id}/x`))).toBe(`\${${id}}/x`);
  });
});

/** Expressions of literals, whose value is calculated here, and the same of variables, which Terraform calculates. */
interface Twin<T> {
  readonly known: Expr<T>;
  readonly open: Expr<T>;
}

function twin<T>(known: Expr<T>, open: Expr<T>): Twin<T> {
  return { known, open };
}

const VALUES = { zero: 0, one: 1, five: 5, yes: true, no: false, word: "word", other: "other ${x}" } as const;
const valueOf = <T>(name: keyof typeof VALUES) =>
  twin<T>(literal(VALUES[name] as T), reference<T>(`var.${name}`, { knownAt: "plan", mayBeNull: false }));

const pairs = fc.letrec<{ flag: Twin<boolean>; number: Twin<number>; text: Twin<string> }>((tie) => {
  const flag = tie("flag");
  const number = tie("number");
  const word = tie("text");
  type Numbers = "lt" | "le" | "gt" | "ge";
  return {
    number: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom<"five" | "one" | "zero">("five", "one", "zero").map((name) => valueOf<number>(name)),
      fc
        .tuple(fc.constantFrom<"minus" | "plus" | "times">("minus", "plus", "times"), number, number)
        .map(([operator, one, other]) => twin(one.known[operator](other.known), one.open[operator](other.open))),
      fc
        .tuple(flag, number, number)
        .map(([when, yes, no]) => twin(when.known.choose(yes.known, no.known), when.open.choose(yes.open, no.open))),
    ),
    text: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom<"other" | "word">("other", "word").map((name) => valueOf<string>(name)),
      fc
        .tuple(flag, word, word)
        .map(([when, yes, no]) => twin(when.known.choose(yes.known, no.known), when.open.choose(yes.open, no.open))),
    ),
    flag: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      fc.constantFrom<"no" | "yes">("no", "yes").map((name) => valueOf<boolean>(name)),
      fc
        .tuple(fc.constantFrom<Numbers>("ge", "gt", "le", "lt"), number, number)
        .map(([operator, one, other]) => twin(one.known[operator](other.known), one.open[operator](other.open))),
      fc.tuple(word, word).map(([one, other]) => twin(one.known.eq(other.known), one.open.eq(other.open))),
      fc.tuple(flag, flag).map(([one, other]) => twin(one.known.and(other.known), one.open.and(other.open))),
      fc.tuple(flag, flag).map(([one, other]) => twin(one.known.or(other.known), one.open.or(other.open))),
      flag.map((one) => twin(one.known.not(), one.open.not())),
      word.map((one) => twin(one.known.matches("^w"), one.open.matches("^w"))),
    ),
  };
});

describeWith(["terraform"], "An expression of variables, calculated by Terraform", () => {
  it("has the value of the same expression of literals", () => {
    const cases = fc.sample(fc.oneof<fc.Arbitrary<Twin<unknown>>[]>(pairs.flag, pairs.number, pairs.text), {
      numRuns: 300,
      seed: 11,
    });
    const stack = bareStack();
    for (const [name, value] of Object.entries(VALUES)) new TerraformLocal(stack, `value_${name}`, literal(value));
    const expected = Object.fromEntries(cases.map(({ known }, index) => [`case_${index}`, known.literal]));
    for (const [index, { open }] of cases.entries()) new TerraformLocal(stack, `case_${index}`, open);
    const terraform = JSON.parse(
      JSON.stringify(terraformOf(stack)).replaceAll(/var\.(\w+)/g, "local.value_$1"),
    ) as ReturnType<typeof terraformOf>;
    expect(evaluated(terraform)).toMatchObject(expected);
  });
});
