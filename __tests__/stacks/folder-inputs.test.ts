import { readFileSync } from "node:fs";

import Ajv, { type ValidateFunction } from "ajv";

import { hclFilesOf } from "../../lib/core/hcl/stack-origin";
import { type Table, text } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { settledInput } from "../../lib/core/inputs/settled-inputs";
import { packageFile } from "../../lib/core/package-file";
import { RECOMMENDED_VERSION } from "../../lib/idp/releases";
import { KUBERNETES_INPUTS } from "../../lib/kubernetes-identity-provider";
import { LAB } from "../../lib/lab/lab-inputs";
import { SERVERLESS_INPUTS } from "../../lib/serverless-identity-provider";
import { exampleValues } from "../../stacks/folder/example-values";
import { inputSchema } from "../../stacks/folder/input-schema";
import { firstInputs, INPUT_GROUPS } from "../../stacks/input-groups";
import {
  ACCEPTED,
  ACCEPTED_BY_KUBERNETES,
  ACCEPTED_PROTECTIONS,
  ACCEPTED_SETS,
  ACCEPTED_SETS_OF_KUBERNETES,
  ACCEPTED_SETS_OF_LAB,
  type AcceptedInputs,
} from "./accepted-inputs";
import { type Inputs } from "./terraform-run";
import { VARIANTS } from "./variants";

interface Folder {
  readonly name: string;
  readonly inputs: Table;
  readonly accepted: AcceptedInputs;
}

const each = (values: Readonly<Record<string, readonly unknown[]>>): AcceptedInputs =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, list]) =>
      list.map((value) => [`${name} ${JSON.stringify(value)}`, { [name]: value }]),
    ),
  );

const FOLDERS: readonly Folder[] = [
  {
    name: "idp-serverless",
    inputs: SERVERLESS_INPUTS,
    accepted: { ...ACCEPTED_SETS, ...each({ ...ACCEPTED, protection: ACCEPTED_PROTECTIONS }) },
  },
  {
    name: "idp-kubernetes",
    inputs: KUBERNETES_INPUTS,
    accepted: { ...ACCEPTED_SETS_OF_KUBERNETES, ...each(ACCEPTED_BY_KUBERNETES) },
  },
  { name: "assessment-lab", inputs: LAB, accepted: ACCEPTED_SETS_OF_LAB },
];

const pageText = (stack: string) => readFileSync(packageFile(`stacks/${stack}.md`), "utf8");

/** The rows under their Terraform names. */
const rowsOf = (inputs: Table) => Object.entries(inputs).map(([name, row]) => [terraformName(name), row] as const);

const PROJECT = { project_id: "demo-project" };

describe.each(FOLDERS)("The schema of the inputs of $name", ({ accepted, inputs, name }) => {
  const accepts = schemaCheck(name, inputs);

  it("contains each input with its description, and requires those without a default", () => {
    const { properties, required } = inputSchema(name, inputs) as {
      properties: Record<string, { description?: string; default?: unknown }>;
      required: string[];
    };
    for (const [input, { description, default: value }] of rowsOf(inputs))
      expect([input, properties[input]?.description, properties[input]?.default]).toEqual([input, description, value]);
    expect(Object.keys(properties)).toEqual(["$schema", ...rowsOf(inputs).map(([input]) => input)]);
    expect(required).toEqual(["project_id"]);
    expect(accepts({})).toBe(false);
    expect(accepts({ $schema: "./inputs.schema.json", ...PROJECT })).toBe(true);
  });

  it.each(Object.entries(accepted))("accepts what Terraform accepts: %s", (_, values) => {
    accepts({ ...PROJECT, ...values });
    expect(accepts.errors ?? []).toEqual([]);
  });

  it("accepts every default, null for it, and numbers and switches as text", () => {
    for (const [input, { default: value, type }] of rowsOf(inputs)) {
      if (value === undefined) continue;
      const texts = type === "bool" || type === "number" ? [JSON.stringify(value ?? 1)] : [];
      for (const given of [value, null, ...texts]) {
        accepts({ ...PROJECT, [input]: given });
        expect([input, given, accepts.errors ?? []]).toEqual([input, given, []]);
      }
    }
  });

  it("refuses unknown names, which Terraform ignores", () => {
    expect(accepts({ ...PROJECT, regoin: "us-central1" })).toBe(false);
  });
});

describe("The inputs of an identity provider", () => {
  it("come with an example that sets the newest patch of the tested release, and says why", () => {
    const text = exampleValues("idp-serverless", SERVERLESS_INPUTS);
    expect(text).toContain(`\napplication_version = "${RECOMMENDED_VERSION}"\n`);
    expect(text.replaceAll("\n# ", " ")).toContain("later patches fix vulnerabilities");
  });

  it.each([
    ["idp-serverless", SERVERLESS_INPUTS, /GKE|[Kk]ubernetes|[Cc]luster|\bpods?\b/],
    ["idp-kubernetes", KUBERNETES_INPUTS, /Cloud Run|run\.app/],
  ] as const)("say nothing of the other platform in %s", (_, inputs: Table, other) => {
    const texts = rowsOf(inputs).map(([input, { description }]) => `${input}: ${description}`);
    expect(texts.filter((text) => other.test(text))).toEqual([]);
  });
});

describe("The groups of the inputs of identity providers", () => {
  it.each(INPUT_GROUPS)("have guides in which their inputs occur: $title", ({ guides, inputs }) => {
    const text = guides.map((guide) => readFileSync(packageFile(`stacks/guides/${guide}`), "utf8")).join("\n");
    const missing = inputs.map(terraformName).filter((name) => !new RegExp(`\\b${name}\\b`).test(text));
    expect(missing.length).toBeLessThanOrEqual(inputs.length * 0.75);
  });

  it("have each of them once, and no other", () => {
    const inputs = [...Object.keys(SERVERLESS_INPUTS), ...Object.keys(KUBERNETES_INPUTS)];
    expect(INPUT_GROUPS.flatMap((group) => group.inputs).sort()).toEqual([...new Set(inputs)].sort());
  });

  it.each(
    VARIANTS.map((variant) => ({
      ...variant,
      table: variant.name === "idp-serverless" ? SERVERLESS_INPUTS : KUBERNETES_INPUTS,
    })),
  )(
    "are in the same order on the page, in the example and among the variables of $name",
    ({ name, stack: stackOf, table }) => {
      const stack = stackOf();
      const { "variables.tf": variables = "" } = hclFilesOf(stack, stack.toTerraform(), {});
      const [page = ""] = pageText(name).split("\n## Outputs\n");
      const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, input]) => input);
      const groups = INPUT_GROUPS.map((group) => ({ ...group, inputs: group.inputs.filter((each) => each in table) }));
      const expected = groups.flatMap(({ inputs }) => inputs.map(terraformName));
      expect(namesIn(page.split("<!-- inputs")[1] ?? "", /^\| `(\w+)` \|/gm)).toEqual(expected);
      const sections = firstInputs(Object.fromEntries(expected.map((each) => [each, true])));
      const first = sections.flatMap((section) => section.inputs.map(({ name: input }) => input));
      const inExample = namesIn(exampleValues(name, table), /^#?(\w+) = /gm);
      expect(inExample).toEqual([...first, ...expected.filter((each) => !first.includes(each))]);
      expect(namesIn(variables, /^variable "(\w+)"/gm)).toEqual(expected);
      for (const { guides, inputs, title } of groups) {
        const [first = ""] = inputs;
        if (first === "") continue;
        expect(page).toContain(`\n### ${title}\n`);
        expect(variables).toContain(
          `\n# ${title}: ${guides.map((guide) => `guides/${guide}`).join(", ")}\nvariable "${terraformName(first)}" {`,
        );
      }
    },
  );
});

describe("The group of existing parts", () => {
  const NOTE =
    'In other groups: existing_container_image in "Release and image", existing_security_policy in "Domain and protection",';
  const unwrapped = (text: string) => text.replaceAll("\n# ", " ");

  it("says where the other inputs are that name what exists, on the page and in the example", () => {
    const texts = [pageText("idp-serverless"), unwrapped(exampleValues("idp-serverless", SERVERLESS_INPUTS))];
    for (const text of texts) expect(text).toContain(`${NOTE} existing_backup_plan in "Backup and restore".`);
  });

  it("says so of those alone that a folder still has", () => {
    const { existingBucket, existingBackupPlan } = SERVERLESS_INPUTS;
    const text = exampleValues("idp-serverless", { existingBackupPlan, existingBucket });
    expect(text).toContain('\n# In other groups: existing_backup_plan in "Backup and restore".\n');
    expect(exampleValues("idp-serverless", { existingBucket })).not.toContain("In other groups");
  });
});

describe("The schema of an identity provider's inputs", () => {
  const accepts = schemaCheck("idp-serverless", SERVERLESS_INPUTS);

  it.each<[string, Inputs]>([
    ["a word for a number", { max_instance_count: "many" }],
    ["a half instance", { max_instance_count: 1.5 }],
    ["a list for a text", { region: ["us-central1"] }],
    ["an unknown member", { smtp: { host: "smtp.example.com", from: "idp@example.com", prot: 587 } }],
    ["an object without a required member", { smtp: { host: "smtp.example.com" } }],
  ])("refuses %s", (_, values) => {
    expect(accepts({ ...PROJECT, ...values })).toBe(false);
  });
});

describe.each(FOLDERS)("What must be set in a folder for one deployment of $name", ({ inputs }) => {
  /** Paths of inputs, and of members. */
  const pathsOf = (table: Table, prefix = ""): string[] =>
    rowsOf(table).flatMap(([name, { members = {} }]) => [`${prefix}${name}`, ...pathsOf(members, `${prefix}${name}.`)]);

  it("is not said to be possibly null or empty", () => {
    const settlements = new Map(pathsOf(inputs).map((path) => [path, "present"] as const));
    const texts = Object.entries(inputs).map(([name, row]) => {
      const { description = "" } = settledInput(name, row, { values: {}, settlements }).row ?? {};
      return `${terraformName(name)}: ${description}`;
    });
    expect(
      texts.filter((text) => /(?<!dumps.schedule is )\bnull\b|\b(Null|Empty)\b|\bWithout an?y?\b/.test(text)),
    ).toEqual([]);
    // What else a description says stays.
    expect(texts.filter((text) => !text.endsWith(".") || /[.]{2}| [.;]/.test(text))).toEqual([]);
  });
});

it("says of members that may be null what that means", () => {
  const { existingDatabase } = SERVERLESS_INPUTS;
  const settlements = new Map([["existing_database", "present"]] as const);
  const { description } = settledInput("existingDatabase", existingDatabase, { values: {}, settlements }).row ?? {};
  expect(description).toContain("null for as many as its instances need.");
});

it.each(FOLDERS)(
  "The example of inputs of $name sets each input that has an example, and has all others as comments with their defaults",
  ({ inputs, name }) => {
    const text = exampleValues(name, inputs);
    const assigned = [...text.matchAll(/^(#?)(\w+) = /gm)].map(([, mark, input]) => [input, mark]);
    const expected = rowsOf(inputs).map(([input, { example }]) => [input, example === undefined ? "#" : ""]);
    expect(assigned.sort()).toEqual(expected.sort());
    expect(Object.values(inputs).filter((input) => !("default" in input) && input.example === undefined)).toEqual([]);
    expect(text).toMatch(/^project_id = "my-project"$/m);
  },
);

it("The example of inputs has nested values as terraform fmt leaves them", () => {
  const value = {
    host: "a.example",
    password_secret: { secret_id: "projects/a-project-of-others/secrets/password-of-the-mail-server", version: "12" },
    port: 25,
    encryption: "none",
  };
  const smtp = text({ description: "Mail.", example: value });
  expect(exampleValues("idp-serverless", { smtp })).toContain(
    [
      "smtp = {",
      '  host = "a.example"',
      "  password_secret = {",
      '    secret_id = "projects/a-project-of-others/secrets/password-of-the-mail-server"',
      '    version   = "12"',
      "  }",
      "  port       = 25",
      '  encryption = "none"',
      "}",
    ].join("\n"),
  );
});

it("asks for secrets in the environment rather than in a file", () => {
  expect(exampleValues("idp-serverless", SERVERLESS_INPUTS)).toContain("TF_VAR_bootstrap_password in the environment");
});

function schemaCheck(name: string, inputs: Table): ValidateFunction {
  // Strict about keywords, not about a type that may be one of several, nor a pattern beside a number.
  const ajv = new Ajv({ allErrors: true, allowUnionTypes: true, strictTypes: false });
  return ajv.compile(JSON.parse(JSON.stringify(inputSchema(name, inputs))) as object);
}
