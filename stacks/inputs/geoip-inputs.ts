import { SECRET_NAME, SECRET_VERSION } from "../../lib/idp/secret-references";
import { DEFAULT_GEOIP_UPDATE_HOURS, GEOIP_ACCOUNT, GEOIP_UPDATE_HOURS } from "../../lib/platform/kubernetes/geoip";
import { type Input } from "./input-table";

/** Inputs for what the application knows about addresses. */
export const GEOIP_INPUTS = {
  geoip: {
    type: {
      members: {
        account_id: { type: "string", must: GEOIP_ACCOUNT },
        license_key_secret: {
          type: {
            members: {
              secret_id: { type: "string", must: SECRET_NAME },
              // Text takes numbers too, and a word gets the rule's own answer.
              version: { type: "string", must: SECRET_VERSION },
            },
          },
        },
        update_hours: { type: "number", default: DEFAULT_GEOIP_UPDATE_HOURS, must: GEOIP_UPDATE_HOURS },
      },
    },
    default: null,
    description:
      "Databases of MaxMind that tell the application where a client's address is, kept up to date beside each server: account_id, license_key_secret, an existing secret { secret_id, version } with a licence key, secret_id in full (projects/<project id>/secrets/<name>) for one of another project, and update_hours from one update to the next. Null for the databases of the image, which are as old as its release. A change rolls out new pods.",
  },
} as const satisfies Record<string, Input>;
