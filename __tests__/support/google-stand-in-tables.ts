import { parse } from "csv-parse/sync";

import { type JsonObject } from "./google-stand-in-schema";

/** Tables of the AWS export format: the exact columns in order. */
export const COLUMNS = {
  vmInfo: [
    ...["MachineId", "MachineName", "PrimaryIPAddress", "PrimaryMACAddress", "PublicIPAddress"],
    ...["IpAddressListSemiColonDelimited", "TotalDiskAllocatedGiB", "TotalDiskUsedGiB", "MachineTypeLabel"],
    ...["AllocatedProcessorCoreCount", "MemoryGiB", "HostingLocation", "OsType", "OsPublisher", "OsName", "OsVersion"],
    ...["MachineStatus", "ProvisioningState", "CreateDate", "IsPhysical", "Source"],
  ],
  diskInfo: ["MachineId", "DiskLabel", "SizeInGib", "UsedInGib", "StorageTypeLabel"],
  tagInfo: ["MachineId", "Key", "Value"],
  perfInfo: [
    ...["MachineId", "TimeStamp", "CpuUtilizationPercentage", "MemoryUtilizationPercentage", "AvailableMemoryBytes"],
    ...["DiskReadOperationsPerSec", "DiskWriteOperationsPerSec", "NetworkBytesPerSecSent"],
    "NetworkBytesPerSecReceived",
  ],
} as const;

type Kind = keyof typeof COLUMNS;

export type Row = Readonly<Record<string, string>>;

/** Required formats of cells, where an empty cell is not allowed or the format is known. */
const CELLS: Readonly<Record<Kind, Readonly<Record<string, RegExp>>>> = {
  vmInfo: {
    MachineId: /./,
    TotalDiskAllocatedGiB: /^\d+(\.\d+)?$/,
    TotalDiskUsedGiB: /^\d+(\.\d+)?$/,
    AllocatedProcessorCoreCount: /^[1-9]\d*$/,
    MemoryGiB: /^\d+(\.\d+)?$/,
    CreateDate: /^(\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\+00:00)?$/,
    IsPhysical: /^0$/,
  },
  diskInfo: { MachineId: /./, SizeInGib: /^\d+(\.\d+)?$/ },
  tagInfo: { MachineId: /./, Key: /./ },
  perfInfo: { MachineId: /./, TimeStamp: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}\+00:00$/ },
};

export interface TableReport {
  /** Findings of this file as a FileValidationReport. */
  readonly report: JsonObject;
  readonly hasErrors: boolean;
  readonly kind: Kind | undefined;
  readonly rows: readonly Row[];
}

/** An uploaded file with its name and format. */
export interface UploadedTable {
  readonly fileName: string;
  readonly format: string;
  readonly bytes: Buffer | undefined;
}

/** Reads an uploaded file as the service would: by its format and header row, not by its name. */
export function readTable({ bytes, fileName, format }: UploadedTable): TableReport {
  const refused = (errorDetails: string): TableReport => ({
    report: { fileName, fileErrors: [{ errorDetails, severity: "ERROR" }] },
    hasErrors: true,
    kind: undefined,
    rows: [],
  });
  if (bytes === undefined) return refused("The file was not uploaded.");
  let records: string[][];
  try {
    records = parse(bytes.toString("utf8"), { relaxColumnCount: true });
  } catch (error) {
    return refused(`The file is no table: ${error instanceof Error ? error.message : String(error)}`);
  }
  const [header = [], ...rest] = records;
  const isKnown = format === "IMPORT_JOB_FORMAT_EXPORTED_AWS_CSV";
  const kind = (Object.keys(COLUMNS) as Kind[]).find((name) => isKnown && COLUMNS[name].join() === header.join());
  if (kind === undefined) return refused(`Unrecognized header row for ${format}: ${header.join().slice(0, 80)}`);

  const columns: readonly string[] = COLUMNS[kind];
  const rows = rest.map((cells): Row =>
    Object.fromEntries(columns.map((column, index) => [column, cells[index] ?? ""])),
  );
  const rowErrors = rest.flatMap((cells, index): JsonObject[] => {
    const row = rows[index] ?? {};
    const problems = [
      ...(cells.length === columns.length ? [] : [`The row has ${cells.length} cells, expected ${columns.length}.`]),
      ...Object.entries(CELLS[kind])
        .filter(([column, form]) => !form.test(row[column] ?? ""))
        .map(([column]) => `Invalid value for ${column}: "${row[column] ?? ""}"`),
    ];
    if (problems.length === 0) return [];
    const errors = problems.map((errorDetails) => ({ errorDetails, severity: "ERROR" }));
    return [{ csvError: { rowNumber: index + 2 }, vmName: row.MachineName ?? row.MachineId ?? "", errors }];
  });
  return { report: { fileName, rowErrors }, hasErrors: rowErrors.length > 0, kind, rows };
}
