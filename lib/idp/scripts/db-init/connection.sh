# shellcheck shell=sh disable=SC2154 # part of db-init.sh, which sets what is read here
# How psql connects and asks, and step 1, which waits until it can.
#
#   DB_HOST, DB_PORT, PGSSLMODE         the server, and whether the connection is encrypted
#   DB_ADMIN_USER, DB_ADMIN_PASSWORD    who signs in
#   DB_ADMIN_DATABASE                   where
#   DB_WAIT_SECONDS                     for how long the server may be away
#   DB_NAME, DB_USER, DB_MANAGED_SUPERUSER_ROLE     for the SQL of all steps
# Also reads newline and connect_timeout_seconds. wait_for leaves what its command printed in answer.

connection_settings() {
  # No other variable may direct psql to another server or login.
  unset PGHOSTADDR PGSERVICE PGSERVICEFILE PGPASSFILE PGOPTIONS PGREQUIREPEER
  PGHOST=$DB_HOST
  PGPORT=$DB_PORT
  PGUSER=$DB_ADMIN_USER
  PGPASSWORD=$DB_ADMIN_PASSWORD
  PGCONNECT_TIMEOUT=$connect_timeout_seconds
  PGCLIENTENCODING=UTF8
  PGAPPNAME=db-init
  PGGSSENCMODE=disable
  # The proxy encrypts towards the database and does not speak TLS itself.
  if is_local_host "$DB_HOST"; then
    : "${PGSSLMODE:=disable}"
  else
    : "${PGSSLMODE:=require}"
  fi
  export PGHOST PGPORT PGUSER PGPASSWORD PGCONNECT_TIMEOUT PGCLIENTENCODING PGAPPNAME PGGSSENCMODE PGSSLMODE
  export DB_NAME DB_USER DB_MANAGED_SUPERUSER_ROLE
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
\getenv role DB_USER
SET search_path = '';
SET lock_timeout = '60s';
SET statement_timeout = '120s';
SET default_transaction_read_only = off;
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

greet() {
  query "$DB_ADMIN_DATABASE" </dev/null
}

# Repeats a command while the server cannot be reached or is busy, and keeps its output in `answer`. Fails when the
# server has answered and a retry would give the same answer.
wait_for() {
  started_at=$(now_seconds)
  told_reason=
  until answer=$("$1" 2>&1); do
    case $answer in
      *"system is starting up"* | *"system is shutting down"* | *"in recovery mode"* | \
        *"not yet accepting connections"* | *"too many clients"* | *"connection slots are reserved"* | \
        *"too many connections for "*) ;;
      *FATAL:* | *ERROR:*) return 1 ;;
      *sslmode* | *certificate* | *"private key"* | *"_protocol_version value"* | *"not support SSL"*)
        fail 2 "the connection cannot be encrypted as PGSSLMODE=$PGSSLMODE and the other TLS settings ask for:" \
          "$(first_line "$answer"); correct what the message names"
        ;;
    esac
    reason=$(first_line "$answer")
    waited_seconds=$(($(now_seconds) - started_at))
    if [ "$waited_seconds" -ge "$DB_WAIT_SECONDS" ]; then
      fail 3 "PostgreSQL at $DB_HOST port $DB_PORT was not ready within $DB_WAIT_SECONDS s: $reason"
    fi
    if [ "$reason" != "$told_reason" ]; then
      told_reason=$reason
      say "waiting for PostgreSQL, $waited_seconds of $DB_WAIT_SECONDS s are over: $reason"
    fi
    sleep 1
  done
}

first_line() {
  line=${1#psql: error: }
  say "${line%%"$newline"*}"
}
