# shellcheck shell=sh
# Shell library of the scripts that jobs run beside a deployment: how they connect, wait, fail and end. A job has one
# text, so database-jobs.sh puts this one in front of the script's.
#
#   DB_HOST, DB_PORT    server, by the proxy beside the job
#   DB_PROXY_QUIT_URL   receives a POST when the script ends, whatever the outcome; empty: no proxy to stop

set -eu

# fail CODE WORD...
fail() {
  code=$1
  shift
  echo "failed: $*" >&2
  exit "$code"
}

# Done before the end; a script may have its own.
before_end() {
  :
}

finish() {
  code=$?
  before_end || :
  [ -z "${DB_PROXY_QUIT_URL:-}" ] || timeout -s KILL 4 wget -q -O /dev/null --post-data= "$DB_PROXY_QUIT_URL" || :
  exit "$code"
}
trap finish EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# Nothing else may direct the programs to another server or login.
unset PGHOSTADDR PGSERVICE PGSERVICEFILE PGPASSFILE PGOPTIONS
# A socket, or a proxy beside this job, which encrypts towards the database and does not speak TLS itself.
case $DB_HOST in
  /* | localhost | 127.0.0.1 | ::1) : "${PGSSLMODE:=disable}" ;;
  *) : "${PGSSLMODE:=require}" ;;
esac
export PGHOST="$DB_HOST" PGPORT="${DB_PORT:-5432}" PGCONNECT_TIMEOUT=10 PGSSLMODE

# as_application: signs in as the application's role, to its database.
as_application() {
  export PGUSER="$DB_USER" PGPASSWORD="$DB_PASSWORD" PGDATABASE="$DB_NAME"
}

# ask OPTION...: runs psql for statements, and prints values alone.
ask() {
  psql --no-psqlrc --no-password --quiet --no-align --tuples-only --set=ON_ERROR_STOP=1 "$@"
}

# await HOST PORT
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
