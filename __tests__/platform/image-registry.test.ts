import { type ArtifactRegistryRepositoryIamMember } from "@cdktf/provider-google/lib/artifact-registry-repository-iam-member";

import { expression } from "../../lib/core/expression";
import { ProjectApis } from "../../lib/core/project-apis";
import { ImageRegistry, type ImageRegistryProps } from "../../lib/platform/image-registry";
import { ServiceIdentity, type ServiceIdentityProps } from "../../lib/platform/service-identity";
import { bareStack, resourceOf, terraformOf } from "../support/synthesis";
import { addressOf, DEPLOYMENT, PLACE } from "./serverless-parts";

const ACCOUNT = "idp-build-5e8171e604a8@demo-project.iam.gserviceaccount.com";

const registryIn = (overrides: Partial<ImageRegistryProps> = {}) => {
  const stack = bareStack();
  const apis = new ProjectApis(stack, "Apis", {
    projectId: "demo-project",
    region: "us-central1",
    apis: ["artifactregistry", "cloudbuild", "iam", "logging"],
  });
  const registry = new ImageRegistry(stack, "Registry", {
    apis,
    deployment: DEPLOYMENT,
    location: "us-central1",
    projectId: "demo-project",
    ...overrides,
  });
  const terraform = terraformOf(stack);
  return { registry, of: (type: string, name: string) => resourceOf(terraform, type, name) };
};

/** An input that gives an image or none. */
const IMAGE = expression("var.image");

const grantOf = (grant: ArtifactRegistryRepositoryIamMember) =>
  resourceOf(terraformOf(grant.cdktfStack), grant.terraformResourceType, grant.friendlyUniqueId);

describe("ImageRegistry", () => {
  it("keeps the ten newest images and really deletes the rest after ninety days", () => {
    expect(registryIn().of("google_artifact_registry_repository", "registry")).toEqual({
      project: "demo-project",
      location: "us-central1",
      repository_id: "idp-demo-abc123",
      format: "DOCKER",
      description: "Images of idp",
      cleanup_policy_dry_run: false,
      cleanup_policies: [
        { id: "keep-recent", action: "KEEP", most_recent_versions: { keep_count: 10 } },
        { id: "delete-old", action: "DELETE", condition: { tag_state: "ANY", older_than: "7776000s" } },
      ],
      depends_on: ["terraform_data.apis_artifactregistry_answers"],
    });
  });

  it("lets its builder push to this repository and write its log, and nothing else", () => {
    const { registry, of } = registryIn();
    expect(registry.builderEmail).toMatch(/\$\{TfToken/);
    expect(of("google_artifact_registry_repository_iam_member", "registry_builder_pushes")).toMatchObject({
      location: "us-central1",
      repository: "idp-demo-abc123",
      role: "roles/artifactregistry.writer",
      member: "serviceAccount:${google_service_account.registry_builder.email}",
    });
    expect(of("google_project_iam_member", "registry_builder_logs")).toMatchObject({
      project: "demo-project",
      role: "roles/logging.logWriter",
      member: "serviceAccount:${google_service_account.registry_builder.email}",
    });
  });

  it("lets others pull from this repository and from no other", () => {
    const { registry } = registryIn({ existingImage: IMAGE });
    expect(grantOf(registry.grantRead("Nodes", "serviceAccount:nodes@p"))).toEqual({
      project: "demo-project",
      location: "us-central1",
      repository: "idp-demo-abc123",
      role: "roles/artifactregistry.reader",
      member: "serviceAccount:nodes@p",
      count: "${(var.image == null) ? 1 : 0}",
      depends_on: ["google_artifact_registry_repository.registry"],
    });
  });

  it("says where images go, and what must be there before a build", () => {
    const { registry } = registryIn();
    expect(registry.imagePrefix).toBe("us-central1-docker.pkg.dev/demo-project/idp-demo-abc123");
    expect(registry.ready.map(addressOf)).toEqual([
      "google_artifact_registry_repository_iam_member.registry_builder_pushes",
      "google_project_iam_member.registry_builder_logs",
      "terraform_data.apis_cloudbuild_answers",
      "terraform_data.apis_logging_answers",
    ]);
  });

  it("exists with everything in it only when there is something to build", () => {
    const { registry, of } = registryIn({ existingImage: IMAGE });
    for (const [type, name] of [
      ["google_artifact_registry_repository", "registry"],
      ["google_artifact_registry_repository_iam_member", "registry_builder_pushes"],
      ["google_project_iam_member", "registry_builder_logs"],
      ["google_service_account", "registry_builder"],
    ] as const)
      expect(of(type, name).count).toBe("${(var.image == null) ? 1 : 0}");
    // Of an account that there may not be, only what is known beforehand.
    expect(registry.builderEmail).toBe(ACCOUNT);
    expect(of("google_artifact_registry_repository_iam_member", "registry_builder_pushes").member).toBe(
      `serviceAccount:${ACCOUNT}`,
    );
  });

  it("labels the repository", () => {
    const { of } = registryIn({ labels: { team: "identity" } });
    expect(of("google_artifact_registry_repository", "registry").labels).toEqual({ team: "identity" });
  });
});

describe("ServiceIdentity", () => {
  const identityIn = (overrides: Partial<ServiceIdentityProps> = {}) => {
    const stack = bareStack();
    const identity = new ServiceIdentity(stack, "Runner", {
      ...PLACE,
      purpose: "idp-run",
      description: "Runs it.",
      ...overrides,
    });
    return { stack, identity };
  };

  it("has a short id, a name that people can read, and no right of its own", () => {
    const { resource = {} } = terraformOf(identityIn().stack);
    expect(resource).toEqual({
      google_service_account: {
        runner: {
          project: "demo-project",
          account_id: "idp-run-5e8171e604a8",
          display_name: "idp demo-abc123 idp-run",
          description: "Runs it.",
        },
      },
    });
  });

  it("has an id of at most 30 characters for the longest names there are", () => {
    const deployment = { tenantPrefix: `${"t".repeat(20)}-abc123`, applicationName: "a".repeat(18) };
    const { stack } = identityIn({ deployment, purpose: "p".repeat(17) });
    expect(resourceOf(terraformOf(stack), "google_service_account", "runner").account_id).toHaveLength(30);
  });

  it("refuses a purpose that leaves no room for the hash", () => {
    expect(() => identityIn({ purpose: "p".repeat(20) })).toThrow(
      new Error(
        [
          "test/Runner: 1 problem",
          "  - purpose pppppppppppppppppppp is 20 characters, the limit is 17, because an account id holds 30 and a hash takes the rest; shorten it by 3",
        ].join("\n"),
      ),
    );
  });

  it("takes a role on the project only when asked, for itself alone", () => {
    const { stack, identity } = identityIn();
    identity.grantOnProject("Connects", "roles/cloudsql.client");
    expect(resourceOf(terraformOf(stack), "google_project_iam_member", "runner_connects")).toEqual({
      project: "demo-project",
      role: "roles/cloudsql.client",
      member: "serviceAccount:${google_service_account.runner.email}",
      depends_on: ["google_service_account.runner"],
    });
  });
});
