import { expression } from "./expression";

/**
 * What Terraform knows of two values that take turns, from the number of the current one, which may be null at plan.
 */
export function rotationOf(version: string) {
  return {
    /** Whether the second one is current. */
    isEven: expression(`try(${version} % 2 == 0, false)`),
    /** Whether there has been a second one. */
    hasSecond: expression(`try(${version} > 1, false)`),
    /** Numbers of both, of which one stays with each step. */
    odd: `try(${version} - (${version} + 1) % 2, 1)`,
    even: `try(${version} - ${version} % 2, 2)`,
  };
}
