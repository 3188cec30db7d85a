#!/bin/sh
# Builds the wrapper image with Cloud Build and waits for it, unless its tag is already in Artifact Registry.
#
# The request itself contains the files of the image, so no source bucket or archive is needed. The tag depends on the
# content, so an existing tag is never built again.
#
#   PROJECT_ID              project of the build (required)
#   BUILD_LOCATION          region of the build, or global (global)
#   BUILD_POOL              private pool that builds, in its own location, projects/<p>/locations/<l>/workerPools/<w>
#                           (none)
#   BUILD_SERVICE_ACCOUNT   e-mail address of the account the build runs as (required)
#   IMAGE                   <location>-docker.pkg.dev/<project>/<repository>/<name>:<tag> (required)
#   COPY_OF                 image to copy to IMAGE instead of building it, for which the rest is not needed (none)
#   IMAGE_DIRECTORY         folder with Dockerfile, cloud-entrypoint.sh and what belongs to it (required)
#   BUILDER_IMAGE           image with sh, base64 and docker that runs the build (required)
#   TOOLS_IMAGE             build argument: image of Debian, for the entrypoint's programs (required)
#   UPSTREAM_IMAGE          build argument: image that is wrapped, without tag (required)
#   UPSTREAM_PREFIX         build argument: prefix of the application's environment names (required)
#   IDP_VERSION             build argument: tag of the wrapped image, also with its digest as <tag>@sha256:<digest>
#                           (required)
#   APP_VERSION             build argument: version as the platform names it (required)
#   UPGRADE_EDGES           releases that an upgrade must not skip, JSON as in releases.ts ([])
#   BLUEPRINTS              blueprints to put into the image, separated by blanks: own/<file> is from
#                           BLUEPRINTS_DIRECTORY, shipped/<file> from the folder blueprints of IMAGE_DIRECTORY (none)
#   BLUEPRINTS_DIRECTORY    folder with blueprints of one's own (required if BLUEPRINTS names one)
#   BUILD_TIMEOUT_SECONDS   time limit of the build itself (1200)
#   BUILD_QUEUE_SECONDS     time limit for the build to start (600)
#   IDENTITY_WAIT_SECONDS   how long to wait for a new service account or role to take effect (180)
# Settings of the calls and exit codes: google-rest.sh. An interrupted script cancels its build.
set -eu

# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"

BUILD_LOCATION=${BUILD_LOCATION:-global}
BUILD_TIMEOUT_SECONDS=${BUILD_TIMEOUT_SECONDS:-1200}
BUILD_QUEUE_SECONDS=${BUILD_QUEUE_SECONDS:-600}
IDENTITY_WAIT_SECONDS=${IDENTITY_WAIT_SECONDS:-180}

# Base64 adds a third, and the whole request must stay far below Cloud Build's limit.
largest_file_bytes=65536

# Cloud Build replaces $NAME in env and images; none of these expressions lets a dollar sign through.
reference='[A-Za-z0-9][A-Za-z0-9._/:@-]*'
version='[A-Za-z0-9_][A-Za-z0-9_.-]*(@sha256:[0-9a-f]{64})?'
tab=$(printf '\t')
build_id='' log_address='' identity_tries=0
# "yes" when another run has requested this build: an interrupted run then does not cancel it.
joined=no

# Sets mode to build or copy, and what depends on it: variables and files for the build, and step_script to the function
# that prints its script.
choose_mode() {
  if [ -n "${COPY_OF:-}" ]; then
    mode=copy step_script=copy_step
    variables="IMAGE COPY_OF" files=''
  else
    mode=build step_script=build_step
    variables="IMAGE TOOLS_IMAGE UPSTREAM_IMAGE UPSTREAM_PREFIX IDP_VERSION APP_VERSION"
    files="Dockerfile cloud-entrypoint.sh connection-pool.sh watch-worker.py"
    files="$files${BLUEPRINTS:+ Dockerfile.blueprints $BLUEPRINTS}"
  fi
}

check_settings() {
  google_require base64
  google_setting BUILD_LOCATION '[a-z0-9-]+' "a region or \"global\""
  google_option BUILD_POOL 'projects/[a-z0-9.:-]+/locations/[a-z0-9-]+/workerPools/[a-z0-9-]+' \
    "a private pool, projects/<project>/locations/<location>/workerPools/<name>"
  google_setting BUILD_SERVICE_ACCOUNT '[a-z0-9-]+@[a-z0-9.-]+' "the e-mail address of a service account"
  google_setting IMAGE \
    "[a-z0-9-]+-docker\\.pkg\\.dev/[a-z0-9.-]+/[a-z0-9-]+/[a-z0-9._/-]+:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}" \
    "an image of Artifact Registry with its tag, like us-central1-docker.pkg.dev/project/repository/name:tag"
  google_setting BUILDER_IMAGE "$reference" "the name of an image"
  google_option COPY_OF "$reference" "the name of an image"
  if [ "$mode" = build ]; then
    google_setting IMAGE_DIRECTORY '.+' "the folder with Dockerfile and cloud-entrypoint.sh"
    google_setting TOOLS_IMAGE "$reference" "the name of an image"
    google_setting UPSTREAM_IMAGE "$reference" "the name of an image, like ghcr.io/owner/server"
    google_setting UPSTREAM_PREFIX '[A-Z][A-Z0-9_]*' "a prefix of environment names, like IDP_"
    google_setting IDP_VERSION "$version" "a release, year.month.patch, with or without @sha256: and a digest"
    google_setting APP_VERSION "$version" \
      "a release, year.month.patch, with or without @sha256: and a digest, or latest"
    google_option BLUEPRINTS '((own|shipped)/[A-Za-z0-9][A-Za-z0-9._-]*[.]yaml ?)+' \
      "files like own/groups.yaml and shipped/branding.yaml"
  fi
  google_time_limit BUILD_TIMEOUT_SECONDS BUILD_QUEUE_SECONDS IDENTITY_WAIT_SECONDS
}

# path_of FILE: prints where a file of the image is on this machine.
path_of() {
  case $1 in
    own/*) printf '%s/%s\n' "${BLUEPRINTS_DIRECTORY:-}" "${1#own/}" ;;
    shipped/*) printf '%s/blueprints/%s\n' "${IMAGE_DIRECTORY:-}" "${1#shipped/}" ;;
    *) printf '%s/%s\n' "${IMAGE_DIRECTORY:-}" "$1" ;;
  esac
}

# Refuses files that a request cannot contain.
check_files() {
  for file in $files; do
    path=$(path_of "$file")
    if [ ! -s "$path" ]; then
      case $file in
        */*)
          google_refuse "$path is missing or empty; BLUEPRINTS names it as $file." \
            "Remove it there, or restore the file."
          ;;
        *)
          google_refuse "$path is missing or empty; IMAGE_DIRECTORY must be the folder image as it was synthesized." \
            "Restore the file."
          ;;
      esac
    elif [ "$(wc -c <"$path")" -gt "$largest_file_bytes" ]; then
      google_refuse "$path has $(($(wc -c <"$path"))) bytes;" \
        "a file inside a build request may have $largest_file_bytes." \
        "Divide it, move what makes it large into the upstream image, or run an image that exists already."
    fi
  done
}

# Sets where builds, and the tags of the image, are found.
find_resources() {
  if [ -n "${BUILD_POOL:-}" ]; then
    BUILD_LOCATION=${BUILD_POOL#*/locations/}
    BUILD_LOCATION=${BUILD_LOCATION%%/*}
  fi
  builds="projects/$PROJECT_ID/locations/$BUILD_LOCATION/builds"
  [ "$BUILD_LOCATION" != global ] || builds="projects/$PROJECT_ID/builds"
  tag=${IMAGE##*:}
  # LOCATION-docker.pkg.dev/PROJECT/REPOSITORY/PACKAGE:TAG; a package may have slashes.
  image_path=${IMAGE#*/}
  package_path=${image_path#*/*/}
  image_path=${image_path%"/$package_path"}
  repository="projects/${image_path%/*}/locations/${IMAGE%%-docker.pkg.dev/*}/repositories/${image_path#*/}"
  # In an address, a package is one segment, so its slashes are encoded.
  package=$(printf '%s\n' "${package_path%:*}" | sed 's|/|%2F|g')
  tags="$repository/packages/$package/tags"
}

# Exits when the tag exists already.
stop_when_present() {
  if google_reading '.version // "" | split("/") | last // "unknown version"' \
    google_get artifactregistry "$tags/$tag"; then
    google_say "$IMAGE is already there ($GOOGLE_READ): nothing to build."
    exit 0
  fi
  case $GOOGLE_STATUS in
    404) ;;
    # An account that may build need not be able to read the registry; building the same content again is harmless.
    403) google_say "Whether $IMAGE exists cannot be seen, so it is built. $(google_outcome)" ;;
    *) google_fail "Whether $IMAGE exists cannot be found out." ;;
  esac
}

# Refuses a release that the newest one built here cannot be upgraded to. Terraform cannot: a plan does not know the
# former value of what it changes. If the images cannot be listed, the build goes on.
refuse_skipping() {
  google_pages artifactregistry "$tags" tags pageSize=1000 "$GOOGLE_WORK/tags" || return 0
  skipped=$(jq -rs --argjson edges "${UPGRADE_EDGES:-[]}" --arg target "${IDP_VERSION%@*}" '
    def release: [scan("[0-9]+") | tonumber];
    def line: release[:2];
    [.[].name | split("/") | last | select(test("^20[0-9]{2}[.][0-9]+[.][0-9]+-")) | split("-")[0]]
    | max_by(release) as $built
    | select($built) | first($edges[] | select(($target | line) >= (.to | line) and ($built | line) < (.from | line)))
    | "The newest release that was built here is \($built); \($target) cannot be reached from it, "
      + "because otherwise \(.otherwise). To fix: set application_version to \(.from), "
      + "apply and wait until it runs, then set it to \($target)."' \
    "$GOOGLE_WORK/tags") || google_refuse "UPGRADE_EDGES must be a list as in releases.ts."
  [ -z "$skipped" ] || google_stop "$skipped"
}

# The scripts that a build runs in /workspace of the builder image. Cloud Build does not substitute dollar signs in a
# script.
copy_step() {
  cat <<'STEP'
#!/bin/sh
set -eu
docker pull "$COPY_OF"
docker tag "$COPY_OF" "$IMAGE"
STEP
}

# Each file is passed in numbered parts, because the length of a variable is limited.
build_step() {
  cat <<'STEP'
#!/bin/sh
set -eu
umask 022
mkdir -p blueprints/own blueprints/shipped
number=1
for file in $FILES; do
  case $file in
    */*) file=blueprints/$file ;;
  esac
  part=1
  while eval "text=\${FILE_${number}_BASE64_$part:-}" && [ -n "$text" ]; do
    printf '%s' "$text"
    part=$((part + 1))
  done | base64 -d >"$file"
  number=$((number + 1))
done
[ ! -e Dockerfile.blueprints ] || cat Dockerfile.blueprints >>Dockerfile
docker build \
  --build-arg "TOOLS_IMAGE=$TOOLS_IMAGE" \
  --build-arg "UPSTREAM_IMAGE=$UPSTREAM_IMAGE" \
  --build-arg "UPSTREAM_PREFIX=$UPSTREAM_PREFIX" \
  --build-arg "IDP_VERSION=$IDP_VERSION" \
  --build-arg "APP_VERSION=$APP_VERSION" \
  --tag "$IMAGE" .
STEP
}

# write_files: prints the variables that name and hold the files, as JSON texts.
write_files() {
  jq -n --arg files "$files" '"FILES=" + $files'
  number=1
  for file in $files; do
    # 8000: below the 10,000 characters that Cloud Build allows for an argument, its strictest limit for a string.
    base64 <"$(path_of "$file")" | tr -d '\r\n' | jq -R --arg number "$number" '. as $text
      | [range(0; $text | length; 8000) as $start | $text[$start:$start + 8000]]
      | to_entries[] | "FILE_\($number)_BASE64_\(.key + 1)=\(.value)"'
    number=$((number + 1))
  done
}

write_request() {
  : >"$GOOGLE_WORK/files"
  [ -z "$files" ] || write_files >"$GOOGLE_WORK/files"
  "$step_script" >"$GOOGLE_WORK/script"
  # Contents go through files: all users of the machine can read the arguments of a process.
  jq -n --arg variables "$variables" --arg tag "$tag" \
    --slurpfile files "$GOOGLE_WORK/files" --rawfile script "$GOOGLE_WORK/script" \
    --arg account "projects/$PROJECT_ID/serviceAccounts/$BUILD_SERVICE_ACCOUNT" \
    --arg timeout "${BUILD_TIMEOUT_SECONDS}s" --arg queue "${BUILD_QUEUE_SECONDS}s" '
    {
      steps: [{
        id: "build",
        name: env.BUILDER_IMAGE,
        env: (($variables | split(" ") | map("\(.)=\(env[.])")) + $files),
        script: $script
      }],
      images: [env.IMAGE],
      serviceAccount: $account,
      options: ({ logging: "CLOUD_LOGGING_ONLY" }
        + if (env.BUILD_POOL // "") == "" then {} else { pool: { name: env.BUILD_POOL } } end),
      timeout: $timeout,
      queueTtl: $queue,
      tags: ["idp-image", $tag]
    }' >"$GOOGLE_WORK/build.json"
}

# Filter of jq for take_build: id and log of a build.
id_and_log='[(.id | strings) // "", .logUrl // "not given"] | @tsv'

# Watches the build of which the last response has given id and log; returns 1 when it has given none.
take_build() {
  ! google_is_unsafe "${GOOGLE_READ%%"$tab"*}" || return 1
  build_id=${GOOGLE_READ%%"$tab"*}
  log_address=${GOOGLE_READ#*"$tab"}
  google_say "Build $build_id of $IMAGE is under way; log: $log_address"
}

# pause_for_identity REASON: waits, because a new account or role takes a minute or two to become effective everywhere.
# Returns 1 after IDENTITY_WAIT_SECONDS.
pause_for_identity() {
  [ "$(google_seconds)" -lt "$IDENTITY_WAIT_SECONDS" ] || return 1
  identity_tries=$((identity_tries + 1))
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

# Joins a running build of this image, if there is one: a concurrent apply has requested it, or a request of this run
# whose response was lost. If builds cannot be listed, the request for a build reports why.
join_build() {
  joined=no
  google_listed 'first(.[] | select(.images == [env.IMAGE])
    | select(.status == "PENDING" or .status == "QUEUED" or .status == "WORKING")) | '"$id_and_log" \
    cloudbuild "$builds" builds "pageSize=20&filter=tags%3D%22$tag%22" && take_build || return 1
  joined=yes
}

start_build() {
  attempt=1
  until join_build; do
    if google_reading ".metadata.build | $id_and_log" google_create cloudbuild "$builds" "$GOOGLE_WORK/build.json"; then
      take_build ||
        google_fail "Cloud Build took the build of $IMAGE in $BUILD_LOCATION but gave it no id that can be asked for."
      return 0
    elif google_uncertain && [ "$attempt" -lt "$REST_TRIES" ]; then
      google_say "$(google_outcome) Looking whether the build was started nevertheless."
      google_sleep "$(google_doubled "$REST_RETRY_BASE_SECONDS" "$attempt")"
      attempt=$((attempt + 1))
    elif ! refused_for_identity || ! pause_for_identity "$(google_outcome)"; then
      remedy="To fix: repair what the message names. The caller needs roles/cloudbuild.builds.editor on $PROJECT_ID"
      remedy="$remedy and roles/iam.serviceAccountUser on $BUILD_SERVICE_ACCOUNT; the Cloud Build API must be on."
      # A policy of the organization, or the few regions of some projects.
      if google_says 'gcp[.]resourceLocations|in this region'; then
        remedy="To fix: set build.location to a location that is allowed,"
        remedy="$remedy or existing_container_image to an image that is made elsewhere."
      fi
      google_fail "Cloud Build refuses the build of $IMAGE in $BUILD_LOCATION." "$remedy"
    fi
  done
}

# Returns when the build has ended, with its state in build_status and, of a good one, the digest of the image in
# digest.
await_build() {
  deadline=$(($(google_seconds) + BUILD_QUEUE_SECONDS + BUILD_TIMEOUT_SECONDS + 60))
  while :; do
    google_reading '[.status // "STATUS_UNKNOWN",
      ([.results.images[] | select(.name == env.IMAGE) | .digest][0])? // "not given"] | @tsv' \
      google_get cloudbuild "$builds/$build_id" ||
      google_fail "Build $build_id cannot be watched any more."
    build_status=${GOOGLE_READ%%"$tab"*}
    digest=${GOOGLE_READ#*"$tab"}
    case $build_status in
      SUCCESS | FAILURE | INTERNAL_ERROR | TIMEOUT | CANCELLED | EXPIRED)
        google_progress "Build $build_id" "$build_status"
        return 0
        ;;
    esac
    google_pause "$deadline" "Build $build_id" "$build_status" ||
      google_stop "Build $build_id of $IMAGE is still $build_status long after its time limit; waiting ends here."
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
  [ -n "$build_id" ] || return 0
  build_by_hand="gcloud builds cancel $build_id --region=$BUILD_LOCATION --project=$PROJECT_ID"
  # The next run joins it.
  if [ "$joined" = yes ] || [ "$GOOGLE_EXIT" -lt 128 ]; then
    google_error "Build $build_id goes on. Log: $log_address To end it: $build_by_hand"
    return 0
  fi
  REST_TRIES=1
  printf '{}\n' >"$GOOGLE_WORK/cancel.json"
  ! google_undo "Build $build_id goes on, because it could not be cancelled. Log: $log_address" "$build_by_hand" \
    google_post cloudbuild "$builds/$build_id:cancel" "$GOOGLE_WORK/cancel.json" ||
    google_error "Build $build_id is cancelled. Log: $log_address"
}

# Builds until a build succeeds, or fails for another reason than an account or role that is new.
build_image() {
  while :; do
    start_build
    await_build
    [ "$build_status" != SUCCESS ] || return 0
    ended=$build_id
    build_id=
    if [ "$joined" = yes ] && [ "$build_status" = CANCELLED ]; then
      google_say "The run that started build $ended has cancelled it."
    elif ! failed_for_identity || ! pause_for_identity "The build ended $build_status:
$(failure_text)
"; then
      google_stop "The build of $IMAGE in $BUILD_LOCATION ended $build_status after $(google_seconds) s:
$(failure_text)" "Log: $log_address"
    fi
  done
}

main() {
  choose_mode
  check_settings
  check_files
  google_start
  find_resources
  stop_when_present
  [ "$mode" = copy ] || refuse_skipping
  write_request
  google_on_failure cancel_build
  build_image
  google_say "Built $IMAGE in $(google_seconds) s."
  google_say "Digest: $digest"
}

main
