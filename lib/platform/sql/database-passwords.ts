import { type Construct } from "constructs";

import { repeatFor } from "../../core/expr/attributes";
import { exprOf, hcl } from "../../core/expr/expr";
import { toText } from "../../core/expr/functions";
import { settingName } from "../../core/expr/locals";
import { number, object, type PropsOf } from "../../core/inputs/rows";
import { wholeNumber } from "../../core/inputs/rules";
import { prose } from "../../core/prose";
import { TerraformData } from "../../core/terraform-data";

/** Inputs that replace passwords of the database. */
export const DATABASE_PASSWORDS = {
  /** Replaces passwords of the database. */
  databasePasswords: object(
    {
      /**
       * Number of the application's password, 1 at first. Raising it by one replaces the password while instances run:
       * another login gets the next password, and the former login is disabled after the rollout. Without a number,
       * there is only one login.
       */
      version: number({
        default: null,
        description: prose`
          number of the application's password[[; null is the first]]; raising it later by one, to 2 at first,
          stores another password, gives it to a login that is not in use, rolls out new instances,
          and then closes the former login (guides/secrets-and-rotation.md says what a failure leaves);
          lowering it by one goes back; do not remove it again
        `,
        must: wholeNumber(1, Infinity, ", because its parity chooses the login; raise it by one"),
      }),
      /**
       * Number of the administrator's password, which only jobs use; 1 by default. Raising it by one replaces the
       * password.
       */
      administratorVersion: number({
        default: 1,
        description: prose`
          raise it later by one to replace the password of the database's administrator, which only jobs use;
          db-init runs again
        `,
      }),
    },
    { default: {}, description: (members) => `Replaces passwords of the database. ${members}` },
  ),
};

/** Numbers of the database's passwords; a new number replaces the password. */
export interface DatabasePasswordVersions extends PropsOf<
  (typeof DATABASE_PASSWORDS)["databasePasswords"]["members"]
> {}

/**
 * Refuses, at plan, a number that is not the next one, with which a login in use would get another password.
 *
 * A record keeps the number with which it was made, and there is one for each remainder by some primes. The next number
 * has other remainders, so its records are new. A later one shares a remainder with the former number, whose record is
 * still there, unless none of the primes divides the distance: the first skipped number that is not seen is 18 after 1.
 */
export function refuseSkippedVersion(scope: Construct, version: number | undefined): TerraformData {
  const now = exprOf(version ?? null).coalesce(1);
  const record = new TerraformData(scope, "LoginInUse", {
    input: { version: "${each.value}" },
    lifecycle: {
      ignoreChanges: ["input"],
      postcondition: [
        {
          condition: hcl`tostring(self.output.version) == ${toText(now)}`,
          errorMessage: prose`
            ${settingName(scope, version, "passwordVersion")} is ${now.text} while the last one was
            \${self.output.version}; it must be one higher or lower, because a skipped one could give the login in
            use another password while instances run; set it one higher or lower than \${self.output.version},
            and go on from there in later applies.
          `,
        },
      ],
    },
  });
  repeatFor(
    record,
    hcl`{ for divisor in [2, 3, 5, 7, 11, 13] : "\${divisor}:\${${now} % divisor}" => ${toText(now)} }`.text,
  );
  return record;
}
