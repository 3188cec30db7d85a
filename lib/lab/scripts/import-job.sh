# shellcheck shell=sh disable=SC2034,SC2153,SC2154 # import-inventory.sh reads what is set here, and sets what is read
# Shell library of import-inventory.sh: the import job of this inventory, which an earlier run may have left.
#
# To be sourced after assessment-rest.sh. Reads location, job, job_id, source_place, instances and the settings.

# Maximum number of lines of a report to print; there may be thousands.
most_lines=50

# show_report REPORT: the errors and warnings of the last response's report, in the service's words.
show_report() {
  jq -r --argjson most "$most_lines" "$1"' // {}
    | [(.jobErrors[]? | .place = "the job"),
        (.fileValidations[]? | (.fileName // "?") as $file
          | (.fileErrors[]? | .place = $file),
            (.rowErrors[]? | "\($file), row \(.csvError.rowNumber // "?") (\(.vmName // .vmUuid // "?"))" as $place
              | .errors[]? | .place = $place))]
    | sort_by(.severity == "WARNING" or .severity == "INFO")
    | (.[:$most][] | "  \(.severity // "ERROR") in \(.place): \(.errorDetails // "no message")" | gsub("[[:cntrl:]]+"; " ")),
      (length - $most | select(. > 0) | "  and \(.) more.")' "$GOOGLE_ANSWER"
}

# Sets state, which is NONE when there is no such job, and has_report, frames and rows from its execution report. Refuses a
# job of another source, which has nothing to do with this lab.
look_at_job() {
  if google_reading '[(.state // "?" | ltrimstr("IMPORT_JOB_STATE_")), has("executionReport"),
    .executionReport.framesReported // 0, .executionReport.totalRowsCount // 0,
    (.assetSource // "" | sub("^projects/[^/]+/"; "") | gsub("[[:cntrl:][:space:]]"; "_"))] | map(tostring) | join(" ")' \
    google_get migrationcenter "$job"; then
    read -r state has_report frames rows_read found_source <<LINE
$GOOGLE_READ
LINE
    [ "$found_source" = "$source_place" ] || {
      google_error "Import job $job_id is of source ${found_source##*/}, not of $SOURCE_ID; it is left as it is."
      google_error "  To fix: look at it at $console, delete it there if nobody needs it and run the same command again."
      exit 1
    }
    return 0
  fi
  [ "$GOOGLE_STATUS" = 404 ] || google_fail "The state of import job $job_id cannot be read."
  state=NONE
}

# Whether another import into the source was completed after this one.
is_overtaken() {
  google_list migrationcenter "$location/importJobs" "pageSize=1000&view=IMPORT_JOB_VIEW_BASIC" importJobs \
    "$GOOGLE_WORK/jobs" || google_fail "The other import jobs of the source cannot be read."
  jq -en --arg job "$job_id" --arg source "$source_place" '
    # Names contain either the number or the id of the project.
    [inputs | select(.state == "IMPORT_JOB_STATE_COMPLETED" and (.assetSource // "" | sub("^projects/[^/]+/"; "")) == $source)
      # Without the Z: times with and without fractions of a second then sort correctly.
      | { id: (.name | split("/") | last), time: (.completeTime // .updateTime // .createTime // "" | rtrimstr("Z")) }]
    | (map(select(.id == $job).time) | first // empty) as $time | any(.time > $time)' "$GOOGLE_WORK/jobs" >/dev/null
}

# Sets machines, the number of the inventory's machines that the service has in the source. Matched by id or name, because
# the source may also have machines from the discovery client. Hidden assets count.
count_machines() {
  google_list migrationcenter "$location/assets" \
    "pageSize=1000&view=ASSET_VIEW_FULL&showHidden=true&fields=assets(name,sources,machineDetails/uuid,machineDetails/machineName),nextPageToken,unreachable" \
    assets "$GOOGLE_WORK/assets" || google_fail "Whether the machines of the earlier import are still there cannot be read."
  machines=$(jq -n --arg source "$source_place" --slurpfile assets "$GOOGLE_WORK/assets" '
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
  elif is_overtaken; then
    lack="is older than another import into its source"
  else
    [ "$has_report" = true ] || frames=1
    count_machines
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

# Returns 1 when the job exists already.
create_job() {
  google_say "Creating import job $job_id for $instances instances."
  # Neither value can contain a character that JSON escapes.
  printf '{ "displayName": "%s", "assetSource": "%s" }\n' "AWS inventory (assess-$DEPLOYMENT_ID)" \
    "$location/sources/$SOURCE_ID" >"$GOOGLE_WORK/job.json"
  if google_begin migrationcenter "$location/importJobs" "$GOOGLE_WORK/job.json" \
    "importJobId=$job_id&requestId=$(google_new_request_id)" && google_await migrationcenter "Import job $job_id" "$OPERATION_SECONDS"; then
    return 0
  elif google_says '^ALREADY_EXISTS'; then
    # Another run was faster, or the request of an earlier, interrupted one has arrived after all.
    attempts=$((attempts + 1))
    [ "$attempts" -le "$REST_TRIES" ] || google_fail "Import job $job_id is said to exist, but cannot be seen."
    google_progress "Import job $job_id" "said to exist, but not to be seen yet"
    google_sleep "$REST_POLL_SECONDS"
  else
    google_fail "Import job $job_id cannot be created." "To fix: repair what the message names and run the same command again."
  fi
  return 1
}

# replace_job WHY: deleting a job also deletes what it has imported.
replace_job() {
  if [ "$replaced" = yes ]; then
    google_error "Import job $job_id was replaced, but $1 again."
    google_error "  To fix: look at it at $console and run the same command again."
    exit 1
  fi
  replaced=yes
  google_say "Import job $job_id $1: replacing it."
  if ! google_delete migrationcenter "$job" "force=true&requestId=$(google_new_request_id)" ||
    ! google_await migrationcenter "Import job $job_id" "$OPERATION_SECONDS"; then
    google_says '^NOT_FOUND' || google_fail "Import job $job_id cannot be deleted."
  fi
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
}

# Waits for a phase that was started. Returns 1 when its time is over.
pause_for_job() {
  google_progress "Import job $job_id" "$state"
  [ "$(google_seconds)" -lt "$phase_until" ] || return 1
  google_sleep "$REST_POLL_SECONDS"
}
