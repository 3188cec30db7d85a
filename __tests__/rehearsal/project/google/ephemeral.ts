import { randomBytes } from "node:crypto";

import { Refusal } from "../cloud";
import { type EphemeralType } from "../resource-type";
import { textAt } from "../terraform-value";
import { secretId } from "./references";

/** Ephemeral types of the google provider. */
export const GOOGLE_EPHEMERAL_TYPES: Readonly<Record<string, EphemeralType>> = {
  google_client_config: {
    open: (config, cloud) => {
      const token = `ya29.${randomBytes(24).toString("base64url")}`;
      cloud.accessTokens.add(token);
      cloud.handedOut.add(token);
      return { ...config, access_token: token, default_labels: {} };
    },
  },

  google_secret_manager_secret_version: {
    open: (config, cloud) => {
      const secret = textAt(config, "secret");
      const version = textAt(config, "version") || "latest";
      const payload = cloud.payloadOf(secretId(secret, textAt(config, "project"), cloud.projectNumber), version);
      if (payload === undefined)
        throw new Refusal(
          `Error 404: Secret Version [${secret}/versions/${version}] not found or is in DISABLED state.`,
        );
      cloud.handedOut.add(payload);
      const name = `projects/${cloud.projectNumber}/secrets/${secret.split("/").at(-1) ?? ""}/versions/${version}`;
      return { ...config, version, name, enabled: true, secret_data: payload, create_time: "2025-01-01T00:00:00Z" };
    },
  },
};
