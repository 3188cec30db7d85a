#!/bin/sh
# Runs as a job: counts the users in the application's database and fails if there are none.
set -eu

finish() {
  code=$?
  [ -z "${DB_PROXY_QUIT_URL:-}" ] || timeout -s KILL 4 wget -q -O /dev/null --post-data= "$DB_PROXY_QUIT_URL" || :
  exit "$code"
}
trap finish EXIT

export PGHOST="$DB_HOST" PGPORT="${DB_PORT:-5432}" PGUSER="$DB_USER" PGPASSWORD="$DB_PASSWORD" PGDATABASE="$DB_NAME"
export PGCONNECT_TIMEOUT=10 PGSSLMODE="${PGSSLMODE:-disable}"
tries=0
until pg_isready --quiet; do
  tries=$((tries + 1))
  [ "$tries" -lt 60 ] || { echo "failed: PostgreSQL at $DB_HOST did not answer" >&2 && exit 1; }
  sleep 1
done
users=$(psql --no-psqlrc --no-password --quiet --no-align --tuples-only --set=ON_ERROR_STOP=1 \
  --command='SELECT count(*) FROM authentik_core_user')
echo "users: $users"
[ "$users" -gt 0 ] || { echo "failed: the database has no user" >&2 && exit 1; }
