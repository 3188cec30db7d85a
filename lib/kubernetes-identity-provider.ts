import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { TerraformResource, TerraformStack, Token } from "cdktf";
import { type Construct } from "constructs";

import { DeletionGuard } from "./core/deletion-guard";
import { expression, numberExpression, numberText } from "./core/expression";
import { requireProps, type Rule } from "./core/rules";
import { CONTAINER_PORT, ENTRYPOINT_PATH, RESOURCES } from "./idp/contract";
import { type DatabaseDump } from "./idp/database-dump";
import { DbInit } from "./idp/db-init";
import { TEST_MAIL_COMMAND, TEST_MAIL_READER } from "./idp/smtp";
import { instanceConnections } from "./idp/worker-connections";
import { usualWorkerMaximum, WORKER_RANGE, WORKER_RESOURCES } from "./idp/worker-mode";
import { IdentityProvider } from "./identity-provider";
import { connectionsOfTier, IDENTITY_PROVIDER_RULES, type IdentityProviderProps } from "./identity-provider-props";
import { type Edge } from "./platform/edge/edge";
import { instanceCountRules, MAX_INSTANCES, MIN_INSTANCES } from "./platform/instance-rules";
import {
  AUTHORIZED_NETWORKS,
  AutopilotCluster,
  type AuthorizedNetworks,
} from "./platform/kubernetes/autopilot-cluster";
import { type Geoip, geoipRules } from "./platform/kubernetes/geoip";
import { ROLLOUT_SURGE, SERVER_CONTAINER } from "./platform/kubernetes/kubernetes-defaults";
import { KubernetesFrontDoor } from "./platform/kubernetes/kubernetes-front-door";
import { KubernetesJobs } from "./platform/kubernetes/kubernetes-jobs";
import { KubernetesWorker } from "./platform/kubernetes/kubernetes-worker";
import { KubernetesWorkload } from "./platform/kubernetes/kubernetes-workload";
import { POD_CPU, POD_MEMORY, WORKER_POD_CPU } from "./platform/kubernetes/pod-size";
import { urlMapPattern } from "./platform/kubernetes/load-balancers";
import { PublicAddress } from "./platform/kubernetes/public-address";
import { NAMESPACE_NAME, WorkloadNamespace } from "./platform/kubernetes/workload-namespace";
import { type Monitoring } from "./platform/monitoring/monitoring";
import { monitoringRules } from "./platform/monitoring/monitoring-settings";
import { ClusterNetwork } from "./platform/network/cluster-network";
import { connectionsOfWorkers, needsSeparate, workerCountOf } from "./worker-props";

export interface KubernetesIdentityProviderProps extends IdentityProviderProps {
  /**
   * CIDR ranges that may reach the control plane, by name; include that of the machine that applies.
   *
   * @default - any source address; sign-in is still required
   */
  readonly authorizedNetworks?: AuthorizedNetworks;

  /**
   * Databases that tell the application where a client's address is, from an account at MaxMind, kept up to date beside
   * it. Whoever applies must be allowed to read the secret with the licence key.
   *
   * @default - those of the image, which are as old as its release
   */
  readonly geoip?: Geoip;

  /**
   * Namespace of all Kubernetes objects. Changing it later stops the service, replaces the objects and starts the
   * service again; the data stays.
   *
   * @default "identity-provider"
   */
  readonly namespace?: string;

  /**
   * Maximum number of separate workers, plus one during a rollout.
   *
   * @default - one more than `workerCount`
   */
  readonly workerMaxCount?: number;
}

export const DEFAULT_NAMESPACE = "identity-provider";

/**
 * The identity provider on GKE Autopilot, cluster included, from an empty project in one apply.
 *
 * Database, cluster, load balancer, NAT and the minimum number of pods are always billed. The stack must configure the
 * google provider; the kubernetes provider is configured here. The machine that applies needs `sh`, `curl` and `jq`.
 */
export class KubernetesIdentityProvider extends IdentityProvider {
  readonly clusterNetwork: ClusterNetwork;

  readonly cluster: AutopilotCluster;

  /** Provider for further Kubernetes resources of the stack. */
  readonly provider: KubernetesProvider;

  readonly namespace: WorkloadNamespace;

  readonly initialization: DbInit;

  /** Address that clients connect to. */
  readonly address: PublicAddress;

  readonly edge: Edge | undefined;

  readonly loadBalancerAddress: string;

  readonly workload: KubernetesWorkload;

  readonly worker: KubernetesWorker | undefined;

  readonly frontDoor: KubernetesFrontDoor;

  readonly restoreSettings: string;

  readonly testMailCommand: string | undefined;

  readonly url: string;

  readonly monitoring: Monitoring;

  readonly dump: DatabaseDump | undefined;

  constructor(scope: Construct, id: string, props: KubernetesIdentityProviderProps) {
    requireProps(`${scope.node.path}/${id}`, props, { projectId: true, tenantId: true }, RULES);
    super(scope, id, props, {
      apis: ["compute", "container", "iamcredentials"],
      certificateValidation: "load-balancer",
    });
    const { apis, database, initializer, place, runtime } = this;
    const { deletionProtection = true } = props;

    // If another deployment has the names, the apply fails at the secrets, before anything is billed.
    const networkReady = [...apis.ready("compute"), ...database.password.ready];
    this.clusterNetwork = new ClusterNetwork(this, "Network", {
      place,
      existing: props.network,
      dependsOn: networkReady,
    });
    this.cluster = new AutopilotCluster(this, "Cluster", {
      place,
      network: this.clusterNetwork,
      authorizedNetworks: props.authorizedNetworks,
      deletionProtection,
      dependsOn: [...networkReady, ...apis.ready("container", "iam")],
    });
    this.provider = new KubernetesProvider(this, "kubernetes", {
      ...this.cluster.connection,
      alias: this.isFirstInStack() ? undefined : this.node.path.replaceAll(/[^A-Za-z0-9]+/g, "_").toLowerCase(),
    });

    this.namespace = new WorkloadNamespace(this, "Namespace", {
      place,
      cluster: this.cluster,
      name: props.namespace ?? DEFAULT_NAMESPACE,
      outboundPorts: this.mail.ports,
      // The metadata server needs it to issue the pods' tokens.
      outlivedBy: apis.ready("iamcredentials"),
    });
    this.initialization = new DbInit(this, "DbInit", {
      database,
      runner: new KubernetesJobs({ place, namespace: this.namespace, identity: initializer }),
      // At the first apply, the backup finds no database; the job is about to create it.
      dependsOn: this.upgradeBackup.ready,
    });
    this.restoreSettings = this.recoveryScripts(this.initialization, { namespace: this.namespace.namespaceName });
    this.address = new PublicAddress(this, "Address", { place, domain: props.domain, dependsOn: networkReady });
    this.loadBalancerAddress = this.address.address;
    const { domain } = props;
    if (domain !== undefined) this.edge = this.edgeOf(domain, this.address.ipAddress, database.password.ready);
    const container = this.container(this.initialization);
    this.workload = new KubernetesWorkload(this, "Workload", {
      place,
      address: this.address,
      namespace: this.namespace,
      identity: runtime,
      container,
      geoip: props.geoip,
      minInstanceCount: props.minInstanceCount,
      maxInstanceCount: props.maxInstanceCount,
    });
    if (this.hasSeparateWorker !== "false") {
      this.worker = new KubernetesWorker(this, "Worker", {
        place,
        condition: this.hasSeparateWorker,
        container: this.workerContainer(container),
        identity: runtime,
        minInstanceCount: workerCountOf(props),
        maxInstanceCount: workerMaxCountOf(props),
        namespace: this.namespace,
        server: this.workload,
      });
    }
    this.frontDoor = new KubernetesFrontDoor(this, "FrontDoor", {
      place,
      namespace: this.namespace,
      workload: this.workload,
      address: this.address,
      port: CONTAINER_PORT,
      requestLogSampleRate: props.requestLogSampleRate,
      requestTimeoutSeconds: props.requestTimeoutSeconds,
      ...(this.edge && {
        certificateMapId: expression(this.edge.certificate.mapId),
        securityPolicyId: this.edge.securityPolicy.policyId,
        outlivedBy: [...this.edge.certificate.ready, ...this.edge.securityPolicy.ready],
      }),
      // Created while the server starts, but not before its database is prepared.
      dependsOn: this.initialization.ready,
    });
    this.testMailCommand = this.ifMail(
      `kubectl exec deployment/${this.workload.workloadName} --container=${SERVER_CONTAINER} --namespace=${this.namespace.namespaceName} -- ${ENTRYPOINT_PATH} ${TEST_MAIL_COMMAND} ${TEST_MAIL_READER}`,
    );
    this.url = this.frontDoor.url;
    this.dump = this.dumpOf(
      (identity) => new KubernetesJobs({ place, namespace: this.namespace, identity }),
      this.workload.ready,
    );
    this.monitoring = this.monitoringOf(
      {
        namespace: this.namespace.namespaceName,
        platform: "kubernetes",
        url: this.url,
        urlMap: urlMapPattern(props.namespace ?? DEFAULT_NAMESPACE),
      },
      this.dump,
    );

    new DeletionGuard(this, "DeletionGuard", {
      protect: deletionProtection,
      remains: this.database.backupsAfterDestroy,
      dependsOn: [
        ...this.workload.ready,
        ...(this.worker?.ready ?? []),
        ...this.frontDoor.ready,
        ...(this.edge?.ready ?? []),
        ...this.monitoring.ready,
        ...(this.dump?.ready ?? []),
      ],
    });
    this.useOwnProvider();
  }

  private isFirstInStack(): boolean {
    return !TerraformStack.of(this)
      .node.findAll()
      .some((construct) => construct instanceof KubernetesProvider);
  }

  /** A second cluster in a stack has an aliased provider, which resources do not use by default. */
  private useOwnProvider(): void {
    if (this.provider.alias === undefined) return;
    for (const construct of this.node.findAll()) {
      if (
        TerraformResource.isTerraformResource(construct) &&
        construct.terraformResourceType.startsWith("kubernetes_")
      ) {
        construct.provider = this.provider;
      }
    }
  }
}

/** Most separate workers, but for one more during a rollout. */
function workerMaxCountOf(props: KubernetesIdentityProviderProps): number {
  const usual = usualWorkerMaximum(workerCountOf(props));
  const { workerMaxCount: given = usual } = props;
  if (props.workerMaxCount === undefined || !Token.isUnresolved(given)) return given;
  return numberExpression(`coalesce(${numberText(given)}, ${numberText(usual)})`);
}

/** Pods while a rollout replaces them one at a time. */
function rolledOut(count: number): number {
  return Token.isUnresolved(count) ? count : count + ROLLOUT_SURGE;
}

type Props = KubernetesIdentityProviderProps;

const RULES: readonly Rule<Props>[] = [
  ...IDENTITY_PROVIDER_RULES,
  ...monitoringRules<Props>(() => "kubernetes"),
  AUTHORIZED_NETWORKS.ruleOn("authorizedNetworks", ({ authorizedNetworks }) => authorizedNetworks),
  ...geoipRules<Props>(({ geoip }) => geoip),
  NAMESPACE_NAME.ruleOn("namespace", ({ namespace }) => namespace),
  POD_CPU.ruleOn("containerCpu", ({ containerCpu }) => containerCpu),
  POD_MEMORY.ruleOn({
    cpu: ["containerCpu", ({ containerCpu = RESOURCES.cpu }) => containerCpu],
    memory: ["containerMemory", ({ containerMemory = RESOURCES.memory }) => containerMemory],
  }),
  MAX_INSTANCES.ruleOn("workerMaxCount", ({ workerMaxCount }) => workerMaxCount),
  needsSeparate("workerMaxCount", ({ workerMaxCount }) => workerMaxCount),
  WORKER_RANGE.ruleOn({
    workerCount: ["workerCount", workerCountOf],
    workerMaxCount: ["workerMaxCount", workerMaxCountOf],
  }),
  WORKER_POD_CPU.ruleOn("workerCpu", ({ workerCpu }) => workerCpu),
  POD_MEMORY.ruleOn({
    cpu: ["workerCpu", ({ workerCpu = WORKER_RESOURCES.cpu }) => workerCpu],
    memory: ["workerMemory", ({ workerMemory = WORKER_RESOURCES.memory }) => workerMemory],
  }),
  ...instanceCountRules<Props>(MIN_INSTANCES, ROLLOUT_SURGE, {
    maxConnections: ["databaseTier", connectionsOfTier],
    perInstance: instanceConnections,
    ofWorkers: (props) => connectionsOfWorkers(props, rolledOut(workerMaxCountOf(props))),
  }),
];
