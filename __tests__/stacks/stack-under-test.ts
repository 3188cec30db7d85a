import { type App } from "cdktf";

import { type PortableStack } from "../../lib/core/portable-stack";
import { type Block, resourceOf, type Terraform, terraformOf, testApp } from "../support/synthesis";

/**
 * A stack as anybody gets it: new in an app of its own, its configuration, made once per test file, and one resource of
 * it.
 */
export function stackUnderTest<Name extends string>(Stack: new (app: App, name: string) => PortableStack, name: Name) {
  let synthesized: Terraform | undefined;
  const stack = () => new Stack(testApp(), name);
  const terraform = (): Terraform => (synthesized ??= terraformOf(stack()));
  const resource = (address: string): Block => {
    const [type = "", id = ""] = address.split(".");
    return resourceOf(terraform(), type, id);
  };
  return { name, stack, terraform, resource };
}
