#!/bin/sh
# Waits until one API of a project really answers, at most WAIT_SECONDS.
#
# Turning on an API is eventually consistent: for a minute or more its front ends still refuse calls as SERVICE_DISABLED.
# Any other response of the API, including "permission denied" or "not found", comes from the service and ends the wait.
#
#   PROJECT_ID    project (required)
#   SERVICE       API, with or without .googleapis.com (required; `wait-for-api.sh --list` prints the known ones)
#   REGION        region, for the APIs whose call needs one
#   WAIT_SECONDS  time limit (300)
# Settings of the calls and exit codes: google-rest.sh.
# shellcheck disable=SC2034,SC2154 # google-rest.sh reads what is set here, and sets what is read
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"

[ "${1:-}" != --list ] || { printf '%s\n' "$GOOGLE_APIS" && exit 0; }

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

# The loop below retries transient failures too, within WAIT_SECONDS.
REST_TRIES=1

call=$(printf '%s \n' "$google_harmless" | sed "s/PROJECT/$PROJECT_ID/; s/REGION/${REGION:-}/")
path=${call%% *}
query=${call#"$path" }
query=${query% }

# Once the API has been seen off, some front ends may still report it off: one good response is then not enough.
good_answers_needed=1
good_answers=0

# Whether the last response comes from the service itself.
service_answered() {
  google_quota_problem && google_fail "Whether $api answers in project $PROJECT_ID cannot be found out."
  google_service_disabled && return 1
  case $GOOGLE_STATUS in
    000 | 429 | 5??) return 1 ;;
  esac
  return 0
}

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
      "To fix: gcloud services enable $api --project $PROJECT_ID; if it is on, run the same command again or raise WAIT_SECONDS."
done

case $GOOGLE_STATUS in
  2??) google_say "$api answers in project $PROJECT_ID ($(google_seconds) s)." ;;
  *) google_say "$api answers in project $PROJECT_ID ($(google_seconds) s), with HTTP $GOOGLE_STATUS: it is on." ;;
esac
