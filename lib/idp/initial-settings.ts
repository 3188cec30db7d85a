import { Token } from "cdktf";
import { type Construct } from "constructs";

import { settingName, expression } from "../core/expression";
import { type Warning } from "../core/warnings";
import { NEUTRAL_PREFIX, UPSTREAM_PREFIX } from "./contract";
import { type EnvironmentOverrides } from "./container-spec";

/** Settings that the application reads only when it first migrates an empty database; later its own page counts. */
const INITIAL_SETTINGS = [
  "AVATARS",
  "DEFAULT_TOKEN_DURATION",
  "DEFAULT_TOKEN_LENGTH",
  "DEFAULT_USER_CHANGE_EMAIL",
  "DEFAULT_USER_CHANGE_NAME",
  "DEFAULT_USER_CHANGE_USERNAME",
  "FOOTER_LINKS",
  "GDPR_COMPLIANCE",
  "IMPERSONATION",
];

/**
 * Risk that a setting is changed in vain, because it counts at the first start only.
 *
 * @param variables settings by name, of the prop `environmentVariables`
 */
export function initialSettingsRisk(scope: Construct, variables: EnvironmentOverrides): Warning {
  const called = settingName(scope, variables, "environmentVariables");
  const pattern = `^(${NEUTRAL_PREFIX}|${UPSTREAM_PREFIX})(${INITIAL_SETTINGS.join("|")})$`;
  const advice =
    "that counts at the first start only, after which the application keeps it itself; change it there, at System > Settings";
  if (!Token.isUnresolved(variables)) {
    const initial = Object.keys(variables).filter((name) => new RegExp(pattern, "i").test(name));
    const message = `${called} has ${initial.join(", ")}; ${advice}`;
    return { value: variables, ok: initial.length === 0, condition: "true", message };
  }
  const initial = `[for name in keys(${Token.asString(variables)}) : name if can(regex("(?i)${pattern}", name))]`;
  return {
    value: variables,
    ok: false,
    condition: `length(${initial}) == 0`,
    message: `${called} has ${expression(`join(", ", ${initial})`)}; ${advice}`,
  };
}
