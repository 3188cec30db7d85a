import { NamespaceV1 } from "@cdktf/provider-kubernetes/lib/namespace-v1";
import { NetworkPolicyV1 } from "@cdktf/provider-kubernetes/lib/network-policy-v1";
import { dependable as addressOf, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addDynamicBlock } from "../../core/conditional";
import { type Labels, labelsWith } from "../../core/labels";
import { text } from "../../core/inputs";
import { objectName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ContainerSpec } from "../../idp/container-spec";
import { type Cluster, type WorkloadIdentity } from "../parts";
import { objectLabels } from "./object-metadata";
import { ANYWHERE, NAMESPACE_DELETION_TIMEOUT, PROXIED_DATABASE_PORT } from "./kubernetes-defaults";

export interface WorkloadNamespaceProps {
  /** Cluster that the namespace is in. */
  readonly cluster: Cluster;

  /** Name of the namespace. Changing it later replaces everything in it. */
  readonly name: string;

  /** Determines the names. */
  readonly place: DeploymentContext;

  /**
   * What the pods need until they stop, in addition to the cluster. Only the deletion of the namespace waits for pods
   * to stop, so whatever they need must be deleted after it. Default: only what workloads and jobs add.
   */
  readonly outlivedBy?: ITerraformDependable[];

  /**
   * Further TCP ports that pods may connect to, at any address: a list, or a Terraform expression of one. Default:
   * none.
   */
  readonly outboundPorts?: readonly number[] | string;
}

/**
 * The namespace of a deployment. Pods have no ingress, and egress only to what they need, unless another network policy
 * allows more.
 */
export class WorkloadNamespace extends Construct {
  /** Name; a reference to it waits for the namespace. */
  readonly namespaceName: string;

  /** Cluster that the namespace is in. */
  readonly cluster: Cluster;

  /** What must exist before a pod should start. */
  readonly ready: ITerraformDependable[];

  /** The namespace itself, for overrides. */
  readonly namespace: NamespaceV1;

  /** Labels of the deployment, for every object in the namespace; undefined without any. */
  readonly labels: Labels | undefined;

  /**
   * Grants to the accounts of the pods. No object of the cluster may depend on them: they depend on the cluster, so the
   * removal of an object would have to precede an update of the cluster, from which its provider is configured. Pods wait
   * for them, as they do for every new grant to take effect.
   */
  readonly grants: ITerraformDependable[] = [];

  private readonly outlivedBy = new Set<ITerraformDependable>();

  constructor(
    scope: Construct,
    id: string,
    private readonly props: WorkloadNamespaceProps,
  ) {
    super(scope, id);
    const { cluster, name, outboundPorts = [], place } = props;

    this.labels = objectLabels(this, place.labels);
    this.namespace = new NamespaceV1(this, MAIN_CHILD_ID, {
      metadata: { name, labels: labelsWith(this.labels, POD_SECURITY) },
      timeouts: { delete: NAMESPACE_DELETION_TIMEOUT },
    });
    this.addOutlivedBy(...cluster.ready, ...(props.outlivedBy ?? []));
    this.cluster = cluster;
    this.namespaceName = this.namespace.metadata.name;

    const outbound = new NetworkPolicyV1(this, "Outbound", {
      metadata: this.metadataOf(objectName(place.deployment, "outbound")),
      spec: {
        // Every pod of the namespace.
        podSelector: {},
        policyTypes: ["Ingress", "Egress"],
        egress: [...OUTBOUND_RULES, ...furtherRules(outboundPorts)].map(({ cidr, ports }) => ({
          to: cidr === undefined ? undefined : [{ ipBlock: { cidr } }],
          ports: ports.map(([protocol, port]) => ({ protocol, port: String(port) })),
        })),
      },
    });
    if (typeof outboundPorts === "string") {
      addDynamicBlock(outbound, "spec", "egress", {
        forEach: outboundPorts,
        content: { to: [{ ip_block: [{ cidr: ANYWHERE }] }], ports: [{ protocol: "TCP", port: "${egress.value}" }] },
      });
    }
    this.ready = [outbound];
  }

  /** Metadata of an object in the namespace; a reference to it waits for the namespace. */
  metadataOf(name: string): { readonly name: string; readonly namespace: string; readonly labels: Labels | undefined } {
    return { name, namespace: this.namespaceName, labels: this.labels };
  }

  /** Adds what pods need until they stop, and so must be deleted after the namespace. */
  addOutlivedBy(...dependables: readonly ITerraformDependable[]): void {
    for (const dependable of dependables) this.outlivedBy.add(dependable);
    this.namespace.dependsOn = [...this.outlivedBy].map((dependable) => addressOf(dependable));
  }

  /**
   * Grants an identity access to what a container uses, for as long as the namespace exists.
   *
   * @returns what must exist before a pod with the container starts
   */
  grantsTo(identity: WorkloadIdentity, container: ContainerSpec): ITerraformDependable[] {
    const { database, dependsOn = [], image, mounts = [] } = container;
    this.addOutlivedBy(
      ...mounts.flatMap((store) => [...store.ready, ...store.grantReadWrite(identity)]),
      ...(database === undefined ? [] : [...database.instance.ready, ...database.instance.grantConnect(identity)]),
    );
    return [...this.ready, ...image.ready, ...image.grantPull(this.cluster.nodes), ...dependsOn];
  }

  /** Allows the pods of one Kubernetes service account to act as an identity. */
  grantActAs(identity: WorkloadIdentity, accountName: string): void {
    // By its literal name: a reference would delete the grant before the pods.
    this.grants.push(...this.cluster.grantActAs(identity, this.props.name, accountName));
  }
}

/**
 * GKE enforces the baseline standard, against container escapes, and only warns of violations of the restricted one:
 * the sidecar of the bucket driver belongs to GKE and changes with its upgrades.
 */
const POD_SECURITY = {
  "pod-security.kubernetes.io/enforce": "baseline",
  "pod-security.kubernetes.io/warn": "restricted",
} as const;

/** Allowed egress: a range, or every pod and address if there is none, and its ports. */
interface OutboundRule {
  readonly cidr?: string;
  readonly ports: readonly (readonly [protocol: "TCP" | "UDP", port: number])[];
}

/** Egress that a deployment needs; other policies of the namespace add to it. */
const OUTBOUND_RULES: readonly OutboundRule[] = [
  // DNS; the resolver is a pod, an address of the node or the metadata server, depending on the release.
  {
    ports: [
      ["UDP", 53],
      ["TCP", 53],
    ],
  },
  // Tokens, from the metadata server.
  { cidr: "169.254.169.254/32", ports: [["TCP", 80]] },
  { cidr: "169.254.169.252/32", ports: [["TCP", 988]] },
  // The database, Google's APIs, and whatever the application federates with.
  {
    cidr: ANYWHERE,
    ports: [
      ["TCP", PROXIED_DATABASE_PORT],
      ["TCP", 443],
    ],
  },
];

/** A rule for each port that is known at synth. */
function furtherRules(ports: readonly number[] | string): readonly OutboundRule[] {
  return typeof ports === "string" ? [] : ports.map((port) => ({ cidr: ANYWHERE, ports: [["TCP", port]] }));
}

const NAME_PATTERN = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";

/** Prefixes of the cluster's own namespaces. */
const RESERVED_PREFIXES = ["kube-", "gke-", "gmp-"] as const;

/** Input of the namespace. */
export const NAMESPACE = {
  /**
   * Namespace of all Kubernetes objects. Changing it later stops the service, replaces the objects and starts the service
   * again; the data stays.
   */
  namespace: text({
    default: "identity-provider",
    description:
      "Namespace of all objects in the cluster. Changing it later stops the service, replaces everything in the namespace and starts the service again; the data stays.",
    must: [
      {
        accepts: (name: string) =>
          new RegExp(NAME_PATTERN).test(name) &&
          name !== "default" &&
          !RESERVED_PREFIXES.some((prefix) => name.startsWith(prefix)),
        condition: (name) =>
          [
            `can(regex("${NAME_PATTERN}", ${name}))`,
            ...RESERVED_PREFIXES.map((prefix) => `!startswith(${name}, "${prefix}")`),
            `${name} != "default"`,
          ].join(" && "),
        must: `be 1 to 63 lower-case letters, digits and hyphens that start and end with a letter or digit, and neither be default nor start with ${RESERVED_PREFIXES.slice(0, -1).join(", ")} or ${RESERVED_PREFIXES.slice(-1).join("")}, because the namespace is created for this deployment, and these exist already; rename it`,
        schema: { pattern: NAME_PATTERN },
      },
    ],
  }),
};
