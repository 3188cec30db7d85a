import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";

import { type DeploymentContext } from "../../lib/core/deployment-context";
import { exprOf } from "../../lib/core/expr/expr";
import { type WorkloadIdentity } from "../../lib/core/identity";
import { Address } from "../../lib/core/inputs/address";
import { Value } from "../../lib/core/inputs/value";
import { sqlInstanceName } from "../../lib/core/names";
import { packageFile } from "../../lib/core/package-file";
import { GeneratedSecret } from "../../lib/core/secrets/generated-secret";
import { addStackFile } from "../../lib/core/stack-file";
import { TerraformData } from "../../lib/core/terraform-data";
import { type ContainerSpec } from "../../lib/idp/container-spec";
import { type OneTimeJobSpec } from "../../lib/idp/job-runner";
import { MediaBucket } from "../../lib/idp/media-bucket";
import { ExistingIdentity } from "../../lib/platform/identity/existing-identity";
import { ServiceIdentity } from "../../lib/platform/identity/service-identity";
import { GEOIP } from "../../lib/platform/kubernetes/geoip";
import { KubernetesJobs } from "../../lib/platform/kubernetes/kubernetes-jobs";
import { KubernetesWorkload } from "../../lib/platform/kubernetes/kubernetes-workload";
import { WorkloadNamespace } from "../../lib/platform/kubernetes/workload-namespace";
import { ImageRegistry } from "../../lib/platform/registry/image-registry";
import { ServerlessJobs } from "../../lib/platform/serverless/cloud-run-jobs";
import { ServerlessService } from "../../lib/platform/serverless/serverless-service";
import { PostgresqlDatabase } from "../../lib/platform/sql/postgresql-database";
import { apisIn, CONTEXT, standInIdentity } from "../support/stand-in-parts";
import { type BareStack, bareStack, terraformOf } from "../support/synthesis";

interface Runs {
  readonly stack: BareStack;
  readonly namespace: WorkloadNamespace;
  readonly identity: WorkloadIdentity;
  readonly container: ContainerSpec;
}

const WORKLOAD = {
  context: CONTEXT,
  address: { address: "192.0.2.1", ipv6: undefined, url: "https://192.0.2.1" },
  geoip: new Value(GEOIP.geoip, {
    given: null,
    address: new Address(() => "null"),
    name: "geoip",
    messageNameOf: String,
  }),
  minInstanceCount: 1,
  maxInstanceCount: 3,
};

/** A job with its own script in the folder of the stack. */
const jobIn = (stack: BareStack, container: ContainerSpec): OneTimeJobSpec => ({
  name: "prepare",
  container,
  script: addStackFile(stack, packageFile("lib/idp/scripts/dump-database.sh"), "scripts/prepare.sh"),
  scriptName: "prepare.sh",
  timeoutSeconds: 120,
  maxRetries: 1,
  rerunWhenChanged: { script: "hash" },
});

/** All that runs a container. */
const RUNNERS: Readonly<Record<string, (runs: Runs, id: string) => unknown>> = {
  ServerlessService: ({ container, identity, stack }, id) =>
    new ServerlessService(stack, id, { context: CONTEXT, identity, container }),
  ServerlessJobs: ({ container, identity, stack }, id) =>
    new ServerlessJobs({ context: CONTEXT, identity }).runOnce(stack, id, jobIn(stack, container)),
  KubernetesWorkload: ({ container, identity, namespace, stack }, id) =>
    new KubernetesWorkload(stack, id, { ...WORKLOAD, identity, namespace, container }),
  KubernetesJobs: ({ container, identity, namespace, stack }, id) =>
    new KubernetesJobs({ context: CONTEXT, identity, namespace }).runOnce(stack, id, jobIn(stack, container)),
};

/** A container that uses every kind of part. */
const containerIn = (stack: BareStack): ContainerSpec => {
  const apis = apisIn(stack, "artifactregistry", "cloudbuild", "iam", "logging");
  const registry = new ImageRegistry(stack, "Registry", { context: CONTEXT, apis });
  const secret = new GeneratedSecret(stack, "Secret", { projectId: CONTEXT.projectId, secretId: "secret", length: 32 });
  return {
    port: 80,
    environment: { baseline: {}, overrides: {}, required: {} },
    image: {
      containerImage: `${registry.imagePrefix}/app:1`,
      ready: [new TerraformData(stack, "Image", {})],
      grantPull: (identity) => registry.grantPull(identity),
    },
    // Twice on purpose: only one grant is made.
    secretEnvironment: { FIRST: secret, SECOND: secret },
    mounts: [new MediaBucket(stack, "Media", { context: CONTEXT })],
    database: { instance: new PostgresqlDatabase(stack, "Database", { context: CONTEXT }), hostVariable: "HOST" },
    dependsOn: [new TerraformData(stack, "Prepared", {})],
  };
};

/** Runs the container as one account in every way; returns what runs it. */
const runAll = (identityIn: (stack: BareStack) => WorkloadIdentity): Runs => {
  const stack = bareStack();
  new KubernetesProvider(stack, "kubernetes", { host: "https://cluster" });
  const cluster = { nodeSelector: undefined, pullers: [standInIdentity("Nodes")], ready: [], grantActAs: () => [] };
  const none = { isExisting: false, outboundPorts: exprOf<readonly unknown[]>([]), outlivedBy: [] };
  const namespace = new WorkloadNamespace(stack, "Namespace", { ...none, context: CONTEXT, cluster, name: "apps" });
  const runs = { stack, namespace, identity: identityIn(stack), container: containerIn(stack) };
  for (const [name, run] of Object.entries(RUNNERS)) run(runs, name);
  return runs;
};

/** Roles granted to a member, each with the address of its grant. */
const grantsTo = (member: string, stack: BareStack): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(terraformOf(stack).resource ?? {}).flatMap(([type, elements]) =>
      Object.entries(elements)
        .filter(([, grant]) => grant.member === member)
        .map(([name, { role }]) => [`${type}.${name}`, role]),
    ),
  );

describe("An account that connects to databases", () => {
  const conditionsOf = (places: readonly DeploymentContext[], props: { conditionalAccess?: boolean } = {}) => {
    const stack = bareStack();
    const account = new ServiceIdentity(stack, "Runtime", { context: CONTEXT, purpose: "run", description: "Runs." });
    places.forEach((context, index) =>
      new PostgresqlDatabase(stack, `Database${index}`, { context, ...props }).grantConnect(account),
    );
    const grants = Object.values(terraformOf(stack).resource?.google_project_iam_member ?? {});
    return grants.map(({ condition }) => condition);
  };
  const onlyOn = (instance: string) => ({
    title: `Only ${instance}`,
    expression: [
      'resource.type == "sqladmin.googleapis.com/Instance" &&',
      `resource.name == "projects/${CONTEXT.projectId}/instances/${instance}"`,
    ].join(" "),
  });
  const deployment = { ...CONTEXT.deployment, applicationName: "other" };

  it("reaches each by a grant of its own, and no other one of the project", () => {
    expect(conditionsOf([CONTEXT, { ...CONTEXT, deployment }])).toEqual([
      onlyOn(sqlInstanceName(CONTEXT.deployment)),
      onlyOn(sqlInstanceName(deployment)),
    ]);
  });

  it("reaches all of the project where conditions cannot be kept", () => {
    expect(conditionsOf([CONTEXT], { conditionalAccess: false })).toEqual([undefined]);
  });
});

/** The right to read its own script, which only the job can give. */
const SCRIPT = {
  "google_secret_manager_secret_iam_member.serverless_jobs_script_reader": "roles/secretmanager.secretAccessor",
};

describe("An account that runs containers in every way", () => {
  it("is granted each thing that they use once, and no more", () => {
    const { stack } = runAll(
      (scope) => new ServiceIdentity(scope, "Runtime", { context: CONTEXT, purpose: "run", description: "Runs." }),
    );
    expect(grantsTo("serviceAccount:${google_service_account.runtime.email}", stack)).toEqual({
      "google_project_iam_member.runtime_connects_to_database": "roles/cloudsql.client",
      "google_storage_bucket_iam_member.media_runtime": "roles/storage.objectUser",
      "google_secret_manager_secret_iam_member.secret_runtime": "roles/secretmanager.secretAccessor",
      ...SCRIPT,
    });
  });

  it("is granted nothing of it while it is managed elsewhere", () => {
    const { identity, stack } = runAll(() => new ExistingIdentity("runner@demo-project.iam.gserviceaccount.com"));
    expect(grantsTo(identity.member, stack)).toEqual(SCRIPT);
  });
});
