#!/bin/sh
# Restores a dump, or a copy of another database, into an empty database as the application's role. Runs as a job, after
# database-client.sh in the same text. A restore is one transaction, so the script can be killed and repeated.
#
#   DB_HOST, DB_PORT, DB_NAME, DB_USER, DB_PASSWORD   the empty database
#   DUMP_FILE                                        path of a dump with its .sha256 beside it, or
#   SOURCE_HOST, SOURCE_PORT, SOURCE_NAME            database of the same role to copy
#
# Exit codes: 0 done, 1 failed, 2 the target is not empty, 3 the dump is damaged
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

as_application

# SQL for the number of objects that a new database does not have; those of extensions count, too.
contents="SELECT
  (SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
  + (SELECT count(*) FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
    WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema')
  + (SELECT count(*) FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('information_schema', 'public'))
  + (SELECT count(*) FROM pg_largeobject_metadata)"

# The identity of a database, which changes if somebody drops it and creates it again.
identity="SELECT oid FROM pg_database WHERE datname = current_database()"

await "$PGHOST" "$PGPORT"
begun=$(ask --command="$identity")
found=$(ask --command="$contents")
[ "$found" = 0 ] || fail 2 "the database $DB_NAME is not empty ($found objects); nothing is changed"

restore() {
  # Owners and privileges are those of the role that restores.
  pg_restore --no-owner --no-privileges --exit-on-error --single-transaction --no-password --dbname="$DB_NAME" "$@"
}

if [ -n "${DUMP_FILE:-}" ]; then
  [ -f "$DUMP_FILE" ] || fail 3 "there is no $DUMP_FILE"
  [ -f "$DUMP_FILE.sha256" ] || fail 3 "there is no $DUMP_FILE.sha256, so the dump is not whole"
  echo "checking $DUMP_FILE"
  actual=$(sha256sum "$DUMP_FILE")
  # While the newest dump is being replaced, the file has two checksums.
  grep -q "^${actual%% *} " "$DUMP_FILE.sha256" || fail 3 "the checksum of $DUMP_FILE is wrong"
  # Reads the whole file: its list of contents could be read even if the rest was damaged.
  pg_restore --file=/dev/null "$DUMP_FILE" || fail 3 "$DUMP_FILE cannot be read"
  echo "restoring $DUMP_FILE into $DB_NAME"
  restore "$DUMP_FILE" || fail 1 "the dump could not be restored; the application's database is as it was"
else
  await "$SOURCE_HOST" "$SOURCE_PORT"
  echo "copying $SOURCE_NAME into $DB_NAME"
  # A pipeline returns the exit code of its last program only, so each program reports its success on descriptor 3.
  codes=$({
    { pg_dump --format=custom --compress=0 --no-password --host="$SOURCE_HOST" --port="$SOURCE_PORT" \
      --dbname="$SOURCE_NAME" && echo dumped >&3; } | { restore >&2 && echo restored >&3; }
  } 3>&1) || :
  case $codes in
    *dumped*restored* | *restored*dumped*) ;;
    *) fail 1 "the database could not be copied; the application's database is as it was" ;;
  esac
fi
ask --command="SET client_min_messages = error; ANALYZE"
# In one session, so that the number of users and the identity are of the same database.
ended=$(
  ask <<SQL
SELECT to_regclass('authentik_core_user') IS NULL AS is_empty \gset
\if :is_empty
SELECT 'none in database ' || ($identity);
\else
SELECT count(*) || ' in database ' || ($identity) FROM authentik_core_user;
\endif
SQL
)
[ "${ended##* }" = "$begun" ] ||
  fail 1 "another restore has made a new $DB_NAME meanwhile; one of the two can go on at a time"
echo "users: $ended"
