#!/bin/sh
# Records that a restore drill has passed: prints a line of JSON for the log, and writes the time into the comment of
# the application's database, where check-up.sql reads it. Runs as a job with the administrator's login, after
# database-client.sh in the same text. It can be repeated and killed.
#
# The comment of the database is the only place: the comments of the roles tell which password is current, and a custom
# setting by ALTER DATABASE needs a superuser. Text that the owner has written into the comment is kept. During an
# exchange of databases, the first line is the mark of swap-database.sh, which must not change, so nothing is written
# then. An exchange keeps the record.
#
#   DB_HOST, DB_PORT, DB_NAME, DB_ADMIN_USER, DB_ADMIN_PASSWORD   server, application's database, administrator
#   DRILL_INSTANCE        name of the instance that was cloned
#   DRILL_AS_OF           time as of which it was cloned
#   DRILL_USERS           users that were counted in the clone
#   DRILL_CLONE_SECONDS   time until the clone could be read
#   DRILL_SECONDS         time until it was deleted
#
# Exit codes: 0 done · 1 the database refuses it · 2 settings are wrong
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

for number in "$DRILL_USERS" "$DRILL_CLONE_SECONDS" "$DRILL_SECONDS"; do
  case $number in '' | *[!0-9]*) fail 2 "a setting DRILL_... is \"$number\", no whole number" ;; esac
done
# Both become part of a line of JSON.
case $DRILL_INSTANCE$DRILL_AS_OF in
  *[!A-Za-z0-9:-]*) fail 2 "DRILL_INSTANCE or DRILL_AS_OF has a character that neither has" ;;
esac

export PGUSER="${DB_ADMIN_USER:-postgres}" PGPASSWORD="$DB_ADMIN_PASSWORD" PGDATABASE="${DB_ADMIN_DATABASE:-postgres}"
await "$PGHOST" "$PGPORT"

# record: writes the comment, and prints the time. Fails while the database is closed by an exchange. The last check
# also notices an exchange that begins meanwhile, because PostgreSQL makes changes of one comment one after the other.
record() {
  ask --set=name="$DB_NAME" <<'SQL'
SET lock_timeout = '3s'; SET statement_timeout = '30s'; SET default_transaction_read_only = off;
BEGIN;
SELECT to_char(now() AT TIME ZONE 'UTC', '"restore-drill: passed "YYYY-MM-DD"T"HH24:MI:SS"Z"') AS line \gset
SELECT format('COMMENT ON DATABASE %I IS %L', datname, concat_ws(E'\n', nullif(ltrim(regexp_replace(
    shobj_description(oid, 'pg_database'), '(^|\n)restore-drill: passed [^\n]*', '', 'g'), E'\n'), ''), :'line'))
  FROM pg_database WHERE datname = :'name' AND datallowconn \gexec
SELECT 1 / count(*) FROM pg_database
  WHERE datname = :'name' AND datallowconn
    AND right(shobj_description(oid, 'pg_database'), length(:'line')) = :'line' \g /dev/null
COMMIT;
SELECT replace(:'line', 'restore-drill: passed ', '');
SQL
}

tries=0
until passed_at=$(record); do
  tries=$((tries + 1))
  [ "$tries" -lt 10 ] ||
    fail 1 "the comment of the database $DB_NAME cannot be written; the reason is above:" \
      "a division by zero means that it is" \
      "closed to connections, or gone"
  sleep 3
done
printf '{"message":"restore-drill: passed","instance":"%s","users":%s,"as_of":"%s","clone_seconds":%s,"seconds":%s}\n' \
  "$DRILL_INSTANCE" "$DRILL_USERS" "$DRILL_AS_OF" "$DRILL_CLONE_SECONDS" "$DRILL_SECONDS"
# The caller waits for this line. It is plain text, because Cloud Logging stores a line of JSON in another field.
echo "recorded: $passed_at"
