# shellcheck shell=sh disable=SC2154 # after database-client.sh, which reads what a job has
# Runs as a job, in which it comes after database-client.sh: closes the login of a former password, once nothing is signed in as
# it any more. Safe to run again.
#
# Sessions outlive their login, but cannot begin again. Those of former instances end with these, and those of a pool soon after;
# what is left at the time limit goes on, and loses its next sign-in.
#
#   DB_OTHER_USER, DB_OWNER             the login, and the role that it acts as
#   DB_ADMIN_USER, DB_ADMIN_PASSWORD    administrator
#   DB_WAIT_SECONDS                     time limit of the wait (300)
#
# Exit codes: 0 done · 1 the database refuses it · 2 settings are wrong
[ "${1---help}" = --help ] || { echo "\"$1\" is not an option; there is --help." >&2 && exit 2; }
[ "$#" -eq 0 ] || { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0" && exit; }

: "${DB_WAIT_SECONDS:=300}"
case $DB_OTHER_USER/$DB_OWNER in /* | */) fail 2 "DB_OTHER_USER or DB_OWNER is missing; set both" ;; esac
export PGUSER="${DB_ADMIN_USER:-postgres}" PGPASSWORD="$DB_ADMIN_PASSWORD" PGDATABASE=postgres
await "$PGHOST" "$PGPORT"
export DB_OTHER_USER DB_OWNER

# statements: runs those on standard input, after the names.
statements() {
  { printf '\\getenv login DB_OTHER_USER\n\\getenv owner DB_OWNER\n' && cat; } | ask || fail 1 "the reason is above; an apply repeats it"
}

echo "waiting until nothing is signed in as $DB_OTHER_USER, at most $DB_WAIT_SECONDS s"
deadline=$(($(date +%s) + DB_WAIT_SECONDS))
while sessions=$(echo "SELECT count(*) FROM pg_stat_activity WHERE usename = :'login';" | statements) &&
  [ "$sessions" -gt 0 ] && [ "$(date +%s)" -lt "$deadline" ]; do
  sleep 2
done
[ -n "$sessions" ] || exit 1
[ "$sessions" -eq 0 ] || echo "$sessions sessions of $DB_OTHER_USER are left; they can go on, and not sign in again"
# The membership goes too, because an older package takes a role with members for a group.
statements <<SQL
SELECT count(*) > 0 AS is_there, coalesce(bool_or(rolname <> :'owner' AND $sessions = 0), false) AS is_member
FROM pg_roles WHERE rolname = :'login' \gset
\if :is_there
ALTER ROLE :"login" NOLOGIN PASSWORD NULL;
\endif
\if :is_member
REVOKE :"owner" FROM :"login";
\endif
SQL
echo "done: nothing can sign in as $DB_OTHER_USER"
