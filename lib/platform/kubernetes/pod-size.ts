import { type TerraformVariableValidationConfig } from "cdktf";

/** Limits of the platform's general-purpose pods, less what the containers beside the server take. */
const CPU = { min: 0.5, max: 28, step: 0.25 } as const;
const MEMORY_GIB_PER_CPU = { min: 1, max: 6.5 } as const;
const MAX_MEMORY_GIB = 108;

/** Enough for server and worker together; the application asks for two CPUs and two gigabytes at least. */
export const DEFAULT_CPU = 2;
export const DEFAULT_MEMORY = "4Gi";

const MEMORY_PATTERN = "^([0-9]+)(Mi|Gi)$";

const CPU_RULE = `it must be ${CPU.min} to ${CPU.max} in steps of ${CPU.step}, because the platform offers no other pod`;

const MEMORY_RULE = `it must be a whole number with Mi or Gi, ${MEMORY_GIB_PER_CPU.min} to ${MEMORY_GIB_PER_CPU.max}Gi per CPU and ${MAX_MEMORY_GIB}Gi at most, because the platform raises other requests and bills them`;

/** Every problem of a literal pair, one sentence each. */
export function podSizeProblems(cpu: string, memory: string): string[] {
  const cpus = Number(cpu);
  if (!(cpus >= CPU.min && cpus <= CPU.max && cpus % CPU.step === 0)) {
    return [`resources.cpu is ${cpu}; ${CPU_RULE}; use ${DEFAULT_CPU}`];
  }
  const [, amount, unit] = new RegExp(MEMORY_PATTERN).exec(memory) ?? [];
  const memoryGib = Number(amount) / (unit === "Mi" ? 1024 : 1);
  const fits = memoryGib >= cpus * MEMORY_GIB_PER_CPU.min && memoryGib <= cpus * MEMORY_GIB_PER_CPU.max;
  if (fits && memoryGib <= MAX_MEMORY_GIB) return [];
  return [`resources.memory is ${memory} with ${cpu} CPU; ${MEMORY_RULE}; change one of the two`];
}

/** The rule of the CPU for a variable. */
export function podCpuValidation(variable: string): TerraformVariableValidationConfig {
  const cpu = `var.${variable}`;
  return {
    condition: `\${${cpu} >= ${CPU.min} && ${cpu} <= ${CPU.max} && ${cpu} % ${CPU.step} == 0}`,
    errorMessage: `${variable} is \${${cpu}}; ${CPU_RULE}; use ${DEFAULT_CPU}.`,
  };
}

/** The rule of the memory for a variable, given the variable of the CPU. */
export function podMemoryValidation(variable: string, cpuVariable: string): TerraformVariableValidationConfig {
  const cpu = `var.${cpuVariable}`;
  const parts = `regex("${MEMORY_PATTERN}", var.${variable})`;
  const memoryGib = `tonumber(${parts}[0]) / (${parts}[1] == "Mi" ? 1024 : 1)`;
  const limits = [
    `${memoryGib} >= ${cpu} * ${MEMORY_GIB_PER_CPU.min}`,
    `${memoryGib} <= ${cpu} * ${MEMORY_GIB_PER_CPU.max}`,
    `${memoryGib} <= ${MAX_MEMORY_GIB}`,
  ];
  return {
    condition: `\${try(${limits.join(" && ")}, false)}`,
    errorMessage: `${variable} is \${var.${variable}} with ${cpuVariable} \${${cpu}}; ${MEMORY_RULE}; change one of the two.`,
  };
}
