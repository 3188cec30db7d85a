import { CheckedRelation } from "../../core/checked-relation";
import { CheckedValue } from "../../core/checked-value";
import { RESOURCES } from "../../idp/contract";
import { WORKER_RESOURCES } from "../../idp/worker-mode";
import { mebibytes, mebibytesExpression } from "../instance-rules";

/** Memory in MiB that Cloud Run allows for each number of CPUs, in the execution environment that can mount buckets. */
const MEMORY_MIB_PER_CPU = {
  1: { min: 512, max: 4096 },
  2: { min: 512, max: 8192 },
  4: { min: 2048, max: 16384 },
  8: { min: 4096, max: 32768 },
} as const;

const CPU_VALUES = Object.keys(MEMORY_MIB_PER_CPU).map(Number);

const PAIRS = Object.entries(MEMORY_MIB_PER_CPU)
  .map(([cpu, { min, max }]) => `${cpu} CPU ${min}Mi to ${max / 1024}Gi`)
  .join(", ");

/**
 * @param usual recommended number
 */
function cpuRule(usual: number) {
  return new CheckedValue<number | string>({
    accepts: (cpu) => CPU_VALUES.includes(Number(cpu)),
    condition: (cpu) => `contains(${JSON.stringify(CPU_VALUES)}, ${cpu})`,
    must: `be one of ${CPU_VALUES.join(", ")}`,
    remedy: `use ${usual}`,
    schema: { enum: CPU_VALUES },
  });
}

/** CPUs of one instance. */
export const INSTANCE_CPU = cpuRule(RESOURCES.cpu);

/** CPUs of a worker in a worker pool. */
export const WORKER_CPU = cpuRule(WORKER_RESOURCES.cpu);

/** Memory of one instance, which depends on its CPUs. */
export const INSTANCE_MEMORY = new CheckedRelation<{ cpu: number | string; memory: string }>({
  accepts: ({ cpu, memory }) => {
    const limits = Object.entries(MEMORY_MIB_PER_CPU).find(([cpus]) => Number(cpus) === Number(cpu))?.[1];
    const memoryMib = mebibytes(memory);
    // A wrong number of CPUs has its own rule.
    return limits === undefined || (memoryMib >= limits.min && memoryMib <= limits.max);
  },
  condition: ({ cpu, memory }) => {
    const memoryMib = mebibytesExpression(memory);
    return [
      `!contains(${JSON.stringify(CPU_VALUES)}, ${cpu})`,
      ...Object.entries(MEMORY_MIB_PER_CPU).map(
        ([cpus, { min, max }]) => `(${cpu} == ${cpus} && ${memoryMib} >= ${min} && ${memoryMib} <= ${max})`,
      ),
    ].join(" || ");
  },
  problem: (names, shown) =>
    `${names.memory} is ${shown.memory} with ${names.cpu} ${shown.cpu}; it must be a whole number with Mi or Gi that fits the CPU: ${PAIRS}; change one of the two`,
});
