import { DeploymentV1 } from "@cdktf/provider-kubernetes/lib/deployment-v1";
import { dependable as addressOf, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type ValuesOf } from "../../core/inputs";
import { labelsWith } from "../../core/labels";
import { objectName } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type ContainerSpec } from "../../idp/container-spec";
import { MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT, RESOURCES } from "../../idp/contract";
import { type WorkloadIdentity, type Workload, type WorkloadAddress } from "../parts";
import { autoscaling, rollout, rolloutTimeouts, spreadOverZones } from "./autoscaling";
import { type GEOIP } from "./geoip";
import { GeoipUpdater } from "./geoip-updater";
import {
  DRAIN_SECONDS,
  PROXY_GRACE_SECONDS,
  SERVER_CONTAINER,
  SHARED_MEMORY,
  TERMINATION_GRACE_SECONDS,
} from "./kubernetes-defaults";
import { completePodTemplate, podTemplate, probe } from "./pod-template";
import { WorkloadAccount } from "./workload-account";
import { type WorkloadNamespace } from "./workload-namespace";
import { WorkloadSecret } from "./workload-secret";

export interface KubernetesWorkloadProps {
  /** Container to run. */
  readonly container: ContainerSpec;

  /** Service account that the pods act as. It is granted access to what the container uses. */
  readonly identity: WorkloadIdentity;

  /** Namespace that the pods run in. */
  readonly namespace: WorkloadNamespace;

  /** Determines the names, and the project of the secrets. */
  readonly place: DeploymentContext;

  /**
   * Address that clients connect to. The application takes it as the base of its own links and trusts it as a proxy,
   * because the HTTPS load balancer adds it to X-Forwarded-For. Variables of the container override the base. Default:
   * none; nothing outside the cluster reaches it.
   */
  readonly address?: WorkloadAddress;

  /**
   * Databases that tell the application where a client's address is, kept current in each pod. Default: those of the
   * image.
   */
  readonly geoip?: ValuesOf<typeof GEOIP>["geoip"];

  /**
   * Maximum number of pods, plus one during a rollout; each takes the connections that its container says.
   * Default: 3.
   */
  readonly maxInstanceCount?: number;

  /** Minimum number of pods. Default: 1. */
  readonly minInstanceCount?: number;
}

/**
 * A deployment of a container that scales by its CPU; a rollout replaces one pod at a time.
 *
 * The application is set to trust Google's load balancers, unless the container has its own list. The new pod migrates
 * the database and is ready before an old one stops. The deployment holds no data: if its first start fails, the next
 * apply replaces it.
 */
export class KubernetesWorkload extends Construct implements Workload {
  readonly address: WorkloadAddress | undefined;

  readonly podLabels: Readonly<Record<string, string>>;

  readonly ready: ITerraformDependable[];

  /** Service account of the pods. */
  readonly account: WorkloadAccount;

  /** Copies of the secrets that the pods read. */
  readonly secret: WorkloadSecret;

  /** Name of the deployment; what refers to it waits for the deployment. */
  readonly workloadName: string;

  /** The deployment itself, for overrides. */
  readonly workload: DeploymentV1;

  constructor(scope: Construct, id: string, props: KubernetesWorkloadProps) {
    super(scope, id);
    const { container, geoip, identity, namespace, place } = props;
    const { maxInstanceCount = MAX_INSTANCE_COUNT, minInstanceCount = MIN_INSTANCE_COUNT } = props;
    const { livenessProbe, port, resources = DEFAULT_RESOURCES, startupProbe, tlsPort } = container;
    const name = objectName(place.deployment);
    const metadata = namespace.metadataOf(name);
    this.address = props.address;
    this.podLabels = {
      "app.kubernetes.io/name": place.deployment.applicationName,
      "app.kubernetes.io/component": "server",
    };

    this.account = new WorkloadAccount(this, "Account", { namespace, name, identity });
    this.secret = new WorkloadSecret(this, "Secrets", {
      name,
      namespace,
      projectId: place.projectId,
      values: container.secretEnvironment,
      settings: container.secretSettings,
    });

    const updater = geoip && new GeoipUpdater(this, "Geoip", { geoip, namespace, place });
    this.workload = new DeploymentV1(this, MAIN_CHILD_ID, {
      metadata,
      spec: {
        ...rollout(this.podLabels),
        template: podTemplate({
          account: this.account,
          labels: labelsWith(namespace.labels, this.podLabels),
          secret: this.secret,
          container,
          details: {
            name: SERVER_CONTAINER,
            port: [
              ...(port === undefined ? [] : [{ name: "http", containerPort: port }]),
              ...(tlsPort === undefined ? [] : [{ name: "https", containerPort: tlsPort.port }]),
            ],
            startupProbe: probe(startupProbe, port),
            livenessProbe: probe(livenessProbe, port),
            // The HTTP load balancer derives its health check from this probe.
            readinessProbe: startupProbe && probe({ ...startupProbe, ...READINESS_TIMING }, port),
            lifecycle: { preStop: [{ exec: { command: ["sleep", String(DRAIN_SECONDS)] } }] },
            volumeMount: [{ name: SHARED_MEMORY_VOLUME, mountPath: SHARED_MEMORY.mountPath }],
          },
          resources,
          volumes: [{ name: SHARED_MEMORY_VOLUME, emptyDir: { medium: "Memory", sizeLimit: SHARED_MEMORY.sizeLimit } }],
          proxyGraceSeconds: PROXY_GRACE_SECONDS,
          terminationGracePeriodSeconds: TERMINATION_GRACE_SECONDS,
          topologySpreadConstraint: spreadOverZones(this.podLabels),
        }),
      },
      timeouts: rolloutTimeouts(maxInstanceCount),
      dependsOn: namespace.grantsTo(identity, container),
    });
    completePodTemplate(this.workload, container, this.secret, { address: props.address, extension: updater });

    this.workloadName = this.workload.metadata.name;
    const scaling = autoscaling(this, {
      metadata,
      workload: this.workload,
      workloadName: this.workloadName,
      containerName: SERVER_CONTAINER,
      minInstanceCount,
      maxInstanceCount,
      podLabels: this.podLabels,
    });
    this.ready = [this.workload, ...scaling];
  }

  /** Makes a rollout wait for resources that are defined after the deployment. */
  startAfter(...dependables: readonly ITerraformDependable[]): void {
    const others = dependables.map((dependable) => addressOf(dependable));
    this.workload.dependsOn = [...(this.workload.dependsOn ?? []), ...others];
  }
}

const SHARED_MEMORY_VOLUME = "shared-memory";

const DEFAULT_RESOURCES = { cpu: String(RESOURCES.cpu), memory: RESOURCES.memory };

/** Takes a pod out of the load balancer within half a minute, and back within ten seconds. */
const READINESS_TIMING = { initialDelaySeconds: 0, periodSeconds: 10, failureThreshold: 3 } as const;
