import { TerraformLocal } from "cdktf";

import { type Expr, exprOf, interpolated, literal, reference } from "../../../lib/core/expr/expr";
import * as hcl from "../../../lib/core/expr/functions";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { bareStack, terraformOf } from "../../support/synthesis";

const VALUES = {
  word: "a-word.example",
  number: "12",
  words: ["b", "a", "", "b"],
  others: ["b", "c"],
  sizes: [3, 1, 2],
  map: { other: "yy", one: "x" },
  unsorted: { b: 2, a: { d: 1, c: null } },
} as const;
type Values = { readonly [Name in keyof typeof VALUES]: Expr<(typeof VALUES)[Name]> };

const KNOWN = Object.fromEntries(
  Object.entries(VALUES).map(([name, value]) => [name, literal(value)]),
) as never as Values;
const OPEN = Object.fromEntries(
  Object.keys(VALUES).map((name) => [name, reference(`local.${name}`, { knownAt: "plan", mayBeNull: false })]),
) as never as Values;

/** An expression, its value, and how it is printed. */
const FUNCTIONS: readonly (readonly [make: (v: Values) => Expr, value: unknown, printed: string])[] = [
  [(v) => hcl.startsWith(v.word, "a-"), true, 'startswith(local.word, "a-")'],
  [(v) => hcl.endsWith(v.word, ".org"), false, 'endswith(local.word, ".org")'],
  [(v) => hcl.includes(v.word, "word"), true, 'strcontains(local.word, "word")'],
  [(v) => hcl.trimPrefix(v.word, "a-"), "word.example", 'trimprefix(local.word, "a-")'],
  [(v) => hcl.trimSuffix(v.word, ".example"), "a-word", 'trimsuffix(local.word, ".example")'],
  [(v) => hcl.replace(v.word, "w", "$&"), "a-$&ord.example", 'replace(local.word, "w", "$&")'],
  [
    (v) => hcl.replaceMatches(v.word, "^[a-z]-", "the-"),
    "the-word.example",
    'replace(local.word, "/^[a-z]-/", "the-")',
  ],
  [
    (v) =>
      hcl.holdsFor(
        hcl.sum(v.sizes).plus(hcl.element(v.sizes, 0)).plus(hcl.element(v.sizes, 1)),
        (size) => size.ge(10).and(size.lt(11)),
        "size",
      ),
    true,
    "anytrue([for size in [sum(local.sizes) + local.sizes[0] + local.sizes[1]] : size >= 10 && size < 11])",
  ],
  [(v) => hcl.isJson(v.number), true, "can(jsondecode(local.number))"],
  [(v) => hcl.isJson(v.word), false, "can(jsondecode(local.word))"],
  [(v) => hcl.trimSpace(interpolated`\u00a0${v.word} \t`), "a-word.example", 'trimspace("\u00a0${local.word} \\t")'],
  [(v) => hcl.split(".", v.word), ["a-word", "example"], 'split(".", local.word)'],
  [(v) => hcl.element(hcl.split(".", v.word), 1), "example", 'split(".", local.word)[1]'],
  [(v) => hcl.upper(v.word), "A-WORD.EXAMPLE", "upper(local.word)"],
  [(v) => hcl.lower(v.word), "a-word.example", "lower(local.word)"],
  [
    (v) => interpolated`(${v.word} "${v.number}"$\{x})`,
    '(a-word.example "12"${x})',
    '"(${local.word} \\"${local.number}\\"$${x})"',
  ],
  [(v) => hcl.jsonOf(v.unsorted), '{"a":{"c":null,"d":1},"b":2}', "jsonencode(local.unsorted)"],
  [(v) => hcl.jsonOf(v.words), '["b","a","","b"]', "jsonencode(local.words)"],
  [(v) => hcl.captured(v.word, "^(.)-([a-z]+)", 1), "word", 'regex("^(.)-([a-z]+)", local.word)[1]'],
  [(v) => hcl.toNumber(v.number), 12, "tonumber(local.number)"],
  [(v) => hcl.toText(hcl.toNumber(v.number)), "12", "tostring(tonumber(local.number))"],
  [(v) => hcl.one(hcl.intersection(v.words, v.others)), "b", "one(setintersection(local.words, local.others))"],
  [(v) => hcl.one(hcl.difference(v.others, ["b", "c"])), null, 'one(setsubtract(local.others, ["b", "c"]))'],
  [(v) => hcl.sum(v.sizes), 6, "sum(local.sizes)"],
  [(v) => hcl.min(v.sizes.length(), 2), 2, "min(length(local.sizes), 2)"],
  [(v) => hcl.max(v.sizes.length(), 2), 3, "max(length(local.sizes), 2)"],
  [(v) => hcl.keys(v.map), ["one", "other"], "keys(local.map)"],
  [(v) => hcl.values(v.map), ["x", "yy"], "values(local.map)"],
  [(v) => hcl.lookup(v.map, "one", ""), "x", 'lookup(local.map, "one", "")'],
  [(v) => hcl.lookup(v.map, "none", ""), "", 'lookup(local.map, "none", "")'],
  [(v) => hcl.compact(v.words), ["b", "a", "b"], "compact(local.words)"],
  [(v) => hcl.concat<string>(v.words, v.others), ["b", "a", "", "b", "b", "c"], "concat(local.words, local.others)"],
  [
    (v) => hcl.flatten<string>([v.words, v.others]),
    ["b", "a", "", "b", "b", "c"],
    "flatten([local.words, local.others])",
  ],
  [(v) => hcl.distinct(v.words), ["b", "a", ""], "distinct(local.words)"],
  [(v) => hcl.isDistinct(v.words), false, "length(distinct(local.words)) == length(local.words)"],
  [(v) => hcl.intersection(v.words, v.others), ["b"], "setintersection(local.words, local.others)"],
  [(v) => hcl.difference(v.others, v.words), ["c"], "setsubtract(local.others, local.words)"],
  [
    (v) => hcl.every(v.words, (word) => word.matches("^[ab]$")),
    false,
    'alltrue([for item in local.words : can(regex("^[ab]$", item))])',
  ],
  [
    (v) => hcl.some(v.words, (word) => word.matches("^a$")),
    true,
    'anytrue([for item in local.words : can(regex("^a$", item))])',
  ],
  [
    (v) => hcl.everyEntry(v.map, (key, value) => key.ne("three").and(value.length().le(2))),
    true,
    'alltrue([for key, value in local.map : key != "three" && length(value) <= 2])',
  ],
  [
    (v) => hcl.someEntry(v.map, (key, value) => key.eq("one").and(value.eq("yy"))),
    false,
    'anytrue([for key, value in local.map : key == "one" && value == "yy"])',
  ],
  [
    (v) =>
      hcl.each(
        v.words,
        (word) => interpolated`${word}!`,
        (word) => word.ne(""),
      ),
    ["b!", "a!", "b!"],
    '[for item in local.words : "${item}!" if item != ""]',
  ],
  [(v) => hcl.eachEntry(v.map, (key) => key), ["one", "other"], "[for key, value in local.map : key]"],
];

describe.each(FUNCTIONS)("A function of expressions, %s,", (make, value, printed) => {
  it("is calculated at synthesis where its operands are known, and printed elsewhere", () => {
    expect(make(KNOWN).literal).toEqual(value);
    const stack = bareStack();
    new TerraformLocal(stack, "value", make(OPEN));
    const { locals } = terraformOf(stack);
    expect(locals?.value).toBe(`\${${printed}}`);
  });
});

describeWith(["terraform"], "Functions of expressions, calculated by Terraform", () => {
  it("have the same values", () => {
    const stack = bareStack();
    for (const [name, value] of Object.entries(VALUES)) new TerraformLocal(stack, name, value);
    for (const [index, [make]] of FUNCTIONS.entries()) new TerraformLocal(stack, `case_${index}`, make(OPEN));
    const expected = Object.fromEntries(FUNCTIONS.map(([, value], index) => [`case_${index}`, value]));
    expect(evaluated(terraformOf(stack))).toMatchObject(expected);
  });
});

describe("An expression at which Terraform would stop", () => {
  const list = reference<readonly string[]>("local.words", { knownAt: "plan", mayBeNull: false });

  it.each<[string, Expr, unknown]>([
    ["a number in words", hcl.toNumber(literal("x")).ge(1), false],
    ["a pattern that does not match", hcl.captured(literal("x"), "(y)", 0).eq("y"), false],
    ["what is missing", literal<readonly string[] | null>(null).length().ge(0), false],
    ["an item that is not there", hcl.element(hcl.split("/", literal("x")), 1).eq("y"), false],
    ["a number without an end", literal(Infinity).ge(0), false],
    ["one of many items", hcl.every(literal(["1", "x"]), (item) => hcl.toNumber(item).ge(1)), false],
  ])("has the value of its fallback: %s", (_, expression, expected) => {
    expect(expression.fails).toBe(true);
    expect(expression.tryOr(expected).literal).toBe(expected);
  });

  it("does not decide an alternative, and is not asked where another value decides", () => {
    const failing = hcl.toNumber(literal("x")).ge(1);
    expect(literal("y").eq("y").or(failing).literal).toBe(true);
    expect(literal(null).isNullOr(() => failing).literal).toBe(true);
    expect(literal<string | null>(null).isSetAnd(() => failing).literal).toBe(false);
  });

  it("has a fallback only where it can stop", () => {
    const holds = hcl.every(list, (item) => item.matches("^x$")).and(list.length().ge(1));
    expect(holds.tryOr(false)).toBe(holds);
    expect(hcl.every(list, (item) => hcl.toNumber(item).ge(1)).canFail).toBe(true);
    expect([2, list.length()].map((divisor) => list.length().dividedBy(divisor).canFail)).toEqual([false, true]);
  });
});

describe("A list that is known to be empty", () => {
  const open = reference<readonly string[]>("local.words", { knownAt: "plan", mayBeNull: false });
  const empty = literal<readonly string[]>([]);

  it("has no part in a longer list, and nothing in common with another one", () => {
    expect(hcl.concat(empty, open, empty)).toBe(open);
    expect(hcl.intersection(open, empty).literal).toEqual([]);
  });

  it("stays beside a list that may be null, which Terraform refuses there", () => {
    const perhaps = reference<readonly string[]>("local.words", { knownAt: "plan", mayBeNull: true });
    expect(hcl.concat(empty, perhaps)).not.toBe(perhaps);
  });
});

describe("A list of which some items are known", () => {
  const open = reference<string>("var.x", { knownAt: "plan", mayBeNull: false });

  it("is decided by these where that is possible", () => {
    const list = exprOf<readonly unknown[]>(["a", open, "a"]) as Expr<readonly string[]>;
    expect(hcl.isDistinct(list).literal).toBe(false);
    expect(hcl.every(list, (item) => item.eq("a")).isLiteral).toBe(false);
    expect(hcl.every(list, (item) => item.eq("b")).literal).toBe(false);
    expect(hcl.some(list, (item) => item.eq("a")).literal).toBe(true);
  });
});
