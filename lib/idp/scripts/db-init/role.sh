# shellcheck shell=sh disable=SC2154 # part of db-init.sh, which sets what is read here
# Step 2: the application's role, with its password and without settings of its own.
#
# Reads DB_USER, DB_PASSWORD and DB_ADMIN_DATABASE.

# \password sends only the salted hash, in the form that the server's setting prescribes, so the password itself reaches
# no server log, no statement statistics and no error message. It prompts twice and reads the lines that follow.
#
# A group is refused before anything is changed. A login whose only member is the administrator is not a group: that is
# how an administrator restores what an application owns. Its members alone are on standard output; on the other are the
# prompts, and warnings that a sign-in may begin with.
create_or_update_role() {
  announce 2 "create or update the role $DB_USER"
  members=$({
    messages=$({
      cat <<'SQL'
SELECT string_agg(member.rolname, ', ' ORDER BY member.rolname) AS members,
       coalesce(bool_or(NOT granted.rolcanlogin OR member.rolname <> current_user), false) AS is_group
FROM pg_auth_members AS membership
JOIN pg_roles AS granted ON granted.oid = membership.roleid
JOIN pg_roles AS member ON member.oid = membership.member
WHERE granted.rolname = :'role' \gset
\if :is_group
\echo :members
\quit
\endif
SELECT NOT EXISTS (SELECT FROM pg_roles WHERE rolname = :'role') AS role_missing \gset
\if :role_missing
CREATE ROLE :"role";
\endif
ALTER ROLE :"role" WITH LOGIN INHERIT NOCREATEDB NOCREATEROLE CONNECTION LIMIT -1 VALID UNTIL 'infinity';
\password :"role"
SQL
      printf '%s\n' "$DB_PASSWORD" "$DB_PASSWORD"
    } | locked_query "$DB_ADMIN_DATABASE" 2>&1 >&3) ||
      fail 1 "the role $DB_USER could not be created or updated: ${messages##*Enter it again: }"
  } 3>&1) || exit
  [ -z "$members" ] ||
    fail 2 "DB_USER is $DB_USER, a group with the members: $members, who would share the application's rights;" \
      "choose another name, or take the members out with REVOKE"
  take_back_settings
}

# Settings of the role, such as read-only or another search path, can break the application. The role is the
# application's alone, so its settings are reset; those of the database may be intended, and the last check reports them.
# A superuser's settings are kept, because only a superuser may reset them.
take_back_settings() {
  locked_query "$DB_ADMIN_DATABASE" <<'SQL' || fail 1 "the settings of the role $DB_USER are still there; the reason is above"
SELECT 'settings of the role ' || :'role' || ' are taken back: ' || string_agg(DISTINCT split_part(own, '=', 1), ', ')
FROM pg_db_role_setting CROSS JOIN unnest(setconfig) AS own
LEFT JOIN pg_settings AS known ON known.name = split_part(own, '=', 1)
WHERE setrole = (SELECT oid FROM pg_roles WHERE rolname = :'role')
  AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = :'database'))
  AND known.context IS DISTINCT FROM 'superuser'
HAVING count(*) > 0;
ALTER ROLE :"role" RESET ALL;
SELECT EXISTS (SELECT FROM pg_database WHERE datname = :'database') AS database_exists \gset
\if :database_exists
ALTER ROLE :"role" IN DATABASE :"database" RESET ALL;
\endif
SQL
}
