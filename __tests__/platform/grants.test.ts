import { type TerraformResource } from "cdktf";

import { GeneratedSecret } from "../../lib/core/generated-secret";
import { type WorkloadIdentity } from "../../lib/core/identity";
import { ProjectApis } from "../../lib/core/project-apis";
import { TerraformData } from "../../lib/core/terraform-data";
import { type ContainerSpec } from "../../lib/idp/container-spec";
import { MediaBucket } from "../../lib/idp/media-bucket";
import { ExistingIdentity } from "../../lib/platform/identity/existing-identity";
import { ServiceIdentity } from "../../lib/platform/identity/service-identity";
import { KubernetesJobs } from "../../lib/platform/kubernetes/kubernetes-jobs";
import { KubernetesWorkload } from "../../lib/platform/kubernetes/kubernetes-workload";
import { type WorkloadNamespace } from "../../lib/platform/kubernetes/workload-namespace";
import { ImageRegistry } from "../../lib/platform/registry/image-registry";
import { ServerlessJobs } from "../../lib/platform/serverless/serverless-jobs";
import { ServerlessService } from "../../lib/platform/serverless/serverless-service";
import { PostgresqlDatabase } from "../../lib/platform/sql/postgresql-database";
import { namespaceIn, PLACE, STAND_IN_CLUSTER, standInContainer, standInJob } from "../support/stand-in-parts";
import { bareStack, terraformOf, type BareStack } from "../support/synthesis";

interface Runs {
  readonly stack: BareStack;
  readonly namespace: WorkloadNamespace;
  readonly identity: WorkloadIdentity;
  readonly container: ContainerSpec;
}

/** All that runs a container, and whether its pods get copies of the secrets instead of the right to read them. */
const RUNNERS: readonly (readonly [
  name: string,
  run: (runs: Runs, id: string) => TerraformResource,
  copies: boolean,
])[] = [
  [
    "ServerlessService",
    ({ container, identity, stack }, id) =>
      new ServerlessService(stack, id, { place: PLACE, identity, container }).service,
    false,
  ],
  [
    "ServerlessJobs",
    ({ container, identity, stack }, id) =>
      new ServerlessJobs({ place: PLACE, identity }).runOnce(stack, id, standInJob(stack, { container })).job,
    false,
  ],
  [
    "KubernetesWorkload",
    ({ container, identity, namespace, stack }, id) =>
      new KubernetesWorkload(stack, id, { place: PLACE, identity, namespace, container }).workload,
    true,
  ],
  [
    "KubernetesJobs",
    ({ container, identity, namespace, stack }, id) =>
      new KubernetesJobs({ place: PLACE, identity, namespace }).runOnce(stack, id, standInJob(stack, { container }))
        .job,
    true,
  ],
];

/** A container that uses every kind of part. */
const containerIn = (stack: BareStack): ContainerSpec => {
  const apis = new ProjectApis(stack, "Apis", {
    projectId: PLACE.projectId,
    region: PLACE.region,
    apis: ["artifactregistry", "cloudbuild", "iam", "logging"],
  });
  const registry = new ImageRegistry(stack, "Registry", { place: PLACE, apis });
  const secret = new GeneratedSecret(stack, "Secret", { projectId: PLACE.projectId, secretId: "secret", length: 32 });
  return standInContainer({
    port: 80,
    image: {
      containerImage: `${registry.imagePrefix}/app:1`,
      ready: [new TerraformData(stack, "Image", {})],
      grantPull: (identity) => registry.grantPull(identity),
    },
    // Twice on purpose: only one grant is made.
    secretEnvironment: { FIRST: secret, SECOND: secret },
    mounts: [new MediaBucket(stack, "Media", { place: PLACE })],
    database: { instance: new PostgresqlDatabase(stack, "Database", { place: PLACE }), hostVariable: "HOST" },
    dependsOn: [new TerraformData(stack, "Prepared", {})],
  });
};

const partsFor = (identity: (stack: BareStack) => WorkloadIdentity) => {
  const stack = bareStack();
  const namespace = namespaceIn(stack, { cluster: STAND_IN_CLUSTER });
  return { stack, namespace, identity: identity(stack), container: containerIn(stack) };
};

const OWN = (stack: BareStack) =>
  new ServiceIdentity(stack, "Runtime", { place: PLACE, purpose: "run", description: "Runs." });

const EXISTING = () => new ExistingIdentity("runner@demo-project.iam.gserviceaccount.com");

/** Roles granted to a member, each with the address of its grant. */
const grantsTo = (member: string, stack: BareStack): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(terraformOf(stack).resource ?? {}).flatMap(([type, elements]) =>
      Object.entries(elements)
        .filter(([, grant]) => grant.member === member)
        .map(([name, { role }]) => [`${type}.${name}`, role]),
    ),
  );

const MEMBER = "serviceAccount:${google_service_account.runtime.email}";
const CONNECT = "google_project_iam_member.runtime_connects_to_database";
const FILES = "google_storage_bucket_iam_member.media_runtime";
const READ = "google_secret_manager_secret_iam_member.secret_runtime";

const ACCESSOR = "roles/secretmanager.secretAccessor";

/** Grant on the secret with a job's script, which the job itself has to give. */
const scriptOf = (name: string) =>
  name === "ServerlessJobs" ? { "google_secret_manager_secret_iam_member.runs_script_reader": ACCESSOR } : {};

describe.each(RUNNERS)("%s", (name, run, copies) => {
  it("grants its identity access to what its container uses, and no more", () => {
    const parts = partsFor(OWN);
    run(parts, "Runs");
    expect(grantsTo(MEMBER, parts.stack)).toEqual({
      [CONNECT]: "roles/cloudsql.client",
      [FILES]: "roles/storage.objectUser",
      ...(copies ? {} : { [READ]: ACCESSOR }),
      ...scriptOf(name),
    });
  });

  it("grants nothing of it to an account that is managed elsewhere", () => {
    const parts = partsFor(EXISTING);
    run(parts, "Runs");
    expect(grantsTo(parts.identity.member, parts.stack)).toEqual(scriptOf(name));
  });
});

describe("An account that several run as", () => {
  it("is granted each thing once", () => {
    const parts = partsFor(OWN);
    for (const [name, run] of RUNNERS) run(parts, name);
    expect(grantsTo(MEMBER, parts.stack)).toEqual({
      [CONNECT]: "roles/cloudsql.client",
      [FILES]: "roles/storage.objectUser",
      [READ]: ACCESSOR,
      "google_secret_manager_secret_iam_member.serverless_jobs_script_reader": ACCESSOR,
    });
  });
});
