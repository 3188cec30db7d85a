import { hcl } from "../expr/expr";

/**
 * Expressions for two alternating values. They depend on the number of the current value, which may be null at plan.
 *
 * Written as HCL, because operators would calculate a literal: the second value would then have no count, and therefore
 * a different address than with a variable.
 */
export function rotationOf(version: number) {
  return {
    /** Whether the second value is current. */
    isEven: hcl<boolean>`try(${version} % 2 == 0, false)`,
    /** Whether the second value was ever written. */
    hasSecond: hcl<boolean>`try(${version} > 1, false)`,
    /** Numbers of both values; each step changes only one of them. */
    odd: hcl<number>`try(${version} - (${version} + 1) % 2, 1)`,
    even: hcl<number>`try(${version} - ${version} % 2, 2)`,
  };
}
