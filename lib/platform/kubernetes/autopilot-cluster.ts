import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { ServiceAccountIamMember } from "@cdktf/provider-google/lib/service-account-iam-member";
import { type KubernetesProviderConfig } from "@cdktf/provider-kubernetes/lib/provider";
import { Fn, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addDynamicBlock } from "../../core/dynamic-block";
import { EphemeralResource } from "../../core/ephemeral-resource";
import { CLUSTER_NAME_MAX_LENGTH, clusterName, type DeploymentName } from "../../core/names";
import { nameRules } from "../../core/name-rules";
import { whether } from "../../core/optional-value";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { requireProvider } from "../../core/provider-requirements";
import { requireAll, requireProps } from "../../core/rules";
import { ServiceIdentity } from "../service-identity";
import { addAuthorizedNetworks, type AuthorizedNetworks } from "./authorized-networks";
import { type ClusterNetwork } from "./cluster-network";
import { IGNORED_ANNOTATIONS, PLATFORM_NAME, RANGE_NAMES } from "./contract";

export interface AutopilotClusterProps {
  /** What the names are made of. */
  readonly deployment: DeploymentName;

  /** Network of nodes and pods. Changing it later replaces the cluster. */
  readonly network: ClusterNetwork;

  /** Project that it goes into. */
  readonly projectId: string;

  /** Region of the cluster; its nodes are in all zones. Changing it later replaces the cluster. */
  readonly region: string;

  /**
   * Ranges in CIDR notation, by a name, from which the control plane may be reached. The machine that applies must be in
   * one of them.
   *
   * @default - from everywhere, with a sign-in
   */
  readonly authorizedNetworks?: AuthorizedNetworks;

  /**
   * Refuses deletion of the cluster by Terraform.
   *
   * @default true
   */
  readonly deletionProtection?: boolean | IResolvable;

  /**
   * Things that must exist first for the cluster: the gate of its API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Things that must exist first for the nodes' account: the gate of the identity API.
   *
   * @default - nothing
   */
  readonly identitiesDependOn?: ITerraformDependable[];

  /**
   * Labels of the cluster.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;
}

/**
 * A regional cluster whose nodes the platform runs: private ones, under an account of their own, upgraded by the regular
 * channel.
 *
 * Billed by the hour from the moment of creation, and by what the pods request.
 */
export class AutopilotCluster extends Construct {
  readonly clusterName: string;

  /** Account that the nodes run as: pulls images, writes logs and metrics. */
  readonly nodes: ServiceIdentity;

  /** How the kubernetes provider reaches the cluster, with a token that is in no state and no plan. */
  readonly connection: KubernetesProviderConfig;

  /** What must exist before a pod can start. */
  readonly ready: ITerraformDependable[];

  private readonly cluster: ContainerCluster;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: AutopilotClusterProps,
  ) {
    super(scope, id);
    requireProps(this.node.path, props, { deployment: true, network: true, projectId: true, region: true });
    requireAll(this, props, RULES);
    requireProvider(this, "google");
    const { deployment, network, projectId, region } = props;

    this.nodes = new ServiceIdentity(this, "Nodes", {
      deployment,
      projectId,
      purpose: "idp-node",
      description: "Runs the nodes of the cluster",
      dependsOn: props.identitiesDependOn,
    });
    const mayRunNodes = this.nodes.grantOnProject("RunsNodes", "roles/container.defaultNodeServiceAccount");

    this.cluster = new ContainerCluster(this, MAIN_CHILD_ID, {
      project: projectId,
      name: clusterName(deployment),
      location: region,
      enableAutopilot: true,
      network: network.network,
      subnetwork: network.subnetwork,
      ipAllocationPolicy: network.existing === undefined ? NAMED_RANGES : undefined,
      releaseChannel: { channel: "REGULAR" },
      privateClusterConfig: { enablePrivateNodes: true, enablePrivateEndpoint: false },
      // Otherwise the machines of all the platform's customers would get past a list of networks.
      masterAuthorizedNetworksConfig: { gcpPublicCidrsAccessEnabled: false },
      clusterAutoscaling: {
        autoProvisioningDefaults: {
          serviceAccount: this.nodes.email,
          oauthScopes: ["https://www.googleapis.com/auth/cloud-platform"],
        },
      },
      resourceLabels: props.labels,
      deletionProtection: props.deletionProtection ?? true,
      dependsOn: [mayRunNodes, ...(props.dependsOn ?? [])],
    });
    this.addSharedRanges(props);
    addAuthorizedNetworks(this.cluster, props.authorizedNetworks ?? {});

    this.clusterName = this.cluster.name;
    this.connection = {
      host: `https://${this.cluster.endpoint}`,
      clusterCaCertificate: Fn.base64decode(this.cluster.masterAuth.clusterCaCertificate),
      token: new EphemeralResource(this, "Caller", {
        type: "google_client_config",
        provider: "google",
        attributes: {},
      }).stringAttribute("access_token"),
      ignoreAnnotations: [...IGNORED_ANNOTATIONS],
    };
    this.ready = [this.cluster, ...network.ready];
  }

  /** Command that lets whoever runs it work with the cluster. */
  get connectCommand(): string {
    const { projectId, region } = this.props;
    return `gcloud container clusters get-credentials ${this.clusterName} --location=${region} --project=${projectId}`;
  }

  /**
   * Lets the pods of one Kubernetes account act as a service account.
   *
   * It waits for the cluster, because the first one of a project makes the pool of identities.
   */
  letActAs(id: string, identity: ServiceIdentity, namespace: string, accountName: string): ServiceAccountIamMember {
    return new ServiceAccountIamMember(this, id, {
      serviceAccountId: identity.account.name,
      role: "roles/iam.workloadIdentityUser",
      member: `serviceAccount:${this.props.projectId}.svc.id.goog[${namespace}/${accountName}]`,
      dependsOn: [this.cluster],
    });
  }

  /**
   * The ranges of a shared network, which its own project must have made; in an existing network of this project the
   * platform makes them.
   */
  private addSharedRanges({ network: { existing }, projectId }: AutopilotClusterProps): void {
    if (existing === undefined) return;
    const network = Token.isUnresolved(existing) ? existing : JSON.stringify(existing);
    const ofThisProject = `startswith(${network}, ${Fn.join("", ["projects/", projectId, "/"])})`;
    addDynamicBlock(this.cluster, "", "ip_allocation_policy", {
      forEach: whether(existing, `(${ofThisProject} ? [] : ["named"])`, '["named"]'),
      content: {
        cluster_secondary_range_name: RANGE_NAMES.pods,
        services_secondary_range_name: RANGE_NAMES.services,
      },
    });
  }
}

const NAMED_RANGES = {
  clusterSecondaryRangeName: RANGE_NAMES.pods,
  servicesSecondaryRangeName: RANGE_NAMES.services,
} as const;

const RULES = nameRules<AutopilotClusterProps>(({ deployment }) => clusterName(deployment), {
  ...PLATFORM_NAME,
  what: "cluster name",
  maxLength: CLUSTER_NAME_MAX_LENGTH,
  lengthReason: "the platform takes no longer one",
});
