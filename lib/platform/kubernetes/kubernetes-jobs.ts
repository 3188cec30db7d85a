import { type Construct } from "constructs";

import { type OneTimeJobSpec, type ScheduledJobRunner, type ScheduledJobSpec } from "../parts";
import { type KubernetesJobsProps } from "./job-pod";
import { KubernetesJob } from "./kubernetes-job";
import { KubernetesScheduledJob } from "./kubernetes-scheduled-job";

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
