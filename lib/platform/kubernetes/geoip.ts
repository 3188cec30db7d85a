import { matching, whole } from "../../core/checks";
import { number, object, requiredObject, textOrNumber } from "../../core/inputs";
import { IS_REFERENCE, SECRET_REFERENCE } from "../../idp/environment";

/** Inputs for the location of client addresses. */
export const GEOIP = {
  /**
   * Databases of MaxMind that tell the application where a client's address is, kept current in each pod with an account
   * there; none: those of the image, which are as old as its release. Whoever applies must be allowed to read the secret
   * with the licence key.
   */
  geoip: object(
    {
      /** Number of the account. */
      accountId: textOrNumber({
        description: "number of the account",
        must: [
          matching(
            "^[1-9][0-9]*$",
            "be the number of an account at MaxMind; copy it from the page of its licence keys",
          ),
        ],
      }),
      /** Secret with a licence key of the account. Another version starts new pods. */
      licenseKeySecret: requiredObject(SECRET_REFERENCE, {
        must: [IS_REFERENCE],
        description: () =>
          "existing secret with a licence key of the account, { secret_id, version } as in secret_environment_variables",
      }),
      /** Hours between updates: 1 to 168, 8 by default. */
      updateHours: number({
        default: 8,
        description: "hours between updates, 1 to 168",
        must: [whole(1, 168, ", because the databases change several times a week; use 8")],
      }),
    },
    {
      description: (members) =>
        `Databases of MaxMind that tell the application where a client's address is, kept current in each pod. ${members} Null for the databases of the image, which are as old as its release. A change rolls out new pods.`,
    },
  ),
};
