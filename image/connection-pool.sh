#!/opt/cloud-entrypoint/busybox sh
# shellcheck shell=sh disable=SC2034,SC2154 # variables of cloud-entrypoint.sh
# The connection pool of cloud-entrypoint.sh, which reads this file: PgBouncer between the application and its database.

# With CONNECTION_POOL_SIZE, the application connects to the platform's database through a pool of so many connections
# in this container. The settings are replaced by those of the pool after the mapping, so that the rules of the mapping
# apply to the database itself. If any part of the address is set explicitly, it is not the platform's database, and
# there is no pool.
route_through_pool() {
  has_text CONNECTION_POOL_SIZE && has_text IDP_POSTGRESQL__HOST || return 0
  # DEFAULT_SCHEMA too: some connections request the schema in their startup message, which the pool cannot forward.
  for ce_part in HOST PORT NAME USER PASSWORD SSLMODE SSLROOTCERT SSLCERT SSLKEY CONN_OPTIONS DEFAULT_SCHEMA; do
    case "$ce_mapped$ce_defaulted " in
      *" DB_$ce_part "* | *" IDP_POSTGRESQL__$ce_part="*) continue ;;
    esac
    if is_configured "POSTGRESQL__$ce_part"; then
      say "no connection pool: POSTGRESQL__$ce_part is set explicitly"
      return
    fi
  done
  command -v pgbouncer >/dev/null || refuse "CONNECTION_POOL_SIZE is set, but no program pgbouncer is on the PATH of" \
    "this image; add it to the image, or switch the connection pool off"
  ce_pool_database="host=$(quoted "$IDP_POSTGRESQL__HOST") port=${IDP_POSTGRESQL__PORT:-5432}"
  ce_pool_database="$ce_pool_database user=$(quoted "${IDP_POSTGRESQL__USER:-}")"
  ce_pool_database="$ce_pool_database password=$(quoted "${IDP_POSTGRESQL__PASSWORD:-}")"
  case $ce_pool_database in
    *"
"*) refuse "DB_HOST, DB_USER or DB_PASSWORD has a line break, which the connection pool cannot pass on; remove it" ;;
  esac
  require_password_for_pool "${IDP_POSTGRESQL__PASSWORD:-}"
  ce_folder=${TMPDIR:-/tmp}
  # A host that does not begin with / would be taken for a host name.
  case $ce_folder in
    /*) ;;
    *) ce_folder=$PWD/$ce_folder ;;
  esac
  ce_pool=${ce_folder%/}/connection-pool.$$
  ce_pool_port=6432
  ce_socket=$ce_pool/.s.PGSQL.$ce_pool_port
  [ "${#ce_socket}" -le 107 ] || refuse "TMPDIR is $ce_folder, and the path of a socket may have 107 characters, but" \
    "that of the connection pool would have ${#ce_socket}; use a shorter TMPDIR, or switch the connection pool off"
  ce_pool_ssl_mode=$IDP_POSTGRESQL__SSLMODE
  export "IDP_POSTGRESQL__HOST=$ce_pool" "IDP_POSTGRESQL__PORT=$ce_pool_port" IDP_POSTGRESQL__SSLMODE=disable
}

# PgBouncer 1.18 crashes if a password is longer, and takes a password that looks like a hash for a hash.
require_password_for_pool() {
  [ "${#1}" -le 1000 ] || refuse "DB_PASSWORD has ${#1} characters, and the connection pool takes up to 1000; choose" \
    "a shorter one, or switch the connection pool off"
  case $1 in
    md5????????????????????????????????)
      case ${1#md5} in
        *[!0-9a-f]*) return 0 ;;
      esac
      ;;
    'SCRAM-SHA-256$'*) ;;
    *) return 0 ;;
  esac
  refuse "DB_PASSWORD looks like the hash of a password, for which the connection pool would take it; choose another" \
    "one, or switch the connection pool off"
}

# quoted TEXT: prints it as a value of the pool's settings, in which a quote is doubled.
quoted() {
  ce_rest=$1
  printf "'"
  while :; do
    case $ce_rest in
      *\'*) printf "%s''" "${ce_rest%%\'*}" ;;
      *) break ;;
    esac
    ce_rest=${ce_rest#*\'}
  done
  printf "%s'" "$ce_rest"
}

# Runs in a subshell. The pool ignores the signals that end server and worker, because these finish their work through
# its connections. It ends on USR1 if the file stop exists: without that file, the signal is from somebody else.
supervise_pool() {
  listen_to_signals
  trap '' HUP INT QUIT TERM
  trap stop_pool USR1
  ce_stop_seconds=1
  umask 077
  mkdir -- "$ce_pool"
  mkfifo -- "$ce_pool/log"
  pass_log_on <"$ce_pool/log" &
  # Held open, so that the reader does not end with the first pool.
  exec 3>"$ce_pool/log"
  keep_running "connection pool" become_pool
  exec 3>&-
  wait
  rm -rf -- "$ce_pool"
}

stop_pool() {
  [ -e "$ce_pool/stop" ] || return 0
  trap '' USR1
  stop
}

# Prints the log of the pool, without the disconnections of clients. The reason why the database refuses connections is
# printed at most once a minute. A request that times out within that minute has waited for the database, not for other
# requests, so that reason is printed with it.
pass_log_on() {
  ce_reason=
  ce_reason_time=0
  while IFS= read -r ce_line; do
    # The line without its time and process id.
    ce_text=${ce_line#*] }
    case $ce_text in
      "LOG C-"*" closing because: "*) continue ;;
      "LOG S-"*" closing because: "*)
        ce_text=${ce_text##*" closing because: "}
        case $ce_text in
          # A failed login has been reported already, with the message of the database.
          "server idle timeout "* | "server lifetime over "* | "unclean server "* | "login failed "*) continue ;;
        esac
        tell_reason "${ce_text% (age=*}"
        ;;
      "WARNING server login failed: "*)
        ce_text=${ce_text#"WARNING server login failed: "}
        tell_reason "${ce_text#"FATAL "}"
        ;;
      *" pooler error: query_wait_timeout")
        if [ -n "$ce_reason" ] && [ $(($(date +%s) - ce_reason_time)) -lt 60 ]; then
          say "connection pool: a request timed out waiting for the database: $ce_reason"
        else
          say "connection pool: $ce_line"
        fi
        ;;
      *) say "connection pool: $ce_line" ;;
    esac
  done
}

tell_reason() {
  ce_now=$(date +%s)
  if [ "$1" != "$ce_reason" ] || [ $((ce_now - ce_reason_time)) -ge 60 ]; then
    say "connection pool: no connection to the database: $1"
    ce_reason=$1
    ce_reason_time=$ce_now
  fi
}

# Runs PgBouncer. The reasons for its settings:
#   pool_mode        the application depends on its session, for LISTEN, advisory locks and prepared statements
#   listen_backlog   a socket with a full backlog refuses connections at once, so it has room for all clients
#   auth_type        only this user can open the socket, so clients need no password
# The password of the database is in a file that only this user can read, in memory like TMPDIR, and in no argument or
# environment.
become_pool() {
  rm -f -- "$ce_pool"/.s.*
  cat >"$ce_pool/settings" <<SETTINGS
[databases]
* = $ce_pool_database
[pgbouncer]
unix_socket_dir = $ce_pool
unix_socket_mode = 0700
listen_port = $ce_pool_port
auth_type = any
pool_mode = session
default_pool_size = $CONNECTION_POOL_SIZE
max_client_conn = 2000
listen_backlog = 2000
query_wait_timeout = ${CONNECTION_POOL_WAIT_SECONDS:-25}
server_idle_timeout = 60
server_login_retry = 1
server_tls_sslmode = $ce_pool_ssl_mode
ignore_startup_parameters = extra_float_digits,options,search_path
log_connections = 0
log_disconnections = 1
log_stats = 0
SETTINGS
  become setsid env -i "PATH=$PATH" OPENSSL_CONF=/dev/null pgbouncer "$ce_pool/settings" 2>&3 3>&-
}

await_pool() {
  ce_tries=100
  while [ ! -S "$ce_pool/.s.PGSQL.$ce_pool_port" ] && [ "$ce_tries" -gt 0 ] && [ -z "$ce_stopping" ]; do
    sleep 0.1 || :
    ce_tries=$((ce_tries - 1))
  done
}

# Sends the signal until the pool ends: at first, the pool ignores the signal, and its folder does not exist yet.
end_pool() {
  ce_tries=100
  while is_running "$ce_pool_supervision" && [ "$ce_tries" -gt 0 ]; do
    { true >"$ce_pool/stop"; } 2>/dev/null || :
    kill -s USR1 "$ce_pool_supervision" 2>/dev/null || :
    sleep 0.1 || :
    ce_tries=$((ce_tries - 1))
  done
  kill -s KILL "$ce_pool_supervision" 2>/dev/null || :
}
