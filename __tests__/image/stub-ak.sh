#!/bin/sh
# Stands in for the application. Each start leaves the folder $STUB_RECORDS/<command>.<pid> with the process it was
# started by, its arguments and its environment byte for byte, and later the signals it got and the mark of a regular
# end. `server` and `worker` run until a signal, unless STUB_<COMMAND>_EXIT_CODE ends them at once, and then take
# STUB_<COMMAND>_STOP_SECONDS to end with STUB_<COMMAND>_STOP_CODE. With STUB_WORKER_CHILD a worker has a child that
# outlives it. `allinone` starts both of them, and ends with 1 when one has ended.
set -eu

command=${1:-none}
record=$STUB_RECORDS/$command.$$
mkdir "$record.part"
printf '%s' "$PPID" >"$record.part/parent"
[ $# -eq 0 ] || printf '%s\0' "$@" >"$record.part/arguments"
cat "/proc/$$/environ" >"$record.part/environment"

stopping=
# shellcheck disable=SC2317 # the traps call it
stop() {
  echo "$1" >>"$record/signals"
  stopping=yes
}
for signal in HUP INT QUIT TERM USR1 USR2; do
  # shellcheck disable=SC2064 # the name of now
  trap "stop $signal" "$signal"
done

case $command in
  server)
    exit_code=${STUB_SERVER_EXIT_CODE:-}
    stop_seconds=${STUB_SERVER_STOP_SECONDS:-0}
    stop_code=${STUB_SERVER_STOP_CODE:-0}
    ;;
  worker)
    exit_code=${STUB_WORKER_EXIT_CODE:-}
    stop_seconds=${STUB_WORKER_STOP_SECONDS:-0}
    stop_code=${STUB_WORKER_STOP_CODE:-0}
    if [ -n "${STUB_WORKER_CHILD:-}" ]; then
      (trap '' TERM && exec /bin/sleep 600) &
    fi
    ;;
  allinone)
    exit_code=
    stop_seconds=0
    stop_code=0
    "$0" server &
    parts=$!
    "$0" worker &
    parts="$parts $!"
    ;;
  *) exit_code=0 ;;
esac

# A reader never sees half a record, and whoever sees one can send signals.
mv "$record.part" "$record"
[ -z "$exit_code" ] || exit "$exit_code"

# The signal may come between the question and the wait, so the wait is short.
while [ -z "$stopping" ]; do
  /bin/sleep 0.1 &
  wait $! || :
  for part in ${parts:-}; do
    kill -0 "$part" 2>/dev/null || [ -n "$stopping" ] || exit 1
  done
done
# They got the same signal.
for part in ${parts:-}; do wait "$part" || :; done
# Work that has to be finished first.
/bin/sleep "$stop_seconds" || :
: >"$record/ended"
exit "$stop_code"
