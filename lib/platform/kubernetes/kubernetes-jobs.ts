import { ConfigMapV1 } from "@cdktf/provider-kubernetes/lib/config-map-v1";
import { CronJobV1, type CronJobV1Spec } from "@cdktf/provider-kubernetes/lib/cron-job-v1";
import { JobV1 } from "@cdktf/provider-kubernetes/lib/job-v1";
import { dependable, Fn, TerraformLocal } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../../core/deployment-context";
import { countIf } from "../../core/expr/conditions";
import { explain } from "../../core/hcl/stack-origin";
import { type WorkloadIdentity } from "../../core/identity";
import { type Labels, labelsWith } from "../../core/labels";
import { objectName } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import {
  type JobSpec,
  type ManualJob,
  type ManualJobRunner,
  type ManualJobSpec,
  type OneTimeJob,
  type OneTimeJobSpec,
  type ScheduledJob,
  type ScheduledJobRunner,
  type ScheduledJobSpec,
  SHELL,
} from "../../idp/job-runner";
import { withVariable } from "../environment";
import { completePodTemplate, partLabels, podTemplate } from "./pod-template";
import { metadataName, shortHash, type WorkloadNamespace } from "./workload-namespace";
import { addWorkloadSecret } from "./workload-secret";

interface KubernetesJobsProps {
  /** Service account of the jobs. It is granted access to the resources of each job. */
  readonly identity: WorkloadIdentity;
  readonly namespace: WorkloadNamespace;
  readonly context: DeploymentContext;
}

/** Runs jobs in a cluster: at apply, which waits for them, or on a schedule. */
export class KubernetesJobs implements ManualJobRunner, ScheduledJobRunner {
  /** Kubernetes service account of a job that always exists; other jobs of the identity use it too. */
  private accountName: string | undefined;

  constructor(private readonly props: KubernetesJobsProps) {}

  /**
   * The name contains a hash of the values on which the job depends, so a changed value creates a new job. A new
   * version of a secret does the same, because its copy has a new name. A finished job is kept, because the next apply
   * would run a deleted job again.
   */
  runOnce(scope: Construct, id: string, job: OneTimeJobSpec): OneTimeJob {
    const { identity, namespace } = this.props;
    const self = new Construct(scope, id);
    const { name, secret, spec } = this.addPod(self, job);
    const run = new TerraformLocal(self, "Run", shortHash(Fn.sha256(Fn.jsonencode(job.rerunWhenChanged))));
    const resource = new JobV1(self, MAIN_CHILD_ID, {
      metadata: namespace.metadataOf(`${name}-${run.asString}`),
      waitForCompletion: true,
      spec,
      // All attempts together, including their start. A replaced job is deleted with its pods, which stop at once.
      timeouts: { create: "45m", update: "45m", delete: "5m" },
      count: countIf(job.condition),
      dependsOn: namespace.grantsTo(identity, job.container),
    });
    explain(
      resource,
      "What it depends on is in its name, so that a change to that makes another job, which runs again.",
    );
    completePodTemplate(resource, job.container, secret);
    return { jobName: metadataName(resource), ready: [resource] };
  }

  /** Never runs while an earlier run is active. The last runs are kept, with their logs. */
  schedule(scope: Construct, id: string, job: ScheduledJobSpec): ScheduledJob {
    const { name, resource } = this.addCronJob(new Construct(scope, id), job, {
      schedule: job.schedule,
      timezone: job.timeZone,
    });
    const runCommand = `${this.inNamespace} create job ${name}-$(date +%s) --from=cronjob/${name}`;
    return { jobName: name, runCommand, ready: [resource] };
  }

  /** A permanently suspended schedule, because a cluster has no other kind of template for a job. */
  byHand(scope: Construct, id: string, job: ManualJobSpec): ManualJob {
    const { placeholder, variable } = job.given;
    const container = withVariable(job.container, variable);
    const { name, resource } = this.addCronJob(
      new Construct(scope, id),
      { ...job, container },
      // A date that does not exist, so that the schedule never runs even if somebody resumes it.
      { schedule: "0 0 31 2 *", suspend: true },
    );
    // `kubectl create job --from` accepts no variables, so the command adds them to the manifest before it creates the
    // job.
    const runCommand = [
      `${this.inNamespace} create job ${name}-$(date +%s) --from=cronjob/${name} --dry-run=client --output=yaml`,
      `kubectl set env --local --filename=- --containers=${job.name} --output=yaml ${variable}=${placeholder}`,
      `${this.inNamespace} create --filename=-`,
    ].join(" | ");
    return { jobName: name, runCommand, ready: [resource] };
  }

  private get inNamespace(): string {
    return `kubectl --namespace=${this.props.namespace.namespaceName}`;
  }

  private addCronJob(scope: Construct, job: JobSpec, times: Pick<CronJobV1Spec, "schedule" | "suspend" | "timezone">) {
    const { identity, namespace } = this.props;
    const { name, script, secret, spec } = this.addPod(scope, job, namespace.labels);
    const resource = new CronJobV1(scope, MAIN_CHILD_ID, {
      metadata: namespace.metadataOf(name),
      spec: {
        ...times,
        concurrencyPolicy: "Forbid",
        // A run that could not start within an hour, for example during an upgrade of the control plane, is skipped.
        startingDeadlineSeconds: 3600,
        successfulJobsHistoryLimit: KEPT_RUNS,
        failedJobsHistoryLimit: KEPT_RUNS,
        jobTemplate: { metadata: { labels: namespace.labels }, spec },
      },
      count: countIf(job.condition),
      // Otherwise the old script would be deleted while the schedule can still start a pod that mounts it.
      lifecycle: { replaceTriggeredBy: [dependable(script)] },
      dependsOn: namespace.grantsTo(identity, job.container),
    });
    completePodTemplate(resource, job.container, secret, { podPath: "spec.job_template.spec.template.spec" });
    return { name, resource };
  }

  /**
   * Adds the objects for the pods of a job: script, secrets and service account.
   *
   * @param labels further labels of the pods; a change replaces a job and runs it again
   */
  private addPod(scope: Construct, { condition, container, ...job }: JobSpec, labels?: Labels) {
    const { identity, namespace, context } = this.props;
    const name = objectName(context.deployment, job.name);
    const script = new ConfigMapV1(scope, "Script", {
      metadata: namespace.metadataOf(`${name}-${shortHash(job.script.sha256)}`),
      immutable: true,
      data: { [job.scriptName]: job.script.text },
      count: countIf(condition),
    });
    const { projectId } = context;
    const secret = addWorkloadSecret(scope, container, { name, namespace, condition, projectId });
    const accountName = this.accountName ?? namespace.addAccount(scope, name, identity, condition);
    if (condition === undefined) this.accountName = accountName;
    const template = podTemplate({
      container,
      accountName,
      labels: labelsWith(labels, partLabels(context, job.name)),
      details: {
        name: job.name,
        command: [...(job.interpreter ?? SHELL), `${SCRIPT_FOLDER}/${job.scriptName}`],
        volumeMount: [{ name: "script", mountPath: SCRIPT_FOLDER, readOnly: true }],
      },
      volumes: [
        {
          name: "script",
          // Read and execute for all users, because the files belong to root.
          configMap: { name: metadataName(script), defaultMode: "0555" },
        },
      ],
      // A script closes its connections before it stops the proxy; a wait for other connections would end in an error.
      proxyGraceSeconds: 0,
      own: {
        nodeSelector: namespace.nodeSelector,
        // Every attempt is a new pod, because the proxy of the old one has quit.
        restartPolicy: "Never",
        activeDeadlineSeconds: job.timeoutSeconds,
        // A script reacts to signals at once, and its last step takes seconds.
        terminationGracePeriodSeconds: 30,
      },
    });
    // Ten minutes for a new node and the images, in addition to the attempts.
    const activeDeadlineSeconds = 600 + job.timeoutSeconds * (job.maxRetries + 1);
    return { name, script, secret, spec: { backoffLimit: job.maxRetries, activeDeadlineSeconds, template } };
  }
}

/** Finished runs of a scheduled job to keep, per outcome. */
const KEPT_RUNS = 3;

const SCRIPT_FOLDER = "/scripts";
