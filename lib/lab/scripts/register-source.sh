#!/bin/sh
# Registers a source of discovery data with Migration Center, or uses the existing one.
#
# Migration Center needs no other preparation: it has no call that initializes it, and it answers for a region as soon as
# its API is on. If the source exists with another display name, the name is corrected. A source of another type, or one
# that is being deleted, is refused, because the discovery client would not deliver into it. Other labs that use the source
# are named; assessment-rest.sh says by what they are known.
#
#   PROJECT_ID           project (required)
#   REGION               region of the assessment data (required)
#   SOURCE_ID            identifier of the source (required)
#   SOURCE_DISPLAY_NAME  its display name, which is entered in the discovery client (required)
#   DEPLOYMENT_ID        suffix of the lab, which the description of a new source names (none)
#   WAIT_SECONDS         time limit for the service to answer for the region (300)
#   OPERATION_SECONDS    time limit for a change of the source (600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"
# shellcheck source=/dev/null
. "${0%"${0##*/}"}./assessment-rest.sh"

SOURCE_TYPE=SOURCE_TYPE_DISCOVERY_CLIENT
WAIT_SECONDS=${WAIT_SECONDS:-300}
OPERATION_SECONDS=${OPERATION_SECONDS:-600}

google_require curl jq
google_setting PROJECT_ID '[a-z][a-z0-9.:-]*[a-z0-9]' "the id of a project, like my-project-123"
google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' \
  "at most 63 lower-case letters, digits and hyphens, starting with a letter"
google_setting SOURCE_DISPLAY_NAME '.+' "the name that is typed into the discovery client"
[ -z "${DEPLOYMENT_ID:-}" ] || google_setting DEPLOYMENT_ID '[a-z0-9-]{1,30}' "the suffix of the lab's names"
google_time_limit WAIT_SECONDS OPERATION_SECONDS
google_check_settings
google_start

location="projects/$PROJECT_ID/locations/$REGION"
source="$location/sources/$SOURCE_ID"
console="https://console.cloud.google.com/migration?project=$PROJECT_ID"

grant=" (gcloud projects add-iam-policy-binding $PROJECT_ID --role roles/migrationcenter.admin --member user:YOU)."

# Lists the regions that the service offers this project, after it refused one.
offered_regions() {
  google_try_once
  google_get migrationcenter "projects/$PROJECT_ID/locations" pageSize=100 || return 0
  jq -r '[.locations[]?.locationId | select(type == "string")] | sort | join(", ")' "$GOOGLE_ANSWER"
}

# refuse_region [ANOTHER WAY OUT]
refuse_region() {
  outcome=$(google_outcome)
  google_error "The assessment service does not answer for region $REGION in project $PROJECT_ID."
  google_error "  $outcome"
  regions=$(offered_regions)
  google_error "  To fix: choose a region that the service offers${regions:+ (to this project: $regions)}. The choice is" \
    "permanent for the assessment data of a project."
  [ -z "${1:-}" ] || google_error "  $1"
  exit 1
}

await_service() {
  until google_get migrationcenter "$location"; do
    google_quota_problem && google_fail "Whether the assessment service answers for $REGION cannot be found out."
    if ! google_service_disabled; then
      case $GOOGLE_STATUS in
        000 | 408 | 409 | 429 | 5??) ;;
        400 | 404) refuse_region ;;
        403)
          # For an unknown region the service answers as for a missing role.
          google_says 'locations/' && google_says 'may not exist' && refuse_region \
            "If the service does offer $REGION: an owner grants roles/migrationcenter.admin$grant"
          google_fail "This account may not use the assessment service in project $PROJECT_ID." \
            "To fix: an owner grants roles/migrationcenter.admin$grant"
          ;;
        *) google_fail "The assessment service does not answer for $REGION in project $PROJECT_ID." ;;
      esac
    fi
    if [ "$(google_seconds)" -ge "$WAIT_SECONDS" ]; then
      google_fail "The assessment service did not answer for $REGION in project $PROJECT_ID within $WAIT_SECONDS s." \
        "To fix: gcloud services enable migrationcenter.googleapis.com --project $PROJECT_ID; if it is on, run the same command again or raise WAIT_SECONDS."
    fi
    google_progress "Assessment service for $REGION" "not answering yet ($GOOGLE_BRIEF)"
    google_sleep "$REST_POLL_SECONDS"
  done
}

# write_source FILE: writes the source to request. Keeps the description in FILE, but for the list of labs of an earlier
# release.
write_source() {
  jq -n --slurpfile found "$1" --arg name "$SOURCE_DISPLAY_NAME" --arg type "$SOURCE_TYPE" --arg lab "${DEPLOYMENT_ID:-}" \
    "$GOOGLE_MARKS"'
    ($found[0] // {})
    | (if $found == [] then $lab else maker end) as $maker
    | [(.description // "" | sub(old_mark; "")), "Made by assessment lab \($maker)."]
    | if $maker == "" or (.[0] | test(maker_mark)) then .[:1] else . end
    | { displayName: $name, type: $type, description: (map(select(. != "")) | join(" ")) }
  ' >"$GOOGLE_WORK/source.json"
}

# Returns 1 when another run, or an earlier attempt whose response was lost, has created it already.
create_source() {
  google_say "Registering source $SOURCE_ID with the assessment service in $REGION."
  write_source /dev/null
  if google_begin migrationcenter \
    "$location/sources" "$GOOGLE_WORK/source.json" "sourceId=$SOURCE_ID&requestId=$(google_new_request_id)"; then
    google_await migrationcenter "Source $SOURCE_ID" "$OPERATION_SECONDS" && return 0
    google_says '^ALREADY_EXISTS' && return 1
    google_fail "Source $SOURCE_ID was not registered." "To fix: repair what the message names and run the same command again."
  fi
  [ "$GOOGLE_STATUS" = 409 ] && return 1
  google_fail "The assessment service refuses source $SOURCE_ID." \
    "To fix: repair what the message names. The caller needs roles/migrationcenter.admin on $PROJECT_ID."
}

# refuse_source WHY WAY_OUT
refuse_source() {
  google_error "Source $SOURCE_ID exists in $REGION of project $PROJECT_ID, but $1."
  google_error "  To fix: $2"
  exit 1
}

# correct_source FIELDS: updates these fields of the existing source.
correct_source() {
  write_source "$GOOGLE_WORK/existing"
  google_patch migrationcenter "$source" "$GOOGLE_WORK/source.json" "updateMask=$1&requestId=$(google_new_request_id)" ||
    google_fail "Source $SOURCE_ID cannot be changed ($1)."
  google_await migrationcenter "Source $SOURCE_ID" "$OPERATION_SECONDS" ||
    google_fail "Source $SOURCE_ID was not changed ($1)."
}

await_service
google_be_patient
created=no
tries=1
until google_get migrationcenter "$source"; do
  [ "$GOOGLE_STATUS" = 404 ] || google_fail "Whether source $SOURCE_ID exists cannot be found out."
  if [ "$tries" -gt "$REST_TRIES" ]; then
    google_fail "Source $SOURCE_ID is said to exist when it is to be created, and not to exist when it is read." \
      "To fix: wait a few minutes and run the same command again."
  fi
  if [ "$tries" -gt 1 ]; then
    google_progress "Source $SOURCE_ID" "said to exist, but not to be seen yet"
    google_sleep "$REST_POLL_SECONDS"
  fi
  tries=$((tries + 1))
  if create_source; then created=yes; fi
done

cp "$GOOGLE_ANSWER" "$GOOGLE_WORK/existing"
: >"$GOOGLE_WORK/groups"
[ "$created" = yes ] ||
  google_list migrationcenter "$location/groups" pageSize=1000 groups "$GOOGLE_WORK/groups" ||
  google_fail "Which labs use source $SOURCE_ID cannot be read."
jq -r --arg lab "${DEPLOYMENT_ID:-}" --slurpfile groups "$GOOGLE_WORK/groups" "$GOOGLE_MARKS"'
  .type // "SOURCE_TYPE_UNKNOWN", .state // "STATE_UNSPECIFIED", (.displayName // "" | gsub("[[:cntrl:]]"; " ")),
  (marked != [] and old_users($groups) == []), (other_users($groups; $lab) | join(", "))
' "$GOOGLE_WORK/existing" >"$GOOGLE_WORK/found"
{
  read -r type
  read -r state
  IFS= read -r shown_name
  read -r has_old_list
  read -r others
} <"$GOOGLE_WORK/found"

# No remedy may suggest deleting the source: it may be another lab's.
[ "$type" = "$SOURCE_TYPE" ] || refuse_source "its type is $type, not $SOURCE_TYPE" \
  "give the discovery client another name; this source is not the lab's."
case $state in
  DELETING) refuse_source "it is being deleted" "wait until it is gone and run the same command again." ;;
  INVALID)
    refuse_source "the service calls its state INVALID and ignores what it delivers" \
      "look at it at $console, delete it with assessment-cleanup.sh and run the same command again."
    ;;
esac

if [ "$created" = yes ]; then
  google_say "Source $SOURCE_ID is registered as \"$SOURCE_DISPLAY_NAME\" ($(google_seconds) s)."
  exit 0
fi
fields=
if [ "$shown_name" != "$SOURCE_DISPLAY_NAME" ]; then
  google_say "Source $SOURCE_ID is called \"$shown_name\"; calling it \"$SOURCE_DISPLAY_NAME\"."
  fields=displayName
fi
# A lab that cannot be seen may be known by the list alone.
[ "$has_old_list" = false ] || [ -s "$GOOGLE_WORK/unreachable" ] || fields=${fields:+$fields,}description
[ -z "$fields" ] || correct_source "$fields"
case $fields in
  '') google_say "Source $SOURCE_ID is registered already as \"$SOURCE_DISPLAY_NAME\": nothing to do." ;;
  displayName*) google_say "Source $SOURCE_ID is called \"$SOURCE_DISPLAY_NAME\" now ($(google_seconds) s)." ;;
  *) google_say "Source $SOURCE_ID is registered already; its description no longer lists labs ($(google_seconds) s)." ;;
esac
[ -z "$others" ] || google_say "Source $SOURCE_ID is shared with $others: what one of them imports, finds or cleans up" \
  "concerns all. A discovery client with a name of its own has a source of its own."
