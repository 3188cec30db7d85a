#!/bin/sh
# Waits until no client uses the application's database any more, and until a replica has received all its data. Runs as
# a job, after database-client.sh in the same text.
#
#   DB_HOST, DB_PORT, DB_NAME, DB_USER, DB_PASSWORD   the primary
#   SOURCE_HOST, SOURCE_PORT                         the replica; empty: there is none to wait for
#   REPLICA_SECONDS                                  time limit for each of the two (300)
#
# Exit codes: 0 no client uses the database, and the replica has all data · 1 not within the time limit
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

as_application
limit=${REPLICA_SECONDS:-300}
await "$PGHOST" "$PGPORT"
# shellcheck disable=SC2153 # both are settings of the job
[ -z "${SOURCE_HOST:-}" ] || await "$SOURCE_HOST" "$SOURCE_PORT"

# Sessions of clients. Processes of the server itself have no user.
others="SELECT count(*) FROM pg_stat_activity
  WHERE datname = current_database() AND usename IS NOT NULL AND pid <> pg_backend_pid()"
waited=0
until sessions=$(ask --command="$others") && [ "$sessions" = 0 ]; do
  [ "$waited" -lt "$limit" ] || fail 1 "$sessions session(s) still use $DB_NAME after $limit s, and may write"
  sleep 1
  waited=$((waited + 1))
done

if [ -z "${SOURCE_HOST:-}" ]; then
  echo "caught up: nobody uses $DB_NAME any more, after $waited s"
  exit 0
fi

# Commits are flushed to disk before they are sent to replicas, so the flushed position covers all of them.
position=$(ask --command='SELECT pg_current_wal_flush_lsn()')
arrived="SELECT CASE WHEN NOT pg_is_in_recovery() THEN 'none'
  ELSE (pg_last_wal_replay_lsn() >= '$position')::text END"
waited=0
while :; do
  reached=$(ask --host="$SOURCE_HOST" --port="$SOURCE_PORT" --command="$arrived") || reached=unknown
  case $reached in
    true) break ;;
    none) fail 1 "the database at $SOURCE_HOST is no replica" ;;
  esac
  [ "$waited" -lt "$limit" ] || fail 1 "the replica does not have $position after $limit s"
  sleep 1
  waited=$((waited + 1))
done
echo "caught up: the replica has everything up to $position after $waited s"
