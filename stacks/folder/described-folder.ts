import { readFileSync } from "node:fs";

import { type PortableStack } from "../../lib/core/portable-stack";
import { packageFile } from "../../lib/core/package-file";
import { addPage } from "../../lib/core/stack-file";
import { type Table } from "../../lib/core/inputs";
import { exampleValues } from "./example-values";
import { folderPage } from "./folder-page";
import { type PageConfiguration } from "./folder-values";
import { inputSchema } from "./input-schema";

interface FolderDescription {
  /** Name of the stack in this repository, whatever its id is in an app. */
  readonly stack: string;

  /** Page in `pages/` with the text that is specific to it. */
  readonly page: string;
  readonly inputs: Table;
}

/** Adds documentation to a synthesized folder, for people who have only the folder. */
export function describeFolder(stack: PortableStack, { inputs, page, stack: name }: FolderDescription): void {
  const { version } = JSON.parse(textOf("package.json")) as { version: string };
  addPage(stack, "VERSION", () => `${version}\n`);
  addPage(stack, "terraform.tfvars.example", () => exampleValues(name, inputs));
  addPage(stack, "inputs.schema.json", () => `${JSON.stringify(inputSchema(name, inputs), undefined, 2)}\n`);
  addPage(stack, "README.md", (text) =>
    folderPage({
      ...{ stack: name, page, version },
      configuration: JSON.parse(text) as PageConfiguration,
    }),
  );
}

function textOf(pathInPackage: string): string {
  return readFileSync(packageFile(pathInPackage), "utf8");
}
