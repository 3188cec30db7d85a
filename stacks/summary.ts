import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type TerraformStack } from "cdktf";

/** One line per synthesized stack: where it is, how much it declares, what to do next. */
export function summary(outputFolder: string, stacks: readonly TerraformStack[]): string {
  return stacks.map((stack) => line(outputFolder, stack.node.id)).join("");
}

function line(outputFolder: string, stackName: string): string {
  const folder = join(outputFolder, "stacks", stackName);
  const terraform = JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8")) as {
    resource?: Record<string, Record<string, unknown>>;
  };
  const count = Object.values(terraform.resource ?? {}).flatMap(Object.keys).length;
  return `${folder}: ${count} resources; next: terraform -chdir=${folder} init && terraform -chdir=${folder} apply -var project_id=<your project>\n`;
}
