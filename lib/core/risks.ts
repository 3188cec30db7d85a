import { Annotations, TerraformElement, Token } from "cdktf";
import { type Construct } from "constructs";

import { expression } from "./expression";

/** Something that is legal and probably not meant. */
export interface Risk {
  /** What decides it: known at synth, or to Terraform alone. */
  readonly value: unknown;

  /** Whether all is well, for a value that is known at synth. */
  readonly isAvoided: boolean;

  /** True when all is well, in Terraform's language without its marks. */
  readonly condition: string;

  /** What is risky, why, and the way out; no trailing stop. */
  readonly message: string;
}

/**
 * Warns of risks, and never stops anything: at synth of what is known there, at every plan and apply of the rest.
 *
 * @param id of the check block, if one is needed
 */
export function warnOf(scope: Construct, id: string, risks: readonly Risk[]): void {
  const ofInputs = risks.filter(({ value }) => Token.isUnresolved(value));
  if (ofInputs.length > 0) {
    new CheckBlock(
      scope,
      id,
      ofInputs.map(({ condition, message }) => ({ condition: expression(condition), errorMessage: `${message}.` })),
    );
  }
  for (const { value, isAvoided, message } of risks) {
    if (!Token.isUnresolved(value) && !isAvoided) Annotations.of(scope).addWarning(message);
  }
}

interface CheckAssertion {
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
