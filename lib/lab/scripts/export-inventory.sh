#!/bin/sh
# Writes the machines of one region of cloud B as the tables that the assessment service imports.
#
# In INVENTORY_FOLDER afterwards: vmInfo.csv, diskInfo.csv, tagInfo.csv, perfInfo.csv (header only), what does not fit
# in a file in vmInfo-2.csv and so on, and last of all manifest.json:
#
#   {"instances": 2, "hash": "<hexadecimal>", "files": [
#     {"name": "vmInfo.csv", "kind": "vmInfo", "bytes": 512, "rows": 2, "sha256": "<hexadecimal>"}, ...]}
#
# Rows do not count the header. The hash depends on the contents alone: the same machines give the same bytes, in whatever
# order they are listed. No machines: "instances" is 0 and "files" is empty. Without manifest.json there is no inventory.
#
#   AWS_ACCESS_KEY_ID      key that may list instances, instance types and volumes (required)
#   AWS_SECRET_ACCESS_KEY  its secret (required)
#   CLOUDB_REGION          region whose machines are listed (required)
#   INVENTORY_FOLDER       existing folder for the files (required)
#   AWS_ENDPOINT_URL_EC2   base address of the EC2 API, as for the Terraform provider; AWS_ENDPOINT_URL for all APIs
#   FILE_BYTES             largest file (95000000)
#   KEY_WAIT_SECONDS       how long a key or policy may be too new to work (120)
#   LIST_SECONDS           time limit of one listing, all pages together (3600)
#   PAGE_SIZE              machines or volumes per page (1000)
# Pauses and exit codes: google-rest.sh.
#
# Everything passes through in pages, sorted on disk, so memory does not grow with the number of machines. The program
# of cloud B collects all pages in memory when it prints JSON; as text it prints page by page and applies the query to
# each, in its releases 1 and 2 alike. A row that is JSON inside (`to_string`) has neither tabs nor line ends in it, so
# nothing can be mistaken for a separator.
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$(dirname "$0")/google-rest.sh}"

# The service takes 100 MB per file.
FILE_BYTES=${FILE_BYTES:-95000000}
KEY_WAIT_SECONDS=${KEY_WAIT_SECONDS:-120}
LIST_SECONDS=${LIST_SECONDS:-3600}
# The largest page of the API.
PAGE_SIZE=${PAGE_SIZE:-1000}

# The API takes no more types in one call.
types_per_call=100

google_require aws jq sha256sum
google_setting AWS_ACCESS_KEY_ID '[A-Za-z0-9_]+' "the id of an access key"
[ -n "${AWS_SECRET_ACCESS_KEY:-}" ] || google_refuse "AWS_SECRET_ACCESS_KEY is not set; it must hold the secret of the key."
google_setting CLOUDB_REGION '[a-z]+(-[a-z]+)+-[0-9]+' "a region of cloud B, like us-east-1"
google_setting FILE_BYTES '[1-9][0-9]*' "a number of bytes"
google_time_limit KEY_WAIT_SECONDS LIST_SECONDS
google_setting PAGE_SIZE '[1-9][0-9]*' "a number of rows between 5 and 1000"
if [ -z "${INVENTORY_FOLDER:-}" ]; then
  google_refuse "INVENTORY_FOLDER is not set; it must hold the path of a folder."
elif [ ! -d "$INVENTORY_FOLDER" ] || [ ! -w "$INVENTORY_FOLDER" ]; then
  google_refuse "INVENTORY_FOLDER is $INVENTORY_FOLDER, which is no folder that can be written to."
fi
google_check_settings
google_start
google_on_interrupt stop_workers
trap 'stop_workers; google_end' EXIT
: >"$GOOGLE_WORK/worker-errors"

# Nothing of the caller's own set-up may take the place of the key: profiles, sessions, the role of the machine. Its
# file may also name another address or a pager.
unset AWS_PROFILE AWS_DEFAULT_PROFILE AWS_SESSION_TOKEN AWS_SECURITY_TOKEN AWS_ROLE_ARN AWS_WEB_IDENTITY_TOKEN_FILE
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null AWS_EC2_METADATA_DISABLED=true
# Release 2 would wait in front of a pager, or ask for arguments.
export AWS_PAGER='' AWS_CLI_AUTO_PROMPT=off
# Every page by itself: limits of rate, faults of the service and broken connections.
export AWS_RETRY_MODE=standard AWS_MAX_ATTEMPTS="${AWS_MAX_ATTEMPTS:-8}"
export AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY

endpoint=${AWS_ENDPOINT_URL_EC2:-${AWS_ENDPOINT_URL:-}}
# Processes in the background, so that a signal is handled at once.
workers=
tab=$(printf '\t')

stop_workers() {
  for worker in $workers; do
    kill "$worker" 2>/dev/null || :
  done
  workers=
}

# new_pipe NAME: a pipe between two of them, in the work folder.
new_pipe() {
  rm -f "$GOOGLE_WORK/$1"
  mkfifo "$GOOGLE_WORK/$1" || exit 1
}

any_worker() {
  for worker in $workers; do
    if kill -0 "$worker" 2>/dev/null; then return 0; fi
  done
  return 1
}

# await_workers WHAT: until all have ended. Their exit codes come in failed_workers, as `<process>=<code>` for each that is
# not 0.
await_workers() {
  await_start=$(google_seconds)
  pause=0.05
  while any_worker; do
    google_sleep "$pause"
    now=$(google_seconds)
    # What is short is not slowed down; what is long is not watched too closely.
    [ $((now - await_start)) -lt 2 ] || pause=1
    if [ $((now - await_start)) -ge "$LIST_SECONDS" ]; then
      google_complain "$1: not done after $LIST_SECONDS s."
      google_complain "  Way out: apply again; set LIST_SECONDS when there is that much to do."
      exit 1
    fi
  done
  failed_workers=
  for worker in $workers; do
    status=0
    wait "$worker" || status=$?
    [ "$status" -eq 0 ] || failed_workers="$failed_workers $worker=$status"
  done
  workers=
}

# For work on files, which fails for want of room and little else.
require_workers() {
  await_workers "$@"
  [ -n "$failed_workers" ] || return 0
  google_complain "$1: failed (exit codes$failed_workers). $(google_text <"$GOOGLE_WORK/worker-errors")"
  google_complain "  Way out: see that ${TMPDIR:-/tmp} has room, then apply again."
  exit 1
}

# list WHAT QUERY FILTER OUTPUT ARGUMENT...: all rows of one call, as the jq filter makes lines of them.
list() {
  what=$1
  query=$2
  filter=$3
  output=$4
  shift 4
  [ -z "$endpoint" ] || set -- "$@" --endpoint-url "$endpoint"
  key_deadline=$(($(google_seconds) + KEY_WAIT_SECONDS))
  attempt=1
  while ! list_once "$@"; do
    case $error_code in
      AuthFailure | InvalidAccessKeyId | InvalidClientTokenId | UnauthorizedOperation) ;;
      *) list_failed ;;
    esac
    [ "$(google_seconds)" -lt "$key_deadline" ] || list_failed
    pause=$(google_doubled "$REST_RETRY_BASE_SECONDS" "$attempt")
    google_say "$what: $error_code. A new key or policy takes up to a minute to work; trying again in $pause s."
    google_sleep "$pause"
    attempt=$((attempt + 1))
  done
}

# One run of the program of cloud B with its pages going through jq; true when both came to their end.
list_once() {
  new_pipe pages
  : >"$output"
  jq -r "$filter" <"$GOOGLE_WORK/pages" >"$output" 2>"$GOOGLE_WORK/jq-error" &
  reader=$!
  workers=$reader
  aws --output text --query "$query" --region "$CLOUDB_REGION" --color off --cli-connect-timeout 10 \
    --cli-read-timeout 60 ec2 "$@" >"$GOOGLE_WORK/pages" 2>"$GOOGLE_WORK/aws-error" </dev/null &
  workers="$workers $!"
  await_workers "$what"
  error_code=$(sed -n 's/.*An error occurred (\([A-Za-z.]*\)) when calling.*/\1/p' "$GOOGLE_WORK/aws-error" | sed 1q)
  # Rows that cannot be read close the pipe, and the program then fails for that reason alone.
  case $failed_workers in
    *" $reader="*)
      google_complain "$what: rows of an unexpected form: $(google_text <"$GOOGLE_WORK/jq-error")"
      google_complain "  Way out: update the aws program and jq, then apply again."
      exit 1
      ;;
  esac
  [ -z "$failed_workers" ]
}

list_failed() {
  google_complain "$what failed: $(google_text <"$GOOGLE_WORK/aws-error")"
  case $error_code in
    AuthFailure | InvalidAccessKeyId | InvalidClientTokenId)
      google_complain "  The key did not work within $KEY_WAIT_SECONDS s. The same is said of a region that is not enabled for" \
        "the account: enable $CLOUDB_REGION there, or set cloudb_region to the region of the machines."
      ;;
    UnauthorizedOperation)
      google_complain "  The policy of the scoped user allows this call, and did not take effect within" \
        "$KEY_WAIT_SECONDS s. Look for a rule of the organization or a permissions boundary that denies it."
      ;;
    InvalidInstanceType)
      google_complain "  A machine has a type that the region no longer describes. Change its type, or remove the machine."
      ;;
    '')
      google_complain "  Way out: check that this machine reaches the API, and that cloudb_region ($CLOUDB_REGION) is spelled" \
        "as cloud B does; then apply again."
      ;;
    *) google_complain "  Nothing was imported. Apply again when the cause is gone." ;;
  esac
  exit 1
}

# SHA-256 of a file, by the program that this system has for it.
checksum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1" | cut -d ' ' -f 1
  else
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  fi
}

# For the background: GNU sort takes a share of all memory unless told otherwise.
sort_on_disk() {
  exec sort -S 16M -T "$GOOGLE_WORK" -t "$tab" "$@" 2>>"$GOOGLE_WORK/worker-errors"
}

# Lines `<machine id> 0 <type> <what the tables need of it>`, or `! <state>` for a machine that is not exported.
# shellcheck disable=SC2016 # jq's own variables
machine_lines='
  .InstanceId as $id | .InstanceType as $type | .RootDeviceName as $root
  # Interface 0 first: its addresses are the primary ones.
  | ([.NetworkInterfaces[]?] | sort_by(.Attachment.NetworkCardIndex // 0, .Attachment.DeviceIndex // 0)) as $interfaces
  | (first($interfaces[] | select(.Attachment.DeviceIndex == 0)) // {}) as $primary
  | if .State.Name == "terminated" or .State.Name == "shutting-down" then "!\t" + .State.Name
    else
      {
        name: (first(.Tags[]? | select(.Key == "Name") | .Value | select(. != "")) // $id),
        private: ($primary.PrivateIpAddress // .PrivateIpAddress // ""),
        mac: ($primary.MacAddress // ""),
        public: (first($interfaces[].Association.PublicIp // empty) // .PublicIpAddress // ""),
        further: [$interfaces[]
          | .PrivateIpAddress, .Association.PublicIp, (.PrivateIpAddresses[]? | .PrivateIpAddress, .Association.PublicIp)
          | strings],
        cores: (.CpuOptions | if .CoreCount != null and .ThreadsPerCore != null
          then .CoreCount * .ThreadsPerCore else null end),
        os: (.PlatformDetails // (if (.Platform // "" | ascii_downcase) == "windows" then "Windows" else "Linux/UNIX" end)),
        state: .State.Name,
        created: (first(.BlockDeviceMappings[]? | select(.DeviceName == $root) | .Ebs.AttachTime // empty)
          // .LaunchTime // ""),
        tags: [.Tags[]? | [.Key, .Value // ""]] | sort
      }
      | [$id, "0", $type, tojson] | join("\t")
    end'

# Lines `<machine id> 1 <device> <GiB> <type>`, one per attachment.
# shellcheck disable=SC2016
volume_lines='
  . as $volume | .Attachments[]? | select(.InstanceId != null and .State != "detached")
  | [.InstanceId, "1", .Device // $volume.VolumeId, ($volume.Size | tostring), $volume.VolumeType // ""] | join("\t")'

type_lines='{type: .InstanceType, cores: .VCpuInfo.DefaultVCpus, mebibytes: .MemoryInfo.SizeInMiB} | tojson'

# Reads machines, each followed by its volumes, and writes `<table> <bytes> <row>` with escaped line ends. Holds one
# machine at a time.
# shellcheck disable=SC2016
table_rows='
  # Quotes where they are needed and nowhere else, as the official exporter of the format does.
  def cell: if contains(",") or contains("\"") or contains("\n") or contains("\r") then [.] | @csv else . end;
  def row($table): join(",")
    | "\($table)\t\(utf8bytelength)\t\(if contains("\\") or contains("\n")
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
      # A machine needs a disk to be imported; the official exporter gives this one to a machine that has none.
      (if $disks == [] then ["/dev/xvda", 52.5, "gp2"] else $disks[] end
        | [$id, (.[0] | cell), (.[1] | tostring), "", .[2]] | row("diskInfo")),
      (if $disks == [] then "!\t\($id)" else empty end),
      ($machine.tags[] | [$id, (.[0] | cell), (.[1] | cell)] | row("tagInfo"));
  (reduce $known[] as $type ({}; .[$type.type] = $type)) as $types
  | foreach (inputs, null) as $line ({};
      if $line == null then .done = .current
      else
        ($line | split("\t")) as $fields
        | if $fields[1] == "0" and $fields[0] != .current.id then
            .done = .current
            | .current = {id: $fields[0], type: $fields[2], machine: ($fields[3] | fromjson), disks: []}
          # A volume of a machine that is not exported, or a machine that came twice.
          elif $fields[1] == "0" or $fields[0] != .current.id then .done = null
          else .done = null | .current.disks += [[$fields[2], ($fields[3] | tonumber), $fields[4]]]
          end
      end;
      .done // empty)
  | rows($types)'

vm_columns=MachineId,MachineName,PrimaryIPAddress,PrimaryMACAddress,PublicIPAddress,IpAddressListSemiColonDelimited
vm_columns=$vm_columns,TotalDiskAllocatedGiB,TotalDiskUsedGiB,MachineTypeLabel,AllocatedProcessorCoreCount,MemoryGiB
vm_columns=$vm_columns,HostingLocation,OsType,OsPublisher,OsName,OsVersion,MachineStatus,ProvisioningState,CreateDate
vm_columns=$vm_columns,IsPhysical,Source
disk_columns=MachineId,DiskLabel,SizeInGib,UsedInGib,StorageTypeLabel
tag_columns=MachineId,Key,Value
perf_columns=MachineId,TimeStamp,CpuUtilizationPercentage,MemoryUtilizationPercentage,AvailableMemoryBytes
perf_columns=$perf_columns,DiskReadOperationsPerSec,DiskWriteOperationsPerSec,NetworkBytesPerSecSent
perf_columns=$perf_columns,NetworkBytesPerSecReceived

list_machines() {
  # shellcheck disable=SC2016 # the backticks are a literal of the query
  list "Machines of $CLOUDB_REGION" 'not_null(Reservations[].Instances[].[to_string(@)], `[]`)' "$machine_lines" \
    "$GOOGLE_WORK/listed" describe-instances --page-size "$PAGE_SIZE"
  : >"$GOOGLE_WORK/types"
  new_pipe lines
  awk -F '\t' -v types="$GOOGLE_WORK/types" -v counts="$GOOGLE_WORK/counts" '
    $1 == "!" { skipped++; next }
    { kept++; if (!($3 in seen)) { seen[$3]; print $3 >types } print }
    END { print kept + 0, skipped + 0 >counts }' "$GOOGLE_WORK/listed" \
    >"$GOOGLE_WORK/lines" 2>>"$GOOGLE_WORK/worker-errors" &
  workers=$!
  sort_on_disk -k 1,1 <"$GOOGLE_WORK/lines" >"$GOOGLE_WORK/machines" &
  workers="$workers $!"
  require_workers "Sorting the machines"
  read -r kept skipped <"$GOOGLE_WORK/counts"
  rm "$GOOGLE_WORK/listed"
  google_say "Machines of $CLOUDB_REGION: $kept found; $skipped more are terminated and left out ($(google_seconds) s)"
}

list_types() {
  : >"$GOOGLE_WORK/known"
  sort "$GOOGLE_WORK/types" >"$GOOGLE_WORK/wanted"
  count=$(($(wc -l <"$GOOGLE_WORK/wanted")))
  start=1
  while [ "$start" -le "$count" ]; do
    # shellcheck disable=SC2046 # one word per type
    set -- $(sed -n "$start,$((start + types_per_call - 1))p" "$GOOGLE_WORK/wanted")
    # shellcheck disable=SC2016
    list "Machine types $start to $((start + $# - 1)) of $count" 'not_null(InstanceTypes[].[to_string(@)], `[]`)' \
      "$type_lines" "$GOOGLE_WORK/described" describe-instance-types --instance-types "$@"
    cat "$GOOGLE_WORK/described" >>"$GOOGLE_WORK/known"
    start=$((start + types_per_call))
  done
  jq -r 'select(.cores != null and .mebibytes != null) | .type' "$GOOGLE_WORK/known" >"$GOOGLE_WORK/found"
  missing=$(grep -vxF -f "$GOOGLE_WORK/found" "$GOOGLE_WORK/wanted" | tr '\n' ' ') || :
  if [ -n "$missing" ]; then
    google_complain "Cloud B does not say how many processors and how much memory these types have: ${missing% }."
    google_complain "  Machines without them cannot be assessed, so nothing was imported. Apply again later."
    exit 1
  fi
  google_say "Machine types: $count ($(google_seconds) s)"
}

list_volumes() {
  # All of the region: a filter takes two hundred machines at most.
  # shellcheck disable=SC2016
  list "Volumes of $CLOUDB_REGION" 'not_null(Volumes[].[to_string(@)], `[]`)' "$volume_lines" "$GOOGLE_WORK/attached" \
    describe-volumes --page-size "$PAGE_SIZE"
  sort_on_disk -k 1,1 -k 3,3 "$GOOGLE_WORK/attached" >"$GOOGLE_WORK/volumes" &
  workers=$!
  require_workers "Sorting the volumes"
  rm "$GOOGLE_WORK/attached"
  google_say "Volumes of $CLOUDB_REGION: $(($(wc -l <"$GOOGLE_WORK/volumes"))) attached ($(google_seconds) s)"
}

# Distributes rows over files, and starts the next file of a table where one would get too large.
write_tables() {
  google_say "Writing the tables."
  new_pipe merged
  new_pipe rows
  sort_on_disk -m -k 1,1 -k 2,2 "$GOOGLE_WORK/machines" "$GOOGLE_WORK/volumes" >"$GOOGLE_WORK/merged" &
  workers=$!
  jq -nRr --arg region "$CLOUDB_REGION" --slurpfile known "$GOOGLE_WORK/known" "$table_rows" \
    <"$GOOGLE_WORK/merged" >"$GOOGLE_WORK/rows" 2>>"$GOOGLE_WORK/worker-errors" &
  workers="$workers $!"
  awk -v folder="$INVENTORY_FOLDER" -v limit="$FILE_BYTES" -v list="$GOOGLE_WORK/files" \
    -v vm="$vm_columns" -v disk="$disk_columns" -v tag="$tag_columns" -v perf="$perf_columns" \
    -v bare="$GOOGLE_WORK/bare" '
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
      header["vmInfo"] = vm
      header["diskInfo"] = disk
      header["tagInfo"] = tag
      header["perfInfo"] = perf
      count = split("vmInfo diskInfo tagInfo perfInfo", tables, " ")
      for (i = 1; i <= count; i++) open(tables[i])
    }
    { at = index($0, "\t"); table = substr($0, 1, at - 1); rest = substr($0, at + 1) }
    table == "!" { without++; next }
    {
      at = index(rest, "\t")
      size = substr(rest, 1, at - 1) + 2
      row = substr(rest, at + 1)
      if (rows[table] > 0 && bytes[table] + size > limit) { finish(table); open(table) }
      if (index(row, "\\")) {
        # Escaped backslashes first become a character that no name holds.
        gsub(/\\\\/, "\001", row)
        gsub(/\\n/, "\n", row)
        gsub(/\001/, "\\", row)
      }
      printf "%s\r\n", row >path(table)
      bytes[table] += size
      rows[table]++
    }
    END {
      for (i = 1; i <= count; i++) {
        finish(tables[i])
        printf "%s", finished[tables[i]] >list
      }
      print without + 0 >bare
    }' <"$GOOGLE_WORK/rows" 2>>"$GOOGLE_WORK/worker-errors" &
  workers="$workers $!"
  require_workers "Writing the tables"
  bare=$(cat "$GOOGLE_WORK/bare")
  [ "$bare" -eq 0 ] ||
    google_say "$bare of the machines have no volume; each gets one disk /dev/xvda of 52.5 GiB, as the import asks for one."
}

# For the background.
take_checksums() {
  trap - EXIT INT TERM HUP
  while read -r table file bytes rows; do
    sum=$(checksum "$INVENTORY_FOLDER/$file")
    printf '%s %s %s %s %s\n' "$table" "$file" "$bytes" "$rows" "$sum"
  done <"$GOOGLE_WORK/files"
}

# Last, and in one go: who finds it finds everything that it names.
write_manifest() {
  take_checksums >"$GOOGLE_WORK/entries" 2>>"$GOOGLE_WORK/worker-errors" &
  workers=$!
  require_workers "Taking checksums of the tables"
  hash=$(checksum "$GOOGLE_WORK/entries")
  jq -nR --arg hash "$hash" '
    [inputs | split(" ")
      | {name: .[1], kind: .[0], bytes: (.[2] | tonumber), rows: (.[3] | tonumber), sha256: .[4]}] as $files
    | {instances: ([$files[] | select(.kind == "vmInfo") | .rows] | add // 0), hash: $hash, files: $files}' \
    <"$GOOGLE_WORK/entries" >"$GOOGLE_WORK/manifest"
  cp "$GOOGLE_WORK/manifest" "$INVENTORY_FOLDER/manifest.json.part"
  mv "$INVENTORY_FOLDER/manifest.json.part" "$INVENTORY_FOLDER/manifest.json"
}

# What an interrupted run may have left.
rm -f "$INVENTORY_FOLDER/manifest.json" "$INVENTORY_FOLDER"/vmInfo*.csv "$INVENTORY_FOLDER"/diskInfo*.csv \
  "$INVENTORY_FOLDER"/tagInfo*.csv "$INVENTORY_FOLDER/perfInfo.csv"

google_say "Listing the machines of $CLOUDB_REGION."
list_machines
: >"$GOOGLE_WORK/files"
if [ "$kept" -eq 0 ]; then
  write_manifest
  google_say "$CLOUDB_REGION hosts no machines. Set cloudb_region if they are in another region."
  exit 0
fi
list_types
list_volumes
write_tables
write_manifest
google_say "Inventory of $kept machines: $(($(wc -l <"$GOOGLE_WORK/files"))) files in $(google_seconds) s."
