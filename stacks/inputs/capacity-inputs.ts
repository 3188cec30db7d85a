import {
  CONNECTIONS_PER_INSTANCE,
  MAX_INSTANCE_COUNT,
  MIN_INSTANCE_COUNT,
  RESOURCES,
  SERVER_CONNECTIONS,
} from "../../lib/idp/contract";
import { INSTANCE_RANGE, MAX_INSTANCES } from "../../lib/platform/instance-rules";
import { DEFAULT_FINAL_BACKUP_DAYS, FINAL_BACKUP_DAYS } from "../../lib/platform/sql/database-backups";
import {
  DATABASE_AVAILABILITY,
  DATABASE_TIER,
  DEFAULT_DATABASE_TIER,
  enoughConnections,
  maxConnectionsExpression,
} from "../../lib/platform/sql/database-size";
import { type Input } from "./input-table";
import { type PlatformWords } from "./platform-words";
import { workerDemand } from "./worker-inputs";

/** Inputs of the database. */
export const DATABASE_INPUTS = {
  database_tier: {
    type: "string",
    default: DEFAULT_DATABASE_TIER,
    description:
      "Size of the database, db-custom-<CPUs>-<memory in MB>. It limits the connections, and so the instances. Changing it later restarts the database.",
    must: DATABASE_TIER,
  },
  database_availability: {
    type: "string",
    default: "ZONAL",
    description:
      "ZONAL, or REGIONAL with a standby in another zone at about twice the price. Changing it later restarts the database.",
    must: DATABASE_AVAILABILITY,
  },
  database_final_backup_days: {
    type: "number",
    default: DEFAULT_FINAL_BACKUP_DAYS,
    description:
      "Days to keep the final backup that Cloud SQL makes when the database is deleted; the automatic backups are then kept for their own retention time too. 0 keeps none. Kept backups are billed. Changing it later is safe; apply it before the destroy.",
    must: FINAL_BACKUP_DAYS,
  },
} as const satisfies Record<string, Input>;

/** Names of the inputs in an expression. */
const inputsOf = (text: string) => [...new Set(text.match(/(?<=var[.])\w+/g))].join(", ");

/** Inputs for the number and size of instances. */
export function instanceInputs(platform: PlatformWords) {
  return {
    min_instance_count: {
      type: "number",
      default: MIN_INSTANCE_COUNT,
      description: [
        "Instances that always run, and are always billed.",
        platform.leastMeaning,
        "Changing it later is safe.",
      ]
        .filter((sentence) => sentence !== "")
        .join(" "),
      must: platform.minInstances,
      together: [
        INSTANCE_RANGE.validationOf({ minInstanceCount: "min_instance_count", maxInstanceCount: "max_instance_count" }),
      ],
    },
    max_instance_count: {
      type: "number",
      default: MAX_INSTANCE_COUNT,
      description: `Maximum number of instances, ${platform.rollout.forEach === 0 ? `plus ${platform.rollout.inAll}` : "twice as many"} during a rollout; each takes ${CONNECTIONS_PER_INSTANCE} database connections, ${SERVER_CONNECTIONS} with separate workers, and one for each request in progress. Changing it later is safe.`,
      must: MAX_INSTANCES,
      together: [
        enoughConnections(platform.rollout).validationOf(
          {
            maxInstanceCount: "max_instance_count",
            maxConnections: "database_tier",
            perInstance: "worker_processes, worker_threads",
            requests: inputsOf(platform.requests),
            ofWorkers: inputsOf(platform.mostWorkers),
          },
          {
            maxConnections: maxConnectionsExpression("var.database_tier"),
            requests: platform.requests,
            ...workerDemand(platform.mostWorkers),
          },
        ),
      ],
    },
    container_cpu: {
      type: "number",
      default: RESOURCES.cpu,
      description: `CPUs of one instance: ${platform.cpuChoice}. A change rolls out new instances.`,
      must: platform.cpu,
    },
    container_memory: {
      type: "string",
      default: RESOURCES.memory,
      description:
        "Memory of one instance, with Mi or Gi, shared by the server, a worker beside it and the cache of the media mount. A change rolls out new instances.",
      together: [platform.memory.validationOf({ cpu: "container_cpu", memory: "container_memory" })],
    },
  } as const satisfies Record<string, Input>;
}
