import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

import { Language, type Node, Parser } from "web-tree-sitter";

/** Reads PowerShell by its grammar. */
export async function parsedPowerShell(text: string): Promise<PowerShellScript> {
  // The optimizing compiler would spend seconds on the tables of the grammar; one script is parsed faster without it.
  setFlagsFromString("--liftoff-only");
  await Parser.init();
  const grammar = require.resolve("tree-sitter-powershell/tree-sitter-powershell.wasm");
  const parser = new Parser();
  parser.setLanguage(await Language.load(readFileSync(grammar)));
  const tree = parser.parse(text);
  if (tree === null) throw new Error("the parser has no grammar");
  return new PowerShellScript(tree.rootNode);
}

interface Command {
  readonly name: string;
  /** Names of its parameters, with their hyphens. */
  readonly parameters: readonly string[];
  readonly text: string;
  /** The function that holds it; undefined at the top. */
  readonly inFunction: string | undefined;
}

/** What tests ask of a parsed script. */
export class PowerShellScript {
  constructor(private readonly root: Node) {}

  /** Lines that are no PowerShell. */
  syntaxErrors(): number[] {
    if (!this.root.hasError) return [];
    const broken: number[] = [];
    const visit = (node: Node): void => {
      if (node.isError || node.isMissing) broken.push(node.startPosition.row + 1);
      else for (const child of node.children) visit(child);
    };
    visit(this.root);
    return broken;
  }

  functions(): string[] {
    return this.all("function_statement").map(functionName);
  }

  commands(): Command[] {
    return this.all("command").map((node) => ({
      name: node.childForFieldName("command_name")?.text ?? "",
      parameters: under(node, "command_parameter")
        .filter((parameter) => ancestor(parameter, "command")?.id === node.id)
        .map(({ text }) => text),
      text: node.text,
      inFunction: enclosingFunction(node),
    }));
  }

  /** Texts in double quotes, and here-strings of that kind. */
  expandableTexts(): string[] {
    return ["expandable_string_literal", "expandable_here_string_literal"].flatMap((type) =>
      this.all(type).map(({ text }) => text),
    );
  }

  /** Variables that are read where nothing has set them: strict mode ends the script there. */
  unsetVariables(known: readonly string[]): string[] {
    const assigned = this.assignments();
    return this.all("variable")
      .map((node) => ({ name: node.text.toLowerCase(), scope: enclosingFunction(node) }))
      .filter(({ name, scope }) => {
        if (name.startsWith("$env:") || known.includes(name)) return false;
        return ![undefined, scope].some((place) => assigned.get(place)?.has(name.replace("$script:", "$")));
      })
      .map(({ name, scope }) => `${name} in ${scope ?? "the script"}`);
  }

  /** What each function sets, and the script itself. */
  private assignments(): Map<string | undefined, Set<string>> {
    const places = [
      ...this.all("left_assignment_expression"),
      ...this.all("script_parameter").flatMap((node) => under(node, "variable")),
      ...this.all("foreach_statement").flatMap((node) => under(node, "variable").slice(0, 1)),
    ];
    const assigned = new Map<string | undefined, Set<string>>();
    for (const node of places) {
      const scope = enclosingFunction(node);
      const names = assigned.get(scope) ?? new Set();
      assigned.set(scope, names.add(node.text.toLowerCase().replace("$script:", "$")));
    }
    return assigned;
  }

  private all(type: string): Node[] {
    return under(this.root, type);
  }
}

function under(node: Node, type: string): Node[] {
  return node.descendantsOfType(type);
}

function ancestor(node: Node, type: string): Node | undefined {
  for (let up = node.parent; up !== null; up = up.parent) if (up.type === type) return up;
  return undefined;
}

function enclosingFunction(node: Node): string | undefined {
  const found = ancestor(node, "function_statement");
  return found === undefined ? undefined : functionName(found);
}

function functionName(node: Node): string {
  return under(node, "function_name")[0]?.text ?? "";
}
