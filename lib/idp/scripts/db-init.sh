#!/bin/sh
# Prepares PostgreSQL for the application: role, database, privileges. It can be repeated, killed, and run twice at the
# same time.
#
# A password can change while the application runs: two logins act as one role, and the login that is not in use gets
# the next password. Once no session uses the former login, retire-login.sh disables it.
#
# On an instance that others manage, an existing login keeps its settings, except for the password. On any instance, a
# database that its owner has closed to connections stays closed.
#
# Environment
#   DB_HOST                     socket directory or address of the database
#   DB_PORT                     default 5432; for a socket directory it selects the socket file
#   DB_NAME                     application database
#   DB_USER                     application's login
#   DB_PASSWORD                 its password
#   DB_OWNER                    role that it acts as and that owns everything, default DB_USER
#   DB_OTHER_USER               the other login; empty: there is only one
#   DB_PASSWORD_VERSION         number of the password; empty: none, and no other login
#   DB_CLOSE_OTHER              default false; true disables the other login at once, because a restore has enabled it
#   DB_INSTANCE_OWNER           who manages the instance: deployment (default) or others
#   DB_ADMIN_USER               administrator's login, default postgres; it owns the database. If it is DB_USER, the
#                               script only checks the rights
#   DB_ADMIN_PASSWORD           its password
#   DB_ADMIN_DATABASE           database it connects to first, default postgres
#   DB_MANAGED_SUPERUSER_ROLE   granted to the application role where it exists; empty: nothing to grant or revoke
#   DB_GRANT_MANAGED_SUPERUSER  default true; false revokes that role instead
#   DB_REVOKE_PUBLIC_CONNECT    default true: PUBLIC loses its rights on the database; false leaves them alone
#   DB_WAIT_SECONDS             how long to wait for the database, default 300
#   DB_PROXY_QUIT_URL           receives a POST when this script ends, whatever the outcome; empty: no proxy to stop
#   PGSSLMODE                   default disable for a socket directory or loopback, else require
#
# Exit codes
#   0 done · 1 a step was refused by the database · 2 settings are wrong · 3 database not reachable in time
#   4 login refused · 129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM
set -eu
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

# Messages of psql are compared below, and their language depends on the locale.
export LC_ALL=C

: "${DB_HOST:=}" "${DB_NAME:=}" "${DB_USER:=}" "${DB_PASSWORD:=}" "${DB_ADMIN_PASSWORD:=}" "${DB_PROXY_QUIT_URL:=}"
: "${DB_PORT:=5432}" "${DB_ADMIN_USER:=postgres}" "${DB_ADMIN_DATABASE:=postgres}" "${DB_WAIT_SECONDS:=300}"
: "${DB_OWNER:=$DB_USER}" "${DB_OTHER_USER:=}" "${DB_PASSWORD_VERSION:=}"
: "${DB_CLOSE_OTHER:=false}" "${DB_INSTANCE_OWNER:=deployment}"
: "${DB_MANAGED_SUPERUSER_ROLE:=}" "${DB_GRANT_MANAGED_SUPERUSER:=true}" "${DB_REVOKE_PUBLIC_CONNECT:=true}"

newline='
'
carriage_return=$(printf '\r')
place="step 0 of 5"
# The remedy for a role that this script may not change. A role that is its own administrator was created by others.
remedy='' work=prepare DB_PREPARES=true
[ "$DB_INSTANCE_OWNER" = deployment ] || remedy="; its owner can mend that"
case $DB_ADMIN_USER/$DB_ADMIN_PASSWORD in
  "$DB_USER/$DB_PASSWORD")
    work=check_rights DB_PREPARES=false DB_ADMIN_DATABASE=$DB_NAME remedy="; its owner can mend that"
    ;;
esac

say() { printf '%s\n' "$*"; }

announce() { place="step $1 of 5" && say "$place: $2"; }

fail() {
  exit_code=$1 && shift
  printf 'failed in %s: %s\n' "$place" "$*" >&2
  exit "$exit_code"
}

# Reports all problems of the settings together, and ends the script.
check_settings() {
  problems='' value=''
  require_text DB_HOST
  require_name_of_its_own
  require_login_of_its_own
  require_text DB_PASSWORD
  require_text DB_OWNER
  [ -z "$DB_OTHER_USER" ] || require_text DB_OTHER_USER
  case $DB_PASSWORD_VERSION in
    *[!0-9]*) add_problem "DB_PASSWORD_VERSION must be a whole number, got \"$DB_PASSWORD_VERSION\"" ;;
  esac
  require_text DB_ADMIN_USER
  require_text DB_ADMIN_PASSWORD
  require_text DB_ADMIN_DATABASE
  [ -z "$DB_MANAGED_SUPERUSER_ROLE" ] || require_text DB_MANAGED_SUPERUSER_ROLE
  require_flag DB_GRANT_MANAGED_SUPERUSER
  require_flag DB_REVOKE_PUBLIC_CONNECT
  require_flag DB_CLOSE_OTHER
  require_one_of DB_INSTANCE_OWNER deployment others
  [ -z "$problems" ] || { printf 'cannot start: %s\n' "$problems" >&2 && exit 2; }
}

add_problem() { problems="${problems:+$problems; }$*"; }

require_name_of_its_own() {
  case $DB_NAME in
    pgbouncer)
      add_problem "DB_NAME is $DB_NAME, which is the connection pool's name for itself, so nothing could reach the" \
        "database through it; choose another name"
      ;;
    postgres | template0 | template1)
      add_problem "DB_NAME is $DB_NAME, which every login and every new database depends on;" \
        "the application needs one of its own"
      ;;
    *) require_text DB_NAME ;;
  esac
}

require_login_of_its_own() {
  if [ "$DB_USER" != "$DB_ADMIN_USER" ]; then
    require_text DB_USER
  elif [ "$DB_PREPARES" = true ]; then
    add_problem "DB_USER is the administrator's own login, whose password and rights must stay as they are"
  fi
}

# require_text NAME: refuses an empty value and a line break, because psql reads one line per answer.
require_text() {
  eval "value=\$$1"
  case $value in
    '') add_problem "$1 is missing or empty" ;;
    *"$newline"* | *"$carriage_return"*) add_problem "$1 contains a line break" ;;
  esac
}

require_flag() {
  eval "value=\$$1"
  case $value in
    *"$newline"* | *"$carriage_return"*) require_text "$1" ;;
    *) require_one_of "$1" true false ;;
  esac
}

# require_one_of NAME WORD WORD
require_one_of() {
  eval "value=\$$1"
  case $value in
    "$2" | "$3") ;;
    *) add_problem "$1 must be $2 or $3, got \"$value\"" ;;
  esac
}

# query DATABASE: runs the SQL on standard input.
#
# The name goes through the environment, because -d takes "a=b" and "postgres://…" for connection settings. In a session
# of its own, psql finds no terminal, so \password reads its answers from standard input.
query() {
  PGDATABASE=$1 setsid psql --no-psqlrc --no-password --quiet --no-align --tuples-only --set ON_ERROR_STOP=1
}

# locked_query DATABASE: like query, with the names as variables of psql, and with a lock, so that concurrent runs take
# turns. An advisory lock belongs to one database: every step takes the lock again, and changes only objects that all
# runs change with the lock of the same database.
#
# An empty search path keeps functions that the application has created from running with the administrator's rights.
# The other settings override those of the administrator's login, which are meant for interactive use.
locked_query() {
  {
    cat <<'SQL'
\getenv database DB_NAME
\getenv managed_superuser DB_MANAGED_SUPERUSER_ROLE
\getenv grants DB_GRANT_MANAGED_SUPERUSER
\getenv revokes_public DB_REVOKE_PUBLIC_CONNECT
\getenv login DB_USER
\getenv role DB_OWNER
\getenv other DB_OTHER_USER
\getenv version DB_PASSWORD_VERSION
\getenv prepares DB_PREPARES
\getenv closes_other DB_CLOSE_OTHER
\getenv instance_owner DB_INSTANCE_OWNER
SET search_path = '';
SET lock_timeout = '60s'; SET statement_timeout = '120s'; SET default_transaction_read_only = off;
SELECT 1 AS lock_held FROM pg_advisory_lock(hashtextextended('db-init', 0)) \gset
SQL
    cat
  } | query "$1"
}

wait_until_reachable() {
  announce 1 "wait until PostgreSQL answers at $DB_HOST port $DB_PORT (at most $DB_WAIT_SECONDS s)"
  wait_for greet || case $answer in
    *"password authentication failed"*)
      fail 4 "PostgreSQL refuses the password of $DB_ADMIN_USER; DB_ADMIN_PASSWORD must be its current password"
      ;;
    *) fail 4 "PostgreSQL refuses the login $DB_ADMIN_USER: $(first_line "$answer")" ;;
  esac
}

greet() { query "$DB_ADMIN_DATABASE" </dev/null; }

# wait_for COMMAND: repeats a command while the server cannot be reached or is busy, or a table has just been dropped,
# and sets `answer` to its output. Returns 1 after an error that a retry would not change.
wait_for() {
  started_at=$(date +%s)
  told_reason=
  until answer=$("$1" 2>&1); do
    case $answer in
      *"system is starting up"* | *"system is shutting down"* | *"in recovery mode"* | \
        *"not yet accepting connections"* | *"too many clients"* | *"connection slots are reserved"* | \
        *"too many connections for "*) ;;
      # A running instance has dropped a table that ANALYZE had listed.
      *"ERROR:  relation with OID "*" does not exist"*) ;;
      *FATAL:* | *ERROR:*) return 1 ;;
      *sslmode* | *certificate* | *"private key"* | *"_protocol_version value"* | *"not support SSL"*)
        fail 2 "the connection cannot be encrypted as PGSSLMODE=$PGSSLMODE and the other TLS settings ask for:" \
          "$(first_line "$answer"); correct what the message names"
        ;;
    esac
    reason=$(first_line "$answer")
    waited_seconds=$(($(date +%s) - started_at))
    [ "$waited_seconds" -lt "$DB_WAIT_SECONDS" ] ||
      fail 3 "PostgreSQL at $DB_HOST port $DB_PORT was not ready within $DB_WAIT_SECONDS s: $reason"
    [ "$reason" = "$told_reason" ] ||
      say "waiting for PostgreSQL, $waited_seconds of $DB_WAIT_SECONDS s are over: $reason"
    told_reason=$reason
    sleep 1
  done
}

first_line() {
  line=${1#psql: error: }
  say "${line%%"$newline"*}"
}

# Refuses a role that is a group, before anything is changed. A role whose only member is the administrator is not a
# group if it is a login, because an administrator joins it to restore the application's objects; nor if the membership
# has ADMIN OPTION, which role_statements gives, because restore.sh renames such a login and disables it.
refuse_group() {
  members=$(
    locked_query "$DB_ADMIN_DATABASE" <<'SQL'
SELECT string_agg(member.rolname, ', ' ORDER BY member.rolname)
FROM pg_auth_members AS membership
JOIN pg_roles AS granted ON granted.oid = membership.roleid
JOIN pg_roles AS member ON member.oid = membership.member
WHERE granted.rolname = :'role' AND member.rolname NOT IN (:'login', :'other')
  AND (to_jsonb(membership) ->> 'inherit_option' = 'true'
     OR to_jsonb(membership) ->> 'set_option' = 'true') IS NOT FALSE
HAVING bool_or(member.rolname <> current_user
  OR NOT granted.rolcanlogin AND :'other' = '' AND NOT membership.admin_option);
SQL
  ) || fail 1 "the members of the role $DB_OWNER cannot be read; the reason is above"
  [ -z "$members" ] ||
    fail 2 "the application's role $DB_OWNER is a group with the members: $members," \
      "who would share the application's rights;" \
      "choose another name, take the members out with REVOKE, or after a rotation set database_passwords.version again"
}

# Refuses to change the password of a login that has open sessions. The comment of a login names the version of its
# password.
refuse_password_in_use() {
  in_use=$(
    locked_query "$DB_ADMIN_DATABASE" <<'SQL'
SELECT current
FROM pg_roles, coalesce(substring(shobj_description(oid, 'pg_authid') FROM 'password version (\d+)'), '1') AS current
WHERE rolname = :'login' AND rolcanlogin AND :'version' <> '' AND NOT :'closes_other'
  AND EXISTS (SELECT FROM pg_stat_activity WHERE usesysid = pg_roles.oid);
SQL
  ) || fail 1 "the password of $DB_USER cannot be judged; the reason is above"
  # The password can differ although the version is the same: a version that was set back and raised has a new value.
  if [ "${in_use:-$DB_PASSWORD_VERSION}" != "$DB_PASSWORD_VERSION" ] ||
    { [ -n "$in_use" ] &&
      (PGUSER=$DB_USER PGPASSWORD=$DB_PASSWORD && greet 2>&1) | grep -q "authentication failed"; }; then
    fail 2 "$DB_USER is in use with the password version $in_use, and another password would lock out what runs;" \
      "set database_passwords.version one higher or lower than $in_use, and go on from there in later applies"
  fi
}

# role_statements: prints the statements that create or correct the role and its login, followed by the password.
#
# \password sets the password. It prompts twice, and reads the two lines that follow. It sends only the salted hash, in
# the form that the server requires, so the password reaches no server log, statement statistics or error message.
#
# Of two logins, the first owns all objects, and the second takes on the role of the first when it signs in. The second
# login does not inherit rights: a session that has lost the role fails, instead of creating objects that the second
# login would own. The comment of a login says whether it is the current one, and since when, so that retire-login.sh
# disables no login that has become current again.
#
# Settings of the role, such as read-only mode or another search path, can break the application. The role serves the
# application alone, so its settings are reset, except those that only a superuser may reset. Settings of the database,
# and of a login on an instance that others manage, may be intended: the last check reports them.
#
# From PostgreSQL 16 on, changing a role takes ADMIN OPTION on it, which an upgrade of the server gives to nobody. So
# the administrator gets it before, if the deployment manages the instance.
#
# A restored instance has the logins and passwords of its backup. Only the password that is stored now may open the
# database, whichever login this run uses, so DB_CLOSE_OTHER disables the other login and ends the sessions of both.
role_statements() {
  cat <<'SQL'
SET client_min_messages = error;
BEGIN;
SELECT count(*) FILTER (WHERE rolname = :'login') = 0 AS login_missing,
       count(*) FILTER (WHERE rolname = :'role') = 0 AS role_missing,
       :'login' <> :'role' AS acts_as_role, :'version' <> '' AS has_version,
       current_setting('server_version_num')::int < 160000 AND :'instance_owner' <> 'others' AS prepares_upgrade,
       count(*) FILTER (WHERE rolname = :'login') = 0 OR :'instance_owner' <> 'others' AS sets_login,
       :'closes_other' AND count(*) FILTER (WHERE rolname = :'other') > 0 AS closes,
       :'closes_other' AND count(*) FILTER (WHERE rolname = :'other' AND rolname <> :'role') > 0 AS revokes
FROM pg_roles \gset
\if :login_missing
CREATE ROLE :"login";
\endif
\if :sets_login
ALTER ROLE :"login" WITH LOGIN INHERIT NOCREATEDB NOCREATEROLE CONNECTION LIMIT -1 VALID UNTIL 'infinity';
ALTER ROLE :"login" RESET ALL;
\endif
\if :acts_as_role
\if :role_missing
CREATE ROLE :"role";
\endif
ALTER ROLE :"login" WITH NOINHERIT;
GRANT :"role" TO :"login";
ALTER ROLE :"login" SET role = :'role';
\endif
\if :prepares_upgrade
GRANT :"login", :"role" TO CURRENT_USER WITH ADMIN OPTION;
\endif
\if :has_version
SELECT format('COMMENT ON ROLE %I IS %L', rolname, CASE rolname
  WHEN :'login' THEN format('password version %s, current since %s', :'version', clock_timestamp())
  ELSE format('password version %s, former', coalesce(substring(said FROM 'password version (\d+)'), '1')) END)
FROM pg_roles, coalesce(shobj_description(oid, 'pg_authid'), '') AS said
WHERE rolname = :'login' AND said NOT LIKE format('password version %s, current %%', :'version')
  OR rolname = :'other' AND said NOT LIKE '%, former' \gexec
\endif
\if :revokes
REVOKE :"role" FROM :"other";
\endif
\if :closes
ALTER ROLE :"other" NOLOGIN PASSWORD NULL;
\endif
\if :closes_other
SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
WHERE usename IN (:'login', :'other') AND pg_has_role('pg_signal_backend', 'USAGE') \g /dev/null
\endif
\password :"login"
SQL
  printf '%s\n' "$DB_PASSWORD" "$DB_PASSWORD" 'COMMIT;'
}

# From PostgreSQL 16 on, an administrator may change only roles that it has created; it is a member of these, without
# their rights. A role that others have created, or that an upgrade has brought, stays unchanged: the last check shows
# whether the application can use it.
create_or_update_role() {
  announce 2 "create or update the role $DB_USER"
  refuse_group
  refuse_password_in_use
  messages=$(role_statements | locked_query "$DB_ADMIN_DATABASE" 2>&1) || case $messages in
    *"permission denied to alter role"*)
      say "the role $DB_USER stays as it is: others have made it, or an upgrade has brought it," \
        "so $DB_ADMIN_USER may not change it"
      remedy="; $DB_ADMIN_USER may not change this role: give it the stored password with gcloud sql users set-password"
      ;;
    *"permission denied to grant role"*)
      fail 1 "$DB_ADMIN_USER may not grant $DB_OWNER, because others made that role, or an upgrade brought it;" \
        "set database_passwords.version back, or let a role that may hand $DB_OWNER on" \
        "run GRANT $DB_OWNER TO $DB_ADMIN_USER WITH ADMIN OPTION"
      ;;
    *) fail 1 "the role $DB_USER could not be created or updated: ${messages##*Enter it again: }" ;;
  esac
  [ "$DB_CLOSE_OTHER" = false ] || [ -z "$DB_OTHER_USER" ] || check_other_is_closed
}

check_other_is_closed() {
  open=$(
    locked_query "$DB_ADMIN_DATABASE" <<'SQL'
SELECT rolname FROM pg_roles WHERE rolname = :'other' AND rolcanlogin;
SQL
  ) || fail 1 "whether $DB_OTHER_USER is closed cannot be read; the reason is above"
  [ -z "$open" ] ||
    fail 1 "$DB_OTHER_USER can still sign in with the password of the backup, and $DB_ADMIN_USER may not close it:" \
      "give it a password that nobody knows with gcloud sql users set-password"
}

# Creates the database, which belongs to the administrator, because the administrator cannot act as the application's
# role. template0 allows any encoding, and has no sessions that would block the copy.
create_database() {
  announce 3 "create the database $DB_NAME if it is missing and grant its privileges to $DB_OWNER"
  encoding=$(
    locked_query "$DB_ADMIN_DATABASE" <<'SQL'
SELECT count(*) = 0 AS database_missing,
  count(*) FILTER (WHERE NOT datallowconn AND said ~ '^restore[.]sh: closed ') > 0 AS closed_by_restore
FROM pg_database, coalesce(shobj_description(oid, 'pg_database'), '') AS said WHERE datname = :'database' \gset
\if :database_missing
CREATE DATABASE :"database" TEMPLATE template0 ENCODING 'UTF8';
\endif
\if :closed_by_restore
BEGIN;
SELECT format('COMMENT ON DATABASE %I IS %L', datname,
              nullif(regexp_replace(shobj_description(oid, 'pg_database'), '^[^\n]*\n?', ''), ''))
FROM pg_database WHERE datname = :'database' \gexec
ALTER DATABASE :"database" WITH ALLOW_CONNECTIONS true;
COMMIT;
\warn :database is open to connections again; an exchange that was stopped had closed it
\endif
SELECT CASE WHEN datallowconn THEN pg_encoding_to_char(encoding) ELSE 'closed' END
FROM pg_database WHERE datname = :'database';
SQL
  ) || fail 1 "the database $DB_NAME could not be created; the reason is above"
  [ "$encoding" != closed ] ||
    fail 1 "the database $DB_NAME is closed to connections, and no restore has closed it, so it stays closed;" \
      "its owner opens it: ALTER DATABASE $DB_NAME WITH ALLOW_CONNECTIONS true"
  [ "$encoding" = UTF8 ] ||
    fail 1 "the database $DB_NAME exists with the encoding $encoding, the application needs UTF8;" \
      "move its content to a new UTF8 database or choose another name"
}

# Gives the role its privileges, and revokes those of PUBLIC: by default, every login of the server may connect, read
# the names of tables, and hold the lock that migrations wait for. A GRANT by somebody who may not grant is only a
# warning, so the resulting privileges are checked.
grant_privileges() {
  missing_privileges=$({
    [ -n "$remedy" ] || echo 'ALTER ROLE :"login" IN DATABASE :"database" RESET ALL;'
    cat <<'SQL'
\if :prepares
GRANT ALL ON DATABASE :"database" TO :"role";
GRANT ALL ON SCHEMA public TO :"role";
-- PostgreSQL checks this right on the login itself, before the login acts as the owner.
GRANT CONNECT ON DATABASE :"database" TO :"login";
\if :revokes_public
REVOKE ALL ON DATABASE :"database" FROM PUBLIC;
\endif
\endif
SELECT string_agg(format('%s on the %s of %s', privilege, object, owner), ', ')
FROM pg_database, pg_namespace, LATERAL (
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
  } | locked_query "$DB_NAME") ||
    fail 1 "the privileges on the database $DB_NAME could not be granted; the reason is above"
  [ -z "$missing_privileges" ] ||
    fail 1 "the role $DB_OWNER still lacks $missing_privileges: $DB_ADMIN_USER may not grant it;" \
      "let the owner grant it, make $DB_ADMIN_USER the owner or choose another database name"
}

# The contract requires this grant by default. It makes the application as powerful as the administrator: its role can
# run SET ROLE cloudsqlsuperuser, change the administrator's password, and read and change every other database. An
# attacker who takes over the application takes over the instance, so an instance with the grant should serve one
# application only.
grant_managed_superuser() {
  [ -n "$DB_MANAGED_SUPERUSER_ROLE" ] ||
    { announce 4 "no managed-superuser role to grant (DB_MANAGED_SUPERUSER_ROLE is empty), skipped" && return; }
  set -- grant to
  [ "$DB_GRANT_MANAGED_SUPERUSER" = true ] || set -- revoke from
  announce 4 "$1 $DB_MANAGED_SUPERUSER_ROLE $2 $DB_OWNER"
  # From PostgreSQL 16 on, GRANT and REVOKE take ADMIN OPTION on the role, and REVOKE ends only the administrator's own
  # grant. The application's extensions work without the grant. Only a managed service has such a role.
  outcome=$(
    locked_query "$DB_ADMIN_DATABASE" <<'SQL' 2>&1
SET client_min_messages = error;
SELECT count(*) = 0 AS is_absent, coalesce(bool_or(:'grants' AND NOT is_member), false) AS to_grant,
       coalesce(bool_or(is_member AND NOT :'grants'), false) AS to_revoke
FROM (SELECT pg_has_role(:'role'::name, oid, 'MEMBER') AS is_member FROM pg_roles
      WHERE rolname = :'managed_superuser') AS found \gset
\if :is_absent
\echo the role :managed_superuser does not exist on this server, nothing to do
\elif :to_grant
GRANT :"managed_superuser" TO :"role";
\elif :to_revoke
\set ON_ERROR_STOP off
REVOKE :"managed_superuser" FROM :"role";
SELECT format('%1$s is still a member of %2$s; %3$s, who granted it, can end that: REVOKE %2$s FROM %1$I', rolname,
              roleid::regrole, grantor::regrole) FROM pg_auth_members JOIN pg_roles ON pg_roles.oid = member
WHERE rolname = :'role' AND pg_has_role(roleid, :'managed_superuser'::name, 'MEMBER');
\endif
SQL
  ) || case $outcome in
    *"permission denied to grant role"*)
      outcome="$DB_ADMIN_USER may not grant $DB_MANAGED_SUPERUSER_ROLE on this server, nothing granted"
      ;;
    *) fail 1 "could not $1 $DB_MANAGED_SUPERUSER_ROLE $2 $DB_OWNER: $outcome" ;;
  esac
  [ -z "$outcome" ] || say "$outcome"
}

prepare() {
  wait_until_reachable
  create_or_update_role
  create_database
  grant_privileges
  grant_managed_superuser
}

check_rights() {
  wait_until_reachable
  announce 3 "check the rights of $DB_USER on $DB_NAME, which others have made"
  grant_privileges
}

# Signs in as the application does, and creates a table. Its name has no schema, because the application names none
# either. Unusual settings are only reported, because they may be intended.
#
# ANALYZE is for the time after an upgrade of the server, which leaves the planner without statistics: PostgreSQL
# collects none until tables change.
check_sign_in() {
  place="the last check"
  say "last check: sign in as $DB_USER and create a table in $DB_NAME"
  if wait_for sign_in; then
    [ -z "$answer" ] || say "$answer"
    return
  fi
  problem=${answer##*ERROR:}
  [ "$problem" != "$answer" ] || fail 1 "$DB_USER cannot sign in to $DB_NAME: $(first_line "$answer")$remedy"
  printf '%s' "${answer%ERROR:*}"
  fail 1 "$DB_USER cannot use $DB_NAME: $(first_line "ERROR:$problem"); settings of the database or of a superuser" \
    "are left alone, whoever made them can take them back"
}

sign_in() {
  PGUSER=$DB_USER PGPASSWORD=$DB_PASSWORD
  query "$DB_NAME" <<'SQL'
\getenv revokes_public DB_REVOKE_PUBLIC_CONNECT
\getenv role DB_OWNER
SELECT set_config('db_init.role', :'role', false) \g /dev/null
DO $$ BEGIN
  IF current_setting('db_init.role') NOT IN (current_user, session_user) THEN
    RAISE '% acts as %, and not as %', session_user, current_user, current_setting('db_init.role');
  END IF;
END $$;
SELECT 'db_init_check_' || pg_backend_pid() AS probe \gset
SELECT format('settings in force for %s in %s: %s', current_user, current_database(),
              string_agg(format('%s=%s (%s)', name, current_setting(name), source), ', ' ORDER BY name))
FROM pg_settings WHERE source IN ('global', 'database', 'user', 'database user') AND name <> 'role' HAVING count(*) > 0;
SELECT format('tables in public that %s cannot change, because others own them: %s', current_user,
              string_agg(relname, ', ' ORDER BY relname))
FROM pg_class
WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p', 'S', 'v', 'm')
  AND NOT pg_has_role(relowner, 'USAGE')
  AND NOT EXISTS (SELECT FROM pg_depend
                  WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e')
HAVING count(*) > 0;
SELECT format('every login of this server can connect to %1$s, because the administrator may not change that; '
              'its owner %2$s can: REVOKE ALL ON DATABASE %1$I FROM PUBLIC', datname, datdba::regrole)
FROM pg_database
WHERE datname = current_database() AND :'revokes_public' AND has_database_privilege('public', oid, 'CONNECT');
BEGIN;
CREATE TABLE :"probe" (id bigserial PRIMARY KEY);
DROP TABLE :"probe";
ROLLBACK;
SELECT count(*) = 0 AS has_no_statistics FROM pg_stats WHERE schemaname = 'public' \gset
\if :has_no_statistics
SET client_min_messages = error; SET lock_timeout = '60s';
ANALYZE;
\endif
SQL
}

# Runs however the script ends, because the job ends only when its proxy does. A proxy that cannot be reached does not
# change the exit code: the work on the database is done. The time limit is below the container's grace period.
tell_proxy_to_quit() {
  [ -n "$DB_PROXY_QUIT_URL" ] || return 0
  reason=$(
    # The database proxy listens on loopback, which an HTTP proxy from the environment cannot reach.
    unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
    # KILL, because a program inherits from this shell that SIGTERM is ignored. The braces capture the message of the
    # shell about the killed program.
    { timeout -s KILL 4 wget -q -O /dev/null --post-data "" "$DB_PROXY_QUIT_URL"; } 2>&1
  ) || say "the proxy does not take the signal at $DB_PROXY_QUIT_URL (${reason:-no answer});" \
    "unless it has ended already, this job runs until its time limit" >&2
}

leave() {
  exit_code=$?
  trap - EXIT
  trap '' HUP INT TERM
  signal_line="tell the database proxy to quit"
  [ -n "$DB_PROXY_QUIT_URL" ] || signal_line="no database proxy to stop (DB_PROXY_QUIT_URL is empty), skipped"
  if [ "$exit_code" -eq 0 ]; then
    announce 5 "$signal_line"
    tell_proxy_to_quit
    who=$DB_USER
    [ "$DB_CLOSE_OTHER" = false ] || who="of its logins, only $DB_USER"
    say "done: $who can use the database $DB_NAME"
  else
    say "before leaving with exit code $exit_code: $signal_line"
    tell_proxy_to_quit
  fi
  exit "$exit_code"
}

interrupted() {
  say "stopped by SIG$1" >&2
  # The signal may arrive before the process in the background exists.
  kill "${!:-}" 2>/dev/null || :
  exit "$2"
}

trap leave EXIT
trap 'interrupted HUP 129' HUP
trap 'interrupted INT 130' INT
trap 'interrupted TERM 143' TERM

check_settings
# Variables that would override the server or the login.
unset PGHOSTADDR PGSERVICE PGSERVICEFILE PGPASSFILE PGOPTIONS PGREQUIREPEER
# No TLS to a socket, nor to the proxy beside this job: the proxy accepts none, and encrypts its own connection to the
# database.
case $DB_HOST in /* | localhost | 127.0.0.1 | ::1) : "${PGSSLMODE:=disable}" ;; esac
: "${PGSSLMODE:=require}"
# Five seconds are long enough for a database behind a proxy to answer.
export PGHOST="$DB_HOST" PGPORT="$DB_PORT" PGUSER="$DB_ADMIN_USER" PGPASSWORD="$DB_ADMIN_PASSWORD" PGCONNECT_TIMEOUT=5
export PGCLIENTENCODING=UTF8 PGAPPNAME=db-init PGGSSENCMODE=disable PGSSLMODE
export DB_NAME DB_USER DB_OWNER DB_OTHER_USER DB_PASSWORD_VERSION DB_PREPARES DB_CLOSE_OTHER DB_INSTANCE_OWNER
export DB_MANAGED_SUPERUSER_ROLE DB_GRANT_MANAGED_SUPERUSER DB_REVOKE_PUBLIC_CONNECT

# In the background, because a shell handles a signal only between two commands, but at once while it waits.
{ $work; check_sign_in; } &
wait "$!"
