import { parse } from "csv-parse/sync";

import { type JsonObject } from "./google-stand-in-schema";

/** Tables of the AWS export format: the exact columns in order. */
export const COLUMNS = {
  vmInfo: [
    "MachineId",
    "MachineName",
    "PrimaryIPAddress",
    "PrimaryMACAddress",
    "PublicIPAddress",
    "IpAddressListSemiColonDelimited",
    "TotalDiskAllocatedGiB",
    "TotalDiskUsedGiB",
    "MachineTypeLabel",
    "AllocatedProcessorCoreCount",
    "MemoryGiB",
    "HostingLocation",
    "OsType",
    "OsPublisher",
    "OsName",
    "OsVersion",
    "MachineStatus",
    "ProvisioningState",
    "CreateDate",
    "IsPhysical",
    "Source",
  ],
  diskInfo: ["MachineId", "DiskLabel", "SizeInGib", "UsedInGib", "StorageTypeLabel"],
  tagInfo: ["MachineId", "Key", "Value"],
  perfInfo: [
    "MachineId",
    "TimeStamp",
    "CpuUtilizationPercentage",
    "MemoryUtilizationPercentage",
    "AvailableMemoryBytes",
    "DiskReadOperationsPerSec",
    "DiskWriteOperationsPerSec",
    "NetworkBytesPerSecSent",
    "NetworkBytesPerSecReceived",
  ],
} as const;

type Kind = keyof typeof COLUMNS;

export type Row = Readonly<Record<string, string>>;

export interface TableReport {
  /** Findings of this file as a FileValidationReport. */
  readonly report: JsonObject;
  readonly kind: Kind | undefined;
  readonly rows: readonly Row[];
}

/** Reads an uploaded file as the service would: by its format and header row, not by its name. */
export function readTable(fileName: string, format: string, bytes: Buffer | undefined): TableReport {
  const [header = [], ...rest]: string[][] = parse(bytes?.toString("utf8") ?? "", { relaxColumnCount: true });
  const isKnown = format === "IMPORT_JOB_FORMAT_EXPORTED_AWS_CSV";
  const kind = (Object.keys(COLUMNS) as Kind[]).find((name) => isKnown && COLUMNS[name].join() === header.join());
  if (kind === undefined) {
    const errorDetails = `Unrecognized header row for ${format}: ${header.join().slice(0, 80)}`;
    return { report: { fileName, fileErrors: [{ errorDetails, severity: "ERROR" }] }, kind, rows: [] };
  }
  const rows = rest.map((cells): Row =>
    Object.fromEntries(COLUMNS[kind].map((column, index) => [column, cells[index] ?? ""])),
  );
  return { report: { fileName }, kind, rows };
}
