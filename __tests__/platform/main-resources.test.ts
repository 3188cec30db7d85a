import { type TerraformResource } from "cdktf";
import { type Construct } from "constructs";

import { rendered } from "../../lib/core/expression";
import { ProjectApis } from "../../lib/core/project-apis";
import { ServiceIdentity } from "../../lib/platform/identity/service-identity";
import { AutopilotCluster } from "../../lib/platform/kubernetes/autopilot-cluster";
import { KubernetesJobs } from "../../lib/platform/kubernetes/kubernetes-jobs";
import { KubernetesWorkload } from "../../lib/platform/kubernetes/kubernetes-workload";
import { WorkloadAccount } from "../../lib/platform/kubernetes/workload-account";
import { WorkloadSecret } from "../../lib/platform/kubernetes/workload-secret";
import { ClusterNetwork } from "../../lib/platform/network/cluster-network";
import { ImageRegistry } from "../../lib/platform/registry/image-registry";
import { ServerlessJobs } from "../../lib/platform/serverless/serverless-jobs";
import { ServerlessService } from "../../lib/platform/serverless/serverless-service";
import { ServerlessWorkerPool } from "../../lib/platform/serverless/serverless-worker-pool";
import { PostgresqlDatabase } from "../../lib/platform/sql/postgresql-database";
import { namespaceIn, PLACE, standInContainer, standInIdentity, standInJob } from "../support/stand-in-parts";
import { addressesOf, bareStack, type BareStack } from "../support/synthesis";

const identity = standInIdentity();
const container = standInContainer({ port: 80 });
const network = { network: "network", subnetwork: "subnetwork", hasNamedRanges: "true", ready: [] };

type Made = readonly [construct: Construct, main: TerraformResource, name?: string];

const registryIn = (stack: BareStack) => {
  const apis = new ProjectApis(stack, "Apis", {
    projectId: PLACE.projectId,
    region: PLACE.region,
    apis: ["artifactregistry", "cloudbuild", "iam", "logging"],
  });
  return new ImageRegistry(stack, "Main", { place: PLACE, apis });
};

const CONSTRUCTS: Readonly<Record<string, (stack: BareStack) => Made>> = {
  google_sql_database_instance: (stack) => {
    const made = new PostgresqlDatabase(stack, "Main", { place: PLACE });
    return [made, made.instance, made.instanceName];
  },
  google_compute_network: (stack) => {
    const made = new ClusterNetwork(stack, "Main", { place: PLACE });
    return [made, made.ownNetwork];
  },
  google_artifact_registry_repository: (stack) => {
    const made = registryIn(stack);
    return [made, made.repository];
  },
  google_service_account: (stack) => {
    const made = new ServiceIdentity(stack, "Main", { place: PLACE, purpose: "run", description: "Runs." });
    return [made, made.account];
  },
  google_cloud_run_v2_service: (stack) => {
    const made = new ServerlessService(stack, "Main", { place: PLACE, identity, container });
    return [made, made.service, made.serviceName];
  },
  google_cloud_run_v2_worker_pool: (stack) => {
    const made = new ServerlessWorkerPool(stack, "Main", {
      place: PLACE,
      identity,
      container: { ...container, port: undefined },
    });
    return [made, made.workerPool];
  },
  google_cloud_run_v2_job: (stack) => {
    const made = new ServerlessJobs({ place: PLACE, identity }).runOnce(stack, "Main", standInJob(stack));
    return [made, made.job, made.jobName];
  },
  google_container_cluster: (stack) => {
    const made = new AutopilotCluster(stack, "Main", { place: PLACE, network });
    return [made, made.cluster, made.clusterName];
  },
  kubernetes_namespace_v1: (stack) => {
    const made = namespaceIn(stack);
    return [made, made.namespace, made.namespaceName];
  },
  kubernetes_deployment_v1: (stack) => {
    const made = new KubernetesWorkload(stack, "Main", {
      place: PLACE,
      identity,
      container,
      namespace: namespaceIn(stack),
    });
    return [made, made.workload, made.workloadName];
  },
  kubernetes_job_v1: (stack) => {
    const jobs = new KubernetesJobs({ place: PLACE, identity, namespace: namespaceIn(stack) });
    const made = jobs.runOnce(stack, "Main", standInJob(stack));
    return [made, made.job, made.jobName];
  },
  kubernetes_service_account_v1: (stack) => {
    const made = new WorkloadAccount(stack, "Main", { namespace: namespaceIn(stack), name: "idp", identity });
    return [made, made.account, made.accountName];
  },
  kubernetes_secret_v1: (stack) => {
    const { projectId } = PLACE;
    const made = new WorkloadSecret(stack, "Main", {
      namespace: namespaceIn(stack),
      name: "idp",
      projectId,
      values: {},
    });
    return [made, made.secret, made.secretName];
  },
};

describe("The main resource of a construct", () => {
  it.each(Object.entries(CONSTRUCTS))("is its default child, has its address and a property: %s", (type, make) => {
    const stack = bareStack();
    const [construct, main, name] = make(stack);
    expect(construct.node.defaultChild).toBe(main);
    expect(addressesOf([main])).toEqual([`${type}.${construct.node.id.toLowerCase()}`]);
    if (name === undefined) return;
    const address = `\${${type}.${construct.node.id.toLowerCase()}.`;
    expect(rendered(stack, name)).toMatch(/name\}$/);
    expect(String(rendered(stack, name)).startsWith(address)).toBe(true);
  });
});
