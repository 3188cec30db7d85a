import { AnnotationMetadataEntryType, Annotations, TerraformElement } from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { type Condition, conditionFrom, isAlways, isNever } from "../expr/conditions";
import { type Expr } from "../expr/expr";
import { named } from "../expr/locals";
import { inFileOfChecks } from "../hcl/stack-origin";
import { textAtSynth } from "./input-problems";
import { type Relation } from "./relations";
import { type Table } from "./rows";
import { valuesOfSettings } from "./settings-problems";
import { type DeploymentSettings } from "./settled-inputs";
import { addSharedTables } from "./shared-table";
import { type ValuesOf } from "./value";

/** A value that is valid but probably a mistake. */
export interface Warning {
  /**
   * Id of the condition's local. The id states the expected case, because Terraform prints the condition with a
   * warning.
   */
  readonly localId: string;
  /** Whether the value is right. */
  readonly condition: Condition;
  /** What is risky, why, and the fix; no trailing full stop. */
  readonly message: string;
}

/** A relation of inputs that only causes a warning if it is broken. */
export interface WarningRelation<T extends Table> extends Omit<Relation<T>, "host"> {
  /** Id of the condition's local: see `Warning`. */
  readonly localId: string;
  readonly among?: undefined;
}

/** Items of inputs that deserve a warning. */
export interface WarningItems<T extends Table> {
  /** Id of the local that lists the items. */
  readonly localId: string;
  /** The wrong items. */
  readonly among: (values: ValuesOf<T>) => Expr<readonly string[]>;
  /** The problem of the items, the rule, and the fix, without a full stop. */
  readonly message: (values: ValuesOf<T>, found: string) => string;
}

/**
 * Warns of risks without stopping anything: at synth if synthesis knows the values, otherwise at every plan and apply.
 */
export function addWarnings(scope: Construct, id: string, risks: readonly Warning[]): void {
  const assertions = risks
    .filter(({ condition }) => !isNever(condition) && !isAlways(condition))
    .map(({ condition, message, localId }) => ({
      condition: conditionToShow(scope, localId, conditionFrom(condition)).text,
      errorMessage: `${message}.`,
    }));
  if (assertions.length > 0) new CheckBlock(scope, id, assertions);
  for (const { condition, message } of risks) if (isNever(condition)) Annotations.of(scope).addWarning(message);
}

/** Warns of inputs that break a relation: at synth if they are literals, otherwise at every plan and apply. */
export function warnUnless<T extends Table>(
  scope: Construct,
  id: string,
  risks: readonly (WarningRelation<T> | WarningItems<T>)[],
  values: ValuesOf<T>,
): void {
  const judged = risks.map((risk) =>
    risk.among !== undefined ? found(scope, risk, values) : advised(scope, risk, values),
  );
  const assertions = judged
    .filter(({ holds }) => !holds.isLiteral)
    .map(({ holds, message }) => ({ condition: holds.text, errorMessage: `${message}.` }));
  if (assertions.length > 0) new CheckBlock(scope, id, assertions);
  addSharedTables(scope, assertions);
  for (const { holds, message } of judged)
    if (holds.isLiteral && !holds.literal) Annotations.of(scope).addWarning(textAtSynth(message));
}

/**
 * Warns at synth of settings that break a relation; every plan judges the values again.
 *
 * @param risksOf warnings of parts, which see only variables
 */
export function warnOfSettings<T extends Table>(
  scope: Construct,
  table: T,
  risks: readonly (WarningRelation<T> | WarningItems<T>)[],
  settings: DeploymentSettings,
  risksOf: (values: ValuesOf<T>) => readonly Warning[] = () => [],
): void {
  const values = valuesOfSettings(table, settings);
  const messages = risks.flatMap((risk) => {
    const wrong = risk.among === undefined ? undefined : risk.among(values);
    const holds = wrong === undefined ? (risk as WarningRelation<T>).holds(values) : wrong.length().eq(0);
    return isNever(holds) ? [risk.message(values, wrong?.joinedBy(", ").text ?? "")] : [];
  });
  const ofParts = risksOf(values).filter(({ condition }) => isNever(condition));
  for (const message of [...messages, ...ofParts.map((risk) => risk.message)])
    Annotations.of(scope).addWarning(textAtSynth(message));
}

/**
 * Warnings of an app or a part of an app, each after the path of its construct. The command `cdktf` prints the
 * warnings; a program that runs without this command does not. Values that only Terraform knows are judged by each
 * plan.
 */
export function warningsOf(scope: IConstruct): string[] {
  return warningsIn(scope).map(({ path, text }) => `${path}: ${text}`);
}

/** Texts of the warnings in a scope, without paths and duplicates. */
export function warningTexts(scope: IConstruct): string[] {
  return [...new Set(warningsIn(scope).map(({ text }) => text))];
}

function warningsIn(scope: IConstruct): { readonly path: string; readonly text: string }[] {
  return scope.node
    .findAll()
    .flatMap(({ node }) =>
      node.metadata
        .filter(({ type }) => type === (AnnotationMetadataEntryType.WARN as string))
        .map(({ data }) => ({ path: node.path, text: String(data) })),
    );
}

interface Judged {
  readonly holds: Expr<boolean>;
  readonly message: string;
}

function advised<T extends Table>(
  scope: Construct,
  { holds, localId, message }: WarningRelation<T>,
  values: ValuesOf<T>,
): Judged {
  const condition = holds(values);
  // A check must refer to an object of the configuration; a local gives an expression of literals such a reference.
  const isBare = condition.names.length === 0;
  const shown = isBare ? besideChecks(scope, localId, condition) : conditionToShow(scope, localId, condition);
  return { holds: shown, message: message(values) };
}

/** A condition that Terraform prints with a warning; a long one goes into a local. @param id id of the local */
function conditionToShow(scope: Construct, id: string, condition: Expr<boolean>): Expr<boolean> {
  return condition.takesLines ? besideChecks(scope, id, condition) : condition;
}

/** A value as a local in the file of the checks; a literal is returned unchanged. */
function besideChecks<T>(scope: Construct, id: string, value: Expr<T>): Expr<T> {
  return named(scope, id, value, inFileOfChecks);
}

function found<T extends Table>(
  scope: Construct,
  { among, localId, message }: WarningItems<T>,
  values: ValuesOf<T>,
): Judged {
  const wrong = besideChecks(scope, localId, among(values));
  return { holds: wrong.length().eq(0), message: message(values, wrong.joinedBy(", ").text) };
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
