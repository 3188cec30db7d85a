# Writes the rows to their tables' files and starts another file where one would exceed the limit.
#
#   folder   folder of the files
#   limit    maximum bytes per file
#   list     file for lines `<table> <file> <bytes> <rows>`
#   count    file for the number of machines without a volume

function path(table) {
  return folder "/" name(table)
}
function name(table) {
  return table (part[table] == 1 ? "" : "-" part[table]) ".csv"
}
function open(table) {
  part[table]++
  printf "%s\r\n", header[table] >path(table)
  bytes[table] = length(header[table]) + 2
  rows[table] = 0
}
function finish(table) {
  close(path(table))
  finished[table] = finished[table] sprintf("%s %s %.0f %.0f\n", table, name(table), bytes[table], rows[table])
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
  for (i = 1; i <= 4; i++) open(tables[i])
}
/^!bare/ { bare++; next }
{
  at = index($0, "\t")
  table = substr($0, 1, at - 1)
  rest = substr($0, at + 1)
  at = index(rest, "\t")
  size = substr(rest, 1, at - 1) + 2
  row = substr(rest, at + 1)
  if (rows[table] > 0 && bytes[table] + size > limit) { finish(table); open(table) }
  if (index(row, "\\")) {
    # Escaped backslashes first become a character that no name contains.
    gsub(/\\\\/, "\001", row)
    gsub(/\\n/, "\n", row)
    gsub(/\001/, "\\", row)
  }
  printf "%s\r\n", row >path(table)
  bytes[table] += size
  rows[table]++
}
END {
  for (i = 1; i <= 4; i++) {
    finish(tables[i])
    printf "%s", finished[tables[i]] >list
  }
  print bare + 0 >count
}
