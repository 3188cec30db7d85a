import { NamespaceV1 } from "@cdktf/provider-kubernetes/lib/namespace-v1";
import { NetworkPolicyV1 } from "@cdktf/provider-kubernetes/lib/network-policy-v1";
import { ServiceAccountV1 } from "@cdktf/provider-kubernetes/lib/service-account-v1";
import { dependable, Fn, type ITerraformDependable, TerraformLocal, type TerraformResource, Token } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../../core/deployment-context";
import { attributeOf } from "../../core/expr/attributes";
import { addDynamicBlock } from "../../core/expr/blocks";
import { type Condition, conditionFrom, countIf, isNever, not } from "../../core/expr/conditions";
import { anyOf, type Expr } from "../../core/expr/expr";
import { startsWith } from "../../core/expr/functions";
import { named } from "../../core/expr/locals";
import { expression } from "../../core/expr/terraform-text";
import { type WorkloadIdentity } from "../../core/identity";
import { text } from "../../core/inputs/rows";
import { type Labels, labelsWith } from "../../core/labels";
import { objectName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { prose } from "../../core/prose";
import { wordList } from "../../core/word-list";
import { type ContainerSpec } from "../../idp/container-spec";
import { storesOf } from "../environment";
import { type AutopilotCluster } from "./autopilot-cluster";
import { ANYWHERE } from "./control-plane";

export interface WorkloadNamespaceProps {
  readonly cluster: Pick<AutopilotCluster, "grantActAs" | "nodeSelector" | "pullers" | "ready">;
  readonly name: string;
  /** Whether the namespace is an existing one, which may have pods of other applications. */
  readonly isExisting: Condition;
  readonly context: DeploymentContext;
  /** Dependencies of the pods until they stop, besides the cluster and the dependencies that workloads and jobs add. */
  readonly outlivedBy: ITerraformDependable[];
  /** Further TCP ports that pods may connect to, at any address. */
  readonly outboundPorts: Expr<readonly unknown[]>;
}

/**
 * The namespace of a deployment. Pods have no ingress, and egress only to necessary destinations, unless another
 * network policy allows more.
 */
export class WorkloadNamespace extends Construct {
  /** Name; a reference to it waits for the namespace. */
  readonly namespaceName: string;

  /** Name as given; a reference to it does not wait for the namespace. */
  readonly givenName: string;

  /** Id of the first object in the namespace. */
  readonly firstId: string;
  readonly ready: ITerraformDependable[];

  /** The namespace itself, for overrides; its count is 0 if an existing one is used. */
  readonly namespace: NamespaceV1;
  readonly nodeSelector: Record<string, string> | undefined;

  /** Labels of the deployment, for every object in the namespace; undefined without labels. */
  readonly labels: Labels | undefined;

  /**
   * Grants to the accounts of the pods. No object of the cluster may depend on these grants: they depend on the
   * cluster, so the removal of an object would have to precede an update of the cluster, but the object's provider is
   * configured from the cluster. Pods wait for the grants, because a new grant takes a while to become effective.
   */
  readonly grants: ITerraformDependable[] = [];

  private readonly outlivedBy = new Set<ITerraformDependable>();

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: WorkloadNamespaceProps,
  ) {
    super(scope, id);
    const { cluster, isExisting, name, outboundPorts, outlivedBy, context } = props;

    this.givenName = name;
    this.labels = objectLabels(this, context.labels);
    this.namespace = new NamespaceV1(this, MAIN_CHILD_ID, {
      metadata: { name, labels: labelsWith(this.labels, POD_SECURITY) },
      // The deletion includes load balancers and pods.
      timeouts: { delete: "20m" },
      count: countIf(not(isExisting)),
    });
    // Only the deletion of the namespace waits for pods to stop, so the dependencies of pods must be deleted after the
    // namespace.
    this.addOutlivedBy(...cluster.ready, ...outlivedBy);
    const made = attributeOf(this.namespace, "metadata[0].name");
    // Refers to the namespace resource even if its count is 0, so that all objects wait for the same dependencies.
    this.namespaceName = made.mayBeNull ? named(this, "Name", made.coalesce(name)).text : made.text;
    this.nodeSelector = cluster.nodeSelector;

    const ownLabels = { "app.kubernetes.io/name": context.deployment.applicationName };
    const ofDeployment = conditionFrom(isExisting).choose<unknown, null>(ownLabels, null);
    const outbound = new NetworkPolicyV1(this, "Outbound", {
      metadata: this.metadataOf(objectName(context.deployment, "outbound")),
      spec: {
        // All pods of the namespace; in an existing namespace, only the pods of the deployment.
        podSelector: isNever(isExisting) ? {} : { matchLabels: Token.asStringMap(ofDeployment) },
        policyTypes: ["Ingress", "Egress"],
        egress: OUTBOUND_RULES.map(({ cidr, ports }) => ({
          to: cidr === undefined ? undefined : [{ ipBlock: { cidr } }],
          ports: ports.map((each) => each.split(" ")).map(([protocol, port]) => ({ protocol, port })),
        })),
      },
    });
    if (!outboundPorts.isLiteral || outboundPorts.literal.length > 0)
      addDynamicBlock(outbound, "spec", "egress", {
        forEach: outboundPorts.text,
        content: { to: [{ ip_block: [{ cidr: ANYWHERE }] }], ports: [{ protocol: "TCP", port: "${egress.value}" }] },
      });
    this.firstId = outbound.id;
    this.ready = [outbound];
  }

  /** Metadata of an object in the namespace; a reference to it waits for the namespace. */
  metadataOf(name: string): { readonly name: string; readonly namespace: string; readonly labels: Labels | undefined } {
    return { name, namespace: this.namespaceName, labels: this.labels };
  }

  /** Adds dependencies of pods until they stop; these must be deleted after the namespace. */
  addOutlivedBy(...dependables: readonly ITerraformDependable[]): void {
    for (const each of dependables) this.outlivedBy.add(each);
    this.namespace.dependsOn = [...this.outlivedBy].map((each) => dependable(each));
  }

  /**
   * Grants an identity access to the resources of a container, for as long as the namespace exists.
   *
   * @returns dependencies of a pod with the container
   */
  grantsTo(identity: WorkloadIdentity, container: ContainerSpec): ITerraformDependable[] {
    const { dependsOn = [], image } = container;
    this.addOutlivedBy(...storesOf(identity, container));
    return [
      ...this.ready,
      ...image.ready,
      ...this.props.cluster.pullers.flatMap((each) => image.grantPull(each)),
      ...dependsOn,
    ];
  }

  /**
   * Adds a Kubernetes service account, by which pods act as an identity. Without outposts, the account has no
   * permissions in the cluster, and its token is not mounted.
   *
   * @returns name of the account; a reference to it waits for the account
   */
  addAccount(scope: Construct, name: string, identity: WorkloadIdentity, condition?: Condition): string {
    // Uses the literal name, because with a reference the grant would be deleted before the pods.
    this.grants.push(...this.props.cluster.grantActAs(identity, this.props.name, name, condition));
    const account = new ServiceAccountV1(scope, "Account", {
      metadata: { ...this.metadataOf(name), annotations: { "iam.gke.io/gcp-service-account": identity.email } },
      automountServiceAccountToken: false,
      count: countIf(condition),
    });
    return metadataName(account);
  }
}

/** Name of an object, as a reference that waits for it. */
export function metadataName(object: TerraformResource): string {
  return attributeOf(object, "metadata[0].name").text;
}

/** The beginning of a hash for names, long enough to distinguish any two edits. */
export function shortHash(sha256: string): string {
  return Fn.substr(sha256, 0, 10);
}

/**
 * Labels of a deployment in the form that Kubernetes allows: without hyphens and underscores at their ends.
 *
 * Creates only a local in the scope, for labels known only to Terraform.
 */
export function objectLabels(scope: Construct, labels: Labels | undefined): Labels | undefined {
  if (labels === undefined) return undefined;
  if (!Token.isUnresolved(labels)) {
    const trimmed = (word: string) =>
      Token.isUnresolved(word) ? Fn.trim(word, "-_") : word.replaceAll(/^[-_]+|[-_]+$/g, "");
    return Object.fromEntries(Object.entries(labels).map(([name, value]) => [trimmed(name), trimmed(value)]));
  }
  // Grouped, because two names may become the same.
  const entries = `[for name, value in ${Token.asString(labels)} : { (trim(name, "-_")) = trim(value, "-_") }]`;
  return Token.asStringMap(new TerraformLocal(scope, "Labels", expression(`merge(${entries}...)`)).expression);
}

/**
 * GKE enforces the baseline standard, against container escapes. It only warns of violations of the restricted
 * standard, because the sidecar of the bucket driver belongs to GKE and changes with its upgrades.
 */
const POD_SECURITY = {
  "pod-security.kubernetes.io/enforce": "baseline",
  "pod-security.kubernetes.io/warn": "restricted",
} as const;

/**
 * Egress that a deployment needs, to a range, or to every pod and address; other policies of the namespace add to it.
 */
const OUTBOUND_RULES: readonly { readonly cidr?: string; readonly ports: readonly string[] }[] = [
  // DNS; the resolver is a pod, an address of the node or the metadata server, depending on the release.
  { ports: ["UDP 53", "TCP 53"] },
  // Tokens, from the metadata server.
  { cidr: "169.254.169.254/32", ports: ["TCP 80"] },
  { cidr: "169.254.169.252/32", ports: ["TCP 988"] },
  // The database through its proxy, Google's APIs, and federated systems of the application.
  { cidr: ANYWHERE, ports: ["TCP 3307", "TCP 443"] },
];

const NAME_PATTERN = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";

/** Prefixes of the cluster's own namespaces. */
const RESERVED_PREFIXES = ["kube-", "gke-", "gmp-"] as const;

/** Input of the namespace. */
export const NAMESPACE = {
  /**
   * Namespace of all Kubernetes objects. Changing it later stops the service, replaces the objects and starts the
   * service again; the data stays.
   */
  namespace: text({
    default: "identity-provider",
    description: prose`
      Namespace of all objects in the cluster. Changing it later stops the service,
      replaces everything in the namespace and starts the service again; the data stays.
    `,
    must: {
      condition: (name: Expr<string>) => {
        const isReserved = anyOf(name.eq("default"), ...RESERVED_PREFIXES.map((prefix) => startsWith(name, prefix)));
        return name.matches(NAME_PATTERN).and(isReserved.not());
      },
      must: prose`
        be 1 to 63 lower-case letters, digits and hyphens that start and end with a letter or digit,
        and neither be default nor start with ${wordList(RESERVED_PREFIXES, "or")},
        because the namespace is created for this deployment,
        and these exist already; rename it
      `,
      schema: { pattern: NAME_PATTERN },
    },
  }),
};
