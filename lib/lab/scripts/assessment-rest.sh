# shellcheck shell=sh disable=SC2034,SC2153 # google-rest.sh reads what is set here, and sets what is read
# Shell library of the scripts that call Migration Center: paged lists, operations, uploads and tables.
#
# To be sourced after google-rest.sh, which has what all REST scripts share:
#
#   . "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"
#   . "${0%"${0##*/}"}./assessment-rest.sh"
#
# One setting besides those of google-rest.sh, optional:
#   REST_UPLOAD_SECONDS  time limit for one attempt to send a file (1800)

REST_UPLOAD_SECONDS=${REST_UPLOAD_SECONDS:-1800}

# The two calls below begin an operation, for which google_await waits.

# google_begin SERVICE PATH BODY_FILE [QUERY]: a POST that is safe to repeat.
google_begin() {
  google_reading "$GOOGLE_OPERATION" google_post "$@"
}

# google_delete SERVICE PATH [QUERY]
google_delete() {
  google_reading "$GOOGLE_OPERATION" google_request DELETE "$1" "$2" "" "${3:-}" repeatable
}

# google_list PATH FILE: writes the items of all pages of a collection to FILE, one line of JSON each. An incomplete
# list is a failure, and so is an item whose name cannot be part of an address.
google_list() {
  # Only the full view of an asset reliably names its sources and machine. Such machines are large, and a page has to
  # arrive within the time limit of one call; otherwise the page has the service's maximum.
  case ${1##*/} in
    assets) google_query="pageSize=100&view=ASSET_VIEW_FULL&showHidden=true" ;;
    *) google_query="pageSize=1000" ;;
  esac
  google_pages migrationcenter "$1" "${1##*/}" "$google_query" "$2" || return 1
  jq -en 'all(inputs; .name? | type == "string" and test("^[A-Za-z0-9._/:-]+$"))' "$2" >/dev/null ||
    { GOOGLE_NOTE="$(google_place) lists something without a name that can be part of an address." && return 1; }
}

# Random request id: an API carries out only the first request with a given requestId, so a call can be repeated after a
# lost response.
google_new_request_id() {
  od -An -N16 -tx1 /dev/urandom | tr -d ' \n' |
    sed 's/^\(.\{8\}\)\(.\{4\}\).\(.\{3\}\).\(.\{3\}\)\(.\{12\}\)$/\1-\2-4\3-a\4-\5/'
}

# google_await SERVICE WHAT SECONDS: waits for the operation that the last call began and leaves its final state in
# GOOGLE_ANSWER. Returns 1 when it failed, can no longer be read or is not done in time; google_outcome says which.
google_await() {
  google_await_until=$(($(google_seconds) + $3))
  google_look=1
  while :; do
    IFS='|' read -r google_operation google_done GOOGLE_REASONS GOOGLE_ERROR <<OPERATION
$GOOGLE_READ
OPERATION
    if [ "$google_done" = true ]; then
      [ -n "$GOOGLE_ERROR" ] || return 0
      GOOGLE_NOTE="$google_operation ended with $GOOGLE_ERROR"
      return 1
    fi
    # Most operations are done by the second poll.
    [ "$google_look" -eq 1 ] || google_progress "$2" "under way"
    if [ "$(google_seconds)" -ge "$google_await_until" ]; then
      GOOGLE_NOTE="$google_operation is still running after $3 s; it goes on by itself."
      return 1
    fi
    google_sleep "$(google_doubled "$REST_RETRY_BASE_SECONDS" "$google_look" "$REST_POLL_SECONDS")"
    google_look=$((google_look + 1))
    if google_is_unsafe "$google_operation"; then
      GOOGLE_NOTE="The API named an operation that cannot be part of an address."
      return 1
    fi
    google_reading "$GOOGLE_OPERATION" google_get "$1" "$google_operation" || return 1
  done
}

# What google_await reads of an operation: name, whether it is done, reasons and text of its error. A response without a
# name is not an operation but the result itself; one of foreign fields alone is neither. The first three hold no "|".
GOOGLE_OPERATION='if . == {} or has("name") or has("done") or has("uploadFileInfo") then . else error("no operation") end | [
    ((.name | strings) // ""), (.done // has("name") != true | . == true | tostring),
    ([.error.details[]?.reason? | select(type == "string")] | unique | join(" ")),
    (if .error then
      (["", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS",
        "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED",
        "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED"][.error.code // 2] // "code \(.error.code)") + ": "
        + ([.error.message // "no message" | splits("[ \r\n]+")] | join(" ") | .[0:2000])
        + ([.error.details[]?.fieldViolations[]?.description? // empty] | if . == [] then "" else
            " [" + (join("; ") | .[0:2000]) + "]" end)
    else "" end)
  ] | map(gsub("[[:cntrl:]]+"; " ")) | join("|")'

# google_upload FILE: sends a file to the signed URL in the last response, by PUT with exactly the signed headers and
# without an access token. The last response is an operation, or its result, with `uploadFileInfo`. The URL is as good as
# a password, so it is on no command line and in no message.
google_upload() {
  jq -r '
    def plain: if type == "string" and (test("[[:cntrl:]]") | not) then . else error("not one line") end;
    (.response // .).uploadFileInfo
    | (.signedUri | plain | capture("^(?<host>[a-z]+://[^/?#]+)").host),
      "url = \(.signedUri | tojson)",
      (.headers // {} | to_entries[] | "header = \((.key | plain) + ": " + (.value | plain) | tojson)")
  ' "$GOOGLE_ANSWER" >"$GOOGLE_WORK/address" 2>/dev/null || {
    GOOGLE_NOTE="The API gave no address that ${1##*/} can be sent to."
    return 1
  }
  sed 1d "$GOOGLE_WORK/address" >"$GOOGLE_WORK/upload"
  read -r google_host <"$GOOGLE_WORK/address"
  rm "$GOOGLE_WORK/address"
  GOOGLE_METHOD=PUT
  GOOGLE_URL="$google_host/<signed address>"
  google_file=$1
  google_policy=repeatable
  google_repeat google_send_file
}

# Without "Expect", which curl adds for large bodies, curl sends the body at once.
google_send_file() {
  google_attempt google_read_storage_answer --max-time "$REST_UPLOAD_SECONDS" --speed-limit 1000 --speed-time 60 \
    --config "$GOOGLE_WORK/upload" --header 'Expect:' --upload-file "$google_file"
}

# google_read_storage_answer STATUS: Cloud Storage answers with an empty body, or with XML when it refuses. Only the
# code is used: the rest, or the page of a proxy, may contain the signed URL.
google_read_storage_answer() {
  GOOGLE_REASONS=$(sed -n 's|.*<Code>\([A-Za-z]*\)</Code>.*|\1|p' "$GOOGLE_ANSWER")
  GOOGLE_ERROR=$GOOGLE_REASONS.
  case $1 in
    2??) [ ! -s "$GOOGLE_ANSWER" ] ;;
    *) [ -n "$GOOGLE_REASONS" ] ;;
  esac
}

# jq functions that tell who uses a source: the labs whose groups, which Terraform makes and destroys, have its id as a
# label. The id of a source alone proves nothing, because a client may have any name; what register-source.sh made says
# so.
# shellcheck disable=SC2016 # names of jq
GOOGLE_LABS='
  def last_part: tostring | split("/") | last;
  # Of a group: its lab and the source that this uses; nothing of a group of somebody else.
  def lab_of: (.name | last_part | capture("^assess-(?<lab>.+)-lab$")) + { source: (.labels["assessment-source"]? // null) };
  # Of a source.
  def labs($groups): (.name | last_part) as $id | [$groups[] | lab_of | select(.source == $id).lab] | unique;
  def other_users($groups; $lab):
    (if $lab == "" or (.description // "" | tostring | test("Made by assessment lab ")) then [] else ["an unknown owner"] end) + (labs($groups) - [$lab]);
'
