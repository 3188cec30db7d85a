import { CloudRunV2JobIamMember } from "@cdktf/provider-google/lib/cloud-run-v2-job-iam-member";
import { type CloudRunV2Job } from "@cdktf/provider-google/lib/cloud-run-v2-job";
import { CloudSchedulerJob } from "@cdktf/provider-google/lib/cloud-scheduler-job";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { stateProvidersOf } from "../../core/provider-requirements";
import { type ScheduledJob, type ScheduledJobSpec } from "../../idp/job-runner";
import { ServiceIdentity } from "../identity/service-identity";
import { addCloudRunJob, cloudRunJobName, type CloudRunJobProps } from "./cloud-run-job";
import { SCHEDULER_DEADLINE_SECONDS, SCHEDULER_RETRIES } from "./serverless-defaults";

interface ServerlessScheduledJobProps extends CloudRunJobProps {
  readonly job: ScheduledJobSpec;
}

/**
 * A job that Cloud Scheduler starts, with a service account that may start this job and nothing else.
 *
 * One run lasts at most `timeoutSeconds` for each attempt, so a schedule with longer pauses never has two at once.
 */
export class ServerlessScheduledJob extends Construct implements ScheduledJob {
  readonly jobName: string;

  readonly runCommand: string;

  readonly ready: ITerraformDependable[];

  /** The job itself, for overrides. */
  readonly job: CloudRunV2Job;

  /** The schedule that starts the job. */
  readonly scheduler: CloudSchedulerJob;

  constructor(scope: Construct, id: string, props: ServerlessScheduledJobProps) {
    super(scope, id);
    stateProvidersOf(this);
    const { dependsOn = [], job, place } = props;
    const { projectId, region } = place;
    const name = cloudRunJobName(props);
    const count = countIf(job.condition);

    this.job = addCloudRunJob(this, props, { lifecycle: { ignoreChanges: ["client", "client_version"] } });
    const starter = new ServiceIdentity(this, "Starter", {
      place,
      purpose: `idp-start-${job.name}`,
      description: `Starts the job ${job.name} by its schedule`,
      condition: job.condition,
      dependsOn,
    });
    const mayStart = new CloudRunV2JobIamMember(this, "MayStart", {
      project: projectId,
      location: region,
      name,
      role: "roles/run.invoker",
      member: starter.member,
      count,
      dependsOn: [this.job, ...starter.ready],
    });
    this.scheduler = new CloudSchedulerJob(this, "Schedule", {
      project: projectId,
      region,
      name,
      schedule: job.schedule,
      timeZone: job.timeZone,
      attemptDeadline: `${SCHEDULER_DEADLINE_SECONDS}s`,
      // For the request that starts the job; Cloud Run repeats the job itself.
      retryConfig: { retryCount: SCHEDULER_RETRIES },
      httpTarget: {
        httpMethod: "POST",
        uri: `https://run.googleapis.com/v2/projects/${projectId}/locations/${region}/jobs/${name}:run`,
        oauthToken: { serviceAccountEmail: starter.email, scope: "https://www.googleapis.com/auth/cloud-platform" },
      },
      count,
      dependsOn: [mayStart, ...dependsOn],
    });

    this.jobName = name;
    this.runCommand = `gcloud run jobs execute ${name} --wait --region=${region} --project=${projectId}`;
    this.ready = [this.scheduler];
  }
}
