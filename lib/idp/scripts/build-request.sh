# shellcheck shell=sh disable=SC2154 # build-image.sh sets what is read here
# Shell library of build-image.sh: the request for a build, with all files of the image in it.
#
# Reads the settings of build-image.sh, and tag. write_request leaves the request in build.json of GOOGLE_WORK.

# Prints where a blueprint is on this machine.
path_of() {
  case $1 in
    own/*) printf '%s/%s\n' "${BLUEPRINTS_DIRECTORY:-}" "${1#own/}" ;;
    *) printf '%s/blueprints/%s\n' "${IMAGE_DIRECTORY:-}" "${1#shipped/}" ;;
  esac
}

# The script that the build runs in /workspace of the builder image. Cloud Build does not substitute dollar signs in a
# script. Each file is passed in numbered parts, because the length of a variable is limited.
step_script() {
  cat <<'STEP'
#!/bin/sh
set -eu
unpack() {
  part=1
  eval "text=\${$1_BASE64_$part:-}"
  while [ -n "$text" ]; do
    printf '%s' "$text"
    part=$((part + 1))
    eval "text=\${$1_BASE64_$part:-}"
  done | base64 -d >"$2"
  chmod "$3" "$2"
}
unpack DOCKERFILE Dockerfile 0644
unpack CLOUD_ENTRYPOINT cloud-entrypoint.sh 0755
if [ -n "${BLUEPRINTS:-}" ]; then
  unpack DOCKERFILE_BLUEPRINTS Dockerfile.blueprints 0644
  cat Dockerfile.blueprints >>Dockerfile
  umask 022
  mkdir -p blueprints/own blueprints/shipped
  number=1
  for blueprint in $BLUEPRINTS; do
    unpack "BLUEPRINT_$number" "blueprints/$blueprint" 0644
    number=$((number + 1))
  done
fi
docker build \
  --build-arg "UPSTREAM_IMAGE=$UPSTREAM_IMAGE" \
  --build-arg "UPSTREAM_PREFIX=$UPSTREAM_PREFIX" \
  --build-arg "IDP_VERSION=$IDP_VERSION" \
  --build-arg "APP_VERSION=$APP_VERSION" \
  --tag "$IMAGE" .
STEP
}

# Prints the variables that hold a file, as JSON texts.
parts_of() {
  # 8000: below the 10,000 characters that Cloud Build allows for an argument, its strictest limit for a string.
  base64 <"$2" | tr -d '\r\n' | jq -R --arg name "$1" '. as $text
    | [range(0; $text | length; 8000) as $start | $text[$start:$start + 8000]]
    | to_entries[] | "\($name)_BASE64_\(.key + 1)=\(.value)"'
}

write_files() {
  parts_of DOCKERFILE "$IMAGE_DIRECTORY/Dockerfile"
  parts_of CLOUD_ENTRYPOINT "$IMAGE_DIRECTORY/cloud-entrypoint.sh"
  [ -n "${BLUEPRINTS:-}" ] || return 0
  jq -n '"BLUEPRINTS=" + env.BLUEPRINTS'
  parts_of DOCKERFILE_BLUEPRINTS "$IMAGE_DIRECTORY/Dockerfile.blueprints"
  number=1
  for blueprint in $BLUEPRINTS; do
    parts_of "BLUEPRINT_$number" "$(path_of "$blueprint")"
    number=$((number + 1))
  done
}

write_request() {
  write_files >"$GOOGLE_WORK/files"
  step_script >"$GOOGLE_WORK/script"
  # Contents go through files: all users of the machine can read the arguments of a process.
  jq -n --slurpfile files "$GOOGLE_WORK/files" \
    --rawfile script "$GOOGLE_WORK/script" --arg builder "$BUILDER_IMAGE" --arg image "$IMAGE" --arg tag "$tag" \
    --arg upstream "$UPSTREAM_IMAGE" --arg prefix "$UPSTREAM_PREFIX" --arg idp "$IDP_VERSION" --arg app "$APP_VERSION" \
    --arg account "projects/$PROJECT_ID/serviceAccounts/$BUILD_SERVICE_ACCOUNT" \
    --arg timeout "${BUILD_TIMEOUT_SECONDS}s" --arg queue "${BUILD_QUEUE_SECONDS}s" '
    {
      steps: [{
        id: "build",
        name: $builder,
        env: ([
          "IMAGE=" + $image,
          "UPSTREAM_IMAGE=" + $upstream,
          "UPSTREAM_PREFIX=" + $prefix,
          "IDP_VERSION=" + $idp,
          "APP_VERSION=" + $app
        ] + $files),
        script: $script
      }],
      images: [$image],
      serviceAccount: $account,
      options: { logging: "CLOUD_LOGGING_ONLY" },
      timeout: $timeout,
      queueTtl: $queue,
      tags: ["idp-image", $tag]
    }' >"$GOOGLE_WORK/build.json"
}
