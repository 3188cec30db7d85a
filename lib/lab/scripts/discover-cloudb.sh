#!/bin/sh
# Lists the AWS instances and imports them into Migration Center, through a private folder that is removed
# on every way out.
#
#   discover-cloudb.sh            does all of it; settings: export-inventory.sh, import-inventory.sh
#   discover-cloudb.sh --check    only names the programs that are missing for it
#
# Exit codes: google-rest.sh.
set -eu

scripts=$(dirname "$0")
# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"

google_require aws curl jq sha256sum
[ "${1:-}" != --check ] || exit 0

google_start
google_on_interrupt stop_step
step=

stop_step() {
  [ -n "$step" ] || return 0
  # It has something to end and to remove as well.
  kill "$step" 2>/dev/null || :
  wait "$step" 2>/dev/null || :
}

# In the background, so that a signal is passed on at once and not when the step has ended.
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
# The import has no use for the key.
unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
run_step import-inventory.sh
