import { DEFAULT_GEOIP_UPDATE_HOURS, GEOIP_ACCOUNT, GEOIP_UPDATE_HOURS } from "../../lib/platform/kubernetes/geoip";
import { type Input } from "./input-table";
import { memberSentences } from "./object-type";
import { SECRET_REFERENCE } from "./settings-inputs";

const GEOIP = {
  members: {
    account_id: { type: "string", must: GEOIP_ACCOUNT, description: "number of the account" },
    license_key_secret: {
      type: SECRET_REFERENCE,
      description:
        "existing secret with a licence key of the account, { secret_id, version } as in secret_environment_variables",
    },
    update_hours: {
      type: "number",
      default: DEFAULT_GEOIP_UPDATE_HOURS,
      must: GEOIP_UPDATE_HOURS,
      description: "hours between updates, 1 to 168",
    },
  },
} as const satisfies Input["type"];

/** Inputs for the location of client addresses. */
export const GEOIP_INPUTS = {
  geoip: {
    type: GEOIP,
    default: null,
    description: `Databases of MaxMind that tell the application where a client's address is, kept current in each pod. ${memberSentences(GEOIP)} Null for the databases of the image, which are as old as its release. A change rolls out new pods.`,
  },
} as const satisfies Record<string, Input>;
