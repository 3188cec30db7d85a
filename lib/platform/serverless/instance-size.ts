import { type TerraformVariableValidationConfig } from "cdktf";

/** Memory in MiB that the platform allows per number of CPUs, in the environment that can mount buckets. */
const MEMORY_MIB_PER_CPU = {
  1: { min: 512, max: 4096 },
  2: { min: 512, max: 8192 },
  4: { min: 2048, max: 16384 },
  8: { min: 4096, max: 32768 },
} as const;

/** Enough for server and worker together; the application asks for two CPUs and two gigabytes at least. */
export const DEFAULT_CPU = 2;
export const DEFAULT_MEMORY = "4Gi";

const CPU_VALUES = Object.keys(MEMORY_MIB_PER_CPU).map(Number);

const MEMORY_PATTERN = "^([0-9]+)(Mi|Gi)$";

const CPU_RULE = `it must be one of ${CPU_VALUES.join(", ")}, because the platform offers no other`;

const PAIRS = Object.entries(MEMORY_MIB_PER_CPU)
  .map(([cpu, { min, max }]) => `${cpu} CPU ${min}Mi to ${max / 1024}Gi`)
  .join(", ");

const MEMORY_RULE = `it must be a whole number with Mi or Gi that fits the CPU, because the platform allows ${PAIRS}`;

/** Every problem of a literal pair, one sentence each. */
export function instanceSizeProblems(cpu: string, memory: string): string[] {
  const limits = MEMORY_MIB_PER_CPU[Number(cpu) as keyof typeof MEMORY_MIB_PER_CPU] as
    { min: number; max: number } | undefined;
  if (limits === undefined) return [`resources.cpu is ${cpu}; ${CPU_RULE}; use ${DEFAULT_CPU}`];
  const [, amount, unit] = new RegExp(MEMORY_PATTERN).exec(memory) ?? [];
  const memoryMib = Number(amount) * (unit === "Gi" ? 1024 : 1);
  if (memoryMib >= limits.min && memoryMib <= limits.max) return [];
  return [`resources.memory is ${memory} with ${cpu} CPU; ${MEMORY_RULE}; change one of the two`];
}

/** The rule of the CPU for a variable. */
export function cpuValidation(variable: string): TerraformVariableValidationConfig {
  return {
    condition: `\${contains(${JSON.stringify(CPU_VALUES)}, var.${variable})}`,
    errorMessage: `${variable} is \${var.${variable}}; ${CPU_RULE}; use ${DEFAULT_CPU}.`,
  };
}

/** The rule of the memory for a variable, given the variable of the CPU. */
export function memoryValidation(variable: string, cpuVariable: string): TerraformVariableValidationConfig {
  const parts = `regex("${MEMORY_PATTERN}", var.${variable})`;
  const memoryMib = `tonumber(${parts}[0]) * (${parts}[1] == "Gi" ? 1024 : 1)`;
  const limits = Object.entries(MEMORY_MIB_PER_CPU).map(
    ([cpu, { min, max }]) => `(var.${cpuVariable} == ${cpu} && ${memoryMib} >= ${min} && ${memoryMib} <= ${max})`,
  );
  return {
    condition: `\${try(${limits.join(" || ")}, false)}`,
    errorMessage: `${variable} is \${var.${variable}} with ${cpuVariable} \${var.${cpuVariable}}; ${MEMORY_RULE}; change one of the two.`,
  };
}
