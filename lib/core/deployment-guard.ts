import { Annotations, Fn, TerraformLocal, TerraformStack, Token, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { shown } from "./inputs/checks";
import { MANAGED_RESOURCE, READ_AT_PLAN } from "./expr/addresses";
import { type Expr, exprOf, hcl, reference } from "./expr/expr";
import { countIf, isNever, isSet } from "./expr/conditional";
import { guardDestroy, refuseRemoval, type Protection } from "./deletion-guard";
import { expression, named, settingName, rendered } from "./expr/expression";
import { type Value } from "./inputs/value";
import { TerraformData } from "./terraform-data";

/** A value that makes a deployment what it is: another one would replace it. */
export interface DeploymentFact {
  readonly prop: string;
  /** Undefined, or null at plan, where it is optional. */
  readonly value: string | undefined;
  /** Name in messages, where it is not that of an input. */
  readonly messageName?: string;
  /** Leaves a null out of what guards compare, which many deployments have not had from the beginning. */
  readonly omitsNull?: boolean;
}

/**
 * The value of a fact from an input. Where the folder of one deployment leaves the input out, it is null, as in the
 * folder for any: so that both can take over the state of the other.
 */
export function deploymentFact({ isSettled }: Pick<Value, "isSettled">, value: string | undefined): string | undefined {
  return value ?? (isSettled ? NOTHING : undefined);
}

/** Null, with the type that a variable has, because a state keeps that too. */
const NOTHING = expression("tostring(null)");

const isNothing = ({ value }: DeploymentFact): boolean => value === NOTHING;

/**
 * Refuses, at plan, a change of what makes a protected deployment what it is.
 *
 * What it was when its protection was switched on stays in the state. Terraform does not know that at plan if the same
 * apply switches the protection: then `guardDeployment` refuses.
 *
 * No part waits for it, because a plan that one resource refuses is never applied. If the cluster did, it could not be
 * planned together with the end of a job in it, which needs the cluster's provider first.
 *
 * @param protectedResources what must exist before there is anything to protect
 * @returns what a destroy must ask for later than the guards, and when the deployment was made or last protected, which
 *   a plan knows: an expression of a time, which fails in a state from before 0.2
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
  // As it was given, because what a resource makes of it is unknown while it is planned to be created.
  return { check, since: reference<string>(`${record.fqn}.input.since`, { knownAt: "plan", mayBeNull: true }) };
}

/** What the state says of the deployment, which a plan may not know. */
interface Deployed {
  /** Of an object that has each fact by its prop. */
  readonly address: string;
  readonly wasProtected: Expr<boolean>;
  /** What deletion protection is called in messages. */
  readonly protectionName: string;
}

const AT_APPLY = { knownAt: "apply", mayBeNull: true } as const;

/** Keeps in the state what the deployment is while its protection is switched on. */
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

/** Refuses another value of a fact. */
function ruleFor(scope: Construct, fact: DeploymentFact, { address, protectionName, wasProtected }: Deployed) {
  const before = reference<string | null>(`try(${address}.${fact.prop}, null)`, AT_APPLY);
  const now = exprOf(fact.value ?? null);
  return {
    condition: wasProtected.not().or(before.eq(now)).text,
    errorMessage: [
      `${messageNameOf(scope, fact)} is ${shown(now)}, but the protected deployment has ${shown(before)};`,
      wouldReplace(protectionName),
    ].join(" "),
  };
}

/** Refuses what a folder has settled to be none, by one rule, because no input is left that could have its own. */
function ruleForSettled(
  scope: Construct,
  facts: readonly DeploymentFact[],
  { address, protectionName, wasProtected }: Deployed,
) {
  const propsByName = Object.fromEntries(facts.map((fact) => [messageNameOf(scope, fact), fact.prop]));
  const deployedNames = hcl<readonly string[]>`[
    for name, part in ${propsByName} : name if ${wasProtected} && try(${expression(address)}[part], null) != null
  ]`;
  return {
    condition: deployedNames.length().eq(0).text,
    errorMessage: `the protected deployment has ${deployedNames.joinedBy(", ").text}; ${wouldReplace(protectionName)}`,
  };
}

const messageNameOf = (scope: Construct, { messageName, prop, value }: DeploymentFact) =>
  messageName ?? settingName(scope, value, prop);

const wouldReplace = (protectionName: string) =>
  [
    "another one would replace what is deployed;",
    `set it back, or first apply with ${protectionName}=false and all else as it was.`,
  ].join(" ");

const PLANNED_AT = expression("plantimestamp()");

/** Whether a value, or a local in it, has such a reference outside of plain text. */
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
 * The parts that a plan can compare, with a warning of the others: what comes from a resource, such as a network of the
 * same stack, is unknown when that is created or replaced, and everything would have to wait for it.
 */
export function comparable(scope: Construct, facts: readonly DeploymentFact[]): DeploymentFact[] {
  const isKnown = (fact: DeploymentFact) => !refersTo(scope, fact, MANAGED_RESOURCE);
  const unknownProps = facts.filter((fact) => !isKnown(fact)).map(({ prop }) => prop);
  if (unknownProps.length > 0)
    Annotations.of(scope).addWarning(
      [
        `a resource of this stack determines ${unknownProps.join(" and ")}; a plan may not know it,`,
        "and so cannot refuse a change that would replace the deployment; keep that resource,",
        "or pass a variable or a literal",
      ].join(" "),
    );
  return facts.filter(isKnown).map((fact) => withNamedValue(scope, fact));
}

/** Gives a value that is looked at in several places a name, if it takes more than a glance to read. */
function withNamedValue(scope: Construct, fact: DeploymentFact): DeploymentFact {
  const { messageName, prop, value } = fact;
  const text = exprOf(value ?? null);
  const name = messageName ?? settingName(scope, value, prop);
  // A reference alone is as short as the name of a local.
  if (!text.isLong || name !== (messageName ?? prop)) return fact;
  return { ...fact, value: named(scope, `Present-${name}`, text).text, messageName: name };
}

/**
 * Refuses, at apply, such a change together with the end of the protection: it is replaced first.
 *
 * @returns what a destroy must ask for later than its own guard
 */
export function guardDeployment(
  scope: Construct,
  facts: readonly DeploymentFact[],
  protection: Protection,
): TerraformData {
  return guardDestroy(scope, "IdentityGuard", protection, {
    remedy: "and all else as it was, and change the rest in a second apply",
    // Something unknown would replace it, and so refuse an apply that changes nothing.
    triggersReplace: givenOf(facts.filter((fact) => !refersTo(scope, fact, READ_AT_PLAN))),
  });
}

/**
 * Refuses, at apply, to take away what a database can be given later, but not lose without being replaced.
 *
 * @returns what a destroy must ask for before what the protection depends on
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
