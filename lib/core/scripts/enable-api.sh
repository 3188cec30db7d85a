#!/bin/sh
# Enables one API of a project through Service Usage and waits until it is on.
#
# In an empty project the Resource Manager API is off, and without it the Terraform provider cannot enable any other.
#
#   PROJECT_ID    project (required)
#   SERVICE       API (cloudresourcemanager.googleapis.com)
#   WAIT_SECONDS  time limit (300)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"

SERVICE=${SERVICE:-cloudresourcemanager.googleapis.com}
WAIT_SECONDS=${WAIT_SECONDS:-300}

google_setting SERVICE '[a-z0-9.-]+\.googleapis\.com' "the name of an API, like run.googleapis.com"
google_time_limit WAIT_SECONDS
google_start
# The API that is asked may be off for good.
# shellcheck disable=SC2034 # of google-rest.sh
GOOGLE_PATIENT=no

give_up() {
  if google_service_disabled; then
    google_fail "$SERVICE cannot be turned on in project $PROJECT_ID: the Service Usage API, which does that, is off." \
      "To fix: gcloud services enable serviceusage.googleapis.com $SERVICE --project $PROJECT_ID, or turn both on at https://console.cloud.google.com/apis/library?project=$PROJECT_ID."
  fi
  case $GOOGLE_STATUS in
    403 | 404)
      google_quota_problem || google_fail "$SERVICE cannot be turned on in project $PROJECT_ID: the project does not exist or this account may not do it." \
        "To fix: check the project id; an owner grants roles/serviceusage.serviceUsageAdmin (gcloud projects add-iam-policy-binding $PROJECT_ID --role roles/serviceusage.serviceUsageAdmin --member user:YOU) or runs gcloud services enable $SERVICE --project $PROJECT_ID."
      ;;
  esac
  google_fail "$SERVICE cannot be turned on in project $PROJECT_ID."
}

wait_for() {
  google_pause "$WAIT_SECONDS" "$SERVICE" "$1" || google_stop "$SERVICE was not on in project $PROJECT_ID after $WAIT_SECONDS s: $1." \
    "To fix: look at https://console.cloud.google.com/apis/dashboard?project=$PROJECT_ID and run the same command again, or raise WAIT_SECONDS."
}

service_path="projects/$PROJECT_ID/services/$SERVICE"
google_reading .state google_get serviceusage "$service_path" || give_up
if [ "$GOOGLE_READ" = ENABLED ]; then
  google_say "$SERVICE is already on in project $PROJECT_ID."
  exit 0
fi

google_say "Turning on $SERVICE in project $PROJECT_ID."
printf '{}\n' >"$GOOGLE_WORK/enable.json"
progress='if .done != true then "running \(.name | strings // "")" elif has("error") then "failed" else "done" end'
until google_reading "$progress" google_post serviceusage "$service_path:enable" "$GOOGLE_WORK/enable.json"; do
  # Terraform may be enabling other APIs of this project at the same time; Service Usage accepts one change at a time.
  google_says 'another activation or deactivation is in progress' || give_up
  wait_for "waiting for another change of the project's APIs"
done

while [ "${GOOGLE_READ%% *}" = running ]; do
  operation=${GOOGLE_READ#running }
  ! google_is_unsafe "$operation" || google_fail "Service Usage names no operation that turns on $SERVICE."
  wait_for "being turned on"
  google_reading "$progress" google_get serviceusage "$operation" ||
    google_fail "The state of $operation, which turns on $SERVICE, cannot be read."
done

[ "$GOOGLE_READ" != failed ] || google_stop "$SERVICE cannot be turned on in project $PROJECT_ID: its operation failed." \
  "$(jq -r '"code \(.error.code // "unknown"): \(.error.message // "no message")"' "$GOOGLE_ANSWER")" \
  "To fix: repair what the message names (often billing: https://console.cloud.google.com/billing/linkedaccount?project=$PROJECT_ID) and run the same command again."
google_say "$SERVICE is on in project $PROJECT_ID ($(google_seconds) s)."
