import { type IResolvable, ref, TerraformLocal, Token } from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { type Existing, isExisting } from "../../core/existing";
import { not } from "../../core/expr/conditions";
import { allOf, call, type Expr, interpolated, reference } from "../../core/expr/expr";
import { endsWith, jsonOf } from "../../core/expr/functions";
import { named } from "../../core/expr/locals";
import { inFileOfExisting } from "../../core/hcl/stack-origin";
import { isDataSource } from "../../core/inputs/resource-props";
import { flag, object, orResource, type PropsOf, type ProviderResource, text } from "../../core/inputs/rows";
import { type ValuesOf } from "../../core/inputs/value";
import { prose } from "../../core/prose";
import { TerraformData } from "../../core/terraform-data";
import { ACCOUNT_EMAIL } from "../identity/service-identity";

const CLUSTER = {
  /** Name of the cluster. */
  name: text({ description: "name of the cluster" }),
  /** Region or zone of the cluster. */
  location: text({ description: "its region or zone" }),
  /** Address of its control plane, or the name of its DNS endpoint. */
  endpoint: text({ description: "address of its control plane, or the name of its DNS endpoint" }),
  /** Certificate of its control plane in base64, as GKE returns it; null for a DNS endpoint, which has a public one. */
  caCertificate: text({
    default: null,
    description: "its certificate in base64, as GKE returns it[[, null for a DNS endpoint, which has a public one]]",
  }),
  /**
   * E-mail address of the account of the cluster's nodes, which gets the right to pull images; null if the account has
   * this right.
   */
  nodeAccount: text({
    default: null,
    description:
      "e-mail address of the account of its nodes, which gets the right to pull the image[[, null if it has that]]",
  }),
  /** Whether it is an Autopilot cluster. */
  autopilot: flag({ default: true, description: "false for a standard cluster" }),
};

/**
 * Attributes that are read from a cluster. The nodes' account is not among them, because nodes may belong to separate
 * pools.
 */
function attributesOfCluster(cluster: ProviderResource): ClusterAttributes {
  const [name, location, endpoint, caCertificate] = CLUSTER_ATTRIBUTES.map((each) =>
    cluster.getStringAttribute(each),
  ) as [string, string, string, string];
  // The argument, unlike the attribute, is known at synthesis.
  const { enableAutopilotInput: given } = cluster as { readonly enableAutopilotInput?: boolean | IResolvable };
  const autopilot = isDataSource(cluster) ? ref(`${cluster.fqn}.enable_autopilot`) : (given ?? false);
  return { name, location, endpoint, caCertificate, autopilot };
}

const CLUSTER_ATTRIBUTES = ["name", "location", "endpoint", "master_auth[0].cluster_ca_certificate"];

const attributesOfNamespace = (namespace: ProviderResource): NamespaceAttributes => ({
  name: namespace.getStringAttribute("metadata[0].name"),
});

const NAMESPACE_NAME = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";

/** Whether an object has the required attributes of a cluster. */
function isCluster(cluster: Expr): Expr<boolean> {
  const of = (name: string) => cluster.member<string>(name);
  const certificate = of("ca_certificate");
  const isPem = call<string>("base64decode", [certificate]).matches("^-----BEGIN CERTIFICATE-----");
  return allOf(
    of("name").matches("^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$"),
    of("endpoint").matches("^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$"),
    of("location").matches("^[a-z]+-[a-z]+[0-9]+(-[a-z])?$"),
    endsWith(of("endpoint"), ".goog").choose(certificate.isNull(), isPem),
    of("node_account").isNullOr((email) => email.matches(ACCOUNT_EMAIL)),
  );
}

/** Inputs for an existing cluster and an existing namespace in it. */
export const EXISTING_CLUSTER = {
  /**
   * Existing cluster, or its resource. Only objects in the deployment's namespace and in the namespace of outposts are
   * changed.
   */
  existingCluster: orResource(
    "endpoint",
    { google_container_cluster: attributesOfCluster },
    object(CLUSTER, {
      description: (members) =>
        prose`
          Existing cluster of this project, with Workload Identity, network policies and the driver for buckets of
          Cloud Storage. ${members} Nothing outside of the namespace, and that of outposts, is changed there.
          Setting or removing it later moves everything in the namespace,
          and needs deletion_protection = false and the removal of the namespace first.
        `,
      must: {
        condition: isCluster,
        must: prose`
          have a name, an endpoint without scheme and port, a region or zone,
          a certificate in base64 unless the endpoint is a DNS name of GKE, which has a public one,
          and the e-mail address of a service account, because the provider signs in with them;
          look them up with gcloud container clusters describe, as name,
          endpoint or controlPlaneEndpointsConfig.dnsEndpointConfig.endpoint, location,
          masterAuth.clusterCaCertificate and nodeConfig.serviceAccount
        `,
        hides: true,
      },
    }),
  ),
  /**
   * Existing namespace of an existing cluster, or its resource. It must not contain another identity provider, because
   * alerts select pods by namespace.
   */
  existingNamespace: orResource(
    "id",
    { kubernetes_namespace: attributesOfNamespace, kubernetes_namespace_v1: attributesOfNamespace },
    object(
      {
        /** Name of the namespace. */
        name: text({ description: "its name" }),
      },
      {
        description: (members) =>
          prose`
            Existing namespace of the existing cluster, instead of one that would be created.
            ${members} There is no other identity provider in it, because alerts and load balancers are found by
            their namespace. Setting or removing it later moves everything in the namespace,
            as existing_cluster does.
          `,
        must: {
          condition: (namespace: Expr) => namespace.member("name").matches(NAMESPACE_NAME),
          must: prose`
            be the name of a namespace, of 1 to 63 lower-case letters, digits and hyphens,
            because nothing else can be one; look it up with kubectl get namespaces
          `,
        },
      },
    ),
  ),
};

/** Attributes of an existing cluster. */
export interface ClusterAttributes extends PropsOf<typeof CLUSTER> {}

/** Attributes of an existing namespace. */
export interface NamespaceAttributes extends PropsOf<(typeof EXISTING_CLUSTER)["existingNamespace"]["members"]> {}

/** Attributes of an existing cluster, which may be null at plan. */
export type ExistingCluster = Existing & Partial<ClusterAttributes>;

/**
 * Node selector for pods of a standard cluster. It selects nodes with the metadata server that issues tokens to pods.
 * Autopilot has this server on every node, and refuses the selector.
 */
export function nodeSelectorOf(scope: Construct, cluster: ExistingCluster | undefined) {
  if (cluster === undefined) return undefined;
  const isStandard = allOf(isExisting(cluster), not(cluster.autopilot ?? true));
  const labels = isStandard.choose<unknown, null>({ "iam.gke.io/gke-metadata-server-enabled": "true" }, null);
  return Token.asStringMap(new TerraformLocal(scope, "NodeSelector", labels).expression);
}

/** Facts that identify a cluster. */
export function clusterPath({ at }: ValuesOf<typeof EXISTING_CLUSTER>["existingCluster"]): Expr<string> {
  return interpolated`${at.location}/${at.name}`;
}

const inPartsFile = (part: IConstruct) => {
  inFileOfExisting(part, "parts");
};

/**
 * Refuses, at plan, to change the cluster or the existing namespace while the former one has objects of the deployment.
 * Otherwise Terraform would look for these objects in the new cluster, and remove them from the state, together with
 * the load balancer that has the address.
 *
 * @returns the record, on which everything in the namespace must depend, and the check, on which the guards must depend
 */
export function guardCluster(
  scope: Construct,
  { existingCluster: cluster, existingNamespace: namespace }: ValuesOf<typeof EXISTING_CLUSTER>,
): Record<"check" | "record", TerraformData> {
  const place = (part: Expr, value: Expr<string>) => part.isNull().choose(null, value);
  const current = jsonOf([place(cluster, clusterPath(cluster)), place(namespace, namespace.at.name)]);
  const now = named(scope, "PlaceOfNamespace", current, inPartsFile);
  const record = new TerraformData(scope, "ClusterOfNamespace", {
    input: { place: now.text },
    lifecycle: { ignoreChanges: ["input"] },
  });
  const before = reference<string>(`${record.outputExpression}.place`, { knownAt: "apply", mayBeNull: false });
  const check = new TerraformData(scope, "ClusterCheck", {
    lifecycle: {
      precondition: [
        {
          condition: before.eq(now).text,
          errorMessage: prose`
            ${cluster.name} and ${namespace.name} are ${now.text}, but the deployment is in ${before.text};
            they must stay while there is something, because that would be forgotten,
            with a load balancer that keeps the address; set them back,
            or first remove it as guides/cluster.md says.
          `,
        },
      ],
    },
  });
  for (const part of [record, check]) inPartsFile(part);
  return { record, check };
}
