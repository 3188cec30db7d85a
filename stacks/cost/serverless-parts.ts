import { DUMP_RESOURCES } from "../../lib/idp/dump-defaults";
import { DEFAULT_WORKER_COUNT, WORKER_MODES, WORKER_RESOURCES } from "../../lib/idp/worker-mode";
import { databaseParts } from "./database-parts";
import { frontDoorParts, internetTraffic } from "./front-door-parts";
import { cpus, gibibytes, type InputValues } from "./input-values";
import { exactly, times, type Part, type PartGroup, type Range } from "./part";
import { MONTH_HOURS, type PriceId } from "./prices";
import { dumpsOf, dumpStorageParts, sharedParts } from "./shared-parts";
import { USAGE } from "./usage";

const SECONDS_PER_MINUTE = 60;
const MONTH_SECONDS = MONTH_HOURS * 60 * SECONDS_PER_MINUTE;

/** Cloud Run's defaults for a job. */
const JOB_RESOURCES = { cpu: 1, memoryGib: 0.5 } as const;

/** Uptime checks a month, in millions: requests like all others. */
const CHECKS_MILLIONS = (6 * 60 * MONTH_HOURS) / 1_000_000;

/** Parts of the identity provider on Cloud Run. */
export function serverlessParts(inputs: InputValues): Part[] {
  const hasCheck = inputs.flagOr("uptime_check", inputs.flag("public_access"));
  const runs = dumpsOf(inputs);
  return [
    ...instanceParts(inputs, hasCheck),
    ...workerParts(inputs),
    ...databaseParts(inputs),
    ...frontDoorParts(inputs),
    internetTraffic(),
    // The scripts of jobs are mounted from secrets.
    ...sharedParts(inputs, { hasCheck, furtherSecrets: 1 + scriptsOfDumps(inputs) }),
    ...dumpStorageParts(inputs, runs),
    ...dumpJobParts(inputs, runs),
    ...sized(
      "Job that prepares the database",
      "first apply",
      JOB_RESOURCES,
      times(USAGE.preparationMinutes, SECONDS_PER_MINUTE),
      { varies: "its duration" },
    ),
  ];
}

function instanceParts(inputs: InputValues, hasCheck: boolean): Part[] {
  const size = { cpu: inputs.number("container_cpu"), memoryGib: inputs.gibibytes("container_memory") };
  const [least, most] = [inputs.number("min_instance_count"), inputs.number("max_instance_count")];
  if (inputs.flag("cpu_always_allocated"))
    return sized(
      "Server",
      "application",
      size,
      // Its request every minute keeps an instance running.
      { min: Math.max(least, Number(hasCheck)) * MONTH_SECONDS, max: most * MONTH_SECONDS },
      { varies: `${least} to ${most} instances, as many as requests need` },
    );
  const seconds = times(USAGE.busyShare, most * MONTH_SECONDS);
  return [
    ...sized("Waiting server", "application", size, exactly(least * MONTH_SECONDS), {
      prices: ["runIdleCpu", "runIdleMemory"],
    }),
    ...sized("Answering server", "application", size, seconds, {
      varies: "how long instances answer requests",
      prices: ["runActiveCpu", "runActiveMemory"],
    }),
    {
      name: "Requests to the server",
      group: "application",
      price: "runRequests",
      quantity: {
        min: hasCheck ? CHECKS_MILLIONS : 0,
        max: USAGE.requests.max + (hasCheck ? CHECKS_MILLIONS : 0),
      },
      varies: "traffic",
    },
  ];
}

function workerParts(inputs: InputValues): Part[] {
  if (inputs.text("worker_mode") !== WORKER_MODES.separate) return [];
  const size = {
    cpu: inputs.numberOr("worker_cpu", WORKER_RESOURCES.cpu),
    memoryGib: inputs.gibibytes("worker_memory", WORKER_RESOURCES.memory),
  };
  const seconds = exactly(inputs.numberOr("worker_count", DEFAULT_WORKER_COUNT) * MONTH_SECONDS);
  return sized("Worker pool", "workers", size, seconds, { prices: ["workerPoolCpu", "workerPoolMemory"] });
}

function dumpJobParts(inputs: InputValues, runs: number): Part[] {
  if (!inputs.has("dump_schedule")) return [];
  const size = { cpu: cpus(DUMP_RESOURCES.cpu), memoryGib: gibibytes(DUMP_RESOURCES.memory) };
  return [
    ...sized("Job of the dumps", "dumps", size, times(USAGE.dumpMinutes, runs * SECONDS_PER_MINUTE), {
      varies: "duration of a dump",
    }),
    { name: "Schedule of the dumps", group: "dumps", price: "schedulerJob", quantity: exactly(1) },
  ];
}

/** Scripts that the jobs of dumps mount. */
function scriptsOfDumps(inputs: InputValues): number {
  if (!inputs.has("dump_schedule")) return 0;
  return inputs.flag("dump_at_apply") ? 2 : 1;
}

interface Size {
  readonly cpu: number;
  readonly memoryGib: number;
}

interface Billing {
  readonly varies?: string;

  /**
   * @default - the prices of instance-based billing
   */
  readonly prices?: readonly [PriceId, PriceId];
}

/** CPU and memory of something that runs for a while. */
function sized(
  name: string,
  group: PartGroup,
  { cpu, memoryGib }: Size,
  seconds: Range,
  { prices: [ofCpu, ofMemory] = ["runCpu", "runMemory"], varies }: Billing = {},
): Part[] {
  return [
    { name: `${name}, CPU`, group, price: ofCpu, quantity: times(seconds, cpu), varies },
    { name: `${name}, memory`, group, price: ofMemory, quantity: times(seconds, memoryGib), varies },
  ];
}
