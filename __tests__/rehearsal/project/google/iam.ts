import { createHash } from "node:crypto";

import { PROJECT_NUMBER } from "../cloud";
import { needObject, needPrincipal } from "../needs";
import { type ResourceTypes } from "../resource-type";
import { textAt, valueAt, type ValueObject } from "../terraform-value";
import { googleType } from "./google-type";
import { secretId } from "./references";

const ETAG = "BwYAAAAAAAA=";

/** A grant to one principal on `target`, a resource of `type` that must exist; the grant's identity begins with `id`. */
interface Grant {
  readonly source: string;
  readonly api: string;
  readonly replacedBy: readonly string[];
  readonly type?: string;
  readonly target: (values: ValueObject) => string;
}

function grant({ source, api, replacedBy, type, target }: Grant) {
  return googleType({
    api,
    replacedBy: [...replacedBy, "role", "member", "condition"],
    source: `${source} and ../tpgiamresource/resource_iam_member.go`,
    id: (values) => `${target(values)}/${textAt(values, "role")}/${textAt(values, "member")}`,
    computed: () => ({ etag: ETAG }),
    needs: (values) => [
      ...(type === undefined ? [] : [needObject(type, target(values).replace(/^b\//, ""))]),
      ...needPrincipal(textAt(values, "member")),
    ],
  });
}

/** Service accounts, grants and the project's services. */
export const IAM_TYPES: ResourceTypes = {
  google_artifact_registry_repository_iam_member: grant({
    source: "artifactregistry/iam_artifact_registry_repository.go",
    api: "artifactregistry",
    replacedBy: ["project", "location", "repository"],
    type: "google_artifact_registry_repository",
    target: (values) =>
      `projects/${textAt(values, "project")}/locations/${textAt(values, "location")}/repositories/${textAt(values, "repository").split("/").at(-1) ?? ""}`,
  }),

  google_cloud_run_v2_job_iam_member: grant({
    source: "cloudrunv2/iam_cloud_run_v2_job.go",
    api: "run",
    replacedBy: ["project", "location", "name"],
    type: "google_cloud_run_v2_job",
    target: (values) =>
      `projects/${textAt(values, "project")}/locations/${textAt(values, "location")}/jobs/${textAt(values, "name").split("/").at(-1) ?? ""}`,
  }),

  google_project_iam_member: grant({
    source: "resourcemanager/iam_project.go",
    api: "cloudresourcemanager",
    replacedBy: ["project"],
    target: (values) => textAt(values, "project"),
  }),

  google_project_service: googleType({
    api: "cloudresourcemanager",
    id: "{{project}}/{{service}}",
    replacedBy: ["project", "service"],
    source: "resourcemanager/resource_google_project_service.go",
    afterCreate: ({ values }, cloud) => cloud.surroundings.enabledApis.add(textAt(values, "service")),
    afterDestroy: ({ values }, cloud) => {
      if (valueAt(values, "disable_on_destroy") !== false)
        cloud.surroundings.enabledApis.delete(textAt(values, "service"));
    },
  }),

  google_secret_manager_secret_iam_member: {
    ...grant({
      source: "secretmanager/iam_secret_manager_secret.go",
      api: "secretmanager",
      replacedBy: ["project", "secret_id"],
      type: "google_secret_manager_secret",
      target: (values) => secretId(textAt(values, "secret_id"), textAt(values, "project"), PROJECT_NUMBER),
    }),
    // The project comes from the secret's name, which is unknown until the secret exists.
    knownAtPlan: () => ({}),
    computed: (values) => {
      const [, project] = /^projects\/([a-z][^/]+)\//.exec(textAt(values, "secret_id")) ?? [];
      return { etag: ETAG, ...(project === undefined ? {} : { project }) };
    },
  },

  google_service_account: googleType({
    api: "iam",
    id: "projects/{{project}}/serviceAccounts/{{email}}",
    replacedBy: ["project", "account_id"],
    source: "resourcemanager/resource_google_service_account.go",
    knownAtPlan: (values, { project }) => {
      const email = `${textAt(values, "account_id")}@${textAt(values, "project") || project}.iam.gserviceaccount.com`;
      return { email, member: `serviceAccount:${email}`, deletion_policy: "DELETE" };
    },
    computed: (values, { id }) => ({ name: id, unique_id: digits(textAt(values, "email")) }),
  }),

  google_service_account_iam_member: grant({
    source: "resourcemanager/iam_service_account.go",
    api: "iam",
    replacedBy: ["service_account_id"],
    type: "google_service_account",
    target: (values) => textAt(values, "service_account_id"),
  }),

  google_storage_bucket_iam_member: grant({
    source: "storage/iam_storage_bucket.go",
    api: "storage",
    replacedBy: ["bucket"],
    type: "google_storage_bucket",
    target: (values) => `b/${textAt(values, "bucket").replace(/^b\//, "")}`,
  }),
};

/** A number of 21 digits, the same for the same seed. */
function digits(seed: string): string {
  const hash = BigInt(`0x${createHash("sha256").update(seed).digest("hex")}`);
  return `1${String(hash % 10n ** 20n).padStart(20, "0")}`;
}
