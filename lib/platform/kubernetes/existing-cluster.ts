import { TerraformLocal, Token, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { type Existing, isExisting } from "../../core/existing";
import { expression } from "../../core/expression";
import { inFileOfExisting } from "../../core/hcl/stack-origin";
import { flag, object, type PropsOf, text, type ValuesOf } from "../../core/inputs";
import { TerraformData } from "../../core/terraform-data";

const CLUSTER = {
  /** Name of the cluster. */
  name: text({ description: "name of the cluster" }),
  /** Its region or zone. */
  location: text({ description: "its region or zone" }),
  /** Address of its control plane, or the name of its DNS endpoint. */
  endpoint: text({ description: "address of its control plane, or the name of its DNS endpoint" }),
  /** Certificate of its control plane in base64, as GKE returns it; null for a DNS endpoint, which has a public one. */
  caCertificate: text({
    default: null,
    description: "its certificate in base64, as GKE returns it, null for a DNS endpoint, which has a public one",
  }),
  /** E-mail address of the account of its nodes, which gets the right to pull images; null if they have it. */
  nodeAccount: text({
    default: null,
    description:
      "e-mail address of the account of its nodes, which gets the right to pull the image, null if it has that",
  }),
  /** Whether it is an Autopilot cluster. */
  autopilot: flag({ default: true, description: "false for a standard cluster" }),
};

const ENDPOINT = "^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$";
const LOCATION = "^[a-z]+-[a-z]+[0-9]+(-[a-z])?$";

/** Inputs of a cluster, and of a namespace in it, that exist. */
export const EXISTING_CLUSTER = {
  /** Existing cluster, in which nothing outside of the namespace is changed. */
  existingCluster: object(CLUSTER, {
    description: (members) =>
      `Existing cluster of this project, with Workload Identity, network policies and the driver for buckets of Cloud Storage. ${members} Nothing outside of the namespace is changed there. Setting or removing it later moves everything in the namespace, and needs deletion_protection = false and the removal of the namespace first.`,
    must: [
      {
        condition: (cluster) =>
          [
            `can(regex("${ENDPOINT}", ${cluster}.endpoint))`,
            `can(regex("${LOCATION}", ${cluster}.location))`,
            `(${cluster}.ca_certificate == null ? can(regex("[.]goog$", ${cluster}.endpoint)) : can(regex("^-----BEGIN CERTIFICATE-----", base64decode(${cluster}.ca_certificate))))`,
            `(${cluster}.node_account == null ? true : can(regex("[.]gserviceaccount[.]com$", ${cluster}.node_account)))`,
          ].join(" && "),
        must: "have an endpoint without scheme and port, a region or zone, a certificate in base64 unless the endpoint is a DNS name of GKE, and the e-mail address of a service account, because the provider signs in with them; look them up with gcloud container clusters describe, as endpoint, location and masterAuth.clusterCaCertificate",
        hides: true,
      },
    ],
  }),
  /** Existing namespace of an existing cluster, in which there is no other deployment of the same application name. */
  existingNamespace: object(
    { /** Name of the namespace. */ name: text({ description: "its name" }) },
    {
      description: (members) =>
        `Existing namespace of the existing cluster, instead of one that would be created. ${members} Two deployments in one need different application names. Setting or removing it later stops the service and moves everything in the namespace.`,
      must: [
        {
          condition: (namespace) => `can(regex("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", ${namespace}.name))`,
          must: "be the name of a namespace, of 1 to 63 lower-case letters, digits and hyphens, because nothing else can be one; look it up with kubectl get namespaces",
        },
      ],
    },
  ),
};

type ClusterValue = ValuesOf<typeof EXISTING_CLUSTER>["existingCluster"];

/** Attributes of a cluster that exists, which may be null at plan. */
export type ExistingCluster = Existing & Partial<PropsOf<typeof CLUSTER>>;

/**
 * What pods of a standard cluster ask of a node: the metadata server that issues their tokens. Autopilot has it on every
 * node, and refuses to be asked.
 */
export function nodeSelectorOf(
  scope: Construct,
  cluster: ExistingCluster | undefined,
): Record<string, string> | undefined {
  if (cluster === undefined) return undefined;
  const { autopilot = true } = cluster;
  const isStandard = `${isExisting(cluster)} && !${typeof autopilot === "boolean" ? String(autopilot) : Token.asString(autopilot)}`;
  const labels = `(${isStandard} ? { "iam.gke.io/gke-metadata-server-enabled" = "true" } : null)`;
  return Token.asStringMap(new TerraformLocal(scope, "NodeSelector", expression(labels)).expression);
}

/** What distinguishes a cluster from others, as an expression. */
export function clusterIdentity({ at }: ClusterValue): string {
  return `join("/", [${at.location}, ${at.name}])`;
}

/**
 * Refuses, at plan, another cluster while there is something of the deployment in the former one. Terraform would look for it
 * in the other one and forget it, with the load balancer that has the address.
 *
 * @returns what everything in the namespace must depend on
 */
export function guardCluster(scope: Construct, cluster: ClusterValue): ITerraformDependable[] {
  const now = cluster.given === null ? '""' : `(${cluster} == null ? "" : ${clusterIdentity(cluster)})`;
  const record = new TerraformData(scope, "ClusterOfNamespace", {
    input: { cluster: expression(now) },
    lifecycle: { ignoreChanges: ["input"] },
  });
  const before = `${record.outputExpression}.cluster`;
  const check = new TerraformData(scope, "ClusterCheck", {
    lifecycle: {
      precondition: [
        {
          condition: `\${${before} == ${now}}`,
          errorMessage: `${cluster.name} is another cluster than the one that the namespace is in; it must stay while there is something in that namespace, because that would be forgotten, with a load balancer that keeps the address; set it back; to change it, first remove that with terraform destroy -target=terraform_data.${record.friendlyUniqueId}, which stops the service.`,
        },
      ],
    },
  });
  for (const part of [record, check]) inFileOfExisting(part, "parts");
  return [record];
}
