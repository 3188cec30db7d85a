#!/bin/sh
# Deletes the data of a lab from Migration Center: its source, the import jobs and discovery clients of that source, the
# assets that come from no other source, and the groups of the labs that use the source, so that their next plan
# registers it again. Everything else is kept. First lists the items to delete, and the other labs that use the source.
#
#   assessment-cleanup.sh                lists the items, asks, and deletes them
#   assessment-cleanup.sh --yes          deletes without asking
#   assessment-cleanup.sh --everything   deletes all that Migration Center has for the project in the region
#
#   PROJECT_ID          project (required)
#   REGION              region of the assessment data (required)
#   SOURCE_ID           identifier of the lab's source (required unless --everything)
#   DEPLOYMENT_ID       suffix of the lab, which is then not listed among the others (none)
#   OPERATION_SECONDS   time limit for each deletion (600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

export GOOGLE_OPTIONS="--yes --everything"
scripts=${0%"${0##*/}"}.
# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source=assessment-rest.sh
. "$scripts/assessment-rest.sh"

yes=no everything=no
# In this order: what depends on others comes first.
collections="reportConfigs assetsExportJobs groups preferenceSets importJobs discoveryClients assets sources"

check_settings() {
  OPERATION_SECONDS=${OPERATION_SECONDS:-600}
  for option in "$@"; do
    case $option in
      --yes) yes=yes ;;
      --everything) everything=yes ;;
    esac
  done
  google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
  [ "$everything" = yes ] || google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' \
    "the id of the discovery source, or use --everything"
  google_time_limit OPERATION_SECONDS
  google_start
  location="projects/$PROJECT_ID/locations/$REGION"
}

count_of() {
  echo $(($(wc -l <"$GOOGLE_WORK/$1")))
}

# read_scope FATE: sets found to the number of items to delete; their names are in the files <collection>-mine.
read_scope() {
  found=0
  for collection in $collections; do
    google_list "$location/$collection" "$GOOGLE_WORK/$collection" ||
      google_fail "The $collection of project $PROJECT_ID in $REGION cannot be read; $1." \
        "To fix: check project and region; the caller needs roles/migrationcenter.admin."
    # Names contain either the project's number or its id, so only what follows the project is compared.
    jq -r --arg collection "$collection" --arg everything "$everything" --arg id "${SOURCE_ID:-}" \
      --arg region "$REGION" "$GOOGLE_LABS"'
      def own: sub("^projects/[^/]+/"; "") == "locations/\($region)/sources/\($id)";
      select($everything == "yes" or
        if $collection == "importJobs" then .assetSource // "" | own
        elif $collection == "discoveryClients" then .source // "" | own
        # An asset that also comes from another source is kept.
        elif $collection == "assets" then (.sources // []) | length > 0 and all(.[]; own)
        elif $collection == "groups" then any(lab_of; .source == $id)
        else $collection == "sources" and (.name | own) end)
      | .name' "$GOOGLE_WORK/$collection" >"$GOOGLE_WORK/$collection-mine"
    found=$((found + $(count_of "$collection-mine")))
  done
}

# Refuses a source that no lab has registered.
refuse_other_source() {
  type=$(jq -r --arg id "${SOURCE_ID:-}" 'select(.name | endswith("/sources/" + $id))
    | .type // "SOURCE_TYPE_UNKNOWN"' "$GOOGLE_WORK/sources")
  case $everything/$type in
    yes/* | no/ | no/SOURCE_TYPE_DISCOVERY_CLIENT) ;;
    *)
      google_stop "Source $SOURCE_ID is of type $type, which no lab registers; nothing is deleted." \
        "To fix: set SOURCE_ID to the id of the lab's source, which assessment-status.sh shows."
      ;;
  esac
}

list_targets() {
  google_say "In project $PROJECT_ID, region $REGION:"
  for collection in $collections; do
    [ ! -s "$GOOGLE_WORK/$collection-mine" ] || google_say "  $collection to delete: $(count_of "$collection-mine")"
    sed -n '1,10s|^.*/|    |p' "$GOOGLE_WORK/$collection-mine"
  done
  jq -r --arg lab "${DEPLOYMENT_ID:-}" --rawfile mine "$GOOGLE_WORK/sources-mine" \
    --slurpfile groups "$GOOGLE_WORK/groups" "$GOOGLE_LABS"'
    select(.name | IN($mine | split("\n")[])) | other_users($groups; $lab) as $users | select($users != [])
    | "Source \(.name | last_part) is used by: \($users | join(", ")). What is theirs of it goes with it."
  ' "$GOOGLE_WORK/sources"
}

delete_targets() {
  for collection in $collections; do
    # Without force, a job with files is not deleted. With the job, the service deletes what it has imported.
    case $collection in importJobs | reportConfigs) query=force=true ;; *) query= ;; esac
    # A thousand assets in one call. Those that were deleted with their jobs are not found, which is no error.
    if [ "$collection" = assets ]; then
      jq -Rcn '[inputs] as $names | range(0; $names | length; 1000)
        | { names: $names[.:. + 1000], allowMissing: true }' "$GOOGLE_WORK/assets-mine" >"$GOOGLE_WORK/targets"
    else
      cp "$GOOGLE_WORK/$collection-mine" "$GOOGLE_WORK/targets"
    fi
    while read -r target <&3; do
      if [ "$collection" = assets ]; then
        printf '%s\n' "$target" >"$GOOGLE_WORK/assets.json"
        google_post migrationcenter "$location/assets:batchDelete" "$GOOGLE_WORK/assets.json" ||
          google_error "Assets cannot be deleted. $(google_outcome)"
      # The message must be the service's own: a proxy's page can have status 404, too.
      elif google_delete migrationcenter "$target" "$query" &&
        google_settle migrationcenter "" OPERATION_SECONDS "Deleting ${target##*/}" || google_says '^NOT_FOUND'; then
        google_say "Deleted $collection/${target##*/}."
      else
        google_error "$collection/${target##*/} cannot be deleted. $(google_outcome)"
      fi
    done 3<"$GOOGLE_WORK/targets"
  done
}

# Reports what is left. Only a new list shows the result: a successful deletion proves nothing.
report_rest() {
  read_scope "whether everything is deleted is not known"
  for collection in $collections; do
    others=$(($(count_of "$collection") - $(count_of "$collection-mine")))
    [ "$others" -eq 0 ] || google_say "Kept: $others $collection of others"
  done
  page="https://console.cloud.google.com/migration?project=$PROJECT_ID"
  [ "$found" -eq 0 ] ||
    google_stop "$found items are still there; something may depend on them until its own deletion ends." \
      "To fix: run the same command again, or delete the rest at $page"
}

main() {
  check_settings "$@"
  read_scope "nothing is deleted"
  refuse_other_source
  list_targets
  if [ "$found" -eq 0 ]; then
    google_say "  nothing to delete."
    exit 0
  fi
  [ "$yes" = yes ] || google_confirm "Delete all of this? It cannot be brought back."
  delete_targets
  report_rest
}

main "$@"
