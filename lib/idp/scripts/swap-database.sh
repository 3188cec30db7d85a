#!/bin/sh
# Runs as a job with the administrator's login, after database-client.sh: puts a restored database in the place of the
# application's. It can be killed and repeated.
#
#   clear        removes the restored database, so that a restore begins with an empty one
#   swap         the application's database becomes <name>_former, the restored one takes its name
#   drop-former  removes <name>_former, and the restored database of a restore that failed
#   rename       the database and the login FROM_NAME, of another deployment, take the application's name
#
#   ACTION                                       one of these
#   RESTORED_ID                                  for swap: identity of the restored database, from fill-database.sh
#   DB_HOST, DB_PORT, DB_NAME, DB_ADMIN_USER, DB_ADMIN_PASSWORD   server, application's database, administrator
set -eu
[ "${1---help}" = --help ] || { echo "\"$1\" is not an option; there is --help." >&2 && exit 2; }
[ "$#" -eq 0 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit; }

export PGUSER="${DB_ADMIN_USER:-postgres}" PGPASSWORD="$DB_ADMIN_PASSWORD" PGDATABASE="${DB_ADMIN_DATABASE:-postgres}"
closed=no

before_end() {
  [ "$closed" = no ] || open_again ||
    echo "failed: $DB_NAME may be closed to connections; the job db-init opens it, and so does the next restore" >&2
}

# run: statements from standard input. A lock that somebody else holds must not take the job's time limit, whose end is a
# kill.
run() {
  { echo "SET lock_timeout = '3s';" && cat; } | ask --set=name="$DB_NAME" --set=restored="${DB_NAME}_restored" --set=former="${DB_NAME}_former" \
    --set=from="${FROM_NAME:-}" --set=id="${RESTORED_ID:-0}"
}

# Lets the application connect, whichever of the databases has its name now.
open_again() {
  closed_now=$(echo "SELECT datname FROM pg_database WHERE datname = :'name' AND NOT datallowconn" | run) || return 1
  [ -n "$closed_now" ] || return 0
  echo 'ALTER DATABASE :"name" WITH ALLOW_CONNECTIONS true' | run || return 1
  echo "$DB_NAME is open to connections again; an exchange that was stopped had closed it"
}

# end_sessions DATABASES: statements that end the sessions in them. Only who has the rights of a session's role, or
# pg_signal_backend, may end it; an administrator that is no superuser lends itself the roles and gives them back at once.
# Sessions of the server itself are none of ours to end: those of autovacuum, common after a restore, go by themselves.
end_sessions() {
  cat <<SQL
BEGIN;
SELECT DISTINCT format('GRANT %I TO CURRENT_USER', usename) FROM pg_stat_activity JOIN pg_roles ON pg_roles.oid = usesysid
  WHERE datname IN ($1) AND NOT rolsuper AND NOT pg_has_role(usesysid, 'USAGE')
    AND NOT pg_has_role('pg_signal_backend', 'USAGE') \gexec
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
  WHERE datname IN ($1) AND usesysid IN (SELECT oid FROM pg_roles WHERE NOT rolsuper) \g /dev/null
ROLLBACK;
SQL
}

await "$PGHOST" "$PGPORT"
open_again

case $ACTION in
  clear)
    former=$(echo "SELECT count(*) FROM pg_database WHERE datname = :'former'" | run)
    if [ "$former" != 0 ]; then
      fail 1 "${DB_NAME}_former is still there, the only copy of the data before the last exchange;" \
        "compare the two, and only then remove it with restore.sh drop-former"
    fi
    { end_sessions ":'restored'" && echo 'DROP DATABASE IF EXISTS :"restored"'; } | run
    echo "cleared: ${DB_NAME}_restored is free"
    ;;
  swap)
    tries=0
    closed=yes
    # By its identity: the answer to an exchange may be lost, and the name alone may be that of a database that another restore
    # has just made, and not filled yet.
    until
      place=$(echo "SELECT coalesce(min(datname), '') FROM pg_database WHERE oid = :'id'" | run) || place=unknown
      [ "$place" = "$DB_NAME" ]
    do
      case $tries/$place in
        10/unknown)
          fail 1 "whether the exchange has taken place cannot be found out: PostgreSQL does not answer;" \
            "it has if there is a ${DB_NAME}_former"
          ;;
        10/"${DB_NAME}_restored") fail 1 "$DB_NAME is in use all the time; nothing is changed" ;;
        */unknown | */"${DB_NAME}_restored") ;;
        *) fail 1 "the ${DB_NAME}_restored that this restore has filled is gone, another restore may have replaced it; nothing is changed" ;;
      esac
      tries=$((tries + 1))
      [ "$place" != unknown ] && run <<SQL && continue
SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS false', datname) FROM pg_database WHERE datname = :'name' \gexec
$(end_sessions ":'name', :'restored'")
BEGIN;
SELECT format('ALTER DATABASE %I RENAME TO %I', datname, :'former') FROM pg_database WHERE datname = :'name' \gexec
ALTER DATABASE :"restored" RENAME TO :"name";
SELECT 1 / count(*) FROM pg_database WHERE datname = :'name' AND oid = :'id' \g /dev/null
SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS true', datname) FROM pg_database WHERE datname = :'former' \gexec
COMMIT;
SQL
      sleep 1
    done
    closed=no
    # Somebody may have dropped what was to be put aside.
    former=$(echo "SELECT count(*) FROM pg_database WHERE datname = :'former'" | run) || former=unknown
    [ "$former" = 0 ] && former="there was no $DB_NAME before" || former="${DB_NAME}_former is what it was before"
    echo "exchanged: $DB_NAME is the restored one; $former"
    ;;
  drop-former)
    { end_sessions ":'former', :'restored'" && echo 'DROP DATABASE IF EXISTS :"former"; DROP DATABASE IF EXISTS :"restored"'; } | run
    echo "dropped: ${DB_NAME}_former and ${DB_NAME}_restored are gone"
    ;;
  rename)
    found=$(echo "SELECT count(*) FROM pg_database WHERE datname IN (:'from', :'name')" | run)
    [ "$found" = 1 ] || fail 1 "there must be one of the databases $FROM_NAME and $DB_NAME, not $found"
    # Repeated after an interruption, it finds nothing left to rename. A login keeps its rights and what it owns. A second one,
    # which acts as the first, is closed: db-init opens that of its deployment.
    run <<SQL
$(end_sessions ":'from'")
BEGIN;
SELECT format('ALTER DATABASE %I RENAME TO %I', datname, :'name') FROM pg_database WHERE datname = :'from' \gexec
SELECT format('ALTER ROLE %I NOLOGIN PASSWORD NULL', rolname), format('REVOKE %I FROM %I', :'from', rolname),
  format('ALTER ROLE %I RENAME TO %I', rolname, :'name' || '_b') FROM pg_roles WHERE rolname = :'from' || '_b' \gexec
SELECT format('ALTER ROLE %I RENAME TO %I', rolname, :'name') FROM pg_roles WHERE rolname = :'from' \gexec
COMMIT;
SQL
    echo "renamed: $FROM_NAME is $DB_NAME now"
    ;;
  *)
    fail 2 "ACTION is $ACTION; there are clear, swap, drop-former and rename"
    ;;
esac
