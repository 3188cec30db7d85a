import { hcl } from "../expr/expr";

/**
 * What Terraform knows of two values that take turns, from the number of the current one, which may be null at plan.
 *
 * In HCL, because operators would calculate a literal: the second value would have no count, and so another address
 * than with a variable.
 */
export function rotationOf(version: number) {
  return {
    /** Whether the second one is current. */
    isEven: hcl<boolean>`try(${version} % 2 == 0, false)`,
    /** Whether there has been a second one. */
    hasSecond: hcl<boolean>`try(${version} > 1, false)`,
    /** Numbers of both, of which one stays with each step. */
    odd: hcl<number>`try(${version} - (${version} + 1) % 2, 1)`,
    even: hcl<number>`try(${version} - ${version} % 2, 2)`,
  };
}
