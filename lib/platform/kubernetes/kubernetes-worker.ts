import { DeploymentV1 } from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { labelsWith } from "../../core/labels";
import { objectName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ContainerSpec } from "../../idp/container-spec";
import { WORKER_DEFAULTS, WORKER_NAME } from "../../idp/worker";
import { type WorkloadIdentity, type SeparateWorker } from "../parts";
import { autoscaling, rollout, rolloutTimeouts, spreadOverZones } from "./autoscaling";
import { PROXY_GRACE_SECONDS, SHARED_MEMORY, TERMINATION_GRACE_SECONDS, WORKER_PROBES } from "./kubernetes-defaults";
import { type KubernetesWorkload } from "./kubernetes-workload";
import { completePodTemplate, podTemplate } from "./pod-template";
import { type WorkloadNamespace } from "./workload-namespace";

export interface KubernetesWorkerProps {
  /** Container to run, without a port and without probes. */
  readonly container: ContainerSpec;

  /** Service account that the pods act as. It is granted access to what the container uses. */
  readonly identity: WorkloadIdentity;

  /** Namespace that the pods run in. */
  readonly namespace: WorkloadNamespace;

  /** Determines the names. */
  readonly place: DeploymentContext;

  /** The server, whose service account, secrets and address the workers share, and whose rollouts wait for them. */
  readonly server: KubernetesWorkload;

  /** Whether it exists, as a string: `true`, `false` or a boolean expression. Default: "true". */
  readonly condition?: string;

  /** Maximum number of pods, plus one during a rollout. */
  readonly maxInstanceCount: number;

  /** Minimum number of pods. */
  readonly minInstanceCount: number;
}

/**
 * A deployment of workers, separate from that of the server, with its own autoscaler and disruption budget.
 *
 * Nothing can connect to its pods. It holds no data: a task that a stopped pod has not finished waits in the database.
 */
export class KubernetesWorker extends Construct implements SeparateWorker {
  /** Labels of its pods, by which others select them. */
  readonly podLabels: Readonly<Record<string, string>>;

  readonly ready: ITerraformDependable[];

  readonly workerName: string;

  /** The deployment itself, for overrides. */
  readonly workload: DeploymentV1;

  constructor(scope: Construct, id: string, props: KubernetesWorkerProps) {
    super(scope, id);
    const { container, identity, maxInstanceCount, minInstanceCount, namespace, place, server } = props;
    const count = countIf(props.condition);
    this.workerName = objectName(place.deployment, WORKER_NAME);
    this.podLabels = { ...server.podLabels, "app.kubernetes.io/component": WORKER_NAME };

    const metadata = namespace.metadataOf(this.workerName);
    this.workload = new DeploymentV1(this, MAIN_CHILD_ID, {
      metadata,
      spec: {
        ...rollout(this.podLabels),
        minReadySeconds: container.healthCommand && WORKER_PROBES.minReadySeconds,
        template: podTemplate({
          account: server.account,
          labels: labelsWith(namespace.labels, this.podLabels),
          secret: server.secret,
          container,
          details: {
            name: WORKER_NAME,
            ...healthProbes(container.healthCommand),
            volumeMount: [{ name: SHARED_MEMORY_VOLUME, mountPath: SHARED_MEMORY.mountPath }],
          },
          resources: container.resources ?? DEFAULT_RESOURCES,
          volumes: [{ name: SHARED_MEMORY_VOLUME, emptyDir: { medium: "Memory", sizeLimit: SHARED_MEMORY.sizeLimit } }],
          proxyGraceSeconds: PROXY_GRACE_SECONDS,
          terminationGracePeriodSeconds: TERMINATION_GRACE_SECONDS,
          topologySpreadConstraint: spreadOverZones(this.podLabels),
        }),
      },
      timeouts: rolloutTimeouts(maxInstanceCount),
      count,
      dependsOn: namespace.grantsTo(identity, container),
    });
    completePodTemplate(this.workload, container, server.secret, { address: server.address });
    const scaling = autoscaling(this, {
      metadata,
      workload: this.workload,
      workloadName: this.workerName,
      containerName: WORKER_NAME,
      minInstanceCount,
      maxInstanceCount,
      podLabels: this.podLabels,
      count,
    });
    // A separate worker must be running before the last worker beside a server stops.
    server.startAfter(this.workload);

    this.ready = [this.workload, ...scaling];
  }
}

const SHARED_MEMORY_VOLUME = "shared-memory";

const DEFAULT_RESOURCES = { cpu: String(WORKER_DEFAULTS.cpu), memory: WORKER_DEFAULTS.memory };

/** Probes that run a command in the container, because nothing can connect to it. */
function healthProbes(command: readonly string[] | undefined) {
  if (command === undefined) return {};
  const exec = { command: [...command] };
  const running = { exec, ...WORKER_PROBES.running };
  return { startupProbe: { exec, ...WORKER_PROBES.startup }, livenessProbe: running, readinessProbe: running };
}
