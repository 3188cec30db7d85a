import { snakeCase } from "../../lib/core/checks";
import { aligned, assignment, quotedText, valueExpression } from "../../lib/core/hcl/hcl-expression";
import { type Input, type Table } from "../../lib/core/inputs";
import { shownType } from "./shown-type";

/**
 * The file `terraform.tfvars.example`: inputs with an example, among them all required ones, and all others as comments
 * with their defaults, each after its description. A comment of prose has a space after its `#`, one with a value has
 * none.
 */
export function exampleValues(stack: string, inputs: Table): string {
  const entries = Object.entries(inputs)
    .map(([name, input]) => [snakeCase(name), input] as const)
    .sort(([nameA, a], [nameB, b]) => Number("example" in b) - Number("example" in a) || (nameA < nameB ? -1 : 1));
  const introduction = prose(
    [
      `Inputs of ${stack}. Copy this file to terraform.tfvars, which Terraform and OpenTofu read by default,`,
      "and set what is not commented out. To set another input, remove the # in front of its name.",
    ].join(" "),
  );
  return `${[introduction, ...entries.map(([name, input]) => entryText(name, input))].join("\n\n")}\n`;
}

function entryText(name: string, input: Input): string {
  const { default: value, description, example, sensitive } = input;
  const form = shownType(input);
  const notes = [
    description,
    ...(form.includes("(") ? [`Type: ${form}`] : []),
    ...(sensitive === true ? [`Better set as TF_VAR_${name} in the environment than in a file.`] : []),
  ];
  const assigned = aligned(assignment(name, valueExpression(example ?? value, "", quotedText)));
  return [...notes.map(prose), example === undefined ? commented(assigned) : assigned].join("\n");
}

function commented(text: string): string {
  return text.replaceAll(/^/gm, "#");
}

/** A comment, in lines of at most 100 characters. */
function prose(text: string): string {
  const lines = text.split(" ").reduce<string[]>((all, word) => {
    const line = all.at(-1);
    if (line !== undefined && line.length + word.length < 100) return [...all.slice(0, -1), `${line} ${word}`];
    return [...all, `# ${word}`];
  }, []);
  return lines.join("\n");
}
