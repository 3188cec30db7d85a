# Writes the rows to the files of their tables.
#
#   folder   folder of the files
#   list     file for lines `<table> <rows>`
#   count    file for the number of machines without a volume

function path(table) {
  return folder "/" table ".csv"
}
BEGIN {
  header["vmInfo"] = "MachineId,MachineName,PrimaryIPAddress,PrimaryMACAddress,PublicIPAddress,"
  header["vmInfo"] = header["vmInfo"] "IpAddressListSemiColonDelimited,TotalDiskAllocatedGiB,TotalDiskUsedGiB,MachineTypeLabel,"
  header["vmInfo"] = header["vmInfo"] "AllocatedProcessorCoreCount,MemoryGiB,HostingLocation,OsType,OsPublisher,OsName,OsVersion,"
  header["vmInfo"] = header["vmInfo"] "MachineStatus,ProvisioningState,CreateDate,IsPhysical,Source"
  header["diskInfo"] = "MachineId,DiskLabel,SizeInGib,UsedInGib,StorageTypeLabel"
  header["tagInfo"] = "MachineId,Key,Value"
  header["perfInfo"] = "MachineId,TimeStamp,CpuUtilizationPercentage,MemoryUtilizationPercentage,AvailableMemoryBytes,"
  header["perfInfo"] = header["perfInfo"] "DiskReadOperationsPerSec,DiskWriteOperationsPerSec,NetworkBytesPerSecSent,"
  header["perfInfo"] = header["perfInfo"] "NetworkBytesPerSecReceived"
  split("vmInfo diskInfo tagInfo perfInfo", tables, " ")
  for (i = 1; i <= 4; i++) printf "%s\r\n", header[tables[i]] >path(tables[i])
}
/^!bare/ { bare++; next }
{
  at = index($0, "\t")
  table = substr($0, 1, at - 1)
  row = substr($0, at + 1)
  if (index(row, "\\")) {
    # Escaped backslashes first become a character that no name contains.
    gsub(/\\\\/, "\001", row)
    gsub(/\\n/, "\n", row)
    gsub(/\001/, "\\", row)
  }
  printf "%s\r\n", row >path(table)
  rows[table]++
}
END {
  for (i = 1; i <= 4; i++) print tables[i], rows[tables[i]] + 0 >list
  print bare + 0 >count
}
