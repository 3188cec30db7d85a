import { Token } from "cdktf";

import { hcl } from "./expr";

/**
 * What Terraform knows of two values that take turns, from the number of the current one, which may be null at plan.
 */
export function rotationOf(version: string) {
  const number = Token.isUnresolved(version) ? version : Number(version);
  return {
    /** Whether the second one is current. */
    isEven: hcl<boolean>`try(${number} % 2 == 0, false)`,
    /** Whether there has been a second one. */
    hasSecond: hcl<boolean>`try(${number} > 1, false)`,
    /** Numbers of both, of which one stays with each step. */
    odd: `try(${version} - (${version} + 1) % 2, 1)`,
    even: `try(${version} - ${version} % 2, 2)`,
  };
}
