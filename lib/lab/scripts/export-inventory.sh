#!/bin/sh
# Writes the instances of one AWS region as the tables that Migration Center imports.
#
# Writes to INVENTORY_FOLDER: vmInfo.csv, diskInfo.csv, tagInfo.csv, perfInfo.csv (header only), vmInfo-2.csv and so on for
# rows that do not fit in one file, and finally manifest.json:
#
#   {"instances": 2, "hash": "<hexadecimal>", "files": [
#     {"name": "vmInfo.csv", "kind": "vmInfo", "bytes": 512, "rows": 2, "sha256": "<hexadecimal>"}, ...]}
#
# "rows" excludes the header. The hash depends only on the contents: the same machines give the same bytes, in whatever
# order they are listed. Without machines, "instances" is 0 and "files" is empty. Without manifest.json there is no inventory.
#
#   AWS_ACCESS_KEY_ID      key that may list instances, instance types and volumes (required)
#   AWS_SECRET_ACCESS_KEY  its secret (required)
#   CLOUDB_REGION          region whose machines are listed (required)
#   INVENTORY_FOLDER       existing folder for the files (required)
#   AWS_ENDPOINT_URL_EC2   base URL of the EC2 API, as for the Terraform provider; AWS_ENDPOINT_URL for all APIs
#   FILE_BYTES             maximum bytes per file (95000000)
#   KEY_WAIT_SECONDS       how long to wait for a new key or policy to take effect (120)
#   LIST_SECONDS           time limit of one listing, all pages together (3600)
#   PAGE_SIZE              machines or volumes per page (1000)
# Pauses and exit codes: google-rest.sh.
#
# Sorts on disk, so memory does not grow with the number of machines.
set -eu

scripts=${0%"${0##*/}"}.
# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source-path=SCRIPTDIR source=cloudb-lists.sh
. "$scripts/cloudb-lists.sh"

# Migration Center accepts 100 MB per file.
FILE_BYTES=${FILE_BYTES:-95000000}
KEY_WAIT_SECONDS=${KEY_WAIT_SECONDS:-120}
LIST_SECONDS=${LIST_SECONDS:-3600}
# The API's maximum.
PAGE_SIZE=${PAGE_SIZE:-1000}

# The API's maximum.
types_per_call=100

# A key read from a file ends with a line break.
AWS_ACCESS_KEY_ID=$(printf '%s' "${AWS_ACCESS_KEY_ID:-}" | sed 's/[[:space:]]*$//')
AWS_SECRET_ACCESS_KEY=$(printf '%s' "${AWS_SECRET_ACCESS_KEY:-}" | sed 's/[[:space:]]*$//')

google_require aws jq sha256sum
google_setting AWS_ACCESS_KEY_ID '[A-Za-z0-9_]+' "the id of an access key"
[ -n "${AWS_SECRET_ACCESS_KEY:-}" ] || google_refuse "AWS_SECRET_ACCESS_KEY is not set; it must hold the secret of the key."
google_setting CLOUDB_REGION '[a-z]+(-[a-z]+)+-[0-9]+' "an AWS region, like us-east-1"
google_setting FILE_BYTES '[1-9][0-9]{0,8}' "a number of bytes"
google_time_limit KEY_WAIT_SECONDS LIST_SECONDS
google_setting PAGE_SIZE '[5-9]|[1-9][0-9]{1,2}|1000' "a number of rows between 5 and 1000"
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
keep_own_set_up_out
tab=$(printf '\t')

# SHA-256 of a file; macOS has shasum instead of sha256sum.
checksum() {
  if command -v sha256sum >/dev/null 2>&1; then
    sha256sum <"$1" | cut -d ' ' -f 1
  else
    shasum -a 256 <"$1" | cut -d ' ' -f 1
  fi
}

# For the background. By default GNU sort uses a share of all memory.
sort_on_disk() {
  exec sort -S 16M -T "$GOOGLE_WORK" -t "$tab" "$@" 2>>"$GOOGLE_WORK/worker-errors"
}

list_machines() {
  # shellcheck disable=SC2016 # the backticks are a literal of the query
  list "Machines of $CLOUDB_REGION" 'Reservations[].not_null(Instances, `[{}]`)' \
    "$scripts/inventory-machines.jq" "$GOOGLE_WORK/listed" describe-instances --page-size "$PAGE_SIZE"
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
    list "Machine types $start to $((start + $# - 1)) of $count" InstanceTypes \
      "$scripts/inventory-types.jq" "$GOOGLE_WORK/described" describe-instance-types --instance-types "$@"
    cat "$GOOGLE_WORK/described" >>"$GOOGLE_WORK/known"
    start=$((start + types_per_call))
  done
  jq -r 'select(.cores != null and .mebibytes != null) | .type' "$GOOGLE_WORK/known" >"$GOOGLE_WORK/found"
  missing=$(grep -vxF -f "$GOOGLE_WORK/found" "$GOOGLE_WORK/wanted" | tr '\n' ' ') || :
  if [ -n "$missing" ]; then
    google_error "AWS does not say how many processors and how much memory these types have: ${missing% }."
    google_error "  Machines without them cannot be assessed, so nothing was imported. Apply again later."
    exit 1
  fi
  google_say "Machine types: $count ($(google_seconds) s)"
}

list_volumes() {
  # All volumes of the region: a filter takes at most two hundred instances.
  list "Volumes of $CLOUDB_REGION" Volumes "$scripts/inventory-volumes.jq" "$GOOGLE_WORK/attached" \
    describe-volumes --page-size "$PAGE_SIZE"
  sort_on_disk -k 1,1 -k 3,3 "$GOOGLE_WORK/attached" >"$GOOGLE_WORK/volumes" &
  workers=$!
  require_workers "Sorting the volumes"
  rm "$GOOGLE_WORK/attached"
  google_say "Volumes of $CLOUDB_REGION: $(($(wc -l <"$GOOGLE_WORK/volumes"))) attached ($(google_seconds) s)"
}

# Writes the rows to the files of the tables.
write_tables() {
  google_say "Writing the tables."
  new_pipe merged
  new_pipe rows
  sort_on_disk -m -k 1,1 -k 2,2 "$GOOGLE_WORK/machines" "$GOOGLE_WORK/volumes" >"$GOOGLE_WORK/merged" &
  workers=$!
  jq -nRr --arg region "$CLOUDB_REGION" --slurpfile known "$GOOGLE_WORK/known" \
    --from-file "$scripts/inventory-tables.jq" <"$GOOGLE_WORK/merged" >"$GOOGLE_WORK/rows" 2>>"$GOOGLE_WORK/worker-errors" &
  workers="$workers $!"
  awk -v folder="$INVENTORY_FOLDER" -v limit="$FILE_BYTES" -v list="$GOOGLE_WORK/files" -v count="$GOOGLE_WORK/bare" \
    -f "$scripts/inventory-tables.awk" <"$GOOGLE_WORK/rows" 2>>"$GOOGLE_WORK/worker-errors" &
  workers="$workers $!"
  require_workers "Writing the tables"
  read -r bare <"$GOOGLE_WORK/bare"
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

# Written last and atomically: if it exists, all files that it names are complete.
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

# Remove what an interrupted run may have left.
rm -f "$INVENTORY_FOLDER/manifest.json" "$INVENTORY_FOLDER"/vmInfo*.csv "$INVENTORY_FOLDER"/diskInfo*.csv \
  "$INVENTORY_FOLDER"/tagInfo*.csv "$INVENTORY_FOLDER/perfInfo.csv"

google_say "Listing the machines of $CLOUDB_REGION."
list_machines
: >"$GOOGLE_WORK/files"
if [ "$kept" -eq 0 ]; then
  write_manifest
  google_say "$CLOUDB_REGION hosts no machines. Choose another region if they are elsewhere."
  exit 0
fi
list_types
list_volumes
write_tables
write_manifest
google_say "Inventory of $kept machines: $(($(wc -l <"$GOOGLE_WORK/files"))) files in $(google_seconds) s."
