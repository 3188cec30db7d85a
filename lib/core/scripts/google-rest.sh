# shellcheck shell=sh
# Shell library of the REST scripts: credentials, URLs, retries and error messages for Google's APIs. A POSIX shell that
# runs with `set -eu` sources it, checks its settings, and calls google_start.
#
# Settings, all optional:
#   GOOGLE_OAUTH_ACCESS_TOKEN      access token; else one for GOOGLE_CREDENTIALS, GOOGLE_CLOUD_KEYFILE_JSON,
#                                  GCLOUD_KEYFILE_JSON or GOOGLE_APPLICATION_CREDENTIALS (google-credentials.sh); else
#                                  one from gcloud, else one from the metadata server
#   GCE_METADATA_HOST              host[:port] of the metadata server
#   GOOGLE_<PRODUCT>_CUSTOM_ENDPOINT  base URL of an API, as for the Terraform provider (see google_address)
#   USER_PROJECT_OVERRIDE          "true" sends the quota project, as for the Terraform provider
#   GOOGLE_BILLING_PROJECT         quota project to send instead of PROJECT_ID
#   LOST_REGION                    region that is known to be gone: a list may lack what is there
# Attempts, time limits, pauses and exit codes: rest-script.sh.
#
# Sets, for the script that calls it:
#   GOOGLE_WORK      temporary folder of this run
#   GOOGLE_STATUS    HTTP status of the last call; 000 if the API itself has not answered
#   GOOGLE_ANSWER    file with the body of the last response
#   GOOGLE_READ      line that google_reading or google_listed has read from it
#   GOOGLE_KEPT      response with the value of a secret, which is never in a file
#   GOOGLE_REASONS, GOOGLE_ERROR   reasons and message of the last error
#   GOOGLE_NOTE      sentence about the last failure that google_outcome prints instead; the script may set it
#   GOOGLE_BRIEF     short form of the outcome
#   GOOGLE_FAULT     whether a retry can help, see google_judge
#   GOOGLE_DONE      whether the last operation of google_settle has ended: true or false
# The script may set GOOGLE_PATIENT to no: then SERVICE_DISABLED and ABORTED are not retried. Other names that begin
# with google_ belong to the libraries.

google_library=${GOOGLE_REST_LIBRARY:-$0}
# shellcheck source=rest-script.sh
. "${google_library%"${google_library##*/}"}./rest-script.sh"
# shellcheck source=google-credentials.sh
. "${google_library%"${google_library##*/}"}./google-credentials.sh"

GOOGLE_PATIENT=yes GOOGLE_TOKEN_SOURCE='' google_filter=empty google_input=''

# google_fail MESSAGE [REMEDY...]: prints what failed, the last response of the API and what to do about it, and exits.
google_fail() {
  google_error "$1"
  google_error "  $(google_outcome)"
  google_advise
  shift
  [ -z "$*" ] || google_error "  $*"
  exit 1
}

# The calls below return 0 when the API has carried out the call. Otherwise they return 1 after all retries:
# GOOGLE_STATUS holds the API's HTTP status (000 when the API itself has not answered), the file GOOGLE_ANSWER the body,
# and google_outcome prints a readable text. PATH has no query; the values in QUERY are already encoded.

# google_get SERVICE PATH [QUERY]
google_get() {
  google_request GET "$1" "$2" "" "${3:-}" repeatable
}

# google_post SERVICE PATH BODY_FILE [QUERY]: for a POST that is safe to repeat.
google_post() {
  google_request POST "$1" "$2" "$3" "${4:-}" repeatable
}

# google_create SERVICE PATH BODY_FILE [QUERY]: for a POST that must not be carried out twice. Retried only when the API
# cannot have accepted it; when it may have, google_uncertain is true, and the caller checks before it tries again.
google_create() {
  google_request POST "$1" "$2" "$3" "${4:-}" once
}

# google_reading FILTER CALL ARGUMENT...: makes a call and sets GOOGLE_READ to the line that the jq filter prints of the
# response, so that one jq both checks and reads it. A response that the filter refuses is not the API's, and is an
# error.
google_reading() {
  google_filter=$1
  shift
  if "$@"; then set -- 0; else set -- 1; fi
  google_filter=empty
  return "$1"
}

# google_pages SERVICE PATH COLLECTION QUERY FILE: writes the items of all pages of a list to FILE, one line of JSON
# each. Fails if Google could not reach everything, because a caller might overwrite, or make twice, what is missing.
google_pages() {
  google_next='' google_page_count=0
  : >"$5"
  while :; do
    google_former=$google_next
    google_reading "items(\"$3\") | length" google_get "$1" "$2" "$4${google_next:+&pageToken=$google_next}" &&
      jq -c ".$3[]?" "$GOOGLE_ANSWER" >>"$5" &&
      google_missed=$(jq -r --arg lost "${LOST_REGION:-}" '
        def is_missed: $lost == "" or (split("/") | last) != $lost;
        [(.unreachable[]? | select(is_missed)), (.warnings[]? | select(.region // "" | is_missed)
          | [.code, .region, .message] | map(strings) | join(" "))] | join("; ")' "$GOOGLE_ANSWER" | google_text) &&
      google_next=$(jq -r '.nextPageToken // "" | @uri' "$GOOGLE_ANSWER") || return 1
    [ -z "$google_missed" ] || { GOOGLE_NOTE="$(google_place) is incomplete: $google_missed." && return 1; }
    [ -n "$google_next" ] || return 0
    if [ "$google_next" = "$google_former" ]; then
      GOOGLE_NOTE="$(google_place) names the same next page again."
      return 1
    fi
    google_page_count=$((google_page_count + 1))
    if [ "$google_page_count" -ge "$REST_PAGES" ]; then
      GOOGLE_NOTE="$(google_place) has more than $REST_PAGES pages; to read more, raise REST_PAGES."
      return 1
    fi
  done
}

# google_listed FILTER SERVICE PATH COLLECTION QUERY: reads all pages of a list, and sets GOOGLE_READ to the line that
# the jq filter prints of the array of its items.
google_listed() {
  google_of_list=$1
  shift
  google_pages "$@" "$GOOGLE_WORK/list" || return 1
  GOOGLE_READ=$(jq -rs "$GOOGLE_FUNCTIONS $google_of_list" "$GOOGLE_WORK/list") ||
    { GOOGLE_NOTE="$(google_place) lists something that cannot be read." && return 1; }
}

# What google_settle reads of an operation: name, whether it is done, reasons and text of its error; the first three
# hold no "|". Migration Center may answer with a file that is made instead of its operation.
GOOGLE_OPERATION='if has("name") or has("done") or has("uploadFileInfo") then . else error("no operation") end | [
    (.name // "" | strings),
    (.done == true or .status == "DONE" or has("uploadFileInfo") | tostring),
    ([.error.details[]?.reason? | strings] | unique | join(" ")),
    (.error // empty
      | if .errors then [.errors[] | "\(.code // "no code"): \(.message // "no message")"] | join("; ") else
      (["", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
        "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
        "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"][.code // 2] // "code \(.code)") + ": "
        + text end)
  ] | map(gsub("[[:cntrl:]]+"; " ")) | join("|")'

# google_settle SERVICE PREFIX LIMIT WHAT: waits for the operation that the last call began, for as many seconds as the
# variable LIMIT says, and leaves its last state in GOOGLE_ANSWER. Its address is PREFIX with its name. Returns 1 when
# it fails, can no longer be read or takes too long; google_outcome says which.
# shellcheck disable=SC2154 # eval sets google_limit
google_settle() {
  eval "google_limit=\$$3"
  google_settle_until=$(($(google_seconds) + google_limit))
  google_look=1
  while :; do
    IFS='|' read -r google_operation GOOGLE_DONE GOOGLE_REASONS GOOGLE_ERROR <<OPERATION
$GOOGLE_READ
OPERATION
    if [ "$GOOGLE_DONE" = true ]; then
      [ -n "$GOOGLE_ERROR" ] || return 0
      GOOGLE_NOTE="Operation $google_operation failed: $GOOGLE_ERROR" && return 1
    fi
    if google_is_unsafe "$google_operation"; then
      GOOGLE_NOTE="$(google_place) named no operation that can be asked for."
      return 1
    fi
    # Most operations are done by the second look.
    [ "$google_look" -eq 1 ] || google_progress "$4" "under way"
    if [ "$(google_seconds)" -ge "$google_settle_until" ]; then
      GOOGLE_NOTE="Operation $google_operation is not done after $google_limit s; it goes on by itself."
      GOOGLE_NOTE="$GOOGLE_NOTE To wait longer, raise $3."
      return 1
    fi
    google_sleep "$(google_doubled "$REST_RETRY_BASE_SECONDS" "$google_look" "$REST_POLL_SECONDS")"
    google_look=$((google_look + 1))
    google_reading "$GOOGLE_OPERATION" google_get "$1" "$2$google_operation" || return 1
  done
}

# google_request METHOD SERVICE PATH BODY_FILE QUERY repeatable|once
#
# The value of a secret is never in a file or a message: the answer to PATH:access is in GOOGLE_KEPT alone, and a
# BODY_FILE of "-" sends GOOGLE_SECRET, JSON as a string of JSON.
google_request() {
  google_address "$2"
  GOOGLE_METHOD=$1
  GOOGLE_URL=$google_base$3${5:+?$5}
  google_body=$4
  google_policy=$6
  # The URL goes into a curl configuration file, and parts of it come from responses: a line break would add options.
  if google_is_unsafe "$3" ':%' || google_is_unsafe "${5:-none}" ":%~&=,+!*'()"; then
    google_judge_nothing
    GOOGLE_NOTE="$1 $2: \"$3${5:+?$5}\" cannot be an address."
    return 1
  fi
  [ -n "$GOOGLE_TOKEN_SOURCE" ] || google_authorize
  google_repeat google_send
}

# google_repeat ATTEMPT: retries until ATTEMPT succeeds or a retry is pointless. Only google_send sends a token, so only
# its 401 renews one.
google_repeat() {
  google_try=1
  google_renewed=no
  while :; do
    "$1"
    case $1/$GOOGLE_STATUS in
      */2??) return 0 ;;
      google_send/401)
        google_renew
        continue
        ;;
    esac
    case $GOOGLE_FAULT/$google_policy in
      unheard/* | unclear/repeatable) [ "$google_try" -lt "$REST_TRIES" ] || return 1 ;;
      *) return 1 ;;
    esac
    google_delay=$(google_back_off)
    google_say "$(google_outcome) Trying again in $google_delay s (attempt $((google_try + 1)) of $REST_TRIES)."
    google_sleep "$google_delay"
    google_try=$((google_try + 1))
  done
}

google_send() {
  {
    printf 'url = "%s"\n' "$GOOGLE_URL"
    google_payer=$(google_quota_project)
    [ -z "$google_payer" ] || printf 'header = "X-Goog-User-Project: %s"\n' "$google_payer"
  } >"$GOOGLE_WORK/request"
  set -- --config "$GOOGLE_WORK/request" --config - --request "$GOOGLE_METHOD" --header 'Accept: application/json'
  google_input="header = \"Authorization: Bearer $google_token\""
  [ -z "$google_body" ] || set -- "$@" --header 'Content-Type: application/json'
  case $google_body in
    '') ;;
    -) google_input="$google_input
data-binary = $GOOGLE_SECRET" ;;
    *) set -- "$@" --data-binary "@$google_body" ;;
  esac
  google_attempt google_read_answer --max-time "$REST_CALL_SECONDS" "$@"
  google_input=
}

# google_attempt READER CURL_ARGUMENT...
google_attempt() {
  google_reader=$1
  shift
  google_has_room || google_full
  for google_file_name in answer headers status; do : >"$GOOGLE_WORK/$google_file_name"; done
  GOOGLE_CURL=0 GOOGLE_KEPT=''
  google_open_pipe
  printf '%s\n' "$google_input" >&8 9<&- &
  exec 6<&9 8>&- 9<&-
  case $GOOGLE_URL in
    *:access)
      google_open_pipe
      google_within "$((${REST_CALL_SECONDS%.*} + 1))" google_curl "$@" --output "$GOOGLE_WORK/pipe" || GOOGLE_CURL=$?
      [ "$GOOGLE_CURL" != 124 ] || { GOOGLE_CURL=28 && echo "it does not end" >"$GOOGLE_WORK/curl-error"; }
      exec 8>&-
      GOOGLE_KEPT=$(cat <&9)
      exec 9<&-
      printf '%s\n' "$GOOGLE_KEPT" | jq -c 'del(.payload)' >"$GOOGLE_ANSWER" 2>/dev/null || : >"$GOOGLE_ANSWER"
      ;;
    *) google_beside google_curl "$@" --output "$GOOGLE_ANSWER" || GOOGLE_CURL=$? ;;
  esac
  exec 6<&-
  # curl could not write what it had received.
  [ "$GOOGLE_CURL" != 23 ] || { GOOGLE_FAULT=unclear && google_full; }
  google_judge "$google_reader"
}

google_curl() {
  # -q first: a ~/.curlrc could print the request with its token.
  exec curl -q --silent --show-error --globoff --proto '=http,https' "$@" \
    --dump-header "$GOOGLE_WORK/headers" --write-out '%{http_code}\n' \
    --connect-timeout "$REST_CONNECT_SECONDS" >"$GOOGLE_WORK/status" 2>"$GOOGLE_WORK/curl-error" <&6
}

# google_judge READER: classifies the last attempt. READER returns 1 when the body is not in the API's format, because a
# proxy or captive portal has answered. Sets GOOGLE_STATUS, GOOGLE_STRANGER (the HTTP status of that proxy),
# GOOGLE_BRIEF (a short form for messages) and GOOGLE_FAULT:
#   none     the API has carried out the call
#   unheard  transient: the API has not carried it out
#   unclear  transient: the API may have carried it out
#   final    a retry is pointless
google_judge() {
  google_judge_nothing
  read -r google_http <"$GOOGLE_WORK/status" || :
  case $GOOGLE_CURL in
    0)
      if "$1" "$google_http"; then
        GOOGLE_STATUS=$google_http
        GOOGLE_BRIEF="HTTP $google_http"
      else
        GOOGLE_STRANGER=$google_http
        GOOGLE_BRIEF="HTTP $google_http of a proxy or portal"
        GOOGLE_FAULT=unclear
        google_answer="HTTP $google_http${google_page:+, $google_page}"
        GOOGLE_NOTE="$(google_place): a proxy or portal answered, not the API: $google_answer."
      fi
      ;;
    # Name resolution or connection failed: nothing was sent.
    [567]) GOOGLE_FAULT=unheard ;;
    # Timed out, or broken off in the handshake, by a proxy or in the transfer: the request may have arrived.
    16 | 18 | 28 | 35 | 52 | 55 | 56 | 92) GOOGLE_FAULT=unclear ;;
  esac
  case $GOOGLE_STATUS in
    2??) GOOGLE_FAULT=none ;;
    408 | 500 | 502 | 503 | 504) GOOGLE_FAULT=unclear ;;
    429) GOOGLE_FAULT=unheard ;;
    403) ! google_has_reason rateLimitExceeded userRateLimitExceeded RATE_LIMIT_EXCEEDED || GOOGLE_FAULT=unheard ;;
  esac
  # Some front ends still return SERVICE_DISABLED shortly after an API was enabled, and ABORTED means that another
  # operation on the same resource has to end first.
  if [ "$GOOGLE_PATIENT" = yes ] && { google_service_disabled || google_says '^ABORTED'; }; then
    GOOGLE_FAULT=unheard
  fi
}

# shellcheck disable=SC2034 # scripts read GOOGLE_BRIEF
google_judge_nothing() {
  GOOGLE_STATUS=000
  GOOGLE_BRIEF="no answer"
  GOOGLE_FAULT=final
  GOOGLE_STRANGER='' GOOGLE_NOTE='' GOOGLE_REASONS='' GOOGLE_ERROR='' GOOGLE_READ='' google_form='' google_page=''
}

# Whether the last call may have been carried out although it failed.
google_uncertain() {
  [ "$GOOGLE_FAULT" = unclear ]
}

# Seconds until the next attempt: Retry-After, at most two minutes, else exponential backoff.
google_back_off() {
  google_asked=$(tr -d '\r' <"$GOOGLE_WORK/headers" |
    sed -n 's/^[Rr][Ee][Tt][Rr][Yy]-[Aa][Ff][Tt][Ee][Rr]: *\([0-9]\{1,6\}\)$/\1/p')
  case $google_asked in
    '') google_doubled "$REST_RETRY_BASE_SECONDS" "$google_try" ;;
    ??? | ????*) echo 120 ;;
    *) echo "$google_asked" ;;
  esac
}

# google_read_answer STATUS: reads the body, a JSON object or an API error. From an error, sets GOOGLE_REASONS to the
# machine-readable reasons and GOOGLE_ERROR to "STATUS (REASON): message".
google_read_answer() {
  google_collection_of=${GOOGLE_URL%%\?*}
  google_collection_of=${google_collection_of##*/}
  jq -rs --arg status "$1" --arg collection "${google_collection_of%%:*}" "$GOOGLE_FUNCTIONS"'
    if length != 1 then empty
    elif $status | startswith("2") then .[0] | objects | own($collection) | "api", "", "", ('"$google_filter"')
    else
      .[0] | if type == "array" then .[0] else . end | objects | .error | objects | select(.code | numbers)
      | ([.details[]?.reason?, .errors[]?.reason?] | map(select(type == "string")) | unique) as $reasons
      | ([.status // empty] + (if $reasons == [] then [] else ["(" + ($reasons | join(", ")) + ")"] end) | join(" "))
          as $title
      | "api", ($reasons | join(" ")),
        (if $title == "" then "" else $title + ": " end)
          + text
    end' "$GOOGLE_ANSWER" >"$GOOGLE_WORK/read" 2>/dev/null || : >"$GOOGLE_WORK/read"
  {
    read -r google_form && read -r GOOGLE_REASONS && read -r GOOGLE_ERROR && IFS= read -r GOOGLE_READ
  } <"$GOOGLE_WORK/read" || :
  [ "$google_form" != api ] || return 0
  case $GOOGLE_URL in
    *:access) google_page="with a body that is not shown" ;;
    *) google_page=$(google_text <"$GOOGLE_ANSWER") ;;
  esac
  google_page=${google_page:-with an empty body}
  return 1
}

# Method and URL without the query.
google_place() {
  printf '%s\n' "$GOOGLE_METHOD ${GOOGLE_URL%%\?*}"
}

# One readable sentence about the last call: method, URL, HTTP status and the API's message.
google_outcome() {
  if [ -n "$GOOGLE_NOTE" ]; then
    printf '%s\n' "$GOOGLE_NOTE"
  elif [ "$GOOGLE_STATUS" = 000 ]; then
    printf '%s got no answer: %s.\n' "$(google_place)" "$(google_text <"$GOOGLE_WORK/curl-error" | sed 's/^curl: //')"
  else
    printf '%s answered HTTP %s %s\n' "$(google_place)" "$GOOGLE_STATUS" "$GOOGLE_ERROR"
  fi
}

# Prints the seconds since 1970 by the clock of the server that has answered last; that of this machine may be wrong.
google_server_time() {
  google_date=$(sed -n 's/^[Dd][Aa][Tt][Ee]: *\(.*GMT\).*/\1/p' "$GOOGLE_WORK/headers" | tail -n 1)
  jq -n --arg date "$google_date" '$date | strptime("%a, %d %b %Y %H:%M:%S GMT") | mktime' 2>/dev/null || date +%s
}

# google_has_reason REASON...: whether the error has one of these machine-readable reasons.
google_has_reason() {
  for google_reason in "$@"; do
    case " $GOOGLE_REASONS " in *" $google_reason "*) return 0 ;; esac
  done
  return 1
}

# google_says EXPRESSION: whether the error message matches, ignoring case.
google_says() {
  printf '%s\n' "$GOOGLE_ERROR" | grep -Eiq "$1"
}

# Whether the called API is off in the project. (A missing quota project is reported in the same words.)
google_service_disabled() {
  [ "$GOOGLE_STATUS" = 403 ] && ! google_quota_problem || return 1
  google_has_reason SERVICE_DISABLED accessNotConfigured ||
    google_says 'has not been used in project .* before or it is disabled'
}

# gcloud's user credentials belong to a Google-owned project; some APIs then require a quota project, in varying words.
google_quota_problem() {
  [ "$GOOGLE_STATUS" = 403 ] || return 1
  google_has_reason USER_PROJECT_DENIED ||
    google_says 'requires a quota project|billing/quota_project|set-quota-project|end user credentials'
}

# Remedies for failures that any call can have.
google_advise() {
  if [ -n "$GOOGLE_STRANGER" ]; then
    google_error "  To fix: sign in to this network, or let the calls pass its proxy (https_proxy, no_proxy)."
  elif google_has_reason USER_PROJECT_DENIED; then
    google_error "  To fix: the quota project $(google_quota_project) is not open to this account: grant it" \
      "roles/serviceusage.serviceUsageConsumer there, or unset USER_PROJECT_OVERRIDE."
  elif google_quota_problem; then
    google_error "  To fix: name the project that pays for the calls: export USER_PROJECT_OVERRIDE=true" \
      "GOOGLE_BILLING_PROJECT=${PROJECT_ID:-<project>}"
  fi
}

google_options "$@"
google_require curl jq
# Otherwise it is a program, whose arguments everybody on the machine can read.
[ "$(command -v printf)" = printf ] || google_refuse "This shell has no printf of its own; use bash, busybox or dash."
google_setting PROJECT_ID '[a-z][a-z0-9.:-]*[a-z0-9]' "the id of a project, like my-project-123"
