import { Fn, Token } from "cdktf";
import { type Construct } from "constructs";

import { anyOf, not } from "../core/conditional";
import { calledIn, expression } from "../core/expression";
import { type Risk } from "../core/risks";
import { type EnvironmentOverrides } from "./container-spec";
import { bothSpellings } from "./environment-rules";
import { type MailSettings } from "./mail-settings";
import { MAIL_VARIABLES } from "./smtp";

/** Shipped blueprint with which users set a new password by mail. */
const RECOVERY = "password-recovery";

interface RecoveryMail {
  readonly blueprints: readonly string[];
  readonly environment: EnvironmentOverrides;
  readonly mail: Pick<MailSettings, "isOn">;
}

/** Risk that users wait for a mail that is never sent. */
export function recoveryMailRisk(scope: Construct, { blueprints, environment, mail }: RecoveryMail): Risk {
  const condition = anyOf(not(hasRecovery(blueprints)), mail.isOn, hasHost(environment));
  return {
    value: condition,
    isAvoided: condition === "true",
    condition,
    message: `${calledIn(scope, blueprints, "blueprints")} has "${RECOVERY}" and smtp is not given; users would wait for a mail that is never sent; set smtp`,
  };
}

function hasRecovery(blueprints: readonly string[]): string {
  if (!Token.isUnresolved(blueprints)) return String(blueprints.includes(RECOVERY));
  return Token.asString(Fn.contains(blueprints, RECOVERY));
}

/** A mail server can also be given as single settings. */
function hasHost(environment: EnvironmentOverrides): string {
  const names = bothSpellings(MAIL_VARIABLES.host);
  if (!Token.isUnresolved(environment)) return String(names.some((name) => name in environment));
  return expression(`length(setintersection(keys(${Token.asString(environment)}), ${JSON.stringify(names)})) > 0`);
}
