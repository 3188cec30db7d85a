import { Annotations, Fn, type ITerraformDependable, TerraformLocal, TerraformStack, Token } from "cdktf";
import { type Construct } from "constructs";

import { guardDestroy, type Protection, refuseRemoval } from "./deletion-guard";
import { MANAGED_RESOURCE, READ_AT_PLAN } from "./expr/addresses";
import { countIf, isNever, isSet } from "./expr/conditions";
import { type Expr, exprOf, hcl, reference } from "./expr/expr";
import { named, rendered, settingName } from "./expr/locals";
import { expression } from "./expr/terraform-text";
import { shown } from "./inputs/rules";
import { type Value } from "./inputs/value";
import { prose } from "./prose";
import { TerraformData } from "./terraform-data";

/** A value that identifies a deployment; another value would mean another deployment. */
export interface DeploymentFact {
  readonly prop: string;
  /** An optional value may be undefined, or null at plan. */
  readonly value: string | undefined;
  /** Name in messages, for a value that does not come from an input. */
  readonly messageName?: string;
  /** Leaves out the fact while its value is null, because older deployments recorded no such fact. */
  readonly omitsNull?: boolean;
}

/**
 * The value of an input, as a fact. If a folder for one deployment leaves out the input, the value counts as null, as
 * in a folder for any deployment. Either folder can therefore take over the state of the other.
 */
export function deploymentFact({ isSettled }: Pick<Value, "isSettled">, value: string | undefined): string | undefined {
  return value ?? (isSettled ? NOTHING : undefined);
}

/** Null with the type string, like the variables, because the state records the type too. */
const NOTHING = expression("tostring(null)");

const isNothing = ({ value }: DeploymentFact): boolean => value === NOTHING;

/**
 * Refuses, at plan, a change of the facts that identify a protected deployment.
 *
 * The state records the facts at the time when protection is switched on. If the same apply switches the protection,
 * the record is unknown at plan; then `guardDeployment` refuses the change.
 *
 * No part depends on the check, because a failed precondition stops the whole plan anyway. If a cluster depended on the
 * check, it could not be planned together with the removal of a job, because the removal needs the cluster's provider
 * first.
 *
 * @param protectedResources resources that must exist before the deployment is worth protecting
 * @returns `check`, on which the guards must depend, and `since`, the time when the deployment was created or last
 *   protected; known at plan, but an error in a state from before 0.2
 */
export function checkDeployment(
  scope: Construct,
  facts: readonly DeploymentFact[],
  protect: Protection["protect"],
  protectedResources: Protection["dependsOn"],
): { readonly check: TerraformData; readonly since: Expr<string> } {
  const record = addRecord(scope, facts, protect, protectedResources);
  const deployed: Deployed = {
    address: new TerraformLocal(scope, "DeployedIdentity", expression(record.outputExpression)).fqn,
    wasProtected: named(scope, "WasProtected", reference(`tobool(${record.outputExpression}.protected)`, AT_APPLY)),
    protectionName: settingName(scope, protect, "deletionProtection"),
  };
  const rules = facts.filter((fact) => !isNothing(fact)).map((fact) => ruleFor(scope, fact, deployed));
  const settledFacts = facts.filter(isNothing);
  const precondition = settledFacts.length === 0 ? rules : [...rules, ruleForSettled(scope, settledFacts, deployed)];
  const check = new TerraformData(scope, "IdentityCheck", { lifecycle: { precondition } });
  // Read from `input`, because `output` is unknown while the resource is planned to be created.
  return { check, since: reference<string>(`${record.fqn}.input.since`, { knownAt: "plan", mayBeNull: true }) };
}

/** The record of the deployment in the state; a plan may not know it. */
interface Deployed {
  /** Address of the object with all facts, by prop. */
  readonly address: string;
  readonly wasProtected: Expr<boolean>;
  /** Name of the deletion protection in messages. */
  readonly protectionName: string;
}

const AT_APPLY = { knownAt: "apply", mayBeNull: true } as const;

/** Records the facts of the deployment in the state while protection is switched on. */
function addRecord(
  scope: Construct,
  facts: readonly DeploymentFact[],
  protect: Protection["protect"],
  dependsOn: Protection["dependsOn"],
): TerraformData {
  const isProtected = Token.asString(protect);
  return new TerraformData(scope, "ProtectedIdentity", {
    input: { protected: isProtected, since: PLANNED_AT, ...valuesOf(facts) },
    triggersReplace: { protected: isProtected },
    lifecycle: { ignoreChanges: ["input"] },
    dependsOn,
  });
}

/** Refuses a changed fact. */
function ruleFor(scope: Construct, fact: DeploymentFact, { address, protectionName, wasProtected }: Deployed) {
  const before = reference<string | null>(`try(${address}.${fact.prop}, null)`, AT_APPLY);
  const now = exprOf(fact.value ?? null);
  return {
    condition: wasProtected.not().or(before.eq(now)).text,
    errorMessage: prose`
      ${messageNameOf(scope, fact)} is ${shown(now)}, but the protected deployment has ${shown(before)};
      ${wouldReplace(protectionName)}
    `,
  };
}

/** Refuses the loss of facts that the folder fixes to null. One rule covers all of them, because none has an input. */
function ruleForSettled(
  scope: Construct,
  facts: readonly DeploymentFact[],
  { address, protectionName, wasProtected }: Deployed,
) {
  const propsByName = Object.fromEntries(facts.map((fact) => [messageNameOf(scope, fact), fact.prop]));
  const deployedNames = named(
    scope,
    "DeployedParts",
    hcl<readonly string[]>`[
      for name, part in ${propsByName} : name if ${wasProtected} && try(${expression(address)}[part], null) != null
    ]`,
  );
  return {
    condition: deployedNames.length().eq(0).text,
    errorMessage: `the protected deployment has ${deployedNames.joinedBy(", ").text}; ${wouldReplace(protectionName)}`,
  };
}

const messageNameOf = (scope: Construct, { messageName, prop, value }: DeploymentFact) =>
  messageName ?? settingName(scope, value, prop);

const wouldReplace = (protectionName: string) =>
  prose`
    another one would replace what is deployed;
    set it back, or first apply with ${protectionName}=false and all else as it was.
  `;

const PLANNED_AT = expression("plantimestamp()");

/** Whether the value of a fact, or a local in it, has a reference of this pattern outside of quoted text. */
function refersTo(scope: Construct, { value }: DeploymentFact, pattern: RegExp): boolean {
  const locals = TerraformStack.of(scope)
    .node.findAll()
    .filter((each) => each instanceof TerraformLocal);
  const hasReference = (text: string): boolean =>
    pattern.test(text.replaceAll(/"[^"$]*"/g, '""')) ||
    locals
      .filter(({ friendlyUniqueId }) => new RegExp(`\\blocal[.]${friendlyUniqueId}\\b`).test(text))
      .some((local) => hasReference(JSON.stringify(rendered(scope, local.toTerraform()))));
  return Token.isUnresolved(value) && hasReference(String(rendered(scope, value)));
}

/**
 * The facts that a plan can compare; warns of the others. An attribute of a resource, such as a network of the same
 * stack, is unknown while the resource is created or replaced, and all parts would have to wait for it.
 */
export function comparable(scope: Construct, facts: readonly DeploymentFact[]): DeploymentFact[] {
  const isKnown = (fact: DeploymentFact) => !refersTo(scope, fact, MANAGED_RESOURCE);
  const unknownProps = facts.filter((fact) => !isKnown(fact)).map(({ prop }) => prop);
  if (unknownProps.length > 0)
    Annotations.of(scope).addWarning(
      prose`
        a resource of this stack determines ${unknownProps.join(" and ")}; a plan may not know it,
        and so cannot refuse a change that would replace the deployment; keep that resource,
        or pass a variable or a literal
      `,
    );
  return facts.filter(isKnown).map((fact) => withNamedValue(scope, fact));
}

/** Puts the value of a fact into a local if it is long, because several conditions and messages repeat it. */
function withNamedValue(scope: Construct, fact: DeploymentFact): DeploymentFact {
  const { messageName, prop, value } = fact;
  const text = exprOf(value ?? null);
  const name = messageName ?? settingName(scope, value, prop);
  // A reference alone is as short as the name of a local.
  if (!text.isLong || name !== (messageName ?? prop)) return fact;
  return { ...fact, value: named(scope, `Present-${name}`, text).text, messageName: name };
}

/**
 * Refuses, at apply, a change of a fact in the same apply that switches protection off: the changed fact replaces the
 * guard before anything else.
 *
 * @returns the guard, on which the deletion guard must depend
 */
export function guardDeployment(
  scope: Construct,
  facts: readonly DeploymentFact[],
  protection: Protection,
): TerraformData {
  return guardDestroy(scope, "IdentityGuard", protection, {
    remedy: "and all else as it was, and change the rest in a second apply",
    // An unknown value would replace the guard, and an apply without changes would be refused.
    triggersReplace: givenOf(facts.filter((fact) => !refersTo(scope, fact, READ_AT_PLAN))),
  });
}

/**
 * Refuses, at apply, to remove a setting that a database can gain later, but cannot lose without being replaced.
 *
 * @returns the guard, which a destroy reaches first; without a guard, the dependencies of the protection
 */
export function guardPresence(
  scope: Construct,
  { prop, value }: DeploymentFact,
  protection: Protection,
): ITerraformDependable[] {
  const refusal = `${settingName(scope, value, prop)} cannot be taken away`;
  if (!isNever(isSet(value)))
    return [guardDestroy(scope, "PresenceGuard", protection, { refusal, count: countIf(isSet(value)) })];
  refuseRemoval(scope, "PresenceGuard", protection, { refusal });
  return protection.dependsOn;
}

function valuesOf(facts: readonly DeploymentFact[]): Record<string, string> {
  return Object.fromEntries(facts.flatMap(({ prop, value }) => (value === undefined ? [] : [[prop, value] as const])));
}

/** The facts of a deployment, without those that are null at plan. */
function givenOf(facts: readonly DeploymentFact[]): Record<string, string> {
  const all = valuesOf(facts.filter(({ omitsNull }) => omitsNull !== true));
  const nullableValues = valuesOf(facts.filter(({ omitsNull, value }) => omitsNull && value !== NOTHING));
  if (Object.keys(nullableValues).length === 0) return all;
  const given = hcl`{ for name, value in ${nullableValues} : name => value if value != null }`.text;
  return Token.asStringMap(Fn.merge([all, given]));
}
