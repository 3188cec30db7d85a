#!/bin/sh
# Keeps the databases that the application looks addresses up in.
#
# The image's own entrypoint ends with the first failed download, and a pod in which a container has ended gets no
# requests. This one goes on, because nobody's sign-in may depend on a download.
#
#   GEOIPUPDATE_DB_DIR   folder of the databases (required)
#   GEOIP_UPDATE_HOURS   from one update to the next (required)
#   GEOIP_TRY_SECONDS    time limit of one try (60)
#   GEOIP_RETRY_SECONDS  from a failed try to the next (900)
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
# A signal ends `wait` at once, and what runs is told too.
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
  # The server starts once there was a try, whatever came of it.
  touch "$GEOIPUPDATE_DB_DIR/.tried"
  sleep "$pause" &
  child=$!
  wait "$child"
done
