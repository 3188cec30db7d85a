import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member";
import { ServiceAccountIamMember } from "@cdktf/provider-google/lib/service-account-iam-member";
import { type KubernetesProviderConfig } from "@cdktf/provider-kubernetes/lib/provider";
import { Fn, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addressRange } from "../../core/address-range";
import { addDynamicBlock, allOf, countIf, isSet, listIf } from "../../core/conditional";
import { EphemeralResource } from "../../core/ephemeral-resource";
import { existingOr, isExisting, isMade, madeAttribute } from "../../core/existing";
import { textMap } from "../../core/inputs";
import { expression, operand } from "../../core/expression";
import { inFileOfExisting } from "../../core/hcl/stack-origin";
import { freeChildId, type GrantedAccount, grantTo, type WorkloadIdentity } from "../../core/identity";
import { clusterName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { ServiceIdentity } from "../identity/service-identity";
import { type ClusterNetwork, RANGE_NAMES } from "../network/cluster-network";
import { type ExistingCluster, nodeSelectorOf } from "./existing-cluster";
import { addMaintenancePolicy, type Maintenance } from "../maintenance";
import { type PartProps } from "../parts";

/** Every IPv4 address. */
export const ANYWHERE = "0.0.0.0/0";

interface AutopilotClusterProps extends PartProps {
  /** CIDR ranges that may reach the control plane, by name; any source address if there are none. */
  readonly authorizedNetworks: IResolvable;
  readonly deletionProtection: boolean | IResolvable;
  /** A cluster to use instead; its attributes may be null at plan. */
  readonly existing: ExistingCluster | undefined;
  readonly maintenance: Maintenance;
  readonly network: ClusterNetwork;
}

/**
 * A regional Autopilot cluster on the regular release channel, with private nodes that run as their own service
 * account; or one that is managed elsewhere, in which nothing is changed.
 *
 * Billed by the hour from creation on, and by the resources that the pods request.
 */
export class AutopilotCluster extends Construct {
  /** Name of the cluster; what refers to it waits for the cluster. */
  readonly clusterName: string;

  /** Service account of the nodes: pulls images, writes logs and metrics. */
  readonly nodes: ServiceIdentity;

  /** Accounts of nodes that pull images. */
  readonly pullers: readonly WorkloadIdentity[];

  /** Labels of nodes that can run the pods; undefined, or null at plan, for any node. */
  readonly nodeSelector: Record<string, string> | undefined;

  /** Configuration of the kubernetes provider, with a token that is neither in the state nor in a plan. */
  readonly connection: KubernetesProviderConfig;

  /** What must exist before a pod can start. */
  readonly ready: ITerraformDependable[];

  /** The cluster itself, for overrides; there is none where another one is used. */
  readonly cluster: ContainerCluster;

  private readonly location: string;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: AutopilotClusterProps,
  ) {
    super(scope, id);
    const { authorizedNetworks, deletionProtection, dependsOn = [], existing, network, place } = props;

    const isOwn = isMade(existing);
    this.nodes = new ServiceIdentity(this, "Nodes", {
      ...{ dependsOn, place, purpose: "idp-node" },
      description: "Runs the nodes of the cluster",
      condition: isOwn === "true" ? undefined : isOwn,
    });
    this.pullers = [this.nodes, ...this.existingNodes()];
    this.nodeSelector = nodeSelectorOf(this, existing);

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
      count: countIf(isOwn),
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

    const chosen = (id: string, given: string | undefined, attribute: string) =>
      existingOr(this, id, existing, given, madeAttribute(this.cluster, attribute));
    this.clusterName = chosen("Name", existing?.name, "name");
    this.location = existingOr(this, "Location", existing, existing?.location, place.region);
    const certificate = chosen("Certificate", existing?.caCertificate, "master_auth[0].cluster_ca_certificate");
    this.connection = {
      host: `https://${chosen("Endpoint", existing?.endpoint, "endpoint")}`,
      // A DNS endpoint has none.
      clusterCaCertificate:
        existing === undefined
          ? Fn.base64decode(certificate)
          : expression(`try(base64decode(${operand(certificate)}), null)`),
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
    const { existing, place } = this.props;
    const command = `gcloud container clusters get-credentials ${this.clusterName} --location=${this.location} --project=${place.projectId}`;
    const isByName = existing?.endpoint && `try(endswith(${operand(existing.endpoint)}, ".goog"), false)`;
    return isByName ? command + expression(`(${isByName} ? " --dns-endpoint" : "")`) : command;
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

  /** The account of the nodes of a cluster that is managed elsewhere, if it is known. */
  private existingNodes(): WorkloadIdentity[] {
    const { existing, place } = this.props;
    const email = existing?.nodeAccount;
    if (email === undefined) return [];
    const condition = allOf(isExisting(existing), isSet(email));
    const account = { name: "ExistingNodes", email, member: `serviceAccount:${email}`, condition, ready: [] };
    const grants = new Map<string, ProjectIamMember>();
    const grantOnProject: WorkloadIdentity["grantOnProject"] = (id, role, { condition: needed = "true" } = {}) => {
      const grant =
        grants.get(id) ??
        new ProjectIamMember(this, `${account.name}${id}`, {
          ...{ project: place.projectId, role, member: account.member },
          count: countIf(allOf(needed, condition)),
        });
      grants.set(id, grant);
      inFileOfExisting(grant, "accounts-project");
      return [grant];
    };
    return [{ ...account, grantable: true, granted: [{ ...account, project: "-" }], grantOnProject }];
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
