import { ONE_VALUE, SECRET_NAME, SECRET_VARIABLE_RULES, SECRET_VERSION } from "../../lib/idp/secret-references";
import { type Input } from "./input-table";
import { memberSentences } from "./object-type";

/** Type of a reference to an existing secret. */
export const SECRET_REFERENCE = {
  members: {
    secret_id: {
      type: "string",
      must: SECRET_NAME,
      description:
        "name of the secret, in full (projects/<project>/secrets/<name>, by id or number) for one of another project",
    },
    // A string also accepts numbers, and for a word the message is the rule's own.
    version: { type: "string", must: SECRET_VERSION, description: "number of its version" },
  },
} as const satisfies Input["type"];

/** Inputs for settings of the application that are more than plain variables. */
export const SETTINGS_INPUTS = {
  secret_environment_variables: {
    type: { mapOf: SECRET_REFERENCE },
    default: {},
    description: `Settings of the application under their IDP_ names whose values are existing secrets: { secret_id, version } each. ${memberSentences(SECRET_REFERENCE)} The values appear in no state or plan. A value of digits alone becomes a number, as everywhere in the application's settings. Access is granted here. Changing it later is safe; another version rolls out new instances.`,
    must: SECRET_VARIABLE_RULES,
    together: [ONE_VALUE.validationOf({ plain: "environment_variables", secret: "secret_environment_variables" })],
  },
} as const satisfies Record<string, Input>;
