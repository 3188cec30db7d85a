# shellcheck shell=sh disable=SC2154 # part of db-init.sh, which sets what is read here
# Step 4: the managed superuser's rights.
#
# Reads DB_USER, DB_MANAGED_SUPERUSER_ROLE and DB_ADMIN_DATABASE.

# The contract requires this grant. It makes the application as powerful as the administrator: its role can run
# SET ROLE cloudsqlsuperuser, change the administrator's password, and read and change every other database.
# An attacker who takes over the application takes over the instance, so an instance should serve one application only.
grant_managed_superuser() {
  if [ -z "$DB_MANAGED_SUPERUSER_ROLE" ]; then
    announce 4 "no managed-superuser role to grant (DB_MANAGED_SUPERUSER_ROLE is empty), skipped"
    return
  fi
  announce 4 "grant $DB_MANAGED_SUPERUSER_ROLE to $DB_USER"
  outcome=$(
    locked_query "$DB_ADMIN_DATABASE" <<'SQL'
SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = :'managed_superuser') AS role_exists,
       NOT EXISTS (SELECT FROM pg_auth_members AS membership
                   JOIN pg_roles AS granted ON granted.oid = membership.roleid
                   JOIN pg_roles AS member ON member.oid = membership.member
                   WHERE granted.rolname = :'managed_superuser' AND member.rolname = :'role') AS grant_missing \gset
\if :role_exists
\if :grant_missing
GRANT :"managed_superuser" TO :"role";
\endif
\else
\echo absent
\endif
SQL
  ) || fail 1 "$DB_MANAGED_SUPERUSER_ROLE could not be granted to $DB_USER; the reason is above"
  # Outside a managed service there is no such role, and the server's administrator creates the extensions.
  [ "$outcome" != absent ] || say "the role $DB_MANAGED_SUPERUSER_ROLE does not exist on this server, nothing granted"
}
