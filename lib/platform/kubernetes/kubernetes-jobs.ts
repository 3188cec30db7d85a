import { ConfigMapV1 } from "@cdktf/provider-kubernetes/lib/config-map-v1";
import { JobV1 } from "@cdktf/provider-kubernetes/lib/job-v1";
import { Fn, TerraformLocal, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { objectName, type DeploymentName } from "../../core/names";
import { requireProvider } from "../../core/provider-requirements";
import { requireProps } from "../../core/rules";
import {
  type InitializationJob,
  type InitializationJobPlatform,
  type InitializationJobSpec,
} from "../../idp/initialization-job";
import { type NetworkAttachment } from "../network-attachment";
import { type PostgresqlDatabase } from "../postgresql-database";
import {
  JOB_DELETION_TIMEOUT,
  JOB_GRACE_SECONDS,
  JOB_SIZE,
  JOB_START_SECONDS,
  JOB_TIMEOUT,
  SCRIPT_FOLDER,
  SCRIPT_MODE,
} from "./contract";
import { completePodTemplate, podTemplate } from "./pod-template";
import { type WorkloadAccount } from "./workload-account";
import { type WorkloadNamespace } from "./workload-namespace";
import { WorkloadSecret } from "./workload-secret";

export interface KubernetesJobsProps {
  /** Account that the jobs run as. */
  readonly account: WorkloadAccount;

  /** Database that the proxy beside a job leads to. */
  readonly database: PostgresqlDatabase;

  /** What the names are made of. */
  readonly deployment: DeploymentName;

  readonly namespace: WorkloadNamespace;

  /** Project of the secret store. */
  readonly projectId: string;

  /**
   * Things that must exist before a job runs: database and grants.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Network on which the database has its private address.
   *
   * @default - none, it has a public one
   */
  readonly network?: NetworkAttachment;
}

/**
 * Runs initialization jobs in the cluster: at apply, when they are created, and waited for.
 *
 * A hash of what a job depends on is part of its name, so a change of that makes another job. A finished job stays; if it
 * went, the next apply would run it again.
 */
export class KubernetesJobs implements InitializationJobPlatform {
  constructor(private readonly props: KubernetesJobsProps) {}

  runJob(scope: Construct, id: string, job: InitializationJobSpec): InitializationJob {
    requireProps(scope.node.path, this.props, {
      account: true,
      database: true,
      deployment: true,
      namespace: true,
      projectId: true,
    });
    requireProvider(scope, "kubernetes");
    const { account, database, deployment, namespace, network, projectId } = this.props;
    const name = objectName(deployment, job.name);
    const inNamespace = { namespace: namespace.namespaceName };

    const script = new ConfigMapV1(scope, "Script", {
      metadata: { ...inNamespace, name: `${name}-${hash(job.script.sha256)}` },
      immutable: true,
      data: { [job.scriptName]: job.script.text },
    });
    const secret = new WorkloadSecret(scope, "Secrets", {
      name,
      namespace,
      projectId,
      values: job.secretEnvironment,
    });

    // The provider replaces a job of another name, and so runs it.
    const run = new TerraformLocal(scope, "Run", hash(Fn.sha256(Fn.jsonencode(job.rerunWhenChanged))));
    const kubernetesJob = new JobV1(scope, id, {
      metadata: { ...inNamespace, name: `${name}-${run.asString}` },
      waitForCompletion: true,
      spec: {
        backoffLimit: job.maxRetries,
        activeDeadlineSeconds: JOB_START_SECONDS + job.timeoutSeconds * (job.maxRetries + 1),
        template: podTemplate({
          account,
          labels: { "app.kubernetes.io/name": deployment.applicationName, "app.kubernetes.io/component": job.name },
          secret,
          secretVariables: Object.keys(job.secretEnvironment),
          container: {
            name: job.name,
            image: job.image,
            command: ["/bin/sh", `${SCRIPT_FOLDER}/${job.scriptName}`],
            volumeMount: [{ name: SCRIPT_VOLUME, mountPath: SCRIPT_FOLDER, readOnly: true }],
          },
          resources: JOB_SIZE,
          volumes: [{ name: SCRIPT_VOLUME, configMap: { name: script.metadata.name, defaultMode: SCRIPT_MODE } }],
          // Whoever asks it to quit has closed its connections; waiting for others would end in an error.
          proxy: { database, network, quitsOnRequest: true, graceSeconds: 0 },
          // Every attempt is another pod: within a pod that goes on, a proxy that has quit would be missing.
          restartPolicy: "Never",
          activeDeadlineSeconds: job.timeoutSeconds,
          terminationGracePeriodSeconds: JOB_GRACE_SECONDS,
        }),
      },
      timeouts: { create: JOB_TIMEOUT, update: JOB_TIMEOUT, delete: JOB_DELETION_TIMEOUT },
      dependsOn: [...namespace.ready, ...(this.props.dependsOn ?? [])],
    });
    completePodTemplate(kubernetesJob, { baseline: {}, overrides: {}, required: job.environment });

    return { jobName: kubernetesJob.metadata.name, completed: kubernetesJob };
  }
}

const SCRIPT_VOLUME = "script";

/** Enough to tell any two edits apart, and short enough for a name. */
const HASH_LENGTH = 10;

function hash(sha256: string): string {
  return Fn.substr(sha256, 0, HASH_LENGTH);
}
