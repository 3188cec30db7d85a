#!/bin/sh
# Prepares PostgreSQL for the application: role, database, privileges. Safe to run again, to kill and to run twice at once.
#
# Environment
#   DB_HOST                     socket directory or address of the database
#   DB_PORT                     default 5432; for a socket directory it selects the socket file
#   DB_NAME                     application database
#   DB_USER                     application role
#   DB_PASSWORD                 password for the application role
#   DB_ADMIN_USER               administrator's login, default postgres; it owns the database
#   DB_ADMIN_PASSWORD           its password
#   DB_ADMIN_DATABASE           database it connects to first, default postgres
#   DB_MANAGED_SUPERUSER_ROLE   granted to the application role where it exists; empty: nothing to grant
#   DB_WAIT_SECONDS             how long to wait for the database, default 300
#   DB_PROXY_QUIT_URL           receives a POST when this script ends, whatever the outcome; empty: no proxy to stop
#   PGSSLMODE                   default disable for a socket directory or loopback, else require
#
# Exit codes
#   0 done · 1 a step was refused by the database · 2 settings are wrong · 3 database not reachable in time
#   4 login refused · 129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM
# shellcheck disable=SC2034 # the parts read what is set here
set -eu

# Messages of psql are compared below, and their language depends on the locale.
LC_ALL=C
export LC_ALL

: "${DB_HOST:=}" "${DB_NAME:=}" "${DB_USER:=}" "${DB_PASSWORD:=}" "${DB_ADMIN_PASSWORD:=}"
: "${DB_PORT:=5432}" "${DB_ADMIN_USER:=postgres}" "${DB_ADMIN_DATABASE:=postgres}" "${DB_WAIT_SECONDS:=300}"
: "${DB_MANAGED_SUPERUSER_ROLE:=}" "${DB_PROXY_QUIT_URL:=}"

newline='
'
carriage_return=$(printf '\r')
place="step 0 of 5"

# PostgreSQL silently truncates longer names, which would create and grant something else.
longest_name_bytes=63
# Long enough for a database behind a proxy to answer.
connect_timeout_seconds=5
# A proxy that has not started listening yet gets this long; the container's grace period must not be used up.
proxy_wait_seconds=4
quit_request_seconds=2

say() {
  printf '%s\n' "$*"
}

announce() {
  place="step $1 of 5"
  say "$place: $2"
}

fail() {
  exit_code=$1
  shift
  printf 'failed in %s: %s\n' "$place" "$*" >&2
  exit "$exit_code"
}

now_seconds() {
  date +%s
}

. "${0%/*}/db-init/settings.sh"
. "${0%/*}/db-init/local-host.sh"
. "${0%/*}/db-init/connection.sh"
. "${0%/*}/db-init/role.sh"
. "${0%/*}/db-init/database.sh"
. "${0%/*}/db-init/managed-superuser.sh"

prepare() {
  wait_until_reachable
  create_or_update_role
  create_database
  grant_privileges
  grant_managed_superuser
}

. "${0%/*}/db-init/sign-in.sh"
. "${0%/*}/db-init/proxy.sh"

leave() {
  exit_code=$?
  trap - EXIT
  trap '' HUP INT TERM
  if [ -z "$DB_PROXY_QUIT_URL" ]; then
    signal_line="no database proxy to stop (DB_PROXY_QUIT_URL is empty), skipped"
  else
    signal_line="tell the database proxy to quit"
  fi
  if [ "$exit_code" -eq 0 ]; then
    announce 5 "$signal_line"
  else
    say "before leaving with exit code $exit_code: $signal_line"
  fi
  [ -z "$DB_PROXY_QUIT_URL" ] || tell_proxy_to_quit
  [ "$exit_code" -ne 0 ] || say "done: $DB_USER can use the database $DB_NAME"
  exit "$exit_code"
}

interrupted() {
  say "stopped by SIG$1" >&2
  # The signal may arrive before there is a worker to stop.
  set +u
  [ -z "$!" ] || kill "$!" 2>/dev/null || :
  exit "$2"
}

trap leave EXIT
trap 'interrupted HUP 129' HUP
trap 'interrupted INT 130' INT
trap 'interrupted TERM 143' TERM

check_settings
connection_settings

# A shell acts on a signal only between two commands, but at once while it waits for a background process.
{
  prepare
  check_sign_in
} &
wait "$!"
