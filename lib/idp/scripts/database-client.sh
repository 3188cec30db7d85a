# shellcheck shell=sh
# Shell library of the scripts that run as jobs on a deployment's database: how they connect, wait, fail and end. A job
# runs a single text, so this library stands in front of the script in that text.
#
# Reads:
#   DB_HOST, DB_PORT                server, usually the proxy beside the job
#   DB_USER, DB_PASSWORD, DB_NAME   the application's login and database, for as_application
#   DB_PROXY_QUIT_URL               receives a POST when the script ends, whatever the outcome; empty: no proxy to stop
# Sets:
#   PGHOST, PGPORT, PGSSLMODE, PGGSSENCMODE, PGCONNECT_TIMEOUT
#                  the server, for psql, pg_dump and pg_restore; a script sets the login

set -eu

# fail CODE WORD...: prints the words as the reason, and ends the script.
fail() {
  code=$1
  shift
  echo "failed: $*" >&2
  exit "$code"
}

# Called before the script ends. A script may define its own.
before_end() {
  :
}

# Tells the proxy beside the job to end, because the job ends only when its proxy does.
tell_proxy_to_quit() {
  [ -n "${DB_PROXY_QUIT_URL:-}" ] || return 0
  if ! (
    # The proxy listens on loopback, which an HTTP proxy from the environment cannot reach.
    unset http_proxy HTTP_PROXY all_proxy ALL_PROXY
    timeout -s KILL 4 wget -q -O /dev/null --post-data= "$DB_PROXY_QUIT_URL"
  ); then
    echo "the proxy does not take the signal at $DB_PROXY_QUIT_URL; unless it has ended already," \
      "this job runs until its time limit" >&2
  fi
}

finish() {
  code=$?
  trap - EXIT
  before_end || :
  tell_proxy_to_quit
  exit "$code"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Variables that would override the server or the login.
unset PGHOSTADDR PGSERVICE PGSERVICEFILE PGPASSFILE PGOPTIONS PGREQUIREPEER
# No TLS to a socket, nor to the proxy beside this job: the proxy accepts none, and encrypts its own connection to the
# database.
case $DB_HOST in
  /* | localhost | 127.0.0.1 | ::1) : "${PGSSLMODE:=disable}" ;;
  *) : "${PGSSLMODE:=require}" ;;
esac
export PGHOST="$DB_HOST" PGPORT="${DB_PORT:-5432}" PGCONNECT_TIMEOUT=10 PGGSSENCMODE=disable PGSSLMODE

# Makes the programs sign in as the application, to its database.
as_application() {
  export PGUSER="$DB_USER" PGPASSWORD="$DB_PASSWORD" PGDATABASE="$DB_NAME"
}

# ask OPTION...: runs statements with psql, and prints bare values.
ask() {
  psql --no-psqlrc --no-password --quiet --no-align --tuples-only --set=ON_ERROR_STOP=1 "$@"
}

# await HOST PORT: waits until PostgreSQL accepts connections, at most about a minute.
await() {
  case $2 in *[!0-9]*) fail 2 "the port of $1 is \"$2\", no number" ;; esac
  tries=0
  until pg_isready --quiet --host="$1" --port="$2"; do
    [ $? -ne 3 ] || fail 2 "no connection can be tried to $1 with port $2 and PGSSLMODE=$PGSSLMODE; correct these"
    tries=$((tries + 1))
    [ "$tries" -lt 60 ] || fail 1 "PostgreSQL at $1 did not answer"
    sleep 1
  done
}
