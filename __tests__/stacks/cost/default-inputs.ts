import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type CostInputs } from "../../../stacks/cost/input-values";
import { type PricedStack } from "../../../stacks/cost/monthly-cost";
import { type Terraform } from "../../support/synthesis";

/** What is shipped of a stack, as another test makes sure. */
function shippedTerraform(stack: PricedStack): Terraform {
  return JSON.parse(readFileSync(join(__dirname, "../goldens", `${stack}.json`), "utf8")) as Terraform;
}

/** The value of every input of a stack while nobody sets one. */
export function defaultInputs(stack: PricedStack): CostInputs {
  return Object.fromEntries(
    Object.entries(shippedTerraform(stack).variable ?? {}).map(([name, { default: value = null }]) => [name, value]),
  );
}
