#!/bin/sh
# Writes the instances of one AWS region as the tables that Migration Center imports.
#
# Writes to INVENTORY_FOLDER: vmInfo.csv, diskInfo.csv, tagInfo.csv, perfInfo.csv (header only), and finally manifest.json:
#
#   {"instances": 2, "hash": "<hexadecimal>", "files": [{"name": "vmInfo.csv", "kind": "vmInfo", "rows": 2}, ...]}
#
# "rows" excludes the header. The hash depends only on the contents: the same machines give the same bytes, in whatever
# order they are listed. Without machines, "instances" is 0 and "files" is empty. Without manifest.json there is no inventory.
#
#   AWS_ACCESS_KEY_ID      key that may list instances, instance types and volumes (required)
#   AWS_SECRET_ACCESS_KEY  its secret (required)
#   CLOUDB_REGION          region whose machines are listed (required)
#   INVENTORY_FOLDER       existing folder for the files (required)
#   AWS_ENDPOINT_URL_EC2   base URL of the EC2 API, as for the Terraform provider; AWS_ENDPOINT_URL for all APIs
#   KEY_WAIT_SECONDS       how long to wait for a new key or policy to take effect (120)
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

KEY_WAIT_SECONDS=${KEY_WAIT_SECONDS:-120}
# The API's maximum.
PAGE_SIZE=${PAGE_SIZE:-1000}

# The API's maximum.
types_per_call=100
tables="vmInfo diskInfo tagInfo perfInfo"

# A key read from a file ends with a line break.
AWS_ACCESS_KEY_ID=$(printf '%s' "${AWS_ACCESS_KEY_ID:-}" | sed 's/[[:space:]]*$//')
AWS_SECRET_ACCESS_KEY=$(printf '%s' "${AWS_SECRET_ACCESS_KEY:-}" | sed 's/[[:space:]]*$//')

google_require aws jq sha256sum
google_setting AWS_ACCESS_KEY_ID '[A-Za-z0-9_]+' "the id of an access key"
[ -n "${AWS_SECRET_ACCESS_KEY:-}" ] || google_refuse "AWS_SECRET_ACCESS_KEY is not set; it must hold the secret of the key."
google_setting CLOUDB_REGION '[a-z]+(-[a-z]+)+-[0-9]+' "an AWS region, like us-east-1"
google_time_limit KEY_WAIT_SECONDS
google_setting PAGE_SIZE '[5-9]|[1-9][0-9]{1,2}|1000' "a number of rows between 5 and 1000"
if [ -z "${INVENTORY_FOLDER:-}" ]; then
  google_refuse "INVENTORY_FOLDER is not set; it must hold the path of a folder."
elif [ ! -d "$INVENTORY_FOLDER" ] || [ ! -w "$INVENTORY_FOLDER" ]; then
  google_refuse "INVENTORY_FOLDER is $INVENTORY_FOLDER, which is no folder that can be written to."
fi
google_check_settings
google_start
keep_own_set_up_out
tab=$(printf '\t')

# make_file OUTPUT COMMAND...: fails mostly when the disk is full.
make_file() {
  made=$GOOGLE_WORK/$1
  shift
  in_background "$made" "$GOOGLE_WORK/program-error" "$@" || {
    google_error "$1: failed. $(google_text <"$GOOGLE_WORK/program-error")"
    google_error "  To fix: see that ${TMPDIR:-/tmp} has room, then apply again."
    exit 1
  }
}

# sort_on_disk OUTPUT ARGUMENT...: by default GNU sort uses a share of all memory.
sort_on_disk() {
  sorted=$1
  shift
  make_file "$sorted" sort -S 16M -T "$GOOGLE_WORK" -t "$tab" "$@"
}

list_machines() {
  # shellcheck disable=SC2016 # the backticks are a literal of the query
  list "Machines of $CLOUDB_REGION" 'Reservations[].not_null(Instances, `[{}]`)' \
    "$scripts/inventory-machines.jq" "$GOOGLE_WORK/listed" describe-instances --page-size "$PAGE_SIZE"
  : >"$GOOGLE_WORK/types"
  # shellcheck disable=SC2016 # fields of awk
  make_file lines awk -F '\t' -v types="$GOOGLE_WORK/types" -v counts="$GOOGLE_WORK/counts" '
    $1 == "!" { skipped++; next }
    { kept++; if (!($3 in seen)) { seen[$3]; print $3 >types } print }
    END { print kept + 0, skipped + 0 >counts }' "$GOOGLE_WORK/listed"
  sort_on_disk machines -k 1,1 "$GOOGLE_WORK/lines"
  read -r kept skipped <"$GOOGLE_WORK/counts"
  rm "$GOOGLE_WORK/listed" "$GOOGLE_WORK/lines"
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
  sort_on_disk volumes -k 1,1 -k 3,3 "$GOOGLE_WORK/attached"
  rm "$GOOGLE_WORK/attached"
  google_say "Volumes of $CLOUDB_REGION: $(($(wc -l <"$GOOGLE_WORK/volumes"))) attached ($(google_seconds) s)"
}

# Writes the rows to the files of the tables.
write_tables() {
  google_say "Writing the tables."
  sort_on_disk merged -m -k 1,1 -k 2,2 "$GOOGLE_WORK/machines" "$GOOGLE_WORK/volumes"
  make_file rows jq -nRr --arg region "$CLOUDB_REGION" --slurpfile known "$GOOGLE_WORK/known" \
    --from-file "$scripts/inventory-tables.jq" "$GOOGLE_WORK/merged"
  make_file no-output awk -v folder="$INVENTORY_FOLDER" -v list="$GOOGLE_WORK/files" -v count="$GOOGLE_WORK/bare" \
    -f "$scripts/inventory-tables.awk" "$GOOGLE_WORK/rows"
  read -r bare <"$GOOGLE_WORK/bare"
  [ "$bare" -eq 0 ] ||
    google_say "$bare of the machines have no volume; each gets one disk /dev/xvda of 52.5 GiB, as the import asks for one."
}

# Written last and atomically: if it exists, all files that it names are complete. macOS has shasum instead of sha256sum.
write_manifest() {
  hash=$(cd "$INVENTORY_FOLDER" && for table in $tables; do cat "$table.csv"; done 2>/dev/null | { sha256sum 2>/dev/null || shasum -a 256; } | cut -d ' ' -f 1)
  jq -nR --arg hash "$hash" --argjson instances "$kept" '{ instances: $instances, hash: $hash,
    files: [inputs | split(" ") | { name: "\(.[0]).csv", kind: .[0], rows: (.[1] | tonumber) }] }' \
    <"$GOOGLE_WORK/files" >"$INVENTORY_FOLDER/manifest.json.part"
  mv "$INVENTORY_FOLDER/manifest.json.part" "$INVENTORY_FOLDER/manifest.json"
}

# Remove what an interrupted run may have left.
rm -f "$INVENTORY_FOLDER/manifest.json"
for table in $tables; do rm -f "$INVENTORY_FOLDER/$table.csv"; done

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
google_say "Inventory of $kept machines in $(google_seconds) s."
