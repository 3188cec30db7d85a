#!/bin/sh
# Deletes from Migration Center what a lab has left there: its sources, their import jobs and discovery clients, and the
# assets that came from these sources alone. Preference sets, reports, exports and groups other than those named after the
# labs are kept, because users made them, unless everything in the region is to be deleted.
#
# A source belongs to the lab if it is of the discovery client's type and either has the given id, or was made by this lab
# and is used by none. Before anything is deleted, the script lists the other labs that use these sources. After the answer
# it looks again, and asks for what has come since.
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

scripts=${0%"${0##*/}"}.
# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source-path=SCRIPTDIR source=assessment-rest.sh
. "$scripts/assessment-rest.sh"
# shellcheck source-path=SCRIPTDIR source=cleanup-scope.sh
. "$scripts/cleanup-scope.sh"
# shellcheck source-path=SCRIPTDIR source=cleanup-deletions.sh
. "$scripts/cleanup-deletions.sh"
# shellcheck source-path=SCRIPTDIR source=cleanup-note.sh
. "$scripts/cleanup-note.sh"

OPERATION_SECONDS=${OPERATION_SECONDS:-600}

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

say_what_stays() {
  for collection in $collections; do
    count=$(count_of "$collection-others")
    [ "$count" -eq 0 ] || google_say "Left: $(words "$collection") of others: $count"
  done
  google_say "Left: the API migrationcenter.googleapis.com, which stays on."
}

say_repair() {
  [ "$groups" -eq 0 ] ||
    google_say "The next apply of a lab that goes on registers its source again, and imports again what was imported."
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

# What the service has of the scope; sets found to the number of items to delete.
read_scope() {
  read_all reportConfigs false
  read_all assetsExportJobs false
  # The next plan of a lab that stays in use creates its group again and registers the source again.
  # shellcheck disable=SC2016 # names of jq
  read_all groups 'any(lab_of; if .source == null then .lab | IN($scope[0].labs[]) else .source | IN($scope[0].used[]) end)'
  read_all preferenceSets false
  read_all importJobs '.assetSource // "" | own'
  read_all discoveryClients '.source // "" | own'
  # An asset that also comes from another source is not the lab's alone.
  read_all assets '(.sources // []) | length > 0 and all(.[]; own)'
  # shellcheck disable=SC2016 # names of jq
  read_all sources '.name as $name | any($scope[0].sources[]; .name == $name)'
  found=0
  for collection in $collections; do
    found=$((found + $(count_of "$collection-mine")))
  done
}

# show_items SIDE
show_items() {
  for collection in $collections; do
    count=$(count_of "$collection-$1")
    [ "$count" -gt 0 ] || continue
    google_say "  $(words "$collection") to delete: $count"
    sed -n '1,10s|^.*/|    |p' "$GOOGLE_WORK/$collection-$1"
    [ "$count" -le 10 ] || google_say "    and $((count - 10)) more"
  done
  shared_sources
}

# ask QUESTION
ask() {
  printf '%s It cannot be brought back. Only "yes" deletes: ' "$1"
  read -r answer || answer=
  [ "$answer" = yes ] || {
    google_say "Nothing is deleted."
    exit 1
  }
}

# Reads the scope again; sets news to the number of items that the question did not cover.
look_for_news() {
  for collection in $collections; do
    mv "$GOOGLE_WORK/$collection-mine" "$GOOGLE_WORK/$collection-asked"
  done
  find_own_sources
  read_scope
  news=0
  for collection in $collections; do
    jq -Rnr --rawfile asked "$GOOGLE_WORK/$collection-asked" '
      reduce ($asked | split("\n")[]) as $name ({}; .[$name] = true) | . as $known | inputs | select(in($known) | not)
    ' "$GOOGLE_WORK/$collection-mine" >"$GOOGLE_WORK/$collection-news"
    news=$((news + $(count_of "$collection-news")))
  done
}

fate="nothing is deleted"
find_own_sources
read_scope

google_say "In project $PROJECT_ID, region $REGION:"
show_items mine

if [ "$found" -eq 0 ]; then
  google_say "  nothing to delete."
  say_what_stays
  exit 0
fi
if [ "$yes" = no ]; then
  ask "Delete all of this?"
  look_for_news
  while [ "$news" -gt 0 ]; do
    google_say "Since the question, more has come:"
    show_items news
    ask "Delete this too?"
    look_for_news
  done
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
groups=$(count_of groups-mine)
# The last word comes from what the service still has: an answer to a deletion proves nothing.
fate="whether everything is deleted is not known"
looks=1
read_scope
while [ "$found" -gt 0 ] && [ "$failures" -eq 0 ] && [ "$looks" -lt "$dependency_tries" ]; do
  looks=$((looks + 1))
  # A lab that came during the deletions has its group, but perhaps no source any more, which its next plan would not notice.
  remove groups ""
  groups=$((groups + $(count_of groups-mine)))
  google_sleep "$REST_POLL_SECONDS"
  read_scope
done
say_what_stays
say_repair
if [ "$((found + failures))" -gt 0 ]; then
  google_error "$failures deletions failed, and $found items are still there; run the same command again, or delete the rest at https://console.cloud.google.com/migration?project=$PROJECT_ID"
  exit 1
fi
