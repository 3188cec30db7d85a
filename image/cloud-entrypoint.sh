#!/bin/sh
# Turns what the platform injects into what the application reads, keeps a worker running beside the server, and then
# becomes the server. Any other command than `server` gets the same environment and nothing else.
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

# An empty DB_ variable means that the platform has nothing to say; an empty target is somebody's decision.
map_database_variables() {
  for part in HOST PORT NAME USER PASSWORD; do
    if has_text "DB_$part" && ! is_configured "POSTGRESQL__$part"; then
      copy "DB_$part" "IDP_POSTGRESQL__$part"
      mapped="$mapped DB_$part"
    fi
  done
}

# Whether the host of a database is this machine: a socket or a loopback address, in any spelling, with a port or without.
# Everything else is a network, also a host that is only looked up later (file://, env://). The entrypoint of the image
# and the job that prepares the database judge by these same lines.
is_local_host() {
  case $1 in
    /* | @*) return 0 ;;
    \[*\] | \[*\]:*) set -- "${1#?}" && set -- "${1%%\]*}" ;;
    *:*[!0-9]* | *:*:*) ;;
    *:*) set -- "${1%:*}" ;;
  esac
  case $1 in
    [Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt] | [Ll][Oo][Cc][Aa][Ll][Hh][Oo][Ss][Tt].) return 0 ;;
    # An IPv4 address as IPv6 writes it.
    ::[Ff][Ff][Ff][Ff]:127.*) set -- "${1##*:}" ;;
  esac
  case $1 in
    127.*[!0-9.]*) return 1 ;; # a name such as 127.example.com
    127.*) return 0 ;;
    *:*1) set -- "${1%1}" ;;
    *) return 1 ;;
  esac
  case $1 in
    *[!0:]*) return 1 ;;
  esac
}

# The proxy beside the application terminates TLS and refuses a client that asks for it. Everything else is a network.
choose_ssl_mode() {
  is_configured POSTGRESQL__SSLMODE && return
  if is_set "${UPSTREAM_PREFIX}POSTGRESQL__HOST"; then
    eval "host=\$${UPSTREAM_PREFIX}POSTGRESQL__HOST"
  elif is_set IDP_POSTGRESQL__HOST; then
    host=$IDP_POSTGRESQL__HOST
  else
    return 0
  fi
  if is_local_host "$host"; then
    export IDP_POSTGRESQL__SSLMODE=disable
  else
    export IDP_POSTGRESQL__SSLMODE=require
  fi
  defaulted="$defaulted IDP_POSTGRESQL__SSLMODE=$IDP_POSTGRESQL__SSLMODE"
}

# The application offers uploads only where its storage path is itself a mount point.
choose_storage_path() {
  is_configured STORAGE__FILE__PATH && return
  export IDP_STORAGE__FILE__PATH=/media
  defaulted="$defaulted IDP_STORAGE__FILE__PATH"
}

# Shells print variables each in their own quoting, and a value may hold a line that looks like another variable.
# Records that end in NUL are unambiguous, and env and tr come with coreutils, which Debian cannot do without. Line
# breaks become blanks and NULs become line breaks, so what stands before the first = is a whole name or no name at all.
translate_to_upstream() {
  records=$(env -0 | tr '\n\000' ' \n')
  set -f
  IFS='
'
  for record in $records; do
    name=${record%%=*}
    case $name in
      *[!A-Za-z0-9_]*) continue ;;
      IDP_?*) ;;
      *) continue ;;
    esac
    target=$UPSTREAM_PREFIX${name#IDP_}
    is_set "$target" || copy "$name" "$target"
  done
  unset IFS records
  set +f
}

require_variables() {
  missing=
  for part in HOST NAME USER; do
    has_text "${UPSTREAM_PREFIX}POSTGRESQL__$part" || missing="$missing, DB_$part"
  done
  # A database that trusts its clients has an empty password.
  is_set "${UPSTREAM_PREFIX}POSTGRESQL__PASSWORD" || missing="$missing, DB_PASSWORD"
  has_text "${UPSTREAM_PREFIX}SECRET_KEY" || missing="$missing, IDP_SECRET_KEY"
  [ -z "$missing" ] || refuse "${missing#, } missing or empty; the platform injects the DB_ variables with the" \
    "database and IDP_SECRET_KEY from the secret store (the IDP_POSTGRESQL__ and $UPSTREAM_PREFIX spellings count as" \
    "well)"
}

# Asks for the permission only: a trial file would cost two requests to the bucket at every start.
require_writable_storage() {
  eval "storage=\$${UPSTREAM_PREFIX}STORAGE__FILE__PATH"
  # shellcheck disable=SC2154 # eval assigns it
  if [ ! -d "$storage" ] || [ ! -w "$storage" ]; then
    refuse "$storage is not a directory that user $(id -u) may write, so uploads of application icons and flow" \
      "backgrounds would fail; mount it read-write with uid=1000,gid=1000"
  fi
}

# The sockets in the temporary directory have the same names in server and worker. An empty directory for each run also
# gives back what a dead worker left behind: stale sockets that nobody answers, and files that fill the memory they are
# kept in, which outlives a restart of the container.
start_worker() {
  rm -rf -- "$TMPDIR"
  mkdir -m 700 -- "$TMPDIR"
  exec ak worker
}

# Runs in a subshell, so the server sees none of these settings. It has no trap, on purpose: dumb-init signals the whole
# process group, which ends this loop at once and lets the worker finish its tasks. With a trap there is a moment in
# which a worker that is just being started misses the signal.
supervise_worker() {
  export "${UPSTREAM_PREFIX}LISTEN__HTTP=127.0.0.1:9001"
  export "${UPSTREAM_PREFIX}LISTEN__HTTPS=127.0.0.1:9444"
  export "${UPSTREAM_PREFIX}LISTEN__METRICS=127.0.0.1:9301"
  temporary=${TMPDIR:-/tmp}
  export TMPDIR="${temporary%/}/co-located-worker"

  pause_seconds=1
  while :; do
    started=$(date +%s)
    start_worker &
    exit_code=0
    wait $! || exit_code=$?
    lasted_seconds=$(($(date +%s) - started))
    # A worker that ran for minutes failed for a new reason.
    [ "$lasted_seconds" -lt 120 ] || pause_seconds=1
    say "worker ended with exit code $exit_code after $lasted_seconds s, starts again in $pause_seconds s"
    sleep "$pause_seconds"
    pause_seconds=$((pause_seconds * 2))
    [ "$pause_seconds" -le 30 ] || pause_seconds=30
  done
}

case $UPSTREAM_PREFIX in
  [0-9]* | *[!A-Za-z0-9_]*)
    refuse "no variable name can begin with the UPSTREAM_PREFIX of this image; build it with letters, digits and _" ;;
esac

mapped=
defaulted=
map_database_variables
choose_ssl_mode
choose_storage_path
translate_to_upstream
say "mapped:${mapped:- nothing}; by default:${defaulted:- nothing}"

[ $# -gt 0 ] || set -- server
if [ "$1" = server ]; then
  require_variables
  require_writable_storage
  # The worker comes first because nothing follows `exec`.
  supervise_worker &
fi
exec ak "$@"
