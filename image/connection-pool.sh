#!/opt/cloud-entrypoint/busybox sh
# shellcheck shell=sh disable=SC2034,SC2154 # variables of cloud-entrypoint.sh
# The connection pool of cloud-entrypoint.sh, which reads this file: PgBouncer between the application and its database.

# With CONNECTION_POOL_SIZE, the application reaches the database that the platform names through a pool of so many
# connections in this container. It is put in between after the mapping, whose rules so hold for the database itself, and
# leaves alone what is set explicitly, even a part of it: that is not the platform's database.
route_through_pool() {
  has_text CONNECTION_POOL_SIZE && has_text IDP_POSTGRESQL__HOST || return 0
  for ce_part in HOST PORT NAME USER PASSWORD SSLMODE SSLROOTCERT SSLCERT SSLKEY CONN_OPTIONS; do
    case "$ce_mapped$ce_defaulted " in
      *" DB_$ce_part "* | *"__$ce_part="*) continue ;;
    esac
    if is_configured "POSTGRESQL__$ce_part"; then
      say "no connection pool: POSTGRESQL__$ce_part is set explicitly"
      return
    fi
  done
  command -v pgbouncer >/dev/null || refuse "CONNECTION_POOL_SIZE is set, but no program pgbouncer is on the PATH of this" \
    "image; add it to the image, or switch the connection pool off"
  ce_pool_database="host=$(quoted "$IDP_POSTGRESQL__HOST") port=${IDP_POSTGRESQL__PORT:-5432}"
  ce_pool_database="$ce_pool_database user=$(quoted "${IDP_POSTGRESQL__USER:-}")"
  ce_pool_database="$ce_pool_database password=$(quoted "${IDP_POSTGRESQL__PASSWORD:-}")"
  case $ce_pool_database in
    *"
"*) refuse "DB_HOST, DB_USER or DB_PASSWORD has a line break, which the connection pool cannot pass on; remove it" ;;
  esac
  ce_folder=${TMPDIR:-/tmp}
  ce_pool=${ce_folder%/}/connection-pool.$$
  ce_pool_port=6432
  ce_pool_ssl_mode=$IDP_POSTGRESQL__SSLMODE
  export "IDP_POSTGRESQL__HOST=$ce_pool" "IDP_POSTGRESQL__PORT=$ce_pool_port" IDP_POSTGRESQL__SSLMODE=disable
}

# As a value of the pool's settings, in which a quote is doubled.
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

# Runs in a subshell. It outlasts the signals that end server and worker, which finish their work with its connections,
# and ends on USR1.
supervise_pool() {
  listen_to_signals
  trap '' HUP INT QUIT TERM
  trap stop USR1
  ce_stop_seconds=1
  umask 077
  mkdir -- "$ce_pool"
  mkfifo -- "$ce_pool/log"
  while IFS= read -r ce_line; do say "connection pool: $ce_line"; done <"$ce_pool/log" &
  # Held open, so that the log outlasts a pool.
  exec 3>"$ce_pool/log"
  keep_running "connection pool" become_pool
  exec 3>&-
  wait
  rm -rf -- "$ce_pool"
}

# In session mode, because the application keeps what belongs to a session: LISTEN, advisory locks, prepared statements.
# A socket whose backlog is full refuses at once, so it has room for as many as there may be.
# Only this user can open the socket, so nobody else is asked for. The password is in a file of this user alone, in no
# argument and no environment, and in memory as TMPDIR is.
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
ignore_startup_parameters = extra_float_digits,options
log_connections = 0
log_disconnections = 0
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

end_pool() {
  kill -s USR1 "$ce_pool_supervision" 2>/dev/null || :
  wait "$ce_pool_supervision" || :
}
