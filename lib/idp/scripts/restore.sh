#!/bin/sh
# Restores the database or uploaded files of a deployment.
#
#   restore.sh point-in-time TIME   the database as it was at TIME, like 2026-11-22T12:00:00Z, through a clone
#   restore.sh dump latest|OBJECT   the database from a dump, for example dumps/db_demo_1a2b3c_idp-20261122T020000Z.dump
#   restore.sh backup latest|NAME   all databases of the instance from a backup, by its name or description
#   restore.sh final-backup         the same from the newest final backup of a deleted instance of this name
#   restore.sh media [TIME]         deleted files of the application, or only those deleted since TIME
#   restore.sh drop-former          removes the database that point-in-time or dump has put aside, or left when it
#                                   failed
#
#   --dry-run     prints the steps and changes nothing
#   --yes         does not ask
#   --take-over   removes jobs and clones of a restore that was killed; otherwise, they keep another one from starting
#                 for hours. If Cloud SQL still restores the same backup, this run waits for it
#
# point-in-time and dump fill a new database beside the application's and then exchange the two: the application keeps
# running until then and is interrupted for seconds. backup and final-backup overwrite the instance, which takes
# minutes. Each can be repeated after an interruption. Servers and workers migrate the database whenever they start: for
# data from before an upgrade, stop them first, and start them after an apply with the earlier release.
#
#   PROJECT_ID             project (required)
#   INSTANCE               name of the database instance
#   INSTANCE_OWNER         deployment, or others: then they alone can restore or clone it, and dump, drop-former and
#                          media work here
#   BACKUP_PLAN            plan of Backup and DR that backs the instance up: then dump, drop-former and media work here
#   CONNECTION_NAME        <project>:<region>:<instance> of an instance that others manage
#   DATABASE               name of the application's database
#   INIT_JOB               name of the job db-init
#   ADMINISTRATOR_SECRET   name of the secret with the administrator's password
#   MEDIA_BUCKET           name of the media bucket
#   FROM_INSTANCE          instance whose backup is restored, if it is one of another deployment (INSTANCE)
#   FROM_DATABASE          name of that deployment's database, which is also its login's (DATABASE)
#   REGION                 region of the jobs on Cloud Run, or
#   NAMESPACE              namespace of the jobs in the cluster that kubectl is connected to
#   SQL_SECONDS            time limit for one change of Cloud SQL, such as restoring a backup (3600); large instances
#                          take longer
#   JOB_SECONDS            time limit for one job (3600)
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

yes=no dry_run=no take_over=no action='' SUBJECT='' step=0 SQL_CLONES=
# What an interruption of this script would leave unfinished: yes or no.
filling=no    # the database beside the application's has data that are not in place yet
exchanging=no # the two databases change places
restoring=no  # Cloud SQL overwrites the instance with a backup

parse_words() {
  for word in "$@"; do
    case $word in
      --yes) yes=yes ;;
      --dry-run) dry_run=yes ;;
      --take-over) take_over=yes ;;
      -*) google_refuse "\"$word\" is not an option; the options are --dry-run, --yes, --take-over and --help." ;;
      *)
        if [ -z "$action" ]; then
          action=$word
        elif [ -z "$SUBJECT" ]; then
          SUBJECT=$word
        else
          google_refuse "\"$word\" is one argument too many."
        fi
        ;;
    esac
  done
}

# Refuses an unknown command and a wrong argument, which the usage names TIME, OBJECT or NAME.
check_command() {
  time_pattern='20[0-9]{2}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]Z'
  time_meaning="a time, like 2026-11-22T12:00:00Z"
  case $action in
    point-in-time) google_check TIME "$SUBJECT" "$time_pattern" "$time_meaning" ;;
    dump)
      google_check OBJECT "$SUBJECT" 'latest|[A-Za-z0-9][A-Za-z0-9_./-]*' "latest, or the name of a dump in the bucket"
      ;;
    backup)
      google_check NAME "$SUBJECT" '[A-Za-z0-9][A-Za-z0-9 ._/:@-]*' \
        "latest, or the name or the description of a backup"
      ;;
    media)
      google_setting MEDIA_BUCKET '[a-z0-9][a-z0-9._-]*' "the name of the media bucket"
      [ -z "$SUBJECT" ] || google_check TIME "$SUBJECT" "$time_pattern" "$time_meaning"
      ;;
    final-backup | drop-former) ;;
    *)
      google_refuse "\"$action\" is not a command;" \
        "the commands are point-in-time, dump, backup, final-backup, media and drop-former."
      ;;
  esac
}

# For all commands except media, which uses no database.
check_database_settings() {
  job_settings
  google_setting DATABASE '[a-z0-9_]{1,54}' "the name of a database, at most 54 characters"
  FROM_INSTANCE=${FROM_INSTANCE:-${INSTANCE:-}} FROM_DATABASE=${FROM_DATABASE:-${DATABASE:-}}
  # Without the deployment's own names, these would only be reported a second time.
  google_option FROM_INSTANCE '[a-z][a-z0-9-]*' "the name of a database instance"
  google_option FROM_DATABASE '[a-z0-9_]+' "the name of a database"
  case ${INSTANCE_OWNER:-deployment}/$action in
    deployment/* | */dump | */drop-former) ;;
    *)
      google_refuse "$action restores or clones the whole instance ${INSTANCE:-}, which others manage;" \
        "ask its owner, or restore a dump."
      ;;
  esac
  if [ -n "${BACKUP_PLAN:-}" ]; then
    case $action in
      dump | drop-former) ;;
      *)
        google_refuse "$action needs backups or logs of Cloud SQL, which keeps none of ${INSTANCE:-}" \
          "while the plan $BACKUP_PLAN backs it up;" \
          "restore by the plan (gcloud backup-dr backups list), or restore a dump."
        ;;
    esac
  fi
  case $action in
    point-in-time | *backup)
      google_setting ADMINISTRATOR_SECRET '[A-Za-z0-9_-]+' "the name of the secret with the administrator's password"
      ;;
  esac
}

# say_steps STEP...: prints the steps of this run.
say_steps() {
  set -- ${SQL_CLONES:+"delete the clones that a killed restore has left: $SQL_CLONES"} "$@"
  google_say "$([ "$dry_run" = no ] || echo 'Dry run: nothing is changed. ')Steps:"
  said=0
  for text in "$@"; do
    said=$((said + 1))
    google_say "  $said. $text"
  done
  case $action in
    backup | dump | point-in-time)
      google_say "Servers and workers migrate the database whenever they start." \
        "If it is restored to before an upgrade, stop them first," \
        "and start them after an apply with the earlier release."
      ;;
  esac
}

# confirm_steps QUESTION: ends the script in a dry run, and unless the answer is yes.
confirm_steps() {
  [ "$dry_run" = no ] || exit 0
  [ "$yes" = yes ] || google_confirm "$1"
}

# Makes sure that no other run changes databases at the same time, and deletes jobs and clones of killed runs.
begin_changes() {
  { mark_run "$instance_connection" && remove_copies "$take_over"; } ||
    google_fail "This run cannot be marked by a job, or the jobs that killed runs have left cannot be removed."
  for left_clone in $SQL_CLONES; do try "delete $left_clone" sql_remove "$left_clone"; done
}

# Refuses an instance that Cloud SQL is overwriting with a backup, even if no run has left a mark.
refuse_restoration() {
  sql_restoration '.status != "DONE"' ||
    google_fail "Whether Cloud SQL restores a backup into $INSTANCE cannot be found out."
  if [ -n "$SQL_FOUND" ] && [ "$JOB_TAKEN" = no ]; then
    busy="Cloud SQL is restoring a backup into $INSTANCE, which another run or person has begun"
    google_stop "$busy: one at a time." \
      "To fix: wait for its end: gcloud sql operations wait ${SQL_FOUND%%|*} --timeout=unlimited --project=$PROJECT_ID"
  fi
}

clean_up() {
  if [ "$exchanging" = yes ]; then
    google_error "  If the exchange was killed, it may have left $DATABASE closed to connections." \
      "To fix: run the same command again; its first step opens the database," \
      "and so does db-init in the next apply that runs it."
  fi
  # Not after an interrupted exchange: drop-former could remove the only copy of the former data.
  if [ "$filling" = yes ] && [ "$exchanging" = no ]; then
    google_error "  The database ${DATABASE}_restored may hold a copy of all users, which is billed." \
      "The next restore replaces it; restore.sh drop-former removes it now."
  fi
  if [ "$restoring" = yes ]; then
    google_error "  Cloud SQL may go on restoring. The job $job_mark keeps other restores away meanwhile." \
      "To fix: run the same command again with --take-over, which waits for its end and does not begin it again."
    job_mark=
  fi
  abandon_run
  sql_abandon
}

# try WHAT COMMAND...: runs a step, and ends the script if it fails.
try() {
  step=$((step + 1))
  what=$1
  shift
  google_say "Step $step: $what"
  # While Cloud SQL still restores, clean_up prints the remedy.
  "$@" || google_fail "Step $step failed: $what" \
    "$([ "$restoring" = yes ] || echo "To fix: correct what the message names and run the same command again.")"
}

# exists: whether the file exists again. The list has all files that begin with its name.
exists() {
  FILE=$file
  export FILE
  google_listed "any(.[]; .name | encoded == env.FILE)" storage "b/$MEDIA_BUCKET/o" items \
    "prefix=$file&maxResults=1000" &&
    [ "$GOOGLE_READ" = true ]
}

# Folders of the application, for uploads and for exports. Other folders of the bucket may belong to others.
media_folders='^(media|reports)/'

# Restores soft-deleted files of the application; a file that exists again stays as it is, and one that cannot be
# restored does not stop the others.
restore_media() {
  google_pages storage "b/$MEDIA_BUCKET/o" items "softDeleted=true&maxResults=1000" "$GOOGLE_WORK/deleted" ||
    google_fail "The deleted files of $MEDIA_BUCKET cannot be listed." \
      "To fix: the caller needs roles/storage.admin on the bucket."
  # The newest version of each file. Times are compared as texts, without the Z, so that fractions of a second count.
  jq -rs --arg since "${SUBJECT%Z}" --arg folders "$media_folders" \
    "$GOOGLE_FUNCTIONS"'map(select(.softDeleteTime >= $since and (.name | test($folders)))) | group_by(.name)[]
    | max_by(.generation | tonumber)
    | [(.name | encoded), .generation, (.name | gsub("[[:cntrl:]]"; " "))] | @tsv' \
    "$GOOGLE_WORK/deleted" >"$GOOGLE_WORK/newest"
  total=$(($(wc -l <"$GOOGLE_WORK/newest")))
  if [ "$total" -eq 0 ]; then
    google_say "$MEDIA_BUCKET has no deleted files of the application, which are in media/ and reports/," \
      "${SUBJECT:+since $SUBJECT, }so there is nothing to restore."
    exit 0
  fi
  shown=$(cut -f 3 "$GOOGLE_WORK/newest" | sed 's/^/     /')
  say_steps "restore $total file(s); files that exist again stay as they are:$(printf '\n%s' "$shown")"
  confirm_steps "Restore $total file(s) of $MEDIA_BUCKET?"
  restored=0 kept=0 failed=0
  echo '{}' >"$GOOGLE_WORK/object.json"
  while IFS="$(printf '\t')" read -r file generation plain <&4; do
    if google_reading 'field("name")' google_post storage "b/$MEDIA_BUCKET/o/$file/restore" "$GOOGLE_WORK/object.json" \
      "generation=$generation&ifGenerationMatch=0"; then
      restored=$((restored + 1))
      continue
    fi
    # Saved, because exists makes another call.
    status=$GOOGLE_STATUS outcome=$(google_outcome)
    if [ "$status" = 412 ] || google_says 'pre-condition'; then
      kept=$((kept + 1))
    elif [ "$status" = 404 ] && exists; then
      # The response to the first of several attempts was lost.
      restored=$((restored + 1))
    else
      failed=$((failed + 1))
      google_error "$plain cannot be restored. $outcome"
      # Any other problem affects all files, and would be reported for each.
      case $status in
        400 | 404 | 409 | 412) ;;
        000) google_is_unsafe "$file" % || break ;;
        *) break ;;
      esac
    fi
  done 4<"$GOOGLE_WORK/newest"
  google_say "Restored $restored file(s) of $MEDIA_BUCKET; $kept exist again and stayed as they are."
  [ "$failed" -gt 0 ] || return 0
  google_error "$((total - restored - kept)) of $total file(s) cannot be restored, for the reasons above."
  google_advise
  google_stop "  To fix: correct what the messages name and run the same command again."
}

# Finds the restoration that this run, or a killed run with the same backup, has begun. A restoration that has ended
# counts only while its mark is young, because users may have written since then.
find_restoration() {
  export JOB_TAKEN JOB_SINCE
  sql_restoration '(env.JOB_TAKEN != "no" and .status != "DONE") or (env.JOB_TAKEN != "late" and .error == null
    and (.insertTime | sub("[.][0-9]+"; "") | fromdate) >= (env.JOB_SINCE | tonumber))'
}

restore_backup() {
  refuse_restoration
  restoring=yes
  if ! sql_once "Restore of $INSTANCE" find_restoration \
    "instances/$INSTANCE/restoreBackup" "$GOOGLE_WORK/restore.json"; then
    # Cloud SQL has refused the request, so it restores nothing.
    if [ "$GOOGLE_METHOD" = POST ] && [ "$GOOGLE_FAULT" = final ]; then restoring=no; fi
    return 1
  fi
  [ -z "$SQL_FOUND" ] || google_say "Cloud SQL has taken this restoration already: it is not begun again."
  if ! sql_await "Restore of $INSTANCE"; then
    # The restoration has ended with an error.
    if [ "$GOOGLE_DONE" = true ]; then restoring=no; fi
    return 1
  fi
  restoring=no
}

# read_connection INSTANCE: sets connection to the connection name of the instance. An instance that others manage is
# never cloned, so CONNECTION_NAME is its name, and no call is needed.
read_connection() {
  connection=${CONNECTION_NAME:-}
  [ "${INSTANCE_OWNER:-deployment}" = deployment ] || return 0
  google_reading 'field("connectionName")' google_get sqladmin "projects/$PROJECT_ID/instances/$1" || return 1
  connection=$GOOGLE_READ
}

# run_swap_job ACTION WORD [NAME=VALUE]: runs swap-database.sh as a job, and waits for the line "WORD: ..." in its log.
run_swap_job() {
  run_script "$instance_connection" "$folder/swap-database.sh" "$2: " "ACTION=$1" "DB_NAME=$DATABASE" ${3:+"$3"}
}

prepare() {
  run_swap_job clear cleared && filling=yes && run_init "$instance_connection" "done: " "DB_NAME=${DATABASE}_restored"
}

# Exchanges the application's database and the database that the last job has filled, identified by its id.
exchange() {
  exchanging=yes
  run_swap_job swap exchanged "RESTORED_ID=${JOB_LINE##* }" || return 1
  exchanging=no filling=no
}

# adopt INSTANCE: gives a restored instance, or a clone, the passwords and names of this deployment.
adopt() {
  sql_set_administrator "$1" && read_connection "$1" || return 1
  # A clone already has the names of this deployment.
  [ "$FROM_DATABASE" = "$DATABASE" ] || [ "$1" != "$INSTANCE" ] ||
    run_script "$connection" "$folder/swap-database.sh" "renamed: " ACTION=rename "DB_NAME=$DATABASE" \
      "FROM_NAME=$FROM_DATABASE" || return 1
  # A backup may contain an enabled login whose password a rotation has replaced since.
  run_init "$connection" "done: of its logins, " "DB_NAME=$DATABASE" DB_CLOSE_OTHER=true
}

say_former() {
  case $JOB_LINE in
    *"there was no "*)
      google_say "Restored after $(google_seconds) s. There was no $DATABASE before, so nothing is put aside."
      return
      ;;
  esac
  google_say "Restored after $(google_seconds) s. The previous data is in the database ${DATABASE}_former," \
    "with the grants to other roles and the settings that the database had of its own:" \
    "make these again where you need them, compare the data, and remove it with restore.sh drop-former."
}

exchange_step() {
  echo "exchange the two: $DATABASE becomes ${DATABASE}_former; the application is interrupted for seconds"
}

restore_from_dump() {
  object=$SUBJECT
  [ "$object" != latest ] || object=latest/$DATABASE.dump
  DUMP_JOB=${DUMP_JOB:-$(dump_job_of "$(service_of "$INIT_JOB")")}
  require_dump_job
  say_steps "create an empty database ${DATABASE}_restored with the job $INIT_JOB" \
    "restore $object into it with a copy of the job $DUMP_JOB, after checking that the dump is complete" \
    "$(exchange_step)"
  confirm_steps "Replace the data of $DATABASE with that of $object?"
  begin_changes
  try "empty database" prepare
  # shellcheck disable=SC2016 # of the job's shell
  { printf 'DUMP_FILE=$DUMP_FOLDER/%s\n' "$object" && cat "$folder/fill-database.sh"; } >"$GOOGLE_WORK/fill.sh"
  try "restore $object" run_job "$DUMP_JOB" "$instance_connection" "" "$GOOGLE_WORK/fill.sh" "users: " \
    "DB_NAME=${DATABASE}_restored"
  try "exchange" exchange
  say_former
}

restore_point_in_time() {
  say_steps "create an empty database ${DATABASE}_restored with the job $INIT_JOB" \
    "clone $INSTANCE as of $SUBJECT; the clone is billed while it exists" \
    "set the current passwords in the clone with the job $INIT_JOB" \
    "copy $DATABASE of the clone into it with a job" "$(exchange_step)" "delete the clone"
  confirm_steps "Replace the data of $DATABASE with that of $SUBJECT?"
  begin_changes
  # First, because a database that an earlier restore has put aside ends the script, before a clone is billed.
  try "empty database" prepare
  sql_own_clone=$JOB_GROUP-$RUN
  try "clone" sql_clone "$INSTANCE" "$sql_own_clone" "$SUBJECT"
  try "passwords of the clone" adopt "$sql_own_clone"
  clone_connection=$connection
  try "copy" run_job "$INIT_JOB" "$instance_connection" "$clone_connection" "$folder/fill-database.sh" "users: " \
    "DB_NAME=${DATABASE}_restored" "SOURCE_NAME=$DATABASE"
  try "exchange" exchange
  try "delete the clone" sql_remove "$sql_own_clone"
  sql_own_clone=
  say_former
}

# Sets GOOGLE_READ to "NAME TIME" of the newest backup that matches SUBJECT, from a list or by its full name.
read_backup() {
  export FROM_INSTANCE SUBJECT
  filter='select(.instance == env.FROM_INSTANCE and .state == "SUCCESSFUL")'
  if [ "$action" = backup ]; then
    filter="$filter"' | select(env.SUBJECT == "latest" or .description == env.SUBJECT or .name == env.SUBJECT
      or (.name | split("/") | last) == env.SUBJECT)'
    time='.backupInterval.endTime // .instanceDeletionTime // ""'
  else
    filter="$filter"' | select(.type == "FINAL")'
    # All backups of a deleted instance have the same time of deletion.
    time='.instanceDeletionTime // .backupInterval.endTime // ""'
  fi
  summary='"\(.name // "") "'" + ($time)"
  case $SUBJECT in
    # This works even if a region cannot be reached; a list would be incomplete then.
    projects/*/backups/*) google_reading "$filter // {} | $summary" google_get sqladmin "$SUBJECT" ;;
    *)
      google_listed "map($filter) | sort_by($time) | last // {} | $summary" \
        sqladmin "projects/$PROJECT_ID/backups" backups "filter=instance%3A$FROM_INSTANCE"
      ;;
  esac
}

restore_from_backup() {
  read_backup || [ "$GOOGLE_STATUS" = 404 ] ||
    google_fail "The backups of project $PROJECT_ID cannot be read, so none is restored." \
      "To fix: the caller needs roles/cloudsql.admin; if a region is away, name one in full: projects/P/backups/ID"
  name=${GOOGLE_READ%% *}
  [ -n "$name" ] ||
    google_stop "There is no such backup of $FROM_INSTANCE. To list all: gcloud sql backups list --project=$PROJECT_ID"
  RESTORES=$(hash_of "$name") renames=
  export RESTORES
  [ "$FROM_DATABASE" = "$DATABASE" ] || renames="rename the database and the login $FROM_DATABASE to $DATABASE"
  say_steps \
    "restore $name (of ${GOOGLE_READ#* }) into $INSTANCE; all its databases are overwritten, which takes minutes" \
    "set the administrator's password to the one that is stored now" \
    ${renames:+"$renames"} \
    "set the other current passwords in the database with the job $INIT_JOB"
  confirm_steps "Overwrite everything in $INSTANCE?"
  begin_changes
  jq -n --arg name "$name" '{ backup: $name }' >"$GOOGLE_WORK/restore.json"
  try "restore $name" restore_backup
  try "passwords" adopt "$INSTANCE"
  google_say "Restored after $(google_seconds) s."
}

drop_former() {
  say_steps "drop the databases ${DATABASE}_former and ${DATABASE}_restored, where they exist"
  confirm_steps "Remove ${DATABASE}_former and ${DATABASE}_restored? They cannot be recovered."
  begin_changes
  try "drop" run_swap_job drop-former dropped
}

# Reads the instance, and sets SQL_CLONES to the clones of killed runs.
look_at_instance() {
  read_connection "$INSTANCE" ||
    google_fail "The database instance $INSTANCE cannot be read." \
      "To fix: after a destroy, apply first; the next apply creates an empty instance of the same name."
  instance_connection=$connection
  case $action/${INSTANCE_OWNER:-deployment} in *backup/* | */others) ;; *) refuse_restoration ;; esac
  # A run that is making its clone has no job yet, by which others would find it.
  sql_clones "$JOB_GROUP" "$take_over"
}

main() {
  parse_words "$@"
  check_command
  [ "$action" = media ] || check_database_settings
  begin_run restore
  [ "$action" = media ] || look_at_instance
  google_on_failure clean_up
  case $action in
    dump) restore_from_dump ;;
    point-in-time) restore_point_in_time ;;
    backup | final-backup) restore_from_backup ;;
    drop-former) drop_former ;;
    media) restore_media ;;
  esac
  abandon_run
}

main "$@"
