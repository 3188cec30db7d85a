import { CloudRunV2Job, type CloudRunV2JobConfig } from "@cdktf/provider-google/lib/cloud-run-v2-job";
import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { SecretManagerSecretVersion } from "@cdktf/provider-google/lib/secret-manager-secret-version";
import { type ITerraformDependable, type TerraformResource } from "cdktf";
import { type Construct } from "constructs";

import { countIf, oneAttribute } from "../../core/conditional";
import { expression } from "../../core/expression";
import { type WorkloadIdentity } from "../../core/identity";
import { jobName, secretId } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { addSecret } from "../../core/stored-secret";
import { type JobSpec } from "../../idp/job-runner";
import { grantsTo } from "../environment";
import { type NetworkAttachment } from "../network/network-attachment";
import { addDynamicBlocks, containerBlock, jobBlock, volumeBlocks } from "./cloud-run-template";
import { JOB_TIMEOUT, SCRIPT_FOLDER, SCRIPT_MODE } from "./serverless-defaults";

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

export interface CloudRunJobProps extends ServerlessJobsProps {
  readonly job: JobSpec;
}

/**
 * Adds a job to a construct, and the secret with its script.
 *
 * @param own arguments beside the template
 */
export function addCloudRunJob(
  scope: Construct,
  props: CloudRunJobProps,
  own: Pick<CloudRunV2JobConfig, "lifecycle">,
): CloudRunV2Job {
  const { dependsOn = [], identity, job, network, place } = props;
  const name = cloudRunJobName(props);
  const script = storedScript(scope, props);
  const resource = new CloudRunV2Job(scope, MAIN_CHILD_ID, {
    ...jobBlock(
      { identity, maxRetries: job.maxRetries, name, network, place, timeoutSeconds: job.timeoutSeconds },
      {
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
    ),
    timeouts: { create: JOB_TIMEOUT, update: JOB_TIMEOUT },
    count: countIf(job.condition),
    dependsOn: [...script.ready, ...grantsTo(identity, job.container), ...(network?.dependsOn ?? []), ...dependsOn],
    ...own,
  });
  addDynamicBlocks(resource, "template.template", job.container, network);
  return resource;
}

/** The script as a secret, the only kind of file that Cloud Run mounts without a bucket. */
function storedScript(scope: Construct, { dependsOn = [], identity, job, place }: CloudRunJobProps) {
  const { deployment, labels, projectId: project } = place;
  const locations = place.secretLocations ?? [place.region];
  const name = secretId(deployment, job.name);
  const count = countIf(job.condition);
  const attribute = (resource: TerraformResource, attributeName: string): string =>
    count === undefined
      ? resource.getStringAttribute(attributeName)
      : expression(oneAttribute(resource, attributeName));
  const secret = addSecret(scope, "Script", locations, { project, secretId: name, labels, count, dependsOn });
  const stored = new SecretManagerSecretVersion(scope, "ScriptVersion", {
    secret: attribute(secret, "id"),
    secretData: job.script.base64,
    isSecretDataBase64: true,
    count,
    // The job refers to the old version until it is replaced, so that must not be deleted first.
    lifecycle: { createBeforeDestroy: true },
  });
  // Only jobs read the script, so even an account that takes no other grants gets this one.
  const reader = new SecretManagerSecretIamMember(scope, "ScriptReader", {
    project,
    secretId: attribute(secret, "id"),
    role: "roles/secretmanager.secretAccessor",
    member: identity.member,
    count,
    dependsOn: identity.ready,
  });
  return { secretId: attribute(secret, "secret_id"), version: attribute(stored, "version"), ready: [reader] };
}

const SCRIPT_VOLUME = "script";

export function cloudRunJobName({ job, place }: CloudRunJobProps): string {
  return jobName(place.deployment, job.name);
}
