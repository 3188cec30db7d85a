import { type Cloud, type CloudObject, type Need } from "./cloud";
import { clustersOf, nodeAccountOf } from "./google-cluster";
import { bucketNeeds, databaseNeeds, needImage, roleNeeds } from "./google-workloads";
import { annotationOf } from "./kubernetes-metadata";
import { needObject, needRole } from "./needs";
import {
  isValueObject,
  membersOf,
  textAt,
  textsAt,
  type Value,
  valueAt,
  type ValueObject,
  valuesAt,
} from "./terraform-value";

/** A pod of a workload. */
export interface PodRequest {
  readonly namespace: string;
  /** The block with `container`, `volume` and `service_account_name`. */
  readonly pod: Value;
}

/** A use of a secret's key, or of a whole config map. */
interface KeyUse {
  readonly kind: string;
  readonly name: string;
  /** Empty if all keys are read. */
  readonly key: string;
  /** Whether the container starts without it. */
  readonly isOptional: boolean;
}

/** Uses of secrets by the environment of a container, and of a config map by a volume. */
function keyUses(part: Value): KeyUse[] {
  const use = (kind: string) => (source: Value) => ({
    kind,
    name: textAt(source, "name"),
    key: textAt(source, "key"),
    isOptional: valueAt(source, "optional") === true,
  });
  const found = (path: string) => valuesAt(part, path).filter((source) => source !== null);
  return [
    ...found("env.*.value_from.0.secret_key_ref.0").map(use("kubernetes_secret_v1")),
    ...found("config_map.0").map(use("kubernetes_config_map_v1")),
  ];
}

function containersOf(pod: Value): readonly Value[] {
  return [...membersOf(valueAt(pod, "init_container")), ...membersOf(valueAt(pod, "container"))];
}

/** The data of a secret or config map; empty if there is none. */
function dataOf(cloud: Cloud, namespace: string, { kind, name }: KeyUse): Readonly<Record<string, Value>> {
  const object = cloud.find(kind, `${namespace}/${name}`);
  const data = valueAt(object?.values, "data");
  const written = Object.entries(object?.writeOnly ?? {}).map(([path, value]) => [path.replace(/^\w+\./, ""), value]);
  return { ...(isValueObject(data) ? data : {}), ...(Object.fromEntries(written) as ValueObject) };
}

/** Environment of the first container with all references resolved, as the process sees it. */
export function podEnvironment(cloud: Cloud, { namespace, pod }: PodRequest): Record<string, string> {
  const entries = membersOf(valueAt(pod, "container.0.env")).map((entry): [string, Value] => {
    const [use] = keyUses({ env: [entry] });
    const value = use === undefined ? expanded(textAt(entry, "value")) : dataOf(cloud, namespace, use)[use.key];
    return [textAt(entry, "name"), value ?? ""];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

/** Expands a plain value as Kubernetes does: `$(NAME)` is a reference, and two dollars are one. */
function expanded(text: string): string {
  return text.replace(/\$\$|\$\(\w+\)/g, (match) => (match === "$$" ? "$" : ""));
}

/** Buckets that a pod mounts. */
export function mountedBuckets(pod: Value): string[] {
  return textsAt(pod, "volume.*.csi.0.volume_attributes.bucketName");
}

/** Names of the database instances to which a proxy sidecar connects. */
export function proxiedDatabases(pod: Value): string[] {
  return containersOf(pod)
    .filter((container) => textAt(container, "image").includes("cloud-sql-proxy"))
    .flatMap((container) => textsAt(container, "args.*"))
    .flatMap((argument) => /^[a-z0-9-]+:[a-z0-9-]+:([a-z0-9-]+)$/.exec(argument)?.[1] ?? []);
}

/** Everything that must exist before a pod starts and as long as it runs. */
export function podNeeds(request: PodRequest, cloud: Cloud): Need[] {
  const { namespace, pod } = request;
  const account = textAt(pod, "service_account_name");
  const uses = [...containersOf(pod), ...membersOf(valueAt(pod, "volume"))].flatMap(keyUses);
  return [
    ...(account === "" ? [] : [needObject("kubernetes_service_account_v1", `${namespace}/${account}`)]),
    ...uses
      .filter(({ isOptional }) => !isOptional)
      .map((use) => ({
        what: `${use.kind} ${namespace}/${use.name} with the key ${use.key}`,
        isMet: (owner: Cloud) =>
          use.key === "" ? owner.has(use.kind, `${namespace}/${use.name}`) : use.key in dataOf(owner, namespace, use),
      })),
    ...clustersOf(cloud).flatMap((cluster) =>
      containersOf(pod).flatMap((container) => imageNeeds(cluster, textAt(container, "image"))),
    ),
    ...platformNeeds(request, cloud),
    ...roleNeeds(podEnvironment(cloud, request), proxiedDatabases(pod)),
  ];
}

/** Everything outside the cluster that a pod needs until its last process has ended. */
export function platformNeeds({ namespace, pod }: PodRequest, cloud: Cloud): Need[] {
  const databases = proxiedDatabases(pod);
  const buckets = mountedBuckets(pod);
  if (databases.length + buckets.length === 0) return [];
  const project = textAt(clustersOf(cloud)[0]?.values, "project");
  const accountIn = (now: Cloud) =>
    now.find("kubernetes_service_account_v1", `${namespace}/${textAt(pod, "service_account_name")}`);
  const first = accountIn(cloud);
  // The metadata server reads the annotation for each token, so a running pod acts as the account of the moment.
  const needsIn = (now: Cloud): Need[] => {
    const own = accountIn(now) ?? first;
    const account = annotationOf(own?.values ?? null, "iam.gke.io/gcp-service-account");
    const member = `serviceAccount:${account}`;
    return [
      needObject("google_service_account", account),
      // The cluster's metadata server creates tokens with this API.
      needObject("google_project_service", `${project}/iamcredentials.googleapis.com`),
      ...databaseNeeds(databases, project, member),
      ...bucketNeeds(buckets, member),
    ];
  };
  return needsIn(cloud).map(({ what }, index) => ({
    what,
    isMet: (now: Cloud) => needsIn(now)[index]?.isMet(now) === true,
  }));
}

/** What a node needs to pull an image from a registry of the project. */
function imageNeeds(cluster: CloudObject, image: string): Need[] {
  const project = textAt(cluster.values, "project");
  const [repository = ""] = image.split(`-docker.pkg.dev/${project}/`).slice(1);
  if (repository === "") return [];
  return [
    ...needImage(project, image),
    needRole({
      type: "google_artifact_registry_repository_iam_member",
      isOn: (grant) => repository.startsWith(`${textAt(grant, "repository")}/`),
      member: `serviceAccount:${nodeAccountOf(cluster)}`,
      roles: ["roles/artifactregistry.reader"],
      target: `the repository of ${image}`,
    }),
  ];
}
