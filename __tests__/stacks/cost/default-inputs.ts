import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type CostInputs } from "../../../stacks/cost/input-values";
import { type PricedStack } from "../../../stacks/cost/monthly-cost";
import { type Terraform } from "../../support/synthesis";

const shipped = new Map<PricedStack, Terraform>();

/** What is shipped of a stack, as the test of the goldens makes sure. */
export function shippedTerraform(stack: PricedStack): Terraform {
  const read = () => JSON.parse(readFileSync(join(__dirname, "../goldens", `${stack}.json`), "utf8")) as Terraform;
  const terraform = shipped.get(stack) ?? read();
  shipped.set(stack, terraform);
  return terraform;
}

/** The value of every input of a stack while nobody sets one. */
export function defaultInputs(stack: PricedStack): CostInputs {
  return Object.fromEntries(
    Object.entries(shippedTerraform(stack).variable ?? {}).map(([name, { default: value = null }]) => [name, value]),
  );
}
