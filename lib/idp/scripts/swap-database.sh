#!/bin/sh
# Replaces the application's database by a restored one. Runs as a job with the administrator's login, after
# database-client.sh in the same text. It can be killed and repeated.
#
#   clear        replaces the restored database by a new empty one
#   swap         the application's database becomes <name>_former, the restored one takes its name
#   drop-former  removes <name>_former, and the restored database of a restore that failed
#   rename       the database and the login FROM_NAME, of another deployment, take the application's name
#
# A database that this script creates, puts aside or closes has a mark: the first line of its comment names the
# application's database. Only databases with a mark are removed or opened, because databases of these names may belong
# to somebody else. The rest of the comment, which the owner has written, is kept.
#
#   ACTION                                       one of these
#   RESTORED_ID                                  for swap: identity of the restored database, from fill-database.sh
#   DB_HOST, DB_PORT, DB_NAME, DB_ADMIN_USER, DB_ADMIN_PASSWORD   server, application's database, administrator
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

export PGUSER="${DB_ADMIN_USER:-postgres}" PGPASSWORD="$DB_ADMIN_PASSWORD" PGDATABASE="${DB_ADMIN_DATABASE:-postgres}"
closed=no

before_end() {
  [ "$closed" = no ] || open_again ||
    echo "failed: $DB_NAME may be closed to connections; the job db-init opens it, and so does the next restore" >&2
}

# run: runs the SQL on standard input, with the names as variables of psql. Waits for a lock only briefly, because a
# longer wait would use up the time limit of the job.
run() {
  { echo "SET lock_timeout = '3s';" && cat; } | ask --set=name="$DB_NAME" \
    --set=restored="${DB_NAME}_restored" --set=made="restore.sh: made for $DB_NAME" \
    --set=former="${DB_NAME}_former" --set=aside="restore.sh: former $DB_NAME" \
    --set=closed="restore.sh: closed $DB_NAME" --set=closed_from="restore.sh: closed ${FROM_NAME:-}" \
    --set=new="${DB_NAME}#restore" --set=from="${FROM_NAME:-}" --set=id="${RESTORED_ID:-0}"
}

# SQL for a row of pg_database: the first line of its comment, and the comment without a mark.
mark="coalesce(split_part(shobj_description(oid, 'pg_database'), E'\n', 1), '')"
own="nullif(regexp_replace(shobj_description(oid, 'pg_database'), '^restore[.]sh: [^\n]*\n?', ''), '')"
# SQL for a database that an earlier restore has made or put aside.
is_ours="(datname, $mark) IN ((:'restored', :'made'), (:'former', :'aside'))"

# closed_by CONDITION: statement that finds the application's database if it is closed and the condition holds.
closed_by() {
  printf '%s\n' "SELECT datname FROM pg_database WHERE datname = :'name' AND NOT datallowconn AND $1"
}

# Opens the database with the application's name if an interrupted exchange has closed it, whichever of the two it is.
open_again() {
  closed_now=$(closed_by "$mark = :'closed'" | run) || return 1
  [ -n "$closed_now" ] || return 0
  run <<SQL || return 1
BEGIN;
SELECT format('COMMENT ON DATABASE %I IS %L', datname, $own) FROM pg_database WHERE datname = :'name' \gexec
ALTER DATABASE :"name" WITH ALLOW_CONNECTIONS true;
COMMIT;
SQL
  echo "$DB_NAME is open to connections again; an exchange that was stopped had closed it"
}

# Ends the script if a database that no restore has made has a name that is needed, or would be removed.
refuse_foreign() {
  foreign=$(
    run <<SQL
SELECT string_agg(datname, ' and ' ORDER BY datname) FROM pg_database
WHERE datname IN (:'restored', :'former') AND NOT $is_ours
SQL
  )
  [ -z "$foreign" ] ||
    fail 1 "$foreign may be somebody's: it has no mark of a restore of $DB_NAME, so it stays, and nothing is changed;" \
      "rename it, or if nobody needs it, remove it with gcloud sql databases delete, and run the same command again"
}

# Ends the script if the owner has closed the application's database, which a restored one in its place would open.
refuse_closed() {
  closed_now=$(closed_by true | run)
  [ -z "$closed_now" ] ||
    fail 1 "$DB_NAME is closed to connections, and no exchange has closed it, so it stays closed; its owner opens it:" \
      "ALTER DATABASE $DB_NAME WITH ALLOW_CONNECTIONS true"
}

# drop_ours DATABASES: prints statements that remove those of the databases that earlier restores have left.
drop_ours() {
  end_sessions "SELECT datname FROM pg_database WHERE datname IN ($1) AND $is_ours"
  cat <<SQL
SELECT format('DROP DATABASE %I', datname) FROM pg_database WHERE datname IN ($1) AND $is_ours \gexec
SQL
}

# make_restored: prints statements that make an empty database. It is closed until it has its mark and name, so a killed
# run leaves an empty database with a name that nobody else gives, which the next run replaces.
make_restored() {
  cat <<'SQL'
SELECT format('DROP DATABASE %I', datname) FROM pg_database WHERE datname = :'new' AND NOT datallowconn \gexec
CREATE DATABASE :"new" TEMPLATE template0 ENCODING 'UTF8' ALLOW_CONNECTIONS false;
BEGIN;
COMMENT ON DATABASE :"new" IS :'made';
ALTER DATABASE :"new" WITH ALLOW_CONNECTIONS true;
ALTER DATABASE :"new" RENAME TO :"restored";
COMMIT;
SQL
}

# end_sessions DATABASES: prints statements that end the sessions in the databases. Ending a session needs the rights of
# its role, or pg_signal_backend: an administrator that is no superuser grants itself the roles, and revokes them at
# once. Sessions of the server itself are left alone: those of autovacuum, common after a restore, end by themselves.
end_sessions() {
  cat <<SQL
BEGIN;
SELECT DISTINCT format('GRANT %I TO CURRENT_USER', usename)
  FROM pg_stat_activity JOIN pg_roles ON pg_roles.oid = usesysid
  WHERE datname IN ($1) AND NOT rolsuper AND NOT pg_has_role(usesysid, 'USAGE')
    AND NOT pg_has_role('pg_signal_backend', 'USAGE') \gexec
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
  WHERE datname IN ($1) AND usesysid IN (SELECT oid FROM pg_roles WHERE NOT rolsuper) \g /dev/null
ROLLBACK;
SQL
}

# An exchange is tried again, once a second.
MOST_TRIES=10

# Sets restored_name to the name that the restored database has now: empty if there is no such database, unknown if
# PostgreSQL does not answer. The database is recognized by its identity: the answer to an exchange may be lost, and
# another restore may have made a database of that name which is not filled yet.
find_restored() {
  restored_name=$(echo "SELECT coalesce(min(datname), '') FROM pg_database WHERE oid = :'id'" | run) ||
    restored_name=unknown
}

# Ends the script if the exchange has not taken place and is not tried again: at once if there is no restored database,
# otherwise after MOST_TRIES.
refuse_failed_exchange() {
  case $restored_name in
    unknown)
      [ "$tries" -lt "$MOST_TRIES" ] ||
        fail 1 "whether the exchange has taken place cannot be found out: PostgreSQL does not answer;" \
          "it has if there is a ${DB_NAME}_former"
      ;;
    "${DB_NAME}_restored")
      [ "$tries" -lt "$MOST_TRIES" ] || fail 1 "$DB_NAME is in use all the time; nothing is changed"
      ;;
    *)
      fail 1 "the ${DB_NAME}_restored that this restore has filled is gone, another restore may have replaced it;" \
        "nothing is changed"
      ;;
  esac
}

# exchange_statements: prints statements that close the application's database, put it aside, and give its name to the
# restored one.
exchange_statements() {
  cat <<SQL
BEGIN;
SELECT format('COMMENT ON DATABASE %I IS %L', datname, concat_ws(E'\n', :'closed', $own)),
  format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS false', datname) FROM pg_database WHERE datname = :'name' \gexec
COMMIT;
$(end_sessions ":'name', :'restored'")
BEGIN;
COMMENT ON DATABASE :"restored" IS NULL;
SELECT format('COMMENT ON DATABASE %I IS %L', :'restored', $own),
  format('COMMENT ON DATABASE %I IS %L', datname, concat_ws(E'\n', :'aside', $own)),
  format('ALTER DATABASE %I RENAME TO %I', datname, :'former') FROM pg_database WHERE datname = :'name' \gexec
ALTER DATABASE :"restored" RENAME TO :"name";
SELECT 1 / count(*) FROM pg_database WHERE datname = :'name' AND oid = :'id' \g /dev/null
SELECT format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS true', datname)
  FROM pg_database WHERE datname = :'former' \gexec
COMMIT;
SQL
}

clear_restored() {
  refuse_foreign
  refuse_closed
  former=$(echo "SELECT count(*) FROM pg_database WHERE datname = :'former'" | run)
  if [ "$former" != 0 ]; then
    fail 1 "${DB_NAME}_former is still there, the only copy of the data before the last exchange;" \
      "compare the two, and only then remove it with restore.sh drop-former"
  fi
  { drop_ours ":'restored'" && make_restored; } | run
  echo "cleared: ${DB_NAME}_restored is empty"
}

swap_databases() {
  tries=0
  closed=yes
  find_restored
  while [ "$restored_name" != "$DB_NAME" ]; do
    refuse_failed_exchange
    tries=$((tries + 1))
    if [ "$restored_name" = unknown ] || ! exchange_statements | run; then sleep 1; fi
    find_restored
  done
  closed=no
  # There may have been no database to put aside.
  former=$(echo "SELECT count(*) FROM pg_database WHERE datname = :'former'" | run) || former=unknown
  [ "$former" = 0 ] && former="there was no $DB_NAME before" || former="${DB_NAME}_former is what it was before"
  echo "exchanged: $DB_NAME is the restored one; $former"
}

drop_former() {
  refuse_foreign
  drop_ours ":'former', :'restored'" | run
  echo "dropped: ${DB_NAME}_former and ${DB_NAME}_restored are gone"
}

rename_databases() {
  found=$(echo "SELECT count(*) FROM pg_database WHERE datname IN (:'from', :'name')" | run)
  [ "$found" = 1 ] || fail 1 "there must be one of the databases $FROM_NAME and $DB_NAME, not $found"
  # One transaction, so a repeated run finds either everything or nothing left to rename. The logins keep their rights
  # and objects, and lose the passwords of the other deployment; db-init then enables the login of this deployment.
  run <<SQL
$(end_sessions ":'from'")
BEGIN;
SELECT format('COMMENT ON DATABASE %I IS %L', datname, $own),
  format('ALTER DATABASE %I WITH ALLOW_CONNECTIONS true', datname)
  FROM pg_database WHERE datname = :'from' AND NOT datallowconn AND $mark = :'closed_from' \gexec
SELECT format('ALTER DATABASE %I RENAME TO %I', datname, :'name') FROM pg_database WHERE datname = :'from' \gexec
SELECT format('COMMENT ON ROLE %I IS NULL', rolname), format('ALTER ROLE %I NOLOGIN PASSWORD NULL', rolname)
  FROM pg_roles WHERE rolname IN (:'from', :'from' || '_b') \gexec
SELECT format('REVOKE %I FROM %I', :'from', rolname),
  format('ALTER ROLE %I RENAME TO %I', rolname, :'name' || '_b') FROM pg_roles WHERE rolname = :'from' || '_b' \gexec
SELECT format('ALTER ROLE %I RENAME TO %I', rolname, :'name') FROM pg_roles WHERE rolname = :'from' \gexec
COMMIT;
SQL
  echo "renamed: $FROM_NAME is $DB_NAME now"
}

main() {
  await "$PGHOST" "$PGPORT"
  open_again
  case $ACTION in
    clear) clear_restored ;;
    swap) swap_databases ;;
    drop-former) drop_former ;;
    rename) rename_databases ;;
    *) fail 2 "ACTION is $ACTION; there are clear, swap, drop-former and rename" ;;
  esac
}

main
