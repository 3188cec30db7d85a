import { App } from "cdktf";

import {
  FORMS,
  groupsOf,
  SUBJECTS,
  synthesized,
  TOGETHER,
  type Form,
  type Group,
  type Subject,
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

/** What a plan says of a program that gives these props in a form; unknown values are those of its first plan. */
async function errorsOf(subject: Subject, group: Group, form: Form | undefined): Promise<string[]> {
  const { others, stack } = synthesized(subject, group, form);
  const { path: source } = synthesizeInto(App.of(stack));
  others.write(source);
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
