import { readdirSync, readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { type PortableStack } from "../../lib/core/portable-stack";
import { addStackFile, addStackText } from "../../lib/core/stack-file";
import { type Table } from "../../lib/core/inputs";
import { exampleValues } from "./example-values";
import { inputSchema } from "./input-schema";

interface FolderDescription {
  /** Name of the stack in this repository, whatever its id is in an app. */
  readonly stack: string;
  readonly inputs: Table;

  /** Files of `stacks/guides` that it needs, which link to no other; all by default. */
  readonly guides?: readonly string[];
}

/** Adds documentation to a synthesized folder, for people who have only the folder. */
export function describeFolder(stack: PortableStack, description: FolderDescription): void {
  const { inputs, stack: name, guides = readdirSync(packageFile("stacks/guides")) } = description;
  const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
  addStackText(stack, `${version}\n`, "VERSION");
  addStackText(stack, "* text=auto eol=lf\n", ".gitattributes");
  addStackText(stack, exampleValues(name, inputs), "terraform.tfvars.example");
  addStackText(stack, `${JSON.stringify(inputSchema(name, inputs), undefined, 2)}\n`, "inputs.schema.json");
  addStackFile(stack, packageFile(`stacks/folder/${name}.md`), "README.md");
  for (const page of [`${name}.md`, ...guides.map((guide) => `guides/${guide}`)])
    addStackFile(stack, packageFile(`stacks/${page}`), page);
}
