import { JobV1 } from "@cdktf/provider-kubernetes/lib/job-v1";
import { Fn, TerraformLocal, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type OneTimeJob, type OneTimeJobSpec } from "../parts";
import { addJobPod, type KubernetesJobProps } from "./job-pod";
import { JOB_DELETION_TIMEOUT, JOB_TIMEOUT } from "./kubernetes-defaults";
import { metadataName, shortHash } from "./object-metadata";
import { completePodTemplate } from "./pod-template";

interface KubernetesOneTimeJobProps extends KubernetesJobProps {
  readonly job: OneTimeJobSpec;
}

/**
 * A job that runs when it is created; the apply waits for it.
 *
 * The name contains a hash of the values that the job depends on, so a change to them creates another job; so does another
 * version of its secrets, whose copies have other names. A finished
 * job is kept; if it were deleted, the next apply would run it again.
 */
export class KubernetesJob extends Construct implements OneTimeJob {
  readonly jobName: string;

  readonly ready: ITerraformDependable[];

  /** The job itself, for overrides. */
  readonly job: JobV1;

  constructor(scope: Construct, id: string, props: KubernetesOneTimeJobProps) {
    super(scope, id);
    const { identity, job, namespace } = props;
    const { name, secret, spec } = addJobPod(this, props);

    // With another name, the provider replaces the job, and so runs it again.
    const run = new TerraformLocal(this, "Run", shortHash(Fn.sha256(Fn.jsonencode(job.rerunWhenChanged))));
    this.job = new JobV1(this, MAIN_CHILD_ID, {
      metadata: namespace.metadataOf(`${name}-${run.asString}`),
      waitForCompletion: true,
      spec,
      timeouts: { create: JOB_TIMEOUT, update: JOB_TIMEOUT, delete: JOB_DELETION_TIMEOUT },
      count: countIf(job.condition),
      dependsOn: namespace.grantsTo(identity, job.container),
    });
    completePodTemplate(this.job, job.container, secret);

    this.jobName = metadataName(this.job, this.job.metadata.name);
    this.ready = [this.job];
  }
}
