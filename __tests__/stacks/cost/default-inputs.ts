import { readFileSync } from "node:fs";
import { join } from "node:path";

import { type CostInputs } from "../../../stacks/cost/input-values";
import { type PricedStack } from "../../../stacks/cost/monthly-cost";
import { plannedResources } from "../../../stacks/planned-resources";
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

/** Resources of one type in a first plan of a stack with these inputs. */
export function plannedOf(stack: PricedStack, type: string, inputs: CostInputs): number {
  const { resource = {}, variable = {} } = shippedTerraform(stack);
  const given = Object.entries(variable).map(([name, input]) => [name, { ...input, default: inputs[name] }]);
  return plannedResources({
    resource: { [type]: resource[type] ?? {} },
    variable: Object.fromEntries(given) as Record<string, { default?: unknown }>,
  });
}
