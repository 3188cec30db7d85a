import { type CloudRunV2Job } from "@cdktf/provider-google/lib/cloud-run-v2-job";
import { dependable, Fn, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { setNewerAttribute } from "../../core/newer-attribute";
import { stateProvidersOf } from "../../core/provider-requirements";
import { TerraformData } from "../../core/terraform-data";
import { type OneTimeJob, type OneTimeJobSpec } from "../../idp/job-runner";
import { addCloudRunJob, cloudRunJobName, type CloudRunJobProps } from "./cloud-run-job";
import { EXECUTION_TOKEN_LENGTH } from "./serverless-defaults";

interface ServerlessJobProps extends CloudRunJobProps {
  readonly job: OneTimeJobSpec;
}

/**
 * A job that runs when it is created; the apply waits for it.
 *
 * It is replaced, and so runs again, when its trigger changes, but not after other changes or manual executions.
 */
export class ServerlessJob extends Construct implements OneTimeJob {
  readonly jobName: string;

  readonly ready: ITerraformDependable[];

  /** The job itself, for overrides. */
  readonly job: CloudRunV2Job;

  constructor(scope: Construct, id: string, props: ServerlessJobProps) {
    super(scope, id);
    stateProvidersOf(this);
    const { job } = props;
    const count = countIf(job.condition);

    // Replaced, not updated: Terraform deletes the job before it, so the next apply repeats a run that failed.
    const trigger = new TerraformData(this, "Trigger", { triggersReplace: { ...job.rerunWhenChanged }, count });
    this.job = addCloudRunJob(this, props, {
      lifecycle: {
        // A manual execution makes Cloud Run forget the token; sending the token again would execute the job again.
        ignoreChanges: ["run_execution_token", "client", "client_version"],
        // By address: CDKTF renders an object here as an expression, which Terraform rejects.
        replaceTriggeredBy: [dependable(trigger)],
      },
    });
    // With this token, Cloud Run executes the job and the apply waits for its end.
    const token = Fn.substr(Fn.sha256(Fn.jsonencode(trigger.values)), 0, EXECUTION_TOKEN_LENGTH);
    setNewerAttribute(this.job, "run_execution_token", token);

    this.jobName = count === undefined ? this.job.name : cloudRunJobName(props);
    this.ready = [this.job];
  }
}
