import { Fn, Token } from "cdktf";
import { type Construct } from "constructs";

import { anyOf, not } from "../core/conditional";
import { settingName, expression } from "../core/expression";
import { type Warning } from "../core/warnings";
import { type EnvironmentOverrides } from "./container-spec";
import { BLUEPRINT_VARIABLE_PREFIX } from "./contract";
import { bothPrefixes } from "./environment-rules";
import { type MailSettings } from "./mail-settings";
import { type SecretReferences } from "./secret-references";
import { MAIL_VARIABLES } from "./smtp";

/** Shipped blueprint with which users set a new password by mail. */
const RECOVERY = "password-recovery";

/** Shipped blueprint that fails without a secret, which its file reads from this variable. */
const CLIENT = "oidc-client";
const CLIENT_SECRET = `${BLUEPRINT_VARIABLE_PREFIX}OIDC_CLIENT_SECRET`;

interface RecoveryMail {
  readonly blueprints: readonly string[];
  readonly environment: EnvironmentOverrides;
  readonly mail: Pick<MailSettings, "isOn">;
}

interface ClientSecret {
  readonly blueprints: readonly string[];
  readonly environment: EnvironmentOverrides;
  readonly secrets: SecretReferences;
}

/** Risk that users wait for a mail that is never sent. */
export function recoveryMailRisk(scope: Construct, { blueprints, environment, mail }: RecoveryMail): Warning {
  // A mail server can also be given as single settings.
  const hasHost = hasAny(environment, bothPrefixes(MAIL_VARIABLES.host));
  const condition = anyOf(not(has(blueprints, RECOVERY)), mail.isOn, hasHost);
  return {
    value: condition,
    ok: condition === "true",
    condition,
    message: `${settingName(scope, blueprints, "blueprints")} has "${RECOVERY}" and smtp is not given; users would wait for a mail that is never sent; set smtp`,
  };
}

/** Risk that the worker never applies the example of an application, which is seen only in the application. */
export function clientSecretRisk(scope: Construct, { blueprints, environment, secrets }: ClientSecret): Warning {
  const given = [secrets, environment].map((variables) => hasAny(variables, [CLIENT_SECRET]));
  const condition = anyOf(not(has(blueprints, CLIENT)), ...given);
  return {
    value: condition,
    ok: condition === "true",
    condition,
    message: `${settingName(scope, blueprints, "blueprints")} has "${CLIENT}" and ${settingName(scope, secrets, "secretEnvironmentVariables")} has no ${CLIENT_SECRET}; the blueprint fails without it, and there is no application; set it`,
  };
}

function has(blueprints: readonly string[], blueprint: string): string {
  if (!Token.isUnresolved(blueprints)) return String(blueprints.includes(blueprint));
  return Token.asString(Fn.contains(blueprints, blueprint));
}

function hasAny(variables: EnvironmentOverrides | SecretReferences, names: readonly string[]): string {
  if (!Token.isUnresolved(variables)) return String(names.some((name) => name in variables));
  return expression(`length(setintersection(keys(${Token.asString(variables)}), ${JSON.stringify(names)})) > 0`);
}
