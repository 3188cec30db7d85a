#!/bin/sh
# Imports an AWS inventory, as written by export-inventory.sh, into Migration Center, and waits for the import.
#
# The job's id contains hashes of the inventory, and of its source and region, so the same inventory is imported once. A job
# that an earlier run left incomplete is deleted, with everything it imported, and created again; a running one is awaited.
#
#   PROJECT_ID          project (required)
#   REGION              region of the assessment data (required)
#   SOURCE_ID           identifier of the source to import into (required)
#   INVENTORY_FOLDER    folder with manifest.json and the tables (required)
#   DEPLOYMENT_ID       suffix of the lab, for the job's display name (required)
#   IMPORT_SECONDS      time limit for each of validation and import (1800)
#   OPERATION_SECONDS   time limit for any other operation (600)
# Settings of the calls and exit codes: google-rest.sh; of the uploads: assessment-rest.sh.
set -eu

scripts=${0%"${0##*/}"}.
# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source-path=SCRIPTDIR source=assessment-rest.sh
. "$scripts/assessment-rest.sh"

IMPORT_SECONDS=${IMPORT_SECONDS:-1800}
OPERATION_SECONDS=${OPERATION_SECONDS:-600}

google_require curl jq sha256sum
google_setting PROJECT_ID '[a-z][a-z0-9.:-]*[a-z0-9]' "the id of a project, like my-project-123"
google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' \
  "at most 63 lower-case letters, digits and hyphens, starting with a letter"
google_setting INVENTORY_FOLDER '.+' "the folder that export-inventory.sh wrote"
google_setting DEPLOYMENT_ID '[a-z0-9-]{1,30}' "the suffix of the lab's names"
google_time_limit IMPORT_SECONDS OPERATION_SECONDS REST_UPLOAD_SECONDS
google_check_settings
google_start
google_be_patient

jq -er 'if (.instances | type == "number") and (.hash | type == "string" and test("^[0-9a-f]{64}$"))
    and (.files | type == "array" and all(.[].name; test("^[A-Za-z0-9][A-Za-z0-9._-]*$")))
  then .instances, .hash[0:16], .files[].name else error("no inventory") end' "$INVENTORY_FOLDER/manifest.json" \
  >"$GOOGLE_WORK/manifest" 2>/dev/null || {
  google_refuse "$INVENTORY_FOLDER/manifest.json is missing or is no inventory; run export-inventory.sh, which writes it last."
  google_check_settings
}
{
  read -r instances
  read -r inventory
} <"$GOOGLE_WORK/manifest"
if [ "$instances" -eq 0 ]; then
  google_say "The inventory has no instances: nothing to import. If there are some in AWS, they are in another region" \
    "than the one that was listed."
  exit 0
fi

sed 1,2d "$GOOGLE_WORK/manifest" >"$GOOGLE_WORK/files"
while read -r name; do
  [ -f "$INVENTORY_FOLDER/$name" ] || google_refuse "$INVENTORY_FOLDER/$name is missing; run export-inventory.sh again."
done <"$GOOGLE_WORK/files"
google_check_settings

location=projects/$PROJECT_ID/locations/$REGION
console="https://console.cloud.google.com/migration/discovery/dataImport?project=$PROJECT_ID"
# No two sources share an id: 24 digits of SHA-256. macOS has shasum instead of sha256sum.
place=$(printf '%s' "$REGION/$SOURCE_ID" | { sha256sum 2>/dev/null || shasum -a 256; } | cut -c 1-24)
job_id=cloudb-$inventory-$place
job=$location/importJobs/$job_id
again="To fix: repair what the message names and run the same command again; a half-done job is replaced."

explain_failure() {
  google_error "What exists of import job $job_id is left as it is; run the same command again."
}

# Sets source_time. Nothing can be imported into a source that is not there.
require_source() {
  google_reading '[.state // "?", .createTime // "" | strings] | join(" ")' google_get migrationcenter \
    "$location/sources/$SOURCE_ID" ||
    google_fail "Source $SOURCE_ID, which the machines are to belong to, cannot be read in $REGION." \
      "To fix: register it with register-source.sh if it does not exist."
  source_state=${GOOGLE_READ%% *}
  source_time=${GOOGLE_READ#* }
  case $source_state in
    DELETING | INVALID)
      google_error "Source $SOURCE_ID is $source_state: nothing can be imported into it."
      google_error "  To fix: delete it with assessment-cleanup.sh, register it again with register-source.sh."
      exit 1
      ;;
  esac
}

# Sets state, which is NONE when there is no such job, job_time, and frames, which is empty without a report.
look_at_job() {
  state=NONE
  if google_reading '[(.state // "?" | ltrimstr("IMPORT_JOB_STATE_")), .createTime // "?",
    (.executionReport | if . then .framesReported // 0 else "" end | tostring)] | join(" ")' google_get migrationcenter "$job"; then
    state=${GOOGLE_READ%% *}
    frames=${GOOGLE_READ##* }
    job_time=${GOOGLE_READ#* }
    job_time=${job_time%% *}
  elif [ "$GOOGLE_STATUS" != 404 ]; then
    google_fail "The state of import job $job_id cannot be read."
  fi
}

# begin WHAT PATH JSON QUERY [SECONDS]: begins an operation and waits for its end. No value can contain a character that
# JSON escapes.
begin() {
  printf '%s\n' "$3" >"$GOOGLE_WORK/body.json"
  google_begin migrationcenter "$2" "$GOOGLE_WORK/body.json" "${4:+$4&requestId=$(google_new_request_id)}" &&
    google_await migrationcenter "$1" "${5:-$OPERATION_SECONDS}"
}

delete_job() {
  google_say "Import job $job_id is $state: replacing it."
  google_delete migrationcenter "$job" "force=true&requestId=$(google_new_request_id)" &&
    google_await migrationcenter "Deletion of import job $job_id" "$OPERATION_SECONDS" || google_says '^NOT_FOUND' ||
    google_fail "Import job $job_id cannot be deleted." "$again"
}

create_job() {
  google_say "Creating import job $job_id for $instances instances."
  begin "Import job" "$location/importJobs" \
    "{ \"displayName\": \"AWS inventory (assess-$DEPLOYMENT_ID)\", \"assetSource\": \"$location/sources/$SOURCE_ID\" }" \
    "importJobId=$job_id" || google_fail "Import job $job_id cannot be created." "$again"
}

# send_file NAME: the answer to its creation has the address, at the latest when it is read again.
send_file() {
  file_id=$(printf '%s' "$1" | tr '[:upper:]._' '[:lower:]--')
  google_say "Uploading $1: $(($(wc -c <"$INVENTORY_FOLDER/$1"))) bytes."
  begin "File $1" "$job/importDataFiles" \
    "{ \"displayName\": \"$1\", \"format\": \"IMPORT_JOB_FORMAT_EXPORTED_AWS_CSV\" }" "importDataFileId=$file_id" ||
    google_fail "Import job $job_id takes no file $1." "$again"
  file_until=$(($(google_seconds) + OPERATION_SECONDS))
  until jq -e '(.response // .).uploadFileInfo.signedUri' "$GOOGLE_ANSWER" >/dev/null 2>&1; do
    [ "$(google_seconds)" -lt "$file_until" ] || google_fail "File $1 has no address to send it to." "$again"
    google_progress "File $1" "still being created"
    google_sleep "$REST_POLL_SECONDS"
    google_get migrationcenter "$job/importDataFiles/$file_id" || google_fail "The address to send $1 to cannot be read." "$again"
  done
  google_upload "$INVENTORY_FOLDER/$1" || google_fail "$1 cannot be uploaded." "$again"
}

is_whole() {
  [ "${frames:-$instances}" -ge "$instances" ]
}

# show_findings FUNCTION REPORT: the first lines of what the service has found, in its words; there may be thousands.
show_findings() {
  jq -r '['"$2"' // {}
      | (.jobErrors[]? | .place = "the job"),
        (.fileValidations[]? | (.fileName // "?") as $file | (.fileErrors[]? | .place = $file),
          (.rowErrors[]? | "\($file), row \(.csvError.rowNumber // "?") (\(.vmName // .vmUuid // "?"))" as $place
            | .errors[]? | .place = $place))]
    | sort_by(.severity == "WARNING" or .severity == "INFO")
    | (.[0:50][] | "  \(.severity // "ERROR") in \(.place): \(.errorDetails // "no message")" | gsub("[\r\n]+"; " ")),
      (length - 50 | select(. > 0) | "  and \(.) more.")' "$GOOGLE_ANSWER" >"$GOOGLE_WORK/findings"
  while IFS= read -r finding; do "$1" "$finding"; done <"$GOOGLE_WORK/findings"
}

# await_state STATE: waits, at most until until_seconds, until the job has it. An error of the operation counts only if the
# job does not move on.
await_state() {
  while look_at_job && [ "$state" != "$1" ]; do
    case $state in
      FAILED*)
        google_error "Import job $job_id is $state:"
        show_findings google_error "(.validationReport, .executionReport.executionErrors)"
        google_error "  To fix: repair what the service names and run the same command again, or look at the job at $console"
        exit 1
        ;;
      VALIDATING | RUNNING) problem= ;;
      NONE) google_fail "Import job $job_id is gone." "$again" ;;
    esac
    if [ -n "$problem" ]; then
      google_error "Import job $job_id stays $state: $problem"
      google_error "  $again"
      exit 1
    fi
    if [ "$(google_seconds)" -ge "$until_seconds" ]; then
      google_error "Import job $job_id is still $state after $IMPORT_SECONDS s; it goes on by itself."
      google_error "  To fix: look at it at $console. The same command waits for a running import and replaces any other job."
      exit 1
    fi
    google_progress "Import job $job_id" "$state"
    google_sleep "$REST_POLL_SECONDS"
  done
}

# start_phase validate|run STATE
start_phase() {
  problem=
  until_seconds=$(($(google_seconds) + IMPORT_SECONDS))
  begin "Import job $job_id, $1" "$job:$1" "{ \"requestId\": \"$(google_new_request_id)\" }" "" "$IMPORT_SECONDS" ||
    problem=$(google_outcome)
  await_state "$2"
}

require_source
problem=
until_seconds=$(($(google_seconds) + IMPORT_SECONDS))
look_at_job
[ "$state" != RUNNING ] || await_state COMPLETED
# What was imported into a former source of the same id went with it.
if [ "$state" = COMPLETED ] && is_whole &&
  jq -en --arg job "$job_time" --arg source "$source_time" '$job >= $source' >/dev/null; then
  google_say "This inventory is imported already, by job $job_id."
  google_say "To import it once more, delete that job at $console and run the same command again."
  exit 0
fi
google_on_failure explain_failure
[ "$state" = NONE ] || delete_job
create_job
while read -r name <&3; do
  send_file "$name"
done 3<"$GOOGLE_WORK/files"
start_phase validate READY
show_findings google_say .validationReport
start_phase run COMPLETED
show_findings google_say .executionReport.executionErrors
if [ "$frames" = 0 ]; then
  google_error "Import job $job_id ended, but imported none of $instances instances."
  google_error "  To fix: look at it at $console and run the same command again."
  exit 1
fi
google_say "Import job $job_id is completed: $instances instances, ${frames:-?} frames reported ($(google_seconds) s)."
is_whole || google_say "Warning: only $frames of $instances instances were imported. Running the same command again imports" \
  "all of them once more."
