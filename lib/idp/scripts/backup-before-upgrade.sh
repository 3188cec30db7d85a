#!/bin/sh
# Makes an on-demand backup of the database before another release is rolled out, and waits for it.
#
# A database that does not exist yet is not backed up. A backup for the same release that is under way, or has been made
# in the last minutes, is taken instead of a second one, so a killed run can be repeated.
#
#   PROJECT_ID    project (required)
#   INSTANCE      name of the database instance (required)
#   DATABASE      name of the application's database (required)
#   RELEASE       release that is about to be rolled out (required)
#   BACKUP_DAYS   days to keep the backup, 1 to 365 (30)
#   SQL_SECONDS   time limit for other operations of the instance, and again for the backup (3600); a backup that is
#                 under way already has it from the start of this script
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"
# shellcheck source=sql-rest.sh
. "${0%"${0##*/}"}./sql-rest.sh"

# A backup this young holds what a second one would.
reuse_seconds=600

check_settings() {
  BACKUP_DAYS=${BACKUP_DAYS:-30}
  google_setting INSTANCE '[a-z][a-z0-9-]*' "the name of a database instance"
  google_setting DATABASE '[a-z0-9_]+' "the name of a database"
  google_setting RELEASE '[A-Za-z0-9][A-Za-z0-9._/:@-]*' "a release, or an image"
  google_setting BACKUP_DAYS '[1-9][0-9]{0,2}' "a number of days from 1 to 365"
  google_time_limit SQL_SECONDS
  google_start

  export INSTANCE
  description="before $RELEASE"
  without_backup="To upgrade without a backup: backup_before_upgrade = false."
}

# find_backup: sets backup_name and SQL_FOUND, its state, both empty without a backup that this run can take.
find_backup() {
  # shellcheck disable=SC2016 # names of jq
  google_listed '[.[] | select(.instance == env.INSTANCE and .description == env.DESCRIPTION)
      | ((.backupInterval.endTime // .backupInterval.startTime // "")
        | sub("[.][0-9]+"; "") | fromdateiso8601? // 0) as $ended
      | { name, state, young: ($ended >= (env.NEWEST_END | tonumber)) }]
    | (first(.[] | select(.state == "ENQUEUED" or .state == "RUNNING"))
      // first(.[] | select(.young and .state == "SUCCESSFUL"))
      // { name: "", state: "" })
    | "\(.state) \(.name)"' sqladmin "projects/$PROJECT_ID/backups" backups \
    "filter=instance%3A$INSTANCE%20AND%20type%3AON_DEMAND" || return 1
  SQL_FOUND=${GOOGLE_READ%% *}
  backup_name=${GOOGLE_READ#* }
}

say_where() {
  google_error "A backup that is under way goes on by itself: gcloud sql backups list --project=$PROJECT_ID"
}

give_up() {
  google_on_failure :
  google_stop "The backup of $INSTANCE $1, so $RELEASE is not rolled out. ${2:-}" \
    "To fix: apply again, which waits for the same backup if it is under way. $without_backup"
}

# Ends the script if there is nothing to back up yet.
require_database() {
  if ! google_get sqladmin "projects/$PROJECT_ID/instances/$INSTANCE/databases/$DATABASE"; then
    [ "$GOOGLE_STATUS" = 404 ] || google_fail "Whether there is a database to back up cannot be found out."
    google_get sqladmin "projects/$PROJECT_ID/instances/$INSTANCE" ||
      google_fail "The database instance $INSTANCE cannot be read, so $RELEASE is not rolled out." \
        "To fix: if somebody has deleted it, apply again, which creates it, and restore its data."
    google_say "There is no database $DATABASE yet: nothing to back up before $RELEASE."
    exit 0
  fi
}

# Begins a backup, or takes one that this run need not repeat: then SQL_FOUND is not empty.
begin_backup() {
  DESCRIPTION=$description NEWEST_END=$(($(google_server_time) - reuse_seconds))
  export DESCRIPTION NEWEST_END
  jq -n --arg days "$BACKUP_DAYS" '{ instance: env.INSTANCE, description: env.DESCRIPTION, ttlDays: $days }' \
    >"$GOOGLE_WORK/backup.json"
  if ! sql_once "Backup $description" find_backup backups "$GOOGLE_WORK/backup.json"; then
    missing="No backup of $INSTANCE before the upgrade to $RELEASE could be made or found"
    google_fail "$missing, so nothing is rolled out." \
      "To fix: repair what the message names; the caller needs roles/cloudsql.admin." "$without_backup"
  fi
}

# Waits until the backup is there, and ends the script if it fails.
await_backup() {
  google_on_failure say_where
  if [ -n "$SQL_FOUND" ]; then
    google_say "Backup $backup_name, $description, is taken instead of another one."
  else
    sql_await "Backup $description" || give_up "is not made" "$(google_outcome)"
    # The list may not have it yet.
    SQL_FOUND=SUCCESSFUL
  fi
  until [ "$SQL_FOUND" = SUCCESSFUL ]; do
    [ -n "$SQL_FOUND" ] || give_up "has failed"
    google_pause "$SQL_SECONDS" "Backup $description" "$SQL_FOUND" ||
      give_up "is not done within $SQL_SECONDS s (SQL_SECONDS)"
    find_backup || google_fail "The backup of $INSTANCE cannot be watched any more; it goes on by itself."
  done
}

main() {
  check_settings
  require_database
  begin_backup
  await_backup
  google_say "The backup $description is there after $(google_seconds) s and is kept for $BACKUP_DAYS days."
}

main "$@"
