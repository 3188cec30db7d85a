import { ServiceAccountV1 } from "@cdktf/provider-kubernetes/lib/service-account-v1";
import { Construct } from "constructs";

import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { requireProvider } from "../../core/provider-requirements";
import { requireProps } from "../../core/rules";
import { type ServiceIdentity } from "../service-identity";
import { type WorkloadNamespace } from "./workload-namespace";

export interface WorkloadAccountProps {
  /** Service account whose rights the pods have; `AutopilotCluster.letActAs` lets them. */
  readonly identity: ServiceIdentity;

  /** Name within the namespace. */
  readonly name: string;

  readonly namespace: WorkloadNamespace;
}

/** The account of a pod. It has no right in the cluster, and no token of it is mounted. */
export class WorkloadAccount extends Construct {
  /** Name; using it means waiting for the account. */
  readonly accountName: string;

  constructor(scope: Construct, id: string, props: WorkloadAccountProps) {
    super(scope, id);
    requireProps(this.node.path, props, { identity: true, name: true, namespace: true });
    const { identity, name, namespace } = props;
    requireProvider(this, "kubernetes");

    const account = new ServiceAccountV1(this, MAIN_CHILD_ID, {
      metadata: {
        name,
        namespace: namespace.namespaceName,
        annotations: { "iam.gke.io/gcp-service-account": identity.email },
      },
      automountServiceAccountToken: false,
    });
    this.accountName = account.metadata.name;
  }
}
