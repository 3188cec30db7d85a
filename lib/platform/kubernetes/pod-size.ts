import { CheckedRelation } from "../../core/checked-relation";
import { CheckedValue } from "../../core/checked-value";
import { RESOURCES } from "../../idp/contract";
import { WORKER_RESOURCES } from "../../idp/worker-mode";
import { mebibytes, mebibytesExpression, MIB_PER_GIB } from "../instance-rules";

/** Limits of Autopilot's general-purpose pods, minus what the containers beside the server take. */
const CPU = { min: 0.5, max: 28, step: 0.25 } as const;
const MEMORY_GIB_PER_CPU = { min: 1, max: 6.5 } as const;
const MAX_MEMORY_GIB = 108;

function isCpu(cpu: number): boolean {
  return cpu >= CPU.min && cpu <= CPU.max && cpu % CPU.step === 0;
}

function isCpuExpression(cpu: string): string {
  return `${cpu} >= ${CPU.min} && ${cpu} <= ${CPU.max} && ${cpu} % ${CPU.step} == 0`;
}

/**
 * @param usual recommended number
 */
function cpuRule(usual: number) {
  return new CheckedValue<number | string>({
    accepts: (cpu) => isCpu(Number(cpu)),
    condition: isCpuExpression,
    must: `be ${CPU.min} to ${CPU.max} in steps of ${CPU.step}`,
    reason: "Autopilot offers no other pods",
    remedy: `use ${usual}`,
    schema: { minimum: CPU.min, maximum: CPU.max, multipleOf: CPU.step },
  });
}

/** CPUs of the server in one pod. */
export const POD_CPU = cpuRule(RESOURCES.cpu);

/** CPUs of a worker in a pod of its own. */
export const WORKER_POD_CPU = cpuRule(WORKER_RESOURCES.cpu);

/** Memory of the container in one pod, which depends on its CPUs. */
export const POD_MEMORY = new CheckedRelation<{ cpu: number | string; memory: string }>({
  accepts: ({ cpu, memory }) => {
    const cpus = Number(cpu);
    const memoryGib = mebibytes(memory) / MIB_PER_GIB;
    const fits = memoryGib >= cpus * MEMORY_GIB_PER_CPU.min && memoryGib <= cpus * MEMORY_GIB_PER_CPU.max;
    // A wrong number of CPUs has its own rule.
    return !isCpu(cpus) || (fits && memoryGib <= MAX_MEMORY_GIB);
  },
  condition: ({ cpu, memory }) => {
    const memoryGib = `${mebibytesExpression(memory)} / ${MIB_PER_GIB}`;
    const limits = [
      `${memoryGib} >= ${cpu} * ${MEMORY_GIB_PER_CPU.min}`,
      `${memoryGib} <= ${cpu} * ${MEMORY_GIB_PER_CPU.max}`,
      `${memoryGib} <= ${MAX_MEMORY_GIB}`,
    ];
    return `!(${isCpuExpression(cpu)}) || (${limits.join(" && ")})`;
  },
  problem: (names, shown) =>
    `${names.memory} is ${shown.memory} with ${names.cpu} ${shown.cpu}; it must be a whole number with Mi or Gi, ${MEMORY_GIB_PER_CPU.min} to ${MEMORY_GIB_PER_CPU.max}Gi per CPU and ${MAX_MEMORY_GIB}Gi at most, because Autopilot raises other requests and bills them; change one of the two`,
});
