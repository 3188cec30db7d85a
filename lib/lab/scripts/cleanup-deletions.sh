# shellcheck shell=sh disable=SC2034,SC2154 # assessment-cleanup.sh reads what is set here, and sets what is read
# Shell library of assessment-cleanup.sh: deletes what cleanup-scope.sh has found to be the lab's.
#
# To be sourced after it. Reads location and OPERATION_SECONDS; counts in failures what cannot be deleted.

# The service's maximum for one batch deletion.
batch_size=1000
# Attempts to delete an item that others still depend on.
dependency_tries=10

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
      google_error "Of the $(words "$1"), ${name##*/} cannot be deleted. $(google_outcome)"
      failures=$((failures + 1))
    fi
  done 3<"$GOOGLE_WORK/$1-mine"
}

remove_assets() {
  total=$(count_of assets-mine)
  done_count=0
  while [ "$done_count" -lt "$total" ]; do
    last=$((done_count + batch_size))
    sed -n "$((done_count + 1)),${last}p" "$GOOGLE_WORK/assets-mine" |
      jq -Rn '{ names: [inputs], allowMissing: true }' >"$GOOGLE_WORK/assets.json"
    if ! google_post migrationcenter "$location/assets:batchDelete" "$GOOGLE_WORK/assets.json"; then
      google_error "Assets cannot be deleted. $(google_outcome)"
      failures=$((failures + 1))
      return 0
    fi
    done_count=$last
    [ "$done_count" -le "$total" ] || done_count=$total
    google_say "Deleted assets ($done_count of $total)."
  done
}
