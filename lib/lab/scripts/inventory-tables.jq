# Reads machines, each followed by its volumes, and writes `<table> <row>` with escaped line breaks. Holds one
# machine at a time. The line `!bare` is no row: it counts a machine without a volume.

# Quotes only where needed, as the official exporter of the format does.
def cell: if contains(",") or contains("\"") or contains("\n") or contains("\r") then [.] | @csv else . end;
def row($table): join(",")
  | "\($table)\t\(if contains("\\") or contains("\n")
      then split("\\") | join("\\\\") | split("\n") | join("\\n") else . end)";
def date: if . == "" then "" else "\(.[0:10]) \(.[11:19])+00:00" end;
def gibibytes: (. * 10 / 1024 | round) | "\(. / 10 | floor).\(. % 10)";
def rows($types):
  .id as $id | .machine as $machine | $types[.type] as $type | .disks as $disks
  | ([$id, ($machine.name | cell), $machine.private, $machine.mac, $machine.public,
      (reduce ($machine.private, $machine.public, $machine.further[]) as $address ([];
        if $address == "" or index([$address]) != null then . else . + [$address] end) | join(";")),
      ([$disks[][1]] | add // 0 | tostring), "0", .type, ($machine.cores // $type.cores | tostring),
      ($type.mebibytes | gibibytes), $region, ($machine.os | cell), "", "", "", $machine.state, "",
      ($machine.created | date), "0", "AWS"] | row("vmInfo")),
    # The import requires a disk; the official exporter gives this one to a machine without any.
    (if $disks == [] then ["/dev/xvda", 52.5, "gp2"] else $disks[] end
      | [$id, (.[0] | cell), (.[1] | tostring), "", .[2]] | row("diskInfo")),
    (if $disks == [] then "!bare" else empty end),
    ($machine.tags[] | [$id, (.[0] | cell), (.[1] | cell)] | row("tagInfo"));
(reduce $known[] as $type ({}; .[$type.type] = $type)) as $types
| foreach (inputs, null) as $line ({};
    if $line == null then .done = .current
    else
      ($line | split("\t")) as $fields
      | if $fields[1] == "0" and $fields[0] != .current.id then
          .done = .current
          | .current = {id: $fields[0], type: $fields[2], machine: ($fields[3] | fromjson), disks: []}
        # A volume of a machine that is not exported, or a machine listed twice.
        elif $fields[1] == "0" or $fields[0] != .current.id then .done = null
        else .done = null | .current.disks += [[$fields[2], ($fields[3] | tonumber), $fields[4]]]
        end
    end;
    .done // empty)
| rows($types)
