# Lines `<instance id> 0 <type> <JSON for the tables>`, or `! <state>` for an instance that is not exported.
(.InstanceId // error("no list of machines")) as $id | .InstanceType as $type | .RootDeviceName as $root
# Interface 0 first: its addresses are the primary ones.
| ([.NetworkInterfaces[]?] | sort_by(.Attachment.NetworkCardIndex // 0, .Attachment.DeviceIndex // 0)) as $interfaces
| (first($interfaces[] | select(.Attachment.DeviceIndex == 0)) // {}) as $primary
| ($primary.PrivateIpAddress // .PrivateIpAddress) as $ipv4
# IPv6 addresses are omitted if there is an IPv4 address: it is not documented whether the import accepts both.
| (if $ipv4 == null then [$interfaces[].Ipv6Addresses[]?.Ipv6Address, .Ipv6Address | strings] else [] end) as $ipv6
| if .State.Name == "terminated" or .State.Name == "shutting-down" then "!\t" + .State.Name
  else
    {
      name: (first(.Tags[]? | select(.Key == "Name") | .Value | select(. != "")) // $id),
      private: ($ipv4 // $ipv6[0] // ""),
      mac: ($primary.MacAddress // ""),
      public: (first($interfaces[].Association.PublicIp // empty) // .PublicIpAddress // ""),
      further: ([$interfaces[]
        | .PrivateIpAddress, .Association.PublicIp, (.PrivateIpAddresses[]? | .PrivateIpAddress, .Association.PublicIp)
        | strings] + $ipv6),
      cores: (.CpuOptions | if .CoreCount != null and .ThreadsPerCore != null
        then .CoreCount * .ThreadsPerCore else null end),
      os: (.PlatformDetails // (if (.Platform // "" | ascii_downcase) == "windows" then "Windows" else "Linux/UNIX" end)),
      state: .State.Name,
      created: (first(.BlockDeviceMappings[]? | select(.DeviceName == $root) | .Ebs.AttachTime // empty)
        // .LaunchTime // ""),
      tags: [.Tags[]? | [.Key, .Value // ""]] | sort
    }
    | [$id, "0", $type, tojson] | join("\t")
  end
