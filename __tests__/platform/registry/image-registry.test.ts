import { expression } from "../../../lib/core/expression";
import { ProjectApis } from "../../../lib/core/project-apis";
import { ImageRegistry, type ImageRegistryProps } from "../../../lib/platform/registry/image-registry";
import { PLACE, standInIdentity } from "../../support/stand-in-parts";
import { addressesOf, bareStack, resourceOf, terraformOf } from "../../support/synthesis";

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
    place: PLACE,
    ...overrides,
  });
  return { registry, of: (type: string, name: string) => resourceOf(terraformOf(stack), type, name) };
};

/** An input with an image or none. */
const IMAGE = expression("var.image");

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

  it("lets others pull from this repository and from no other, each by one grant", () => {
    const { registry, of } = registryIn({ existingImage: IMAGE });
    const nodes = standInIdentity("Nodes");
    const [grant] = registry.grantPull(nodes);
    expect(registry.grantPull(nodes)).toEqual([grant]);
    expect(of("google_artifact_registry_repository_iam_member", "registry_nodes")).toEqual({
      project: "demo-project",
      location: "us-central1",
      repository: "idp-demo-abc123",
      role: "roles/artifactregistry.reader",
      member: nodes.member,
      count: "${(var.image == null) ? 1 : 0}",
      depends_on: ["google_artifact_registry_repository.registry"],
    });
  });

  it("exposes where images are pushed, and what must exist before a build", () => {
    const { registry } = registryIn();
    expect(registry.imagePrefix).toBe("us-central1-docker.pkg.dev/demo-project/idp-demo-abc123");
    expect(addressesOf(registry.ready)).toEqual([
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
    // The account may not exist, so only what is known in advance is used.
    expect(registry.builderEmail).toBe(ACCOUNT);
    expect(of("google_artifact_registry_repository_iam_member", "registry_builder_pushes").member).toBe(
      `serviceAccount:${ACCOUNT}`,
    );
  });

  it("labels the repository", () => {
    const { of } = registryIn({ place: { ...PLACE, labels: { team: "identity" } } });
    expect(of("google_artifact_registry_repository", "registry").labels).toEqual({ team: "identity" });
  });
});
