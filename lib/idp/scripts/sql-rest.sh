# shellcheck shell=sh
# Shell library of the scripts that call Cloud SQL: changes that take minutes, backups and clones. To be sourced after
# google-rest.sh.
#
# Reads:
#   INSTANCE                 name of the database instance
#   SQL_SECONDS              time limit for one change (3600)
#   JOB_SECONDS, JOB_GROUP   for clones: as database-jobs.sh has them
#   ADMINISTRATOR_SECRET     for sql_set_administrator: name of the secret with the administrator's password
# Sets:
#   SQL_FOUND                result of an earlier request that sql_once or sql_restoration has found; empty: none
#   SQL_CLONES               clones that killed runs have left, see sql_clones
#   sql_own_clone            clone of this run, as long as it may exist; the script sets it as well
#   sql_marked               whether that clone has the label that allows deleting it: yes or no

SQL_SECONDS=${SQL_SECONDS:-3600}
sql_marked=no
sql_own_clone=

# sql_busy: whether the last call was refused because the instance has another operation under way.
sql_busy() {
  google_has_reason operationInProgress || google_says 'another operation was already in progress'
}

# sql_change WHAT METHOD PATH BODY_FILE [QUERY [LIMIT]]: makes a change and waits until it is done, within the seconds
# in the variable LIMIT (SQL_SECONDS). Returns 1 when the change is refused, fails or takes too long; google_outcome
# prints which. A change may be repeated: Cloud SQL refuses a second time only the creation of something that has a
# name.
sql_change() {
  # To the shell's arithmetic, the name of a variable is its value.
  sql_until=$(($(google_seconds) + ${6:-SQL_SECONDS}))
  until google_reading "$GOOGLE_OPERATION" \
    google_request "$2" sqladmin "projects/$PROJECT_ID/$3" "$4" "${5:-}" repeatable; do
    sql_busy && google_pause "$sql_until" "$1" "waiting for another operation of the instance" || return 1
  done
  sql_await "$1" "${6:-SQL_SECONDS}"
}

# sql_once WHAT LOOK PATH BODY_FILE: makes a POST that must not be carried out twice, unless LOOK, a function, sets
# SQL_FOUND to what an earlier POST has made. Returns 1 when it is refused or takes too long.
sql_once() {
  sql_until=$(($(google_seconds) + SQL_SECONDS)) sql_try=1
  while :; do
    SQL_FOUND=
    "$2" || return 1
    [ -z "$SQL_FOUND" ] || return 0
    google_reading "$GOOGLE_OPERATION" google_create sqladmin "projects/$PROJECT_ID/$3" "$4" && return 0
    if sql_busy; then
      google_pause "$sql_until" "$1" "waiting for another operation of the instance" || return 1
    elif google_uncertain && [ "$sql_try" -lt "$REST_TRIES" ]; then
      google_say "$(google_outcome) Looking whether it was carried out nevertheless."
      google_sleep "$(google_doubled "$REST_RETRY_BASE_SECONDS" "$sql_try")"
      sql_try=$((sql_try + 1))
    else
      return 1
    fi
  done
}

# sql_restoration FILTER: sets SQL_FOUND and GOOGLE_READ to the newest restoration of the instance that the jq filter
# selects, as google_settle reads it; empty if there is none. Cloud SQL does not say which backup is restored.
sql_restoration() {
  google_listed 'map(select(.operationType == "RESTORE_VOLUME") | select('"$1"')) | sort_by(.insertTime) | last
    | if . then '"$GOOGLE_OPERATION"' else "" end' \
    sqladmin "projects/$PROJECT_ID/operations" items "instance=$INSTANCE&maxResults=100" || return 1
  SQL_FOUND=$GOOGLE_READ
}

# sql_await WHAT [LIMIT]: waits for the operation in the last response, within the seconds in the variable LIMIT.
sql_await() {
  google_settle sqladmin "projects/$PROJECT_ID/operations/" "${2:-SQL_SECONDS}" "$1"
}

# sql_clone INSTANCE CLONE TIME: clones the instance as it was at that time, waits for the clone, and marks it.
sql_clone() {
  jq -n --arg clone "$2" --arg time "$3" '{ cloneContext: { destinationInstanceName: $clone, pointInTime: $time } }' \
    >"$GOOGLE_WORK/clone.json"
  if ! sql_change "Clone $2" POST "instances/$1/clone" "$GOOGLE_WORK/clone.json"; then
    # The response to the first of several attempts was lost.
    google_has_reason instanceAlreadyExists || return 1
    google_listed ".[0] // {} | $GOOGLE_OPERATION" \
      sqladmin "projects/$PROJECT_ID/operations" items "instance=$2&maxResults=100" || return 1
    sql_await "Clone $2" || return 1
  fi
  sql_mark "$2"
}

# sql_mark CLONE: ends the deletion protection of a clone, and the backups that would be billed after its deletion,
# which it inherits from its instance. Adds the label copy-for, which allows other runs to delete the clone.
sql_mark() {
  jq -n '{ settings: { deletionProtectionEnabled: false, finalBackupConfig: { enabled: false },
    retainBackupsOnDelete: false, userLabels: { "copy-for": env.JOB_GROUP } } }' >"$GOOGLE_WORK/mark.json"
  sql_change "Clone $1" PATCH "instances/$1" "$GOOGLE_WORK/mark.json" && sql_marked=yes
}

# sql_remove CLONE: deletes a clone that has been marked.
sql_remove() {
  sql_change "Clone $1" DELETE "instances/$1" "" "enableFinalBackup=false" || google_has_reason instanceDoesNotExist
}

# Deletes the clone of a run that fails, whether it is complete or not, but not if somebody has protected it.
sql_abandon() {
  [ -n "$sql_own_clone" ] || return 0
  google_error "Deleting the clone $sql_own_clone, which is billed as long as it exists."
  # An interrupted request may still be on its way.
  google_sleep "$REST_POLL_SECONDS"
  google_undo "The clone $sql_own_clone cannot be deleted" "$(sql_by_hand "$sql_own_clone")" sql_abandon_marked
}

sql_abandon_marked() {
  [ "$sql_marked" = yes ] || sql_mark "$sql_own_clone" || ! google_has_reason instanceDoesNotExist || return 0
  sql_remove "$sql_own_clone"
}

# sql_by_hand CLONE: prints the commands that delete the clone and leave nothing that is billed.
sql_by_hand() {
  echo "gcloud sql instances patch $1 --no-deletion-protection --no-final-backup --no-retain-backups-on-delete" \
    "--project=$PROJECT_ID && gcloud sql instances delete $1 --project=$PROJECT_ID"
}

# sql_clones PREFIX yes|no: sets SQL_CLONES to the clones of killed runs. With no, a clone that may still be in use ends
# the script. A clone without the label, or with deletion protection, may belong to somebody: it is only reported.
sql_clones() {
  google_pages sqladmin "projects/$PROJECT_ID/instances" items maxResults=500 "$GOOGLE_WORK/instances" ||
    google_fail "The clones of $INSTANCE cannot be listed."
  # The longest time of a run: two changes of Cloud SQL, and a job that is created, run and deleted.
  jq -r --arg pattern "^$1-[0-9a-f]{8,10}\$" --argjson now "$(google_server_time)" \
    --argjson longest "$((2 * SQL_SECONDS + 3 * JOB_SECONDS))" 'select(.name | test($pattern))
    | ($now - (.createTime | sub("[.][0-9]+"; "") | fromdate)) as $age
    | (.settings | .userLabels["copy-for"]? == env.JOB_GROUP and (.deletionProtectionEnabled | not)) as $left
    | "\(.name) \($age) \($age <= $longest) \($left)"' \
    "$GOOGLE_WORK/instances" >"$GOOGLE_WORK/clones" || google_fail "The clones of $INSTANCE cannot be listed."
  SQL_CLONES=
  while read -r sql_name sql_age sql_young sql_left; do
    [ "$2" = yes ] || [ "$sql_young" = false ] || refuse_second "the clone $sql_name" "$sql_age"
    if [ "$sql_left" = true ]; then
      SQL_CLONES="${SQL_CLONES:+$SQL_CLONES }$sql_name"
    else
      google_error "The clone $sql_name is protected or has no label copy-for, so somebody may use it:" \
        "it is left, and billed. If nobody does: $(sql_by_hand "$sql_name")"
    fi
  done <"$GOOGLE_WORK/clones"
}

# sql_set_administrator INSTANCE: gives the administrator's login the password that is stored now.
# shellcheck disable=SC2034 # google-rest.sh sends GOOGLE_SECRET and prints GOOGLE_NOTE
sql_set_administrator() {
  google_get secretmanager "projects/$PROJECT_ID/secrets/$ADMINISTRATOR_SECRET/versions/latest:access" || return 1
  GOOGLE_SECRET=$(printf '%s\n' "$GOOGLE_KEPT" |
    jq -e '{ password: (.payload.data | strings | select(. != "") | @base64d) } | tojson') || {
    GOOGLE_NOTE="$(google_place) answered without a password."
    return 1
  }
  sql_change "Administrator of $1" PUT "instances/$1/users" - "name=postgres"
}
