#!/bin/sh
# Registers a source of discovery data with Migration Center, or uses the existing one.
#
# Migration Center needs no other preparation: it has no call to initialize it, and works in a region as soon as its API
# is on. An existing source of another type or name is refused, and so is a source that is being deleted, because the
# discovery client would not deliver data to either. The script lists other labs that use the source; assessment-rest.sh
# finds them.
#
#   PROJECT_ID           project (required)
#   REGION               region of the assessment data (required)
#   SOURCE_ID            identifier of the source (required)
#   SOURCE_DISPLAY_NAME  its display name, which is entered in the discovery client (required)
#   DEPLOYMENT_ID        suffix of the lab, which the description of a new source names (none)
#   OPERATION_SECONDS    time limit for the registration (600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"
# shellcheck source=assessment-rest.sh
. "${0%"${0##*/}"}./assessment-rest.sh"

SOURCE_TYPE=SOURCE_TYPE_DISCOVERY_CLIENT

check_settings() {
  OPERATION_SECONDS=${OPERATION_SECONDS:-600}
  google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
  google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' \
    "at most 63 lower-case letters, digits and hyphens, starting with a letter"
  google_setting SOURCE_DISPLAY_NAME '.+' "the name that is typed into the discovery client"
  [ -z "${DEPLOYMENT_ID:-}" ] || google_setting DEPLOYMENT_ID '[a-z0-9-]{1,30}' "the suffix of the lab's names"
  google_time_limit OPERATION_SECONDS
  google_start

  location="projects/$PROJECT_ID/locations/$REGION"
  remedy="To fix: repair what the message names and run the same command again."
}

check_region() {
  if ! google_get migrationcenter "$location"; then
    # For an unknown region the service answers as for a missing role.
    if google_says '^(INVALID_ARGUMENT|NOT_FOUND|PERMISSION_DENIED)'; then
      remedy="To fix: choose a region of https://cloud.google.com/migration-center/docs/locations,"
      remedy="$remedy which is permanent for the assessment data of a project,"
      remedy="$remedy and let an owner grant roles/migrationcenter.admin to this account."
    fi
    google_fail "The assessment service does not answer for region $REGION in project $PROJECT_ID." "$remedy"
  fi
}

# Registers the source unless it exists already, and sets outcome to which of the two it was.
register_source() {
  google_say "Registering source $SOURCE_ID with the assessment service in $REGION."
  jq -n --arg name "$SOURCE_DISPLAY_NAME" --arg type "$SOURCE_TYPE" --arg lab "${DEPLOYMENT_ID:-}" '
    { displayName: $name, type: $type, description: (if $lab == "" then "" else "Made by assessment lab \($lab)." end) }
  ' >"$GOOGLE_WORK/source.json"
  if google_begin migrationcenter \
    "$location/sources" "$GOOGLE_WORK/source.json" "sourceId=$SOURCE_ID&requestId=$(google_new_request_id)" &&
    google_settle migrationcenter "" OPERATION_SECONDS "Source $SOURCE_ID"; then
    outcome="registered as \"$SOURCE_DISPLAY_NAME\" ($(google_seconds) s)"
  elif google_says '^ALREADY_EXISTS'; then
    outcome="registered already as \"$SOURCE_DISPLAY_NAME\": nothing to do"
  else
    google_fail "Source $SOURCE_ID was not registered." "$remedy"
  fi
}

# Sets found to type, state and name of the source, and others to the other labs that use it.
read_source() {
  if ! google_get migrationcenter "$location/sources/$SOURCE_ID" || ! cp "$GOOGLE_ANSWER" "$GOOGLE_WORK/existing" ||
    ! google_list "$location/groups" "$GOOGLE_WORK/groups"; then
    google_fail "Source $SOURCE_ID exists, but it and its labs cannot be read." "$remedy"
  fi
  jq -r --arg lab "${DEPLOYMENT_ID:-}" --slurpfile groups "$GOOGLE_WORK/groups" "$GOOGLE_LABS"'
    ([.type // "SOURCE_TYPE_UNKNOWN", .state // "ACTIVE", .displayName // ""] | join(" ") | gsub("[[:cntrl:]]"; " ")),
    (other_users($groups; $lab) | join(", "))
  ' "$GOOGLE_WORK/existing" >"$GOOGLE_WORK/found"
  {
    IFS= read -r found
    IFS= read -r others
  } <"$GOOGLE_WORK/found"
}

# Refuses a source to which the discovery client would not deliver data.
check_source() {
  wanted="$SOURCE_TYPE ACTIVE $SOURCE_DISPLAY_NAME"
  [ "$found" != "$wanted" ] || return 0
  # No remedy may suggest deleting the source: it may be another lab's.
  remedy="To fix: if it is being deleted, wait until it is gone and run the same command again;"
  google_stop "Source $SOURCE_ID exists in $REGION of project $PROJECT_ID, but as \"$found\" instead of \"$wanted\"." \
    "$remedy else give the discovery client another name."
}

say_outcome() {
  google_say "Source $SOURCE_ID is $outcome."
  [ -z "$others" ] ||
    google_say "Source $SOURCE_ID is shared with $others: what one of them imports, finds or cleans up concerns all." \
      "A discovery client with a name of its own has a source of its own."
}

main() {
  check_settings
  check_region
  register_source
  read_source
  check_source
  say_outcome
}

main "$@"
