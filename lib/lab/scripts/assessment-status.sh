#!/bin/sh
# Shows what Migration Center has for a project: sources, discovered assets, import jobs and export jobs.
#
#   assessment-status.sh          as tables
#   assessment-status.sh --json   as one JSON document, with progress on the error output
#
#   PROJECT_ID   project (required)
#   REGION       region of the assessment data (required)
#   SOURCE_ID    identifier of a lab's source: says if the service has lost it, and how to register it again (none)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"
# shellcheck source=/dev/null
. "${0%"${0##*/}"}./assessment-rest.sh"

# The service's maximum for one page. Machines in full view are large, and a page has to arrive within the time limit of
# one call.
page_size=1000
asset_page_size=100

as_json=no
case ${1:-} in
  --json)
    as_json=yes
    # Progress messages must not be in the document.
    google_say() { google_error "$@"; }
    ;;
  '') ;;
  --help | -h)
    sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
    exit 0
    ;;
  *) google_refuse "\"$1\" is no option; there is --json, and --help." ;;
esac
google_require curl jq
google_setting PROJECT_ID '[a-z][a-z0-9.:-]*[a-z0-9]' "the id of a project, like my-project-123"
google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
[ -z "${SOURCE_ID:-}" ] || google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' "the id of the discovery source"
google_check_settings
google_start
google_be_patient

location="projects/$PROJECT_ID/locations/$REGION"

# read_all COLLECTION QUERY FIELDS: QUERY begins with the page size; reduces each item to the fields that are shown.
read_all() {
  google_list migrationcenter "$location/$1" "pageSize=$2" "$1" "$GOOGLE_WORK/items" ||
    google_fail "The $1 of project $PROJECT_ID in $REGION cannot be read." \
      "To fix: check project and region; the caller needs roles/migrationcenter.viewer."
  jq -c --slurpfile groups "$GOOGLE_WORK/groups" "$GOOGLE_MARKS$3" "$GOOGLE_WORK/items" >"$GOOGLE_WORK/$1"
  cat "$GOOGLE_WORK/unreachable" >>"$GOOGLE_WORK/all-unreachable"
}

# Works row by row: there may be a hundred thousand machines.
# show TITLE COLLECTION ROW COLUMN...
show() {
  title=$1
  collection=$2
  row=$3
  shift 3
  count=$(($(wc -l <"$GOOGLE_WORK/$collection")))
  google_say "$title: $count"
  [ "$count" -gt 0 ] || return 0
  jq -c "$row" "$GOOGLE_WORK/$collection" >"$GOOGLE_WORK/rows"
  google_table "$GOOGLE_WORK/rows" "$@"
}

: >"$GOOGLE_WORK/all-unreachable"
read_all groups "$page_size" .
# shellcheck disable=SC2016 # names of jq
read_all sources "$page_size" '{
  id: (.name | split("/") | last), displayName: (.displayName // ""), type: (.type // "SOURCE_TYPE_UNKNOWN"),
  state: (.state // "STATE_UNSPECIFIED"), pendingFrameCount: (.pendingFrameCount // 0),
  errorFrameCount: (.errorFrameCount // 0), labs: users($groups)
}'
# Only the full view has the machine details; databases and the like have none.
read_all assets "$asset_page_size&view=ASSET_VIEW_FULL&showHidden=true" '{
  id: (.name | split("/") | last), machineName: .machineDetails.machineName,
  osName: (.machineDetails.guestOs.osName // .machineDetails.guestOsDetails.osName),
  sources: [.sources[]? | split("/") | last], hidden: (.hidden // false)
}'
read_all importJobs "$page_size" '{
  id: (.name | split("/") | last), displayName: (.displayName // ""), state: (.state // "IMPORT_JOB_STATE_UNSPECIFIED")
}'
# Each job keeps its latest runs, in no documented order.
# shellcheck disable=SC2016 # names of jq
read_all assetsExportJobs "$page_size" '([.recentExecutions[]?] | max_by(.startTime // "")) as $run | {
  id: (.name | split("/") | last), created: (.createTime // ""), started: ($run.startTime // ""),
  state: (if $run == null then "" elif $run.result.error then "failed" elif $run.endTime then "ended" else "under way" end)
}'

if [ "$as_json" = yes ]; then
  sort -u "$GOOGLE_WORK/all-unreachable" | jq -R 'select(. != "")' >"$GOOGLE_WORK/unreachable"
  printf '{'
  separator=
  for list in sources assets importJobs assetsExportJobs unreachable; do
    printf '%s\n  "%s": [' "$separator" "$list"
    awk 'NR > 1 { printf "," } { printf "\n    %s", $0 } END { if (NR > 0) printf "\n  " }' "$GOOGLE_WORK/$list"
    printf ']'
    separator=,
  done
  printf '\n}\n'
else
  show Sources sources '[.id, .displayName, .type, .state, .pendingFrameCount, .errorFrameCount,
      (.labs | join(" "))]' ID "DISPLAY NAME" TYPE STATE "PENDING FRAMES" "ERROR FRAMES" LABS
  show Assets assets '[.id, .machineName // "", .osName // "", if .hidden then "hidden" else "" end, (.sources | join(" "))]' \
    ID MACHINE "OPERATING SYSTEM" HIDDEN SOURCES
  show "Import jobs" importJobs '[.id, .displayName, .state]' ID "DISPLAY NAME" STATE
  show "Export jobs" assetsExportJobs '[.id, .created, .started, .state]' ID CREATED "LAST RUN" STATE
  if [ -s "$GOOGLE_WORK/all-unreachable" ]; then
    google_say "Not everything is shown; the service could not reach: $(sort -u "$GOOGLE_WORK/all-unreachable" | tr '\n' ' ')"
  fi
fi

# Prints how to have Terraform register and import again: the source is not in its state, so it notices no loss.
if [ -n "${SOURCE_ID:-}" ] && ! jq -en --arg id "$SOURCE_ID" 'any(inputs; .id == $id)' "$GOOGLE_WORK/sources" >/dev/null; then
  repair=
  for file in "${0%"${0##*/}"}"../*.tf.json; do
    [ ! -f "$file" ] || repair=$(jq -r '[.resource.terraform_data // {} | to_entries[]
      | select(any(.value.provisioner[]?["local-exec"].command // ""; test("/(register-source|discover-cloudb)[.]sh\"$")))
      | " -replace=\u0027terraform_data.\(.key)\(if .value.count then "[0]" else "" end)\u0027"]
      | select(. != []) | " To register it, in the folder of the configuration: terraform apply" + add' "$file")
  done
  google_say "Source $SOURCE_ID is not registered in $REGION of project $PROJECT_ID.$repair"
fi
