import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

import { type Cloud, type CloudObject, Refusal } from "../cloud";
import { needApi, needObject } from "../needs";
import { type ResourceTypes } from "../resource-type";
import { textAt, valueAt } from "../terraform-value";
import { googleType, refuseProtected } from "./google-type";
import { needServicesAccess } from "./network";

/** How many versions of a secret were ever stored, also before it was deleted. */
function storedBefore({ payloads }: Cloud, version: string): number {
  const [secret = ""] = version.split("versions/");
  return payloads.filter(({ name }) => name.startsWith(secret)).length;
}

/** Cloud SQL takes the creation of a login that exists for a change of its password. */
function setPassword({ values, writeOnly: { password_wo: password = "" } }: CloudObject, cloud: Cloud): void {
  cloud.administratorPasswords.set(textAt(values, "instance"), password);
}

const PRIVATE_NETWORK = "settings.0.ip_configuration.0.private_network";

/** Buckets, repositories, secrets and databases. */
export const STORAGE_TYPES: ResourceTypes = {
  google_artifact_registry_repository: googleType({
    api: "artifactregistry",
    id: "projects/{{project}}/locations/{{location}}/repositories/{{repository_id}}",
    replacedBy: ["project", "location", "repository_id", "format", "kms_key_name", "mode"],
    source: "artifactregistry/resource_artifact_registry_repository.go",
    computed: (values) => ({
      name: textAt(values, "repository_id"),
      registry_uri: `${textAt(values, "location")}-docker.pkg.dev/${textAt(values, "project")}/${textAt(values, "repository_id")}`,
    }),
    afterCreate: ({ values }, cloud) => cloud.deletedRepositories.delete(`${textAt(values, "registry_uri")}/`),
    afterDestroy: ({ values }, cloud) => cloud.deletedRepositories.add(`${textAt(values, "registry_uri")}/`),
  }),

  google_migration_center_group: googleType({
    api: "migrationcenter",
    id: "projects/{{project}}/locations/{{location}}/groups/{{group_id}}",
    replacedBy: ["project", "location", "group_id"],
    source: "migrationcenter/resource_migration_center_group.go",
    computed: (_values, { id }) => ({ name: id, create_time: "2026-01-01T00:00:00Z" }),
  }),

  google_secret_manager_secret: googleType({
    api: "secretmanager",
    id: "projects/{{project}}/secrets/{{secret_id}}",
    replacedBy: ["project", "secret_id", "replication", "tags"],
    source: "secretmanager/resource_secret_manager_secret.go",
    computed: (values, { cloud }) => ({
      name: `projects/${cloud.projectNumber}/secrets/${textAt(values, "secret_id")}`,
      expire_time: "",
    }),
    beforeDestroy: refuseProtected("secret manager secret", false),
    afterDestroy: ({ id }, cloud) => cloud.endSecret(id),
  }),

  google_secret_manager_secret_version: googleType({
    api: "secretmanager",
    replacedBy: ["project", "secret", "secret_data", "secret_data_wo_version", "is_secret_data_base64"],
    source: "secretmanager/resource_secret_manager_secret_version.go",
    knownAtPlan: () => ({ enabled: true }),
    // Terraform takes a default of the provider only from one that says that it has such.
    computedBlocks: [],
    problems: ({ secret_data: data, secret_data_wo: writeOnly, secret_data_wo_version: version }) => [
      ...(data !== null && writeOnly !== null ? ["secret_data conflicts with secret_data_wo"] : []),
      ...(writeOnly !== null && version === null ? ["secret_data_wo needs secret_data_wo_version"] : []),
    ],
    id: (values, cloud) => {
      const prefix = `${cloud.secretName(textAt(values, "secret"))}/versions/`;
      return `${prefix}${cloud.payloads.filter(({ name }) => name.startsWith(prefix)).length + 1}`;
    },
    computed: (_values, { cloud, id }) => ({
      name: id,
      version: id.split("/").at(-1) ?? "",
      // Never the same for one secret, whatever its number.
      create_time: new Date(Date.UTC(2026, 0, 1) + storedBefore(cloud, id) * 1234).toISOString(),
      // The provider keeps one only of a secret that is given by its short name.
      project: "",
      destroy_time: "",
    }),
    needs: (values) => [needObject("google_secret_manager_secret", textAt(values, "secret"))],
    afterCreate: ({ id, values, writeOnly }, cloud) => {
      const stored = textAt(values, "secret_data");
      const decoded = values.is_secret_data_base64 === true ? Buffer.from(stored, "base64").toString() : stored;
      const payload = writeOnly.secret_data_wo ?? decoded;
      if (payload === "") throw new Refusal(`Error 400: the payload of ${id} is empty`);
      cloud.payloads.push({ name: id, payload });
    },
  }),

  google_sql_database_instance: googleType({
    api: "sqladmin",
    id: "{{name}}",
    replacedBy: ["project", "name", "region", "collation", "encryption_key_name"],
    source: "sql/resource_sql_database_instance.go",
    // The private network can be set later but not removed.
    replacedWhen: (prior, planned) =>
      textAt(prior, PRIVATE_NETWORK) !== "" && valueAt(planned, PRIVATE_NETWORK) === null ? [PRIVATE_NETWORK] : [],
    computed: (values) => {
      const isPrivate = textAt(values, PRIVATE_NETWORK) !== "";
      const address = isPrivate ? "10.20.0.5" : "203.0.113.5";
      const [project, region, name] = ["project", "region", "name"].map((attribute) => textAt(values, attribute));
      return {
        connection_name: `${project}:${region}:${name}`,
        self_link: `https://sqladmin.googleapis.com/sql/v1beta4/projects/${project}/instances/${name}`,
        first_ip_address: address,
        private_ip_address: isPrivate ? address : "",
        public_ip_address: isPrivate ? "" : address,
        ip_address: [{ ip_address: address, time_to_retire: "", type: isPrivate ? "PRIVATE" : "PRIMARY" }],
        service_account_email_address: "p123456789012-abcdef@gcp-sa-cloud-sql.iam.gserviceaccount.com",
        instance_type: "CLOUD_SQL_INSTANCE",
        maintenance_version: "POSTGRES_15_7.R20240514.00_12",
      };
    },
    needs: (values) => {
      const network = textAt(values, PRIVATE_NETWORK);
      return network === "" ? [] : [...needApi("compute"), ...needServicesAccess(network, textAt(values, "project"))];
    },
    invalid: (values) => {
      const backups = "settings.0.backup_configuration.0";
      const kept = Number(valueAt(values, `${backups}.backup_retention_settings.0.retained_backups`));
      const logged = Number(valueAt(values, `${backups}.transaction_log_retention_days`));
      return logged > kept ? ["Invalid request: backup retention should be > transaction log retention."] : [];
    },
    beforeDestroy: (prior, object, cloud) => {
      refuseProtected("instance")?.(prior, object, cloud);
      if (valueAt(object.values, "settings.0.deletion_protection_enabled") === true) {
        throw new Refusal(
          "Error 400: The instance is protected. Please disable the deletion protection and try again.",
        );
      }
    },
    afterDestroy: ({ id }, cloud) => {
      cloud.administratorPasswords.delete(id);
      for (const role of cloud.databaseRoles.keys()) {
        if (role.startsWith(`${id}/`)) cloud.databaseRoles.delete(role);
      }
    },
  }),

  google_sql_user: googleType({
    api: "sqladmin",
    id: "{{name}}/{{host}}/{{instance}}",
    replacedBy: ["project", "instance", "name", "host", "type"],
    source: "sql/resource_sql_user.go",
    computed: () => ({ host: "" }),
    needs: (values) => [needObject("google_sql_database_instance", textAt(values, "instance"))],
    afterCreate: setPassword,
    afterUpdate: setPassword,
  }),

  google_storage_bucket: googleType({
    api: "storage",
    id: "{{name}}",
    replacedBy: ["project", "name", "location", "enable_object_retention", "hierarchical_namespace"],
    source: "storage/resource_storage_bucket.go",
    knownAtPlan: () => ({ deletion_policy: "DELETE" }),
    computed: (values, { cloud }) => ({
      project_number: Number(cloud.projectNumber),
      self_link: `https://www.googleapis.com/storage/v1/b/${textAt(values, "name")}`,
      url: `gs://${textAt(values, "name")}`,
      rpo: "",
    }),
    beforeDestroy: (prior, { id }, cloud) => {
      if ((cloud.bucketFiles.get(id) ?? 0) > 0 && valueAt(prior, "force_destroy") !== true) {
        throw new Refusal(
          `Error trying to delete bucket ${id} containing objects without \`force_destroy\` set to true`,
        );
      }
      // Grants and files go with their bucket.
      for (const { type, id: part, values } of cloud.objects.values()) {
        if (textAt(values, "bucket").replace(/^b\//, "") === id) cloud.forget(`${type} ${part}`);
      }
    },
  }),

  google_storage_bucket_object: googleType({
    api: "storage",
    id: "{{bucket}}-{{name}}",
    replacedBy: ["bucket", "name", "content_type", "content_encoding", "source", "storage_class", "metadata"],
    source: "storage/resource_storage_bucket_object.go",
    computed: (values) => ({
      output_name: textAt(values, "name"),
      md5hash: createHash("md5").update(textAt(values, "content")).digest("base64"),
      md5hexhash: createHash("md5").update(textAt(values, "content")).digest("hex"),
    }),
    needs: (values) => [needObject("google_storage_bucket", textAt(values, "bucket"))],
  }),
};
