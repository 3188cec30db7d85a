#!/bin/sh
# Promotes the standby of a deployment, and brings the deployment home again.
#
#   promote.sh look   prints the state of both regions, the lag of the standby, and what would be lost; changes nothing
#   promote.sh now    promotes the standby's database, so that it takes writes, and sends users to the standby
#   promote.sh home   once the region is back: replaces the data at home by those of the standby, and sends users home
#
#   --planned      for now: a drill or a move, while the primary answers. Connections are refused, jobs and sessions
#                  end, and the standby is promoted once it has received all data, so nothing is lost
#   --force        for now: the primary answers, but its users cannot work; data that the standby lacks are lost
#   --switchover   for now and home: primary and replica change places without loss; Enterprise Plus only, and with
#                  point-in-time recovery. The replica becomes the primary's disaster recovery replica, if it is not
#   --discard      for home, also afterwards: lets the next apply delete the promoted instance, whose data are home
#   --yes          does not ask
#
# The two databases never take writes at the same time. Before the promotion, users are sent to the standby, the servers
# at home are stopped, the right to connect to the primary is withdrawn, and the primary is stopped. If the region
# answers and one of these steps fails, the standby is promoted only with --force. If the region does not answer, an
# open connection can still write into the former primary, whose data are no longer used: run the same command again as
# soon as the region is back.
#
# Each command can be repeated, and recognizes the steps that are done. Afterwards, set the input standby as the script
# says, so that Terraform agrees.
#
#   PROJECT_ID             project (required)
#   INSTANCE, DATABASE, INIT_JOB, REGION, SERVICE   of the deployment at home (required)
#   STANDBY_REGION, STANDBY_INSTANCE, STANDBY_SERVICE   of the standby (required)
#   STANDBY_MIN_INSTANCES  least number of instances of the service that takes users (0)
#   ADMINISTRATOR_SECRET   name of the secret with the administrator's password (required for home without --switchover,
#                          which restores a backup)
#   BACKUP_PLAN            plan of Backup and DR that backs the instance at home up; empty: none. It does not follow to
#                          another instance, which gets backups of its own
#   SECRET_KEY_SECRET      name of the secret with the secret key; the standby's service names the others
#   MEDIA_BUCKET           bucket of the uploads, which servers mount; empty: it is not looked at
#   STANDBY_WORKER_POOL    worker pool of the standby; empty: none
#   STANDBY_WORKERS        number of instances of the worker pool that works (1)
#   BACKEND_SERVICE        backend service of the load balancer (required)
#   HOME_GROUP, STANDBY_GROUP   its endpoint groups: projects/P/regions/R/networkEndpointGroups/N (required)
#   SERVICE_URL            address at which users sign in; by default the output service_url
#   TERRAFORM              program that prints that output (terraform)
#   STOP_SECONDS           time limit for stopping the primary (300)
#   SCALE_SECONDS          time limit for starting or stopping servers, until the address answers, and in a drill until
#                          jobs that use the primary have ended (600)
#   SQL_SECONDS, JOB_SECONDS, LOG_SECONDS   as for restore.sh
# Settings of the calls and exit codes: google-rest.sh.
set -eu

export GOOGLE_OPTIONS=any
scripts=${0%"${0##*/}"}.
# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source=sql-rest.sh
. "$scripts/sql-rest.sh"
# shellcheck source=database-jobs.sh
. "$scripts/database-jobs.sh"
# shellcheck source=move-deployment.sh
. "$scripts/move-deployment.sh"
# shellcheck source=connect-right.sh
. "$scripts/connect-right.sh"
# shellcheck source=standby-state.sh
. "$scripts/standby-state.sh"
# shellcheck source=standby-servers.sh
. "$scripts/standby-servers.sh"

action='' planned=no force=no switchover=no discard=no yes=no unfinished=no checked=yes
no_address="neither SERVICE_URL nor a state says it"

parse_words() {
  for word in "$@"; do
    case $word in
      --planned) planned=yes ;;
      --force) force=yes ;;
      --switchover) switchover=yes ;;
      --discard) discard=yes ;;
      --yes) yes=yes ;;
      -*)
        google_refuse "\"$word\" is not an option; the options are --planned, --force, --switchover, --discard, --yes" \
          "and --help."
        ;;
      *) if [ -z "$action" ]; then action=$word; else google_refuse "\"$word\" is one argument too many."; fi ;;
    esac
  done
  case $action in
    look | now | home) ;;
    *) google_refuse "\"$action\" is not a command; the commands are look, now and home." ;;
  esac
  if [ "$discard" = yes ] && [ "$action" != home ]; then
    google_refuse "--discard is for home, not for $action."
  fi
  if [ "$discard" = yes ] && [ "$switchover" = yes ]; then
    google_refuse "--switchover leaves a replica, which --discard would lose."
  fi
  if [ "$planned" = yes ] || [ "$force" = yes ]; then
    [ "$action" = now ] || google_refuse "--planned and --force are for now, not for $action."
  fi
  if [ "$force" = yes ]; then
    [ "$planned" = no ] || google_refuse "--planned loses nothing, and --force takes a loss; choose one of them."
    [ "$switchover" = no ] || google_refuse "--switchover waits for the primary, which --force does not."
  fi
}

check_settings() {
  STOP_SECONDS=${STOP_SECONDS:-300} SCALE_SECONDS=${SCALE_SECONDS:-600}
  STANDBY_MIN_INSTANCES=${STANDBY_MIN_INSTANCES:-0} STANDBY_WORKERS=${STANDBY_WORKERS:-1}
  region_pattern='[a-z]+-[a-z]+[0-9]+' service_pattern='[a-z][a-z0-9-]*'
  group_pattern='projects/[a-z0-9.:-]+/regions/[a-z0-9-]+/networkEndpointGroups/[a-z0-9-]+'
  : "${INSTANCE:=}" "${REGION:=}" "${STANDBY_INSTANCE:=}"
  job_settings
  google_setting DATABASE '[a-z0-9_]{1,54}' "the name of a database, at most 54 characters"
  google_setting SERVICE "$service_pattern" "the name of the service at home"
  google_setting STANDBY_REGION "$region_pattern" \
    "a region, like europe-west1; there is one if the input standby is set"
  google_setting STANDBY_INSTANCE '[a-z][a-z0-9-]*' "the name of the standby's database instance"
  google_setting STANDBY_SERVICE "$service_pattern" "the name of the standby's service"
  google_option STANDBY_WORKER_POOL "$service_pattern" "the name of the standby's worker pool"
  google_setting STANDBY_MIN_INSTANCES '0|[1-9][0-9]{0,3}' "a number of instances"
  google_setting STANDBY_WORKERS '0|[1-9][0-9]{0,3}' "a number of instances"
  google_setting BACKEND_SERVICE '[a-z][a-z0-9-]*' "the name of a backend service"
  google_setting HOME_GROUP "$group_pattern" "the path of an endpoint group"
  google_setting STANDBY_GROUP "$group_pattern" "the path of an endpoint group"
  google_option MEDIA_BUCKET '[a-z0-9][a-z0-9._-]*' "the name of the media bucket"
  google_option SECRET_KEY_SECRET '[A-Za-z0-9_/:.-]+' "the name of the secret with the secret key"
  if [ "$action" = home ] && [ "$switchover" = no ]; then
    # restore.sh requires it, too, but runs when nobody can sign in any more.
    google_setting ADMINISTRATOR_SECRET '[A-Za-z0-9_-]+' "the name of the secret with the administrator's password"
  fi
  google_option SERVICE_URL 'https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9./_-]*)?' "the address of the service"
  google_time_limit STOP_SECONDS SCALE_SECONDS
}

# Refuses a promotion while a grant remains with which a server that cannot be stopped could go on writing at home.
refuse_with_remaining_grants() {
  [ "$standby_promoted" = no ] && [ -n "$rights_remaining" ] || return 0
  if [ "$force" = yes ]; then
    google_error "Also after the promotion, $INSTANCE can be reached: $rights_remaining." \
      "It is promoted nevertheless, as --force says."
    return 0
  fi
  google_stop "Accounts of this deployment may connect to $INSTANCE by grants that are not withdrawn with the others," \
    "so nothing is promoted: $rights_remaining" \
    "To fix: withdraw them, or limit each by a condition to another instance; or add --force."
}

# Refuses a promotion while a grant cannot be suspended, before the first step: after that, nobody could sign in until
# the policy is corrected.
refuse_with_unsuspendable_grants() {
  [ "$standby_promoted" = no ] && [ -n "$rights_unsuspendable" ] || return 0
  if [ "$force" = yes ]; then
    google_error "These rights to connect to $INSTANCE are removed for good, as --force says; write them down:" \
      "$rights_unsuspendable"
    return 0
  fi
  full="Conditions with 12 operators, as many as IAM takes, cannot be ended until promote.sh home begins them again"
  google_stop "$full, so nothing is promoted: $rights_unsuspendable" \
    "To fix: shorten these conditions, or withdraw the rights; or add --force, which removes them for good."
}

# set_activation INSTANCE_PATH POLICY [LIMIT]: starts or stops an instance, within the seconds that the variable LIMIT
# says (SQL_SECONDS).
set_activation() {
  jq -n --arg policy "$2" '{ settings: { activationPolicy: $policy } }' >"$GOOGLE_WORK/activation.json"
  sql_change "${1#*/}" PATCH "$1" "$GOOGLE_WORK/activation.json" "" "${3:-SQL_SECONDS}"
}

primary_runs() {
  [ "$primary_state" = answers ] || [ "$primary_state" = degraded ]
}

stop_primary() {
  set_activation "$primary_at" NEVER STOP_SECONDS || return 1
  primary_state=stopped
  google_say "$INSTANCE is stopped ($(google_seconds) s)."
}

# Stops the primary, or prints why the standby is promoted although the primary runs.
stop_before_promotion() {
  primary_runs || return 0
  ! stop_primary || return 0
  if [ "$home_state" = silent ] || [ "$force" = yes ]; then
    google_say "$INSTANCE cannot be stopped: $(google_outcome)"
  elif [ "$GOOGLE_STATUS" = 400 ]; then
    google_say "$INSTANCE cannot be stopped while it has a replica, and is stopped after the promotion; until then," \
      "it has neither servers nor a grant: $(google_outcome)"
  else
    google_fail "$INSTANCE cannot be stopped, so nothing is promoted." "$as_it_was"
  fi
}

# Stops a primary that could not be stopped before the promotion, or whose region is back.
stop_after_promotion() {
  primary_runs || return 0
  stop_primary || note_unfinished "$INSTANCE still runs, and must not: $(google_outcome)"
}

# note_unfinished WORD...: reports a problem that users do not notice. The script continues, and fails at its end.
note_unfinished() {
  google_error "$*"
  unfinished=yes
}

# Waits until the standby has everything that was written at home. The two databases are compared once nobody can
# connect to the primary any more and no session is left. A right ends minutes after it is withdrawn, so a job may begin
# meanwhile; then they are compared again.
await_position() {
  rights_comparer='' rights_executions='' compare_tries=0
  find_comparer || google_fail "The account that compares the two databases cannot be read, so nothing is promoted." \
    "$as_it_was"
  fence "$rights_comparer"
  until compare_is_complete; do
    [ "$compares_again" = yes ] || stop_comparing
    google_say "A job has begun meanwhile, so the two are compared again."
  done
  google_say "$STANDBY_INSTANCE has everything: $JOB_LINE ($(google_seconds) s)."
}

# Fails if a job has begun meanwhile, or if the databases cannot be compared. Sets compares_again to whether another try
# may help.
compare_is_complete() {
  compares_again=no compare_tries=$((compare_tries + 1))
  await_jobs || return 1
  executed_before=$rights_executions
  remove_copies yes && run_job "$INIT_JOB" "$primary_connection" "$standby_connection" \
    "$scripts/replica-position.sh" "caught up: " REPLICA_SECONDS=300 || return 1
  look_at_jobs || return 1
  [ "$rights_executions" != "$executed_before" ] || return 0
  if [ "$compare_tries" -lt 5 ]; then
    compares_again=yes
  else
    GOOGLE_NOTE="A job began each time, and may have written to $INSTANCE."
  fi
  return 1
}

stop_comparing() {
  compare_problem=$(google_outcome)
  abandon_run
  unfence
  google_error "Whether $STANDBY_INSTANCE has everything cannot be found out, so nothing is promoted:"
  google_error "  $compare_problem"
  google_stop "Whoever could connect to $INSTANCE before can connect again." \
    "To fix: run the same command again; a right that was just given back takes minutes. $as_it_was"
}

find_promotion() {
  google_listed "map(select(.operationType == \"$promotion_type\" and .status != \"DONE\")) | .[0]
    | if . then $GOOGLE_OPERATION else \"\" end" \
    sqladmin "projects/$PROJECT_ID/operations" items "instance=${promotion_of#*/}&maxResults=100" || return 1
  SQL_FOUND=$GOOGLE_READ
}

# make_primary INSTANCE_PATH WORD TYPE: promotes a replica by the method WORD, once.
make_primary() {
  promotion_of=$1 promotion_type=$3
  echo '{}' >"$GOOGLE_WORK/promotion.json"
  sql_once "Promotion of ${1#*/}" find_promotion "$1/$2" "$GOOGLE_WORK/promotion.json" &&
    sql_await "Promotion of ${1#*/}" && return 0
  promotion_problem=$(google_outcome)
  google_reading '.instanceType // ""' google_get sqladmin "projects/$PROJECT_ID/$1" || return 1
  [ "$GOOGLE_READ" = READ_REPLICA_INSTANCE ] || return 0
  GOOGLE_NOTE=$promotion_problem
  return 1
}

promote_standby() {
  if [ "$switchover" = yes ]; then
    make_primary "$standby_at" switchover SWITCHOVER || google_fail "$INSTANCE and $STANDBY_INSTANCE have not changed" \
      "places. $as_it_was"
    primary_state=replica
  else
    make_primary "$standby_at" promoteReplica PROMOTE_REPLICA ||
      google_fail "$STANDBY_INSTANCE is not promoted." "To fix: run the same command again. $as_it_was"
  fi
  standby_promoted=yes
  google_say "$STANDBY_INSTANCE takes writes ($(google_seconds) s)."
}

# begin_backups INSTANCE_PATH BACKUPS: turns on backups of an instance that was a replica, and so had none, with the
# settings BACKUPS of the other instance, as far as they are known. A plan of others does not follow to another
# instance.
begin_backups() {
  google_reading '.settings.backupConfiguration.enabled // false | tostring' \
    google_get sqladmin "projects/$PROJECT_ID/$1" || GOOGLE_READ=false
  [ "$GOOGLE_READ" = false ] || return 0
  printf '%s\n' "$2" | jq '{ settings: { backupConfiguration: ({ pointInTimeRecoveryEnabled: true } + .
    + { enabled: true }) } }' >"$GOOGLE_WORK/backups.json"
  sql_change "Backups of ${1#*/}" PATCH "$1" "$GOOGLE_WORK/backups.json" ||
    note_unfinished "${1#*/} has no backups yet, which the next apply begins: $(google_outcome)"
}

# designate PRIMARY_PATH REPLICA: makes the replica the one with which its primary can change places.
designate() {
  designation_problem="$2 cannot become the disaster recovery replica of ${1#*/}, so nothing is done."
  google_reading '.replicationCluster.failoverDrReplicaName // ""' \
    google_get sqladmin "projects/$PROJECT_ID/$1" || google_fail "$designation_problem"
  [ "${GOOGLE_READ##*:}" != "$2" ] || return 0
  jq -n --arg name "$PROJECT_ID:$2" '{ replicationCluster: { failoverDrReplicaName: $name } }' \
    >"$GOOGLE_WORK/designation.json"
  sql_change "Disaster recovery replica of ${1#*/}" PATCH "$1" "$GOOGLE_WORK/designation.json" ||
    google_fail "$designation_problem" "Without --switchover, now --planned loses nothing either."
  google_say "$2 is the disaster recovery replica of ${1#*/} ($(google_seconds) s)."
}

require_edition() {
  [ "$switchover" = yes ] || return 0
  for edition in "$primary_edition" "$standby_edition"; do
    [ "$edition" = ENTERPRISE_PLUS ] ||
      google_stop "--switchover needs the edition Enterprise Plus, and this is ${edition:-unknown}: nothing is done." \
        "To fix: use --planned, which loses nothing either, and takes minutes."
  done
}

# Waits until the address of the users answers. If the address is not known, sets checked to no.
await_address() {
  if ! has_address; then
    checked=no
    return 0
  fi
  address_until=$(($(google_seconds) + SCALE_SECONDS))
  until is_answered; do
    if ! google_pause "$address_until" "$users_url" "HTTP $users_code"; then
      note_unfinished "$users_url does not answer after $SCALE_SECONDS s (SCALE_SECONDS): HTTP $users_code"
      return 0
    fi
  done
  google_say "$users_url answers ($(google_seconds) s)."
}

# say_served REGION WORDS: prints that a region has its servers or, if the address has answered, that it serves users.
say_served() {
  served=$([ "$checked" = yes ] && echo "serves users" || echo "has its servers")
  google_say "$1 $served after $(($(google_seconds) / 60)) minutes$2"
}

# Stops if users work at home with old data, because something else than this script has sent them there.
refuse_users_at_old_data() {
  if has_news && [ "$users_region" = home ] && [ "$primary_state" = answers ]; then
    google_stop "Users are at home, whose data are old: what $STANDBY_INSTANCE has, which has been promoted, was not" \
      "brought home. As a rule, an apply without promoted = true has done that; what users write is at home alone." \
      "To fix: decide which of the two stays. The standby: set promoted = true in the input standby, apply, and" \
      "run promote.sh now. Home: save what you need of $STANDBY_INSTANCE, raise number, and apply."
  fi
}

refuse_second_promotion() {
  if [ "$standby_retired" = yes ] && [ "$users_region" = home ]; then
    google_stop "$STANDBY_INSTANCE has been promoted, and what it had is home: its data are old, nothing is done." \
      "To fix: raise number in the input standby, and apply, which makes a new replica."
  fi
  refuse_users_at_old_data
}

refuse_while_home_answers() {
  if [ "$primary_state" = answers ] && [ "$home_state" = answers ]; then
    google_stop "The primary answers, so nothing is promoted: the standby may lack what is written there." \
      "To fix: for a drill or a move, add --planned, which loses nothing." \
      "If users cannot work although it answers, add --force; what the standby lacks is then lost."
  fi
  # An API of Google may fail while users are still served.
  if ! has_address; then
    google_row address "not checked, because $no_address: home may still serve users"
    return 0
  fi
  ! is_answered ||
    google_stop "$users_url answers, so nothing is promoted: home may still serve users." \
      "To fix: look whether they can sign in; if they cannot, add --force: what the standby lacks is then lost."
}

refuse_promotion() {
  if [ "$standby_promoted" = yes ]; then
    refuse_second_promotion
    return 0
  fi
  [ "$force" = no ] || return 0
  if [ "$planned" = no ] && [ "$switchover" = no ]; then
    refuse_while_home_answers
    return 0
  fi
  case $primary_state/$home_state/$switchover in
    # A primary that is stopped is started to be compared, but cannot change places.
    answers/answers/* | stopped/answers/no) ;;
    *)
      google_stop "The primary does not answer, or not all of it, so it cannot hand over what it has." \
        "To fix: without --planned and --switchover, the standby is promoted as it is."
      ;;
  esac
}

# refuse_unless_forced PROBLEM REMEDY...: stops before anything is done, or reports the problem if --force is given.
refuse_unless_forced() {
  if [ "$force" = yes ]; then
    google_error "$1" "It is promoted nevertheless, as --force says."
    return 0
  fi
  refused=$1
  shift
  google_stop "$refused Nothing is promoted." "$@"
}

# Refuses a promotion if no server could start beside the promoted database.
refuse_without_secrets() {
  [ -n "$standby_missing_secrets" ] && [ "$standby_promoted" = no ] || return 0
  refuse_unless_forced \
    "Without these secrets, no server can start in $STANDBY_REGION, and they are not there: $standby_missing_secrets." \
    "To fix: make the deployment again with the input standby, as guides/warm-standby.md says; a secret never moves." \
    "To promote the database nevertheless, with servers of your own: --force"
}

refuse_without_uploads() {
  [ -n "$standby_mount_problem" ] && [ "$standby_promoted" = no ] || return 0
  refuse_unless_forced \
    "Servers mount the uploads of $MEDIA_BUCKET, which $standby_mount_problem, so none can start in $STANDBY_REGION." \
    "To fix: make the deployment again elsewhere, without these uploads: recover-elsewhere.sh" \
    "To promote the database nevertheless, with servers of your own, or if $MEDIA_BUCKET is back at once: --force"
}

# Sets loss to what this command loses.
find_loss() {
  if [ "$standby_promoted" = yes ]; then
    loss="nothing more is lost: it has been promoted before"
  elif [ "$planned" = yes ] || [ "$switchover" = yes ]; then
    loss="nothing is lost"
  else
    loss="what was written last is lost: $standby_lag"
  fi
}

# change_of_places PRIMARY REPLICA: how a step names it.
change_of_places() {
  echo "$1 and $2 change places, for which the latter first becomes the disaster recovery replica of the former"
}

say_promotion_steps() {
  step2="stop the servers in $REGION" step2_end="withdraw the right to connect to $INSTANCE"
  if [ "$standby_promoted" = no ] && [ "$planned" = yes ]; then
    step2="$step2, $step2_end" step2_end="wait until jobs have ended and $STANDBY_INSTANCE has everything"
  fi
  if stops_primary; then
    step2="$step2, $step2_end" step2_end="stop $INSTANCE"
  fi
  if [ "$standby_retired" = yes ]; then
    step3="start $STANDBY_INSTANCE"
  elif [ "$standby_promoted" = yes ]; then
    step3="leave $STANDBY_INSTANCE promoted"
  elif [ "$switchover" = yes ]; then
    step3="let $(change_of_places "$INSTANCE" "$STANDBY_INSTANCE")"
  else
    step3="promote $STANDBY_INSTANCE"
  fi
  google_say "Steps; sign-in is down from the first to the last:"
  google_say "  1. let the load balancer send users to $STANDBY_GROUP"
  google_say "  2. $step2, and $step2_end"
  google_say "  3. $step3; $loss"
  google_say "  4. begin its backups, and start the servers in $STANDBY_REGION"
}

# Whether there is a primary to stop. After a promotion, it may have become a replica, or be gone.
stops_primary() {
  if [ "$standby_promoted" = yes ]; then
    [ "$primary_state" != replica ] && [ "$primary_state" != gone ]
  else
    [ "$switchover" = no ]
  fi
}

# Sends users to the standby, which has no server until its database takes writes.
take_users_away() {
  if [ "$standby_promoted" = no ]; then
    # A server cannot start on a replica.
    stop_servers "$standby_place" "$STANDBY_SERVICE" "$STANDBY_WORKER_POOL" ||
      google_fail "The servers of the standby cannot be changed, so nothing is promoted."
  fi
  send_users "$HOME_GROUP" "$STANDBY_GROUP" ||
    google_fail "Users cannot be sent to the standby, so nothing is promoted." "To fix: run the same command again."
  google_say "The load balancer sends users to the standby ($(google_seconds) s)."
}

# Ends all writes at home, and with --planned waits until the standby has received all data.
close_home() {
  if [ "$home_state" = answers ]; then
    if stop_servers "$home_place" "$SERVICE" "$home_pool"; then
      google_say "No server runs in $REGION ($(google_seconds) s)."
    elif is_silent && [ "$planned" = no ] && [ "$switchover" = no ]; then
      home_state=silent
    else
      google_fail "The servers in $REGION cannot be stopped, so nothing is promoted." "$as_it_was"
    fi
  fi
  if [ "$planned" = yes ] && [ "$standby_promoted" = no ]; then
    # An earlier run may have ended after it had stopped the primary, whose position shows what the standby lacks.
    if [ "$primary_state" = stopped ]; then
      set_activation "$primary_at" ALWAYS ||
        google_fail "$INSTANCE cannot be started, so what the standby lacks is not known." "$as_it_was"
      primary_state=answers
    fi
    await_position
  fi
  fence
  if [ "$standby_promoted" = yes ]; then
    stop_after_promotion
  elif [ "$switchover" = no ]; then
    stop_before_promotion
  fi
}

# Lets the standby's database take writes, and begins its backups.
make_standby_primary() {
  if [ "$standby_promoted" = no ]; then promote_standby; fi
  if [ "$standby_retired" = yes ]; then
    set_activation "$standby_at" ALWAYS ||
      google_fail "$STANDBY_INSTANCE cannot be started." "To fix: run the same command again."
  fi
  [ -z "${BACKUP_PLAN:-}" ] || primary_backups='{}'
  begin_backups "$standby_at" "$primary_backups"
  stop_after_promotion
}

open_standby() {
  start_servers "$standby_place" "$STANDBY_SERVICE" "$STANDBY_WORKER_POOL" ||
    google_fail "The servers of the standby cannot be started." "To fix: run the same command again."
  await_address
  say_served "$STANDBY_REGION" "; $loss."
}

# Says what has to be done after the promotion.
say_what_follows() {
  case $primary_state/$home_state in
    stopped/answers | gone/answers) ;;
    replica/*)
      google_say "$INSTANCE is the replica now. Before the next apply: promote.sh home --switchover"
      return
      ;;
    *)
      google_say "$REGION has not been closed as a whole. As soon as it is back, and before anything else, run" \
        "promote.sh now again: it stops the servers there, and $INSTANCE."
      ;;
  esac
  google_say "Set this, with the other members as they are; Terraform then agrees:"
  google_say "  standby = { region = \"$STANDBY_REGION\", promoted = true }"
}

promote() {
  refuse_promotion
  refuse_without_secrets
  refuse_without_uploads
  refuse_with_remaining_grants
  refuse_with_unsuspendable_grants
  require_edition
  as_it_was="To let home serve users again instead: promote.sh home"
  find_loss
  say_promotion_steps
  [ "$yes" = yes ] || google_confirm "Promote $STANDBY_INSTANCE?"
  if [ "$switchover" = yes ] && [ "$standby_promoted" = no ]; then designate "$primary_at" "$STANDBY_INSTANCE"; fi
  take_users_away
  close_home
  make_standby_primary
  open_standby
  say_what_follows
}

# Starts the servers at home, whose database now has what users have written.
open_home() {
  send_users "$STANDBY_GROUP" "$HOME_GROUP" ||
    google_fail "Users cannot be sent home." "To fix: run the same command again."
  start_servers "$home_place" "$SERVICE" "$home_pool" ||
    google_fail "The servers in $REGION cannot be started." "To fix: run the same command again."
  await_address
}

# Replaces the data at home by those of the standby. Each run makes its own backup, after the last write.
bring_data_home() {
  # A server that is stopped still finishes its last requests.
  { remove_copies yes && run_script "$standby_connection" \
    "$scripts/replica-position.sh" "caught up: " REPLICA_SECONDS=300; } ||
    google_fail "Whether anybody still writes to $STANDBY_INSTANCE cannot be found out, so nothing is restored." \
      "$stays_away"
  release=home-$(jq -nr 'now | floor | strftime("%Y%m%dT%H%M%SZ")')
  INSTANCE=$STANDBY_INSTANCE RELEASE=$release BACKUP_DAYS=7 sh "$scripts/backup-before-upgrade.sh" ||
    google_stop "$STANDBY_INSTANCE is not backed up, so nothing is restored." "$stays_away"
  # The settings of the deployment at home are in the environment. Only its plan is taken out, with which restore.sh
  # refuses backups of Cloud SQL: the plan covers the instance at home, and this backup is of the standby's.
  home_settings='BACKUP_PLAN='
  restore_into "$home_settings" "$STANDBY_INSTANCE" "$DATABASE" backup "before $release"
  # Once it is stopped, a repeated run finds that everything is home.
  set_activation "$standby_at" NEVER ||
    google_fail "$STANDBY_INSTANCE cannot be stopped, so users stay away." "$stays_away"
  google_say "$INSTANCE has what the standby had ($(google_seconds) s)."
}

# With --discard, lets Terraform delete the promoted instance. Says how another replica is made.
release_standby() {
  if [ "$discard" = yes ]; then
    echo '{ "settings": { "deletionProtectionEnabled": false } }' >"$GOOGLE_WORK/discard.json"
    if sql_change "Protection of $STANDBY_INSTANCE" PATCH "$standby_at" "$GOOGLE_WORK/discard.json"; then
      google_say "$STANDBY_INSTANCE may be deleted."
    else
      note_unfinished "$STANDBY_INSTANCE is still protected, so an apply cannot delete it: $(google_outcome)"
    fi
  else
    google_say "$STANDBY_INSTANCE is kept, and billed. Once you have seen that everything is home:" \
      "promote.sh home --discard"
  fi
  google_say "$STANDBY_INSTANCE is no replica any more. Set this before any other apply, with the other members as" \
    "they are, and the next number as N: that makes a new replica, and deletes $STANDBY_INSTANCE."
  google_say "  standby = { region = \"$STANDBY_REGION\", number = N }"
}

refuse_return() {
  if [ "$primary_state" = gone ]; then
    google_stop "$INSTANCE does not exist any more, so there is nothing to bring users home to." \
      "To fix: stay there; or make the deployment again at home from a dump: recover-elsewhere.sh"
  elif [ "$primary_state" = degraded ]; then
    google_stop "$INSTANCE is not RUNNABLE, so users stay where they are." \
      "To fix: wait, or look what ails it: gcloud sql instances describe $INSTANCE --project=$PROJECT_ID"
  elif [ "$primary_state" = silent ] || [ "$home_state" = silent ]; then
    google_stop "$REGION is not back, so users stay where they are." "To fix: run the same command once it is."
  elif [ "$primary_state" = replica ] && [ "$switchover" = no ]; then
    google_stop "$INSTANCE is a replica of $STANDBY_INSTANCE, with which it changes places: add --switchover."
  elif [ "$primary_state" != replica ] && [ "$switchover" = yes ]; then
    google_stop "$INSTANCE is no replica, so there is nothing to change places with."
  fi
  refuse_users_at_old_data
}

# Whether the standby has data that home does not have.
has_news() {
  [ "$standby_promoted" = yes ] && [ "$standby_retired" = no ]
}

say_return_steps() {
  if [ "$standby_promoted" = no ]; then
    data="nothing is restored: $STANDBY_INSTANCE has not been promoted"
  elif [ "$standby_retired" = yes ]; then
    data="nothing is restored: that is done"
  elif [ "$switchover" = yes ]; then
    data="let $(change_of_places "$STANDBY_INSTANCE" "$INSTANCE"); nothing is lost"
  else
    data="back up $STANDBY_INSTANCE, restore that into $INSTANCE, over everything there, and stop the former"
  fi
  connecting="give the right to connect to $INSTANCE back"
  if has_news && [ "$switchover" = no ]; then
    data="$data; then $connecting"
    connecting="let only the jobs that restore connect to $INSTANCE"
  fi
  google_say "Steps; sign-in is down from the first to the last:"
  google_say "  1. stop the servers in $STANDBY_REGION"
  if [ "$primary_state" = stopped ]; then
    google_say "  2. start $INSTANCE, and $connecting"
  else
    google_say "  2. $connecting"
  fi
  google_say "  3. $data"
  google_say "  4. let the load balancer send users to $HOME_GROUP, and start the servers in $REGION"
  [ "$discard" = no ] || google_say "  5. end the protection of $STANDBY_INSTANCE, which the next apply then deletes"
}

# Makes sure that nobody writes into the database that is replaced, or into the one whose data are taken.
close_for_return() {
  stop_servers "$standby_place" "$STANDBY_SERVICE" "$STANDBY_WORKER_POOL" ||
    google_fail "The servers of the standby cannot be stopped, so nothing is restored."
  has_news || return 0
  stop_servers "$home_place" "$SERVICE" "$home_pool" ||
    google_fail "The servers in $REGION cannot be stopped, so nothing is restored." "$stays_away"
}

start_primary() {
  if [ "$primary_state" = stopped ]; then
    set_activation "$primary_at" ALWAYS || google_fail "$INSTANCE cannot be started." "$stays_away"
  fi
}

change_places_back() {
  make_primary "$primary_at" switchover SWITCHOVER ||
    google_fail "$INSTANCE and $STANDBY_INSTANCE have not changed places." "$stays_away"
  [ -n "${BACKUP_PLAN:-}" ] || begin_backups "$primary_at" "$standby_backups"
}

say_standby_is_ready() {
  google_say "$STANDBY_INSTANCE is a replica: the standby is ready again."
  # If their names cannot be read, they are named by what they are.
  if ! find_lacking; then rights_lacking="accounts of jobs"; fi
  [ -z "$rights_lacking" ] ||
    google_say "Apply once, which gives these the right to connect to $INSTANCE back: $rights_lacking"
}

go_home() {
  refuse_return
  require_edition
  stays_away="To let the standby serve users again: promote.sh now. To try again: the same command."
  say_return_steps
  [ "$yes" = yes ] || google_confirm "Bring users home?"
  if [ "$standby_promoted" = yes ] && [ "$primary_state" = replica ]; then designate "$standby_at" "$INSTANCE"; fi
  close_for_return
  start_primary
  if has_news && [ "$primary_state" != replica ]; then
    let_jobs_in
    bring_data_home
  fi
  unfence
  if has_news && [ "$primary_state" = replica ]; then change_places_back; fi
  open_home
  say_served "$REGION" ", with all that was written."
  if [ "$standby_promoted" = no ] || [ "$primary_state" = replica ]; then say_standby_is_ready; else release_standby; fi
}

main() {
  parse_words "$@"
  check_settings
  begin_run promote
  # For jq.
  export INSTANCE STANDBY_INSTANCE STANDBY_REGION HOME_GROUP STANDBY_GROUP
  google_on_failure abandon_run
  primary_at="instances/$INSTANCE" standby_at="instances/$STANDBY_INSTANCE"
  home_place="projects/$PROJECT_ID/locations/$REGION" standby_place="projects/$PROJECT_ID/locations/$STANDBY_REGION"
  home_pool=${STANDBY_WORKER_POOL:+$(worker_of "$SERVICE")}
  google_say "$SERVICE and its standby:"
  look
  case $action in
    now) promote ;;
    home) go_home ;;
  esac
  [ "$checked" = yes ] || google_say "Not checked: whether users are answered, because $no_address. Sign in yourself."
  [ "$unfinished" = no ] || google_stop "Not everything is done, as said above." "To fix: run the same command again."
}

main "$@"
