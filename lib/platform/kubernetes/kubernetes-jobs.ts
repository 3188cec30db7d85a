import { type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { type DeploymentContext } from "../../core/place";
import { type WorkloadIdentity, type OneTimeJobSpec, type ScheduledJobRunner, type ScheduledJobSpec } from "../parts";
import { KubernetesJob } from "./kubernetes-job";
import { KubernetesScheduledJob } from "./kubernetes-scheduled-job";
import { type WorkloadNamespace } from "./workload-namespace";

export interface KubernetesJobsProps {
  /** Service account that the jobs act as. It is granted access to what each job uses. */
  readonly identity: WorkloadIdentity;

  /** Namespace that the jobs run in. */
  readonly namespace: WorkloadNamespace;

  /** Determines the names, and the project of the secrets. */
  readonly place: DeploymentContext;

  /** What must exist before a job runs, in addition to what it uses. Default: nothing. */
  readonly dependsOn?: ITerraformDependable[];
}

/** Runs jobs in a cluster: at apply, which waits for them, or on a schedule. */
export class KubernetesJobs implements ScheduledJobRunner {
  constructor(private readonly props: KubernetesJobsProps) {}

  runOnce(scope: Construct, id: string, job: OneTimeJobSpec): KubernetesJob {
    return new KubernetesJob(scope, id, { ...this.props, job });
  }

  schedule(scope: Construct, id: string, job: ScheduledJobSpec): KubernetesScheduledJob {
    return new KubernetesScheduledJob(scope, id, { ...this.props, job });
  }
}
