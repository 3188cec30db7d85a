import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { App } from "cdktf";

import {
  type Form,
  FORMS,
  type Group,
  groupsOf,
  type Subject,
  SUBJECTS,
  synthesized,
  TOGETHER,
} from "../../stacks/prop-forms";
import { describeWith, programPath } from "../../support/programs";
import { synthesizeInto } from "../../support/synthesis";
import { Deployment } from "../deployment/deployment";

/** Part of the names of the only programs to plan, where not all are wanted. */
const ONLY = process.env.FORMS ?? "";

/** What the literals refer to: secrets, which are variables in every form. */
const SECRETS = {
  first_password: "first-password-1",
  id: "AKIAIOSFODNN7EXAMPLE",
  secret: "s".repeat(40),
  key: "unused",
  key_id: "unused",
};

interface Diagnostic {
  readonly severity: "error" | "warning";
  readonly summary: string;
  readonly detail: string;
  readonly snippet?: { readonly code: string };
}

/**
 * Gives resources that a program passes another type, whose attributes are as unknown in a first plan: their own have
 * arguments of which the program says nothing, and no stand-in knows some of them.
 */
function replaceGivenResources(file: string): void {
  const text = readFileSync(file, "utf8");
  const { resource = {}, ...others } = JSON.parse(text) as { resource?: Record<string, Record<string, object>> };
  const types = Object.entries(resource).filter(([type]) => type !== "terraform_data");
  const given = types.flatMap(([type, elements]) =>
    Object.keys(elements).flatMap((name) => (/^form\d+$/.test(name) ? [[type, name] as const] : [])),
  );
  for (const [type, name] of given) {
    delete resource[type]?.[name];
    resource.terraform_data = { ...resource.terraform_data, [name]: { input: attributesOf(`${type}.${name}`, text) } };
  }
  const replaced = given.reduce(
    (all, [type, name]) => all.replaceAll(`${type}.${name}.`, `terraform_data.${name}.output.`),
    JSON.stringify({ ...others, resource: Object.fromEntries(Object.entries(resource).filter(hasElements)) }, null, 2),
  );
  if (given.length > 0) writeFileSync(file, replaced);
}

/** The attributes of a resource to which a text refers, each a text that no plan knows; some are in a block. */
function attributesOf(address: string, text: string): object {
  const found = text.matchAll(new RegExp(`\\b${address}[.](\\w+)(?:\\[0\\][.](\\w+))?`, "g"));
  const entries = [...found].map(([, name = "", inner]) => {
    return [name, inner === undefined ? "${timestamp()}" : [{ [inner]: "${timestamp()}" }]] as const;
  });
  return Object.fromEntries(entries);
}

const hasElements = ([, elements]: readonly [string, object]): boolean => Object.keys(elements).length > 0;

/** What a plan says of a program that gives these props in a form; unknown values are those of its first plan. */
async function errorsOf(subject: Subject, group: Group, form: Form | undefined): Promise<string[]> {
  const { others, stack } = synthesized(subject, group, form);
  const { path: source } = synthesizeInto(App.of(stack));
  others.write(source);
  replaceGivenResources(join(source, "cdk.tf.json"));
  const options = { source, inputs: others.inputs, program: programPath("terraform"), externalResourcesExist: true };
  let output = "";
  await Deployment.use(options, async (deployment) => {
    for (const [name, value] of Object.entries(SECRETS)) deployment.environment[`TF_VAR_${name}`] = value;
    await deployment.init();
    deployment.writeInputs();
    ({ output } = await deployment.terraform(["plan", "-json", "-input=false"]));
  });
  const lines = output.split("\n").filter((line) => line.startsWith("{"));
  const diagnostics = lines.flatMap((line) => {
    const { diagnostic } = JSON.parse(line) as { readonly diagnostic?: Diagnostic };
    return diagnostic?.severity === "error" ? [diagnostic] : [];
  });
  if (diagnostics.length === 0) expect(output).toContain('"change_summary"');
  return diagnostics
    .filter(({ detail }) => !group.places.some(({ name }) => detail.includes(name)))
    .map(({ detail, snippet, summary }) => `${summary}: ${snippet?.code ?? detail}`);
}

/** What the smallest programs give: a value that a plan does not know, and one that may be null. */
const DISTINCT: readonly (Form | undefined)[] = ["attribute", "variable"];

const PROGRAMS = SUBJECTS.flatMap((subject) =>
  groupsOf(subject).flatMap((group) =>
    (group.name.startsWith(TOGETHER) ? [undefined, ...FORMS] : DISTINCT).map((form) => {
      const name = `${subject.name} with ${group.name} as ${form ?? "literal"}`;
      return { name, subject, form, group };
    }),
  ),
).filter(({ name }) => name.includes(ONLY));

describeWith(["terraform", "curl", "jq"], "The plan of a program", () => {
  it.each(PROGRAMS)("succeeds, or is refused by the prop's name: $name", async ({ form, group, subject }) => {
    expect(await errorsOf(subject, group, form)).toEqual([]);
  });
});
