# shellcheck shell=sh disable=SC2034,SC2153 # google-rest.sh reads what is set here, and sets what is read
# Shell library of the scripts that call Cloud SQL: changes that take minutes, and backups.
#
# To be sourced after google-rest.sh:
#
#   . "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"
#   . "${0%"${0##*/}"}./sql-rest.sh"
#
# SQL_SECONDS is the time limit for one change (3600).

SQL_SECONDS=${SQL_SECONDS:-3600}

sql_tab=$(printf '\t')

# What sql_await reads of an operation: name, status and the text of its error.
sql_operation='(if has("items") then (.items[0] // {}) else . end) | [
    (.name // "" | strings), (.status // ""),
    ([.error.errors[]? | "\(.code // "no code"): \(.message // "no message")"] | join("; ") | gsub("[[:cntrl:]]+"; " "))
  ] | join("\t")'

# sql_busy: whether the last call was refused because the instance has another operation under way.
sql_busy() {
  google_has_reason operationInProgress || google_says 'another operation was already in progress'
}

# sql_change WHAT METHOD PATH BODY_FILE [QUERY]: makes a change and waits until it is done. Returns 1 when it is refused,
# fails or takes too long; google_outcome says which. A repeated change that the first one has made already is no error
# to Cloud SQL, except for one that names what it creates: that is then ready for sql_await_latest.
sql_change() {
  sql_until=$(($(google_seconds) + SQL_SECONDS))
  until google_reading "$sql_operation" google_request "$2" sqladmin "projects/$PROJECT_ID/$3" "$4" "${5:-}" repeatable; do
    sql_busy && [ "$(google_seconds)" -lt "$sql_until" ] || return 1
    google_progress "$1" "waiting for another operation of the instance"
    google_sleep "$REST_POLL_SECONDS"
  done
  sql_await "$1"
}

# sql_await WHAT: waits for the operation in the last response.
sql_await() {
  sql_until=$(($(google_seconds) + SQL_SECONDS))
  sql_name=${GOOGLE_READ%%"$sql_tab"*}
  while :; do
    sql_rest=${GOOGLE_READ#*"$sql_tab"}
    if [ "${sql_rest%%"$sql_tab"*}" = DONE ]; then
      [ -n "${sql_rest#*"$sql_tab"}" ] || return 0
      GOOGLE_NOTE="Operation $sql_name of Cloud SQL failed: ${sql_rest#*"$sql_tab"}"
      return 1
    fi
    if google_is_odd "$sql_name"; then
      GOOGLE_NOTE="Cloud SQL named no operation that can be asked for."
      return 1
    fi
    if [ "$(google_seconds)" -ge "$sql_until" ]; then
      GOOGLE_NOTE="Operation $sql_name of Cloud SQL is not done after $SQL_SECONDS s; it goes on by itself."
      return 1
    fi
    google_progress "$1" "under way"
    google_sleep "$REST_POLL_SECONDS"
    google_reading "$sql_operation" google_get sqladmin "projects/$PROJECT_ID/operations/$sql_name" || return 1
  done
}
