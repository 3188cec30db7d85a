# shellcheck shell=sh
# Shell library of google-rest.sh, which sources it: required programs, output, settings, addresses, pauses and cleanup.
#
# Settings, all optional; pauses and the limits of a call may have fractions:
#   REST_TRIES               attempts per call (6)
#   REST_RETRY_BASE_SECONDS  first pause between attempts, doubled each time up to 15 s (1)
#   REST_CONNECT_SECONDS     time limit for reaching the host (10)
#   REST_CALL_SECONDS        time limit for one attempt (14)
#   REST_POLL_SECONDS        polling interval (5)
#   REST_PAGES               pages of a list, at most (10000)
#   REST_TOKEN_SECONDS       time limit for each gcloud command that prints a token (30)
#
# Exit codes of every script: 0 done, 1 an API refused or took too long, 2 wrong settings or a missing program, 128 and
# above interrupted by a signal.

# Character ranges and messages must not depend on the caller's locale, nor times on its zone: jq 1.6 adds an hour in
# summer.
export LC_ALL=C TZ=UTC0

# Temporary files of this library hold tokens.
umask 077

REST_TRIES=${REST_TRIES:-6}
REST_RETRY_BASE_SECONDS=${REST_RETRY_BASE_SECONDS:-1}
REST_CONNECT_SECONDS=${REST_CONNECT_SECONDS:-10}
REST_CALL_SECONDS=${REST_CALL_SECONDS:-14}
REST_POLL_SECONDS=${REST_POLL_SECONDS:-5}
REST_PAGES=${REST_PAGES:-10000}
REST_TOKEN_SECONDS=${REST_TOKEN_SECONDS:-30}

# jq functions that check every answer and that filters of google_reading use. "own" refuses an object of a proxy or a
# portal: it has neither one of these fields nor the collection that was asked for. Google omits what is empty, so an
# empty list is {}. "encoded" also encodes what @uri of some releases of jq leaves as it is.
# shellcheck disable=SC2016,SC2034 # names of jq; google-rest.sh reads it
GOOGLE_FUNCTIONS='def own($collection):
  if . == {} or any(has($collection, "kind", "name", "id", "done", "items", "nextPageToken", "unreachable", "warnings",
    "metadata", "bindings", "etag", "ancestor", "uploadFileInfo", "accounts", "logNames", "totalSize", "projectId"); .)
  then . else error("foreign") end;
def encoded: @uri | gsub("[.]"; "%2E") | gsub("~"; "%7E") | gsub("!"; "%21") | gsub("\u0027"; "%27")
  | gsub("[(]"; "%28") | gsub("[)]"; "%29") | gsub("[*]"; "%2A");
def text: ([.message // "no message" | splits("[ \r\n]+")] | join(" ") | rtrimstr(" ") | .[0:2000])
  + ([.details[]?.fieldViolations[]?.description? // empty]
    | if . == [] then "" else " [" + (join("; ") | .[0:2000]) + "]" end);
def field($name): .[$name] // error("no field");
def items($name):
  if . == {} or any(has($name, "nextPageToken", "unreachable", "warnings"); .) or (.kind | tostring | contains("#"))
  then .[$name] // [] | arrays // error("no list") else error("no list") end;'
GOOGLE_ENDING=no GOOGLE_ON_FAILURE=: GOOGLE_WORK='' GOOGLE_REFUSED='' GOOGLE_SHOWN=''
# The background processes, which must not outlive the script.
GOOGLE_SLEEP='' GOOGLE_WORKER=''

google_say() {
  google_plain "$*"
  # A SIGPIPE that is ignored at startup cannot be trapped, so the failed write ends the script.
  printf '%s\n' "$google_line" 2>/dev/null || [ "$GOOGLE_ENDING" = yes ] || google_interrupted SIGPIPE 141
}

google_error() {
  google_plain "$*"
  printf '%s\n' "$google_line" >&2 || :
}

# Sets google_line to the text without ASCII control characters, except line breaks, so that a response cannot control
# the terminal.
google_plain() {
  google_line=$1
  case $1 in
    *[!' '-~]*) google_line=$(printf '%s' "$1" | tr '\001-\011\013-\037\177' ' ') ;;
  esac
}

# Reports all missing programs at once.
google_require() {
  google_missing=
  for google_program in "$@"; do
    command -v "$google_program" >/dev/null 2>&1 || google_missing="$google_missing $google_program"
  done
  [ -n "$google_missing" ] || return 0
  google_error "Missing on this machine:$google_missing." \
    "Install them (jq 1.6 or newer, aws 1 or 2), then run the same command again."
  exit 2
}

# google_options WORD...: for --help, prints the usage, which is the comment at the beginning of the script. Refuses
# words that are not in GOOGLE_OPTIONS, which a script sets before it sources this library; with "any", the script
# checks its words itself.
google_options() {
  for google_word in "$@"; do
    case $google_word in
      --help | -h) sed -n -e 1d -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0" && exit 0 ;;
    esac
    case " ${GOOGLE_OPTIONS:-} " in
      *" any "* | *" ${google_word:--} "*) ;;
      *) google_refuse "\"$google_word\" is not an option; there are: ${GOOGLE_OPTIONS:+$GOOGLE_OPTIONS }--help." ;;
    esac
  done
}

# google_stop MESSAGE LINE...: prints what failed and what to do about it, and exits.
google_stop() {
  google_error "$1"
  shift
  for google_more in "$@"; do google_error "  $google_more"; done
  exit 1
}

# Collects problems of the settings; google_start reports them together.
google_refuse() {
  GOOGLE_REFUSED="$GOOGLE_REFUSED
  - $*"
}

# google_check NAME VALUE PATTERN MEANING: refuses a value that is empty or does not match the expression.
google_check() {
  case $2 in
    '') google_refuse "$1 is not set; it must hold $4." ;;
    *'
'*) google_refuse "$1 has more than one line; it must hold $4." ;;
    *) printf '%s\n' "$2" | grep -Eqx "$3" || google_refuse "$1 is \"$2\"; it must hold $4." ;;
  esac
}

# google_setting NAME PATTERN MEANING: like google_check, for an environment variable.
google_setting() {
  eval "google_value=\${$1:-}"
  google_check "$1" "$google_value" "$2" "$3"
}

# google_option NAME PATTERN MEANING: like google_setting, for a variable that may be empty.
google_option() {
  eval "$1=\${$1:-} google_value=\${$1:-}"
  [ -z "$google_value" ] || google_setting "$@"
}

# google_time_limit NAME...: refuses variables that are not whole seconds. In shell arithmetic, a leading 0 means octal,
# and 20 digits overflow.
google_time_limit() {
  for google_name in "$@"; do
    google_setting "$google_name" '0|[1-9][0-9]{0,5}' "a number of seconds, at most 999999"
  done
}

# google_is_unsafe TEXT [ALLOWED]: whether TEXT is empty, has "..", or has characters other than those of a URL path and
# ALLOWED.
google_is_unsafe() {
  case $1 in
    '' | *..* | *[!A-Za-z0-9._/${2:-}-]*) return 0 ;;
  esac
  return 1
}

# Google's APIs: name, <PRODUCT> in the name of the variable that has its base URL (GOOGLE_<PRODUCT>_CUSTOM_ENDPOINT),
# version as in the Terraform provider google 7.45, and path and query of a harmless call, in which PROJECT and REGION
# are to be filled in.
GOOGLE_APIS='artifactregistry ARTIFACT_REGISTRY v1 projects/PROJECT/locations/REGION/repositories pageSize=1
certificatemanager CERTIFICATE_MANAGER v1 projects/PROJECT/locations/global/certificateMaps pageSize=1
cloudbuild CLOUD_BUILD v1 projects/PROJECT/builds pageSize=1
cloudresourcemanager RESOURCE_MANAGER v1 projects/PROJECT
cloudscheduler CLOUD_SCHEDULER v1 projects/PROJECT/locations/REGION/jobs pageSize=1
compute COMPUTE compute/v1 projects/PROJECT
container CONTAINER v1 projects/PROJECT/locations/REGION/clusters
dns DNS dns/v1 projects/PROJECT/managedZones maxResults=1
iam IAM_BETA v1 projects/PROJECT/serviceAccounts pageSize=1
logging LOGGING v2 projects/PROJECT/logs pageSize=1
migrationcenter MIGRATION_CENTER v1 projects/PROJECT/locations/REGION/sources pageSize=1
monitoring MONITORING - v3/projects/PROJECT/alertPolicies pageSize=1
run CLOUD_RUN_V2 v2 projects/PROJECT/locations/REGION/services pageSize=1
secretmanager SECRET_MANAGER v1 projects/PROJECT/secrets pageSize=1
serviceusage SERVICE_USAGE v1 projects/PROJECT/services/serviceusage.googleapis.com
sqladmin SQL sql/v1beta4 projects/PROJECT/instances maxResults=1
storage STORAGE storage/v1 b project=PROJECT&maxResults=1
workloadidentity WORKLOAD_IDENTITY v1 projects/PROJECT/locations pageSize=1'

# google_address API[@VERSION]: sets google_base to the base URL of an API, with a trailing slash, and google_harmless
# to that call. Returns 1 for an API that is not in the table. Other versions of an API have the same address before
# the version.
# shellcheck disable=SC2034 # wait-for-api.sh reads google_harmless
google_address() {
  while read -r google_api google_product google_version google_harmless; do
    [ "$google_api" != "${1%@*}" ] || break
  done <<TABLE
$GOOGLE_APIS
TABLE
  [ -n "$google_api" ] || return 1
  google_own="https://$google_api.googleapis.com/${google_version#-}"
  eval "google_base=\${GOOGLE_${google_product}_CUSTOM_ENDPOINT:-$google_own}"
  google_base=${google_base%/}/
  case $1 in *@*) google_base=${google_base%"$google_version"/}${1#*@}/ ;; esac
}

# Quota project: sent only with USER_PROJECT_OVERRIDE; GOOGLE_BILLING_PROJECT takes precedence over PROJECT_ID.
google_quota_project() {
  case ${USER_PROJECT_OVERRIDE:-} in
    1 | t | T | true | TRUE | True) printf '%s\n' "${GOOGLE_BILLING_PROJECT:-${PROJECT_ID:-}}" ;;
  esac
}

# Whether the temporary folder has room for the answers to some calls. Without room, calls would fail with misleading
# messages, or would be tried again for a long time.
google_has_room() {
  # In a subshell, because a limit of the size of files may end it.
  (printf '%65536s' '' >"$GOOGLE_WORK/room") 2>/dev/null || return 1
  rm -f "$GOOGLE_WORK/room"
}

google_full() {
  GOOGLE_ENDING=full
  google_stop "The temporary folder ${TMPDIR:-/tmp} is full or cannot be written." \
    "To fix: make room there, or set TMPDIR to another folder."
}

# Ends the script if a setting is wrong; otherwise prepares the temporary folder and the cleanup.
google_start() {
  google_setting REST_TRIES '[1-9][0-9]{0,2}' "a number of attempts, at most 999"
  google_setting REST_PAGES '[1-9][0-9]{0,5}' "a number of pages, at most 999999"
  google_time_limit REST_TOKEN_SECONDS
  for google_name in REST_CALL_SECONDS REST_CONNECT_SECONDS; do
    # For curl, 0 means no limit.
    google_setting "$google_name" '[1-9][0-9]{0,4}(\.[0-9]{1,3})?|0\.[0-9]{0,2}[1-9]' "a number of seconds above 0"
  done
  for google_name in REST_POLL_SECONDS REST_RETRY_BASE_SECONDS; do
    google_setting "$google_name" '[0-9]{1,5}(\.[0-9]{1,3})?' "a number of seconds"
  done
  google_option GOOGLE_BILLING_PROJECT '[A-Za-z0-9.:-]+' "the id or number of a project"
  if [ -n "$GOOGLE_REFUSED" ]; then
    google_error "${0##*/} cannot start:$GOOGLE_REFUSED"
    # For scripts that people start: the folder of the stack prints their settings.
    [ -n "${PROJECT_ID:-}" ] || [ -z "${GOOGLE_SETTINGS:-}" ] ||
      google_error "In the folder of the stack, this sets them: $GOOGLE_SETTINGS"
    exit 2
  fi
  GOOGLE_WORK=$(mktemp -d "${TMPDIR:-/tmp}/google-rest.XXXXXX" 2>/dev/null) || google_full
  trap google_end EXIT
  trap 'google_interrupted SIGHUP 129' HUP
  trap 'google_interrupted SIGINT 130' INT
  trap 'google_interrupted SIGQUIT 131' QUIT
  trap 'google_interrupted SIGPIPE 141' PIPE
  trap 'google_interrupted SIGTERM 143' TERM
  google_has_room || google_full
  GOOGLE_ANSWER=$GOOGLE_WORK/answer
  GOOGLE_STARTED=$(date +%s)
  : >"$GOOGLE_ANSWER"
}

# Opens the descriptors 8 and 9 as the ends of a pipe, for an answer that must never be in a file.
google_open_pipe() {
  rm -f "$GOOGLE_WORK/pipe"
  mkfifo "$GOOGLE_WORK/pipe"
  # 7, which is both ends, keeps the open of one end from waiting for the other. A program that writes into 8 once 9 is
  # closed gets a SIGPIPE.
  # shellcheck disable=SC2094 # both ends
  exec 7<>"$GOOGLE_WORK/pipe" 8>"$GOOGLE_WORK/pipe" 9<"$GOOGLE_WORK/pipe" 7<&-
}

# Runs whenever a script ends, even within this library, so that GOOGLE_ON_FAILURE can undo changes.
google_end() {
  GOOGLE_EXIT=$?
  trap '' HUP INT QUIT PIPE TERM
  trap - EXIT
  set +e
  google_end_children
  # A program that finds no room ends with its own exit code and message, so the reason is looked for here.
  if [ "$GOOGLE_EXIT" -ne 0 ] && [ "$GOOGLE_ENDING" = no ] && ! google_has_room; then (google_full) || GOOGLE_EXIT=1; fi
  GOOGLE_ENDING=yes
  # 5 is the exit code of jq for an object that does not have the fields of the API.
  if [ "$GOOGLE_EXIT" -eq 5 ]; then
    google_error "${0##*/} ends at an object that it cannot read, as said above."
    google_error "  To fix: correct or remove that object, and run the same command again."
    GOOGLE_EXIT=1
  fi
  [ "$GOOGLE_EXIT" -eq 0 ] || "$GOOGLE_ON_FAILURE"
  rm -rf "$GOOGLE_WORK"
  exit "$GOOGLE_EXIT"
}

google_end_children() {
  for google_child in $GOOGLE_SLEEP $GOOGLE_WORKER; do
    # A signal may arrive when a process has started but its id is not yet known.
    [ "$google_child" != latest ] || google_child=${!:-}
    # bash reports a killed child on the stderr that is in effect when it reaps the child.
    { kill -9 "$google_child" && wait "$google_child"; } 2>/dev/null || :
  done
}

# google_on_failure FUNCTION: sets a function that undoes changes if the script is interrupted or fails.
google_on_failure() {
  GOOGLE_ON_FAILURE=$1
}

# google_undo PROBLEM COMMAND CALL...: makes a call that undoes something. If it fails, prints PROBLEM and the command
# that does the same. In a subshell, so that a failure does not end the script before the rest is undone.
google_undo() {
  google_problem=$1 google_command=$2
  shift 2
  ("$@" || { google_error "$(google_outcome)" && exit 1; }) && return 0
  google_error "$google_problem."
  google_error "  To fix: $google_command"
  return 1
}

google_interrupted() {
  trap '' HUP INT QUIT PIPE TERM
  # At this moment, standard output may be redirected to anything.
  GOOGLE_ENDING=yes
  google_error "Interrupted by $1."
  exit "$2"
}

google_seconds() {
  echo $(($(date +%s) - GOOGLE_STARTED))
}

# Sleeps in the background, so that a signal is handled at once and not after the pause.
google_sleep() {
  # A sleep that is left behind must not keep the caller's pipe open.
  GOOGLE_SLEEP=latest
  sleep "$1" >/dev/null 2>&1 &
  GOOGLE_SLEEP=$!
  wait "$GOOGLE_SLEEP" || :
  GOOGLE_SLEEP=
}

# google_doubled BASE TRY [MOST]: BASE for the first try, doubled for each further one up to MOST (15); fractions are
# kept. Some builds of awk have no power operator.
google_doubled() {
  awk -v pause="$1" -v try="$2" -v most="${3:-15}" '
    BEGIN { while (--try > 0 && pause < most) pause *= 2; print (pause > most ? most : pause + 0) }'
}

# Runs a command in the background, so that a signal is handled at once. Returns the command's exit code.
google_beside() {
  google_start_beside "$@"
  google_await_worker
}

google_await_worker() {
  google_code=0
  wait "$GOOGLE_WORKER" || google_code=$?
  GOOGLE_WORKER=
  return "$google_code"
}

# google_within SECONDS COMMAND...: like google_beside, with a time limit, after which it returns 124. The command may
# hang, or print more than a pipe holds.
google_within() {
  google_until=$(($(date +%s) + $1))
  shift
  google_start_beside "$@"
  while kill -0 "$GOOGLE_WORKER" 2>/dev/null; do
    [ "$(date +%s)" -le "$google_until" ] || { google_end_children && GOOGLE_WORKER='' && return 124; }
    google_sleep 0.1
  done
  google_await_worker
}

google_start_beside() {
  GOOGLE_WORKER=latest
  (trap - EXIT HUP INT QUIT PIPE TERM; "$@") </dev/null &
  GOOGLE_WORKER=$!
}

# google_progress WHAT STATE: prints a line when the state changes. Terraform itself reports every ten seconds that it
# is waiting.
google_progress() {
  [ "$1/$2" != "$GOOGLE_SHOWN" ] || return 0
  GOOGLE_SHOWN="$1/$2"
  google_say "$1: $2 ($(google_seconds) s)"
}

# google_row WHAT WORD...: prints a line of a table, with a label and its value.
google_row() {
  google_row_of=$1
  shift
  google_say "$(printf '  %-9s %s' "$google_row_of" "$*")"
}

# google_confirm QUESTION: ends the script unless the answer is yes.
google_confirm() {
  printf '%s Type "yes" to continue: ' "$1"
  read -r google_reply || google_reply=
  [ "$google_reply" = yes ] || { google_say "Nothing was changed." && exit 1; }
}

# google_with_few_tries COMMAND...: runs a command with at most three attempts per call. For calls to a region that may
# be gone: each failed attempt prints a line.
google_with_few_tries() {
  google_all_tries=$REST_TRIES
  [ "$REST_TRIES" -le 3 ] || REST_TRIES=3
  # Not in a condition, which would switch set -e off in the command.
  "$@"
  REST_TRIES=$google_all_tries
}

# google_pause UNTIL WHAT STATE: one round of waiting; returns 1 once google_seconds is UNTIL.
google_pause() {
  google_progress "$2" "$3"
  [ "$(google_seconds)" -lt "$1" ] || return 1
  google_sleep "$REST_POLL_SECONDS"
}

# Prints the text on standard input as one line of at most 500 characters. Replaces words that look like a token or a
# key of AWS, because programs may print their arguments. A key of AWS may contain slashes.
google_text() {
  tr -s '[:cntrl:] ' ' ' | cut -c 1-2000 | sed -e 's/^ //' -e 's/ $//' | jq -Rr '
    def mixed($letters): "(?=[\($letters)]*[0-9])(?=[\($letters)]*[A-Z])(?=[\($letters)]*[a-z])";
    gsub("(ya[0-9]+[.]|eyJ|1//)[A-Za-z0-9+/_=.-]+"; "[...]")
    | gsub("(?<![A-Za-z0-9+/_=.-])\(mixed("A-Za-z0-9+/"))[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/_=-]|[.][a-z])"; "[...]")
    | gsub("[A-Za-z0-9+/_=-]*\(mixed("A-Za-z0-9+_=-"))[A-Za-z0-9+_=-]{40,}[A-Za-z0-9+/_=-]*"; "[...]")
    | .[0:500]'
}
