import { type InputValues } from "./input-values";
import { exactly, times, type Part } from "./part";
import { MONTH_HOURS } from "./prices";
import { USAGE } from "./usage";

const CUSTOM_TIER = /^db-custom-(\d+)-(\d+)$/;
const MB_PER_GIB = 1024;

/** A standby has CPUs, memory and disk of its own. */
const STANDBY_FACTOR = 2;

/** Parts of the database and its backups. */
export function databaseParts(inputs: InputValues): Part[] {
  const copies = inputs.text("database_availability") === "REGIONAL" ? STANDBY_FACTOR : 1;
  return [
    ...instanceParts(inputs.text("database_tier"), copies),
    {
      name: `Database, disk${withStandby(copies)}`,
      group: "database",
      price: "databaseDisk",
      quantity: times(USAGE.diskGib, copies),
      varies: "the disk grows with the data, and never shrinks",
    },
    {
      name: "Backups of the database",
      group: "database",
      price: "databaseBackup",
      quantity: times(USAGE.databaseGib, { min: 1, max: mostBackups(inputs) }),
      varies: "a backup stores what has changed, at most everything",
    },
  ];
}

function instanceParts(tier: string, copies: number): Part[] {
  const [, cpus, memoryMb] = CUSTOM_TIER.exec(tier) ?? [];
  const suffix = withStandby(copies);
  if (cpus === undefined)
    return [
      {
        name: `Database, ${tier}${suffix}`,
        group: "database",
        price: "databaseSharedCore",
        quantity: exactly(copies * MONTH_HOURS),
      },
    ];
  return [
    {
      name: `Database, CPU${suffix}`,
      group: "database",
      price: "databaseCpu",
      quantity: exactly(copies * Number(cpus) * MONTH_HOURS),
    },
    {
      name: `Database, memory${suffix}`,
      group: "database",
      price: "databaseMemory",
      quantity: exactly((copies * Number(memoryMb) * MONTH_HOURS) / MB_PER_GIB),
    },
  ];
}

/** The daily backups, and the one before an upgrade, which is kept for a month. */
function mostBackups(inputs: InputValues): number {
  return inputs.number("backup_retention_count") + Number(inputs.flag("backup_before_upgrade"));
}

function withStandby(copies: number): string {
  return copies === 1 ? "" : ", with a standby";
}
