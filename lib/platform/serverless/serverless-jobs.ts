import { CloudRunV2Job } from "@cdktf/provider-google/lib/cloud-run-v2-job";
import { SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret";
import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { SecretManagerSecretVersion } from "@cdktf/provider-google/lib/secret-manager-secret-version";
import { dependable, Fn, TerraformStack, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { claimName } from "../../core/claimed-names";
import { type Identity } from "../../core/identity";
import { JOB_NAME_AND_TOKEN_MAX_LENGTH, jobName, secretId } from "../../core/names";
import { setNewerAttribute } from "../../core/newer-attribute";
import { type DeploymentPlace, PLACE_RULES, REQUIRED_PLACE } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { nameRules, requireProps, RESOURCE_NAME, type Rule } from "../../core/rules";
import { TerraformData } from "../../core/terraform-data";
import { containerRules } from "../../idp/container-spec";
import { REQUIRED_JOB, type JobRunner, type OneTimeJob, type OneTimeJobSpec } from "../../idp/job-runner";
import { grantsTo } from "../environment";
import { attachmentRules, type NetworkAttachment } from "../network/network-attachment";
import { completeTemplate, containerBlock, networkAccess, socketPathRule, volumeBlocks } from "./cloud-run-template";
import {
  EXECUTION_ENVIRONMENT,
  EXECUTION_TOKEN_LENGTH,
  JOB_TIMEOUT,
  SCRIPT_FOLDER,
  SCRIPT_MODE,
} from "./serverless-defaults";

export interface ServerlessJobsProps {
  /** Service account that the jobs run as. It is granted access to what each job uses. */
  readonly identity: Identity;

  /** Determines the names, the project and the region of the jobs. */
  readonly place: DeploymentPlace;

  /**
   * What must exist before a job: `apis.ready("run", "secretmanager")`.
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

/** Runs jobs on Cloud Run: creating a job at apply executes it, and the apply waits for it. */
export class ServerlessJobs implements JobRunner {
  constructor(private readonly props: ServerlessJobsProps) {}

  runOnce(scope: Construct, id: string, job: OneTimeJobSpec): ServerlessJob {
    return new ServerlessJob(scope, id, { ...this.props, job });
  }
}

interface ServerlessJobProps extends ServerlessJobsProps {
  readonly job: OneTimeJobSpec;
}

/**
 * A job is replaced, and so runs again, when its trigger changes, but not after other changes or manual executions. It
 * deliberately has no deletion protection, because after a failed run the next apply replaces the job.
 */
export class ServerlessJob extends Construct implements OneTimeJob {
  readonly jobName: string;

  readonly ready: ITerraformDependable[];

  readonly job: CloudRunV2Job;

  constructor(scope: Construct, id: string, props: ServerlessJobProps) {
    super(scope, id);
    requireProps(this, props, { identity: true, place: REQUIRED_PLACE, job: REQUIRED_JOB }, RULES);
    const { dependsOn = [], identity, job, network, place } = props;
    const name = nameOf(props);
    claimName(this, `Cloud Run job in ${place.projectId}`, name);

    const script = this.storedScript(job, place, identity, dependsOn);
    const trigger = new TerraformData(this, "Trigger", { input: { ...job.rerunWhenChanged } });
    this.job = new CloudRunV2Job(this, MAIN_CHILD_ID, {
      project: place.projectId,
      name,
      location: place.region,
      deletionProtection: false,
      labels: place.labels,
      template: {
        taskCount: 1,
        template: {
          serviceAccount: identity.email,
          executionEnvironment: EXECUTION_ENVIRONMENT,
          vpcAccess: networkAccess(network),
          timeout: `${job.timeoutSeconds}s`,
          maxRetries: job.maxRetries,
          containers: [
            {
              ...containerBlock(job.container, [{ name: SCRIPT_VOLUME, mountPath: SCRIPT_FOLDER }]),
              command: ["/bin/sh", `${SCRIPT_FOLDER}/${job.scriptName}`],
              resources: job.container.resources && { limits: { ...job.container.resources } },
            },
          ],
          volumes: volumeBlocks(job.container, [
            {
              name: SCRIPT_VOLUME,
              secret: {
                secret: script.secretId,
                items: [{ path: job.scriptName, version: script.version, mode: SCRIPT_MODE }],
              },
            },
          ]),
        },
      },
      timeouts: { create: JOB_TIMEOUT, update: JOB_TIMEOUT },
      lifecycle: {
        // A manual execution makes Cloud Run forget the token; sending the token again would execute the job again.
        ignoreChanges: ["run_execution_token", "client", "client_version"],
        // By address: CDKTF renders an object here as an expression, which Terraform rejects.
        replaceTriggeredBy: [dependable(trigger)],
      },
      dependsOn: [...script.ready, ...grantsTo(identity, job.container), ...dependsOn],
    });
    completeTemplate(this.job, "template.template", job.container, network);
    // With this token, Cloud Run executes the job and the apply waits for its end.
    const token = Fn.substr(Fn.sha256(Fn.jsonencode(trigger.input)), 0, EXECUTION_TOKEN_LENGTH);
    setNewerAttribute(this.job, "run_execution_token", token);

    this.jobName = this.job.name;
    this.ready = [this.job];
  }

  /** The script as a secret, the only kind of file that Cloud Run mounts without a bucket. */
  private storedScript(
    job: OneTimeJobSpec,
    { deployment, labels }: DeploymentPlace,
    identity: Identity,
    dependsOn: ITerraformDependable[],
  ) {
    const name = secretId(deployment, job.name);
    claimName(this, "secret", name, TerraformStack.of(this));
    const secret = new SecretManagerSecret(this, "Script", {
      secretId: name,
      replication: { auto: {} },
      labels,
      dependsOn,
    });
    const { version } = new SecretManagerSecretVersion(this, "ScriptVersion", {
      secret: secret.id,
      secretData: job.script.base64,
      isSecretDataBase64: true,
      // The job refers to the old version until it is replaced, so the version must not be deleted before.
      lifecycle: { createBeforeDestroy: true },
    });
    // Only jobs read the script, so even an account that takes no other grants gets this one.
    const reader = new SecretManagerSecretIamMember(this, "ScriptReader", {
      secretId: secret.id,
      role: "roles/secretmanager.secretAccessor",
      member: identity.member,
      dependsOn: identity.ready,
    });
    return { secretId: secret.secretId, version, ready: [reader] };
  }
}

const SCRIPT_VOLUME = "script";

/** Cloud Run names an execution after its job and token. */
const JOB_NAME_MAX_LENGTH = JOB_NAME_AND_TOKEN_MAX_LENGTH - EXECUTION_TOKEN_LENGTH;

function nameOf({ job, place }: ServerlessJobProps): string {
  return jobName(place.deployment, job.name);
}

const RULES: readonly Rule<ServerlessJobProps>[] = [
  ...PLACE_RULES,
  ...attachmentRules<ServerlessJobProps>(
    "network",
    ({ network }) => network,
    ({ place }) => place.region,
  ),
  ...nameRules(nameOf, {
    ...RESOURCE_NAME,
    what: "job name",
    maxLength: JOB_NAME_MAX_LENGTH,
    lengthReason: "the name of an execution ends in a token",
  }),
  ...containerRules<ServerlessJobProps>("job.container", ({ job }) => job.container),
  socketPathRule("job.container", ({ job }) => job.container),
];
