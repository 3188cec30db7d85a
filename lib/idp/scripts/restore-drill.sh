#!/bin/sh
# Proves that the database can be restored: clones the instance as of a point in time, counts the users in the clone by
# a job, deletes the clone and prints how long that took. The data of the instance itself do not change. A second job
# (record-drill.sh) records the result in the comment of the database, which the check-up reads, and in the log.
#
#   restore-drill.sh [--take-over]          as of ten minutes ago
#   restore-drill.sh [--take-over] TIME     as of that time, like 2026-11-22T12:00:00Z
#
# An interrupted drill deletes its clone before it ends. The next drill deletes the clone of a killed drill, but only
# after the longest duration of a drill, because the clone may be in use until then; with --take-over, at once. Clones
# with deletion protection or without the label copy-for are kept, because somebody may have protected or relabelled
# them, and the next drill prints the commands that delete them. A clone has no label yet if the drill was killed while
# cloning. A clone is billed while it exists.
#
#   PROJECT_ID   project (required)
#   INSTANCE     name of the database instance (required)
#   INSTANCE_OWNER   deployment, or others: then they alone can clone it
#   BACKUP_PLAN  plan of Backup and DR that backs the instance up: then a drill is one of the plan
#   DATABASE     name of the application's database (required)
#   INIT_JOB     name of the job db-init (required)
#   REGION       region of the jobs on Cloud Run, or
#   NAMESPACE    namespace of the jobs in the cluster that kubectl is connected to
#   SQL_SECONDS, JOB_SECONDS   time limits for one change of Cloud SQL and for the job (3600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

export GOOGLE_OPTIONS=any
folder=${0%"${0##*/}"}.
# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-$folder/google-rest.sh}"
# shellcheck source=sql-rest.sh
. "$folder/sql-rest.sh"
# shellcheck source=database-jobs.sh
. "$folder/database-jobs.sh"

take_over=no TIME=

parse_words() {
  for word in "$@"; do
    case $word in
      --take-over) take_over=yes ;;
      -*) google_refuse "\"$word\" is not an option; there are: --take-over --help." ;;
      *) TIME=${TIME:+$TIME }$word ;;
    esac
  done
}

check_settings() {
  job_settings
  [ "${INSTANCE_OWNER:-deployment}" = deployment ] ||
    google_refuse "INSTANCE is ${INSTANCE:-}, which others manage; a drill clones the whole instance;" \
      "ask its owner, or restore a dump."
  [ -z "${BACKUP_PLAN:-}" ] ||
    google_refuse "BACKUP_PLAN is $BACKUP_PLAN, which backs ${INSTANCE:-} up;" \
      "Cloud SQL keeps no logs of it to clone it from;" \
      "show by the plan that it can be restored (gcloud backup-dr backups list)."
  google_setting DATABASE '[a-z0-9_]+' "the name of a database"
  google_option TIME '20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z' \
    "a time, like 2026-11-22T12:00:00Z"
}

# Removes everything that is billed.
clean_up() {
  abandon_run
  sql_abandon
}

# Sets original to the connection name of the instance, and TIME to ten minutes ago unless it is given.
read_instance() {
  google_reading 'field("connectionName")' google_get sqladmin "projects/$PROJECT_ID/instances/$INSTANCE" ||
    google_fail "The database instance $INSTANCE cannot be read." \
      "To fix: check PROJECT_ID and INSTANCE; the caller needs roles/cloudsql.admin."
  original=$GOOGLE_READ
  [ -n "$TIME" ] || TIME=$(jq -nr --argjson time "$(($(google_server_time) - 600))" '$time | todate')
}

remove_leftovers() {
  sql_clones "$JOB_GROUP" "$take_over"
  for old in $SQL_CLONES; do
    google_say "Deleting $old, which an earlier drill has left."
    sql_remove "$old" || google_fail "$old, which an earlier drill has left, cannot be deleted."
  done

  remove_copies "$take_over" || google_fail "The jobs that killed drills have left cannot be removed."
}

# Sets GOOGLE_READ to the connection name of the clone.
clone_instance() {
  sql_own_clone=$JOB_GROUP-$RUN
  google_say "Cloning $INSTANCE as of $TIME to $sql_own_clone."
  sql_clone "$INSTANCE" "$sql_own_clone" "$TIME" ||
    google_fail "$INSTANCE cannot be cloned." "To fix: choose a time between the oldest kept log and some minutes ago."
  cloned_seconds=$(google_seconds)
  google_reading 'field("connectionName")' google_get sqladmin "projects/$PROJECT_ID/instances/$sql_own_clone" ||
    google_fail "The clone cannot be read."
}

# Sets restored to the number of users in the clone, in words.
count_users() {
  count_users_script
  run_script "$GOOGLE_READ" "$GOOGLE_WORK/count.sh" "users: " "DB_NAME=$DATABASE" ||
    google_fail "The users of the clone cannot be counted." \
      "To fix: if a password was rotated after $TIME, choose a later time."
  counted_seconds=$(google_seconds)
  restored=$JOB_LINE
}

remove_clone() {
  sql_remove "$sql_own_clone" || google_fail "The clone cannot be deleted."
  sql_own_clone=
  all_seconds=$(google_seconds)
}

record_drill() {
  run_script "$original" "$folder/record-drill.sh" "recorded: " \
    "DB_NAME=$DATABASE" "DRILL_INSTANCE=$INSTANCE" "DRILL_USERS=${restored%% *}" "DRILL_AS_OF=$TIME" \
    "DRILL_CLONE_SECONDS=$cloned_seconds" "DRILL_SECONDS=$all_seconds" ||
    google_fail "The restore has succeeded, but it is not recorded: neither an alert nor an auditor knows of it." \
      "To fix: correct what the job names, and run the drill again."
  google_say "Recorded as passed at $JOB_LINE."
}

main() {
  parse_words "$@"
  check_settings
  begin_run drill
  read_instance
  remove_leftovers
  google_on_failure clean_up
  clone_instance
  count_users
  remove_clone
  google_say "Restored $restored as of $TIME: clone ready after $cloned_seconds s," \
    "users counted after $counted_seconds s, clone deleted after $all_seconds s."
  record_drill
}

main "$@"
