import { NamespaceV1 } from "@cdktf/provider-kubernetes/lib/namespace-v1";
import { NetworkPolicyV1 } from "@cdktf/provider-kubernetes/lib/network-policy-v1";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { objectName, type DeploymentName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { requireProvider } from "../../core/provider-requirements";
import { ifKnown, requireAll, requireProps, type Rule } from "../../core/rules";
import { NAMESPACE_DELETION_TIMEOUT } from "./contract";
import { isNamespace, NAMESPACE_RULE } from "./namespace-name";
import { OUTBOUND_RULES } from "./outbound-rules";

export interface WorkloadNamespaceProps {
  /** What the names are made of. */
  readonly deployment: DeploymentName;

  /** Name of the namespace. Changing it later replaces everything in it. */
  readonly name: string;

  /**
   * What the pods rely on until their last moment: cluster, database, bucket, grants. Only the end of the namespace waits
   * for the end of its pods, so whatever they need must be deleted after it.
   */
  readonly outlivedBy: ITerraformDependable[];
}

/**
 * The namespace of a deployment, in which nobody reaches a pod and pods reach only what they need, unless a further policy
 * says otherwise.
 */
export class WorkloadNamespace extends Construct {
  /** Name; using it means waiting for the namespace. */
  readonly namespaceName: string;

  /** What must exist before a pod should start. */
  readonly ready: ITerraformDependable[];

  constructor(scope: Construct, id: string, props: WorkloadNamespaceProps) {
    super(scope, id);
    requireProps(this.node.path, props, { deployment: true, name: true, outlivedBy: true });
    requireAll(this, props, RULES);
    requireProvider(this, "kubernetes");
    const { deployment, name, outlivedBy } = props;

    const namespace = new NamespaceV1(this, MAIN_CHILD_ID, {
      metadata: { name, labels: POD_SECURITY },
      timeouts: { delete: NAMESPACE_DELETION_TIMEOUT },
      dependsOn: outlivedBy,
    });
    this.namespaceName = namespace.metadata.name;

    const outbound = new NetworkPolicyV1(this, "Outbound", {
      metadata: { name: objectName(deployment, "outbound"), namespace: this.namespaceName },
      spec: {
        // Every pod of the namespace.
        podSelector: {},
        policyTypes: ["Ingress", "Egress"],
        egress: OUTBOUND_RULES.map(({ cidr, ports }) => ({
          to: cidr === undefined ? undefined : [{ ipBlock: { cidr } }],
          ports: ports.map(([protocol, port]) => ({ protocol, port: String(port) })),
        })),
      },
    });
    this.ready = [outbound];
  }
}

/**
 * The platform refuses what would break out of a container, and warns of everything that the strictest standard forbids:
 * the helper of the bucket driver is the platform's own and comes with its upgrades.
 */
const POD_SECURITY = {
  "pod-security.kubernetes.io/enforce": "baseline",
  "pod-security.kubernetes.io/warn": "restricted",
} as const;

const RULES: readonly Rule<WorkloadNamespaceProps>[] = [
  {
    holds: ({ name }) => ifKnown(name, isNamespace),
    message: ({ name }) => `name is "${name}"; ${NAMESPACE_RULE}`,
  },
];
