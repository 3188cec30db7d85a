import { type PriceId } from "./prices";

/** Size of a machine type, and the prices of its CPUs and memory. */
export interface MachineType {
  /** CPUs that are billed; the small types share one. */
  readonly billedCpus: number;

  /** CPUs that the system sees, by which licences are billed. */
  readonly cpus: number;
  readonly memoryGib: number;
  readonly cpuPrice: PriceId;
  readonly memoryPrice: PriceId;
}

/** Prices of a family, and GiB of memory for each CPU of its kinds. */
interface Family {
  readonly prices: Pick<MachineType, "cpuPrice" | "memoryPrice">;
  readonly memoryGibPerCpu: Readonly<Record<string, number>>;
}

const E2 = { cpuPrice: "e2Cpu", memoryPrice: "e2Memory" } as const;

const MOST = { standard: 4, highmem: 8, highcpu: 1 } as const;

const FAMILIES: Readonly<Record<string, Family>> = {
  c3: { prices: { cpuPrice: "c3Cpu", memoryPrice: "c3Memory" }, memoryGibPerCpu: { ...MOST, highcpu: 2 } },
  e2: { prices: E2, memoryGibPerCpu: MOST },
  n1: {
    prices: { cpuPrice: "n1Cpu", memoryPrice: "n1Memory" },
    memoryGibPerCpu: { standard: 3.75, highmem: 6.5, highcpu: 0.9 },
  },
  n2: { prices: { cpuPrice: "n2Cpu", memoryPrice: "n2Memory" }, memoryGibPerCpu: MOST },
  n2d: { prices: { cpuPrice: "n2dCpu", memoryPrice: "n2dMemory" }, memoryGibPerCpu: MOST },
};

const SHARED_CORE: Readonly<Record<string, MachineType>> = {
  "e2-micro": { billedCpus: 0.25, cpus: 2, memoryGib: 1, ...E2 },
  "e2-small": { billedCpus: 0.5, cpus: 2, memoryGib: 2, ...E2 },
  "e2-medium": { billedCpus: 1, cpus: 2, memoryGib: 4, ...E2 },
};

const PREDEFINED = /^([a-z0-9]+)-(standard|highmem|highcpu)-(\d+)$/;

/** A machine type by its name; undefined for one without a price in the table. */
export function machineType(name: string): MachineType | undefined {
  if (Object.hasOwn(SHARED_CORE, name)) return SHARED_CORE[name];
  const [, family = "", kind = "", count] = PREDEFINED.exec(name) ?? [];
  if (!Object.hasOwn(FAMILIES, family)) return undefined;
  const { memoryGibPerCpu = {}, prices } = FAMILIES[family] ?? {};
  const perCpu = memoryGibPerCpu[kind];
  if (prices === undefined || perCpu === undefined) return undefined;
  const cpus = Number(count);
  return { billedCpus: cpus, cpus, memoryGib: cpus * perCpu, ...prices };
}
