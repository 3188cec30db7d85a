import { DUMP_RESOURCES } from "../../lib/idp/dump-defaults";
import { DEFAULT_WORKER_COUNT, EXTRA_WORKERS, WORKER_MODES, WORKER_RESOURCES } from "../../lib/idp/worker-mode";
import {
  EPHEMERAL_STORAGE,
  GEOIP_UPDATER_SIZE,
  JOB_SIZE,
  PROXY_SIZE,
} from "../../lib/platform/kubernetes/kubernetes-defaults";
import { databaseParts } from "./database-parts";
import { frontDoorParts, internetTraffic } from "./front-door-parts";
import { gibibytes, type InputValues } from "./input-values";
import { exactly, times, type Part, type Range } from "./part";
import { podParts, type PodSize, sizeOf } from "./pod-parts";
import { MONTH_HOURS } from "./prices";
import { dumpsOf, dumpStorageParts, sharedParts } from "./shared-parts";
import { USAGE } from "./usage";

const HOUR_MINUTES = 60;

/** Nodes that Autopilot runs for its own pods and the first of the application's. */
const LEAST_NODES = 2;

/** From here on, the price of the NAT gateway does not depend on the number of nodes. */
const MOST_NAT_NODES = 32;

const PROXY = sizeOf(PROXY_SIZE);

/** The sidecar that GKE injects into a pod with a bucket, in its default size. */
const BUCKET_MOUNT: PodSize = { cpu: 0.25, memoryGib: 0.25, diskGib: 5 };

/** Parts of the identity provider on GKE. */
export function kubernetesParts(inputs: InputValues): Part[] {
  const runs = dumpsOf(inputs);
  const servers = { min: inputs.number("min_instance_count"), max: inputs.number("max_instance_count") };
  return [
    { name: "Cluster", group: "cluster", price: "clusterFee", quantity: exactly(MONTH_HOURS) },
    ...serverParts(inputs, servers),
    ...workerParts(inputs),
    ...networkParts(inputs, LEAST_NODES + servers.max + workers(inputs).max),
    ...databaseParts(inputs),
    ...doorParts(inputs),
    internetTraffic(),
    ...sharedParts(inputs, { hasCheck: inputs.flagOr("uptime_check", true), furtherSecrets: 0 }),
    ...dumpStorageParts(inputs, runs),
    ...dumpJobParts(inputs, runs),
    ...podParts("Job that prepares the database", "first apply", [sizeOf(JOB_SIZE), PROXY], {
      hours: times(USAGE.preparationMinutes, 1 / HOUR_MINUTES),
      varies: "its duration",
    }),
  ];
}

function serverParts(inputs: InputValues, servers: Range): Part[] {
  const server = {
    cpu: inputs.number("container_cpu"),
    memoryGib: inputs.gibibytes("container_memory"),
    diskGib: gibibytes(EPHEMERAL_STORAGE),
  };
  const beside = [PROXY, BUCKET_MOUNT, ...(inputs.has("geoip") ? [sizeOf(GEOIP_UPDATER_SIZE)] : [])];
  return podParts("Server", "application", [server, ...beside], {
    hours: times(servers, MONTH_HOURS),
    varies: `${servers.min} to ${servers.max} pods, depending on their CPU utilization`,
  });
}

function workerParts(inputs: InputValues): Part[] {
  const count = workers(inputs);
  if (count.max === 0) return [];
  const worker = {
    cpu: inputs.numberOr("worker_cpu", WORKER_RESOURCES.cpu),
    memoryGib: inputs.gibibytes("worker_memory", WORKER_RESOURCES.memory),
    diskGib: gibibytes(EPHEMERAL_STORAGE),
  };
  return podParts("Workers", "workers", [worker, PROXY, BUCKET_MOUNT], {
    hours: times(count, MONTH_HOURS),
    varies: `${count.min} to ${count.max} pods, depending on their CPU utilization`,
  });
}

/** Separate workers, if there are any. */
function workers(inputs: InputValues): Range {
  if (inputs.text("worker_mode") !== WORKER_MODES.separate) return exactly(0);
  const min = inputs.numberOr("worker_count", DEFAULT_WORKER_COUNT);
  return { min, max: inputs.numberOr("worker_max_count", min + EXTRA_WORKERS) };
}

/** The network is free, but NAT for nodes without public addresses is not. */
function networkParts(inputs: InputValues, mostNodes: number): Part[] {
  if (inputs.has("network")) return [];
  const nodes = { min: LEAST_NODES, max: Math.min(mostNodes, MOST_NAT_NODES) };
  return [
    {
      name: "NAT of the nodes",
      group: "cluster",
      price: "natVm",
      quantity: times(nodes, MONTH_HOURS),
      varies: `Autopilot decides how many nodes to run, ${nodes.min} to ${nodes.max}`,
    },
    { name: "Address of the NAT", group: "cluster", price: "address", quantity: exactly(MONTH_HOURS) },
    {
      name: "Data of the NAT",
      group: "traffic",
      price: "natData",
      quantity: USAGE.fetchedGib,
      varies: "data that pods fetch from outside Google Cloud",
    },
  ];
}

/** Without a domain, a load balancer with an address takes its place, at the same price. */
function doorParts(inputs: InputValues): Part[] {
  if (inputs.has("domain")) return frontDoorParts(inputs);
  return [
    {
      name: "Load balancer of the address",
      group: "cluster",
      price: "forwardingRules",
      quantity: exactly(MONTH_HOURS),
    },
    {
      name: "Data of the load balancer",
      group: "traffic",
      price: "loadBalancerData",
      quantity: USAGE.receivedGib,
      varies: "incoming traffic",
    },
  ];
}

function dumpJobParts(inputs: InputValues, runs: number): Part[] {
  if (!inputs.has("dump_schedule")) return [];
  return podParts("Job of the dumps", "dumps", [sizeOf(DUMP_RESOURCES), PROXY, BUCKET_MOUNT], {
    hours: times(USAGE.dumpMinutes, runs / HOUR_MINUTES),
    varies: "duration of a dump",
  });
}
