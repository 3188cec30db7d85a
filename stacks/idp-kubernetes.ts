import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { type Construct } from "constructs";

import { declaredInputs, declareInputs } from "../lib/core/inputs/declared-inputs";
import { type Table } from "../lib/core/inputs/rows";
import { warnOfSettings } from "../lib/core/inputs/warnings";
import { MAIN_CHILD_ID, PortableStack } from "../lib/core/portable-stack";
import {
  KUBERNETES_INPUTS,
  KUBERNETES_RELATIONS,
  KUBERNETES_WARNINGS,
  KubernetesIdentityProvider,
} from "../lib/kubernetes-identity-provider";
import { describeFolder } from "./folder/described-folder";
import { identityProviderOutputs } from "./identity-provider-outputs";
import { explainGroups, inGroupOrder } from "./input-groups";
import { outputsOf } from "./output-table";
import { type StackSettings } from "./settings";
import { commonRisks } from "./settings-risks";

const INPUTS = inGroupOrder(KUBERNETES_INPUTS);

/** The identity provider on GKE Autopilot, cluster included, from an empty project in one apply. */
export class IdpKubernetesStack extends PortableStack {
  static readonly inputs: Table = INPUTS;

  constructor(scope: Construct, id: string, { backend, deployment }: StackSettings = {}) {
    super(scope, id, { providers: ["google", "kubernetes", "random"], backend });
    // First, because the error for refused settings lists the warnings too.
    if (deployment !== undefined) warnOfSettings(this, INPUTS, KUBERNETES_WARNINGS, deployment, commonRisks);
    const { network, subnetwork, ...inputs } = declareInputs(this, INPUTS, KUBERNETES_RELATIONS, deployment);
    explainGroups(this);
    new GoogleProvider(this, "google", { project: inputs.projectId, region: inputs.region });

    const idp = new KubernetesIdentityProvider(this, MAIN_CHILD_ID, {
      ...inputs,
      network: network === undefined || subnetwork === undefined ? undefined : { network, subnetwork },
    });

    const { cluster, namespace } = idp;
    const outputs = outputsOf(this, {
      ...identityProviderOutputs(idp),
      cluster_name: [cluster.clusterName, "Name of the cluster."],
      cluster_endpoint: [
        cluster.connection.host,
        "Address of the cluster, for the kubernetes provider of a root that uses this folder as a module.",
      ],
      cluster_ca_certificate: [cluster.connection.clusterCaCertificate, "Certificate of the cluster, for the same."],
      namespace: [namespace.namespaceName, "Namespace of everything in the cluster."],
      connect_command: [cluster.connectCommand, "Command that connects kubectl to the cluster."],
    });
    this.addOutputs(outputs);
    describeFolder(this, {
      stack: "idp-kubernetes",
      deployment,
      inputs: declaredInputs(this),
      table: INPUTS,
    });
  }
}
