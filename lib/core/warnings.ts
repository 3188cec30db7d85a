import { Annotations, TerraformElement, TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import { type Condition, conditionFrom, isAlways, isNever } from "./conditional";
import { textAtSynth, type Relation, type Table, type ValuesOf } from "./inputs";

/** A value that is valid but probably a mistake. */
export interface Warning {
  /** Whether it is fine. */
  readonly condition: Condition;
  /** What is risky, why, and the fix; no trailing full stop. */
  readonly message: string;
}

/** Warns of risks without stopping anything: at synth of values known then, at every plan and apply of others. */
export function addWarnings(scope: Construct, id: string, risks: readonly Warning[]): void {
  const assertions = risks
    .filter(({ condition }) => !isNever(condition) && !isAlways(condition))
    .map(({ condition, message }) => ({ condition: conditionFrom(condition).text, errorMessage: `${message}.` }));
  if (assertions.length > 0) new CheckBlock(scope, id, assertions);
  for (const { condition, message } of risks) if (isNever(condition)) Annotations.of(scope).addWarning(message);
}

/** Warns of inputs for which a relation does not hold: of literals at synth, of others at every plan and apply. */
export function warnUnless<T extends Table>(
  scope: Construct,
  id: string,
  relations: readonly Omit<Relation<T>, "of">[],
  values: ValuesOf<T>,
): void {
  const risks = relations.map((relation) => ({ holds: relation.holds(values), message: relation.says(values) }));
  const assertions = risks
    .filter(({ holds }) => !holds.isLiteral)
    .map(({ holds, message }, index) => ({
      condition: holds.names.length > 0 ? holds.text : new TerraformLocal(scope, `${id}${index + 1}`, holds).asString,
      errorMessage: `${message}.`,
    }));
  if (assertions.length > 0) new CheckBlock(scope, id, assertions);
  for (const { holds, message } of risks)
    if (holds.isLiteral && !holds.literal) Annotations.of(scope).addWarning(textAtSynth(message));
}

/** A `check` block: warns at every plan and apply of what is valid but risky, and never stops either. */
export class CheckBlock extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    /** Conditions that hold if there is no risk; each must refer to at least one object of the configuration. */
    private readonly assertions: readonly { readonly condition: unknown; readonly errorMessage: string }[],
  ) {
    super(scope, id, "check");
  }

  override toTerraform(): unknown {
    const assert = this.assertions.map(({ condition, errorMessage }) => ({ condition, error_message: errorMessage }));
    return { check: { [this.friendlyUniqueId]: { assert } } };
  }
}
