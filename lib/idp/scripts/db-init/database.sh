# shellcheck shell=sh disable=SC2154 # part of db-init.sh, which sets what is read here
# Step 3: the application's database, and what its role may do there.
#
# Reads DB_NAME, DB_USER, DB_ADMIN_USER and DB_ADMIN_DATABASE.

# Owned by the administrator, who cannot act as the application role. template0 allows any encoding and has no sessions
# that would block the copy.
create_database() {
  announce 3 "create the database $DB_NAME if it is missing and grant its privileges to $DB_USER"
  encoding=$(
    locked_query "$DB_ADMIN_DATABASE" <<'SQL'
SELECT NOT EXISTS (SELECT FROM pg_database WHERE datname = :'database') AS database_missing \gset
\if :database_missing
CREATE DATABASE :"database" TEMPLATE template0 ENCODING 'UTF8';
\endif
SELECT EXISTS (SELECT FROM pg_database WHERE datname = :'database' AND NOT datallowconn) AS database_closed \gset
\if :database_closed
ALTER DATABASE :"database" WITH ALLOW_CONNECTIONS true;
\warn :database is open to connections again; an exchange that was stopped had closed it
\endif
SELECT pg_encoding_to_char(encoding) FROM pg_database WHERE datname = :'database';
SQL
  ) || fail 1 "the database $DB_NAME could not be created; the reason is above"
  [ "$encoding" = UTF8 ] ||
    fail 1 "the database $DB_NAME exists with the encoding $encoding, the application needs UTF8;" \
      "move its content to a new UTF8 database or choose another name"
}

# By default every login of the server may connect, read the names of tables and hold the lock that migrations wait for.
#
# A GRANT without the right to grant is only a warning, so the resulting privileges are checked.
grant_privileges() {
  missing_privileges=$(
    locked_query "$DB_NAME" <<'SQL'
GRANT ALL ON DATABASE :"database" TO :"role";
GRANT ALL ON SCHEMA public TO :"role";
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
SELECT string_agg(format('%s on the %s of %s', privilege, object, owner), ', ')
FROM pg_database AS this
CROSS JOIN pg_namespace AS public_schema
CROSS JOIN LATERAL (
  SELECT 'database ' || datname, privilege, datdba::regrole::text,
         has_database_privilege(:'role'::name, datname, privilege)
  FROM unnest(ARRAY['CONNECT', 'CREATE', 'TEMPORARY']) AS privilege
  UNION ALL
  SELECT 'schema public', privilege,
         CASE nspowner WHEN 'pg_database_owner'::regrole THEN datdba ELSE nspowner END::regrole::text,
         has_schema_privilege(:'role'::name, 'public'::text, privilege)
  FROM unnest(ARRAY['CREATE', 'USAGE']) AS privilege
) AS wanted (object, privilege, owner, granted)
WHERE datname = current_database() AND nspname = 'public' AND NOT granted;
SQL
  ) || fail 1 "the privileges on the database $DB_NAME could not be granted; the reason is above"
  [ -z "$missing_privileges" ] ||
    fail 1 "the role $DB_USER still lacks $missing_privileges: $DB_ADMIN_USER may not grant it; let the owner grant it," \
      "make $DB_ADMIN_USER the owner or choose another database name"
}
