import { CronJobV1 } from "@cdktf/provider-kubernetes/lib/cron-job-v1";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ScheduledJob, type ScheduledJobSpec } from "../parts";
import { addJobPod, type KubernetesJobProps } from "./job-pod";
import { CRON_JOB_STARTING_DEADLINE_SECONDS, KEPT_RUNS } from "./kubernetes-defaults";
import { completePodTemplate } from "./pod-template";

interface KubernetesScheduledJobProps extends KubernetesJobProps {
  readonly job: ScheduledJobSpec;
}

/**
 * A job that the cluster starts on a schedule, never while an earlier run is active. The last runs are kept, with their
 * logs.
 */
export class KubernetesScheduledJob extends Construct implements ScheduledJob {
  readonly jobName: string;

  readonly runCommand: string;

  readonly ready: ITerraformDependable[];

  /** The cron job itself, for overrides. */
  readonly job: CronJobV1;

  constructor(scope: Construct, id: string, props: KubernetesScheduledJobProps) {
    super(scope, id);
    const { identity, job, namespace } = props;
    const { name, script, secret, spec } = addJobPod(this, props, namespace.labels);

    this.job = new CronJobV1(this, MAIN_CHILD_ID, {
      metadata: namespace.metadataOf(name),
      spec: {
        schedule: job.schedule,
        timezone: job.timeZone,
        concurrencyPolicy: "Forbid",
        startingDeadlineSeconds: CRON_JOB_STARTING_DEADLINE_SECONDS,
        successfulJobsHistoryLimit: KEPT_RUNS,
        failedJobsHistoryLimit: KEPT_RUNS,
        jobTemplate: { metadata: { labels: namespace.labels }, spec },
      },
      count: countIf(job.condition),
      // Otherwise the old script is deleted while a schedule that names it may start a pod.
      lifecycle: { replaceTriggeredBy: [`${script.terraformResourceType}.${script.friendlyUniqueId}`] },
      dependsOn: namespace.grantsTo(identity, job.container),
    });
    completePodTemplate(this.job, job.container, secret, { podPath: POD_PATH });

    this.jobName = name;
    this.runCommand = `kubectl --namespace=${namespace.namespaceName} create job ${name}-$(date +%s) --from=cronjob/${name}`;
    this.ready = [this.job];
  }
}

/** Path of the pod in a cron job. */
const POD_PATH = "spec.job_template.spec.template.spec";
