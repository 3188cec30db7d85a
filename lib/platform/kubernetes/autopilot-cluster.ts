import { ContainerCluster } from "@cdktf/provider-google/lib/container-cluster";
import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member";
import { ServiceAccountIamMember } from "@cdktf/provider-google/lib/service-account-iam-member";
import { type KubernetesProviderConfig } from "@cdktf/provider-kubernetes/lib/provider";
import { Fn, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { eitherOf, isExisting, isMade } from "../../core/existing";
import { attributeOf } from "../../core/expr/attributes";
import { addOptionalBlock } from "../../core/expr/blocks";
import { allOf, type Condition, countIf, isAlways, isNever, isSet, namedCondition } from "../../core/expr/conditions";
import { type Expr, hcl } from "../../core/expr/expr";
import { inFileOfExisting } from "../../core/hcl/stack-origin";
import {
  freeChildId,
  type GrantedAccount,
  granteeArguments,
  grantTo,
  type WorkloadIdentity,
} from "../../core/identity";
import { clusterName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { prose } from "../../core/prose";
import { EphemeralResource } from "../../core/secrets/ephemeral-resource";
import { type ExistingAccount, ServiceIdentity } from "../identity/service-identity";
import { addMaintenancePolicy, type Maintenance } from "../maintenance";
import { type ClusterNetwork, RANGE_NAMES } from "../network/cluster-network";
import { type PartProps } from "../parts";
import { accessTo, addControlPlane, type ControlPlane, isAtName } from "./control-plane";
import { type ExistingCluster, nodeSelectorOf } from "./existing-cluster";

/** Purpose of the account of the nodes. */
export const NODES_PURPOSE = "idp-node";

interface AutopilotClusterProps extends PartProps {
  readonly controlPlane: ControlPlane;
  readonly deletionProtection: boolean | IResolvable;
  /** Existing cluster to use instead; its attributes may be null at plan. */
  readonly existing: ExistingCluster | undefined;
  readonly maintenance: Maintenance;
  readonly network: ClusterNetwork;
  /** Existing account for the nodes; its address may be null at plan. */
  readonly nodes: ExistingAccount | undefined;
}

/**
 * A regional Autopilot cluster on the regular release channel, with private nodes under a separate service account; or
 * an existing cluster, which is not changed.
 *
 * Billed by the hour from creation on, and by the resources that the pods request.
 */
export class AutopilotCluster extends Construct {
  /** Name of the cluster; a reference to it waits for the cluster. */
  readonly clusterName: string;

  /** Service account of the nodes: pulls images, writes logs and metrics. */
  readonly nodes: ServiceIdentity;

  /** Accounts of nodes that pull images. */
  readonly pullers: readonly WorkloadIdentity[];

  /** Labels of nodes that can run the pods; undefined, or null at plan, for any node. */
  readonly nodeSelector: Record<string, string> | undefined;

  /** Configuration of the kubernetes provider, with a token that is neither in the state nor in a plan. */
  readonly connection: KubernetesProviderConfig;
  readonly ready: ITerraformDependable[];

  /** The cluster itself, for overrides; its count is 0 if an existing one is used. */
  readonly cluster: ContainerCluster;

  /** Region or zone of the cluster. */
  readonly location: string;

  /** Whether the control plane is reached by its DNS name; undefined if synthesis knows that it is not. */
  private readonly isNamed: Expr<boolean> | undefined;

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: AutopilotClusterProps,
  ) {
    super(scope, id);
    const { controlPlane, existing, network } = props;

    const isOwn = namedCondition(this, "IsMade", isMade(existing));
    this.nodes = this.addNodeAccount(isOwn);
    this.pullers = [this.nodes, ...this.existingNodes()];
    this.nodeSelector = nodeSelectorOf(this, existing);
    this.cluster = this.addCluster(isOwn);

    const { certificate, endpoint, location, name } = this.usedAttributes();
    this.clusterName = name;
    this.location = location;
    const hasCertificate = existing === undefined && isNever(isAtName(controlPlane));
    if (!hasCertificate) this.isNamed = hcl<boolean>`try(endswith(${endpoint}, ".goog"), false)`;
    this.connection = this.connectionTo(
      endpoint,
      hasCertificate ? Fn.base64decode(certificate) : hcl`try(base64decode(${certificate}), null)`.text,
    );
    this.ready = [this.cluster, ...network.ready];
  }

  private addNodeAccount(isOwn: Expr<boolean>): ServiceIdentity {
    const { context, dependsOn = [], nodes } = this.props;
    return new ServiceIdentity(this, "Nodes", {
      dependsOn,
      context,
      purpose: NODES_PURPOSE,
      description: "Runs the nodes of the cluster",
      condition: isAlways(isOwn) ? undefined : isOwn,
      // Differs from the name for an existing cluster's nodes, because their grants are created here too.
      existing: nodes && { ...nodes, name: "GivenNodes" },
    });
  }

  private addCluster(isOwn: Expr<boolean>): ContainerCluster {
    const { context, controlPlane, deletionProtection, dependsOn = [], maintenance, network } = this.props;
    const cluster = new ContainerCluster(this, MAIN_CHILD_ID, {
      project: context.projectId,
      name: clusterName(context.deployment),
      location: context.region,
      enableAutopilot: true,
      network: network.network,
      subnetwork: network.subnetwork,
      releaseChannel: { channel: "REGULAR" },
      clusterAutoscaling: {
        autoProvisioningDefaults: {
          serviceAccount: this.nodes.email,
          oauthScopes: ["https://www.googleapis.com/auth/cloud-platform"],
        },
      },
      resourceLabels: context.labels,
      deletionProtection,
      count: countIf(isOwn),
      dependsOn: [
        ...this.nodes.grantOnProject("RunsNodes", "roles/container.defaultNodeServiceAccount"),
        ...network.dependsOn,
        ...dependsOn,
      ],
    });
    addMaintenancePolicy(cluster, maintenance);
    addOptionalBlock(cluster, "", "ip_allocation_policy", {
      when: network.hasNamedRanges,
      content: { cluster_secondary_range_name: RANGE_NAMES.pods, services_secondary_range_name: RANGE_NAMES.services },
    });
    addControlPlane(cluster, controlPlane);
    return cluster;
  }

  private connectionTo(endpoint: string, clusterCaCertificate: string): KubernetesProviderConfig {
    return {
      host: `https://${endpoint}`,
      clusterCaCertificate,
      token: new EphemeralResource(this, "Caller", {
        type: "google_client_config",
        provider: "google",
        attributes: {},
      }).stringAttribute("access_token"),
      // Ignored, because GKE's admission controllers add these to objects and the next plan would show a diff.
      ignoreAnnotations: ["^autopilot\\.gke\\.io\\/.*", "^cloud\\.google\\.com\\/.*"],
    };
  }

  /** Attributes of the cluster in use: the deployment's own or the existing one. */
  private usedAttributes() {
    const { context, controlPlane, existing } = this.props;
    const { certificate, endpoint } = accessTo(this.cluster, controlPlane);
    const existingAttributes = existing && {
      certificate: existing.caCertificate,
      endpoint: existing.endpoint,
      location: existing.location,
      name: existing.name,
    };
    const name = attributeOf(this.cluster, "name").text;
    return eitherOf(this, existing, existingAttributes, { certificate, endpoint, location: context.region, name });
  }

  /** Command that connects kubectl to the cluster. */
  get connectCommand(): string {
    const { projectId } = this.props.context;
    const command = prose`
      gcloud container clusters get-credentials ${this.clusterName} --location=${this.location}
      --project=${projectId}
    `;
    return this.isNamed === undefined ? command : command + this.isNamed.choose(" --dns-endpoint", "").text;
  }

  /**
   * Allows the pods of a Kubernetes service account to act as an identity; empty if the identity takes no grants.
   *
   * Waits for the cluster, because the first cluster of a project creates its workload identity pool.
   *
   * @param condition condition under which the Kubernetes service account exists
   */
  grantActAs(
    identity: WorkloadIdentity,
    namespace: string,
    accountName: string,
    condition: Condition = true,
  ): ITerraformDependable[] {
    if (!identity.grantable) return [];
    const { projectId } = this.props.context;
    const member = `serviceAccount:${projectId}.svc.id.goog[${namespace}/${accountName}]`;
    return (identity.granted ?? [identity]).map((account: GrantedAccount) => {
      const grant = new ServiceAccountIamMember(this, freeChildId(this, account.name), {
        serviceAccountId: `projects/${account.project ?? projectId}/serviceAccounts/${account.email}`,
        role: "roles/iam.workloadIdentityUser",
        ...granteeArguments({ ...account, member }, condition, this.cluster),
      });
      return grantTo(account, grant);
    });
  }

  /** The account of the nodes of a cluster that is managed elsewhere, if it is known. */
  private existingNodes(): WorkloadIdentity[] {
    const { existing, context } = this.props;
    const email = existing?.nodeAccount;
    if (email === undefined) return [];
    const condition = allOf(isExisting(existing), isSet(email));
    const account = { name: "ExistingNodes", email, member: `serviceAccount:${email}`, condition, ready: [] };
    const grants = new Map<string, ProjectIamMember>();
    const grantOnProject: WorkloadIdentity["grantOnProject"] = (id, role, { condition: needed = true } = {}) => {
      const grant =
        grants.get(id) ??
        new ProjectIamMember(this, `${account.name}${id}`, {
          project: context.projectId,
          role,
          member: account.member,
          count: countIf(allOf(needed, condition)),
        });
      grants.set(id, grant);
      inFileOfExisting(grant, "accounts-project");
      return [grant];
    };
    return [{ ...account, grantable: true, granted: [{ ...account, project: "-" }], grantOnProject }];
  }
}
