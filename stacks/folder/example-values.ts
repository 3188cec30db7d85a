import { aligned, assignment, quotedText, valueExpression } from "../../lib/core/hcl/hcl-expression";
import { type Input, type Table } from "../../lib/core/inputs/rows";
import { terraformName } from "../../lib/core/inputs/rules";
import { firstInputs, type FirstRow, groupedInputs, headingOf, withoutForm } from "../input-groups";
import { shownType } from "./shown-type";

/**
 * The file `terraform.tfvars.example`: inputs with an example, among them all required ones, and all others as comments
 * with their defaults, first what most deployments set, then each after its description, in their groups. A comment of
 * prose has a space after its `#`, one with a value has none.
 */
export function exampleValues(stack: string, inputs: Table): string {
  const named = Object.fromEntries(Object.entries(inputs).map(([name, input]) => [terraformName(name), input]));
  const chosen = Object.keys(named).filter((name) => isChosen(named[name]));
  const toSet =
    chosen.length === 0
      ? "where you want other values. To set an input, remove the # in front of its name."
      : [
          `and set what is not commented out: ${chosen.join(", ")}.`,
          "To set another input, remove the # in front of its name.",
        ].join(" ");
  const introduction = prose(
    [
      `Inputs of ${stack}. Copy this file to terraform.tfvars, which Terraform and OpenTofu read by default,`,
      toSet,
      "What each input means follows, in groups.",
    ].join(" "),
  );
  const first = firstInputs(named);
  const beginning = first.map(({ heading, inputs }) => [prose(heading), ...inputs.map(firstText)].join("\n"));
  const above = new Set(first.flatMap(({ inputs }) => inputs.map(({ name }) => name)));
  const groups = groupedInputs(named).flatMap(({ group, note, rows }) => {
    const inOrder = group === undefined ? [...rows].sort(chosenFirst) : rows;
    const heading = [...(group === undefined ? [] : [headingOf(group)]), ...(note === "" ? [] : [note])].map(prose);
    return [...heading, ...inOrder.map(([name, input]) => entryText(name, input, above.has(name)))];
  });
  return `${[introduction, ...beginning, ...groups].join("\n\n")}\n`;
}

/** An input in a line, with the suggested value. */
function firstText({ hint, name, row }: FirstRow<Input>): string {
  const { default: value, example } = row;
  // No suggestion for an input that the settings of a deployment set.
  const isSet = example !== undefined || !(value === null || JSON.stringify(value) === "[]" || value === false);
  return `${assignedText(name, row)}${hint === undefined || isSet ? "" : ` # such as ${hint}`}`;
}

const isChosen = (input: Input | undefined) => input?.example !== undefined;

function chosenFirst([nameA, a]: readonly [string, Input], [nameB, b]: readonly [string, Input]): number {
  return Number(isChosen(b)) - Number(isChosen(a)) || (nameA < nameB ? -1 : 1);
}

function entryText(name: string, input: Input, isAbove: boolean): string {
  const { description, sensitive } = input;
  const form = shownType(input);
  const notes = [
    `${isAbove ? `${name}, at the beginning: ` : ""}${withoutForm(description)}`,
    ...(form.includes("(") ? [`Type: ${form}`] : []),
    ...(sensitive === true ? [`Better set as TF_VAR_${name} in the environment than in a file.`] : []),
  ];
  return [...notes.map(prose), ...(isAbove ? [] : [assignedText(name, input)])].join("\n");
}

/** An input with its example, or as a comment with its default. */
function assignedText(name: string, { default: value, example }: Input): string {
  const assigned = aligned(assignment(name, valueExpression(example ?? value, "", quotedText)));
  return example === undefined ? commented(assigned) : assigned;
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
