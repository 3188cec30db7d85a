#!/bin/sh
# Deletes from Migration Center what a lab has left there: its source, the import jobs and discovery clients of that
# source, and the assets that came from it alone. Preference sets, reports, exports and groups other than those named
# after the labs are kept, because users made them, unless everything in the region is to be deleted.
#
# Before anything is deleted, the script lists the other labs that use the source; assessment-rest.sh says by what they
# are known. Their groups are deleted too, so that their next plan registers the source again.
#
#   assessment-cleanup.sh                shows what there is, asks, and deletes
#   assessment-cleanup.sh --yes          deletes without asking
#   assessment-cleanup.sh --note         only prints the command that deletes; calls no service
#   assessment-cleanup.sh --everything   deletes all that Migration Center has for the project in the region
#
#   PROJECT_ID          project (required)
#   REGION              region of the assessment data (required)
#   SOURCE_ID           identifier of the lab's source (required unless --everything)
#   DEPLOYMENT_ID       suffix of the lab, which is then not listed among the others (none)
#   OPERATION_SECONDS   time limit for each deletion (600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

scripts=${0%"${0##*/}"}.
# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source-path=SCRIPTDIR source=assessment-rest.sh
. "$scripts/assessment-rest.sh"

OPERATION_SECONDS=${OPERATION_SECONDS:-600}
# The service's maximum for one batch deletion.
batch_size=1000
# Attempts to delete an item that others still depend on.
dependency_tries=10

# A destroy prints it, which must neither delay nor fail; it may be read in a folder other than Terraform's.
say_note() {
  script=$(cd "$scripts" && pwd)/${0##*/}
  script=$(printf '%s\n' "$script" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/")
  google_say "The assessment service keeps what was not made by Terraform in project ${PROJECT_ID:-}, region ${REGION:-}:" \
    "the discovery source ${SOURCE_ID:-}, which other labs may use too, its import jobs and assets, and groups, preference" \
    "sets and reports. To remove them: PROJECT_ID=${PROJECT_ID:-} REGION=${REGION:-}" \
    "SOURCE_ID=${SOURCE_ID:-}${DEPLOYMENT_ID:+ DEPLOYMENT_ID=$DEPLOYMENT_ID} sh $script"
}

yes=no
everything=no
for option in "$@"; do
  case $option in
    --yes) yes=yes ;;
    --everything) everything=yes ;;
    --note)
      say_note
      exit 0
      ;;
    --help | -h)
      sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) google_refuse "\"$option\" is no option; there are --yes, --everything, --note and --help." ;;
  esac
done
google_require curl jq
google_setting PROJECT_ID '[a-z][a-z0-9.:-]*[a-z0-9]' "the id of a project, like my-project-123"
google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
[ "$everything" = yes ] || google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' \
  "the id of the discovery source, or use --everything"
[ -z "${DEPLOYMENT_ID:-}" ] || google_setting DEPLOYMENT_ID '[a-z0-9-]{1,30}' "the suffix of the lab's names"
google_time_limit OPERATION_SECONDS
google_check_settings
google_start
google_be_patient

location="projects/$PROJECT_ID/locations/$REGION"
# Dependents first.
collections="reportConfigs assetsExportJobs groups preferenceSets importJobs discoveryClients assets sources"

count_of() {
  echo $(($(wc -l <"$GOOGLE_WORK/$1")))
}

# read_collection COLLECTION: writes its items to the file COLLECTION, and names of those to delete to COLLECTION-mine.
read_collection() {
  google_list "$location/$1" "$GOOGLE_WORK/$1" || google_fail "The $1 of project $PROJECT_ID in $REGION cannot be read; $fate." \
    "To fix: check project and region; the caller needs roles/migrationcenter.admin."
  # Names contain either the project's number or its id, so only what follows the project is compared.
  jq -r --arg collection "$1" --arg everything "$everything" --arg id "${SOURCE_ID:-}" --arg region "$REGION" \
    "$GOOGLE_LABS"'
    def own: sub("^projects/[^/]+/"; "") == "locations/\($region)/sources/\($id)";
    select($everything == "yes" or
      if $collection == "importJobs" then .assetSource // "" | own
      elif $collection == "discoveryClients" then .source // "" | own
      # An asset that also comes from another source is kept.
      elif $collection == "assets" then (.sources // []) | length > 0 and all(.[]; own)
      elif $collection == "groups" then any(lab_of; .source == $id)
      else $collection == "sources" and (.name | own) end)
    | .name
  ' "$GOOGLE_WORK/$1" >"$GOOGLE_WORK/$1-mine"
}

# Sets found to the number of items to delete.
read_scope() {
  found=0
  for collection in $collections; do
    read_collection "$collection"
    found=$((found + $(count_of "$collection-mine")))
  done
}

# A source of another type is not a lab's, whatever its id.
require_own_source() {
  [ "$everything" = no ] || return 0
  type=$(jq -r --arg id "$SOURCE_ID" 'select(.name | endswith("/sources/" + $id)) | .type // "SOURCE_TYPE_UNKNOWN"' \
    "$GOOGLE_WORK/sources")
  case $type in
    '' | SOURCE_TYPE_DISCOVERY_CLIENT) ;;
    *)
      google_error "Source $SOURCE_ID is of type $type, which no lab registers; nothing is deleted."
      google_error "  To fix: set SOURCE_ID to the id of the lab's source, which assessment-status.sh shows."
      exit 1
      ;;
  esac
}

show_scope() {
  google_say "In project $PROJECT_ID, region $REGION:"
  for collection in $collections; do
    count=$(count_of "$collection-mine")
    [ "$count" -gt 0 ] || continue
    google_say "  $collection to delete: $count"
    sed -n '1,10s|^.*/|    |p' "$GOOGLE_WORK/$collection-mine"
    [ "$count" -le 10 ] || google_say "    and $((count - 10)) more"
  done
  jq -r --arg lab "${DEPLOYMENT_ID:-}" --rawfile mine "$GOOGLE_WORK/sources-mine" --slurpfile groups "$GOOGLE_WORK/groups" \
    "$GOOGLE_LABS"'
    select(.name | IN($mine | split("\n")[])) | other_users($groups; $lab) as $users | select($users != [])
    | "Source \(.name | last_part) is used by: \($users | join(", ")). What is theirs of it goes with it."
  ' "$GOOGLE_WORK/sources"
}

# delete_one NAME QUERY: returns 1 when the service refuses in the end.
delete_one() {
  tries=1
  until google_delete migrationcenter "$1" "$2" && google_await migrationcenter "Deleting ${1##*/}" "$OPERATION_SECONDS"; do
    # By the service's own message: a proxy's page can have status 404, too.
    if google_says '^NOT_FOUND'; then return 0; fi
    # Something that depends on it is still being deleted.
    if [ "$GOOGLE_STATUS" != 409 ] && ! google_says '^FAILED_PRECONDITION'; then return 1; fi
    [ "$tries" -lt "$dependency_tries" ] || return 1
    tries=$((tries + 1))
    google_progress "${1##*/}" "waiting until nothing depends on it"
    # shellcheck disable=SC2153 # a setting of google-rest.sh
    google_sleep "$REST_POLL_SECONDS"
  done
}

# remove COLLECTION QUERY
remove() {
  while read -r name <&3; do
    if delete_one "$name" "$2"; then
      google_say "Deleted $1/${name##*/}."
    else
      google_error "$1/${name##*/} cannot be deleted. $(google_outcome)"
      failures=$((failures + 1))
    fi
  done 3<"$GOOGLE_WORK/$1-mine"
}

# Assets already deleted with the import jobs are not found, which is no error.
remove_assets() {
  first=1
  while [ "$first" -le "$(count_of assets-mine)" ]; do
    sed -n "$first,$((first + batch_size - 1))p" "$GOOGLE_WORK/assets-mine" |
      jq -Rn '{ names: [inputs], allowMissing: true }' >"$GOOGLE_WORK/assets.json"
    if ! google_post migrationcenter "$location/assets:batchDelete" "$GOOGLE_WORK/assets.json"; then
      google_error "Assets cannot be deleted. $(google_outcome)"
      failures=$((failures + 1))
      return 0
    fi
    first=$((first + batch_size))
  done
}

fate="nothing is deleted"
read_scope
require_own_source
show_scope
if [ "$found" -eq 0 ]; then
  google_say "  nothing to delete."
  exit 0
fi
if [ "$yes" = no ]; then
  printf 'Delete all of this? It cannot be brought back. Only "yes" deletes: '
  read -r answer || answer=
  [ "$answer" = yes ] || {
    google_say "Nothing is deleted."
    exit 1
  }
fi

failures=0
for collection in $collections; do
  case $collection in
    assets) remove_assets ;;
    # Without force, a job with files is not deleted. What it has imported goes with it.
    importJobs | reportConfigs) remove "$collection" force=true ;;
    *) remove "$collection" "" ;;
  esac
done

# The last word comes from what the service still has: an answer to a deletion proves nothing.
fate="whether everything is deleted is not known"
read_scope
for collection in $collections; do
  others=$(($(count_of "$collection") - $(count_of "$collection-mine")))
  [ "$others" -eq 0 ] || google_say "Kept: $others $collection of others"
done
google_say "Kept: the API migrationcenter.googleapis.com, which stays on."
if [ "$((found + failures))" -gt 0 ]; then
  google_error "$failures deletions failed, and $found items are still there; run the same command again, or delete the rest at https://console.cloud.google.com/migration?project=$PROJECT_ID"
  exit 1
fi
