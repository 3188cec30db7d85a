import { AWS_IMPORT_COLUMNS } from "../../lib/lab/contract";
import { readTable } from "./google-stand-in-tables";

/** The header rows of the template for manual input, as documented. */
const TEMPLATE = {
  vmInfo:
    "MachineId,MachineName,PrimaryIPAddress(optional),PrimaryMACAddress(optional),PublicIPAddress(optional),IpAddressListSemiColonDelimited(optional),TotalDiskAllocatedGiB,TotalDiskUsedGiB,MachineTypeLabel(optional),AllocatedProcessorCoreCount,MemoryGiB,HostingLocation(optional),OsType(optional),OsPublisher(optional),OsName,OsVersion(optional),MachineStatus(optional),ProvisioningState(optional),CreateDate(optional),IsPhysical",
  diskInfo: "MachineId,DiskLabel,SizeInGib,UsedInGib,StorageTypeLabel",
  tagInfo: "MachineId,Key,Value",
  perfInfo:
    "MachineId,TimeStamp,CpuUtilizationPercentage,MemoryUtilizationPercentage(optional),AvailableMemoryBytes,DiskReadOperationsPerSec,DiskWriteOperationsPerSec,NetworkBytesPerSecSent,NetworkBytesPerSecReceived",
} as const;

const AWS = "IMPORT_JOB_FORMAT_EXPORTED_AWS_CSV";
const BY_HAND = "IMPORT_JOB_FORMAT_STRATOZONE_CSV";

function read(format: string, header: string) {
  const bytes = Buffer.from(`${header}\r\n`);
  return readTable({ bytes, fileName: "a.csv", format });
}

describe("A table that the stand-in is sent", () => {
  it.each(Object.entries(AWS_IMPORT_COLUMNS))("is known by its header row: %s of AWS's export", (kind, columns) => {
    expect(read(AWS, columns.join())).toMatchObject({ hasErrors: false, kind });
  });

  it.each(Object.entries(TEMPLATE))("is known by its header row: %s of the template", (kind, header) => {
    expect(read(BY_HAND, header)).toMatchObject({ hasErrors: false, kind });
  });

  it.each([
    ["another format", BY_HAND, AWS_IMPORT_COLUMNS.vmInfo.join()],
    ["another format", AWS, TEMPLATE.vmInfo],
    ["columns in another order", AWS, "MachineId,Value,Key"],
    ["other capitals", AWS, "MachineId,DiskLabel,SizeInGiB,UsedInGiB,StorageTypeLabel"],
    ["a column more", AWS, "MachineId,Key,Value,Source"],
    ["a format whose columns nobody knows", "IMPORT_JOB_FORMAT_RVTOOLS_CSV", "MachineId,Key,Value"],
  ])("is refused with the header row of %s", (_what, format, header) => {
    expect(read(format, header)).toMatchObject({ hasErrors: true, kind: undefined });
  });
});
