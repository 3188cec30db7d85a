# shellcheck shell=sh disable=SC2034,SC2153,SC2154 # import-inventory.sh reads what is set here, and sets what is read
# Shell library of import-inventory.sh: import jobs of this run and of earlier ones.
#
# To be sourced after assessment-rest.sh. Reads location, inventory, instances, job_source, own_source_id and the settings.

# Sets job_id: the first time to the job of an earlier run, if one is known, else to the job for the current source and
# corrections. No two sources share an id: 24 digits of SHA-256 leave room for the suffixes in the 63 characters of an id.
name_job() {
  printf '%s' "$REGION/$job_source" >"$GOOGLE_WORK/place"
  job_id="cloudb-$inventory-$(digest_of "$GOOGLE_WORK/place" | cut -c 1-24)"
  [ "$left_out" = no ] || job_id="$job_id-rows"
  [ "$cleaned" = no ] || job_id="$job_id-tags"
  job_id=${known_job:-$job_id}
  known_job=
  job="$location/importJobs/$job_id"
}

# Finds the jobs of earlier runs for this inventory: its hash is in their id, and their source is this lab's or the one for
# its uploads. Sets known_job, which is empty or the job to continue with: the newest completed one, else the one with the
# most corrections, which is the latest; own_source from its source; left_out and cleaned from its id; is_done; and
# is_newest, whether its source's machines come from it. The other jobs, which have imported nothing, go into the file
# "tries".
read_earlier_jobs() {
  google_list migrationcenter "$location/importJobs" "pageSize=1000&view=IMPORT_JOB_VIEW_BASIC" importJobs \
    "$GOOGLE_WORK/jobs" || google_fail "The import jobs of earlier runs cannot be read."
  jq -rn --arg first "cloudb-$inventory-" --arg plain "$(place_of "$SOURCE_ID")" --arg own "$(place_of "$own_source_id")" '
    # Names contain either the number or the id of the project.
    def place: sub("^projects/[^/]+/"; "");
    [inputs | { id: (.name | split("/") | last), source: (.assetSource // "" | place), state: (.state // ""),
      # Without the Z: times with and without fractions of a second then sort correctly.
      time: (.completeTime // .updateTime // .createTime // "" | rtrimstr("Z")) }
      | .done = (.state == "IMPORT_JOB_STATE_COMPLETED") | .own = (.source == $own)] as $jobs
    | [$jobs[] | select((.own or .source == $plain) and (.id | startswith($first)))] as $mine
    | ($mine | sort_by(.done, (if .done then .time else "" end), .own, (.id | length)) | last) as $known
    | $known.id // "", (if $known.own then "yes" else "no" end), $known.done // false,
      all($jobs[] | select(.done and .source == $known.source); .time <= $known.time),
      ($mine[] | select(.id != $known.id and (.state | IN("IMPORT_JOB_STATE_PENDING", "IMPORT_JOB_STATE_READY",
        "IMPORT_JOB_STATE_FAILED_VALIDATION", "IMPORT_JOB_STATE_FAILED"))) | .id)' "$GOOGLE_WORK/jobs" >"$GOOGLE_WORK/earlier"
  {
    read -r known_job
    read -r own_source
    read -r is_done
    read -r is_newest
  } <"$GOOGLE_WORK/earlier"
  sed 1,4d "$GOOGLE_WORK/earlier" | grep -E '^[a-z0-9-]+$' >"$GOOGLE_WORK/tries" || :
  case $known_job in *-rows*) left_out=yes ;; esac
  case $known_job in *-tags) cleaned=yes ;; esac
}

# place_of SOURCE: its name without the project.
place_of() {
  echo "locations/$REGION/sources/$1"
}

# Sets state, which is NONE when there is no such job, and has_report, frames and rows from its execution report. Refuses a
# job of another source, which has nothing to do with this lab.
look_at_job() {
  if google_reading '[(.state // "?" | ltrimstr("IMPORT_JOB_STATE_")), has("executionReport"),
    .executionReport.framesReported // 0, .executionReport.totalRowsCount // 0,
    (.assetSource // "" | sub("^projects/[^/]+/"; "") | gsub("[[:cntrl:][:space:]]"; "_"))] | map(tostring) | join(" ")' \
    google_get migrationcenter "$job"; then
    read -r state has_report frames rows_read source_place <<LINE
$GOOGLE_READ
LINE
    [ "$source_place" = "$(place_of "$job_source")" ] || {
      google_error "Import job $job_id is of source ${source_place##*/}, not of $job_source; it is left as it is."
      google_error "  To fix: look at it at $console, delete it there if nobody needs it and run the same command again."
      exit 1
    }
    return 0
  fi
  [ "$GOOGLE_STATUS" = 404 ] || google_fail "The state of import job $job_id cannot be read."
  state=NONE
}

# count_machines SOURCE: sets machines, the number of the inventory's machines that the service has in a source. Matched by
# id or name, because the source may also have machines from the discovery client. Hidden assets count.
count_machines() {
  google_list migrationcenter "$location/assets" \
    "pageSize=1000&view=ASSET_VIEW_FULL&showHidden=true&fields=assets(name,sources,machineDetails/uuid,machineDetails/machineName),nextPageToken,unreachable" \
    assets "$GOOGLE_WORK/assets" || google_fail "Whether the machines of the earlier import are still there cannot be read."
  machines=$(jq -n --arg source "$(place_of "$1")" --slurpfile assets "$GOOGLE_WORK/assets" '
    (reduce (inputs[]) as $name ({}; .[$name] = true)) as $known
    | [$assets[] | select(any(.sources[]?; sub("^projects/[^/]+/"; "") == $source)) | .machineDetails
      | select(any(.uuid, .machineName; strings | ascii_downcase | in($known)))] | length
  ' "$INVENTORY_FOLDER/machines.json")
}

# Whether a finished job has imported less than the inventory holds.
is_partial() {
  [ "$has_report" = true ] && [ "$frames" -lt "$instances" ]
}

# Sets lack to a description of what an earlier import is missing; empty when it is complete.
judge_earlier_import() {
  lack=
  if is_partial; then
    lack="has imported $frames of $instances instances in an earlier run"
  elif [ "$is_newest" = false ]; then
    lack="is older than another import into its source"
  else
    [ "$has_report" = true ] || frames=1
    count_machines "$job_source"
    # Assets in unreachable locations may still be there.
    [ -s "$GOOGLE_WORK/unreachable" ] || [ "$machines" -ge "$frames" ] ||
      lack="has imported $frames instances, of which $machines are still there"
  fi
}

another_run="To fix: another run of this import may be at work on that job, or it is being deleted; wait until that has ended and run the same command again."

# fail_in_job MESSAGE: for calls about the job of this run. If the job, or a part of it, is not as this run left it,
# another run is active.
fail_in_job() {
  if google_says '^(NOT_FOUND|ALREADY_EXISTS|FAILED_PRECONDITION)'; then google_fail "$1" "$another_run"; fi
  google_fail "$1" "To fix: repair what the message names and run the same command again."
}

# Whether the service refused the job because of its source's type.
source_refused() {
  [ "$own_source" = no ] && google_says '^(INVALID_ARGUMENT|FAILED_PRECONDITION)' &&
    google_says '(^|[^a-z])source|assetsource'
}

# Sets created: yes, no when the job exists already, refused when the service does not accept its source.
create_job() {
  google_say "Creating import job $job_id for $instances instances."
  # Neither value can contain a character that JSON escapes.
  printf '{ "displayName": "%s", "assetSource": "%s" }\n' "AWS inventory (assess-$DEPLOYMENT_ID)" \
    "$location/sources/$job_source" >"$GOOGLE_WORK/job.json"
  if google_begin migrationcenter "$location/importJobs" "$GOOGLE_WORK/job.json" \
    "importJobId=$job_id&requestId=$(google_new_request_id)" && google_await migrationcenter "Import job $job_id" "$OPERATION_SECONDS"; then
    created=yes
  elif google_says '^ALREADY_EXISTS'; then
    # Another run was faster, or the request of an earlier, interrupted one has arrived after all.
    created=no
    attempts=$((attempts + 1))
    [ "$attempts" -le "$REST_TRIES" ] || google_fail "Import job $job_id is said to exist, but cannot be seen."
    google_progress "Import job $job_id" "said to exist, but not to be seen yet"
    google_sleep "$REST_POLL_SECONDS"
  elif source_refused; then
    created=refused
    google_say "The service does not import into source $SOURCE_ID. $(google_outcome)"
  else
    google_fail "Import job $job_id cannot be created." "To fix: repair what the message names and run the same command again."
  fi
}

# delete_job ID: also deletes what the job has imported. Returns 1 when the service refuses.
delete_job() {
  if google_delete migrationcenter "$location/importJobs/$1" "force=true&requestId=$(google_new_request_id)" &&
    google_await migrationcenter "Import job $1" "$OPERATION_SECONDS"; then
    return 0
  fi
  google_says '^NOT_FOUND'
}

# replace_job WHY
replace_job() {
  if [ "$replaced" = yes ]; then
    google_error "Import job $job_id was replaced, but $1 again."
    google_error "  To fix: look at it at $console and run the same command again."
    exit 1
  fi
  replaced=yes
  google_say "Import job $job_id $1: replacing it."
  delete_job "$job_id" || google_fail "Import job $job_id cannot be deleted."
  # A job of an earlier release has another id.
  name_job
}

# Earlier attempts, which led to corrections, have imported nothing and would only clutter the list of jobs.
delete_tries() {
  while read -r try <&3; do
    [ "$try" != "$job_id" ] || continue
    delete_job "$try" || google_say "Import job $try, which has imported nothing, is left behind. $(google_outcome)"
  done 3<"$GOOGLE_WORK/tries"
}

# start_phase validate|run: an error response counts only if the job has not moved on nevertheless.
start_phase() {
  problem=
  printf '{ "requestId": "%s" }\n' "$(google_new_request_id)" >"$GOOGLE_WORK/phase.json"
  phase_until=$(($(google_seconds) + IMPORT_SECONDS))
  if google_begin migrationcenter "$job:$1" "$GOOGLE_WORK/phase.json" &&
    google_await migrationcenter "Import job $job_id, $1" "$IMPORT_SECONDS"; then
    return 0
  fi
  problem=$(google_outcome)
  if source_refused; then
    google_say "The service does not import into source $SOURCE_ID. $problem"
    source_is_problem=yes
  fi
}

# Waits for a phase that was started. Returns 1 when its time is over.
pause_for_job() {
  google_progress "Import job $job_id" "$state"
  [ "$(google_seconds)" -lt "$phase_until" ] || return 1
  google_sleep "$REST_POLL_SECONDS"
}
