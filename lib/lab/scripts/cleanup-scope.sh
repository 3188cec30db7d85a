# shellcheck shell=sh disable=SC2154 # assessment-cleanup.sh sets what is read here
# Shell library of assessment-cleanup.sh: what Migration Center has, and what of it is the lab's.
#
# To be sourced after assessment-rest.sh. Reads location, everything, fate and the settings of assessment-cleanup.sh.

# The service's maximum for one page. Machines in full view are large, and a page has to arrive within the time limit of one
# call.
page_size=1000
asset_page_size=100

# read_items COLLECTION: into the file "items".
read_items() {
  # Only the full view of an asset reliably names its sources.
  case $1 in
    assets) query="pageSize=$asset_page_size&view=ASSET_VIEW_FULL&showHidden=true" ;;
    *) query="pageSize=$page_size" ;;
  esac
  google_list migrationcenter "$location/$1" "$query" "$1" "$GOOGLE_WORK/items" ||
    google_fail "The $(words "$1") of project $PROJECT_ID in $REGION cannot be read; $fate." \
      "To fix: check project and region; the caller needs roles/migrationcenter.admin."
  if [ -s "$GOOGLE_WORK/unreachable" ]; then
    google_error "The $(words "$1") of project $PROJECT_ID cannot all be seen; $fate. Not reached:" \
      "$(tr '\n' ' ' <"$GOOGLE_WORK/unreachable")"
    exit 1
  fi
}

# find_own_sources: writes "scope.json": whether everything is deleted, the sources of the lab, the places its items may
# belong to, and by what the groups of all labs that use the sources are known. Names contain either the project's number or
# its id, so only what follows the project is compared.
find_own_sources() {
  read_items sources
  mv "$GOOGLE_WORK/items" "$GOOGLE_WORK/sources"
  read_items groups
  mv "$GOOGLE_WORK/items" "$GOOGLE_WORK/groups"
  jq -r --arg id "${SOURCE_ID:-}" --arg lab "${DEPLOYMENT_ID:-}" --slurpfile groups "$GOOGLE_WORK/groups" "$GOOGLE_MARKS"'
    select(.type == "SOURCE_TYPE_DISCOVERY_CLIENT") | (.name | last_part) as $name
    | select($name == $id or ($lab != "" and maker == $lab and users($groups) == [])) | $name
  ' "$GOOGLE_WORK/sources" >"$GOOGLE_WORK/own-ids"
  jq -n --argjson everything "$([ "$everything" = yes ] && echo true || echo false)" --arg id "${SOURCE_ID:-}" \
    --arg lab "${DEPLOYMENT_ID:-}" --arg location "$location" --rawfile own "$GOOGLE_WORK/own-ids" \
    --slurpfile sources "$GOOGLE_WORK/sources" --slurpfile groups "$GOOGLE_WORK/groups" "$GOOGLE_MARKS"'
    ($own | split("\n")) as $own
    | [$sources[] | (.name | last_part) as $name
      | select($everything or (.type == "SOURCE_TYPE_DISCOVERY_CLIENT" and any($own[]; . == $name)))] as $mine
    | { $everything, sources: ($mine | map({ name, users: other_users($groups; $lab) })),
        used: ([$mine[].name | last_part] + [$id] | unique), labs: ([$mine[] | old_users($groups)[]] + [$lab]),
        # Items of a source that is already deleted.
        places: (($mine | map(.name)) + (if any($sources[]; .name | last_part == $id) then []
          else ["\($location)/sources/\($id)"] end) | map(sub("^projects/[^/]+/"; ""))) }
  ' >"$GOOGLE_WORK/scope.json"
}

# The sources of the lab that other labs use too, each with those labs.
shared_sources() {
  jq -r '
    .sources[] | select(.users != [])
    | "Source \(.name | split("/") | last) is used by: \(.users | join(", ")). What is theirs of it goes with it."
  ' "$GOOGLE_WORK/scope.json"
}

# read_all COLLECTION CONDITION: writes the names of the lab's items to one file and those of the others to another.
read_all() {
  read_items "$1"
  jq -r --slurpfile scope "$GOOGLE_WORK/scope.json" "$GOOGLE_MARKS"'
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
