# shellcheck shell=sh disable=SC2034,SC2154 # part of db-init.sh, which sets and reads the rest
# The last check: whether the application can sign in and create tables.
#
# Reads DB_NAME, DB_USER and DB_PASSWORD, and answer of connection.sh.

# Signs in as the application does. What is only unusual is reported, as it may be intended.
#
# The table's name has no schema, because the application does not name one either.
check_sign_in() {
  place="the last check"
  say "last check: sign in as $DB_USER and create a table in $DB_NAME"
  if wait_for sign_in; then
    [ -z "$answer" ] || say "$answer"
    return
  fi
  problem=${answer##*ERROR:}
  [ "$problem" != "$answer" ] || fail 1 "$DB_USER cannot sign in to $DB_NAME: $(first_line "$answer")"
  printf '%s' "${answer%ERROR:*}"
  fail 1 "$DB_USER cannot use $DB_NAME: $(first_line "ERROR:$problem"); settings of the database or of a superuser" \
    "are left alone, whoever made them can take them back"
}

sign_in() {
  PGUSER=$DB_USER
  PGPASSWORD=$DB_PASSWORD
  query "$DB_NAME" <<'SQL'
SELECT 'db_init_check_' || pg_backend_pid() AS probe \gset
SELECT format('settings in force for %s in %s: %s', current_user, current_database(),
              string_agg(format('%s=%s (%s)', name, current_setting(name), source), ', ' ORDER BY name))
FROM pg_settings WHERE source IN ('global', 'database', 'user', 'database user') HAVING count(*) > 0;
SELECT format('new tables of %s go to the schema %s, not to public', current_user, current_schema())
WHERE current_schema() <> 'public';
SELECT format('tables in public that %s cannot change, because others own them: %s', current_user,
              string_agg(relname, ', ' ORDER BY relname))
FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S', 'v', 'm') AND NOT pg_has_role(relowner, 'USAGE')
  AND NOT EXISTS (SELECT FROM pg_depend
                  WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
HAVING count(*) > 0;
SELECT format('every login of this server can connect to %1$s, because the administrator may not change that; its owner '
              '%2$s can: REVOKE ALL ON DATABASE %1$I FROM PUBLIC', datname, datdba::regrole)
FROM pg_database WHERE datname = current_database() AND has_database_privilege('public', datname, 'CONNECT');
BEGIN;
CREATE TABLE :"probe" (id bigserial PRIMARY KEY);
DROP TABLE :"probe";
ROLLBACK;
SQL
}
