import { existsSync, readFileSync } from "node:fs";

import { type PortableStack } from "../../lib/core/portable-stack";
import { packageFile } from "../../lib/core/package-file";
import { addPage } from "../../lib/core/stack-file";
import { type PricedStack } from "../cost/monthly-cost";
import { type Input } from "../inputs/input-table";
import { exampleValues } from "./example-values";
import { folderPage } from "./folder-page";
import { type PageConfiguration } from "./folder-values";
import { inputSchema } from "./input-schema";
import { warnOfUnknownMembers } from "./unknown-members";

interface FolderDescription {
  /** Name of the stack in this repository, whatever its id is in an app. */
  readonly stack: PricedStack;

  /** Page in `pages/` with the text that is specific to it. */
  readonly page: string;
  readonly inputs: Readonly<Record<string, Input>>;
}

/** Pictures that a folder may contain: what each shows, and its source. */
const PICTURES: Readonly<Record<string, { readonly shows: string; readonly source: (stack: string) => string }>> = {
  "overview.svg": {
    shows: "What talks to what, who may read what, and what is open to whom",
    source: (stack) => `stacks/pictures/${stack}-overview.svg`,
  },
  "first-apply.svg": {
    shows: "The order of a first apply, with its times",
    source: (stack) => `stacks/pictures/${stack}-first-apply.svg`,
  },
  "dashboard.svg": {
    shows: "Charts of the dashboard, each with the threshold of its alert, with made-up data",
    source: (stack) => `stacks/dashboard-${stack}.svg`,
  },
};

/** Adds documentation to a synthesized folder, for people who have only the folder, and a look at their files. */
export function describeFolder(stack: PortableStack, { inputs, page, stack: name }: FolderDescription): void {
  warnOfUnknownMembers(stack, inputs);
  const pictures = Object.entries(PICTURES).filter(([, { source }]) => existsSync(packageFile(source(name))));
  for (const [picture, { source }] of pictures) addPage(stack, picture, () => textOf(source(name)));
  const { version } = JSON.parse(textOf("package.json")) as { version: string };
  addPage(stack, "VERSION", () => `${version}\n`);
  addPage(stack, "terraform.tfvars.example", () => exampleValues(name, inputs));
  addPage(stack, "inputs.schema.json", () => `${JSON.stringify(inputSchema(name, inputs), undefined, 2)}\n`);
  addPage(stack, "README.md", (text) =>
    folderPage({
      ...{ stack: name, page, version },
      configuration: JSON.parse(text) as PageConfiguration,
      pictures: Object.fromEntries(pictures.map(([picture, { shows }]) => [picture, shows])),
    }),
  );
}

function textOf(pathInPackage: string): string {
  return readFileSync(packageFile(pathInPackage), "utf8");
}
