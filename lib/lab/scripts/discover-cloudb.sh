#!/bin/sh
# Lists the AWS instances and imports them into Migration Center, through a private folder that is always removed.
#
#   discover-cloudb.sh            does both; settings: export-inventory.sh, import-inventory.sh
#   discover-cloudb.sh --check    only lists missing programs
#
# Exit codes: google-rest.sh.
set -eu

scripts=${0%"${0##*/}"}.
# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"

google_require aws curl jq sha256sum
[ "${1:-}" != --check ] || exit 0

google_start
google_on_failure stop_step
step=

stop_step() {
  [ -n "$step" ] || return 0
  [ "$step" != latest ] || step=${!:-}
  # The step has its own processes to stop and files to remove. A step that has just been forked still has the traps of
  # this script, which lose the signal, so it is sent until the step has ended.
  while kill "$step" 2>/dev/null; do
    google_sleep 0.1
  done
}

# In the background, so that a signal is passed on at once and not when the step ends.
run_step() {
  step=latest
  sh "$scripts/$1" &
  step=$!
  status=0
  wait "$step" || status=$?
  step=
  [ "$status" -eq 0 ] || exit "$status"
}

INVENTORY_FOLDER=$GOOGLE_WORK/inventory
export INVENTORY_FOLDER
mkdir "$INVENTORY_FOLDER"

run_step export-inventory.sh
# The import does not need the key.
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
run_step import-inventory.sh
