import { type PriceId } from "./prices";

/** Size of a machine type, and what its CPUs and memory cost. */
export interface MachineType {
  /** CPUs that are billed; the small types share one. */
  readonly billedCpus: number;

  /** CPUs that the system sees, by which licences are billed. */
  readonly cpus: number;
  readonly memoryGib: number;
  readonly cpuPrice: PriceId;
  readonly memoryPrice: PriceId;
}

const E2 = { cpuPrice: "e2Cpu", memoryPrice: "e2Memory" } as const;
const N2 = { cpuPrice: "n2Cpu", memoryPrice: "n2Memory" } as const;

const SHARED_CORE: Readonly<Record<string, MachineType>> = {
  "e2-micro": { billedCpus: 0.25, cpus: 2, memoryGib: 1, ...E2 },
  "e2-small": { billedCpus: 0.5, cpus: 2, memoryGib: 2, ...E2 },
  "e2-medium": { billedCpus: 1, cpus: 2, memoryGib: 4, ...E2 },
};

const FAMILIES: Readonly<Record<string, Pick<MachineType, "cpuPrice" | "memoryPrice">>> = { e2: E2, n2: N2 };

const MEMORY_GIB_PER_CPU: Readonly<Record<string, number>> = { standard: 4, highmem: 8, highcpu: 1 };

const PREDEFINED = /^([a-z0-9]+)-(standard|highmem|highcpu)-(\d+)$/;

/** A machine type by its name; undefined for one without a price in the table. */
export function machineType(name: string): MachineType | undefined {
  if (Object.hasOwn(SHARED_CORE, name)) return SHARED_CORE[name];
  const [, family = "", kind = "", count] = PREDEFINED.exec(name) ?? [];
  const prices = Object.hasOwn(FAMILIES, family) ? FAMILIES[family] : undefined;
  const perCpu = MEMORY_GIB_PER_CPU[kind];
  if (prices === undefined || perCpu === undefined) return undefined;
  const cpus = Number(count);
  return { billedCpus: cpus, cpus, memoryGib: cpus * perCpu, ...prices };
}
