import { resolve } from "node:path";
import { parseArgs } from "node:util";

import { type Input } from "../inputs/input-table";
import { checkedInputs } from "./checked-inputs";
import { costText } from "./cost-text";
import { monthlyCost, type Cost, type PricedStack } from "./monthly-cost";
import { readVariableFile, VariableFileError } from "./variable-file";

type InputTable = Readonly<Record<string, Input>>;

/** The inputs of every stack. Each table loads the rules of its constructs, and some the bindings of a provider. */
const TABLES: Readonly<Record<PricedStack, () => Promise<InputTable>>> = {
  "idp-serverless": async () => (await import("../inputs/serverless-inputs")).SERVERLESS_INPUTS,
  "idp-kubernetes": async () => (await import("../inputs/kubernetes-inputs")).KUBERNETES_INPUTS,
  "assessment-lab": async () => (await import("../inputs/lab-inputs")).LAB_INPUTS,
};

const STACK_NAMES = Object.keys(TABLES);

const USAGE_TEXT = `Usage: npm run --silent cost -- <stack> [--var-file FILE]... [--json]

What a stack costs a month, by part, at list prices, for the inputs in FILE and the defaults of all others.

Stacks: ${STACK_NAMES.join(", ")}

  --var-file FILE  inputs, as for Terraform: HCL, or JSON if the name ends in .json; of several, the last one counts
  --json           the same for programs
  --help           this text

Names, types and rules of single inputs are checked; rules that relate inputs are checked by terraform plan.
`;

/** Output of the command, and whether it succeeded. */
interface Outcome {
  readonly output: string;
  readonly problems: string;
  readonly exitCode: 0 | 1;
}

/**
 * Runs the command.
 *
 * @param args what follows the name of the command
 * @param folder where relative paths begin
 */
export async function costCommand(args: readonly string[], folder: string): Promise<Outcome> {
  const [options, wrongOption] = parsed(args);
  if (options === undefined) return refusal([wrongOption]);
  if (options.help) return { output: USAGE_TEXT, problems: "", exitCode: 0 };

  const problems = stackProblems(options.stacks);
  const given: Record<string, unknown> = {};
  for (const name of options.files) {
    try {
      Object.assign(given, await readVariableFile(resolve(folder, name), name));
    } catch (error) {
      if (!(error instanceof VariableFileError)) throw error;
      problems.push(error.message);
    }
  }
  const [stack] = options.stacks;
  if (!isPriced(stack)) return refusal(problems);

  const checked = checkedInputs(stack, await TABLES[stack](), given);
  problems.push(...checked.problems);
  if (problems.length > 0) return refusal(problems);
  const cost = monthlyCost(stack, checked.values);
  const reversed = reversedParts(cost);
  if (reversed.length > 0) return refusal(reversed);
  return { output: options.json ? `${JSON.stringify(cost, null, 2)}\n` : costText(cost), problems: "", exitCode: 0 };
}

/** With inputs that a plan refuses, the minimum of a part can exceed its maximum. */
function reversedParts({ parts }: Cost): string[] {
  const names = parts.filter(({ quantity }) => quantity.min > quantity.max).map(({ name }) => name);
  if (names.length === 0) return [];
  return [
    `${names.join("; ")}: the minimum exceeds the maximum, because inputs contradict each other; terraform plan names them`,
  ];
}

interface Options {
  readonly stacks: readonly string[];
  readonly files: readonly string[];
  readonly help: boolean;
  readonly json: boolean;
}

function parsed(args: readonly string[]): [Options, ""] | [undefined, string] {
  try {
    const { positionals, values } = parseArgs({
      // Terraform writes its options with one hyphen.
      args: args.map((arg) => arg.replace(/^-(?=[a-z]{2})/, "--")),
      allowPositionals: true,
      options: {
        help: { type: "boolean", default: false },
        json: { type: "boolean", default: false },
        "var-file": { type: "string", multiple: true, default: [] },
      },
    });
    return [{ stacks: positionals, files: values["var-file"], help: values.help, json: values.json }, ""];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code?.startsWith("ERR_PARSE_ARGS_") !== true) throw error;
    return [undefined, `${message.replace(/\.? To specify.*$/s, "")}; --help lists the options`];
  }
}

function stackProblems(stacks: readonly string[]): string[] {
  const known = `name one of ${STACK_NAMES.join(", ")}`;
  if (stacks.length === 0) return [`no stack is named; ${known}`];
  if (stacks.length > 1) return [`${stacks.join(", ")} are several stacks; ${known}`];
  return isPriced(stacks[0]) ? [] : [`${String(stacks[0])} is no stack; ${known}`];
}

function isPriced(name: string | undefined): name is PricedStack {
  return name !== undefined && Object.hasOwn(TABLES, name);
}

function refusal(problems: readonly string[]): Outcome {
  const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
  const lines = problems.map((problem) => `  - ${problem}`);
  return { output: "", problems: `${[`cost: ${count}`, ...lines].join("\n")}\n`, exitCode: 1 };
}
