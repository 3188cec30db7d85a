import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { KubernetesProvider } from "@cdktf/provider-kubernetes/lib/provider";
import { type Construct } from "constructs";

import { DeletionGuard } from "../lib/core/deletion-guard";
import { objectName } from "../lib/core/names";
import { countWith, isMissing } from "../lib/core/optional-value";
import { PortableStack } from "../lib/core/portable-stack";
import { ProjectApis } from "../lib/core/project-apis";
import { type StateBackend } from "../lib/core/state-backend";
import { CONTAINER_PORT, DB_INIT_JOB } from "../lib/idp/contract";
import { DbInit } from "../lib/idp/db-init";
import { identityProviderContainer } from "../lib/idp/identity-provider-container";
import { AutopilotCluster } from "../lib/platform/kubernetes/autopilot-cluster";
import { ClusterNetwork } from "../lib/platform/kubernetes/cluster-network";
import { LOOPBACK, PROXY_QUIT_URL } from "../lib/platform/kubernetes/contract";
import { FrontDoor } from "../lib/platform/kubernetes/front-door";
import { KubernetesJobs } from "../lib/platform/kubernetes/kubernetes-jobs";
import { KubernetesWorkload } from "../lib/platform/kubernetes/kubernetes-workload";
import { WorkloadAccount } from "../lib/platform/kubernetes/workload-account";
import { WorkloadNamespace } from "../lib/platform/kubernetes/workload-namespace";
import { BUILD_APIS, IdentityProviderFoundation } from "./identity-provider-foundation";
import { identityProviderOutputs } from "./identity-provider-outputs";
import { ApplicationInputs } from "./inputs/application-inputs";
import { DatabaseInputs } from "./inputs/database-inputs";
import { InstanceInputs } from "./inputs/instance-inputs";
import { CLUSTER_NETWORK, KubernetesInputs, PODS } from "./inputs/kubernetes-inputs";
import { NetworkInputs } from "./inputs/network-inputs";
import { ProjectInputs } from "./inputs/project-inputs";

export interface IdpKubernetesStackProps {
  /**
   * Where the state is kept.
   *
   * @default - the file `terraform.tfstate` in the synthesized folder
   */
  readonly backend?: StateBackend;
}

/** The identity provider on GKE Autopilot, cluster included, from an empty project in one apply. */
export class IdpKubernetesStack extends PortableStack {
  constructor(scope: Construct, id: string, props: IdpKubernetesStackProps = {}) {
    super(scope, id, { providers: ["google", "kubernetes", "random"], backend: props.backend });
    const project = new ProjectInputs(this, { alsoProtected: "cluster, " });
    const application = new ApplicationInputs(this);
    const databaseInputs = new DatabaseInputs(this);
    const existing = new NetworkInputs(this, CLUSTER_NETWORK).network;
    const instances = new InstanceInputs(this, PODS);
    const inputs = new KubernetesInputs(this);
    const existingImageCount = countWith(application.existingContainerImage);
    const { deletionProtection, deployment, projectId, region } = project;
    new GoogleProvider(this, "google", { project: projectId, region });

    const apis = new ProjectApis(this, "Apis", {
      projectId,
      region,
      // Nodes write their logs themselves, whoever built the image.
      apis: ["compute", "container", "iam", "iamcredentials", "logging", "secretmanager", "sqladmin", "storage"],
    });
    for (const api of BUILD_APIS) apis.enable(api, isMissing(application.existingContainerImage));
    const foundation = new IdentityProviderFoundation(this, {
      apis,
      application,
      database: databaseInputs,
      network: existing,
      project,
    });
    const { database, image, initializer, media, place, runtime, secrets } = foundation;
    const connection = foundation.connectionAt(LOOPBACK);

    // Where the other variant has the names, the apply ends at the secrets, before anything is billed.
    const networkReady = [...apis.ready("compute"), database.password.stored];
    const network = new ClusterNetwork(this, "Network", { ...place, existing, dependsOn: networkReady });
    const cluster = new AutopilotCluster(this, "Cluster", {
      ...place,
      network,
      authorizedNetworks: inputs.authorizedNetworks,
      deletionProtection,
      dependsOn: apis.ready("container"),
      identitiesDependOn: apis.ready("iam"),
    });
    new KubernetesProvider(this, "kubernetes", cluster.connection);
    const nodesMayPull = [
      foundation.registry.grantRead("Nodes", cluster.nodes.member),
      // From wherever in the project an existing image is.
      cluster.nodes.grantOnProject("PullsImages", "roles/artifactregistry.reader", existingImageCount),
    ];

    const names = { server: objectName(deployment), job: objectName(deployment, DB_INIT_JOB) };
    const namespace = new WorkloadNamespace(this, "Namespace", {
      deployment,
      name: inputs.namespace,
      outlivedBy: [
        ...cluster.ready,
        // The cluster's metadata server makes the pods' tokens with it.
        ...apis.ready("iamcredentials"),
        database.created,
        initializer.mayConnect,
        runtime.mayConnect,
        media.grantReadWrite("Runtime", runtime.identity.member),
        cluster.letActAs("Initializer", initializer.identity, inputs.namespace, names.job),
        cluster.letActAs("Runtime", runtime.identity, inputs.namespace, names.server),
      ],
    });
    const workloadPlace = { deployment, projectId, namespace, database, network: existing };

    const initialization = new DbInit(this, "DbInit", {
      database: connection,
      administratorPassword: database.administratorPassword.reference,
      proxyQuitUrl: PROXY_QUIT_URL,
      platform: new KubernetesJobs({
        ...workloadPlace,
        account: new WorkloadAccount(this, "InitializerAccount", {
          namespace,
          name: names.job,
          identity: initializer.identity,
        }),
      }),
    });

    const frontDoor = new FrontDoor(this, "FrontDoor", {
      ...place,
      namespace,
      port: CONTAINER_PORT,
      domain: inputs.domain,
      dependsOn: networkReady,
      opensAfter: [initialization.completed],
    });
    const workload = new KubernetesWorkload(this, "Workload", {
      ...workloadPlace,
      frontDoor,
      account: new WorkloadAccount(this, "RuntimeAccount", {
        namespace,
        name: names.server,
        identity: runtime.identity,
      }),
      minInstanceCount: instances.minInstanceCount,
      maxInstanceCount: instances.maxInstanceCount,
      container: identityProviderContainer(this, {
        image: image.containerImage,
        environment: application.environment,
        database: connection,
        secrets,
        media: media.mount,
        resources: instances.resources,
      }),
      dependsOn: [...nodesMayPull, ...image.ready, initialization.completed],
    });

    frontDoor.sendVisitorsTo(workload);

    new DeletionGuard(this, "DeletionGuard", {
      protect: deletionProtection,
      input: "deletion_protection",
      guards: [...workload.started, ...frontDoor.opened],
    });

    this.expose({
      ...identityProviderOutputs(foundation, initialization, frontDoor.url),
      cluster_name: { value: cluster.clusterName, description: "Name of the cluster." },
      namespace: { value: namespace.namespaceName, description: "Namespace of the cluster that everything is in." },
      service_address: { value: frontDoor.address, description: "Address that visitors connect to." },
      dns_record: {
        value: frontDoor.dnsRecord,
        description: "Record to enter at whoever manages the domain; null without a domain.",
      },
      connect_command: {
        value: cluster.connectCommand,
        description: "Command that lets whoever runs it work with the cluster.",
      },
    });
  }
}
