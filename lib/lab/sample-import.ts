import { AWS_IMPORT_COLUMNS } from "./contract";

type Table = keyof typeof AWS_IMPORT_COLUMNS;
type Row<T extends Table> = Readonly<Record<(typeof AWS_IMPORT_COLUMNS)[T][number], string>>;

/** Values common to all sample machines. */
const REGION = "us-east-1";
const CREATED = "2025-03-03 09:15:00+00:00";

/** A small shop: two front ends, an application server, a database and a Windows server. */
const MACHINES = [
  { id: "i-0a1b2c3d4e5f60001", name: "shop-web-1", host: 11, type: "t3.medium", cores: 2, memory: 4, disks: [30] },
  { id: "i-0a1b2c3d4e5f60002", name: "shop-web-2", host: 12, type: "t3.medium", cores: 2, memory: 4, disks: [30] },
  { id: "i-0a1b2c3d4e5f60003", name: "shop-app-1", host: 21, type: "m5.xlarge", cores: 4, memory: 16, disks: [60] },
  { id: "i-0a1b2c3d4e5f60004", name: "shop-db-1", host: 31, type: "r5.large", cores: 2, memory: 16, disks: [50, 500] },
  {
    id: "i-0a1b2c3d4e5f60005",
    name: "office-files",
    host: 41,
    type: "m5.large",
    cores: 2,
    memory: 8,
    disks: [100, 200],
  },
] as const;

/** AWS device names of the first and second disk. */
const DEVICES = ["/dev/xvda", "/dev/xvdb"] as const;

/**
 * Tables of a sample AWS inventory by file name, ready for import.
 *
 * Without performance data: it is optional, and data older than 40 days is ignored.
 */
export function sampleImportFiles(): Readonly<Record<string, string>> {
  const machines = MACHINES.map((machine): Row<"vmInfo"> => {
    const address = `172.31.16.${machine.host}`;
    return {
      MachineId: machine.id,
      MachineName: machine.name,
      PrimaryIPAddress: address,
      PrimaryMACAddress: `0a:58:ac:1f:10:${machine.host.toString(16).padStart(2, "0")}`,
      PublicIPAddress: "",
      IpAddressListSemiColonDelimited: address,
      TotalDiskAllocatedGiB: String(machine.disks.reduce<number>((total, size) => total + size, 0)),
      TotalDiskUsedGiB: "0",
      MachineTypeLabel: machine.type,
      AllocatedProcessorCoreCount: String(machine.cores),
      MemoryGiB: machine.memory.toFixed(1),
      HostingLocation: REGION,
      OsType: machine.name === "office-files" ? "Windows" : "Linux/UNIX",
      OsPublisher: "",
      OsName: "",
      OsVersion: "",
      MachineStatus: "running",
      ProvisioningState: "",
      CreateDate: CREATED,
      IsPhysical: "0",
      Source: "AWS",
    };
  });
  const disks = MACHINES.flatMap((machine) =>
    machine.disks.map((size, index): Row<"diskInfo"> => ({
      MachineId: machine.id,
      DiskLabel: DEVICES[index] ?? "",
      SizeInGib: String(size),
      UsedInGib: "",
      StorageTypeLabel: "gp3",
    })),
  );
  const tags = MACHINES.flatMap((machine): Row<"tagInfo">[] => [
    // All lower case, because Migration Center labels allow nothing else.
    { MachineId: machine.id, Key: "application", Value: machine.name.split("-")[0] ?? "" },
    { MachineId: machine.id, Key: "environment", Value: "production" },
  ]);
  return {
    "vmInfo.csv": table("vmInfo", machines),
    "diskInfo.csv": table("diskInfo", disks),
    "tagInfo.csv": table("tagInfo", tags),
  };
}

/** Needs no quoting, because no cell of the sample contains a comma, a quote or a line break. */
function table<T extends Table>(name: T, rows: readonly Row<T>[]): string {
  const columns: readonly (keyof Row<T>)[] = AWS_IMPORT_COLUMNS[name];
  return [columns, ...rows.map((row) => columns.map((column) => row[column]))]
    .map((cells) => `${cells.join(",")}\r\n`)
    .join("");
}
