import { ConfigMapV1 } from "@cdktf/provider-kubernetes/lib/config-map-v1";
import { type DeploymentV1SpecTemplate } from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { type Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { type Labels, labelsWith } from "../../core/labels";
import { objectName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { type JobSpec } from "../../idp/job-runner";
import { type WorkloadIdentity } from "../parts";
import { JOB_GRACE_SECONDS, JOB_SIZE, JOB_START_SECONDS, SCRIPT_FOLDER, SCRIPT_MODE } from "./kubernetes-defaults";
import { metadataName, shortHash } from "./object-metadata";
import { podTemplate } from "./pod-template";
import { WorkloadAccount } from "./workload-account";
import { type WorkloadNamespace } from "./workload-namespace";
import { WorkloadSecret } from "./workload-secret";

/** What the jobs of one service account have in common. */
export interface KubernetesJobsProps {
  /** Service account that the jobs act as. It is granted access to what each job uses. */
  readonly identity: WorkloadIdentity;

  /** Namespace that the jobs run in. */
  readonly namespace: WorkloadNamespace;

  /** Determines the names, and the project of the secrets. */
  readonly place: DeploymentContext;
}

export interface KubernetesJobProps extends KubernetesJobsProps {
  readonly job: JobSpec;
}

/** The pod of a job, and the objects that it refers to. */
interface JobPod {
  /** Name of the job, or its beginning. */
  readonly name: string;

  readonly script: ConfigMapV1;

  readonly secret: WorkloadSecret;

  /** The common part of a job and a job template. */
  readonly spec: {
    readonly backoffLimit: number;
    readonly activeDeadlineSeconds: number;
    readonly template: DeploymentV1SpecTemplate;
  };
}

/**
 * Adds to a construct what the pods of a job need: script, secrets and service account.
 *
 * @param labels further labels of the pods; a change replaces a job, and so runs it again
 */
export function addJobPod(
  scope: Construct,
  { identity, job, namespace, place }: KubernetesJobProps,
  labels?: Labels,
): JobPod {
  const { condition, container } = job;
  const name = objectName(place.deployment, job.name);

  const script = new ConfigMapV1(scope, "Script", {
    metadata: namespace.metadataOf(`${name}-${shortHash(job.script.sha256)}`),
    immutable: true,
    data: { [job.scriptName]: job.script.text },
    count: countIf(condition),
  });
  const secret = new WorkloadSecret(scope, "Secrets", {
    name,
    namespace,
    condition,
    projectId: place.projectId,
    values: container.secretEnvironment,
    settings: container.secretSettings,
  });
  const template = podTemplate({
    account: new WorkloadAccount(scope, "Account", { namespace, name, identity, condition }),
    labels: labelsWith(labels, {
      "app.kubernetes.io/name": place.deployment.applicationName,
      "app.kubernetes.io/component": job.name,
    }),
    secret,
    container,
    details: {
      name: job.name,
      command: ["/bin/sh", `${SCRIPT_FOLDER}/${job.scriptName}`],
      volumeMount: [{ name: SCRIPT_VOLUME, mountPath: SCRIPT_FOLDER, readOnly: true }],
    },
    resources: container.resources ?? JOB_SIZE,
    volumes: [
      {
        name: SCRIPT_VOLUME,
        configMap: { name: metadataName(script, script.metadata.name), defaultMode: SCRIPT_MODE },
      },
    ],
    // A script closes its connections before it stops the proxy; waiting for others would end in an error.
    proxyGraceSeconds: 0,
    // Every attempt is a new pod, because the proxy of the old one has quit.
    restartPolicy: "Never",
    activeDeadlineSeconds: job.timeoutSeconds,
    terminationGracePeriodSeconds: JOB_GRACE_SECONDS,
  });
  return {
    name,
    script,
    secret,
    spec: {
      backoffLimit: job.maxRetries,
      activeDeadlineSeconds: JOB_START_SECONDS + job.timeoutSeconds * (job.maxRetries + 1),
      template,
    },
  };
}

const SCRIPT_VOLUME = "script";
