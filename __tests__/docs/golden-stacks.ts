import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { type Terraform } from "../support/synthesis";

const NAMES = ["idp-serverless", "idp-kubernetes", "assessment-lab"];

/** Every stack as it is shipped, without a synthesis; another test sees to it that this is what is synthesized. */
export function goldenStacks(): Record<string, Terraform> {
  const read = (name: string) => readFileSync(packageFile(`__tests__/stacks/goldens/${name}.json`), "utf8");
  return Object.fromEntries(NAMES.map((name) => [name, JSON.parse(read(name)) as Terraform]));
}
