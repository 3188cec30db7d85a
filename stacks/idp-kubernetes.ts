import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { type Construct } from "constructs";

import { declareInputs } from "../lib/core/inputs";
import { MAIN_CHILD_ID, PortableStack, type PortableStackProps } from "../lib/core/portable-stack";
import {
  KUBERNETES_INPUTS,
  KUBERNETES_RELATIONS,
  KubernetesIdentityProvider,
} from "../lib/kubernetes-identity-provider";
import { describeFolder } from "./folder/described-folder";
import { identityProviderOutputs } from "./identity-provider-outputs";

/** The identity provider on GKE Autopilot, cluster included, from an empty project in one apply. */
export class IdpKubernetesStack extends PortableStack {
  constructor(scope: Construct, id: string, { backend }: Pick<PortableStackProps, "backend"> = {}) {
    super(scope, id, { providers: ["google", "kubernetes", "random"], backend });
    const { network, subnetwork, ...inputs } = declareInputs(this, KUBERNETES_INPUTS, KUBERNETES_RELATIONS);
    new GoogleProvider(this, "google", { project: inputs.projectId, region: inputs.region });

    const identityProvider = new KubernetesIdentityProvider(this, MAIN_CHILD_ID, {
      ...inputs,
      network: { network, subnetwork },
    });

    const { cluster, namespace } = identityProvider;
    this.addOutputs({
      ...identityProviderOutputs(identityProvider),
      cluster_name: { value: cluster.clusterName, description: "Name of the cluster." },
      cluster_endpoint: {
        value: cluster.connection.host,
        description: "Address of the cluster, for the kubernetes provider of a root that uses this folder as a module.",
      },
      cluster_ca_certificate: {
        value: cluster.connection.clusterCaCertificate,
        description: "Certificate of the cluster, for the same.",
      },
      namespace: { value: namespace.namespaceName, description: "Namespace of everything in the cluster." },
      connect_command: { value: cluster.connectCommand, description: "Command that connects kubectl to the cluster." },
    });
    describeFolder(this, { stack: "idp-kubernetes", inputs: KUBERNETES_INPUTS });
  }
}
