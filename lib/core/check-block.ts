import { TerraformElement } from "cdktf";
import { type Construct } from "constructs";

export interface CheckAssertion {
  /** Expression that is true when all is well; it must refer to at least one object of the configuration. */
  readonly condition: unknown;

  /** What is risky, why, and the way out. */
  readonly errorMessage: string;
}

/**
 * A `check` block: says at every plan and apply what is legal but risky, and never stops either.
 */
export class CheckBlock extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly assertions: readonly CheckAssertion[],
  ) {
    super(scope, id, "check");
  }

  override toTerraform(): unknown {
    const assert = this.assertions.map(({ condition, errorMessage }) => ({ condition, error_message: errorMessage }));
    return { check: { [this.friendlyUniqueId]: { assert } } };
  }
}
