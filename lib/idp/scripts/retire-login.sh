# shellcheck shell=sh
# Disables the database login with the former password, once no session uses that login. Runs as a job, in the same text
# after database-client.sh. It can be repeated, and may run late: a login that db-init has made current again meanwhile
# stays enabled.
#
# Open sessions survive NOLOGIN, but cannot be reopened. Sessions of former instances end with these instances, and
# sessions of a connection pool soon after. At the time limit, the login is disabled although sessions are left: these
# continue, and their next sign-in fails.
#
#   DB_OTHER_USER, DB_OWNER             the login to disable, and the role that it acts as
#   DB_USER, DB_PASSWORD_VERSION        the current login, and the version of its password
#   DB_ADMIN_USER, DB_ADMIN_PASSWORD    administrator
#   DB_WAIT_SECONDS                     time limit for the sessions to end (300)
#
# Exit codes: 0 done · 1 the database refuses · 2 settings are wrong
if [ "$#" -gt 0 ]; then
  case $1 in
    --help) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit ;;
    *) echo "\"$1\" is not an option; there is --help." >&2 && exit 2 ;;
  esac
fi

: "${DB_WAIT_SECONDS:=300}" "${DB_PASSWORD_VERSION:=}"
case $DB_OTHER_USER/$DB_OWNER in /* | */) fail 2 "DB_OTHER_USER or DB_OWNER is missing; set both" ;; esac
export PGUSER="${DB_ADMIN_USER:-postgres}" PGPASSWORD="$DB_ADMIN_PASSWORD" PGDATABASE="${DB_ADMIN_DATABASE:-postgres}"
await "$PGHOST" "$PGPORT"
export DB_OTHER_USER DB_OWNER DB_PASSWORD_VERSION DB_USER
RECORD='' sessions=''
export RECORD

# statements: runs the SQL on standard input, with the names as variables of psql. An empty search path keeps functions
# that others have created from running with the administrator's rights.
statements() {
  {
    cat <<'SQL'
\getenv login DB_OTHER_USER
\getenv owner DB_OWNER
\getenv current DB_USER
\getenv version DB_PASSWORD_VERSION
\getenv record RECORD
SET search_path = '';
SET lock_timeout = '60s';
SQL
    cat
  } | ask || fail 1 "the reason is above; an apply repeats it"
}

refuse_current() {
  fail 1 "$DB_OTHER_USER stays open: the comments on the logins do not say that $DB_USER is the current one, with" \
    "password version $DB_PASSWORD_VERSION, and $DB_OTHER_USER the former one; db-init has not run for this version" \
    "yet, or has run for another one since; apply with the password version that you want, which runs both jobs"
}

# SQL for the comments that db-init has written on the two logins, as one line. The line is empty unless they say that
# DB_USER is current and DB_OTHER_USER former.
record="SELECT coalesce(string_agg(rolname || ' has ' || said, '; ' ORDER BY rolname), '') AS now
  FROM pg_catalog.pg_roles,
  coalesce(pg_catalog.shobj_description(oid, 'pg_authid'), '') AS said WHERE rolname IN (:'login', :'current')
  HAVING bool_and(CASE rolname WHEN :'login' THEN said LIKE '%, former'
    ELSE said LIKE 'password version ' || :'version' || ', current %' END)
  AND bool_or(rolname = :'current')"

RECORD=$(printf '%s\n' "$record;" | statements)
[ -n "$RECORD" ] || refuse_current
echo "waiting until nothing is signed in as $DB_OTHER_USER, at most $DB_WAIT_SECONDS s"
deadline=$(($(date +%s) + DB_WAIT_SECONDS))
while sessions=$(echo "SELECT count(*) FROM pg_stat_activity WHERE usename = :'login';" | statements) &&
  [ "$sessions" -gt 0 ] && [ "$(date +%s)" -lt "$deadline" ]; do
  sleep 2
done
[ -n "$sessions" ] || exit 1
# With the lock of db-init, and only if the comments are still the same: db-init may have made the login current again
# meanwhile. The membership in the owner's role is revoked as well, because earlier releases of this package refuse a
# role with members as a group.
outcome=$(
  statements <<SQL
BEGIN;
SELECT 1 AS lock_held FROM pg_advisory_xact_lock(hashtextextended('db-init', 0)) \gset
SELECT count(*) > 0 AS is_former FROM ($record) AS found WHERE now = :'record' \gset
SELECT :'is_former' AND count(*) > 0 AS closes,
  :'is_former' AND coalesce(bool_or(rolname <> :'owner' AND $sessions = 0), false) AS revokes
FROM pg_roles WHERE rolname = :'login' \gset
\if :closes
ALTER ROLE :"login" NOLOGIN PASSWORD NULL;
\endif
\if :revokes
REVOKE :"owner" FROM :"login";
\endif
COMMIT;
\echo :is_former
SQL
)
[ "$outcome" = t ] || refuse_current
[ "$sessions" -eq 0 ] || echo "$sessions sessions of $DB_OTHER_USER are left; they can go on, and not sign in again"
echo "done: nothing can sign in as $DB_OTHER_USER"
