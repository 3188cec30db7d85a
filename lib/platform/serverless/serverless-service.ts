import { CloudRunV2Service } from "@cdktf/provider-google/lib/cloud-run-v2-service";
import { CloudRunV2WorkerPool } from "@cdktf/provider-google/lib/cloud-run-v2-worker-pool";
import { type ITerraformDependable, Op } from "cdktf";
import { Construct } from "constructs";

import { CONTEXT_PROP, type DeploymentContext } from "../../core/deployment-context";
import { anyOf, type Condition, conditionFrom, countIf } from "../../core/expr/conditions";
import { exprOf, type Operand } from "../../core/expr/expr";
import { max } from "../../core/expr/functions";
import { settingName } from "../../core/expr/locals";
import { explain } from "../../core/hcl/stack-origin";
import { type WorkloadIdentity } from "../../core/identity";
import { refuseWrong } from "../../core/inputs/inputs";
import { type KnownPropsOf, propProblems } from "../../core/inputs/known-props";
import { terraformName } from "../../core/inputs/rules";
import { type ValuesOf } from "../../core/inputs/value";
import { addWarnings, type Warning } from "../../core/inputs/warnings";
import { serviceName, workerPoolName } from "../../core/names";
import { setNewerAttribute } from "../../core/newer-attribute";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { prose } from "../../core/prose";
import { stateProvidersOf } from "../../core/provider-requirements";
import { type ContainerSpec, type ProbeSpec } from "../../idp/container-spec";
import { MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT, REQUESTS_PER_INSTANCE, RESOURCES } from "../../idp/contract";
import { isSeparate, WORKER_MODES, type WorkerForm } from "../../idp/worker";
import { type LoadBalancerAddress } from "../domain/domain-address";
import { grantsTo } from "../environment";
import { DEFAULT_REQUEST_TIMEOUT_SECONDS, type InstanceInputs } from "../instances";
import { NETWORK_PROP, type NetworkAttachment } from "../network/network-attachment";
import { type SeparateWorker } from "../parts";
import {
  addFurtherBlocks,
  containerBlock,
  EXECUTION_ENVIRONMENT,
  secretAnnotations,
  templateBlocks,
} from "./cloud-run-template";
import { accessOf, grantPublicAccess, isCheckOff } from "./public-access";
import { SERVICE, type ServiceInputs, type ServiceOptions } from "./service-options";

export interface ServerlessServiceProps extends ServiceOptions {
  /** Container to run. The socket of its database is under `/cloudsql`. */
  readonly container: ContainerSpec;

  /** Service account of the container. It is granted access to the container's resources. */
  readonly identity: WorkloadIdentity;

  /** Determines the name and the region. Changing the region later creates a new service with another URL. */
  readonly context: DeploymentContext;

  /**
   * Address of a load balancer to which clients connect. The application uses the domain as the base of its own links
   * and trusts the load balancer as a proxy. Variables of the container override the base.
   *
   * @default - clients connect to the address that Cloud Run assigns
   */
  readonly address?: LoadBalancerAddress;

  /**
   * Dependencies in addition to the container's own ones: `apis.ready("run")`.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Maximum number of instances; each instance takes the connections of its container.
   *
   * @default 3
   */
  readonly maxInstanceCount?: number;

  /**
   * Minimum number of instances. With 0, a worker beside the server stops with the last instance, and mail, tasks and
   * clean-ups wait for the next request.
   *
   * @default 1
   */
  readonly minInstanceCount?: number;

  /**
   * Number of instances that run at present, if another region has taken over; the warnings are about
   * `minInstanceCount`.
   *
   * @default - `minInstanceCount`
   */
  readonly runningInstanceCount?: number | undefined;

  /**
   * Existing network on which the database has its private address.
   *
   * @default - none
   */
  readonly network?: NetworkAttachment;

  /**
   * Time limit of a request, and of a web socket, in seconds: 1 to 3600.
   *
   * @default 3600
   */
  readonly requestTimeoutSeconds?: number;
}

const PROPS: KnownPropsOf<ServerlessServiceProps> = {
  context: CONTEXT_PROP,
  address: "optional",
  closeDefaultAddress: "optional",
  container: "required",
  cpuAlwaysAllocated: "optional",
  dependsOn: "optional",
  identity: "required",
  maxInstanceCount: "optional",
  maxInstanceRequestConcurrency: "optional",
  minInstanceCount: "optional",
  runningInstanceCount: "optional",
  network: NETWORK_PROP,
  publicAccess: "optional",
  requestTimeoutSeconds: "optional",
  vpcEgress: "optional",
};

/**
 * A Cloud Run service of a container that always sends all traffic to its newest revision.
 *
 * The application is set to trust Cloud Run's front end, unless the container has its own list.
 *
 * Instances are billed while they run, the minimum number always.
 */
export class ServerlessService extends Construct {
  /** URL that Cloud Run assigns to the service, even if that address is closed. */
  readonly url: string;

  /** Name of the service; a reference to it waits for the service. */
  readonly serviceName: string;

  /** Dependencies of parts that call the service. */
  readonly ready: ITerraformDependable[];

  /** The service itself, for overrides. */
  readonly service: CloudRunV2Service;

  constructor(scope: Construct, id: string, props: ServerlessServiceProps) {
    super(scope, id);
    stateProvidersOf(this);
    refuseWrong(this, SERVICE, props, ["maxInstanceRequestConcurrency"], propProblems(props, PROPS));

    const { container, cpuAlwaysAllocated = true, minInstanceCount = MIN_INSTANCE_COUNT } = props;
    const minimum = { name: settingName(this, minInstanceCount, "minInstanceCount"), value: minInstanceCount };
    const cpu = { name: settingName(this, cpuAlwaysAllocated, "cpuAlwaysAllocated"), value: cpuAlwaysAllocated };
    addWarnings(this, "WorkerKeepsRunning", idleWorkerRisks({ canIdle: container.canIdle ?? false, cpu, minimum }));
    this.service = addService(this, props);
    this.url = this.service.uri;
    this.serviceName = this.service.name;
    this.ready = [this.service];
  }
}

/**
 * Adds a service, and the right to call it.
 *
 * @param condition condition under which the service exists; true by default
 */
export function addService(scope: Construct, props: ServerlessServiceProps, condition?: Condition): CloudRunV2Service {
  const { address, closeDefaultAddress = false, container, network } = props;
  const { cpuAlwaysAllocated = true } = props;
  const cpuIdle = typeof cpuAlwaysAllocated === "boolean" ? !cpuAlwaysAllocated : Op.not(cpuAlwaysAllocated);
  const access = accessOf(props.publicAccess ?? true);
  const { maxInstanceRequestConcurrency = REQUESTS_PER_INSTANCE } = props;
  const { requestTimeoutSeconds = DEFAULT_REQUEST_TIMEOUT_SECONDS } = props;
  const { maxInstanceCount = MAX_INSTANCE_COUNT, minInstanceCount = MIN_INSTANCE_COUNT } = props;
  const { port, resources = DEFAULT_RESOURCES } = container;
  const { lifecycle, template, ...common } = commonOf(props);
  const service = new CloudRunV2Service(scope, MAIN_CHILD_ID, {
    ...common,
    name: serviceName(props.context.deployment),
    count: countIf(condition),
    ingress: ingressOf(closeDefaultAddress),
    invokerIamDisabled: isCheckOff(access).flag,
    scaling: { minInstanceCount: props.runningInstanceCount ?? minInstanceCount },
    // Ignored, because a restore stops the service by its scaling mode and an apply must not start it meanwhile.
    lifecycle: { ignoreChanges: [...lifecycle.ignoreChanges, "scaling[0].scaling_mode"] },
    template: {
      ...template,
      executionEnvironment: EXECUTION_ENVIRONMENT,
      timeout: `${exprOf(requestTimeoutSeconds).text}s`,
      maxInstanceRequestConcurrency,
      // Cloud Run's default, or the service's own limit if that is higher.
      scaling: { maxInstanceCount: max(100, maxInstanceCount).number },
      containers: [
        {
          ...containerBlock(container),
          ports: { containerPort: port },
          resources: { limits: { ...resources }, cpuIdle, startupCpuBoost: true },
          ...probes(container),
        },
      ],
    },
    traffic: [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", percent: 100 }],
  });
  explain(
    service,
    prose`
      No deletion protection: it holds no data, and a failed first start must be replaceable.
      The proxy's volume is last, where Cloud Run moves it.
    `,
  );
  // Set for the service, as Google recommends, because a changed limit of a revision requires a new revision.
  setNewerAttribute(service, "scaling.max_instance_count", maxInstanceCount);
  addFurtherBlocks(service, "template", container, network, address);
  // Also set to false, so that a settled folder can take over the state of a general one.
  setNewerAttribute(service, "default_uri_disabled", closeDefaultAddress);
  grantPublicAccess(scope, service, access, condition);
  return service;
}

/** Props of a worker pool that have the same meaning as for the service. */
type SharedProps = Pick<
  ServerlessServiceProps,
  "address" | "container" | "dependsOn" | "identity" | "network" | "context"
>;

/**
 * A Cloud Run worker pool: a fixed number of instances of a container that answers no requests.
 *
 * It holds no data and has no deletion protection. Its instances are billed all the time.
 */
export class ServerlessWorkerPool extends Construct implements SeparateWorker {
  readonly workerName: string;
  readonly ready: ITerraformDependable[];
  readonly workerPool: CloudRunV2WorkerPool;

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    props: SharedProps & { readonly condition: Condition; readonly instanceCount: number },
  ) {
    super(scope, id);
    const { address, condition, container, instanceCount, network, context } = props;
    const { template, ...common } = commonOf(props);
    this.workerName = workerPoolName(context.deployment);
    this.workerPool = new CloudRunV2WorkerPool(this, MAIN_CHILD_ID, {
      ...common,
      name: this.workerName,
      // The mode is left out, because the API returns only the number.
      scaling: { manualInstanceCount: instanceCount },
      template: { ...template, containers: [containerBlock(container)] },
      count: countIf(condition),
    });
    addFurtherBlocks(this.workerPool, "template", container, network, address);
    const { livenessProbe, startupProbe } = probes(container);
    setNewerAttribute(this.workerPool, "template.containers.0.startup_probe", inTerraform(startupProbe));
    setNewerAttribute(this.workerPool, "template.containers.0.liveness_probe", inTerraform(livenessProbe));
    this.ready = [this.workerPool];
  }
}

function commonOf({ container, dependsOn = [], identity, network, context }: SharedProps) {
  const { labels, projectId, region } = context;
  return {
    project: projectId,
    location: region,
    deletionProtection: false,
    labels,
    template: {
      annotations: secretAnnotations(container),
      labels,
      serviceAccount: identity.email,
      ...templateBlocks(container, network),
    },
    // The first start runs all migrations; the provider gives up after 20 minutes by default.
    timeouts: { create: "30m", update: "30m" },
    // Every tool that changes a service writes its own name there.
    lifecycle: { ignoreChanges: ["client", "client_version"] },
    // Cloud Run checks for all of these when it starts a revision.
    dependsOn: [...grantsTo(identity, container), ...(network?.dependsOn ?? []), ...dependsOn],
  };
}

function ingressOf(closed: Condition): string {
  return conditionFrom(closed).choose(BALANCER_ONLY, ANY_INGRESS).text;
}

const ANY_INGRESS = "INGRESS_TRAFFIC_ALL";
const BALANCER_ONLY = "INGRESS_TRAFFIC_INTERNAL_LOAD_BALANCER";

const DEFAULT_RESOURCES = { cpu: String(RESOURCES.cpu), memory: RESOURCES.memory };

function probes({ livenessProbe, port, probePort = port, startupProbe }: ContainerSpec) {
  const probe = ({ path, ...timing }: ProbeSpec) => ({ ...timing, httpGet: { path, port: probePort } });
  return { startupProbe: startupProbe && probe(startupProbe), livenessProbe: livenessProbe && probe(livenessProbe) };
}

/** A startup probe under the names that Terraform has, for a block that the bindings lack. */
function inTerraform(spec: ReturnType<typeof probes>["startupProbe"]) {
  if (spec === undefined) return undefined;
  const entries = Object.entries({ ...spec, httpGet: [spec.httpGet] });
  return Object.fromEntries(entries.map(([name, value]) => [terraformName(name), value]));
}

/** Warns of settings with which a worker beside the server does not always run. */
function idleWorkerRisks({ canIdle, cpu, minimum }: IdleWorker): readonly Warning[] {
  const risk = (localId: string, isMet: Condition, message: string): Warning => ({
    localId,
    condition: anyOf(canIdle, isMet),
    message,
  });
  // A program may have a variable of another name for the number, and sets the mode as a prop.
  const mode = minimum.name === "min_instance_count" ? "worker_mode" : "workerMode";
  const separate = `or set ${mode} to "${WORKER_MODES.separate}"`;
  return [
    risk(
      "OneInstanceRunsAlways",
      exprOf(minimum.value).gt(0),
      prose`
        ${minimum.name} is 0; mail,
        tasks and clean-ups wait for the next request, because the worker stops with the last instance;
        set it to 1, ${separate}
      `,
    ),
    risk(
      "WorkerHasCpuAlways",
      cpu.value,
      prose`
        ${cpu.name} is false; mail,
        tasks and clean-ups wait for the next request, because the worker gets no CPU between requests;
        set it to true, ${separate}
      `,
    ),
  ];
}

/** A worker beside the server, and the settings that it depends on, by their names in messages. */
interface IdleWorker {
  readonly canIdle: Condition;
  readonly minimum: { readonly name: string; readonly value: Operand<number> };
  readonly cpu: { readonly name: string; readonly value: Condition };
}

/** Risks of a worker that stops with the last instance, of the settings of a deployment. */
export function idleWorkerRisksOf(v: ValuesOf<InstanceInputs & ServiceInputs & WorkerForm>): readonly Warning[] {
  const { cpuAlwaysAllocated: cpu, minInstanceCount: minimum } = v;
  return idleWorkerRisks({
    canIdle: isSeparate(v),
    minimum: { name: minimum.name, value: minimum },
    cpu: { name: cpu.name, value: cpu },
  });
}
