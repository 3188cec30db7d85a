import { readdirSync, readFileSync } from "node:fs";

import { TerraformOutput } from "cdktf";

import { noteInMessages } from "../../lib/core/inputs/message-notes";
import { type Table } from "../../lib/core/inputs/rows";
import { type DeploymentSettings } from "../../lib/core/inputs/settled-inputs";
import { packageFile } from "../../lib/core/package-file";
import { type PortableStack } from "../../lib/core/portable-stack";
import { addStackFile, addStackText } from "../../lib/core/stack-file";
import { exampleValues } from "./example-values";
import { inputSchema } from "./input-schema";
import { settledNames, settledNote } from "./settled-names";
import { pageFor, settledSection } from "./settled-pages";
import { whoMayWhat } from "./who-may-what";

interface FolderDescription {
  /** Name of the stack in this repository; its id in an app may differ. */
  readonly stack: string;
  /** Inputs that have a variable. */
  readonly inputs: Table;

  /** All inputs of the stack. */
  readonly table: Table;

  /** Settings of the folder's deployment. @default - for any deployment */
  readonly deployment?: DeploymentSettings | undefined;

  /** Necessary files of `stacks/guides`, without links to other guides; all by default. */
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
  addPages(stack, description);
  addStackText(stack, () => whoMayWhat(stack.toTerraform()), "who-may-what.md");
  for (const guide of guides) addStackFile(stack, packageFile(`stacks/guides/${guide}`), `guides/${guide}`);
  if (!guides.includes("infrastructure-manager.md")) return;
  for (const file of ["main.tf", "probe.sh"])
    addStackFile(stack, packageFile(`stacks/examples/runtime-probe/${file}`), `runtime-probe/${file}`);
}

/** The steps of a first apply if the settings of the deployment contain the project. */
function withoutProject(page: string): string {
  return page
    .replace(/,\s+name your project in the first line,/, ",")
    .replace(/^PROJECT=my-project\n(?:test -e terraform[.]tfvars [^\n]*\n[^\n]*\n)?/m, "");
}

/** The two pages at the top of a folder. In a folder for one deployment, messages say which inputs are settled. */
function addPages(stack: PortableStack, { deployment, inputs, stack: name, table }: FolderDescription): void {
  const [readme, page] = [`stacks/folder/${name}.md`, `stacks/${name}.md`].map(packageFile) as [string, string];
  if (deployment === undefined) {
    addStackFile(stack, readme, "README.md");
    addStackFile(stack, page, `${name}.md`);
    return;
  }
  const outputs = stack.node.findAll().filter((each): each is TerraformOutput => each instanceof TerraformOutput);
  const settled = settledNames(table, inputs, deployment);
  noteInMessages(stack, (message) => settledNote(message, settled));
  const names = outputs.map(({ friendlyUniqueId }) => friendlyUniqueId);
  const recipe = deployment.values.project_id === undefined ? (text: string) => text : withoutProject;
  addStackText(stack, recipe(readFileSync(readme, "utf8")) + settledSection(name, table, deployment), "README.md");
  addStackText(stack, pageFor(readFileSync(page, "utf8"), inputs, names), `${name}.md`);
}
