#!/bin/sh
# Waits until an API of a project answers, at most WAIT_SECONDS.
#
#   wait-for-api.sh            waits
#   wait-for-api.sh --enable   enables the API through Service Usage. In an empty project, the API of Resource Manager
#                              is off, and without it the Terraform provider can enable no other API
#   wait-for-api.sh --list     prints the known APIs
#
# Enabling an API is eventually consistent: for a minute or more, its front ends still refuse calls as SERVICE_DISABLED.
# Any other response of the API, even "permission denied" or "not found", comes from the service and ends the wait.
#
#   PROJECT_ID    project (required)
#   SERVICE       API, with or without .googleapis.com (required)
#   REGION        region, for the APIs whose call needs one
#   WAIT_SECONDS  time limit (300)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

export GOOGLE_OPTIONS="--enable --list"
# shellcheck source=google-rest.sh
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"

check_settings() {
  WAIT_SECONDS=${WAIT_SECONDS:-300}
  service=${SERVICE:-}
  service=${service%.googleapis.com}
  api=$service.googleapis.com

  google_setting SERVICE '[a-z0-9.-]+' "the name of an API, like run.googleapis.com"
  google_time_limit WAIT_SECONDS
  google_address "$service" || [ -z "$service" ] ||
    google_refuse "SERVICE is \"$SERVICE\", for which no harmless call is known; known are:" \
      "$(printf '%s\n' "$GOOGLE_APIS" | cut -d ' ' -f 1 | tr '\n' ' ')(add a line to GOOGLE_APIS)."
  case $google_harmless in
    *REGION*) google_setting REGION '[a-z0-9-]+' "a region, like us-central1, because the call to $service needs one" ;;
  esac
  google_start
}

# cannot_enable [REMEDY]: ends the script with REMEDY or, for a known response of the API, a better one.
cannot_enable() {
  remedy=$*
  if google_service_disabled; then
    remedy="To fix: turn on the Service Usage API, which does that:"
    remedy="$remedy gcloud services enable serviceusage.googleapis.com $api --project $PROJECT_ID,"
    remedy="$remedy or https://console.cloud.google.com/apis/library?project=$PROJECT_ID."
  elif ! google_quota_problem; then
    case $GOOGLE_STATUS in
      403 | 404)
        role=roles/serviceusage.serviceUsageAdmin
        remedy="To fix: check the project id; an owner grants $role"
        remedy="$remedy (gcloud projects add-iam-policy-binding $PROJECT_ID --role $role --member user:YOU)"
        remedy="$remedy or runs gcloud services enable $api --project $PROJECT_ID."
        ;;
    esac
  fi
  google_fail "$api cannot be turned on in project $PROJECT_ID." "$remedy"
}

enable_api() {
  # Without this, a call to an API that is off would be retried.
  GOOGLE_PATIENT=no
  place="projects/$PROJECT_ID/services/$api"
  google_reading .state google_get serviceusage "$place" || cannot_enable
  if [ "$GOOGLE_READ" = ENABLED ]; then
    google_say "$api is already on in project $PROJECT_ID."
    return
  fi
  google_say "Turning on $api in project $PROJECT_ID."
  printf '{}\n' >"$GOOGLE_WORK/enable.json"
  # Terraform may be enabling other APIs of this project at the same time; Service Usage accepts one change at a time.
  until google_reading "$GOOGLE_OPERATION" google_post serviceusage "$place:enable" "$GOOGLE_WORK/enable.json"; do
    google_says 'another activation or deactivation is in progress' || cannot_enable
    google_pause "$WAIT_SECONDS" "$api" "waiting for another change of the project's APIs" ||
      cannot_enable "To fix: run the same command again, or raise WAIT_SECONDS."
  done
  if ! google_settle serviceusage "" WAIT_SECONDS "$api"; then
    billing="https://console.cloud.google.com/billing/linkedaccount?project=$PROJECT_ID"
    cannot_enable "To fix: repair what the message names (often billing: $billing)" \
      "and run the same command again, or raise WAIT_SECONDS."
  fi
  google_say "$api is on in project $PROJECT_ID ($(google_seconds) s)."
}

# Whether the last response comes from the service itself.
service_answered() {
  ! google_quota_problem || google_fail "Whether $api answers in project $PROJECT_ID cannot be found out."
  case $GOOGLE_STATUS in 000 | 429 | 5??) return 1 ;; esac
  ! google_service_disabled
}

await_api() {
  # The loop below retries transient failures too, within WAIT_SECONDS.
  REST_TRIES=1

  call=$(printf '%s \n' "$google_harmless" | sed "s/PROJECT/$PROJECT_ID/; s/REGION/${REGION:-}/")
  path=${call%% *}
  query=${call#"$path" }
  query=${query% }

  # Once a front end has reported that the API is off, others may still do so: one good response is then not enough.
  good_answers_needed=1
  good_answers=0

  while :; do
    if google_get "$service" "$path" "$query" || service_answered; then
      good_answers=$((good_answers + 1))
      if [ "$good_answers" -ge "$good_answers_needed" ]; then break; fi
      state="answers, making sure"
    else
      good_answers=0
      good_answers_needed=3
      state="not answering yet ($GOOGLE_BRIEF)"
    fi
    google_pause "$WAIT_SECONDS" "$api in project $PROJECT_ID" "$state" ||
      google_fail "$api did not answer in project $PROJECT_ID within $WAIT_SECONDS s." \
        "To fix: gcloud services enable $api --project $PROJECT_ID;" \
        "if it is on, run the same command again or raise WAIT_SECONDS."
  done

  case $GOOGLE_STATUS in
    2??) google_say "$api answers in project $PROJECT_ID ($(google_seconds) s)." ;;
    *) google_say "$api answers in project $PROJECT_ID ($(google_seconds) s), with HTTP $GOOGLE_STATUS: it is on." ;;
  esac
}

main() {
  if [ "${1:-}" = --list ]; then
    printf '%s\n' "$GOOGLE_APIS"
    return
  fi
  check_settings
  if [ "${1:-}" = --enable ]; then enable_api; else await_api; fi
}

main "$@"
