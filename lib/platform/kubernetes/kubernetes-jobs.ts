import { ConfigMapV1 } from "@cdktf/provider-kubernetes/lib/config-map-v1";
import { JobV1 } from "@cdktf/provider-kubernetes/lib/job-v1";
import { Fn, TerraformLocal, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { claimName } from "../../core/claimed-names";
import { objectName } from "../../core/names";
import { type DeploymentPlace, PLACE_RULES, REQUIRED_PLACE } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { requireProvider } from "../../core/provider-requirements";
import { requireProps, type Rule } from "../../core/rules";
import { containerRules } from "../../idp/container-spec";
import { REQUIRED_JOB } from "../../idp/job-runner";
import { type Identity, type JobRunner, type OneTimeJob, type OneTimeJobSpec } from "../parts";
import {
  JOB_DELETION_TIMEOUT,
  JOB_GRACE_SECONDS,
  JOB_SIZE,
  JOB_START_SECONDS,
  JOB_TIMEOUT,
  SCRIPT_FOLDER,
  SCRIPT_MODE,
} from "./kubernetes-defaults";
import { completePodTemplate, podTemplate } from "./pod-template";
import { WorkloadAccount } from "./workload-account";
import { type WorkloadNamespace } from "./workload-namespace";
import { secretVariablesRule, WorkloadSecret } from "./workload-secret";

export interface KubernetesJobsProps {
  /** Service account that the jobs act as. It is granted access to what each job uses. */
  readonly identity: Identity;

  /** Namespace that the jobs run in. */
  readonly namespace: WorkloadNamespace;

  /** Determines the names, and the project of the secrets. */
  readonly place: DeploymentPlace;

  /**
   * What must exist before a job runs, in addition to what it uses.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
}

/** Runs jobs in a cluster: creating a job at apply runs it, and the apply waits for it. */
export class KubernetesJobs implements JobRunner {
  constructor(private readonly props: KubernetesJobsProps) {}

  runOnce(scope: Construct, id: string, job: OneTimeJobSpec): KubernetesJob {
    return new KubernetesJob(scope, id, { ...this.props, job });
  }
}

interface KubernetesJobProps extends KubernetesJobsProps {
  readonly job: OneTimeJobSpec;
}

/**
 * The name contains a hash of the values that the job depends on, so a change of these creates another job. A finished
 * job stays; if it were deleted, the next apply would run it again.
 */
export class KubernetesJob extends Construct implements OneTimeJob {
  readonly jobName: string;

  readonly ready: ITerraformDependable[];

  readonly job: JobV1;

  constructor(scope: Construct, id: string, props: KubernetesJobProps) {
    super(scope, id);
    requireProps(this, props, { identity: true, namespace: true, place: REQUIRED_PLACE, job: REQUIRED_JOB }, RULES);
    requireProvider(this, "kubernetes");
    const { dependsOn = [], identity, job, namespace, place } = props;
    const { container } = job;
    const name = objectName(place.deployment, job.name);
    claimName(this, "Kubernetes job", name, namespace);
    const inNamespace = { namespace: namespace.namespaceName };

    const script = new ConfigMapV1(this, "Script", {
      metadata: { ...inNamespace, name: `${name}-${hash(job.script.sha256)}` },
      immutable: true,
      data: { [job.scriptName]: job.script.text },
    });
    const secret = new WorkloadSecret(this, "Secrets", {
      name,
      namespace,
      projectId: place.projectId,
      values: container.secretEnvironment,
      settings: container.secretSettings,
    });

    // With another name, the provider replaces the job, and so runs it again.
    const run = new TerraformLocal(this, "Run", hash(Fn.sha256(Fn.jsonencode(job.rerunWhenChanged))));
    this.job = new JobV1(this, MAIN_CHILD_ID, {
      metadata: { ...inNamespace, name: `${name}-${run.asString}` },
      waitForCompletion: true,
      spec: {
        backoffLimit: job.maxRetries,
        activeDeadlineSeconds: JOB_START_SECONDS + job.timeoutSeconds * (job.maxRetries + 1),
        template: podTemplate({
          account: new WorkloadAccount(this, "Account", { namespace, name, identity }),
          labels: {
            "app.kubernetes.io/name": place.deployment.applicationName,
            "app.kubernetes.io/component": job.name,
          },
          secret,
          container,
          details: {
            name: job.name,
            command: ["/bin/sh", `${SCRIPT_FOLDER}/${job.scriptName}`],
            volumeMount: [{ name: SCRIPT_VOLUME, mountPath: SCRIPT_FOLDER, readOnly: true }],
          },
          resources: container.resources ?? JOB_SIZE,
          volumes: [{ name: SCRIPT_VOLUME, configMap: { name: script.metadata.name, defaultMode: SCRIPT_MODE } }],
          // A script closes its connections before it stops the proxy; waiting for others would end in an error.
          proxyGraceSeconds: 0,
          // Every attempt is a new pod: in the same pod, the proxy that has quit would be missing.
          restartPolicy: "Never",
          activeDeadlineSeconds: job.timeoutSeconds,
          terminationGracePeriodSeconds: JOB_GRACE_SECONDS,
        }),
      },
      timeouts: { create: JOB_TIMEOUT, update: JOB_TIMEOUT, delete: JOB_DELETION_TIMEOUT },
      dependsOn: [...namespace.grantsTo(identity, container), ...dependsOn],
    });
    completePodTemplate(this.job, container, secret);

    this.jobName = this.job.metadata.name;
    this.ready = [this.job];
  }
}

const RULES: readonly Rule<KubernetesJobProps>[] = [
  ...PLACE_RULES,
  ...containerRules<KubernetesJobProps>("job.container", ({ job }) => job.container),
  secretVariablesRule(({ job }) => job.container.secretEnvironment),
];

const SCRIPT_VOLUME = "script";

/** Enough to tell any two edits apart, and short enough for a name. */
const HASH_LENGTH = 10;

function hash(sha256: string): string {
  return Fn.substr(sha256, 0, HASH_LENGTH);
}
