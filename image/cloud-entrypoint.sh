#!/opt/cloud-entrypoint/busybox sh
# shellcheck shell=sh
# The shell comes with the image, because the base may have none.
#
# Translates the variables of the platform into the settings of the application, starts a worker and restarts it when it
# ends, and runs the server in a child process, for which it waits. Any other command replaces the script itself, with
# the same settings. The command server-alone runs the server without a worker, for a deployment whose workers have
# containers of their own.
#
# The script's own variables begin with ce_: a variable of any other name may be exported already, and the application
# would see a changed value. Exported variables that begin with ce_ are removed.
set -eu

# An empty prefix would turn IDP_PATH into PATH.
UPSTREAM_PREFIX=${UPSTREAM_PREFIX:-AUTHENTIK_}

# Standard output belongs to the command, for instance to `ak dump_config`.
say() {
  printf 'cloud-entrypoint: %s\n' "$*" >&2
}

refuse() {
  say "not starting: $*"
  exit 78 # EX_CONFIG of sysexits.h
}

# for_each_variable COMMAND: calls it with each name. Every shell prints variables in its own quoting, and a value may
# hold a line that looks like another variable. Records that end in NUL are unambiguous, and the image brings env and tr
# where the base has none. Line breaks become blanks and NULs become line breaks, so what stands before the first = is a
# whole name or no name at all.
for_each_variable() {
  ce_records=$(env -0 | tr '\n\000' ' \n')
  set -f
  IFS='
'
  for ce_record in $ce_records; do
    ce_name=${ce_record%%=*}
    case $ce_name in
      *[!A-Za-z0-9_]*) ;;
      *) "$1" "$ce_name" ;;
    esac
  done
  unset IFS ce_records
  set +f
}

forget_own_name() {
  case $1 in
    ce_*) unset "$1" ;;
  esac
}

is_set() {
  eval "[ -n \"\${$1+set}\" ]"
}

has_text() {
  eval "[ -n \"\${$1:-}\" ]"
}

is_configured() {
  is_set "IDP_$1" || is_set "$UPSTREAM_PREFIX$1"
}

copy() {
  eval "export $2=\"\$$1\""
}

# default_to NAME VALUE: sets a variable to its default, and notes it for the log.
default_to() {
  export "$1=$2"
  ce_defaulted="$ce_defaulted $1=$2"
}

# look_up SETTING: sets ce_value to the value that the application will read, and ce_source to its variable.
look_up() {
  for ce_source in "$UPSTREAM_PREFIX$1" "IDP_$1"; do
    eval "ce_value=\${$ce_source:-}"
    ! is_set "$ce_source" || return 0
  done
  return 1
}

# An empty DB_ variable counts as not set, except for the password, which is empty if the database trusts its clients.
# An explicit setting of the application wins, even if it is empty.
map_database_variables() {
  for ce_part in HOST PORT NAME USER PASSWORD; do
    if is_set "DB_$ce_part" && ! is_configured "POSTGRESQL__$ce_part"; then
      [ "$ce_part" = PASSWORD ] || has_text "DB_$ce_part" || continue
      copy "DB_$ce_part" "IDP_POSTGRESQL__$ce_part"
      ce_mapped="$ce_mapped DB_$ce_part"
    fi
  done
}

# Sets ce_ssl_mode_chosen to yes if this script chooses the mode, because it is not set and there is a database.
choose_ssl_mode() {
  ce_ssl_mode_chosen=
  is_configured POSTGRESQL__SSLMODE && return
  look_up POSTGRESQL__HOST || return 0
  default_to IDP_POSTGRESQL__SSLMODE "$(ssl_mode_of "$ce_value")"
  ce_ssl_mode_chosen=yes
}

# Sets host, port and encryption of replicas and of the direct endpoint explicitly. Otherwise they would inherit the
# values of the database, whose host and port may be replaced by those of the pool, and whose encryption was chosen for
# its own host. An explicit SSLMODE is meant for all endpoints, and rules out a pool: then they inherit it.
separate_endpoints() {
  [ -n "$ce_ssl_mode_chosen" ] || return 0
  name_direct_host
  for_each_variable separate_endpoint
}

# A single setting of the direct endpoint makes the application use that endpoint; without a host, it would inherit the
# host of the pool.
name_direct_host() {
  is_configured POSTGRESQL__DIRECT__HOST && return
  ce_direct=false
  for_each_variable notice_direct
  [ "$ce_direct" = true ] || return 0
  look_up POSTGRESQL__HOST && default_to IDP_POSTGRESQL__DIRECT__HOST "$ce_value"
}

notice_direct() {
  case $1 in
    IDP_POSTGRESQL__DIRECT__?* | "$UPSTREAM_PREFIX"POSTGRESQL__DIRECT__?*) ce_direct=true ;;
  esac
}

# ssl_mode_of HOST: prints disable for a socket, and for the proxy beside the application, which refuses TLS and
# encrypts its own connection to the database. Any other host is in a network, also one that the application looks up
# itself (file://, env://).
ssl_mode_of() {
  case $1 in
    /* | localhost | 127.0.0.1 | ::1) echo disable ;;
    *) echo require ;;
  esac
}

# separate_endpoint NAME: if NAME is the host of a replica or of the direct endpoint, sets port and encryption of that
# endpoint. An sslmode in the CONN_OPTIONS of a replica still wins, because the application reads it last.
separate_endpoint() {
  case $1 in
    IDP_POSTGRESQL__READ_REPLICAS__?*__HOST | IDP_POSTGRESQL__DIRECT__HOST) ce_endpoint=${1#IDP_} ;;
    "$UPSTREAM_PREFIX"POSTGRESQL__READ_REPLICAS__?*__HOST | "$UPSTREAM_PREFIX"POSTGRESQL__DIRECT__HOST)
      ce_endpoint=${1#"$UPSTREAM_PREFIX"}
      ;;
    *) return 0 ;;
  esac
  ce_endpoint=${ce_endpoint%__HOST}
  if ! is_configured "${ce_endpoint}__PORT"; then
    look_up POSTGRESQL__PORT || ce_value=5432
    default_to "IDP_${ce_endpoint}__PORT" "$ce_value"
  fi
  is_configured "${ce_endpoint}__SSLMODE" && return
  look_up "${ce_endpoint}__HOST"
  default_to "IDP_${ce_endpoint}__SSLMODE" "$(ssl_mode_of "$ce_value")"
}

# The application offers uploads only if its storage path is itself a mount point.
choose_storage_path() {
  is_configured STORAGE__FILE__PATH && return
  default_to IDP_STORAGE__FILE__PATH /media
}

# The native worker does not know the level "warning": it takes the word for the name of a module, and would log only
# that module.
choose_native_log_level() {
  ce_part=LOG__RUST_LOG__${UPSTREAM_PREFIX%_}
  is_configured "$ce_part" && return
  look_up LOG_LEVEL || return 0
  case $ce_value in
    [Ww][Aa][Rr][Nn][Ii][Nn][Gg]) default_to "IDP_$ce_part" warn ;;
  esac
}

# Limits the messages that a worker process takes in advance to one for each thread, instead of two. The synchronization
# of a directory occupies a thread until its pages are done, and a page that waits in the same process for that thread
# would never start.
choose_prefetch() {
  ! has_text dramatiq_queue_prefetch || return 0
  look_up WORKER__THREADS || ce_value=2 # the default of the application
  case $ce_value in
    '' | *[!0-9]*) return 0 ;; # the application looks it up
  esac
  default_to dramatiq_queue_prefetch "$ce_value"
}

translate_to_upstream() {
  ce_target=$UPSTREAM_PREFIX${1#IDP_}
  case $1 in
    IDP_?*) is_set "$ce_target" || copy "$1" "$ce_target" ;;
  esac
}

# require_text SETTING NAME: NAME is what the platform calls the setting.
require_text() {
  look_up "$1" || ce_source=$2
  [ -n "$ce_value" ] || ce_missing="$ce_missing, $ce_source"
}

require_variables() {
  ce_missing=
  for ce_part in HOST NAME USER; do
    require_text "POSTGRESQL__$ce_part" "DB_$ce_part"
  done
  is_configured POSTGRESQL__PASSWORD || ce_missing="$ce_missing, DB_PASSWORD"
  require_text SECRET_KEY IDP_SECRET_KEY
  [ -z "$ce_missing" ] || refuse "${ce_missing#, } missing or empty; the platform injects the DB_ variables with the" \
    "database and IDP_SECRET_KEY from the secret store (the IDP_POSTGRESQL__ and $UPSTREAM_PREFIX spellings count as" \
    "well)"
}

# The synchronization of a directory occupies a thread while other threads process its pages. A plan already refuses a
# single thread, but does not know values that come from secrets.
require_second_thread() {
  look_up WORKER__THREADS && [ "$ce_value" = 1 ] || return 0
  look_up WORKER__PROCESSES || ce_value=1 # the default of the application
  [ "$ce_value" != 1 ] || refuse "the worker would run one task at a time, and the synchronization of a directory is" \
    "a task that waits for others, so that none would end; set IDP_WORKER__THREADS or IDP_WORKER__PROCESSES to 2"
}

# Checks only the permission: writing a file would cost two requests to the bucket at every start.
require_writable_storage() {
  for ce_usage in MEDIA REPORTS; do
    look_up "STORAGE__${ce_usage}__BACKEND" || look_up STORAGE__BACKEND || ce_value="file"
    [ "$ce_value" = file ] || continue
    look_up "STORAGE__${ce_usage}__FILE__PATH" || look_up STORAGE__FILE__PATH
    case $ce_value in
      file://* | env://*) continue ;; # the application looks it up
    esac
    if [ ! -d "$ce_value" ] || [ ! -w "$ce_value" ]; then
      refuse "$ce_value is not a directory that user $(id -u) may write, so uploads of application icons and flow" \
        "backgrounds would fail; mount it read-write with uid=1000,gid=1000"
    fi
  done
}

# Server and worker create their sockets in this folder.
require_temporary_folder() {
  ce_temporary=${TMPDIR:-/tmp}
  if ! mkdir -p -- "$ce_temporary" 2>/dev/null || [ ! -w "$ce_temporary" ]; then
    refuse "TMPDIR is $ce_temporary, which is not a directory that user $(id -u) may write and cannot be made one;" \
      "leave TMPDIR out or mount a memory-backed volume there"
  fi
}

# The rest is about the processes of a container with a server and a worker, or with a connection pool:
#
#   dumb-init              hands signals to the shells, collects what others leave behind
#   └─ this shell          waits for the application, then for the rest; its end is the end of the container
#      ├─ supervision      starts one connection pool after the other; the shell above notices its end
#      │  ├─ pool          a copy of the supervision, replaced by PgBouncer
#      │  └─ log           marks the lines of all pools
#      ├─ application      a copy of this shell, replaced by the server, or by what else was asked for
#      └─ supervision      starts one worker after the other; the shell above notices its end
#         └─ worker        a copy of the supervision, replaced by the application
#            └─ watcher    ends a worker that does not answer; its own end is noticed by nobody

# Turns every signal to stop into a single TERM for server and worker, after which they finish their work. Other signals
# would stop the application at once, and a shell lets its background processes ignore INT and QUIT. USR1 and USR2 have
# no meaning here, but would end a shell, so they are ignored.
listen_to_signals() {
  ce_stopping=
  ce_child=
  ce_supervision=
  ce_supervision_lost=
  trap stop HUP INT QUIT TERM
  trap '' USR1 USR2
}

# The trap does the whole stop: if it only set a variable, it could run just before the shell begins to wait. Further
# signals are ignored, because dash loses the exit status of the command during which a second trap runs.
stop() {
  trap '' HUP INT QUIT TERM
  trap - CHLD
  ce_stopping=yes
  [ -z "$ce_supervision" ] || kill -s TERM "$ce_supervision" 2>/dev/null || :
  [ -z "$ce_child" ] || end_process "$ce_child" "$ce_stop_seconds"
}

# Ends the container if a supervision has ended: a shell that cannot start a process exits, and a killed shell reports
# nothing. Runs in a trap, so it does not use `read`, from which the shell of BusyBox 1.38 never returns there.
notice_supervisions() {
  notice_supervision "$ce_supervision" worker
  notice_supervision "$ce_pool_supervision" "connection pool"
}

notice_supervision() {
  [ -n "$1" ] && [ -z "$ce_supervision_lost" ] || return 0
  ! has_program "$1" || return 0
  ce_supervision_lost=yes
  ce_exit_code=0
  wait "$1" || ce_exit_code=$?
  say "the supervision of the $2 ended with exit code $ce_exit_code, so the container ends"
  stop
}

is_running() {
  kill -s 0 "$1" 2>/dev/null
}

# A process that has ended still has its id until the shell waits for it, but no program.
has_program() {
  [ -e "/proc/$1/exe" ]
}

# end_process ID SECONDS: ends a process by TERM, and by KILL after so many seconds. A process with a group of its own
# gets a single TERM, together with its group. A shell has no group of its own, nor has any process before it has
# started its program: such a process may lose a signal, so TERM is sent repeatedly, which does no harm.
end_process() {
  ce_told=
  ce_tries=$(($2 * 10))
  while is_running "$1" && [ "$ce_tries" -gt 0 ]; do
    [ -n "$ce_told" ] || { kill -TERM "-$1" && ce_told=yes || kill -s TERM "$1"; } 2>/dev/null || :
    sleep 0.1 || :
    ce_tries=$((ce_tries - 1))
  done
  kill -KILL "-$1" 2>/dev/null || :
}

# hold COMMAND...: runs a command as a child, and sets ce_exit_code when it has ended, by itself or by a stop.
hold() {
  ce_exit_code=143
  [ -z "$ce_stopping" ] || return 0
  "$@" &
  ce_child=$!
  # The signal may have arrived before ce_child was set.
  [ -z "$ce_stopping" ] || end_process "$ce_child" "$ce_stop_seconds"
  ce_exit_code=0
  wait "$ce_child" || ce_exit_code=$?
  # A signal can end `wait` before the child ends. A second wait returns 127 if the first one was complete.
  while has_program "$ce_child"; do wait "$ce_child" || :; done
  ce_second_code=0
  wait "$ce_child" 2>/dev/null || ce_second_code=$?
  [ "$ce_second_code" -eq 127 ] || ce_exit_code=$ce_second_code
  kill -KILL "-$ce_child" 2>/dev/null || :
  ce_child=
}

become() {
  trap - HUP INT QUIT TERM USR1 USR2
  exec "$@"
}

watch_worker() {
  become python3 -IS "$ce_files/watch-worker.py" "$@"
}

# Each worker gets an empty temporary folder: a killed worker leaves stale sockets, and files that would fill the memory
# in which the folder is.
become_worker() {
  rm -rf -- "$TMPDIR"
  mkdir -m 700 -- "$TMPDIR"
  # The shell itself opens the file, so the first field is its own process id.
  read -r ce_worker _ </proc/self/stat
  [ -z "$ce_watched" ] || watch_worker "$ce_worker" "$ce_worker_port" "$ce_server_port" >&2 &
  become setsid ak worker
}

# Runs in a subshell, so that these settings do not reach the server.
supervise_worker() {
  listen_to_signals
  look_up LISTEN__HTTP || :
  ce_server_port=${ce_value##*:}
  case $ce_server_port in
    '' | *[!0-9]*) ce_server_port=9000 ;; # the default of the application
  esac
  export "${UPSTREAM_PREFIX}LISTEN__HTTP=127.0.0.1:9001"
  export "${UPSTREAM_PREFIX}LISTEN__HTTPS=127.0.0.1:9444"
  export "${UPSTREAM_PREFIX}LISTEN__METRICS=127.0.0.1:9301"
  look_up LISTEN__HTTP
  ce_worker_port=${ce_value##*:}
  ce_watched=yes
  python3 -IS -c '' 2>/dev/null || ce_watched=
  [ -n "$ce_watched" ] || say "python3 cannot be started, so a worker that does not answer is not restarted"
  # With the process id, so that a second run of this script in the container does not empty the folder of the first.
  ce_folder=${TMPDIR:-/tmp}
  export TMPDIR="${ce_folder%/}/co-located-worker.$$"

  keep_running worker become_worker
  rm -rf -- "$TMPDIR"
}

# keep_running WORDS FUNCTION: runs a function until the stop, and starts it again whenever it ends, after growing
# pauses. The log calls it WORDS.
keep_running() {
  ce_pause_seconds=1
  while [ -z "$ce_stopping" ]; do
    ce_started=$(date +%s)
    hold "$2"
    [ -z "$ce_stopping" ] || break
    ce_lasted_seconds=$(($(date +%s) - ce_started))
    # After minutes of running, the failure has a new cause.
    [ "$ce_lasted_seconds" -lt 120 ] || ce_pause_seconds=1
    say "$1 ended with exit code $ce_exit_code after $ce_lasted_seconds s, starts again in $ce_pause_seconds s"
    hold become sleep "$ce_pause_seconds"
    ce_pause_seconds=$((ce_pause_seconds * 2))
    [ "$ce_pause_seconds" -le 30 ] || ce_pause_seconds=30
  done
}

# Runs the server with a worker beside it.
run_server() {
  start_pool
  supervise_worker &
  ce_supervision=$!
  run_application "$@"
}

# Sets the time limits of a stop and the traps, and starts the pool if there is one.
start_pool() {
  # Cloud Run, which sets K_SERVICE, kills the container 10 s after TERM. After a failure, the same short time applies
  # everywhere, so that the new server is not delayed. Otherwise, 60 s is the rest of a pod's grace period after it has
  # been removed from the traffic.
  ce_short_stop_seconds=8
  ce_stop_seconds=60
  ! has_text K_SERVICE || ce_stop_seconds=$ce_short_stop_seconds

  listen_to_signals
  ce_pool_supervision=
  [ -n "$ce_pool" ] || return 0
  # A killed container may have left a stale socket there.
  rm -rf -- "$ce_pool"
  supervise_pool &
  ce_pool_supervision=$!
  await_pool
}

# Runs the application as a child of this shell. When it has ended, stops worker and pool, and exits with its code.
run_application() {
  trap notice_supervisions CHLD
  # A supervision may have ended before the trap was set.
  notice_supervisions
  hold become setsid ak "$@"
  trap - CHLD
  ce_application_exit_code=$ce_exit_code
  if [ -z "$ce_stopping" ]; then
    say "$1 ended with exit code $ce_application_exit_code, so the container ends"
    ce_stop_seconds=$ce_short_stop_seconds
  fi
  # The supervision needs a moment longer than the worker.
  [ -z "$ce_supervision" ] || end_process "$ce_supervision" $((ce_stop_seconds + 1))
  [ -z "$ce_pool_supervision" ] || end_pool
  [ -z "$ce_supervision_lost" ] || [ "$ce_application_exit_code" -ne 0 ] || exit 1
  exit "$ce_application_exit_code"
}

# The other files of the image are in the same folder.
ce_files=${0%/*}
# shellcheck source=image/connection-pool.sh
. "$ce_files/connection-pool.sh"

require_prefix() {
  case $UPSTREAM_PREFIX in
    [0-9]* | *[!A-Za-z0-9_]*)
      refuse "no variable name can begin with the UPSTREAM_PREFIX of this image; build it with letters, digits and _"
      ;;
  esac
}

# classify_command COMMAND: sets ce_is_application to whether the command starts a part of the application, which needs
# its database and storage, and ce_has_worker to whether it starts a worker: yes or empty. All other commands are for
# maintenance.
classify_command() {
  ce_is_application=
  ce_has_worker=
  case $1 in
    server | allinone | worker) ce_is_application=yes ce_has_worker=yes ;;
    server-alone) ce_is_application=yes ;;
  esac
}

# Sets the application's variables from those of the platform, and logs which.
map_variables() {
  ce_mapped=
  ce_defaulted=
  ce_pool=
  map_database_variables
  choose_ssl_mode
  separate_endpoints
  [ -z "$ce_is_application" ] || route_through_pool
  choose_storage_path
  choose_native_log_level
  [ -z "$ce_has_worker" ] || choose_prefetch
  say "mapped:${ce_mapped:- nothing}; by default:${ce_defaulted:- nothing}"
}

check_variables() {
  if [ -n "$ce_is_application" ]; then
    require_variables
    require_writable_storage
    require_temporary_folder
  fi
  [ -z "$ce_has_worker" ] || require_second_thread
}

main() {
  require_prefix
  [ $# -gt 0 ] || set -- server
  for_each_variable forget_own_name
  classify_command "$1"
  map_variables
  check_variables
  for_each_variable translate_to_upstream
  case $1 in
    server) run_server "$@" ;;
    server-alone) shift && set -- server "$@" ;;
  esac
  if [ -n "$ce_pool" ]; then
    start_pool
    run_application "$@"
  fi
  exec ak "$@"
}

main "$@"
