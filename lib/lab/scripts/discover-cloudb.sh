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
google_on_interrupt stop_step
step=

stop_step() {
  [ -n "$step" ] || return 0
  # The step has its own processes to stop and files to remove.
  kill "$step" 2>/dev/null || :
  wait "$step" 2>/dev/null || :
}

# In the background, so that a signal is passed on at once and not when the step ends.
run_step() {
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
