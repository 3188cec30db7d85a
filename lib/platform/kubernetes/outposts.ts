import { ConfigMapV1 } from "@cdktf/provider-kubernetes/lib/config-map-v1";
import { NamespaceV1 } from "@cdktf/provider-kubernetes/lib/namespace-v1";
import { NetworkPolicyV1 } from "@cdktf/provider-kubernetes/lib/network-policy-v1";
import { PodDisruptionBudgetV1 } from "@cdktf/provider-kubernetes/lib/pod-disruption-budget-v1";
import { ResourceQuotaV1 } from "@cdktf/provider-kubernetes/lib/resource-quota-v1";
import { RoleBindingV1 } from "@cdktf/provider-kubernetes/lib/role-binding-v1";
import { RoleV1 } from "@cdktf/provider-kubernetes/lib/role-v1";
import { ServiceV1 } from "@cdktf/provider-kubernetes/lib/service-v1";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addressIn, isAddressRange } from "../../core/address-range";
import { type DeploymentContext } from "../../core/deployment-context";
import { addDynamicBlock } from "../../core/expr/blocks";
import { allOf, type Condition, countIf, listIf } from "../../core/expr/conditions";
import { type Expr, hcl, interpolated } from "../../core/expr/expr";
import { intersection } from "../../core/expr/functions";
import { explain } from "../../core/hcl/stack-origin";
import { object, type PropsOf, texts } from "../../core/inputs/rows";
import { type ValuesOf } from "../../core/inputs/value";
import { type WarningRelation } from "../../core/inputs/warnings";
import { labelsWith } from "../../core/labels";
import { objectName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { prose } from "../../core/prose";
import { type BLUEPRINTS } from "../../idp/blueprints";
import { CONTAINER_PORT, OUTPOSTS as FACTS } from "../../idp/contract";
import { OUTPOST_IMAGES, referenceTo } from "../../idp/images";
import { type AutopilotCluster } from "./autopilot-cluster";
import { IS_PRIVATE, PRIVATE_RANGES } from "./control-plane";
import { SERVER_CONTAINER } from "./kubernetes-workload";
import { partLabels, type PodExtension } from "./pod-template";
import { metadataName, type WorkloadNamespace } from "./workload-namespace";

/** A name has at most 63 characters. */
const namespaceOf = (name: string) => interpolated`${hcl`substr(${name}, 0, 54)`}-outposts`.text;

/** Inputs of outposts that the application runs itself. */
export const OUTPOSTS = {
  /**
   * Lets the application run outposts in a separate namespace. Every administrator of the application can then run any
   * container there.
   */
  outposts: object(
    {
      /**
       * IPv4 ranges that may connect to outposts, only private ones; all private ranges by default. An empty list
       * blocks all clients.
       */
      ranges: texts({
        default: Object.values(PRIVATE_RANGES),
        description: "private IPv4 ranges that may connect to outposts",
        must: {
          each: (_, range: Expr<string>) => {
            const ends = [addressIn(range, 0), addressIn(range, -1)];
            return isAddressRange(range).and(...ends.map((end) => end.matches(IS_PRIVATE)));
          },
          shows: "value",
          message: prose`
            each must be a private IPv4 range that is written with its first address,
            because an outpost is not for the Internet; use for example 10.0.0.0/8
          `,
        },
      }),
    },
    {
      description: (members) =>
        prose`
          Lets the application run its outposts, for LDAP, RADIUS and proxies,
          in the namespace <namespace>-outposts; {} is enough. Anyone who administers the application can then run
          any container there. ${members} [[Null for none, which deletes them.]]
          Setting it later rolls out new instances.
        `,
    },
  ),
};

/** Outposts that the application runs. */
export interface OutpostProps extends PropsOf<(typeof OUTPOSTS)["outposts"]["members"]> {}

export const OUTPOST_WARNINGS: readonly WarningRelation<typeof OUTPOSTS & typeof BLUEPRINTS>[] = [
  {
    localId: "OutpostsRun",
    holds: (v) => v.outposts.isSet().or(intersection(v.blueprints, ["ldap", "radius"]).length().eq(0)),
    message: ({ blueprints, outposts }) =>
      prose`
        ${blueprints.name} has "ldap" or "radius" and ${outposts.name} is not set;
        nothing runs their outposts, and the check-up reports them;
        set ${outposts.name} to {} and apply the blueprint again in the application, or run them elsewhere
      `,
  },
];

interface OutpostsProps {
  readonly cluster: Pick<AutopilotCluster, "ready">;
  /** Prefix from which the images of outposts are pulled, if any. */
  readonly imageMirror: string | undefined;
  readonly inputs: ValuesOf<typeof OUTPOSTS>;
  readonly namespace: WorkloadNamespace;
  readonly context: DeploymentContext;
}

/**
 * The namespace in which the application runs its outposts, and the application's rights there; it has no other rights
 * in the cluster. Objects that the application creates are not in the state, and are deleted with the namespace.
 *
 * Pods in the namespace have no rights in the project, can connect only to the server and DNS, and accept connections
 * only from private ranges.
 */
export class Outposts extends Construct {
  /** Dependencies of outposts. */
  readonly ready: ITerraformDependable[];

  /** Variables of the application; null at plan if it runs no outposts. */
  readonly variables: Readonly<Record<string, string>>;

  /** Metadata of objects in the server's namespace. */
  private readonly serverMetadata: ObjectMetadata;

  /** Metadata of objects in the namespace of the outposts. */
  private readonly outpostMetadata: ObjectMetadata;

  /** File with the namespace for new outposts, which the application reads. */
  private readonly file: ConfigMapV1;

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: OutpostsProps,
  ) {
    super(scope, id);
    const { context, imageMirror, inputs, namespace } = props;
    this.serverMetadata = namespace.metadataOf(objectName(context.deployment, "outposts"));
    this.outpostMetadata = { ...this.serverMetadata, namespace: metadataName(this.addNamespace()) };
    this.addLimits();
    const binding = this.addRights();
    this.file = this.addFile();
    const service = this.addServerService();
    const serverPolicy = this.addServerPolicy();
    this.ready = [binding, service, serverPolicy, this.addOutpostPolicy()];
    const ifManaged = (value: string) => inputs.outposts.isSet().choose<string, null>(value, null).text;
    this.variables = {
      [FACTS.hostVariable]: ifManaged(`http://${this.serverMetadata.name}.${namespace.namespaceName}.svc`),
      [FACTS.imageVariable]: ifManaged(referenceTo(OUTPOST_IMAGES, imageMirror)),
    };
  }

  /**
   * Mounts for the container with the worker: a token of the account that has the role, and the file with the namespace
   * for new outposts.
   *
   * @param isHere whether this container runs the worker
   */
  mountIf(isHere: Condition): PodExtension {
    const projected = (name: string, key: string) => ({ config_map: [{ name, items: [{ key, path: key }] }] });
    const sources = [
      { service_account_token: [{ path: "token", expiration_seconds: 3600 }] },
      projected("kube-root-ca.crt", "ca.crt"),
      projected(metadataName(this.file), NAMESPACE_FILE),
    ];
    const forEach = listIf(allOf(this.props.inputs.outposts.isSet(), isHere), 1);
    return {
      volume: { forEach, content: { name: VOLUME, projected: [{ sources }] } },
      mount: { forEach, content: { name: VOLUME, mount_path: FACTS.tokenFolder, read_only: true } },
    };
  }

  private get count() {
    return countIf(this.props.inputs.outposts.isSet());
  }

  /** Labels of the pods of the server. */
  private get serverLabels() {
    return { ...partLabels(this.props.context, SERVER_CONTAINER) };
  }

  private addNamespace(): NamespaceV1 {
    const { cluster, namespace } = this.props;
    const outpostNamespace = new NamespaceV1(this, MAIN_CHILD_ID, {
      metadata: {
        name: namespaceOf(namespace.namespaceName),
        labels: labelsWith(namespace.labels, { "pod-security.kubernetes.io/enforce": "restricted" }),
      },
      // Deleting the namespace includes the load balancers of its services.
      timeouts: { delete: "20m" },
      count: this.count,
      dependsOn: [...cluster.ready],
    });
    explain(outpostNamespace, "What the application makes in it is not in the state, and goes with it.");
    return outpostNamespace;
  }

  /** Quota of the namespace, and the budget for disruptions of its pods. */
  private addLimits(): void {
    const { count, outpostMetadata: metadata } = this;
    new ResourceQuotaV1(this, "Quota", { metadata, spec: { hard: { ...QUOTA } }, count });
    new PodDisruptionBudgetV1(this, "DisruptionBudget", {
      metadata,
      spec: { maxUnavailable: "1", selector: { matchLabels: { ...FACTS.podLabels } } },
      count,
    });
  }

  /** Rights of the application in the namespace. */
  private addRights(): RoleBindingV1 {
    const { count, props, outpostMetadata: metadata } = this;
    const { context, namespace } = props;
    const role = new RoleV1(this, "Role", {
      metadata,
      rule: RULES.map((rule) => ({ ...rule, verbs: [...VERBS] })),
      count,
    });
    return new RoleBindingV1(this, "RoleBinding", {
      metadata,
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: metadataName(role) },
      subject: [{ kind: "ServiceAccount", name: objectName(context.deployment), namespace: namespace.namespaceName }],
      count,
    });
  }

  private addFile(): ConfigMapV1 {
    const { serverMetadata: metadata, count, outpostMetadata } = this;
    return new ConfigMapV1(this, "File", { metadata, data: { [NAMESPACE_FILE]: outpostMetadata.namespace }, count });
  }

  private addServerService(): ServiceV1 {
    const { serverMetadata: metadata, count, serverLabels: selector } = this;
    return new ServiceV1(this, "Server", {
      metadata,
      spec: {
        type: "ClusterIP",
        selector,
        port: [{ name: "http", protocol: "TCP", port: 80, targetPort: SERVER_PORT }],
      },
      count,
    });
  }

  /** Lets outposts reach the server. */
  private addServerPolicy(): NetworkPolicyV1 {
    const { serverMetadata: metadata, count, serverLabels: matchLabels, outpostMetadata } = this;
    return new NetworkPolicyV1(this, "ToServer", {
      metadata,
      spec: {
        podSelector: { matchLabels },
        policyTypes: ["Ingress"],
        ingress: [
          { from: [{ namespaceSelector: namespaceNamed(outpostMetadata.namespace) }], ports: [...SERVER_PORTS] },
        ],
      },
      count,
    });
  }

  /** Lets outposts accept connections from private ranges, and connect only to the server and DNS. */
  private addOutpostPolicy(): NetworkPolicyV1 {
    const { count, props, serverLabels: matchLabels, outpostMetadata: metadata } = this;
    const { ranges } = props.inputs.outposts.at;
    const { namespaceName } = props.namespace;
    const policy = new NetworkPolicyV1(this, "Policy", {
      metadata,
      spec: {
        podSelector: {},
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ ports: FACTS.ports.map(([protocol, each]) => ({ protocol, port: String(each) })) }],
        egress: [
          { ports: ["UDP", "TCP"].map((protocol) => ({ protocol, port: "53" })) },
          {
            to: [{ namespaceSelector: namespaceNamed(namespaceName), podSelector: { matchLabels } }],
            ports: [...SERVER_PORTS],
          },
        ],
      },
      count,
    });
    addDynamicBlock(policy, "spec.ingress.0", "from", {
      // A rule without a source would allow all sources.
      forEach: ranges.length().gt(0).choose<readonly string[]>(ranges, ["127.0.0.1/32"]).list,
      content: { ip_block: { cidr: "${from.value}" } },
    });
    return policy;
  }
}

const namespaceNamed = (name: string) => ({ matchLabels: { "kubernetes.io/metadata.name": name } });

const SERVER_PORT = String(CONTAINER_PORT);
const SERVER_PORTS = [{ protocol: "TCP", port: SERVER_PORT }] as const;

type ObjectMetadata = ReturnType<WorkloadNamespace["metadataOf"]>;

const VOLUME = "outposts";
const NAMESPACE_FILE = "namespace";

/** Verbs of the application's controller (`authentik/outposts/controllers/k8s`), which neither lists nor watches. */
const VERBS = ["get", "create", "patch", "delete"] as const;
const RULES = [
  { apiGroups: [""], resources: ["secrets", "services"] },
  { apiGroups: ["apps"], resources: ["deployments"] },
];

/** More than a directory, RADIUS and some proxies need. */
const QUOTA = { pods: "20", "services.loadbalancers": "5" } as const;
