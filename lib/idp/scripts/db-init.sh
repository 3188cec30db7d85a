#!/bin/sh
# Prepares PostgreSQL for the application: role, database, privileges. Safe to run again, to kill and to run twice at
# once.
#
# A password can change while the application runs: two logins act as one role, and the one that is not in use gets the
# next password. Once nothing uses the other one any more, retire-login.sh closes it.
#
# On an instance that others manage, a login that exists keeps what its owner has set for it, but for its password.
# Anywhere, a database that its owner has closed to connections stays closed.
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
#   DB_CLOSE_OTHER              default false; true: the other login is closed at once, because a restore has opened it
#   DB_INSTANCE_OWNER           default deployment; others: the instance is theirs
#   DB_ADMIN_USER               administrator's login, default postgres; it owns the database. DB_USER itself: only
#                               checks the rights
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
# How to give the role its password where this script may not; others have made a role that is its own administrator.
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

# Ends the script with every problem of the settings at once.
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

# require_text NAME: of one line, because psql reads one line per answer.
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

# Runs the SQL on standard input in the database named by the first argument.
#
# The database name goes through the environment because -d reads "a=b" and "postgres://…" as connection settings.
# In a session of its own psql finds no terminal, so \password reads its answers from standard input.
query() {
  PGDATABASE=$1 setsid psql --no-psqlrc --no-password --quiet --no-align --tuples-only --set ON_ERROR_STOP=1
}

# Like query, with the names as psql variables and under a lock, so that concurrent runs take turns. An advisory lock
# belongs to one database, so every step takes it again and changes only what all runs change under that lock.
# An empty search path keeps objects that the application created from being called with the administrator's rights.
# The other settings override those of the administrator's login, which are meant for people.
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

# Repeats a command while the server cannot be reached or is busy, or a table has just vanished, and keeps its output in
# `answer`. Fails when the server has answered and a retry would give the same answer.
wait_for() {
  started_at=$(date +%s)
  told_reason=
  until answer=$("$1" 2>&1); do
    case $answer in
      *"system is starting up"* | *"system is shutting down"* | *"in recovery mode"* | \
        *"not yet accepting connections"* | *"too many clients"* | *"connection slots are reserved"* | \
        *"too many connections for "*) ;;
      # ANALYZE meets a table that instances at work have dropped since it looked for tables.
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

# A group is refused before anything is changed. A login whose only member is the administrator is not a group: that is
# how an administrator restores what an application owns. Neither is a role that the administrator may hand on, as
# role_statements makes it: restore.sh renames one and closes it.
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

# A login that is used with one password must not get another. Its comment says which one it has.
refuse_password_in_use() {
  in_use=$(
    locked_query "$DB_ADMIN_DATABASE" <<'SQL'
SELECT current
FROM pg_roles, coalesce(substring(shobj_description(oid, 'pg_authid') FROM 'password version (\d+)'), '1') AS current
WHERE rolname = :'login' AND rolcanlogin AND :'version' <> '' AND NOT :'closes_other'
  AND EXISTS (SELECT FROM pg_stat_activity WHERE usesysid = pg_roles.oid);
SQL
  ) || fail 1 "the password of $DB_USER cannot be judged; the reason is above"
  # A skipped number that was set back has left another value of the same number.
  if [ "${in_use:-$DB_PASSWORD_VERSION}" != "$DB_PASSWORD_VERSION" ] ||
    { [ -n "$in_use" ] &&
      (PGUSER=$DB_USER PGPASSWORD=$DB_PASSWORD && greet 2>&1) | grep -q "authentication failed"; }; then
    fail 2 "$DB_USER is in use with the password version $in_use, and another password would lock out what runs;" \
      "set database_passwords.version one higher or lower than $in_use, and go on from there in later applies"
  fi
}

# role_statements: statements that make the role and its login what they have to be, and the password for \password,
# which sends only the salted hash, in the form that the server's setting prescribes, so the password itself reaches no
# server log, no statement statistics and no error message. It prompts twice and reads the lines that follow.
#
# Where there are two logins, one of them is the owner, and the other acts as it from its sign-in on. That one does not
# inherit, so that a session which has lost the role fails, instead of making objects that belong to a login. The
# comment of a login also says which of the two is current, and since when, so that retire-login.sh closes no login that
# has become current again.
#
# Settings of the role, such as read-only or another search path, can break the application. The role is the
# application's alone, so its settings are reset, but for those of a superuser, which only a superuser may reset. Those
# of the database, and of a login that others have made on their instance, may be intended; the last check reports them.
#
# From PostgreSQL 16 on, only who may hand a role on may change it, and an upgrade brings nobody that right. So before
# 16 the administrator gets it, on an instance of its own.
#
# A restored instance has the logins of the backup. Only the stored password is right then, with whichever login this
# has signed in; what a login had before must not open the database.
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

# From PostgreSQL 16 on, an administrator may change only the roles that it has made, and is a member of these, without
# their rights. One that others have made, or an upgrade has brought, stays as it is; the last check tells whether it
# will do.
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

# Owned by the administrator, who cannot act as the application role. template0 allows any encoding and has no sessions
# that would block the copy.
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

# By default every login of the server may connect, read the names of tables and hold the lock that migrations wait for.
#
# A GRANT without the right to grant is only a warning, so the resulting privileges are checked.
grant_privileges() {
  missing_privileges=$({
    [ -n "$remedy" ] || echo 'ALTER ROLE :"login" IN DATABASE :"database" RESET ALL;'
    cat <<'SQL'
\if :prepares
GRANT ALL ON DATABASE :"database" TO :"role";
GRANT ALL ON SCHEMA public TO :"role";
-- Judged before a login acts as the owner.
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
  # From PostgreSQL 16 on, both take the right to hand the role on, and REVOKE ends only the administrator's own grant.
  # Extensions of the application do without the grant. Outside a managed service there is no such role.
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

# Signs in as the application does. What is only unusual is reported, as it may be intended.
#
# The table's name has no schema, because the application does not name one either. An upgrade of the server leaves the
# planner without statistics, and PostgreSQL makes none until tables change.
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

# The job only ends when its proxy does, so this runs however the script ends. A proxy that cannot be reached does not
# undo the work on the database: the exit code stays. The container's grace period must not be used up.
tell_proxy_to_quit() {
  [ -n "$DB_PROXY_QUIT_URL" ] || return 0
  reason=$(
    # The proxy listens on loopback, which no HTTP proxy reaches.
    unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
    # Children ignore SIGTERM now, as this shell does. The braces capture the message of the shell about a killed child.
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
  # The signal may arrive before there is a worker to stop.
  kill "${!:-}" 2>/dev/null || :
  exit "$2"
}

trap leave EXIT
trap 'interrupted HUP 129' HUP
trap 'interrupted INT 130' INT
trap 'interrupted TERM 143' TERM

check_settings
# No other variable may direct psql to another server or login.
unset PGHOSTADDR PGSERVICE PGSERVICEFILE PGPASSFILE PGOPTIONS PGREQUIREPEER
# A socket, or a proxy beside this job, which encrypts towards the database and does not speak TLS itself.
case $DB_HOST in /* | localhost | 127.0.0.1 | ::1) : "${PGSSLMODE:=disable}" ;; esac
: "${PGSSLMODE:=require}"
# Five seconds are long enough for a database behind a proxy to answer.
export PGHOST="$DB_HOST" PGPORT="$DB_PORT" PGUSER="$DB_ADMIN_USER" PGPASSWORD="$DB_ADMIN_PASSWORD" PGCONNECT_TIMEOUT=5
export PGCLIENTENCODING=UTF8 PGAPPNAME=db-init PGGSSENCMODE=disable PGSSLMODE
export DB_NAME DB_USER DB_OWNER DB_OTHER_USER DB_PASSWORD_VERSION DB_PREPARES DB_CLOSE_OTHER DB_INSTANCE_OWNER
export DB_MANAGED_SUPERUSER_ROLE DB_GRANT_MANAGED_SUPERUSER DB_REVOKE_PUBLIC_CONNECT

# A shell acts on a signal only between two commands, but at once while it waits for a background process.
{ $work; check_sign_in; } &
wait "$!"
