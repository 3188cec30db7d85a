import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { type ITerraformDependable, TerraformResource, TerraformStack } from "cdktf";
import { type Construct } from "constructs";

import {
  COMMON_RELATIONS,
  COMMON_WARNINGS,
  type CommonInputs,
  commonInputs,
  type CommonObjects,
  type VariantProps,
} from "./common-inputs";
import { existingOr, isExisting, isMade } from "./core/existing";
import { not, partIf, readyOf } from "./core/expr/conditions";
import { allOf, type Expr } from "./core/expr/expr";
import { named } from "./core/expr/locals";
import { needs } from "./core/inputs/needs";
import { type Relation } from "./core/inputs/relations";
import { number, type PropsOf } from "./core/inputs/rows";
import { type SettingsOf, settingsOf, type ValuesOf } from "./core/inputs/value";
import { type WarningItems, type WarningRelation } from "./core/inputs/warnings";
import { prose } from "./core/prose";
import { rightsOf } from "./existing-parts";
import { IdentityProvider, variantOf } from "./identity-provider";
import { type CheckUp } from "./idp/check-up";
import { poolVariables } from "./idp/connection-pool";
import { type ContainerSpec } from "./idp/container-spec";
import { ENTRYPOINT_PATH, REQUESTS_PER_INSTANCE, RESOURCES } from "./idp/contract";
import { DbInit } from "./idp/db-init";
import { type DatabaseDump } from "./idp/dumps";
import { type EventRetention } from "./idp/event-retention";
import { ifMail, mailPorts, TEST_MAIL_COMMAND, TEST_MAIL_READER } from "./idp/mail";
import { type RecoveryAccess } from "./idp/recovery-access";
import { addRecoveryScripts } from "./idp/recovery-scripts";
import { type SignInProbe } from "./idp/sign-in-probe";
import {
  isSeparate,
  separateWorkerMessage,
  WORKER_DEFAULTS,
  workerContainer,
  workerCount,
  workerInputs,
  type WorkerInputsWith,
  workerRelations,
} from "./idp/worker";
import { certificateWarning, domainInputs, uselessWithoutDomain } from "./platform/domain/domain";
import { type DomainSetup } from "./platform/domain/domain-setup";
import { Ipv6Address } from "./platform/domain/ipv6";
import { protectionInputs, requestLogRate } from "./platform/domain/protection";
import { type ServiceIdentity } from "./platform/identity/service-identity";
import {
  type ConnectionDemand,
  DEFAULT_REQUEST_TIMEOUT_SECONDS,
  instanceInputs,
  instanceRelations,
  poolSizes,
} from "./platform/instances";
import { AutopilotCluster, NODES_PURPOSE } from "./platform/kubernetes/autopilot-cluster";
import { type ClusterHardening, CONTROL_PLANE, CONTROL_PLANE_RELATIONS } from "./platform/kubernetes/control-plane";
import {
  type ClusterAttributes,
  EXISTING_CLUSTER,
  guardCluster,
  type NamespaceAttributes,
} from "./platform/kubernetes/existing-cluster";
import { EXISTING_CLUSTER_RELATIONS } from "./platform/kubernetes/existing-cluster-relations";
import { GEOIP, type GeoipProps } from "./platform/kubernetes/geoip";
import { KubernetesJobs } from "./platform/kubernetes/kubernetes-jobs";
import { ClusterLoadBalancer, urlMapPattern } from "./platform/kubernetes/kubernetes-load-balancer";
import {
  KubernetesWorker,
  KubernetesWorkload,
  ROLLOUT_SURGE,
  SERVER_CONTAINER,
} from "./platform/kubernetes/kubernetes-workload";
import { OUTPOST_WARNINGS, type OutpostProps, OUTPOSTS, Outposts } from "./platform/kubernetes/outposts";
import { podSize } from "./platform/kubernetes/pod-template";
import { PublicAddress } from "./platform/kubernetes/public-address";
import { NAMESPACE, WorkloadNamespace } from "./platform/kubernetes/workload-namespace";
import { CLUSTER_MAINTENANCE_RELATIONS } from "./platform/maintenance";
import { type AuditLog } from "./platform/monitoring/audit-log";
import { type Monitoring } from "./platform/monitoring/monitoring";
import { CLUSTER_MONITORING_RELATIONS, monitoringInputs } from "./platform/monitoring/monitoring-settings";
import { ClusterNetwork } from "./platform/network/cluster-network";

const WORKER = {
  ...podSize(WORKER_DEFAULTS.cpu),
  place: "a deployment of its own",
  countMeaning: "number of separate workers that always run",
} as const;

/** Number of workers that the autoscaler may add. */
const EXTRA_WORKERS = 1;

const INSTANCE = {
  ...podSize(RESOURCES.cpu),
  least: 1,
  leastMeaning: "",
  rollout: {
    words: `plus ${ROLLOUT_SURGE}`,
    more: () => ROLLOUT_SURGE,
    maximumOf: (all: Expr<number>) => all.minus(ROLLOUT_SURGE),
  },
  requestTimeout: {
    limit: "Time limit of a request to the load balancer of domain",
    change: "Changing it later takes effect within minutes.",
  },
} as const;

const MAX_WORKER_COUNT_INPUT = {
  /** Maximum number of separate workers, by default one more than `count`; a rollout adds one. */
  maxCount: number({
    default: null,
    description: "maximum number of separate workers, plus 1 during a rollout[[; null for one more than count]]",
  }),
};

type ClusterWorkerInputs = WorkerInputsWith<typeof MAX_WORKER_COUNT_INPUT>;

/** Size of a worker, and number of separate workers, on GKE. */
export interface KubernetesWorkerProps extends PropsOf<ClusterWorkerInputs["worker"]["members"]> {}

export type KubernetesInputs = ClusterWorkerInputs &
  CommonInputs &
  typeof NAMESPACE &
  typeof CONTROL_PLANE &
  typeof EXISTING_CLUSTER &
  typeof GEOIP &
  typeof OUTPOSTS;

/** Inputs of the variant on GKE. */
export const KUBERNETES_INPUTS: KubernetesInputs = {
  ...commonInputs({
    runner: "cluster",
    alsoProtected: "cluster, ",
    unchangeable: "project_id, region, tenant_id, application_name, namespace, network or subnetwork",
    changedLabels: "; on objects in the cluster, without hyphens and underscores at their ends",
    network: {
      network: prose`
        for the cluster, with private services access and NAT for VMs without public addresses:
        the database gets a private address on it and no public one. [[Without a network, one is created,
        and the database has a public address that only authorized proxy connections can use.]]
        A network cannot be removed later; changing it replaces the cluster.
      `,
      subnetwork: prose`
        with room for the ranges of pods and services, which GKE adds; in the network of another project,
        they must exist, named pods and services. A change replaces the cluster.
      `,
      tagged: "the nodes of the cluster",
    },
  }),
  ...instanceInputs(INSTANCE),
  ...workerInputs(WORKER, MAX_WORKER_COUNT_INPUT),
  ...NAMESPACE,
  ...CONTROL_PLANE,
  ...EXISTING_CLUSTER,
  ...GEOIP,
  ...OUTPOSTS,
  ...domainInputs(
    "kubernetes",
    "Without a domain, clients use an IP address with a self-signed certificate, which browsers warn of.",
  ),
  ...protectionInputs("Removing it leaves it attached: detach it by hand, or set protection."),
  ...monitoringInputs("kubernetes"),
};

const workerMaxCount = (v: ValuesOf<KubernetesInputs>) =>
  v.worker.at.maxCount.coalesce(workerCount(v).plus(EXTRA_WORKERS));

const DEMAND: ConnectionDemand<KubernetesInputs> = {
  requests: () => REQUESTS_PER_INSTANCE,
  mostWorkers: (v) => workerMaxCount(v).plus(ROLLOUT_SURGE),
  loweringRequests: [],
  loweringWorkers: (v) => [v.worker.at.maxCount, v.worker.at.count],
};

export const KUBERNETES_RELATIONS: readonly Relation<KubernetesInputs>[] = [
  ...COMMON_RELATIONS,
  ...CLUSTER_MAINTENANCE_RELATIONS,
  ...EXISTING_CLUSTER_RELATIONS,
  ...CONTROL_PLANE_RELATIONS,
  ...CLUSTER_MONITORING_RELATIONS,
  ...instanceRelations(INSTANCE, DEMAND),
  ...workerRelations(WORKER),
  needs<KubernetesInputs>("signInProbe", {
    with: ["domain"],
    because: "a probe connects as users do, and trusts no self-signed certificate",
  }),
  {
    host: "worker",
    holds: (v) =>
      v.worker.at.maxCount.isNullOr((most) => allOf(isSeparate(v), most.floor().eq(most), most.ge(workerCount(v)))),
    message: ({
      worker: {
        at: { count: least, maxCount: most },
      },
      workerMode: mode,
    }) => separateWorkerMessage(most, mode, `be a whole number, not below ${least.name}; raise it, or leave it out`),
  },
];

/** Warnings about valid inputs that have no effect or do harm. */
export const KUBERNETES_WARNINGS: readonly (WarningRelation<KubernetesInputs> | WarningItems<KubernetesInputs>)[] = [
  ...COMMON_WARNINGS,
  ...OUTPOST_WARNINGS,
  certificateWarning("kubernetes"),
  uselessWithoutDomain(
    "requestTimeoutSeconds",
    DEFAULT_REQUEST_TIMEOUT_SECONDS,
    "the load balancer of a domain has such a limit",
  ),
];

type KubernetesSettings = SettingsOf<typeof EXISTING_CLUSTER>;

interface DomainWithIpv6 {
  readonly domain: string;
  readonly ipv6: Ipv6Address;
}

/** Names of the types of props that are objects. */
interface KubernetesObjects extends CommonObjects {
  readonly clusterHardening: ClusterHardening;
  readonly existingCluster: ClusterAttributes;
  readonly existingNamespace: NamespaceAttributes;
  readonly geoip: GeoipProps;
  readonly outposts: OutpostProps;
  readonly worker: KubernetesWorkerProps;
}

export interface KubernetesIdentityProviderProps extends VariantProps<KubernetesInputs, KubernetesObjects> {}

/**
 * The identity provider on GKE Autopilot, cluster included, from an empty project in one apply.
 *
 * Database, cluster, load balancer, NAT and the minimum number of pods are always billed. The stack must configure the
 * google provider; the kubernetes provider is configured here. The machine that runs Terraform needs `sh`, `curl` and
 * `jq`.
 */
export class KubernetesIdentityProvider extends IdentityProvider {
  /** Network of the cluster, new or existing. */
  readonly clusterNetwork: ClusterNetwork;

  /** Cluster in which everything runs. */
  readonly cluster: AutopilotCluster;

  /** Provider for further Kubernetes resources of the stack. */
  readonly provider: KubernetesProvider;

  /** Namespace of all Kubernetes objects. */
  readonly namespace: WorkloadNamespace;
  readonly initialization: DbInit;
  readonly restoreSettings: string;

  /** Address to which clients connect. */
  readonly address: PublicAddress;
  readonly loadBalancerAddress: string;
  readonly domainSetup: DomainSetup | undefined;
  readonly dns: IdentityProvider["dns"];

  /** Deployment of the server. */
  readonly workload: KubernetesWorkload;
  readonly worker: KubernetesWorker | undefined;

  /** Load balancer in front of the server. */
  readonly loadBalancer: ClusterLoadBalancer;
  readonly testMailCommand: string | undefined;
  readonly url: string;
  readonly dump: DatabaseDump | undefined;
  readonly checkUp: CheckUp | undefined;
  readonly signInProbe: SignInProbe | undefined;
  readonly auditLog: AuditLog | undefined;
  readonly eventRetention: EventRetention | undefined;
  readonly recoveryAccess: RecoveryAccess | undefined;
  readonly monitoring: Monitoring;
  readonly grantCommands: string;

  /** @internal */
  declare protected readonly values: ValuesOf<KubernetesInputs>;

  constructor(scope: Construct, id: string, props: KubernetesIdentityProviderProps) {
    super(
      scope,
      id,
      props,
      variantOf({
        inputs: KUBERNETES_INPUTS,
        relations: KUBERNETES_RELATIONS,
        warnings: KUBERNETES_WARNINGS,
        deploymentFacts: ["namespace", "network", "subnetwork"],
        apis: { always: ["compute", "container", "iamcredentials"] },
      }),
    );
    const { context, settings, values } = this;
    const { existingCluster, existingNamespace } = settingsOf<typeof EXISTING_CLUSTER>(values);

    this.clusterNetwork = this.addNetwork(existingCluster);
    this.cluster = this.addCluster(existingCluster);
    this.provider = new KubernetesProvider(this, "kubernetes", {
      ...this.cluster.connection,
      alias: this.isFirstInStack() ? undefined : this.node.path.replaceAll(/[^A-Za-z0-9]+/g, "_").toLowerCase(),
    });
    const clusterGuard = guardCluster(this, values);
    this.namespace = this.addNamespace(existingNamespace, clusterGuard.record);
    const namespace = this.namespace.namespaceName;
    this.initialization = this.addInitialization();
    this.restoreSettings = addRecoveryScripts(this, this.recoverable(this.initialization), { namespace });
    const domain = this.domainWithIpv6();
    this.address = new PublicAddress(this, "Address", {
      context,
      domain: domain?.domain,
      ipv6: domain?.ipv6,
      dependsOn: this.networkReady,
    });
    this.loadBalancerAddress = this.address.address;
    this.domainSetup = this.addDomainSetupOf(domain);
    this.dns = { records: this.domainSetup?.records.list, nextSteps: this.domainSetup?.nextSteps };

    const pool = poolSizes(values, INSTANCE, DEMAND);
    const poolSize = named(this, "ConnectionPoolSize", pool.ofInstance);
    const outposts = this.addOutposts();
    const container = this.container(this.initialization, {
      ...poolVariables(values, poolSize),
      ...outposts?.variables,
    });
    this.workload = this.addWorkload(container, outposts);
    this.worker = this.addWorker(workerContainer(container, values, poolVariables(values, pool.ofWorker)), outposts);
    this.loadBalancer = this.addLoadBalancer();
    this.url = this.loadBalancer.url;
    this.testMailCommand = this.commandOfTestMail();
    const operations = this.addOperations({
      container,
      url: this.url,
      serverReady: this.workload.ready,
      addressReady: this.loadBalancer.ready,
    });
    this.dump = operations.dump;
    this.checkUp = operations.checkUp;
    this.eventRetention = operations.eventRetention;
    this.signInProbe = operations.signInProbe;
    this.recoveryAccess = operations.recoveryAccess;
    const address = { domain: settings.domain, url: this.url, urlMap: urlMapPattern(this.namespace.givenName) };
    this.monitoring = this.addMonitoring({ platform: "kubernetes", namespace, address }, operations);
    this.auditLog = this.addAuditLog({
      platform: "kubernetes",
      cluster: { name: this.cluster.clusterName, location: this.cluster.location },
      namespace,
      purposes: [NODES_PURPOSE],
    });
    this.applyLandingZone();
    this.grantCommands = this.listGrantCommands();
    const last = readyOf(
      outposts,
      this.workload,
      this.worker,
      this.loadBalancer,
      this.domainSetup,
      this.monitoring,
      this.dump,
      this.checkUp,
      this.signInProbe,
      this.auditLog,
      this.eventRetention,
      this.recoveryAccess,
    );
    this.complete(this.initialization, [...this.namespace.grants, ...last, clusterGuard.check]);
    this.useOwnProvider();
  }

  /** If another deployment has the names, the apply fails at the secrets, before anything is billed. */
  private get networkReady(): ITerraformDependable[] {
    return [...this.apis.ready("compute"), ...this.database.password.ready];
  }

  private addNetwork(existingCluster: KubernetesSettings["existingCluster"]): ClusterNetwork {
    const { network, networkReady, context } = this;
    return new ClusterNetwork(this, "Network", {
      context,
      existing: network,
      dependsOn: networkReady,
      isNeeded: isMade(existingCluster),
    });
  }

  private addCluster(existing: KubernetesSettings["existingCluster"]): AutopilotCluster {
    const { apis, clusterNetwork, networkReady, context, deletionProtection, settings, values } = this;
    return new AutopilotCluster(this, "Cluster", {
      context,
      network: clusterNetwork,
      controlPlane: values,
      deletionProtection,
      existing,
      maintenance: settings,
      nodes: this.accountOf("nodes"),
      dependsOn: [...networkReady, ...apis.ready("container", "iam")],
    });
  }

  private addNamespace(
    existing: KubernetesSettings["existingNamespace"],
    clusterRecord: ITerraformDependable,
  ): WorkloadNamespace {
    const { apis, cluster, context, values } = this;
    return new WorkloadNamespace(this, "Namespace", {
      context,
      cluster,
      name: existingOr(this, "ChosenNamespace", existing, existing?.name, values.namespace.text),
      isExisting: isExisting(existing),
      outboundPorts: mailPorts(values.smtp),
      // The metadata server needs iamcredentials to issue the pods' tokens.
      outlivedBy: [...apis.ready("iamcredentials"), clusterRecord],
    });
  }

  /** Jobs in the namespace. */
  private jobs(identity: ServiceIdentity): KubernetesJobs {
    const { namespace, context } = this;
    return new KubernetesJobs({ context, namespace, identity });
  }

  /** @internal */
  protected scheduledJobs(identity: ServiceIdentity): KubernetesJobs {
    return this.jobs(identity);
  }

  /** @internal */
  protected manualJobs(identity: ServiceIdentity): KubernetesJobs {
    return this.jobs(identity);
  }

  private addInitialization(): DbInit {
    const { database, initializer, upgradeBackup, values } = this;
    return new DbInit(this, "DbInit", {
      ...rightsOf(values),
      database,
      runner: this.jobs(initializer),
      // At the first apply, no backup is made, because this job creates the database.
      dependsOn: upgradeBackup.ready,
    });
  }

  /**
   * The domain and its second address. Left out rather than given a count of 0, because Terraform refuses a constant
   * null even in a template for no instance.
   */
  private domainWithIpv6(): DomainWithIpv6 | undefined {
    const { networkReady: dependsOn, context, settings, values } = this;
    const { domain } = settings;
    if (domain === undefined) return undefined;
    return {
      domain,
      ipv6: new Ipv6Address(this, "Ipv6", { domain, enabled: values.domainOptions.at.ipv6, context, dependsOn }),
    };
  }

  private addDomainSetupOf(domain: DomainWithIpv6 | undefined): DomainSetup | undefined {
    if (domain === undefined) return undefined;
    const { ipAddress } = this.address;
    return this.addDomainSetup(domain.domain, { ipAddress, ipv6: domain.ipv6 }, this.database.password.ready);
  }

  private addOutposts(): Outposts | undefined {
    const { cluster, namespace, context, settings, values } = this;
    return partIf(
      values.outposts.isSet(),
      () =>
        new Outposts(this, "Outposts", {
          cluster,
          namespace,
          imageMirror: settings.imageMirror,
          inputs: values,
          context,
        }),
    );
  }

  private addWorkload(container: ContainerSpec, outposts: Outposts | undefined): KubernetesWorkload {
    const { address, namespace, context, runtime, settings, values } = this;
    return new KubernetesWorkload(this, "Workload", {
      context,
      address,
      namespace,
      identity: runtime,
      container,
      geoip: values.geoip,
      imageMirror: settings.imageMirror,
      outposts: outposts?.mountIf(not(isSeparate(values))),
      minInstanceCount: values.minInstanceCount.number,
      maxInstanceCount: values.maxInstanceCount.number,
    });
  }

  private addWorker(container: ContainerSpec, outposts: Outposts | undefined): KubernetesWorker | undefined {
    const { namespace, context, runtime, values, workload } = this;
    return partIf(
      isSeparate(values),
      () =>
        new KubernetesWorker(this, "Worker", {
          context,
          condition: isSeparate(values),
          container,
          identity: runtime,
          minInstanceCount: workerCount(values).number,
          maxInstanceCount: workerMaxCount(values).number,
          namespace,
          outposts: outposts?.mountIf(true),
          server: workload,
        }),
    );
  }

  private addLoadBalancer(): ClusterLoadBalancer {
    const { address, domainSetup, initialization, namespace, context, values, workload } = this;
    return new ClusterLoadBalancer(this, "FrontDoor", {
      context,
      namespace,
      workload,
      address,
      requestLogSampleRate: requestLogRate(values).number,
      requestTimeoutSeconds: values.requestTimeoutSeconds.number,
      httpRedirect: values.domainOptions.at.httpRedirect.flag,
      strictTransportSecurity: values.domainOptions.at.strictTransportSecurity.text,
      domainSetup,
      // Created while the server starts, but only after its database is prepared.
      dependsOn: initialization.ready,
    });
  }

  private commandOfTestMail(): string | undefined {
    const { namespace, values, workload } = this;
    const inServer = prose`
      kubectl exec deployment/${workload.workloadName} --container=${SERVER_CONTAINER}
      --namespace=${namespace.namespaceName} --
    `;
    const send = `${inServer} ${ENTRYPOINT_PATH} ${TEST_MAIL_COMMAND} ${TEST_MAIL_READER}`;
    return partIf(values.smtp.isSet(), () => ifMail(values.smtp, send));
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
