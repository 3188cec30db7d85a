import { parse } from "@cdktf/hcl2json";

import { hclFiles, type Origin } from "../../../lib/core/hcl/hcl-files";
import { fc } from "../../support/seeded-cases";

const origin = (): Origin => ({ path: ["main"], order: 0, blocks: {} });

/** The only file of a configuration. */
const written = (configuration: Readonly<Record<string, unknown>>, of: Partial<Origin> = {}): string => {
  const { "main.tf": text = "" } = hclFiles(configuration, () => ({ ...origin(), ...of }));
  return text.split("\n").slice(3).join("\n");
};

const readLocal = async (value: unknown): Promise<unknown> => {
  const { locals } = (await parse("main.tf", written({ locals: { value } }))) as { locals: { value: unknown }[] };
  return locals[0]?.value;
};

/** Pieces of templates, with those that a careless writer breaks. */
const PIECES = fc.constantFrom(
  '"',
  "\\b",
  "\n",
  "\t",
  "\r",
  "$${",
  "$",
  "%",
  "}",
  "{",
  "#",
  "//",
  "é",
  "\u{1f511}",
  " ",
  "\u0000",
  "<<EOT",
  "${var.name}",
  '${trim("in ${var.name} \\"quoted\\" }", " ")}',
  '${jsonencode({ a = "}" })}',
  '${join(",", [var.a, "$${b}"])}',
);

describe("A string of Terraform JSON", () => {
  it("is read back from HCL as it was, whatever it holds", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(PIECES, { minLength: 2, maxLength: 12 }), async (pieces) => {
        const text = `x${pieces.join("x")}x`;
        expect(await readLocal(text)).toBe(text);
      }),
    );
  });

  it("stays a text where Terraform evaluates nothing", () => {
    const { "variables.tf": text = "" } = hclFiles(
      { variable: { name: { type: "string", default: "${a} %{b}", description: 'a "${x}"' } } },
      origin,
    );
    expect(text).toContain('description = "a \\"$${x}\\""\n  type        = string\n  default     = "$${a} %%{b}"');
  });
});

/** Boolean expressions that mean the same in Terraform and in JavaScript; names are long, so that lines are broken. */
const NAMES = ["a", "b", "c"].map((letter) => `is_${letter.repeat(45)}`);
const { expression } = fc.letrec<{ expression: string }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...NAMES, "true", "false"),
    fc.tuple(tie("expression"), fc.constantFrom("&&", "||"), tie("expression")).map((parts) => parts.join(" ")),
    fc.tuple(tie("expression"), tie("expression"), tie("expression")).map(([a, b, c]) => `(${a}) ? ${b} : ${c}`),
    tie("expression").map((inner) => `(${inner})`),
    tie("expression").map((inner) => `!(${inner})`),
    tie("expression").map((inner) => `try(${inner}, false)`),
    // Brackets at the beginning of a condition that goes on.
    fc.constant(`((${NAMES.slice(0, 2).join(" || ")}) && ${NAMES[2]} ? ${NAMES[0]} : ${NAMES[1]})`),
  ),
}));

describe("A nested block", () => {
  const blocks = { lifecycle: {}, condition: {} };
  const resourceOf = (body: Readonly<Record<string, unknown>>) =>
    written({ resource: { a_b: { c: body } } }, { blocks }).trimEnd();

  it("stands on one line with a single short argument", () => {
    expect(resourceOf({ lifecycle: { ignore_changes: ["x"] } })).toBe(
      'resource "a_b" "c" {\n  lifecycle { ignore_changes = [x] }\n}',
    );
  });

  it("has an empty line before it, unless both stand on one line", () => {
    expect(resourceOf({ a: 1, condition: [{ title: "t" }, { title: "u" }], lifecycle: { x: 1, y: 2 } })).toBe(
      [
        'resource "a_b" "c" {',
        "  a = 1",
        "",
        '  condition { title = "t" }',
        '  condition { title = "u" }',
        "",
        "  lifecycle {",
        "    x = 1",
        "    y = 2",
        "  }",
        "}",
      ].join("\n"),
    );
  });

  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["two arguments", { title: "t", text: "x" }],
    ["a long one", { title: "t".repeat(100) }],
    ["another block", { dynamic: { condition: { for_each: [], content: {} } } }],
  ])("has lines of its own with %s", (_, condition) => {
    expect(resourceOf({ condition })).toContain("  condition {\n");
  });
});

describe("An expression that is broken over lines", () => {
  it("means what it meant", () => {
    const valueOf = (text: string, values: readonly boolean[]): unknown =>
      // eslint-disable-next-line @typescript-eslint/no-implied-eval, @typescript-eslint/no-unsafe-call
      new Function("try_", ...NAMES, `return ${text.replaceAll("try(", "try_(")}`)(
        (value: unknown) => value,
        ...values,
      );
    fc.assert(
      fc.property(expression, fc.tuple(fc.boolean(), fc.boolean(), fc.boolean()), (text, values) => {
        const [, lines = ""] = /value = ([\s\S]*)\n\}/.exec(written({ locals: { value: `\${${text}}` } })) ?? [];
        expect(valueOf(`(${lines})`, values)).toBe(valueOf(text, values));
      }),
      { numRuns: 500 },
    );
  });
});

describe("A long expression", () => {
  const items = Array.from({ length: 8 }, (_, index) => `"a-word-that-takes-room-${index}"`).join(", ");
  const linesOf = (value: string) =>
    written({ locals: { value: `\${${value}}` } })
      .trim()
      .split("\n")
      .slice(1, -1);

  it("opens with the name of its function and with the argument that is broken, if that is first or last", () => {
    const first = linesOf(`contains([${items}], var.word)`);
    expect([first[0], first.at(-1)]).toEqual(["  value = contains([", "  ], var.word)"]);
    const last = linesOf(`merge(local.some, { one = ${items.slice(0, 60)}", two = ${"local.two ".repeat(8).trim()} })`);
    expect(last[0]).toBe("  value = merge(local.some, {");
    const nested = linesOf(`substr(sha256(jsonencode([${items}])), 0, 8)`);
    expect([nested[0], nested.at(-1)]).toEqual(["  value = substr(sha256(jsonencode([", "  ])), 0, 8)"]);
  });

  it("has a line for each argument where two are long", () => {
    expect(linesOf(`concat([${items}], [${items}])`).at(0)).toBe("  value = concat(");
  });

  it("opens with its condition where one branch is broken", () => {
    const branch = `contains([${items}], var.word) && var.other == "a value"`;
    expect(linesOf(`var.word == null ? true : (${branch})`)[0]).toBe("  value = var.word == null ? true : (");
  });

  it("has neighbours that say something of the same value on one line", () => {
    const limits = [
      "floor(var.a_rather_long_name) == var.a_rather_long_name && var.a_rather_long_name >= 1000",
      "var.b >= 1 && var.a_rather_long_name <= 10000",
    ].join(" && ");
    expect(linesOf(limits)).toEqual([
      "  value = (",
      "    floor(var.a_rather_long_name) == var.a_rather_long_name && var.a_rather_long_name >= 1000 &&",
      "    var.b >= 1 &&",
      "    var.a_rather_long_name <= 10000",
      "  )",
    ]);
  });
});

describe("A block of Terraform itself", () => {
  it("is in the file where readers look for it", () => {
    const files = hclFiles(
      {
        terraform: {
          required_version: ">= 1.11.0, != 1.16.0",
          required_providers: { google: { source: "hashicorp/google" } },
          backend: { gcs: { bucket: "states" } },
        },
        provider: { google: [{ project: "p" }, { alias: "other" }] },
        module: { part: { source: "./part", providers: { google: "google.other" } } },
        moved: [{ from: "a.b", to: "a.c" }],
        output: { url: { value: "${var.x}", description: "a ${b}" } },
      },
      origin,
    );
    expect(Object.keys(files)).toEqual(["versions.tf", "root.tf", "outputs.tf", "moved.tf", "main.tf"]);
    expect(files["root.tf"]).toContain('terraform {\n  backend "gcs" { bucket = "states" }\n}\n\nprovider');
    expect(files["main.tf"]).toContain('  source    = "./part"\n');
    expect(files["main.tf"]).toContain("  providers = { google = google.other }\n");
    expect(files["moved.tf"]).toContain("  from = a.b\n  to   = a.c\n");
    expect(files["outputs.tf"]).toContain('  description = "a $${b}"\n  value       = var.x\n');
    expect(() => hclFiles({ list: {} }, origin)).toThrow("list: no such blocks are known in HCL");
  });
});
