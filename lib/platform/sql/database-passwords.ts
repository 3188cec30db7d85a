import { type Construct } from "constructs";

import { whole } from "../../core/checks";
import { countIf, isSet } from "../../core/conditional";
import { expression, numberText, settingName } from "../../core/expression";
import { number } from "../../core/inputs";
import { rotationOf } from "../../core/rotation";
import { TerraformData } from "../../core/terraform-data";

/** Inputs that replace passwords of the database. */
export const DATABASE_PASSWORDS = {
  /**
   * Number of the application's database password. Raising it by one replaces the password while instances run: another login
   * gets the next one, and the former one is closed after the rollout. 1 at first; without a number, there is one login.
   */
  databasePasswordVersion: number({
    default: null,
    description:
      "Number of the application's database password; null for the first, without a way to replace it while instances run. Raising it later by one, to 2 at first, stores another password, gives it to a login that is not in use, rolls out new instances, and then closes the former login; guides/secrets-and-rotation.md says what a failure leaves. Lowering it by one goes back; do not remove it again.",
    must: whole(1, Infinity, ", because its parity chooses the login; raise it by one"),
  }),
  /** Raising it by one replaces the administrator's password, which only jobs use; 1 by default. */
  administratorPasswordVersion: number({
    default: 1,
    description:
      "Raise it later by one to replace the password of the database's administrator, which only jobs use. db-init runs again.",
  }),
};

/** Refuses, at plan, another number of the login in use, which would change its password while instances run. */
export function refuseSameLogin(scope: Construct, version: number): void {
  const now = numberText(version);
  new TerraformData(scope, "LoginInUse", {
    count: countIf(isSet(now)),
    input: { version: now },
    // The number of the other login is accepted by a new record; of the same one, this record keeps the former number.
    triggersReplace: { is_even: rotationOf(now).isEven },
    lifecycle: {
      ignoreChanges: ["input"],
      postcondition: [
        {
          condition: expression(`tostring(self.output.version) == tostring(${now})`),
          errorMessage: `${settingName(scope, version, "passwordVersion")} is ${now} while the last one was \${self.output.version}; it must be one higher or lower, because the same login would get another password while instances run; set it one higher or lower than \${self.output.version}, and go on from there in later applies.`,
        },
      ],
    },
  });
}
