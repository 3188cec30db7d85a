#!/bin/sh
# Downloads the databases in which the application looks up the location of IP addresses, and keeps them up to date.
#
# The image's own entrypoint exits at the first failed download, and a pod with an exited container receives no
# requests. This script retries instead, because sign-in must not depend on a download.
#
#   GEOIPUPDATE_DB_DIR   folder of the databases (required)
#   GEOIP_UPDATE_HOURS   hours between two updates (required)
#   GEOIP_TRY_SECONDS    time limit of one attempt (60)
#   GEOIP_RETRY_SECONDS  seconds between a failed attempt and the next one (900)
# Account, licence key and names of the databases are settings of geoipupdate itself.
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

: "${GEOIPUPDATE_DB_DIR:?}" "${GEOIP_UPDATE_HOURS:?}"

child=
# A signal interrupts `wait` at once. The process that was waited for has to be stopped as well.
trap '[ -z "$child" ] || kill "$child" 2>/dev/null; exit 0' INT TERM

while :; do
  timeout "${GEOIP_TRY_SECONDS:-60}" geoipupdate &
  child=$!
  if wait "$child"; then
    echo "geoip: the databases are up to date"
    pause=$((GEOIP_UPDATE_HOURS * 3600))
  else
    echo "geoip: no databases came; check the account and its licence key" >&2
    pause=${GEOIP_RETRY_SECONDS:-900}
  fi
  # The server waits for this file: it starts after the first attempt, even a failed one.
  touch "$GEOIPUPDATE_DB_DIR/.tried"
  sleep "$pause" &
  child=$!
  wait "$child"
done
