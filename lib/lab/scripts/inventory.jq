# One table of the inventory as CSV, from what AWS has listed: $instances, $types and $volumes.
#
# $table is vmInfo, diskInfo, tagInfo, perfInfo (header only), or "summary": the number of instances, of those left out
# and of those without a volume, and the types that are not described, in one line each. The same instances give the
# same bytes, in whatever order they are listed.

# Quotes only where needed, as the official exporter of the format does.
def cell: (. // "" | tostring) | if test("[,\"\n\r]") then [.] | @csv else . end;
def row: map(cell) | join(",") + "\r";
def date: "\(.[0:10]) \(.[11:19])+00:00";
def gibibytes: (. * 10 / 1024 | round) | "\(. / 10 | floor).\(. % 10)";
# The primary interface comes first. IPv6 addresses are left out beside an IPv4 address: it is not documented whether
# the import takes both.
def addresses:
  ([.NetworkInterfaces[]?] | sort_by(.Attachment.NetworkCardIndex // 0, .Attachment.DeviceIndex // 0)) as $interfaces
  | (first($interfaces[] | select(.Attachment.DeviceIndex == 0)) // {}) as $primary
  | ($primary.PrivateIpAddress // .PrivateIpAddress) as $ipv4
  | (if $ipv4 then [] else [$interfaces[].Ipv6Addresses[]?.Ipv6Address, .Ipv6Address | strings] end) as $ipv6
  | { private: ($ipv4 // $ipv6[0]), mac: $primary.MacAddress,
      public: (first($interfaces[].Association.PublicIp // empty) // .PublicIpAddress) }
  | .all = (reduce (.private, .public, ($interfaces[] | .PrivateIpAddress, .Association.PublicIp,
      (.PrivateIpAddresses[]? | .PrivateIpAddress, .Association.PublicIp)), $ipv6[] | strings) as $address ([];
      if index([$address]) then . else . + [$address] end) | join(";"));
def created: .RootDeviceName as $root
  | first(.BlockDeviceMappings[]? | select(.DeviceName == $root) | .Ebs.AttachTime // empty) // .LaunchTime // null
  | if . then date else . end;
def tags: [.Tags[]? | [.Key, .Value // ""]] | sort;

INDEX($types[]; .InstanceType) as $type_of
| [$volumes[] | . as $volume | .Attachments[]? | select(.InstanceId and .State != "detached")
    | { id: .InstanceId, device: (.Device // $volume.VolumeId), size: $volume.Size, kind: $volume.VolumeType }]
| (group_by(.id) | map({ key: .[0].id, value: sort_by(.device) }) | from_entries) as $disks_of
| [$instances[] | select(.State.Name | IN("terminated", "shutting-down") | not)]
| unique_by(.InstanceId)
| if $table == "vmInfo" then
    (["MachineId", "MachineName", "PrimaryIPAddress", "PrimaryMACAddress", "PublicIPAddress",
      "IpAddressListSemiColonDelimited", "TotalDiskAllocatedGiB", "TotalDiskUsedGiB", "MachineTypeLabel",
      "AllocatedProcessorCoreCount", "MemoryGiB", "HostingLocation", "OsType", "OsPublisher", "OsName", "OsVersion",
      "MachineStatus", "ProvisioningState", "CreateDate", "IsPhysical", "Source"] | row),
    (.[] | $type_of[.InstanceType] as $type | addresses as $addresses
      | [.InstanceId, (first(.Tags[]? | select(.Key == "Name") | .Value | select(. != "")) // .InstanceId),
          $addresses.private, $addresses.mac, $addresses.public, $addresses.all,
          ([$disks_of[.InstanceId][]?.size] | add // 0), 0, .InstanceType,
          (.CpuOptions | if .CoreCount and .ThreadsPerCore then .CoreCount * .ThreadsPerCore
            else $type.VCpuInfo.DefaultVCpus end),
          ($type.MemoryInfo.SizeInMiB | gibibytes), $region,
          (.PlatformDetails // if (.Platform // "" | ascii_downcase) == "windows" then "Windows" else "Linux/UNIX" end),
          "", "", "", .State.Name, "", created, 0, "AWS"] | row)
  elif $table == "diskInfo" then
    (["MachineId", "DiskLabel", "SizeInGib", "UsedInGib", "StorageTypeLabel"] | row),
    # The import requires a disk; the official exporter gives this one to a machine without any.
    (.[].InstanceId | . as $id | ($disks_of[.] // [{ device: "/dev/xvda", size: 52.5, kind: "gp2" }])[]
      | [$id, .device, .size, "", .kind] | row)
  elif $table == "tagInfo" then
    (["MachineId", "Key", "Value"] | row), (.[] | .InstanceId as $id | tags[] | [$id] + . | row)
  elif $table == "perfInfo" then
    ["MachineId", "TimeStamp", "CpuUtilizationPercentage", "MemoryUtilizationPercentage", "AvailableMemoryBytes",
      "DiskReadOperationsPerSec", "DiskWriteOperationsPerSec", "NetworkBytesPerSecSent",
      "NetworkBytesPerSecReceived"] | row
  else
    length, ($instances | length) - length, (map(select($disks_of[.InstanceId] | not)) | length),
    (map(.InstanceType) - [$type_of[] | select(.VCpuInfo.DefaultVCpus and .MemoryInfo.SizeInMiB) | .InstanceType]
      | unique | join(" "))
  end
