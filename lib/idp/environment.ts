import { TerraformLocal } from "cdktf";
import { type Construct } from "constructs";

import { type Expr, interpolated } from "../core/expr/expr";
import { concat, intersection, jsonOf, keys } from "../core/expr/functions";
import { escapedTexts } from "../core/expr/terraform-text";
import { type Relation } from "../core/inputs/relations";
import { choice, mapOf, type Table, textMap } from "../core/inputs/rows";
import { type Value } from "../core/inputs/value";
import { prose } from "../core/prose";
import { type CommonVariables, type EnvironmentSpec } from "./container-spec";
import { BASELINE_ENVIRONMENT, TRUSTED_PROXIES } from "./contract";
import { bothPrefixes, ENVIRONMENT_RULES, LOG_LEVELS, reasonFor, VARIABLE_NAME } from "./environment-rules";
import { isReference, orVersion, REFERENCE_RULE, SECRET_REFERENCE, type StoredReference } from "./secret-reference";

const BASELINE = Object.entries(BASELINE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`);

/** Inputs for the settings of the application. */
export const ENVIRONMENT = {
  /** Settings of the application under their `IDP_` names, in plain text in the state; they override the baseline. */
  environmentVariables: textMap({
    default: {},
    description: prose`
      Settings of the application under their IDP_ names, or their AUTHENTIK_ names, which count before those.
      They override the baseline (${BASELINE.join(", ")}).
      They are in plain text in the state: secrets belong in secret_environment_variables,
      and names of secrets are refused here. The application ignores names that it does not know.
      A change rolls out new instances.
    `,
    must: ENVIRONMENT_RULES,
  }),
  /**
   * Settings under their `IDP_` names with versions of existing secrets as values, or the resources of the versions.
   * Access to these secrets is granted.
   */
  secretEnvironmentVariables: orVersion(
    mapOf(SECRET_REFERENCE, {
      first: "store the value in Secret Manager",
      description: (members) =>
        prose`
          Settings of the application under their IDP_ names whose values are existing secrets: { secret_id,
          version } each. ${members} The values appear in no state or plan.
          A value of digits alone becomes a number, as everywhere in the application's settings.
          Access is granted here. Changing it later is safe; another version rolls out new instances.
        `,
      must: [
        {
          ...VARIABLE_NAME,
          each: (name, value) => VARIABLE_NAME.each(name, value).and(reasonFor(name).eq(""), name.ne(TRUSTED_PROXIES)),
          message: prose`
            ${VARIABLE_NAME.message}; the deployment sets others itself, because database, secret key, first password,
            ports, paths and trusted proxies are its own;
            leave these out, and set the first password as the bootstrap password
          `,
        },
        {
          each: (_, reference: Expr<StoredReference>) => isReference(reference),
          shows: (key, reference) => interpolated`${key} = ${jsonOf(reference)}`,
          message: `each must ${REFERENCE_RULE}`,
          names: ["secretId"],
        },
      ],
    }),
  ),
  /** Log level of the application, `info` by default; `trace` writes session cookies and other secrets to the log. */
  logLevel: choice(LOG_LEVELS, {
    fix: `use ${BASELINE_ENVIRONMENT.IDP_LOG_LEVEL}`,
    default: BASELINE_ENVIRONMENT.IDP_LOG_LEVEL,
    description: prose`
      How much the application logs: trace, debug, info, warning or warn, which are the same, or error.
      IDP_LOG_LEVEL in environment_variables overrides it. trace writes session cookies and other secrets to the
      log. A change rolls out new instances.
    `,
  }),
};

export type EnvironmentInputs = typeof ENVIRONMENT;

const inBoth = (plain: Value, secret: Value) => intersection(keys(plain), keys(secret));

/** A variable has one value: Cloud Run would refuse a second one, and Kubernetes would use the last. */
export const ENVIRONMENT_RELATIONS: readonly Relation<EnvironmentInputs>[] = [
  {
    host: "secretEnvironmentVariables",
    holds: ({ environmentVariables: plain, secretEnvironmentVariables: secret }) =>
      inBoth(plain, secret).length().eq(0),
    message: ({ environmentVariables: plain, secretEnvironmentVariables: secret }) =>
      prose`
        ${secret.name} and ${plain.name} both have ${inBoth(plain, secret).joinedBy(", ").text};
        a variable has only one value; remove it from ${plain.name}
      `,
  },
];

/** Optional variables of a container, without those that are known to be null. */
export function optionalVariables(variables: Readonly<Record<string, Expr>>): Readonly<Record<string, string>> {
  const mayBeSet = Object.entries(variables).filter(([, value]) => !value.isLiteral || value.literal !== null);
  // Literals are not escaped here, because the platform does so.
  return Object.fromEntries(
    mayBeSet.map(([name, value]) => [name, value.isLiteral ? String(value.literal) : value.text]),
  );
}

/** Variables of several containers, as a local of a scope. */
export function commonVariables(
  scope: Construct,
  id: string,
  { baseline, optional }: EnvironmentSpec,
): CommonVariables {
  const variables = { ...optional, ...baseline };
  let local: TerraformLocal | undefined;
  return { variables, local: () => (local ??= new TerraformLocal(scope, id, escapedTexts(variables))) };
}

/**
 * A relation that refuses variables of the caller, with either prefix, that another input sets.
 *
 * @param how names of the variables, condition that the input sets none of them, text of the message, and remedy
 */
export function setOnce<T extends Table & EnvironmentInputs>(
  setter: keyof T,
  how: {
    readonly names: readonly string[];
    readonly isOff: (setter: Value) => Expr<boolean>;
    readonly is: string;
    readonly remedy: (name: string) => string;
  },
): Relation<T> {
  const names = how.names.flatMap(bothPrefixes).sort();
  const taken = (plain: Value, secret: Value) => intersection(concat<string>(keys(plain), keys(secret)), names);
  return {
    host: setter,
    holds: ({ [setter]: by, environmentVariables: plain, secretEnvironmentVariables: secret }) =>
      how.isOff(by).or(taken(plain, secret).length().eq(0)),
    message: ({ [setter]: by, environmentVariables: plain, secretEnvironmentVariables: secret }) =>
      prose`
        ${plain.name} or ${secret.name} has ${taken(plain, secret).joinedBy(", ").text} and ${by.name} is ${how.is};
        only one of them can set it, because a variable has one value;
        remove it there, or ${how.remedy(by.name)}
      `,
  };
}
