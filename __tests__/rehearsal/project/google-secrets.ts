import { Buffer } from "node:buffer";
import { randomBytes } from "node:crypto";

import { type Cloud, type CloudObject, Refusal } from "./cloud";
import { type Lookup, type ResourceType } from "./resource-type";
import { textAt } from "./terraform-value";

/** Identity of a secret from a reference, which may be the name alone or have the project's number. */
export function secretId(reference: string, project: string, projectNumber: string): string {
  const [, owner = project, , name = reference] = reference.startsWith("projects/") ? reference.split("/") : [];
  return `projects/${owner === projectNumber ? project : owner}/secrets/${name}`;
}

/** How many versions a secret has had; also before it was deleted, if these count as well. */
function versionCount({ payloads }: Cloud, name: string): number {
  return payloads.filter((stored) => stored.name.startsWith(name)).length;
}

/** Versions count from 1 for each new secret of a name, and their payloads never change. */
export const SECRET_VERSION: ResourceType = {
  api: "secretmanager",
  id: (values, cloud) => {
    const versions = `${cloud.secretName(textAt(values, "secret"))}/versions/`;
    return `${versions}${versionCount(cloud, versions) + 1}`;
  },
  replacedBy: ["secret", "secret_data", "secret_data_wo_version", "is_secret_data_base64"],
  refs: { secret: "google_secret_manager_secret" },
  isPlacedByReference: true,
  knownAtPlan: () => ({ enabled: true }),
  // Terraform takes a default of the provider only from one that says that it has such.
  computedBlocks: [],
  computed: (_values, { cloud, id }) => {
    const [secret = "", version = ""] = id.split("versions/");
    // Never the same for one secret, whatever its number.
    const created = Date.UTC(2026, 0, 1) + versionCount(cloud, secret) * 1234;
    const times = { create_time: new Date(created).toISOString(), destroy_time: "" };
    // The provider keeps a project only of a secret that is given by its short name.
    return { ...times, name: id, version, project: "" };
  },
  afterCreate: ({ id, values, writeOnly }, cloud) => {
    const stored = textAt(values, "secret_data");
    const decoded = values.is_secret_data_base64 === true ? Buffer.from(stored, "base64").toString() : stored;
    const payload = writeOnly.secret_data_wo ?? decoded;
    if (payload === "") throw new Refusal(`Error 400: the payload of ${id} is empty`);
    cloud.payloads.push({ name: id, payload });
  },
};

/** Sets the password of a database's administrator. */
export function setPassword({ values, writeOnly: { password_wo: password = "" } }: CloudObject, cloud: Cloud): void {
  cloud.administratorPasswords.set(textAt(values, "instance"), password);
}

/** Ephemeral types of the google provider. */
export const GOOGLE_EPHEMERAL_TYPES: Readonly<Record<string, Lookup>> = {
  google_client_config: (config, cloud) => {
    const token = `ya29.${randomBytes(24).toString("base64url")}`;
    cloud.accessTokens.add(token);
    cloud.handedOut.add(token);
    return { ...config, access_token: token, default_labels: {} };
  },

  google_secret_manager_secret_version: (config, cloud) => {
    const secret = secretId(textAt(config, "secret"), textAt(config, "project"), cloud.projectNumber);
    const version = textAt(config, "version") || "latest";
    const payload = cloud.payloadOf(secret, version);
    if (payload === undefined)
      throw new Refusal(`Error 404: Secret Version [${secret}/versions/${version}] not found or is in DISABLED state.`);
    cloud.handedOut.add(payload);
    const name = `${cloud.secretName(secret)}/versions/${version}`;
    return { ...config, version, name, enabled: true, secret_data: payload, create_time: "2025-01-01T00:00:00Z" };
  },
};
