import { type PortableStack } from "../../lib/core/portable-stack";
import { resourceOf, terraformOf, type Block, type Terraform } from "../support/synthesis";

/** The configuration of a stack, made once per test file, and one of its resources, by address. */
export function configurationOf(stack: () => PortableStack) {
  let synthesized: Terraform | undefined;
  const terraform = (): Terraform => {
    synthesized ??= terraformOf(stack());
    return synthesized;
  };
  const resource = (address: string): Block => {
    const [type = "", name = ""] = address.split(".");
    return resourceOf(terraform(), type, name);
  };
  return { terraform, resource };
}
