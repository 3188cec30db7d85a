# shellcheck shell=sh disable=SC2034,SC2153,SC2154 # build-image.sh reads what is set here, and sets what is read
# Shell library of build-image.sh: a build that is joined or started, watched, judged and cancelled.
#
# To be sourced after google-rest.sh. Reads IMAGE, PROJECT_ID and the other settings of build-image.sh, builds, the collection
# of builds, and tag.

build_id=
log_address=
asking=no
# "yes" when another run requested this build: an interrupted run then does not cancel it.
joined=no
identity_tries=0

# What take_build reads of a build.
id_and_log='[(.id | strings) // "", .logUrl // "not given"] | @tsv'
tab=$(printf '\t')

# Watches the build of which the last response has given id and log; returns 1 when it has given none.
take_build() {
  ! google_is_unsafe "${GOOGLE_READ%%"$tab"*}" || return 1
  build_id=${GOOGLE_READ%%"$tab"*}
  log_address=${GOOGLE_READ#*"$tab"}
  google_say "Build $build_id of $IMAGE is under way; log: $log_address"
}

# A new account or role takes a minute or two to take effect everywhere.
may_be_too_new() {
  [ "$(google_seconds)" -lt "$IDENTITY_WAIT_SECONDS" ] || return 1
  identity_tries=$((identity_tries + 1))
}

pause_for_identity() {
  pause=$(google_doubled "$REST_POLL_SECONDS" "$identity_tries")
  google_say "$1 This is normal for a service account or role that is minutes old; trying again in $pause s" \
    "(for at most $IDENTITY_WAIT_SECONDS s)."
  google_sleep "$pause"
}

refused_for_identity() {
  case $GOOGLE_STATUS in
    400 | 403 | 404) google_service_disabled || google_says 'service ?account|actas|act as' ;;
    *) return 1 ;;
  esac
}

# Reads the build of this image that is under way, if there is one.
list_builds() {
  google_reading 'first(items("builds")[] | select(.images == [env.IMAGE])
    | select(.status == "PENDING" or .status == "QUEUED" or .status == "WORKING")) | '"$id_and_log" \
    google_get cloudbuild "$builds" "pageSize=20&filter=tags%3D%22$tag%22"
}

# Concurrent applies may need the same image. If builds cannot be listed, the request for a build reports why.
join_build() {
  joined=no
  list_builds && take_build || return 1
  joined=yes
}

start_build() {
  attempt=1
  asking=yes
  until google_reading ".metadata.build | $id_and_log" google_create cloudbuild "$builds" "$GOOGLE_WORK/build.json"; do
    if google_uncertain; then
      google_say "$(google_outcome) Looking whether the build was started nevertheless."
      google_sleep "$(google_doubled "$REST_RETRY_BASE_SECONDS" "$attempt")"
      outcome=$(google_outcome)
      list_builds || google_fail "Whether the build was started in $BUILD_LOCATION cannot be found out."
      take_build && return 0
      attempt=$((attempt + 1))
      if [ "$attempt" -gt "$REST_TRIES" ]; then
        google_error "Cloud Build does not take the build of $IMAGE in $BUILD_LOCATION."
        google_error "  $outcome"
        exit 1
      fi
      google_say "It was not; asking again (attempt $attempt of $REST_TRIES)."
    elif refused_for_identity && may_be_too_new; then
      asking=no
      pause_for_identity "$(google_outcome)"
      asking=yes
    else
      # A policy of the organization, or the few regions of some projects.
      ! google_says 'gcp[.]resourceLocations|in this region' || google_fail \
        "Cloud Build refuses the build of $IMAGE in $BUILD_LOCATION." \
        "To fix: set build_location to a location that is allowed, or existing_container_image to an image that is made elsewhere."
      google_fail "Cloud Build refuses the build of $IMAGE in $BUILD_LOCATION." \
        "To fix: repair what the message names. The caller needs roles/cloudbuild.builds.editor on $PROJECT_ID and roles/iam.serviceAccountUser on $BUILD_SERVICE_ACCOUNT; the Cloud Build API must be on."
    fi
  done
  take_build || google_fail "Cloud Build took the build of $IMAGE in $BUILD_LOCATION but gave it no id that can be asked for."
}

# Returns when the build has ended, with its state in build_status and, of a good one, the digest of the image in digest.
await_build() {
  deadline=$(($(google_seconds) + BUILD_QUEUE_SECONDS + BUILD_TIMEOUT_SECONDS + 60))
  while :; do
    google_reading '[.status // "STATUS_UNKNOWN",
      ([.results.images[] | select(.name == env.IMAGE) | .digest][0])? // "not given"] | @tsv' \
      google_get cloudbuild "$builds/$build_id" ||
      google_fail "Build $build_id cannot be watched any more."
    build_status=${GOOGLE_READ%%"$tab"*}
    digest=${GOOGLE_READ#*"$tab"}
    google_progress "Build $build_id" "$build_status"
    case $build_status in
      SUCCESS | FAILURE | INTERNAL_ERROR | TIMEOUT | CANCELLED | EXPIRED) return 0 ;;
    esac
    if [ "$(google_seconds)" -ge "$deadline" ]; then
      google_error "Build $build_id of $IMAGE is still $build_status long after its time limit; waiting ends here."
      exit 1
    fi
    google_sleep "$REST_POLL_SECONDS"
  done
}

# Whether the build failed because its account could not yet push or log, before or after its own steps.
failed_for_identity() {
  jq -e '.failureInfo.type == "PUSH_NOT_AUTHORIZED" or .failureInfo.type == "LOGGING_FAILURE"
    or .failureInfo.type != "USER_BUILD_STEP"
      and ([.steps[]? | select((.exitCode // 0) != 0 or .status == "FAILURE")] | length == 0)
      and ([.statusDetail, .failureInfo.detail] | map(. // "") | join(" ")
        | test("permission|denied|not authorized|unauthorized|service account"; "i"))' "$GOOGLE_ANSWER" >/dev/null
}

failure_text() {
  jq -r '[
      .failureInfo.detail, .statusDetail,
      (.steps[]? | select((.exitCode // 0) != 0 or .status == "FAILURE" or .status == "TIMEOUT")
        | "step \(.id // .name) ended \(.status // "?")"
          + (if .exitCode then " with exit code \(.exitCode)" else "" end))
    ] | map(select(. != null and . != "")) | reduce .[] as $text ([]; if index($text) then . else . + [$text] end)
    | if length == 0 then "Cloud Build gave no reason." else join("\n") end' "$GOOGLE_ANSWER" | sed 's/^/  /'
}

cancel_build() {
  if [ -z "$build_id" ]; then
    [ "$asking" = no ] || { [ "$GOOGLE_EXIT" -lt 128 ] && ! google_uncertain; } ||
      google_error "A build that was just being started goes on:" \
      "https://console.cloud.google.com/cloud-build/builds;region=$BUILD_LOCATION?project=$PROJECT_ID"
    return 0
  fi
  if [ "$joined" = yes ]; then
    google_error "Build $build_id goes on, because another run has started it. Log: $log_address"
    return 0
  fi
  build_by_hand="gcloud builds cancel $build_id --region=$BUILD_LOCATION --project=$PROJECT_ID"
  # The next run joins it.
  if [ "$GOOGLE_EXIT" -lt 128 ]; then
    google_error "Build $build_id goes on. Log: $log_address To end it: $build_by_hand"
    return 0
  fi
  google_try_once
  printf '{}\n' >"$GOOGLE_WORK/cancel.json"
  ! google_undo "Build $build_id goes on, because it could not be cancelled. Log: $log_address" "$build_by_hand" \
    google_post cloudbuild "$builds/$build_id:cancel" "$GOOGLE_WORK/cancel.json" ||
    google_error "Build $build_id is cancelled. Log: $log_address"
}
