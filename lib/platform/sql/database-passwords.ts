import { number } from "../../core/inputs";
import { whole } from "../../core/checks";

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
