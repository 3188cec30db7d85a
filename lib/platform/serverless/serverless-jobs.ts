import { type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { type WorkloadIdentity } from "../../core/identity";
import { type DeploymentContext } from "../../core/place";
import { type OneTimeJobSpec, type ScheduledJobRunner, type ScheduledJobSpec } from "../../idp/job-runner";
import { type NetworkAttachment } from "../network/network-attachment";
import { ServerlessJob } from "./serverless-job";
import { ServerlessScheduledJob } from "./serverless-scheduled-job";

export interface ServerlessJobsProps {
  /** Service account that the jobs run as. It is granted access to what each job uses. */
  readonly identity: WorkloadIdentity;

  /** Determines the names, the project and the region of the jobs. */
  readonly place: DeploymentContext;

  /**
   * What must exist before a job: `apis.ready("run", "secretmanager")`, and for a scheduled one also `cloudscheduler`
   * and `iam`.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Existing network on which the database has its private address.
   *
   * @default - none
   */
  readonly network?: NetworkAttachment;
}

/** Runs jobs on Cloud Run: at apply, which waits for them, or on a schedule. */
export class ServerlessJobs implements ScheduledJobRunner {
  constructor(private readonly props: ServerlessJobsProps) {}

  runOnce(scope: Construct, id: string, job: OneTimeJobSpec): ServerlessJob {
    return new ServerlessJob(scope, id, { ...this.props, job });
  }

  schedule(scope: Construct, id: string, job: ScheduledJobSpec): ServerlessScheduledJob {
    return new ServerlessScheduledJob(scope, id, { ...this.props, job });
  }
}
