#!/bin/sh
# Builds the wrapper image with Cloud Build and waits for it, unless its tag is already in Artifact Registry.
#
# The request itself contains the files of the image, so no source bucket or archive is needed. The tag depends on the
# content, so an existing tag is never built again.
#
#   PROJECT_ID              project of the build (required)
#   BUILD_LOCATION          region of the build, or global (global)
#   BUILD_SERVICE_ACCOUNT   e-mail address of the account the build runs as (required)
#   IMAGE                   <location>-docker.pkg.dev/<project>/<repository>/<name>:<tag> (required)
#   IMAGE_DIRECTORY         folder with Dockerfile and cloud-entrypoint.sh (required)
#   UPSTREAM_IMAGE          build argument: image that is wrapped, without tag (required)
#   UPSTREAM_PREFIX         build argument: prefix of the application's environment names (required)
#   IDP_VERSION             build argument: tag of the wrapped image (required)
#   APP_VERSION             build argument: version as the platform names it (required)
#   BLUEPRINTS              blueprints to put into the image, separated by blanks: own/<file> is from BLUEPRINTS_DIRECTORY,
#                           shipped/<file> from the folder blueprints of IMAGE_DIRECTORY (none)
#   BLUEPRINTS_DIRECTORY    folder with blueprints of one's own (required if BLUEPRINTS names one)
#   BUILD_TIMEOUT_SECONDS   time limit of the build itself (1200)
#   BUILD_QUEUE_SECONDS     time limit for the build to start (600)
#   BUILDER_IMAGE           image with sh, base64 and docker that runs the build (gcr.io/cloud-builders/docker)
#   IDENTITY_WAIT_SECONDS   how long to wait for a new service account or role to take effect (180)
# Settings of the calls and exit codes: google-rest.sh. An interrupted script cancels its build.
set -eu

scripts=${0%"${0##*/}"}.
# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source-path=SCRIPTDIR source=build-request.sh
. "$scripts/build-request.sh"
# shellcheck source-path=SCRIPTDIR source=build-run.sh
. "$scripts/build-run.sh"

BUILD_LOCATION=${BUILD_LOCATION:-global}
BUILD_TIMEOUT_SECONDS=${BUILD_TIMEOUT_SECONDS:-1200}
BUILD_QUEUE_SECONDS=${BUILD_QUEUE_SECONDS:-600}
BUILDER_IMAGE=${BUILDER_IMAGE:-gcr.io/cloud-builders/docker}
IDENTITY_WAIT_SECONDS=${IDENTITY_WAIT_SECONDS:-180}

# Base64 adds a third, and the whole request must stay far below Cloud Build's limit.
largest_file_bytes=65536

# Cloud Build replaces $NAME in env and images; none of these expressions lets a dollar sign through.
reference='[A-Za-z0-9][A-Za-z0-9._/:@-]*'
version='[A-Za-z0-9_][A-Za-z0-9_.-]*'
google_require base64 curl jq
google_setting PROJECT_ID '[a-z][a-z0-9.:-]*[a-z0-9]' "the id of a project, like my-project-123"
google_setting BUILD_LOCATION '[a-z0-9-]+' "a region or \"global\""
google_setting BUILD_SERVICE_ACCOUNT '[a-z0-9-]+@[a-z0-9.-]+' "the e-mail address of a service account"
google_setting IMAGE "[a-z0-9-]+-docker\\.pkg\\.dev/[a-z0-9.-]+/[a-z0-9-]+/[a-z0-9._/-]+:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}" \
  "an image of Artifact Registry with its tag, like us-central1-docker.pkg.dev/project/repository/name:tag"
google_setting IMAGE_DIRECTORY '.+' "the folder with Dockerfile and cloud-entrypoint.sh"
google_setting UPSTREAM_IMAGE "$reference" "the name of an image, like ghcr.io/owner/server"
google_setting UPSTREAM_PREFIX '[A-Z][A-Z0-9_]*' "a prefix of environment names, like IDP_"
google_setting IDP_VERSION "$version" "a release, year.month.patch"
google_setting APP_VERSION "$version" "a release, year.month.patch, or latest"
google_setting BUILDER_IMAGE "$reference" "the name of an image"
[ -z "${BLUEPRINTS:-}" ] || google_setting BLUEPRINTS '((own|shipped)/[A-Za-z0-9][A-Za-z0-9._-]*[.]yaml ?)+' \
  "files like own/groups.yaml and shipped/branding.yaml"
google_time_limit BUILD_TIMEOUT_SECONDS BUILD_QUEUE_SECONDS IDENTITY_WAIT_SECONDS

files="Dockerfile cloud-entrypoint.sh${BLUEPRINTS:+ Dockerfile.blueprints}"
for file in $files; do
  [ -n "${IMAGE_DIRECTORY:-}" ] || break
  path=$IMAGE_DIRECTORY/$file
  if [ ! -s "$path" ]; then
    google_refuse "$path is missing or empty; IMAGE_DIRECTORY must hold $files."
  elif [ "$(wc -c <"$path")" -gt "$largest_file_bytes" ]; then
    google_refuse "$path has $(($(wc -c <"$path"))) bytes; a file inside a build request may have" \
      "$largest_file_bytes. Move what makes it large into the upstream image, or run an image that exists already."
  fi
done
for blueprint in ${BLUEPRINTS:-}; do
  path=$(path_of "$blueprint")
  if [ ! -s "$path" ]; then
    google_refuse "$path is missing or empty; BLUEPRINTS names it as $blueprint. Remove it there, or restore the file."
  elif [ "$(wc -c <"$path")" -gt "$largest_file_bytes" ]; then
    google_refuse "$path has $(($(wc -c <"$path"))) bytes; a file inside a build request may have" \
      "$largest_file_bytes. Divide it."
  fi
done
google_check_settings
google_start

if [ "$BUILD_LOCATION" = global ]; then
  builds="projects/$PROJECT_ID/builds"
else
  builds="projects/$PROJECT_ID/locations/$BUILD_LOCATION/builds"
fi
tag=${IMAGE##*:}

# Exits when the tag exists already.
stop_when_present() {
  location=${IMAGE%%-docker.pkg.dev/*}
  rest=${IMAGE#*/}
  project=${rest%%/*}
  rest=${rest#*/}
  repository=${rest%%/*}
  name=${rest#*/}
  # The package is one path segment, so slashes in its name are encoded.
  package=$(printf '%s\n' "${name%:*}" | sed 's|/|%2F|g')
  if google_reading '.version // "" | split("/") | last // "unknown version"' google_get artifactregistry \
    "projects/$project/locations/$location/repositories/$repository/packages/$package/tags/$tag"; then
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

stop_when_present
write_request
google_on_failure cancel_build
while :; do
  join_build || start_build
  await_build
  [ "$build_status" != SUCCESS ] || break
  if [ "$joined" = yes ] && [ "$build_status" = CANCELLED ]; then
    google_say "The run that started build $build_id has cancelled it."
    build_id=
    continue
  fi
  if failed_for_identity && may_be_too_new; then
    reasons=$(failure_text)
    build_id=
    asking=no
    pause_for_identity "The build ended $build_status:
$reasons
"
    continue
  fi
  build_id=
  google_error "The build of $IMAGE in $BUILD_LOCATION ended $build_status after $(google_seconds) s:"
  google_error "$(failure_text)"
  google_error "  Log: $log_address"
  exit 1
done

google_say "Built $IMAGE in $(google_seconds) s."
google_say "Digest: $digest"
