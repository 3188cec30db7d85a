import { createHash, generateKeyPairSync } from "node:crypto";

import { type Cloud, type CloudObject, type Need, Refusal } from "../cloud";
import { needApi, needObject } from "../needs";
import { type ResourceTypes } from "../resource-type";
import { isValueObject, textAt, valueAt, type ValueObject } from "../terraform-value";
import { googleType } from "./google-type";
import { needOwnNetwork, needSubnetwork, rangeNames } from "./network";
import { computeId, regionOf } from "./references";

/** Path of the service account of the nodes that Autopilot creates. */
const NODE_ACCOUNT = "cluster_autoscaling.0.auto_provisioning_defaults.0.service_account";

/** The clusters of the project; usually one. */
export function clustersOf(cloud: Cloud): CloudObject[] {
  return cloud.ofType("google_container_cluster");
}

/** Service account of a cluster's nodes, which pulls images; undefined for the project's default one. */
export function nodeAccountOf({ values }: CloudObject): string | undefined {
  return textAt(values, NODE_ACCOUNT) || undefined;
}

/** The need for a cluster, and so for the project's identity pool, which the first cluster creates. */
export function needCluster(): Need {
  return { what: "a cluster", isMet: (cloud) => clustersOf(cloud).length > 0 };
}

function needRanges(values: ValueObject): Need[] {
  const subnetwork = textAt(values, "subnetwork");
  const policy = valueAt(values, "ip_allocation_policy.0");
  return ["cluster_secondary_range_name", "services_secondary_range_name"].flatMap((attribute) => {
    const name = textAt(policy, attribute);
    const region = regionOf(textAt(values, "location"));
    const [own] = name === "" ? [] : needSubnetwork(subnetwork, textAt(values, "project"), region);
    if (own === undefined) return [];
    return [
      {
        what: `the range ${name} of ${own.what}`,
        isMet: (cloud: Cloud) => {
          const id = computeId(subnetwork, textAt(values, "project"), `regions/${region}/subnetworks`);
          const found = cloud.find("google_compute_subnetwork", id);
          return found === undefined ? own.isMet(cloud) : rangeNames(found.values).includes(name);
        },
      },
    ];
  });
}

/** Objects of the cluster that have a load balancer. */
function loadBalancers(cloud: Cloud): CloudObject[] {
  return [
    ...cloud.ofType("kubernetes_service_v1").filter(({ values }) => textAt(values, "spec.0.type") === "LoadBalancer"),
    ...cloud.ofType("kubernetes_ingress_v1"),
  ];
}

let certificate: string | undefined;

/** Placeholder for a PEM certificate; there are no TLS connections to the stand-in. */
function authority(): string {
  certificate ??= Buffer.from(
    [
      "-----BEGIN CERTIFICATE-----",
      generateKeyPairSync("ed25519").publicKey.export({ type: "spki", format: "der" }).toString("base64"),
      "-----END CERTIFICATE-----\n",
    ].join("\n"),
  ).toString("base64");
  return certificate;
}

/** Address of a control plane, different for every cluster. */
function endpointOf(id: string): string {
  const [third = 0, fourth = 0] = createHash("sha256").update(id).digest();
  return `34.121.${third}.${fourth}`;
}

/** Clusters of the google provider. */
export const CLUSTER_TYPES: ResourceTypes = {
  google_container_cluster: googleType({
    api: "container",
    id: "projects/{{project}}/locations/{{location}}/clusters/{{name}}",
    replacedBy: [
      ...["project", "name", "location", "enable_autopilot", "network", "subnetwork", "datapath_provider"],
      ...["ip_allocation_policy", "cluster_ipv4_cidr", "networking_mode"],
      ...["private_cluster_config.0.master_ipv4_cidr_block", "private_cluster_config.0.private_endpoint_subnetwork"],
    ],
    source: "container/resource_container_cluster.go",
    knownAtPlan: (values, { project }) => {
      const given = valueAt(values, "resource_labels");
      const labels = { ...(isValueObject(given) ? given : {}), "goog-terraform-provisioned": "true" };
      return { project, deletion_policy: "DELETE", effective_labels: labels, terraform_labels: labels };
    },
    computedBlocks: ["master_auth", "workload_identity_config"],
    computed: (values, { id }) => ({
      endpoint: endpointOf(id),
      self_link: `https://container.googleapis.com/v1/${id}`,
      master_auth: [
        {
          client_certificate: "",
          client_key: "",
          cluster_ca_certificate: authority(),
          client_certificate_config: [{ issue_client_certificate: false }],
        },
      ],
      workload_identity_config: [{ workload_pool: `${textAt(values, "project")}.svc.id.goog` }],
      master_version: "1.34.1-gke.1829001",
      operation: null,
    }),
    needs: (values) => {
      const project = textAt(values, "project");
      const account = textAt(values, NODE_ACCOUNT);
      return [
        ...needApi("compute"),
        ...needOwnNetwork(values),
        ...needSubnetwork(textAt(values, "subnetwork"), project, regionOf(textAt(values, "location"))),
        ...needRanges(values),
        ...(account === ""
          ? []
          : [needObject("google_service_account", `projects/${project}/serviceAccounts/${account}`)]),
      ];
    },
    afterCreate: ({ type, id, values }, cloud) => cloud.identityPools.set(textAt(values, "project"), `${type} ${id}`),
    beforeDestroy: (prior, _object, cloud) => {
      if (valueAt(prior, "deletion_protection") !== false) {
        throw new Refusal(
          "Cannot destroy cluster because deletion_protection is set to true. Set it to false to proceed with cluster deletion.",
        );
      }
      const [left] = loadBalancers(cloud);
      if (left !== undefined) {
        throw new Refusal(
          `Error 400: the load balancer of ${left.type} ${left.id} would be left behind in the network`,
        );
      }
      // Everything in the cluster is deleted with it.
      for (const key of [...cloud.objects.keys()].filter((candidate) => /^(kubernetes_|pods )/.test(candidate))) {
        cloud.objects.delete(key);
        cloud.running.stop(key);
      }
    },
  }),
};
