# shellcheck shell=sh disable=SC2034 # google-rest.sh reads what is set here
# Shell library of assessment-cleanup.sh: the note at the end of a destroy, which must neither delay nor fail it.
#
# To be sourced after cleanup-scope.sh. Reads the settings of assessment-cleanup.sh, whose check_settings it calls.

# look_for_note: prints the ids of the lab's sources on one line, and the output of shared_sources.
look_for_note() {
  google_require curl jq
  check_settings
  google_start
  # A note must not delay a destroy.
  google_try_once
  REST_CONNECT_SECONDS=3 REST_CALL_SECONDS=5 REST_TOKEN_SECONDS=5
  find_own_sources >&2
  jq -r '[.sources[].name | split("/") | last] | join(", ")' "$GOOGLE_WORK/scope.json"
  shared_sources
}

say_note() {
  # The note may be read in a folder other than Terraform's.
  script=$(cd "${0%"${0##*/}"}." && pwd)/${0##*/}
  script=$(printf '%s\n' "$script" | sed "s/'/'\\\\''/g; s/^/'/; s/\$/'/")
  set +e
  facts=$(set -e && look_for_note 2>/dev/null)
  looked=$?
  set -e
  whose="the discovery source ${SOURCE_ID:-}, which other labs may use too,"
  shared=
  if [ "$looked" -eq 0 ]; then
    whose=$(printf '%s\n' "$facts" | sed 1q)
    shared=$(printf '%s\n' "$facts" | sed 1d | tr '\n' ' ')
    if [ -z "$whose" ]; then
      google_say "The assessment service has no source of this lab in project $PROJECT_ID, region $REGION. Groups, preference" \
        "sets and reports stay, if there are any."
      return 0
    fi
    whose="the sources $whose,"
  fi
  google_say "The assessment service keeps what was not made by Terraform in project ${PROJECT_ID:-}, region ${REGION:-}:" \
    "$whose their import jobs and assets, and groups, preference sets and reports. ${shared}To remove them:" \
    "PROJECT_ID=${PROJECT_ID:-} REGION=${REGION:-} SOURCE_ID=${SOURCE_ID:-}${DEPLOYMENT_ID:+ DEPLOYMENT_ID=$DEPLOYMENT_ID} sh $script"
}
