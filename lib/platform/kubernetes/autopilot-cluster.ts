import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { ServiceAccountIamMember } from "@cdktf/provider-google/lib/service-account-iam-member";
import { type KubernetesProviderConfig } from "@cdktf/provider-kubernetes/lib/provider";
import { Fn, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addressRange } from "../../core/address-range";
import { addDynamicBlock, countIf, listIf } from "../../core/conditional";
import { EphemeralResource } from "../../core/ephemeral-resource";
import { textMap } from "../../core/inputs";
import { expression } from "../../core/expression";
import { freeChildId, type GrantedAccount, grantTo, type WorkloadIdentity } from "../../core/identity";
import { clusterName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { ServiceIdentity } from "../identity/service-identity";
import { type ClusterNetwork, RANGE_NAMES } from "../network/cluster-network";
import { addMaintenancePolicy, type Maintenance } from "../maintenance";
import { type PartProps } from "../parts";

/** Every IPv4 address. */
export const ANYWHERE = "0.0.0.0/0";

interface AutopilotClusterProps extends PartProps {
  /** CIDR ranges that may reach the control plane, by name; any source address if there are none. */
  readonly authorizedNetworks: IResolvable;
  readonly deletionProtection: boolean | IResolvable;
  readonly maintenance: Maintenance;
  readonly network: ClusterNetwork;
}

/**
 * A regional Autopilot cluster on the regular release channel, with private nodes that run as their own service
 * account.
 *
 * Billed by the hour from creation on, and by the resources that the pods request.
 */
export class AutopilotCluster extends Construct {
  /** Name of the cluster; what refers to it waits for the cluster. */
  readonly clusterName: string;

  /** Service account of the nodes: pulls images, writes logs and metrics. */
  readonly nodes: ServiceIdentity;

  /** Configuration of the kubernetes provider, with a token that is neither in the state nor in a plan. */
  readonly connection: KubernetesProviderConfig;

  /** What must exist before a pod can start. */
  readonly ready: ITerraformDependable[];

  /** The cluster itself, for overrides. */
  readonly cluster: ContainerCluster;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: AutopilotClusterProps,
  ) {
    super(scope, id);
    const { authorizedNetworks, deletionProtection, dependsOn = [], network, place } = props;

    const description = "Runs the nodes of the cluster";
    this.nodes = new ServiceIdentity(this, "Nodes", { description, dependsOn, place, purpose: "idp-node" });

    this.cluster = new ContainerCluster(this, MAIN_CHILD_ID, {
      project: place.projectId,
      name: clusterName(place.deployment),
      location: place.region,
      enableAutopilot: true,
      network: network.network,
      subnetwork: network.subnetwork,
      releaseChannel: { channel: "REGULAR" },
      privateClusterConfig: { enablePrivateNodes: true, enablePrivateEndpoint: false },
      // Otherwise the VMs of all Google Cloud customers would be allowed in addition to the listed ranges.
      masterAuthorizedNetworksConfig: { gcpPublicCidrsAccessEnabled: false },
      clusterAutoscaling: {
        autoProvisioningDefaults: {
          serviceAccount: this.nodes.email,
          oauthScopes: ["https://www.googleapis.com/auth/cloud-platform"],
        },
      },
      resourceLabels: place.labels,
      deletionProtection,
      dependsOn: [
        ...this.nodes.grantOnProject("RunsNodes", "roles/container.defaultNodeServiceAccount"),
        ...network.dependsOn,
        ...dependsOn,
      ],
    });
    addMaintenancePolicy(this.cluster, props.maintenance);
    addDynamicBlock(this.cluster, "", "ip_allocation_policy", {
      forEach: listIf(network.hasNamedRanges, '"named"'),
      content: {
        cluster_secondary_range_name: RANGE_NAMES.pods,
        services_secondary_range_name: RANGE_NAMES.services,
      },
    });
    addDynamicBlock(this.cluster, "master_authorized_networks_config", "cidr_blocks", {
      forEach: orEverywhere(authorizedNetworks),
      content: { display_name: "${cidr_blocks.key}", cidr_block: "${cidr_blocks.value}" },
    });

    this.clusterName = this.cluster.name;
    this.connection = {
      host: `https://${this.cluster.endpoint}`,
      clusterCaCertificate: Fn.base64decode(this.cluster.masterAuth.clusterCaCertificate),
      token: new EphemeralResource(this, "Caller", {
        type: "google_client_config",
        provider: "google",
        attributes: {},
      }).stringAttribute("access_token"),
      // GKE's admission controllers add these to objects; without this, the next plan would show a diff.
      ignoreAnnotations: ["^autopilot\\.gke\\.io\\/.*", "^cloud\\.google\\.com\\/.*"],
    };
    this.ready = [this.cluster, ...network.ready];
  }

  /** Command that connects kubectl to the cluster. */
  get connectCommand(): string {
    const { projectId, region } = this.props.place;
    return `gcloud container clusters get-credentials ${this.clusterName} --location=${region} --project=${projectId}`;
  }

  /**
   * Allows the pods of one Kubernetes service account to act as an identity; empty for one that takes no grants.
   *
   * Waits for the cluster, because the first cluster of a project creates its workload identity pool.
   */
  grantActAs(identity: WorkloadIdentity, namespace: string, accountName: string): ITerraformDependable[] {
    if (!identity.grantable) return [];
    const { projectId } = this.props.place;
    const member = `serviceAccount:${projectId}.svc.id.goog[${namespace}/${accountName}]`;
    return (identity.granted ?? [identity]).map((account: GrantedAccount) => {
      const grant = new ServiceAccountIamMember(this, freeChildId(this, account.name), {
        serviceAccountId: `projects/${account.project ?? projectId}/serviceAccounts/${account.email}`,
        role: "roles/iam.workloadIdentityUser",
        member,
        count: countIf(account.condition),
        dependsOn: [this.cluster, ...account.ready],
      });
      return grantTo(account, grant);
    });
  }
}

/** Never empty: the provider treats a missing list as no change, so a restriction could not be lifted. */
function orEverywhere(networks: IResolvable): unknown {
  const everywhere = { everywhere: ANYWHERE };
  // A program's literal map.
  if (!Token.isUnresolved(networks)) return Object.keys(networks).length === 0 ? everywhere : networks;
  const given = Token.asString(networks);
  return expression(`(length(${given}) == 0 ? tomap(${JSON.stringify(everywhere)}) : ${given})`);
}

/** Input of the control plane. */
export const CONTROL_PLANE = {
  /** CIDR ranges that may reach the control plane, by name; include that of the machine that applies. Empty: any; sign-in is still required. */
  authorizedNetworks: textMap({
    default: {},
    description:
      "CIDR ranges that may reach the control plane of the cluster, by name; include that of the machine that applies. Empty allows any source address; sign-in is still required. Changing it later is safe.",
    must: [
      {
        each: addressRange("value"),
        shows: "entry",
        says: "each must be an IPv4 range that is written with its first address; use for example 203.0.113.0/24, or /32 for one address",
      },
    ],
  }),
};
