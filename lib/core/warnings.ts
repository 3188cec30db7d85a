import { Annotations, TerraformElement, Token } from "cdktf";
import { type Construct } from "constructs";

import { expression } from "./expression";
import { type Relation, type Table, type ValuesOf } from "./inputs";

/** A value that is valid but probably a mistake. */
export interface Warning {
  /** The value, known at synth or only to Terraform. */
  readonly value: unknown;

  /** Whether a value known at synth is fine. */
  readonly ok: boolean;

  /** Terraform expression without `${}` that is true if the value is fine. */
  readonly condition: string;

  /** What is risky, why, and the fix; no trailing full stop. */
  readonly message: string;
}

/**
 * Warns of risks without stopping anything: at synth for values known then, at every plan and apply for the others.
 *
 * @param id id of the check block, if one is needed
 */
export function addWarnings(scope: Construct, id: string, risks: readonly Warning[]): void {
  const ofInputs = risks.filter(({ value }) => Token.isUnresolved(value));
  if (ofInputs.length > 0) {
    new CheckBlock(
      scope,
      id,
      ofInputs.map(({ condition, message }) => ({ condition: expression(condition), errorMessage: `${message}.` })),
    );
  }
  for (const { value, ok, message } of risks) {
    if (!Token.isUnresolved(value) && !ok) Annotations.of(scope).addWarning(message);
  }
}

/** Warns at every plan and apply of inputs for which a relation does not hold, without stopping either. */
export function warnUnless<T extends Table>(
  scope: Construct,
  id: string,
  relations: readonly Omit<Relation<T>, "of">[],
  values: ValuesOf<T>,
): void {
  const assertions = relations.map(({ holds, says }) => ({
    condition: `\${${holds(values)}}`,
    errorMessage: `${says(values)}.`,
  }));
  new CheckBlock(scope, id, assertions);
}

interface CheckAssertion {
  /** Expression that is true if there is no risk; it must refer to at least one object of the configuration. */
  readonly condition: unknown;

  /** What is risky, why, and the fix. */
  readonly errorMessage: string;
}

/**
 * A `check` block: warns at every plan and apply of what is valid but risky, and never stops either.
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
