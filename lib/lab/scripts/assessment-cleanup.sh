#!/bin/sh
# Removes from the assessment service what a lab has left there: its sources, their import jobs and discovery clients, and
# the assets that came from these sources alone. Groups, preference sets and reports are their author's and stay, unless
# everything of the region is to go.
#
#   assessment-cleanup.sh                shows what there is, asks, and deletes
#   assessment-cleanup.sh --yes          deletes without asking
#   assessment-cleanup.sh --note         only says what there may be and how to delete it, without a call
#   assessment-cleanup.sh --everything   all that the service has for the project in the region, whoever made it
#
#   PROJECT_ID          project (required)
#   REGION              region of the assessment data (required)
#   SOURCE_ID           identifier of the lab's source; also of uploads into "<id>-upload" (required unless --everything)
#   OPERATION_SECONDS   time limit for each deletion (600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$(dirname "$0")/google-rest.sh}"
# shellcheck source=/dev/null
. "$(dirname "$0")/assessment-rest.sh"

OPERATION_SECONDS=${OPERATION_SECONDS:-600}

# The most that the service gives in one page, and deletes in one call.
page_size=1000
# How often something is tried to be deleted that others still depend on.
dependency_tries=10

yes=no
everything=no
for option in "$@"; do
  case $option in
    --yes) yes=yes ;;
    --everything) everything=yes ;;
    --note)
      # From the folder of whoever reads it, which is not that of Terraform.
      script=$(cd "$(dirname "$0")" && pwd)/${0##*/}
      script=$(printf '%s\n' "$script" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/")
      google_say "The assessment service keeps what was not made by Terraform in project ${PROJECT_ID:-}, region" \
        "${REGION:-}: the discovery source ${SOURCE_ID:-} (and $(google_upload_source "${SOURCE_ID:-}"), if an import" \
        "needed one for uploads), its import jobs and assets, and groups, preference sets and reports." \
        "To remove them: PROJECT_ID=${PROJECT_ID:-} REGION=${REGION:-} SOURCE_ID=${SOURCE_ID:-} sh $script"
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
  "the output assess_source_id of the lab, or use --everything"
google_time_limit OPERATION_SECONDS
google_check_settings
google_start
google_be_patient

location="projects/$PROJECT_ID/locations/$REGION"

jq -n --argjson everything "$([ "$everything" = yes ] && echo true || echo false)" \
  --arg source "$location/sources/${SOURCE_ID:-}" \
  --arg upload "$location/sources/$(google_upload_source "${SOURCE_ID:-}")" \
  '{ $everything, sources: [$source, $upload] }' >"$GOOGLE_WORK/scope.json"

# read_all COLLECTION CONDITION: names of the items that belong to the lab, in a file, and of the others, in another.
# Numbers of the project and its id both occur in names, so only what follows the project is compared.
read_all() {
  google_list migrationcenter "$location/$1" "pageSize=$page_size" "$1" "$GOOGLE_WORK/items" ||
    google_fail "The $(words "$1") of project $PROJECT_ID in $REGION cannot be read; nothing is deleted." \
      "Way out: check project and region; the caller needs roles/migrationcenter.admin."
  if [ -s "$GOOGLE_WORK/unreachable" ]; then
    google_complain "The $(words "$1") of project $PROJECT_ID cannot all be seen; nothing is deleted. Not reached:" \
      "$(tr '\n' ' ' <"$GOOGLE_WORK/unreachable")"
    exit 1
  fi
  jq -r --slurpfile scope "$GOOGLE_WORK/scope.json" '
    def own: sub("^projects/[^/]+/"; "") as $place | any($scope[0].sources[]; sub("^projects/[^/]+/"; "") == $place);
    (if $scope[0].everything or ('"$2"') then "mine " else "others " end) + .name
  ' "$GOOGLE_WORK/items" >"$GOOGLE_WORK/sides"
  for side in mine others; do
    sed -n "s/^$side //p" "$GOOGLE_WORK/sides" >"$GOOGLE_WORK/$1-$side"
  done
}

# The collections of the service, in words.
words() {
  case $1 in
    reportConfigs) echo "report configurations" ;;
    preferenceSets) echo "preference sets" ;;
    importJobs) echo "import jobs" ;;
    discoveryClients) echo "discovery clients" ;;
    *) echo "$1" ;;
  esac
}

count_of() {
  echo $(($(wc -l <"$GOOGLE_WORK/$1")))
}

# delete_one NAME QUERY: returns 1 when the service refuses in the end.
delete_one() {
  tries=1
  while :; do
    if google_delete migrationcenter "$1" "${2:+$2&}requestId=$(google_new_request_id)" &&
      google_await migrationcenter "Deleting ${1##*/}" "$OPERATION_SECONDS"; then
      return 0
    fi
    # Only in the service's own words: a page of somebody between says 404 as well.
    if google_says '^NOT_FOUND'; then return 0; fi
    # What depended on it is being deleted still.
    if [ "$GOOGLE_STATUS" != 409 ] && ! google_says '^FAILED_PRECONDITION'; then return 1; fi
    [ "$tries" -lt "$dependency_tries" ] || return 1
    tries=$((tries + 1))
    google_progress "${1##*/}" "waiting until nothing depends on it"
    google_sleep "$REST_POLL_SECONDS"
  done
}

# remove COLLECTION QUERY
remove() {
  done_count=0
  total=$(count_of "$1-mine")
  while read -r name <&3; do
    if delete_one "$name" "$2"; then
      done_count=$((done_count + 1))
      google_say "Deleted of the $(words "$1"): ${name##*/} ($done_count of $total)."
    else
      google_complain "Of the $(words "$1"), ${name##*/} cannot be deleted. $(google_outcome)"
      failures=$((failures + 1))
    fi
  done 3<"$GOOGLE_WORK/$1-mine"
}

remove_assets() {
  total=$(count_of assets-mine)
  done_count=0
  while [ "$done_count" -lt "$total" ]; do
    last=$((done_count + page_size))
    sed -n "$((done_count + 1)),${last}p" "$GOOGLE_WORK/assets-mine" |
      jq -Rn '{ names: [inputs], allowMissing: true }' >"$GOOGLE_WORK/assets.json"
    if ! google_post migrationcenter "$location/assets:batchDelete" "$GOOGLE_WORK/assets.json"; then
      google_complain "Assets cannot be deleted. $(google_outcome)"
      failures=$((failures + 1))
      return 0
    fi
    done_count=$last
    [ "$done_count" -le "$total" ] || done_count=$total
    google_say "Deleted assets ($done_count of $total)."
  done
}

collections="reportConfigs groups preferenceSets importJobs discoveryClients assets sources"

read_all reportConfigs false
read_all groups false
read_all preferenceSets false
read_all importJobs '.assetSource // "" | own'
read_all discoveryClients '.source // "" | own'
# An asset that another source knows as well is not the lab's alone.
read_all assets '(.sources // []) | length > 0 and all(.[]; own)'
read_all sources '.name | own'

found=0
google_say "In project $PROJECT_ID, region $REGION:"
for collection in $collections; do
  count=$(count_of "$collection-mine")
  [ "$count" -gt 0 ] || continue
  found=$((found + count))
  google_say "  $(words "$collection") to delete: $count"
  sed -n '1,10s|^.*/|    |p' "$GOOGLE_WORK/$collection-mine"
  [ "$count" -le 10 ] || google_say "    and $((count - 10)) more"
done

say_what_stays() {
  for collection in $collections; do
    count=$(count_of "$collection-others")
    [ "$count" -eq 0 ] || google_say "Left: $(words "$collection") of others: $count"
  done
  google_say "Left: the API migrationcenter.googleapis.com, which stays on."
}

if [ "$found" -eq 0 ]; then
  google_say "  nothing to delete."
  say_what_stays
  exit 0
fi
if [ "$yes" = no ]; then
  printf 'Delete all of this? It cannot be brought back. Only "yes" deletes: '
  read -r answer || answer=
  if [ "$answer" != yes ]; then
    google_say "Nothing is deleted."
    exit 1
  fi
fi

# Each before what it depends on. Deleting an import job takes back the assets that it made.
failures=0
remove reportConfigs force=true
remove groups ""
remove preferenceSets ""
remove importJobs force=true
remove discoveryClients ""
# Those that the import jobs have taken along are missing now, which is allowed.
remove_assets
remove sources ""
say_what_stays
if [ "$failures" -gt 0 ]; then
  google_complain "$failures deletions failed; run the same command again, or delete the rest at https://console.cloud.google.com/migration?project=$PROJECT_ID"
  exit 1
fi
