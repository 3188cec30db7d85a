import { type Cloud, type CloudObject, type Need } from "../cloud";
import { needGrant, needObject } from "../needs";
import { clustersOf, nodeAccountOf } from "../google/cluster";
import { containersOf, type KeyUse, keyUses, mountedBuckets, proxiedDatabases, valueOfKey } from "./pod-template";
import { textAt, type Value, valueAt } from "../terraform-value";
import { bucketNeeds, databaseNeeds, imageNeed } from "../google/workload-needs";

/** Registries that nodes without external addresses reach through Private Google Access. */
const INSIDE_HOSTS = /^([a-z0-9-]+-docker\.pkg\.dev|([a-z]+\.)?gcr\.io)\//;

/** A pod of a Deployment or a Job. */
export interface PodRequest {
  readonly namespace: string;
  /** The block with `container`, `volume` and `service_account_name`. */
  readonly pod: Value;
}

/** Everything in the cluster that must exist before a pod starts and as long as it runs. */
export function objectNeeds({ namespace, pod }: PodRequest): Need[] {
  const account = textAt(pod, "service_account_name");
  return [
    ...(account === "" ? [] : [needObject("kubernetes_service_account_v1", `${namespace}/${account}`)]),
    ...keyUses(pod)
      .filter(({ isOptional = false }) => !isOptional)
      .map((use) => needKey(namespace, use)),
  ];
}

function needKey(namespace: string, use: KeyUse): Need {
  const { kind, name, key } = use;
  const object = needObject(kind, `${namespace}/${name}`);
  if (key === undefined) return object;
  return {
    what: `${object.what} with the key ${key}`,
    isMet: (cloud) => valueOfKey(cloud, namespace, use) !== undefined,
  };
}

/** What nodes need before a pod starts: its images, and access to them. */
export function imageNeeds(cloud: Cloud, { pod }: PodRequest): Need[] {
  const images = containersOf(pod).map((container) => textAt(container, "image"));
  return clustersOf(cloud).flatMap((cluster) => {
    const project = textAt(cluster.values, "project");
    return images.flatMap((image) => [...imageNeed(project, image), ...pullNeeds(cluster, project, image)]);
  });
}

/** Everything outside the cluster that a pod needs until its last process has ended. */
export function platformNeeds(cloud: Cloud, { namespace, pod }: PodRequest): Need[] {
  const databases = proxiedDatabases(pod);
  const buckets = mountedBuckets(pod);
  if (databases.length + buckets.length === 0) return [];
  const project = textAt(clustersOf(cloud)[0]?.values, "project");
  const account = googleAccountOf(cloud, namespace, textAt(pod, "service_account_name"));
  const member = `serviceAccount:${account}`;
  return [
    ...identityNeeds(project, account),
    ...databaseNeeds(databases, project, member),
    ...bucketNeeds(buckets, member),
  ];
}

function googleAccountOf(cloud: Cloud, namespace: string, name: string): string {
  const annotations = valueAt(
    cloud.find("kubernetes_service_account_v1", `${namespace}/${name}`)?.values,
    "metadata.0.annotations",
  );
  // The key contains dots, so it cannot be part of a path.
  const account = (annotations as Readonly<Record<string, Value>> | null)?.["iam.gke.io/gcp-service-account"];
  return typeof account === "string" ? account : "";
}

/** What a Kubernetes service account needs to act as a Google service account. Pods wait for the grant themselves. */
function identityNeeds(project: string, account: string): Need[] {
  return [
    needObject("google_service_account", `projects/${project}/serviceAccounts/${account}`),
    // The cluster's metadata server creates tokens with this API.
    needObject("google_project_service", `${project}/iamcredentials.googleapis.com`),
  ];
}

/** What a node needs to pull an image: the right to read a registry of the project, NAT for other registries. */
function pullNeeds(cluster: CloudObject, project: string, image: string): Need[] {
  const [, location, ownProject, repository] = /^([a-z0-9-]+)-docker\.pkg\.dev\/([^/]+)\/([^/]+)\//.exec(image) ?? [];
  const account = nodeAccountOf(cluster);
  if (repository !== undefined && location !== undefined && ownProject === project && account !== undefined) {
    const id = `projects/${project}/locations/${location}/repositories/${repository}`;
    return [
      needGrant(
        "google_artifact_registry_repository_iam_member",
        (values) => textAt(values, "repository") === repository || textAt(values, "repository") === id,
        `serviceAccount:${account}`,
        ["roles/artifactregistry.reader", "roles/artifactregistry.writer"],
        `the repository ${repository}`,
      ),
    ];
  }
  return INSIDE_HOSTS.test(image) ? [] : wayOut(cluster);
}

/** Nodes without external addresses need NAT in their network; an existing network has its own. */
function wayOut({ values }: CloudObject): Need[] {
  const network = textAt(values, "network").replace(/^.*\/compute\/v1\//, "");
  if (valueAt(values, "private_cluster_config.0.enable_private_nodes") !== true) return [];
  return [
    {
      what: `a network address translation in ${network}, through which private nodes reach other registries`,
      isMet: (cloud) => {
        if (cloud.find("google_compute_network", network) === undefined) return true;
        const routers = cloud
          .ofType("google_compute_router")
          .filter((router) => textAt(router.values, "network").endsWith(network))
          .map((router) => textAt(router.values, "name"));
        return cloud.ofType("google_compute_router_nat").some((nat) => routers.includes(textAt(nat.values, "router")));
      },
    },
  ];
}
