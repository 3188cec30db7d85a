import { ServiceAccountV1 } from "@cdktf/provider-kubernetes/lib/service-account-v1";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type WorkloadIdentity } from "../parts";
import { metadataName } from "./object-metadata";
import { type WorkloadNamespace } from "./workload-namespace";

export interface WorkloadAccountProps {
  /** Service account that the pods act as. */
  readonly identity: WorkloadIdentity;

  /** Name within the namespace. */
  readonly name: string;

  readonly namespace: WorkloadNamespace;

  /**
   * Condition under which the account exists at plan, as a string: `true`, `false` or a boolean expression. Default:
   * "true".
   */
  readonly condition?: string;
}

/** The Kubernetes service account of a pod. It has no permissions in the cluster, and its token is not mounted. */
export class WorkloadAccount extends Construct {
  /** Name; a reference to it waits for the account. */
  readonly accountName: string;

  readonly account: ServiceAccountV1;

  constructor(scope: Construct, id: string, props: WorkloadAccountProps) {
    super(scope, id);
    const { identity, name, namespace } = props;
    namespace.grantActAs(identity, name);

    this.account = new ServiceAccountV1(this, MAIN_CHILD_ID, {
      metadata: {
        ...namespace.metadataOf(name),
        annotations: { "iam.gke.io/gcp-service-account": identity.email },
      },
      automountServiceAccountToken: false,
      count: countIf(props.condition),
    });
    this.accountName = metadataName(this.account, this.account.metadata.name);
  }
}
