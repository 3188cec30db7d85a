import { Buffer } from "node:buffer";
import { createHash } from "node:crypto";

import { needApi, needObject, needPrincipal, PROJECT_NUMBER, Refusal } from "./cloud";
import { GOOGLE_CLUSTER_KINDS } from "./google-cluster-kinds";
import { GOOGLE_NETWORK_KINDS } from "./google-network-kinds";
import { GOOGLE_COMPUTE_KINDS } from "./google-compute-kinds";
import { GOOGLE_WORKLOAD_KINDS } from "./google-workload-kinds";
import { secretId } from "./google-references";
import { mergedKinds, type ResourceKind } from "./resource-kind";
import { textAt, valueAt, type ValueObject } from "./terraform-value";

const text = textAt;

/** Protection as every resource of this provider implements it: the state decides, not the configuration. */
function refuseProtected(kind: string, byDefault: boolean): ResourceKind["beforeDestroy"] {
  return (prior) => {
    const given = valueAt(prior, "deletion_protection");
    if (given === true || (given === null && byDefault)) {
      throw new Refusal(
        `cannot destroy ${kind} without setting deletion_protection=false and running \`terraform apply\``,
      );
    }
  };
}

/** A grant to one principal; `target` gives the thing it is on and the beginning of its identity. */
function grant(
  source: string,
  replacedBy: readonly string[],
  target: (values: ValueObject) => { readonly type?: string; readonly id: string },
  api: string,
): ResourceKind {
  return {
    replacedBy: [...replacedBy, "role", "member", "condition"],
    source: `${source} and ../tpgiamresource/resource_iam_member.go`,
    id: (values) => `${target(values).id}/${text(values, "role")}/${text(values, "member")}`,
    computed: () => ({ etag: "BwYAAAAAAAA=" }),
    needs: (values) => {
      const { type, id } = target(values);
      return [
        ...(type === undefined ? [] : [needObject(type, id.replace(/^b\//, ""))]),
        ...needPrincipal(text(values, "member")),
        ...needApi(api),
      ];
    },
  };
}

const KINDS: Readonly<Record<string, ResourceKind>> = {
  google_artifact_registry_repository: {
    replacedBy: ["project", "location", "repository_id", "format", "kms_key_name", "mode"],
    source: "artifactregistry/resource_artifact_registry_repository.go",
    id: (values) =>
      `projects/${text(values, "project")}/locations/${text(values, "location")}/repositories/${text(values, "repository_id")}`,
    computed: (values) => ({
      name: text(values, "repository_id"),
      registry_uri: `${text(values, "location")}-docker.pkg.dev/${text(values, "project")}/${text(values, "repository_id")}`,
    }),
    needs: () => needApi("artifactregistry"),
    afterCreate: ({ values }, cloud) => {
      cloud.deletedRepositories.delete(`${text(values, "registry_uri")}/`);
    },
    afterDestroy: ({ values }, cloud) => {
      cloud.deletedRepositories.add(`${text(values, "registry_uri")}/`);
    },
  },

  google_artifact_registry_repository_iam_member: grant(
    "artifactregistry/iam_artifact_registry_repository.go",
    ["project", "location", "repository"],
    (values) => ({
      type: "google_artifact_registry_repository",
      id: `projects/${text(values, "project")}/locations/${text(values, "location")}/repositories/${text(values, "repository").split("/").at(-1) ?? ""}`,
    }),
    "artifactregistry",
  ),

  google_project_iam_member: grant(
    "resourcemanager/iam_project.go",
    ["project"],
    (values) => ({ id: text(values, "project") }),
    "cloudresourcemanager",
  ),

  google_project_service: {
    replacedBy: ["project", "service"],
    source: "resourcemanager/resource_google_project_service.go",
    id: (values) => `${text(values, "project")}/${text(values, "service")}`,
    needs: () => needApi("cloudresourcemanager"),
    afterCreate: ({ values }, cloud) => {
      cloud.surroundings.enabledApis.add(text(values, "service"));
    },
    afterDestroy: ({ values }, cloud) => {
      if (valueAt(values, "disable_on_destroy") !== false)
        cloud.surroundings.enabledApis.delete(text(values, "service"));
    },
  },

  google_secret_manager_secret: {
    replacedBy: ["project", "secret_id", "replication", "tags"],
    source: "secretmanager/resource_secret_manager_secret.go",
    id: (values) => `projects/${text(values, "project")}/secrets/${text(values, "secret_id")}`,
    computed: (values, { cloud }) => ({
      name: `projects/${cloud.projectNumber}/secrets/${text(values, "secret_id")}`,
      expire_time: "",
    }),
    needs: () => needApi("secretmanager"),
    beforeDestroy: refuseProtected("secret manager secret", false),
  },

  google_secret_manager_secret_iam_member: {
    ...grant(
      "secretmanager/iam_secret_manager_secret.go",
      ["project", "secret_id"],
      (values) => ({
        type: "google_secret_manager_secret",
        id: secretId(text(values, "secret_id"), text(values, "project"), PROJECT_NUMBER),
      }),
      "secretmanager",
    ),
    // The project is read out of the secret's name, which is not known before there is a secret.
    knownAtPlan: () => ({}),
  },

  google_secret_manager_secret_version: {
    replacedBy: ["secret", "secret_data", "secret_data_wo_version", "is_secret_data_base64"],
    source: "secretmanager/resource_secret_manager_secret_version.go",
    knownAtPlan: () => ({}),
    problems: (config) => {
      const both = config.secret_data !== null && config.secret_data_wo !== null;
      const version = config.secret_data_wo !== null && config.secret_data_wo_version === null;
      return [
        ...(both ? ["secret_data conflicts with secret_data_wo"] : []),
        ...(version ? ["secret_data_wo needs secret_data_wo_version"] : []),
      ];
    },
    id: (values, cloud) => {
      const secret = text(values, "secret").split("/").at(-1) ?? "";
      const prefix = `projects/${cloud.projectNumber}/secrets/${secret}/versions/`;
      return `${prefix}${cloud.payloads.filter(({ name }) => name.startsWith(prefix)).length + 1}`;
    },
    computed: (values, { id }) => ({
      name: id,
      version: id.split("/").at(-1) ?? "",
      project: text(values, "secret").split("/")[1] ?? "",
      destroy_time: "",
    }),
    needs: (values) => [needObject("google_secret_manager_secret", text(values, "secret"))],
    afterCreate: ({ id, values, writeOnly }, cloud) => {
      const stored = text(values, "secret_data");
      const decoded =
        valueAt(values, "is_secret_data_base64") === true ? Buffer.from(stored, "base64").toString() : stored;
      const payload = writeOnly.secret_data_wo ?? decoded;
      if (payload === "") throw new Refusal(`Error 400: the payload of ${id} is empty`);
      cloud.payloads.push({ name: id, payload });
    },
  },

  google_service_account: {
    replacedBy: ["project", "account_id"],
    source: "resourcemanager/resource_google_service_account.go",
    knownAtPlan: (values, { project }) => {
      const email = `${text(values, "account_id")}@${text(values, "project") || project}.iam.gserviceaccount.com`;
      return { email, member: `serviceAccount:${email}`, deletion_policy: "DELETE" };
    },
    id: (values) => `projects/${text(values, "project")}/serviceAccounts/${text(values, "email")}`,
    computed: (values, { id }) => ({ name: id, unique_id: digits(text(values, "email")) }),
    needs: () => needApi("iam"),
  },

  google_service_account_iam_member: grant(
    "resourcemanager/iam_service_account.go",
    ["service_account_id"],
    (values) => ({ type: "google_service_account", id: text(values, "service_account_id") }),
    "iam",
  ),

  google_sql_database_instance: {
    replacedBy: ["project", "name", "region", "collation", "encryption_key_name"],
    source: "sql/resource_sql_database_instance.go",
    // The private network may be given later, never taken back.
    replacedWhen: (prior, planned) => {
      const path = "settings.0.ip_configuration.0.private_network";
      return text(prior, path) !== "" && valueAt(planned, path) === null ? [path] : [];
    },
    id: (values) => text(values, "name"),
    computed: (values) => {
      const region = text(values, "region");
      const isPrivate = text(values, "settings.0.ip_configuration.0.private_network") !== "";
      const address = isPrivate ? "10.20.0.5" : "203.0.113.5";
      return {
        connection_name: `${text(values, "project")}:${region}:${text(values, "name")}`,
        self_link: `https://sqladmin.googleapis.com/sql/v1beta4/projects/${text(values, "project")}/instances/${text(values, "name")}`,
        first_ip_address: address,
        private_ip_address: isPrivate ? address : "",
        public_ip_address: isPrivate ? "" : address,
        ip_address: [{ ip_address: address, time_to_retire: "", type: isPrivate ? "PRIVATE" : "PRIMARY" }],
        service_account_email_address: "p123456789012-abcdef@gcp-sa-cloud-sql.iam.gserviceaccount.com",
        instance_type: "CLOUD_SQL_INSTANCE",
        maintenance_version: "POSTGRES_15_7.R20240514.00_12",
      };
    },
    needs: (values) => [
      ...needApi("sqladmin"),
      ...(text(values, "settings.0.ip_configuration.0.private_network") === "" ? [] : needApi("compute")),
    ],
    beforeDestroy: (prior, { values }) => {
      if (valueAt(prior, "deletion_protection") !== false) {
        throw new Refusal("Error, failed to delete instance because deletion_protection is set to true.");
      }
      if (valueAt(values, "settings.0.deletion_protection_enabled") === true) {
        throw new Refusal(
          "Error 400: The instance is protected. Please disable the deletion protection and try again.",
        );
      }
    },
    afterDestroy: ({ type, id }, cloud) => {
      cloud.retiredNames.add(`${type} ${id}`);
      for (const role of cloud.databaseRoles.keys()) {
        if (role.startsWith(`${id}/`)) cloud.databaseRoles.delete(role);
      }
    },
  },

  google_storage_bucket: {
    replacedBy: ["project", "name", "location", "enable_object_retention", "hierarchical_namespace"],
    source: "storage/resource_storage_bucket.go",
    knownAtPlan: () => ({ deletion_policy: "DELETE" }),
    id: (values) => text(values, "name"),
    computed: (values, { cloud }) => ({
      project_number: Number(cloud.projectNumber),
      self_link: `https://www.googleapis.com/storage/v1/b/${text(values, "name")}`,
      url: `gs://${text(values, "name")}`,
      rpo: "",
    }),
    needs: () => needApi("storage"),
    beforeDestroy: (prior, { id }, cloud) => {
      if ((cloud.bucketFiles.get(id) ?? 0) > 0 && valueAt(prior, "force_destroy") !== true) {
        throw new Refusal(
          `Error trying to delete bucket ${id} containing objects without \`force_destroy\` set to true`,
        );
      }
    },
  },

  google_storage_bucket_iam_member: grant(
    "storage/iam_storage_bucket.go",
    ["bucket"],
    (values) => ({ type: "google_storage_bucket", id: `b/${text(values, "bucket").replace(/^b\//, "")}` }),
    "storage",
  ),

  google_storage_bucket_object: {
    replacedBy: ["bucket", "name", "content_type", "content_encoding", "source", "storage_class", "metadata"],
    source: "storage/resource_storage_bucket_object.go",
    id: (values) => `${text(values, "bucket")}-${text(values, "name")}`,
    computed: (values) => ({
      output_name: text(values, "name"),
      md5hash: createHash("md5").update(text(values, "content")).digest("base64"),
      md5hexhash: createHash("md5").update(text(values, "content")).digest("hex"),
    }),
    needs: (values) => [...needApi("storage"), needObject("google_storage_bucket", text(values, "bucket"))],
  },
};

/** What is known of the google provider's resource types, each with the file of the provider's source that says so. */
export const GOOGLE_KINDS = mergedKinds(
  KINDS,
  GOOGLE_CLUSTER_KINDS,
  GOOGLE_NETWORK_KINDS,
  GOOGLE_COMPUTE_KINDS,
  GOOGLE_WORKLOAD_KINDS,
);

/** Number of 21 digits, always the same for the same text. */
function digits(seed: string): string {
  const hash = BigInt(`0x${createHash("sha256").update(seed).digest("hex")}`);
  return `1${String(hash % 10n ** 20n).padStart(20, "0")}`;
}
