#!/bin/sh
# Imports an AWS inventory, as written by export-inventory.sh, into Migration Center, and waits for the import.
#
# The job's id contains hashes of the inventory, and of its source and region, so another run finds the job of an earlier
# one. An import is kept if it is complete, its source still has the machines and nothing was imported into the source
# later; one that is under way is awaited; any other is replaced. A job of another source is left alone.
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
# shellcheck source-path=SCRIPTDIR source=import-files.sh
. "$scripts/import-files.sh"
# shellcheck source-path=SCRIPTDIR source=import-job.sh
. "$scripts/import-job.sh"

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

manifest=$INVENTORY_FOLDER/manifest.json
if ! jq -er '
  if (.instances | type == "number") and (.hash | type == "string" and test("^[0-9a-f]{64}$"))
    and (.files | type == "array") and all(.files[]; (.name | test("^[A-Za-z0-9][A-Za-z0-9._-]*$"))
      and (.kind | type == "string") and (.rows | type == "number") and (.bytes | type == "number"))
    and (.instances == 0 or any(.files[]; .kind == "vmInfo"))
  then .instances, .hash[0:16], (.files[] | [.name, .kind, .rows, .bytes, .sha256 // ""] | @tsv)
  else error("no inventory") end' "$manifest" >"$GOOGLE_WORK/manifest" 2>/dev/null; then
  google_refuse "$manifest is missing or is no inventory; run export-inventory.sh, which writes it last."
  google_check_settings
fi
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
check_files

location="projects/$PROJECT_ID/locations/$REGION"
console="https://console.cloud.google.com/migration/discovery/dataImport?project=$PROJECT_ID"
source_place="locations/$REGION/sources/$SOURCE_ID"
printf '%s' "$REGION/$SOURCE_ID" >"$GOOGLE_WORK/place"
# No two sources share an id: 24 digits of SHA-256.
job_id="cloudb-$inventory-$(digest_of "$GOOGLE_WORK/place" | cut -c 1-24)"
job="$location/importJobs/$job_id"

explain_interrupt() {
  google_error "Import job $job_id is left as it is; run the same command again to finish it."
}
google_on_interrupt explain_interrupt

require_source() {
  google_get migrationcenter "$location/sources/$SOURCE_ID" || {
    [ "$GOOGLE_STATUS" = 404 ] && google_fail "Source $SOURCE_ID, which the machines are to belong to, does not exist in $REGION." \
      "To fix: register it with register-source.sh."
    google_fail "Source $SOURCE_ID, which the machines are to belong to, cannot be read."
  }
  source_state=$(jq -r '.state // "STATE_UNSPECIFIED"' "$GOOGLE_ANSWER")
  case $source_state in
    DELETING | INVALID)
      google_error "Source $SOURCE_ID is $source_state: nothing can be imported into it."
      google_error "  To fix: delete it with assessment-cleanup.sh, register it again with register-source.sh."
      exit 1
      ;;
  esac
}

end_late() {
  google_error "Import job $job_id is still $state after $IMPORT_SECONDS s; it goes on by itself."
  google_error "  To fix: look at it at $console; running the same command again goes on waiting for it."
  exit 1
}

end_with_problem() {
  google_error "Import job $job_id cannot be $1."
  google_error "  $problem"
  google_error "  To fix: look at it at $console and run the same command again."
  exit 1
}

# give_up WHAT REPORT
give_up() {
  google_error "$1"
  show_report "$2" >&2
  google_error "  To fix: repair what the service names and run the same command again, or look at the job at $console"
  exit 1
}

# report_import WHAT: for a job that has succeeded.
report_import() {
  if [ "$has_report" = true ]; then
    google_say "$1: $instances instances, $frames frames reported, $rows_read rows read ($(google_seconds) s)."
  else
    google_say "$1: $instances instances; the service gives no numbers ($(google_seconds) s)."
  fi
  show_report .executionReport.executionErrors
  if is_partial; then
    google_say "Warning: only $frames of $instances instances were imported. Running the same command again imports all of" \
      "them once more."
  fi
}

# Continues the job from its current state to its end.
finish_job() {
  replaced=no
  # What this run has done with the job, and whether another run is active.
  sent_here=no
  validated_here=no
  ran_here=no
  rival=no
  phase_until=$(($(google_seconds) + IMPORT_SECONDS))
  problem=
  attempts=0
  while :; do
    look_at_job
    case $state in
      NONE)
        [ "$sent_here" = no ] || google_fail "Import job $job_id is gone." "$another_run"
        if create_job; then
          send_files
          sent_here=yes
        else
          rival=yes
          rival_until=$(($(google_seconds) + OPERATION_SECONDS))
        fi
        ;;
      PENDING)
        if [ "$sent_here" = yes ] && [ "$validated_here" = no ]; then
          validated_here=yes
          start_phase validate
        elif [ "$sent_here" = yes ] && [ -n "$problem" ]; then
          end_with_problem validated
        elif [ "$sent_here" = yes ]; then
          pause_for_job || end_late
        elif [ "$rival" = yes ] && [ "$(google_seconds)" -lt "$rival_until" ]; then
          google_progress "Import job $job_id" "created by another run a moment ago; waiting for that one"
          google_sleep "$REST_POLL_SECONDS"
        else
          replace_job "was left half-done"
        fi
        ;;
      VALIDATING)
        if ! pause_for_job; then
          [ "$sent_here$replaced" = nono ] || end_late
          # The run that started it has waited as long, and the job would never end otherwise.
          replace_job "is still VALIDATING after $IMPORT_SECONDS s in a second run"
        fi
        ;;
      RUNNING)
        ran_here=yes
        pause_for_job || end_late
        ;;
      READY)
        if [ "$ran_here" = no ]; then
          show_report .validationReport
          google_say "Import job $job_id is validated; importing."
          ran_here=yes
          start_phase run
        elif [ -n "$problem" ]; then
          end_with_problem run
        else
          pause_for_job || end_late
        fi
        ;;
      FAILED_VALIDATION)
        [ "$sent_here" = no ] ||
          give_up "The inventory was refused: import job $job_id has failed its validation." .validationReport
        replace_job "failed its validation in an earlier run"
        ;;
      COMPLETED)
        if [ "$ran_here$rival" = nono ]; then
          judge_earlier_import
          if [ -n "$lack" ]; then
            replace_job "$lack"
            continue
          fi
          report_import "This inventory is imported already, by job $job_id"
        elif [ "$has_report" = true ] && [ "$frames" -eq 0 ]; then
          give_up "Import job $job_id ended, but imported none of $instances instances." .executionReport.executionErrors
        else
          report_import "Import job $job_id is completed"
        fi
        return 0
        ;;
      FAILED)
        [ "$ran_here" = no ] || give_up "Import job $job_id has failed." .executionReport.executionErrors
        replace_job "failed in an earlier run"
        ;;
      *)
        google_error "Import job $job_id is in state \"$state\", which is not known here; look at it at $console"
        exit 1
        ;;
    esac
  done
}

require_source
list_files
finish_job
