#!/bin/sh
# Stands in for the application. Each start leaves the folder $STUB_RECORDS/<command>.<pid> with the process it was
# started by, its arguments and its environment byte for byte, and later the signals it got and the mark of a regular
# end. `server` and `worker` run until SIGTERM, unless STUB_<COMMAND>_EXIT_CODE ends them at once.
set -eu

command=${1:-none}
record=$STUB_RECORDS/$command.$$
mkdir "$record.part"
printf '%s' "$PPID" >"$record.part/parent"
[ $# -eq 0 ] || printf '%s\0' "$@" >"$record.part/arguments"
cat "/proc/$$/environ" >"$record.part/environment"

stopping=
stop() {
  echo TERM >>"$record/signals"
  stopping=yes
}
trap stop TERM
# A reader never sees half a record, and whoever sees one can send signals.
mv "$record.part" "$record"

case $command in
  server) exit_code=${STUB_SERVER_EXIT_CODE:-} ;;
  worker) exit_code=${STUB_WORKER_EXIT_CODE:-} ;;
  *) exit_code=0 ;;
esac
[ -z "$exit_code" ] || exit "$exit_code"

# The signal may come between the question and the wait, so the wait is short.
while [ -z "$stopping" ]; do
  /bin/sleep 0.1 &
  wait $! || :
done

# Work that has to be finished first.
if [ "$command" = worker ]; then
  /bin/sleep "${STUB_WORKER_STOP_SECONDS:-0}" || :
else
  tries_left=100
  while [ -n "${STUB_SERVER_STOPS_LAST:-}" ] && [ "$tries_left" -gt 0 ]; do
    for ended in "$STUB_RECORDS"/worker.*/ended; do
      [ ! -e "$ended" ] || tries_left=0
    done
    [ "$tries_left" -eq 0 ] || /bin/sleep 0.02
    tries_left=$((tries_left - 1))
  done
fi
: >"$record/ended"
