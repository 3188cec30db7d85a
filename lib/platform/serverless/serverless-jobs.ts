import { type Construct } from "constructs";

import { type OneTimeJobSpec, type ScheduledJobRunner, type ScheduledJobSpec } from "../../idp/job-runner";
import { type ServerlessJobsProps } from "./cloud-run-job";
import { ServerlessJob } from "./serverless-job";
import { ServerlessScheduledJob } from "./serverless-scheduled-job";

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
