import { Annotations, Token } from "cdktf";
import { type Construct } from "constructs";

import { CheckBlock } from "./check-block";
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
