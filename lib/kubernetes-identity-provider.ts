import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { TerraformResource, TerraformStack } from "cdktf";
import { type Construct } from "constructs";

import { expression } from "./core/expression";
import { requireProps } from "./core/rules";
import { CONTAINER_PORT, ENTRYPOINT_PATH } from "./idp/contract";
import { type DatabaseDump } from "./idp/database-dump";
import { DbInit } from "./idp/db-init";
import { ifMail } from "./idp/mail-settings";
import { addRecoveryScripts } from "./idp/recovery-scripts";
import { TEST_MAIL_COMMAND, TEST_MAIL_READER } from "./idp/smtp";
import { IdentityProvider } from "./identity-provider";
import {
  DEFAULT_NAMESPACE,
  KUBERNETES_IDENTITY_PROVIDER_RULES,
  workerMaxCountOf,
  type KubernetesIdentityProviderProps,
} from "./kubernetes-identity-provider-props";
import { type DomainSetup } from "./platform/edge/edge";
import { CERTIFICATE_VALIDATION_DEFAULTS } from "./platform/edge/edge-rules";
import { AutopilotCluster } from "./platform/kubernetes/autopilot-cluster";
import { SERVER_CONTAINER } from "./platform/kubernetes/kubernetes-defaults";
import { ClusterIngress } from "./platform/kubernetes/kubernetes-front-door";
import { KubernetesJobs } from "./platform/kubernetes/kubernetes-jobs";
import { KubernetesWorker } from "./platform/kubernetes/kubernetes-worker";
import { KubernetesWorkload } from "./platform/kubernetes/kubernetes-workload";
import { urlMapPattern } from "./platform/kubernetes/load-balancers";
import { PublicAddress } from "./platform/kubernetes/public-address";
import { WorkloadNamespace } from "./platform/kubernetes/workload-namespace";
import { type Monitoring } from "./platform/monitoring/monitoring";
import { ClusterNetwork } from "./platform/network/cluster-network";
import { workerCountOf, hasSeparateWorker, separateWorkerContainer } from "./worker-props";

/**
 * The identity provider on GKE Autopilot, cluster included, from an empty project in one apply.
 *
 * Database, cluster, load balancer, NAT and the minimum number of pods are always billed. The stack must configure the
 * google provider; the kubernetes provider is configured here. The machine that applies needs `sh`, `curl` and `jq`.
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

  /** Address that clients connect to. */
  readonly address: PublicAddress;

  readonly edge: DomainSetup | undefined;

  readonly loadBalancerAddress: string;

  /** Deployment of the server. */
  readonly workload: KubernetesWorkload;

  readonly worker: KubernetesWorker | undefined;

  /** Load balancer in front of the server. */
  readonly frontDoor: ClusterIngress;

  readonly restoreSettings: string;

  readonly testMailCommand: string | undefined;

  readonly url: string;

  readonly monitoring: Monitoring;

  readonly dump: DatabaseDump | undefined;

  constructor(scope: Construct, id: string, props: KubernetesIdentityProviderProps) {
    requireProps(`${scope.node.path}/${id}`, props, ["projectId", "tenantId"], KUBERNETES_IDENTITY_PROVIDER_RULES);
    super(scope, id, props, {
      apis: ["compute", "container", "iamcredentials"],
      certificateValidation: CERTIFICATE_VALIDATION_DEFAULTS.kubernetes,
      identity: [
        { prop: "namespace", value: props.namespace ?? DEFAULT_NAMESPACE },
        { prop: "network", value: props.network?.network },
        { prop: "subnetwork", value: props.network?.subnetwork },
      ],
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
    this.restoreSettings = addRecoveryScripts(this, { namespace: this.namespace.namespaceName });
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
    const separateWorker = hasSeparateWorker(props);
    if (separateWorker !== "false") {
      this.worker = new KubernetesWorker(this, "Worker", {
        place,
        condition: separateWorker,
        container: separateWorkerContainer(container, props),
        identity: runtime,
        minInstanceCount: workerCountOf(props),
        maxInstanceCount: workerMaxCountOf(props),
        namespace: this.namespace,
        server: this.workload,
      });
    }
    this.frontDoor = new ClusterIngress(this, "FrontDoor", {
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
      // Created while the server starts, but only after its database is prepared.
      dependsOn: this.initialization.ready,
    });
    this.testMailCommand = ifMail(
      this.mail,
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

    this.guard([
      ...this.namespace.grants,
      ...this.workload.ready,
      ...(this.worker?.ready ?? []),
      ...this.frontDoor.ready,
      ...(this.edge?.ready ?? []),
      ...this.monitoring.ready,
      ...(this.dump?.ready ?? []),
    ]);
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
