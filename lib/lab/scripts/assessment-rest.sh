# shellcheck shell=sh
# Shell library of the scripts that call Migration Center: paged lists, operations and uploads. To be sourced
# after google-rest.sh.
#
# Reads, besides the settings of google-rest.sh:
#   REST_UPLOAD_SECONDS  time limit for one attempt to send a file (1800)
# Sets the results of google-rest.sh, and:
#   GOOGLE_LABS          functions of jq that find the labs of a source

REST_UPLOAD_SECONDS=${REST_UPLOAD_SECONDS:-1800}

# The two calls below begin an operation, for which google_settle waits.

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

# google_upload FILE: sends a file to the signed URL in the last response, by PUT with exactly the signed headers and
# without an access token. The last response is an operation, or its result, with `uploadFileInfo`. The URL is as good
# as a password, so it is on no command line and in no message.
# shellcheck disable=SC2034 # google_repeat and google_outcome read what describes the call
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
# shellcheck disable=SC2034 # google_outcome prints GOOGLE_ERROR
google_read_storage_answer() {
  GOOGLE_REASONS=$(sed -n 's|.*<Code>\([A-Za-z]*\)</Code>.*|\1|p' "$GOOGLE_ANSWER")
  GOOGLE_ERROR=$GOOGLE_REASONS.
  case $1 in
    2??) [ ! -s "$GOOGLE_ANSWER" ] ;;
    *) [ -n "$GOOGLE_REASONS" ] ;;
  esac
}

# jq functions that find the labs which use a source: Terraform makes and destroys a group for each lab, with the id of
# its source as a label. The id of a source does not show who made it, because a client may have any name; the
# description of one that register-source.sh has made does.
# shellcheck disable=SC2016,SC2034 # names of jq; the scripts read it
GOOGLE_LABS='
  def last_part: tostring | split("/") | last;
  # Takes a group: its lab and the source that the lab uses; nothing for a group that others have made.
  def lab_of: (.name | last_part | capture("^assess-(?<lab>.+)-lab$"))
    + { source: (.labels["assessment-source"]? // null) };
  # Takes a source.
  def labs($groups): (.name | last_part) as $id | [$groups[] | lab_of | select(.source == $id).lab] | unique;
  def other_users($groups; $lab):
    (if $lab == "" or (.description // "" | tostring | test("Made by assessment lab "))
      then [] else ["an unknown owner"] end) + (labs($groups) - [$lab]);
'
