import {
  CloudRunV2Job,
  type CloudRunV2JobConfig,
  type CloudRunV2JobTemplateTemplateVolumes,
} from "@cdktf/provider-google/lib/cloud-run-v2-job";
import { CloudRunV2JobIamMember } from "@cdktf/provider-google/lib/cloud-run-v2-job-iam-member";
import { CloudSchedulerJob } from "@cdktf/provider-google/lib/cloud-scheduler-job";
import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { SecretManagerSecretVersion } from "@cdktf/provider-google/lib/secret-manager-secret-version";
import { dependable, Fn, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { CONTEXT_PROP, type DeploymentContext } from "../../core/deployment-context";
import { attributeOf, idOf } from "../../core/expr/attributes";
import { countIf } from "../../core/expr/conditions";
import { explain } from "../../core/hcl/stack-origin";
import { type GrantedAccount, granteeArguments, Grants, grantTo, type WorkloadIdentity } from "../../core/identity";
import { type KnownPropsOf, refuseProps } from "../../core/inputs/known-props";
import { partName, secretId } from "../../core/names";
import { setNewerAttribute } from "../../core/newer-attribute";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { prose } from "../../core/prose";
import { stateProvidersOf } from "../../core/provider-requirements";
import { addSecret } from "../../core/secrets/stored-secret";
import { TerraformData } from "../../core/terraform-data";
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
import { grantsTo, withVariable } from "../environment";
import { type ExistingAccount, ServiceIdentity } from "../identity/service-identity";
import { NETWORK_PROP, type NetworkAttachment } from "../network/network-attachment";
import { addFurtherBlocks, containerBlock, EXECUTION_ENVIRONMENT, templateBlocks } from "./cloud-run-template";

export interface ServerlessJobsProps {
  /** Service account of the jobs. It is granted access to the resources of each job. */
  readonly identity: WorkloadIdentity;

  /** Determines the names, the project and the region of the jobs. */
  readonly context: DeploymentContext;

  /**
   * Dependencies of a job: `apis.ready("run", "secretmanager")`, and for a scheduled job also `cloudscheduler` and
   * `iam`.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Existing account that starts scheduled jobs.
   *
   * @default - one for each job is created, which may start only that job
   */
  readonly starter?: ExistingAccount | undefined;

  /**
   * Existing network on which the database has its private address.
   *
   * @default - none
   */
  readonly network?: NetworkAttachment;
}

const PROPS: KnownPropsOf<ServerlessJobsProps> = {
  context: CONTEXT_PROP,
  dependsOn: "optional",
  identity: "required",
  network: NETWORK_PROP,
  starter: "optional",
};

/** A job that runs the command of its container. */
export interface CommandJobSpec extends Omit<JobSpec, "interpreter" | "script" | "scriptName"> {}

/** The resource, for overrides. */
export interface OnCloudRun {
  readonly job: CloudRunV2Job;
}

/** Purpose of the account that starts a job by its schedule. */
export const starterPurpose = (jobName: string): string => `idp-start-${jobName}`;

/**
 * Runs jobs on Cloud Run: during an apply, which waits for them, on a schedule, or manually.
 *
 * Jobs have no deletion protection, because a job holds no data and the next apply replaces it after a failed run.
 */
export class ServerlessJobs implements ManualJobRunner, ScheduledJobRunner {
  constructor(private readonly props: ServerlessJobsProps) {
    refuseProps("ServerlessJobs", props, PROPS);
  }

  /** Replaced, and therefore run again, if its trigger changes, but not after other changes or manual executions. */
  runOnce(scope: Construct, id: string, job: OneTimeJobSpec): OneTimeJob & OnCloudRun {
    const self = new Construct(scope, id);
    const count = countIf(job.condition);
    const trigger = new TerraformData(self, "Trigger", { triggersReplace: { ...job.rerunWhenChanged }, count });
    const resource = this.addScripted(self, job, {
      ignoreChanges: ["run_execution_token", ...WRITTEN_BY_TOOLS],
      // Given as an address, because CDKTF renders an object here as an expression, which Terraform rejects.
      replaceTriggeredBy: [dependable(trigger)],
    });
    explain(
      resource,
      prose`
        The token makes Cloud Run execute the job, and the apply wait for it. It is ignored later,
        because a manual execution makes Cloud Run forget it. The job is replaced when its trigger is,
        so the next apply repeats a run that failed.
      `,
    );
    // Short, because job name and token together must have fewer than 63 characters.
    const token = Fn.substr(Fn.sha256(Fn.jsonencode(trigger.values)), 0, 8);
    setNewerAttribute(resource, "run_execution_token", token);
    return { job: resource, jobName: count === undefined ? resource.name : this.nameOf(job), ready: [resource] };
  }

  /**
   * Started by Cloud Scheduler, under a service account that may only start this job.
   *
   * One run lasts at most `timeoutSeconds` for each attempt, so a schedule with longer pauses never has two at once.
   */
  schedule(
    scope: Construct,
    id: string,
    job: ScheduledJobSpec,
  ): ScheduledJob & OnCloudRun & { readonly scheduler: CloudSchedulerJob } {
    const { dependsOn = [], context, starter } = this.props;
    const { projectId: project, region } = context;
    const starts = new ServiceIdentity(scope, `${id}Starter`, {
      context,
      dependsOn,
      condition: job.condition,
      existing: starter,
      purpose: starterPurpose(job.name),
      description: `Starts the job ${job.name} by its schedule`,
    });
    const self = new Construct(scope, id);
    const name = this.nameOf(job);
    const count = countIf(job.condition);
    const resource = this.addScripted(self, job, { ignoreChanges: WRITTEN_BY_TOOLS });
    const mayStart = new Grants(self).to(
      starts,
      (id, account) =>
        new CloudRunV2JobIamMember(self, id === starts.name ? "MayStart" : "ExistingMayStart", {
          project,
          location: region,
          name,
          role: "roles/run.invoker",
          ...granteeArguments(account, true, resource),
        }),
    );
    const scheduler = new CloudSchedulerJob(self, "Schedule", {
      project,
      region,
      name,
      count,
      schedule: job.schedule,
      timeZone: job.timeZone,
      // Time limit of the request that starts the job; nobody waits for the job itself, which Cloud Run repeats. If a
      // job starts but no response arrives, it runs beside the repeated one.
      attemptDeadline: "60s",
      retryConfig: { retryCount: 3 },
      httpTarget: {
        httpMethod: "POST",
        uri: `https://run.googleapis.com/v2/projects/${project}/locations/${region}/jobs/${name}:run`,
        oauthToken: { serviceAccountEmail: starts.email, scope: "https://www.googleapis.com/auth/cloud-platform" },
      },
      dependsOn: mayStart,
    });
    return { job: resource, jobName: name, runCommand: this.executeCommand(name), scheduler, ready: [scheduler] };
  }

  /** Run only manually, with `runCommand`, optionally followed by arguments; an unused job costs nothing. */
  onDemand(scope: Construct, id: string, job: CommandJobSpec): Omit<ScheduledJob, "jobName"> & OnCloudRun {
    const { dependsOn } = this.props;
    const lifecycle = { ignoreChanges: WRITTEN_BY_TOOLS };
    const resource = this.add(new Construct(scope, id), job, { lifecycle, dependsOn });
    const runCommand = this.executeCommand(attributeOf(resource, "name").text);
    return { job: resource, runCommand, ready: [resource] };
  }

  /** A job on demand with a script, and with a variable that the command sets. */
  byHand(scope: Construct, id: string, job: ManualJobSpec): ManualJob & OnCloudRun {
    const { placeholder, variable } = job.given;
    const self = new Construct(scope, id);
    const container = withVariable(job.container, variable);
    const resource = this.addScripted(self, { ...job, container }, { ignoreChanges: WRITTEN_BY_TOOLS });
    const name = this.nameOf(job);
    const runCommand = `${this.executeCommand(name)} --update-env-vars=${variable}=${placeholder}`;
    return { job: resource, jobName: name, runCommand, ready: [resource] };
  }

  /** The command that runs a job and waits for its end; arguments may follow. */
  private executeCommand(name: string): string {
    const { projectId, region } = this.props.context;
    return `gcloud run jobs execute ${name} --region=${region} --project=${projectId} --wait`;
  }

  private addScripted(scope: Construct, job: JobSpec, lifecycle: CloudRunV2JobConfig["lifecycle"]): CloudRunV2Job {
    const { interpreter = SHELL } = job;
    const { secretName, version, ready } = this.storeScript(scope, job);
    // Read and execute for all users: the files belong to root, and the job may run as another user.
    const items = [{ path: job.scriptName, version, mode: 0o555 }];
    return this.add(
      scope,
      { ...job, container: { ...job.container, command: [...interpreter, `${SCRIPT_FOLDER}/${job.scriptName}`] } },
      // A job may wait for the database, fail and retry, each time up to its own limit.
      { lifecycle, timeouts: { create: "40m", update: "40m" }, dependsOn: ready },
      [{ name: "script", secret: { secret: secretName, items } }],
    );
  }

  /** @param files volumes in addition to those of the container */
  private add(
    scope: Construct,
    { condition, container, maxRetries, name, timeoutSeconds }: CommandJobSpec,
    { dependsOn: before = [], ...own }: Pick<CloudRunV2JobConfig, "dependsOn" | "lifecycle" | "timeouts">,
    files: readonly CloudRunV2JobTemplateTemplateVolumes[] = [],
  ): CloudRunV2Job {
    stateProvidersOf(scope);
    const { identity, network, context } = this.props;
    const { labels, projectId, region } = context;
    const mounts = files.map(({ name: file }) => ({ name: file, mountPath: SCRIPT_FOLDER }));
    const resource = new CloudRunV2Job(scope, MAIN_CHILD_ID, {
      project: projectId,
      name: this.nameOf({ name }),
      location: region,
      deletionProtection: false,
      labels,
      template: {
        labels,
        taskCount: 1,
        template: {
          serviceAccount: identity.email,
          executionEnvironment: EXECUTION_ENVIRONMENT,
          timeout: `${timeoutSeconds}s`,
          maxRetries,
          containers: [containerBlock(container, mounts)],
          ...templateBlocks(container, network, files),
        },
      },
      count: countIf(condition),
      dependsOn: [...before, ...grantsTo(identity, container), ...(network?.dependsOn ?? [])],
      ...own,
    });
    addFurtherBlocks(resource, "template.template", container, network);
    return resource;
  }

  /** The script as a secret, the only kind of file that Cloud Run mounts without a bucket. */
  private storeScript(scope: Construct, job: JobSpec) {
    const { dependsOn = [], identity, context } = this.props;
    const { deployment, labels, projectId: project, region, secretLocations = [region] } = context;
    const count = countIf(job.condition);
    const name = secretId(deployment, job.name);
    const secret = addSecret(scope, "Script", secretLocations, { project, secretId: name, labels, count, dependsOn });
    const stored = new SecretManagerSecretVersion(scope, "ScriptVersion", {
      secret: idOf(secret),
      secretData: job.script.base64,
      isSecretDataBase64: true,
      count,
      // The job refers to the old version until it is replaced, so that must not be deleted first.
      lifecycle: { createBeforeDestroy: true },
    });
    // Even an account that takes no other grants gets this one, because only jobs read the script.
    const readers = (identity.granted ?? [identity]).map((account: GrantedAccount) => {
      const id = account.name === identity.name ? "ScriptReader" : "ScriptExistingReader";
      const grant = new SecretManagerSecretIamMember(scope, id, {
        project,
        secretId: idOf(secret),
        role: "roles/secretmanager.secretAccessor",
        ...granteeArguments(account, job.condition),
      });
      return grantTo(account, grant);
    });
    return {
      secretName: attributeOf(secret, "secret_id").text,
      version: attributeOf(stored, "version").text,
      ready: readers,
    };
  }

  private nameOf({ name }: { readonly name: string }): string {
    return partName(this.props.context.deployment, name);
  }
}

/** Every tool that changes a job writes its own name there. */
const WRITTEN_BY_TOOLS = ["client", "client_version"];

/** Folder of a job's script; the mount hides anything else in it. */
const SCRIPT_FOLDER = "/scripts";
