#!/bin/sh
# Deletes from Migration Center what a lab has left there: its sources, their import jobs and discovery clients, and the
# assets that came from these sources alone. Preference sets, reports, exports and groups other than those named after the
# labs are kept, because users made them, unless everything in the region is to be deleted.
#
# A source belongs to the lab if it is of the discovery client's type and either has the given id or its description names
# only this lab. A source for uploads belongs to it if its id and description say that it was made for such a source.
# Before anything is deleted, the script lists the other labs that use these sources.
#
#   assessment-cleanup.sh                shows what there is, asks, and deletes
#   assessment-cleanup.sh --yes          deletes without asking
#   assessment-cleanup.sh --note         only says what there is and how to delete it; if the service does not answer
#                                        within seconds, what there may be
#   assessment-cleanup.sh --everything   deletes all that Migration Center has for the project in the region
#
#   PROJECT_ID          project (required)
#   REGION              region of the assessment data (required)
#   SOURCE_ID           identifier of the lab's source (required unless --everything)
#   DEPLOYMENT_ID       suffix of the lab, by which its group and its sources under former client names are found (none)
#   OPERATION_SECONDS   time limit for each deletion (600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"
# shellcheck source=/dev/null
. "${0%"${0##*/}"}./assessment-rest.sh"

OPERATION_SECONDS=${OPERATION_SECONDS:-600}

# The service's maximum for one page and for one batch deletion. Machines in full view are large, and a page has to arrive
# within the time limit of one call.
page_size=1000
asset_page_size=100
# Attempts to delete an item that others still depend on.
dependency_tries=10

yes=no
everything=no
note=no
for option in "$@"; do
  case $option in
    --yes) yes=yes ;;
    --everything) everything=yes ;;
    --note) note=yes ;;
    --help | -h)
      sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"
      exit 0
      ;;
    *) google_refuse "\"$option\" is no option; there are --yes, --everything, --note and --help." ;;
  esac
done

location="projects/${PROJECT_ID:-}/locations/${REGION:-}"

check_settings() {
  google_setting PROJECT_ID '[a-z][a-z0-9.:-]*[a-z0-9]' "the id of a project, like my-project-123"
  google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
  [ "$everything" = yes ] || google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' \
    "the id of the discovery source, or use --everything"
  [ -z "${DEPLOYMENT_ID:-}" ] || google_setting DEPLOYMENT_ID '[a-z0-9-]{1,30}' "the suffix of the lab's names"
  google_time_limit OPERATION_SECONDS
  google_check_settings
}

# read_items COLLECTION: into the file "items".
read_items() {
  # Only the full view of an asset reliably names its sources.
  case $1 in
    assets) query="pageSize=$asset_page_size&view=ASSET_VIEW_FULL&showHidden=true" ;;
    *) query="pageSize=$page_size" ;;
  esac
  google_list migrationcenter "$location/$1" "$query" "$1" "$GOOGLE_WORK/items" ||
    google_fail "The $(words "$1") of project $PROJECT_ID in $REGION cannot be read; nothing is deleted." \
      "Way out: check project and region; the caller needs roles/migrationcenter.admin."
  if [ -s "$GOOGLE_WORK/unreachable" ]; then
    google_complain "The $(words "$1") of project $PROJECT_ID cannot all be seen; nothing is deleted. Not reached:" \
      "$(tr '\n' ' ' <"$GOOGLE_WORK/unreachable")"
    exit 1
  fi
}

# find_own_sources: writes "scope.json" from the sources in "items": whether everything is deleted, the sources of the lab,
# the places its items may belong to, and the groups of all labs that use the sources. Names contain either the project's
# number or its id, so only what follows the project is compared.
find_own_sources() {
  jq -r --arg id "${SOURCE_ID:-}" --arg lab "${DEPLOYMENT_ID:-}" "$GOOGLE_MARKS"'
    select(.type == "SOURCE_TYPE_DISCOVERY_CLIENT") | (.name | last_part) as $name
    | select($name == $id or labs == [$lab]) | $name
  ' "$GOOGLE_WORK/items" >"$GOOGLE_WORK/own-ids"
  # Upload sources remain when only the source they were made for is deleted.
  echo "${SOURCE_ID:-}" >>"$GOOGLE_WORK/own-ids"
  while read -r id; do
    printf '%s %s\n' "$(google_upload_source "$id")" "$id"
  done <"$GOOGLE_WORK/own-ids" >"$GOOGLE_WORK/upload-ids"
  jq -n --argjson everything "$([ "$everything" = yes ] && echo true || echo false)" --arg id "${SOURCE_ID:-}" \
    --arg lab "${DEPLOYMENT_ID:-}" --arg location "$location" --rawfile own "$GOOGLE_WORK/own-ids" --rawfile uploads "$GOOGLE_WORK/upload-ids" \
    --slurpfile sources "$GOOGLE_WORK/items" "$GOOGLE_MARKS"'
    def listed($lines): . as $line | any($lines | split("\n")[]; . == $line);
    [$sources[] | (.name | last_part) as $name
      | select($everything or (.type == "SOURCE_TYPE_DISCOVERY_CLIENT" and ($name | listed($own)))
          or (.type == "SOURCE_TYPE_UPLOAD" and ("\($name) \(uploads_of)" | listed($uploads))))] as $mine
    | { $everything, sources: ($mine | map({ name, labs: labs })),
        groups: ([$mine[] | labs[]] + [$lab | select(. != "")] | unique | map("assess-\(.)-lab")),
        # Items of a source that is already deleted.
        places: (($mine | map(.name)) + (if any($sources[]; .name | last_part == $id) then []
          else ["\($location)/sources/\($id)"] end) | map(sub("^projects/[^/]+/"; ""))) }
  ' >"$GOOGLE_WORK/scope.json"
}

# The sources of the lab that other labs use too, each with those labs.
shared_sources() {
  jq -r --arg lab "${DEPLOYMENT_ID:-}" '
    .sources[] | (.labs - [$lab]) as $others | select($others != [])
    | "Source \(.name | split("/") | last) is used by: \($others | join(", ")). What is theirs of it goes with it."
  ' "$GOOGLE_WORK/scope.json"
}

# read_all COLLECTION CONDITION: writes the names of the lab's items to one file and those of the others to another.
read_all() {
  read_items "$1"
  jq -r --slurpfile scope "$GOOGLE_WORK/scope.json" '
    def own: sub("^projects/[^/]+/"; "") as $place | any($scope[0].places[]; . == $place);
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
    assetsExportJobs) echo "export jobs" ;;
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
    query=${2:+$2&}requestId=$(google_new_request_id)
    # The only collection without request ids.
    case $1 in */assetsExportJobs/*) query=$2 ;; esac
    if google_delete migrationcenter "$1" "$query" &&
      google_await migrationcenter "Deleting ${1##*/}" "$OPERATION_SECONDS"; then
      return 0
    fi
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

say_what_stays() {
  for collection in $collections; do
    count=$(count_of "$collection-others")
    [ "$count" -eq 0 ] || google_say "Left: $(words "$collection") of others: $count"
  done
  google_say "Left: the API migrationcenter.googleapis.com, which stays on."
}

say_repair() {
  [ "$(count_of groups-mine)" -eq 0 ] ||
    google_say "The next apply of a lab that goes on registers its source again, and imports again what was imported."
}

# look_for_note: prints the ids of the lab's sources on one line, and the output of shared_sources.
look_for_note() {
  google_require curl jq
  check_settings
  google_start
  # A note must not delay a destroy.
  google_try_once
  # shellcheck disable=SC2034 # google-rest.sh reads them
  REST_CONNECT_SECONDS=3 REST_CALL_SECONDS=5 REST_TOKEN_SECONDS=5
  read_items sources >&2
  find_own_sources
  jq -r '[.sources[].name | split("/") | last] | join(", ")' "$GOOGLE_WORK/scope.json"
  shared_sources
}

say_note() {
  # The note may be read in a folder other than Terraform's.
  script=$(cd "${0%"${0##*/}"}." && pwd)/${0##*/}
  script=$(printf '%s\n' "$script" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/")
  set +e
  facts=$(set -e && look_for_note 2>/dev/null)
  looked=$?
  set -e
  whose="the discovery source ${SOURCE_ID:-}, which other labs may use too, another one for uploads if an import needed it,"
  shared=
  if [ "$looked" -eq 0 ]; then
    whose=$(printf '%s\n' "$facts" | sed 1q)
    shared=$(printf '%s\n' "$facts" | sed 1d | tr '\n' ' ')
    if [ -z "$whose" ]; then
      google_say "The assessment service has no source of this lab in project $PROJECT_ID, region $REGION. Groups, preference" \
        "sets and reports stay, if there are any."
      return 0
    fi
    whose="the sources $whose,"
  fi
  google_say "The assessment service keeps what was not made by Terraform in project ${PROJECT_ID:-}, region ${REGION:-}:" \
    "$whose their import jobs and assets, and groups, preference sets and reports. ${shared}To remove them:" \
    "PROJECT_ID=${PROJECT_ID:-} REGION=${REGION:-} SOURCE_ID=${SOURCE_ID:-}${DEPLOYMENT_ID:+ DEPLOYMENT_ID=$DEPLOYMENT_ID} sh $script"
}

if [ "$note" = yes ]; then
  say_note
  exit 0
fi
google_require curl jq
check_settings
google_start
google_be_patient

collections="reportConfigs assetsExportJobs groups preferenceSets importJobs discoveryClients assets sources"

read_items sources
find_own_sources
read_all reportConfigs false
read_all assetsExportJobs false
# The next plan of a lab that stays in use creates its group again and registers the source again.
# shellcheck disable=SC2016 # names of jq
read_all groups '(.name | split("/") | last) as $id | any($scope[0].groups[]; . == $id)'
read_all preferenceSets false
read_all importJobs '.assetSource // "" | own'
read_all discoveryClients '.source // "" | own'
# An asset that also comes from another source is not the lab's alone.
read_all assets '(.sources // []) | length > 0 and all(.[]; own)'
# shellcheck disable=SC2016 # names of jq
read_all sources '.name as $name | any($scope[0].sources[]; .name == $name)'

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
shared_sources

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

# Dependents first. Deleting an import job also deletes the assets that it created.
failures=0
remove reportConfigs force=true
remove assetsExportJobs ""
remove groups ""
remove preferenceSets ""
remove importJobs force=true
remove discoveryClients ""
# Assets already deleted with the import jobs are not found, which is no error.
remove_assets
remove sources ""
say_what_stays
say_repair
if [ "$failures" -gt 0 ]; then
  google_complain "$failures deletions failed; run the same command again, or delete the rest at https://console.cloud.google.com/migration?project=$PROJECT_ID"
  exit 1
fi
