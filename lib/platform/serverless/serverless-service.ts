import { CloudRunV2Service } from "@cdktf/provider-google/lib/cloud-run-v2-service";
import { Op, Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { SERVICE_NAME_MAX_LENGTH, serviceName, type DeploymentName } from "../../core/names";
import { nameRules } from "../../core/name-rules";
import { setNewerAttribute } from "../../core/newer-attribute";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { type Risk, warnOf } from "../../core/risks";
import { ifKnown, requireAll, requireProps, type Rule } from "../../core/rules";
import { type ContainerSpec, type ProbeSpec } from "../../idp/container-spec";
import { MAX_INSTANCE_COUNT, MIN_INSTANCE_COUNT } from "../../idp/contract";
import { connectionsRule } from "../connections-rule";
import { type NetworkAttachment } from "../network-attachment";
import { addPlainEntries, onPlatform } from "../plain-environment";
import { type PostgresqlDatabase } from "../postgresql-database";
import { secretEntries } from "./container-environment";
import {
  CPU_ALWAYS_ALLOCATED,
  EXECUTION_ENVIRONMENT,
  REQUEST_TIMEOUT,
  RESOURCE_NAME,
  ROLLOUT_SURGE,
  SERVICE_TIMEOUT,
  SOCKET_FOLDER,
  SOCKET_VOLUME,
  TRUSTED_PROXIES,
} from "./contract";
import { instanceSizeProblems } from "./instance-size";
import { addNetworkAccess, networkAccess } from "./network-interface";
import { SOCKET_PATH_RULE } from "./socket-folder";

export interface ServerlessServiceProps {
  /** What to run. */
  readonly container: ContainerSpec;

  /** Database whose socket the container finds under `/cloudsql`. */
  readonly database: PostgresqlDatabase;

  /** What the names are made of. */
  readonly deployment: DeploymentName;

  /** Project that it goes into. */
  readonly projectId: string;

  /** Region of the service. Changing it later makes a new service with another address. */
  readonly region: string;

  /** E-mail address of the account that the container runs as. */
  readonly serviceAccountEmail: string;

  /**
   * Keeps the CPU on between requests, which the co-located worker needs.
   *
   * @default true
   */
  readonly cpuAlwaysAllocated?: boolean | IResolvable;

  /**
   * Things that must exist first: image, stored secrets, grants, completed initialization. The platform checks them when
   * it starts a revision.
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Labels of the service.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * Most instances at a time; each takes 20 database connections at its peak.
   *
   * @default 3
   */
  readonly maxInstanceCount?: number;

  /**
   * Instances that are always running. With 0 the worker stops whenever nobody signs in.
   *
   * @default 1
   */
  readonly minInstanceCount?: number;

  /**
   * Existing network through which the database has its private address.
   *
   * @default - none
   */
  readonly network?: NetworkAttachment;

  /**
   * Answers everybody. Otherwise callers need the right to invoke the service, which browsers do not have.
   *
   * @default true
   */
  readonly publicAccess?: boolean | IResolvable;
}

/**
 * A container as a Cloud Run service that always sends all traffic to its newest revision.
 *
 * The application is told to trust the platform's front end, unless the container brings a list of its own.
 *
 * It has no deletion protection on purpose: a first start that fails leaves the service to be replaced by the next apply,
 * and protection would block exactly that. It holds no data. Instances are billed while they run, the minimum number all
 * the time.
 */
export class ServerlessService extends Construct {
  /** Address that the platform gives the service. */
  readonly url: string;

  /** What must exist before anybody can rely on the service. */
  readonly started: ITerraformDependable;

  constructor(scope: Construct, id: string, props: ServerlessServiceProps) {
    super(scope, id);
    requireProps(this.node.path, props, {
      container: true,
      database: true,
      deployment: true,
      projectId: true,
      region: true,
      serviceAccountEmail: true,
    });
    requireAll(this, props, RULES);

    const { container, deployment, publicAccess = true } = props;
    const { cpuAlwaysAllocated = CPU_ALWAYS_ALLOCATED } = props;
    const { maxInstanceCount = MAX_INSTANCE_COUNT, minInstanceCount = MIN_INSTANCE_COUNT } = props;
    warnOf(this, "WorkerKeepsRunning", sleepingWorkerRisks(minInstanceCount, cpuAlwaysAllocated));

    const service = new CloudRunV2Service(this, MAIN_CHILD_ID, {
      project: props.projectId,
      name: serviceName(deployment),
      location: props.region,
      ingress: "INGRESS_TRAFFIC_ALL",
      invokerIamDisabled: publicAccess,
      deletionProtection: false,
      labels: props.labels,
      template: {
        serviceAccount: props.serviceAccountEmail,
        executionEnvironment: EXECUTION_ENVIRONMENT,
        timeout: REQUEST_TIMEOUT,
        vpcAccess: networkAccess(props.network),
        scaling: { minInstanceCount, maxInstanceCount },
        containers: [
          {
            image: container.image,
            ports: { containerPort: container.port },
            env: secretEntries(container.secretEnvironment),
            resources: {
              limits: { ...container.resources },
              cpuIdle: negated(cpuAlwaysAllocated),
              startupCpuBoost: true,
            },
            startupProbe: probe(container.startupProbe, container.port),
            livenessProbe: probe(container.livenessProbe, container.port),
            volumeMounts: [
              ...container.mounts.map(({ name, mountPath }) => ({ name, mountPath })),
              // Last, here and below: the platform returns it last, and any other order would be a difference for ever.
              { name: SOCKET_VOLUME, mountPath: SOCKET_FOLDER },
            ],
          },
        ],
        volumes: [
          ...container.mounts.map(({ name, bucketName }) => ({ name, gcs: { bucket: bucketName, readOnly: false } })),
          { name: SOCKET_VOLUME, cloudSqlInstance: { instances: [props.database.connectionName] } },
        ],
      },
      traffic: [{ type: "TRAFFIC_TARGET_ALLOCATION_TYPE_LATEST", percent: 100 }],
      timeouts: { create: SERVICE_TIMEOUT, update: SERVICE_TIMEOUT },
      // Every tool that touches the service writes its own name there.
      lifecycle: { ignoreChanges: ["client", "client_version"] },
      dependsOn: props.dependsOn,
    });
    addPlainEntries(service, "template.containers.0", onPlatform(TRUSTED_PROXIES, container.environment));
    addNetworkAccess(service, "template", props.network);
    container.mounts.forEach(({ mountOptions }, index) => {
      setNewerAttribute(service, `template.volumes.${index}.gcs.mount_options`, mountOptions);
    });

    this.url = service.uri;
    this.started = service;
  }
}

/** The worker lives in the instances, so whatever stops them stops it. */
function sleepingWorkerRisks(minInstanceCount: number, cpuAlwaysAllocated: boolean | IResolvable): readonly Risk[] {
  return [
    {
      value: minInstanceCount,
      isAvoided: minInstanceCount > 0,
      condition: `${Token.asString(minInstanceCount)} > 0`,
      message:
        "min_instance_count is 0; mail, tasks and clean-ups wait for the next visitor, because the worker stops with the last instance; set it to 1",
    },
    {
      value: cpuAlwaysAllocated,
      isAvoided: cpuAlwaysAllocated === true,
      condition: Token.asString(cpuAlwaysAllocated),
      message:
        "cpu_always_allocated is false; mail, tasks and clean-ups wait for the next visitor, because the worker gets no CPU between requests; set it to true",
    },
  ];
}

function probe({ path, ...timing }: ProbeSpec, port: number) {
  return { ...timing, httpGet: { path, port } };
}

function negated(value: boolean | IResolvable): boolean | IResolvable {
  return typeof value === "boolean" ? !value : Op.not(value);
}

const RULES: readonly Rule<ServerlessServiceProps>[] = [
  ...nameRules<ServerlessServiceProps>(({ deployment }) => serviceName(deployment), {
    ...RESOURCE_NAME,
    what: "service name",
    maxLength: SERVICE_NAME_MAX_LENGTH,
    lengthReason: "it becomes part of a host name",
  }),
  SOCKET_PATH_RULE,
  {
    holds: ({ container: { resources } }) =>
      Token.isUnresolved(resources.cpu) ||
      Token.isUnresolved(resources.memory) ||
      instanceSizeProblems(resources.cpu, resources.memory).length === 0,
    message: ({ container: { resources } }) => instanceSizeProblems(resources.cpu, resources.memory),
  },
  {
    holds: ({ minInstanceCount }) => ifKnown(minInstanceCount, (count) => Number.isInteger(count) && count >= 0),
    message: ({ minInstanceCount }) =>
      `minInstanceCount is ${String(minInstanceCount)}; it must be a whole number from 0, because the platform starts whole instances; use ${MIN_INSTANCE_COUNT}`,
  },
  {
    holds: ({ maxInstanceCount }) => ifKnown(maxInstanceCount, (count) => Number.isInteger(count) && count >= 1),
    message: ({ maxInstanceCount }) =>
      `maxInstanceCount is ${String(maxInstanceCount)}; it must be a whole number from 1, because with none nobody can sign in; use 1 or more`,
  },
  {
    holds: ({ minInstanceCount = MIN_INSTANCE_COUNT, maxInstanceCount = MAX_INSTANCE_COUNT }) =>
      Token.isUnresolved(minInstanceCount) ||
      Token.isUnresolved(maxInstanceCount) ||
      // A number of none has its own rule.
      maxInstanceCount < 1 ||
      minInstanceCount <= maxInstanceCount,
    message: ({ minInstanceCount = MIN_INSTANCE_COUNT, maxInstanceCount = MAX_INSTANCE_COUNT }) =>
      `minInstanceCount is ${minInstanceCount}; it must not exceed maxInstanceCount, which is ${maxInstanceCount}, because the platform refuses such a range; lower one or raise the other`,
  },
  connectionsRule(ROLLOUT_SURGE),
];
