#!/bin/sh
# Runs as a job with the administrator's login, after database-client.sh: puts a restored database in the place of the
# application's. It can be killed and repeated.
#
#   clear        removes the restored database, so that a restore begins with an empty one
#   swap         the application's database becomes <name>_former, the restored one takes its name
#   drop-former  removes <name>_former
#   rename       the database and the login FROM_NAME, of another deployment, take the application's name
#
#   ACTION                                       one of these
#   DB_HOST, DB_PORT, DB_NAME, DB_ADMIN_USER, DB_ADMIN_PASSWORD   server, application's database, administrator
set -eu

export PGUSER="${DB_ADMIN_USER:-postgres}" PGPASSWORD="$DB_ADMIN_PASSWORD" PGDATABASE="${DB_ADMIN_DATABASE:-postgres}"
closed=no

before_end() {
  [ "$closed" = no ] || open_again
}

# run: statements from standard input.
run() {
  ask --set=name="$DB_NAME" --set=restored="${DB_NAME}_restored" --set=former="${DB_NAME}_former" \
    --set=from="${FROM_NAME:-}"
}

# Lets the application connect, whichever of the databases has its name now.
open_again() {
  echo "SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS true', datname) FROM pg_database WHERE datname = :'name' \\gexec" |
    run
}

await "$PGHOST" "$PGPORT"

case $ACTION in
  clear)
    former=$(echo "SELECT count(*) FROM pg_database WHERE datname = :'former'" | run)
    if [ "$former" != 0 ]; then
      fail 1 "${DB_NAME}_former is still there from the last restore; remove it with restore.sh drop-former"
    fi
    echo 'DROP DATABASE IF EXISTS :"restored" WITH (FORCE)' | run
    echo "${DB_NAME}_restored is free"
    ;;
  swap)
    found=$(echo "SELECT count(*) FROM pg_database WHERE datname = :'restored'" | run)
    [ "$found" = 1 ] || fail 1 "there is no ${DB_NAME}_restored"
    tries=0
    closed=yes
    # Sessions of the server itself are none of ours to end: those of autovacuum, common after a restore, go by themselves.
    until run <<'SQL'; do
SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS false', datname) FROM pg_database WHERE datname = :'name' \gexec
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
  WHERE datname IN (:'name', :'restored') AND usesysid IN (SELECT oid FROM pg_roles WHERE NOT rolsuper) \g /dev/null
BEGIN;
SELECT format('ALTER DATABASE %I RENAME TO %I', datname, :'former') FROM pg_database WHERE datname = :'name' \gexec
ALTER DATABASE :"restored" RENAME TO :"name";
SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS true', datname) FROM pg_database WHERE datname = :'former' \gexec
COMMIT;
SQL
      tries=$((tries + 1))
      if [ "$tries" -ge 10 ]; then
        fail 1 "$DB_NAME is in use all the time; nothing is changed"
      fi
      sleep 1
    done
    closed=no
    echo "swapped: $DB_NAME is the restored one; ${DB_NAME}_former is what it was before"
    ;;
  drop-former)
    echo 'DROP DATABASE IF EXISTS :"former" WITH (FORCE)' | run
    echo "${DB_NAME}_former is gone"
    ;;
  rename)
    found=$(echo "SELECT count(*) FROM pg_database WHERE datname IN (:'from', :'name')" | run)
    [ "$found" = 1 ] || fail 1 "there must be one of the databases $FROM_NAME and $DB_NAME, not $found"
    # Repeated after an interruption, it finds nothing left to rename. A login keeps its rights and what it owns.
    run <<'SQL'
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
  WHERE datname = :'from' AND usesysid IN (SELECT oid FROM pg_roles WHERE NOT rolsuper) \g /dev/null
BEGIN;
SELECT format('ALTER DATABASE %I RENAME TO %I', datname, :'name') FROM pg_database WHERE datname = :'from' \gexec
SELECT format('ALTER ROLE %I RENAME TO %I', rolname, :'name') FROM pg_roles WHERE rolname = :'from' \gexec
COMMIT;
SQL
    echo "renamed: $FROM_NAME is $DB_NAME now"
    ;;
  *)
    fail 2 "ACTION is $ACTION; there are clear, swap, drop-former and rename"
    ;;
esac
