import { type Check } from "../../core/checks";
import { mebibytes } from "../instances";

/** Memory in MiB that Cloud Run allows for each number of CPUs, in the execution environment that can mount buckets. */
const MEMORY_MIB = { 1: [512, 4096], 2: [512, 8192], 4: [2048, 16384], 8: [4096, 32768] } as const;
const CPUS = Object.keys(MEMORY_MIB).map(Number);
const PAIRS = Object.entries(MEMORY_MIB).map(([cpu, [from, to]]) => `${cpu} CPU ${from}Mi to ${to / 1024}Gi`);

/** @param usual recommended number */
export const instanceCpu = (usual: number): Check => ({
  accepts: (cpu: number) => CPUS.includes(cpu),
  condition: (cpu) => `contains(${JSON.stringify(CPUS)}, ${cpu})`,
  must: `be one of ${CPUS.join(", ")}; use ${usual}`,
  schema: { enum: CPUS },
});

export const INSTANCE_CPU_CHOICE = "1, 2, 4 or 8";

/** Memory of an instance, which depends on its CPUs; a wrong number of these has its own rule. */
export const INSTANCE_MEMORY = {
  rule: `that fits the CPU, ${PAIRS.join(", ")}`,
  fits: (cpu: string, memory: string) =>
    [
      `!contains(${JSON.stringify(CPUS)}, ${cpu})`,
      ...Object.entries(MEMORY_MIB).map(
        ([each, [from, to]]) =>
          `(${cpu} == ${each} && ${mebibytes(memory)} >= ${from} && ${mebibytes(memory)} <= ${to})`,
      ),
    ].join(" || "),
} as const;
