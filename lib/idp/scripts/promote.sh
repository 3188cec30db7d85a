#!/bin/sh
# Lets the standby of a deployment take over, and brings it home again.
#
#   promote.sh look   says what answers, how far the standby is behind, and what would be lost; changes nothing
#   promote.sh now    the load balancer sends users to the standby, whose database becomes one that takes writes
#   promote.sh home   once the region is back: what the standby has replaces what is there, and users go back there
#
#   --planned      for now: the primary answers, and it is meant: a drill, or a move. Nobody can connect any more, jobs
#                  and sessions end, and the standby is promoted once it has everything, so nothing is lost
#   --force        for now: the primary answers, but its users cannot work; what the standby does not have yet is lost
#   --switchover   for now and home: primary and replica change places without loss; Enterprise Plus only, and with
#                  point-in-time recovery. The replica becomes the primary's disaster recovery replica, if it is not
#   --discard      for home, also afterwards: the promoted instance, whose data are home, may be deleted by the next
#                  apply
#   --yes          does not ask
#
# The two databases never both take writes. Before the promotion, users are sent to the standby, the servers at home
# are stopped, the right to connect to the primary is withdrawn, and the primary is stopped. If the region answers and
# this fails, nothing is promoted without --force. If the region does not answer, a connection that has been open
# since before can still write there, into a database that nobody uses any more: run the same command again as soon as
# the region is back.
#
# Each can be repeated: a step that is done is found done. Afterwards, set the input standby as the script says, so that
# Terraform agrees.
#
#   PROJECT_ID             project (required)
#   INSTANCE, DATABASE, INIT_JOB, REGION, SERVICE   of the deployment at home (required)
#   STANDBY_REGION, STANDBY_INSTANCE, STANDBY_SERVICE   of the standby (required)
#   STANDBY_MIN_INSTANCES  least number of instances of the service that takes users (0)
#   ADMINISTRATOR_SECRET   name of the secret with the administrator's password (required for home, which restores with it,
#                          but not with --switchover)
#   BACKUP_PLAN            plan of Backup and DR that backs the instance at home up; empty: none. It does not follow to
#                          another instance, which gets backups of its own
#   SECRET_KEY_SECRET      name of the secret with the secret key; the standby's service names the others
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
# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source=/dev/null
. "$scripts/sql-rest.sh"
# shellcheck source=/dev/null
. "$scripts/database-jobs.sh"
# shellcheck source=/dev/null
. "$scripts/move-deployment.sh"
# shellcheck source=/dev/null
. "$scripts/connect-right.sh"

action='' planned=no force=no switchover=no discard=no yes=no problems=''
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
case $action/$discard in
  home/* | */no) ;;
  *) google_refuse "--discard is for home, not for $action." ;;
esac
[ "$discard$switchover" != yesyes ] || google_refuse "--switchover leaves a replica, which --discard would lose."
case $action/$planned$force in
  now/yesyes) google_refuse "--planned loses nothing, and --force takes a loss; choose one of them." ;;
  now/* | look/nono | home/nono) ;;
  look/* | home/*) google_refuse "--planned and --force are for now, not for $action." ;;
  *) google_refuse "\"$action\" is not a command; the commands are look, now and home." ;;
esac
[ "$force$switchover" != yesyes ] || google_refuse "--switchover waits for the primary, which --force does not."
STOP_SECONDS=${STOP_SECONDS:-300} SCALE_SECONDS=${SCALE_SECONDS:-600}
STANDBY_MIN_INSTANCES=${STANDBY_MIN_INSTANCES:-0} STANDBY_WORKERS=${STANDBY_WORKERS:-1}
region_pattern='[a-z]+-[a-z]+[0-9]+' service_pattern='[a-z][a-z0-9-]*'
group_pattern='projects/[a-z0-9.:-]+/regions/[a-z0-9-]+/networkEndpointGroups/[a-z0-9-]+'
: "${INSTANCE:=}" "${REGION:=}" "${STANDBY_INSTANCE:=}"
job_settings
google_setting DATABASE '[a-z0-9_]{1,54}' "the name of a database, at most 54 characters"
google_setting SERVICE "$service_pattern" "the name of the service at home"
google_setting STANDBY_REGION "$region_pattern" "a region, like europe-west1; there is one if the input standby is set"
google_setting STANDBY_INSTANCE '[a-z][a-z0-9-]*' "the name of the standby's database instance"
google_setting STANDBY_SERVICE "$service_pattern" "the name of the standby's service"
google_option STANDBY_WORKER_POOL "$service_pattern" "the name of the standby's worker pool"
google_setting STANDBY_MIN_INSTANCES '0|[1-9][0-9]{0,3}' "a number of instances"
google_setting STANDBY_WORKERS '0|[1-9][0-9]{0,3}' "a number of instances"
google_setting BACKEND_SERVICE '[a-z][a-z0-9-]*' "the name of a backend service"
google_setting HOME_GROUP "$group_pattern" "the path of an endpoint group"
google_setting STANDBY_GROUP "$group_pattern" "the path of an endpoint group"
google_option SECRET_KEY_SECRET '[A-Za-z0-9_/:.-]+' "the name of the secret with the secret key"
if [ "$action" = home ] && [ "$switchover" = no ]; then
  # As restore.sh requires it, which is too late: nobody can sign in then.
  google_setting ADMINISTRATOR_SECRET '[A-Za-z0-9_-]+' "the name of the secret with the administrator's password"
fi
google_option SERVICE_URL 'https?://[A-Za-z0-9.:-]+(/[A-Za-z0-9./_-]*)?' "the address of the service"
google_time_limit STOP_SECONDS SCALE_SECONDS
begin_run promote
export INSTANCE STANDBY_INSTANCE HOME_GROUP STANDBY_GROUP
google_on_failure abandon_run

primary_at="instances/$INSTANCE" standby_at="instances/$STANDBY_INSTANCE"
home_place="projects/$PROJECT_ID/locations/$REGION" standby_place="projects/$PROJECT_ID/locations/$STANDBY_REGION"
home_pool=${STANDBY_WORKER_POOL:+$SERVICE-w}

# row WHAT WORD...
row() {
  row_of=$1
  shift
  google_say "$(printf '  %-9s %s' "$row_of" "$*")"
}

# is_silent: whether the last call failed because nobody carries it out, and not because it is refused.
is_silent() {
  case $GOOGLE_STATUS$GOOGLE_STRANGER in 5?? | 0005?? | 000) return 0 ;; esac
  return 1
}

# Sets primary to answers, stopped, replica, degraded, gone or silent.
look_at_primary() {
  primary=silent primary_edition='' primary_backups='{}' primary_connection=''
  if google_reading '[.state // "-", .settings.activationPolicy // "ALWAYS", .instanceType // "-",
      .settings.edition // "ENTERPRISE", .connectionName // "-",
      (.settings.backupConfiguration // {} | del(.kind) | tojson)] | join(" ")' \
    google_get sqladmin "projects/$PROJECT_ID/$primary_at"; then
    read -r state policy type primary_edition primary_connection primary_backups <<SAID
$GOOGLE_READ
SAID
    case $state/$policy/$type in
      */READ_REPLICA_INSTANCE) primary=replica ;;
      RUNNABLE/NEVER/*) primary=stopped ;;
      RUNNABLE/*) primary=answers ;;
      *) primary=degraded ;;
    esac
    row primary "$INSTANCE in $REGION: $primary ($state, activation policy $policy)"
  elif [ "$GOOGLE_STATUS" = 404 ]; then
    primary=gone
    row primary "$INSTANCE does not exist any more"
  else
    is_silent || google_fail "The instance $INSTANCE cannot be read."
    row primary "$INSTANCE in $REGION does not answer: $(google_outcome)"
  fi
}

# Sets home to answers or silent.
look_at_home() {
  home=answers
  if google_get run "$home_place/services/$SERVICE"; then
    row servers "Cloud Run in $REGION answers"
  elif [ "$GOOGLE_STATUS" = 404 ]; then
    row servers "Cloud Run in $REGION answers, and has no service $SERVICE"
  else
    is_silent || google_fail "The service $SERVICE cannot be read."
    home=silent
    row servers "Cloud Run in $REGION does not answer: $(google_outcome)"
  fi
}

# Sets promoted and retired to yes or no, and behind to what is known of the replica's lag. A promoted instance is
# retired once what it has is home: home stops it then.
look_at_standby() {
  google_reading '[.instanceType // "-", .state // "-", .settings.edition // "ENTERPRISE", .connectionName // "-",
      .settings.activationPolicy // "ALWAYS",
      (.settings.backupConfiguration // {} | del(.kind) | tojson)] | join(" ")' \
    google_get sqladmin "projects/$PROJECT_ID/$standby_at" ||
    google_fail "The standby's database $STANDBY_INSTANCE cannot be read, so nothing can be promoted." \
      "To fix: recover from a backup or a dump: recover-elsewhere.sh"
  read -r type state standby_edition standby_connection standby_policy standby_backups <<SAID
$GOOGLE_READ
SAID
  promoted=yes retired=no behind=''
  if [ "$type" = READ_REPLICA_INSTANCE ]; then
    promoted=no
    look_at_lag
    row standby "$STANDBY_INSTANCE in $STANDBY_REGION is a replica, $state; $behind"
  elif [ "$standby_policy" = NEVER ]; then
    retired=yes
    row standby "$STANDBY_INSTANCE in $STANDBY_REGION is stopped: what it has was brought home"
  else
    row standby "$STANDBY_INSTANCE in $STANDBY_REGION takes writes, $state"
  fi
  google_reading '.template | [.serviceAccount // "-", ([.containers[]?.env[]?.valueSource.secretKeyRef.secret,
      .volumes[]?.secret.secret | strings] | unique[])] | join(" ")' \
    google_get run "$standby_place/services/$STANDBY_SERVICE" ||
    google_fail "The standby's service $STANDBY_SERVICE cannot be read, so nothing can be promoted."
  ACCOUNT=${GOOGLE_READ%% *} standby_secrets="${GOOGLE_READ#"${GOOGLE_READ%% *}"} ${SECRET_KEY_SECRET:-}"
  export ACCOUNT
}

# Sets stuck to the secrets without which no server starts in the second region, and which are not there. Where a secret
# is, is decided when it is made.
look_at_secrets() {
  stuck='' unread='' seen=' '
  for secret in $standby_secrets; do
    case $secret in */*) ;; *) secret=projects/$PROJECT_ID/secrets/$secret ;; esac
    case $seen in *" $secret "*) continue ;; esac
    seen="$seen$secret "
    if google_reading ".replication | objects
        | if has(\"automatic\") then true else any(.userManaged.replicas[]?; .location == \"$STANDBY_REGION\") end" \
      google_get secretmanager "$secret"; then
      [ "$GOOGLE_READ" = true ] || stuck="${stuck:+$stuck, }${secret#"projects/$PROJECT_ID/secrets/"}"
    else
      unread="${unread:+$unread, }${secret#"projects/$PROJECT_ID/secrets/"} (HTTP $GOOGLE_STATUS)"
    fi
  done
  [ -z "$unread" ] || row secrets "whether these can be read in $STANDBY_REGION is not known: $unread"
  [ -z "$stuck" ] || row secrets "no server can start in $STANDBY_REGION without these, which are not there: $stuck"
  [ -n "$unread$stuck" ] || row secrets "those of the standby are in $STANDBY_REGION"
}

# Cloud Monitoring samples it once a minute, and knows of it minutes later.
look_at_lag() {
  lag_query=$(jq -nr --argjson now "$(google_server_time)" --arg id "$PROJECT_ID:$STANDBY_INSTANCE" '
    "metric.type=\"cloudsql.googleapis.com/database/replication/replica_lag\""
    + " AND resource.labels.database_id=\"\($id)\"" | "filter=\(@uri)"
    + "&interval.startTime=\($now - 3600 | todate)&interval.endTime=\($now | todate)"')
  behind="how far it is behind cannot be read"
  # shellcheck disable=SC2016 # names of jq
  google_reading 'items("timeSeries") | [.[].points[]?
      | { time: .interval.endTime, lag: (.value | .doubleValue // (.int64Value | tonumber)) }]
    | max_by(.time) // empty | "\(.time | sub("[.][0-9]+"; "")) \(.lag | ceil)"' \
    google_get monitoring "v3/projects/$PROJECT_ID/timeSeries" "$lag_query" || return 0
  [ -n "$GOOGLE_READ" ] || return 0
  lag=${GOOGLE_READ#* } lag_time=${GOOGLE_READ%% *}
  held=$(jq -nr --arg time "$lag_time" --argjson lag "$lag" '$time | fromdate - $lag | todate')
  behind="at $lag_time it was $lag s behind: what was written after about $held is not known to be there"
}

# Sets led, where the load balancer sends users, to home, standby, both or nowhere.
look_at_users() {
  google_reading '[.backends[]?.group // ""] | map(if endswith("/" + env.HOME_GROUP) then "home"
      elif endswith("/" + env.STANDBY_GROUP) then "standby" else empty end) | unique | join("")' \
    google_get compute "projects/$PROJECT_ID/global/backendServices/$BACKEND_SERVICE" ||
    google_fail "The backend service $BACKEND_SERVICE cannot be read."
  led=${GOOGLE_READ:-nowhere}
  case $led in
    nowhere)
      google_stop "The backend service $BACKEND_SERVICE sends users neither to $HOME_GROUP nor to $STANDBY_GROUP." \
        "To fix: apply, which sends them to one of the two."
      ;;
    homestandby) led=both ;;
  esac
  row users "the load balancer sends them to: $led"
}

look() {
  tries=$REST_TRIES
  # What is gone says so each time.
  [ "$REST_TRIES" -le 3 ] || REST_TRIES=3
  look_at_primary
  look_at_home
  REST_TRIES=$tries
  look_at_standby
  look_at_secrets
  look_at_users
  case $action/$promoted in look/no | now/no) look_at_grants ;; esac
}

# By what else than the grants that are withdrawn the primary can be reached.
look_at_grants() {
  look_at_rights || google_fail "The grants by which $INSTANCE can be reached cannot be read."
  [ -z "$unseen" ] ||
    row grants "whether the servers' accounts can connect by what is granted here is not known: $unseen"
  [ -z "$staying" ] || row grants "with these, $INSTANCE can be reached also after the promotion: $staying"
}

# A server at home that nobody could stop would go on writing there.
refuse_with_grants() {
  [ "$promoted" = no ] && [ -n "$staying" ] || return 0
  if [ "$force" = yes ]; then
    google_error "Also after the promotion, $INSTANCE can be reached: $staying." \
      "It is promoted nevertheless, as --force says."
    return 0
  fi
  google_stop "Accounts of this deployment may connect to $INSTANCE by grants that are not withdrawn with the others," \
    "so nothing is promoted: $staying" \
    "To fix: withdraw them, or limit each by a condition to another instance; or add --force."
}

confirm() {
  [ "$yes" = no ] || return 0
  printf '%s Type "yes" to continue: ' "$1"
  read -r answer || answer=
  [ "$answer" = yes ] || { google_say "Nothing was changed." && exit 1; }
}

# send_users FROM TO: makes TO the group of the backend service in the place of FROM.
send_users() {
  FROM=$1 TO=$2 send_try=1
  export FROM TO
  while :; do
    # shellcheck disable=SC2016 # names of jq
    google_reading 'def is($group): (.group // "") | endswith("/" + $group);
      (.backends // []) as $all | ($all | map(select(is(env.FROM)))) as $from | ($all | map(select(is(env.TO)))) as $to
      | if $from == [] then "done" else
          { fingerprint, backends: (($all - $from - $to)
            + [($to + ($from | map(.group |= .[:-(env.FROM | length)] + env.TO)))[0]]) } | tojson end' \
      google_get compute "projects/$PROJECT_ID/global/backendServices/$BACKEND_SERVICE" || return 1
    [ "$GOOGLE_READ" != "done" ] || return 0
    printf '%s\n' "$GOOGLE_READ" >"$GOOGLE_WORK/change.json"
    if google_reading "$GOOGLE_OPERATION" google_request PATCH compute \
      "projects/$PROJECT_ID/global/backendServices/$BACKEND_SERVICE" "$GOOGLE_WORK/change.json" "" repeatable &&
      google_settle compute "projects/$PROJECT_ID/global/operations/" SCALE_SECONDS "Backend service $BACKEND_SERVICE"
    then
      send_try=1
    else
      google_has_reason conditionNotMet resourceNotReady && [ "$send_try" -lt 8 ] || return 1
      google_sleep "$(google_doubled "$REST_RETRY_BASE_SECONDS" "$send_try")"
    fi
    send_try=$((send_try + 1))
  done
}

# scale PATH SCALING: gives a service or a worker pool the scaling that a jq filter makes of the present one. One that
# does not exist is stopped.
scale() {
  google_reading "(.scaling // {}) as \$now | (\$now | $2) as \$wanted
    | def plain: del(.scalingMode | select(. == \"AUTOMATIC\")) | with_entries(select(.value != null));
    if (\$now | plain) == (\$wanted | plain) then \"done\" else { scaling: \$wanted } | tojson end" \
    google_get run "$1" || { [ "$GOOGLE_STATUS" = 404 ] && return 0 || return 1; }
  [ "$GOOGLE_READ" != "done" ] || return 0
  printf '%s\n' "$GOOGLE_READ" >"$GOOGLE_WORK/scale.json"
  google_reading "$GOOGLE_OPERATION" google_request PATCH run "$1" "$GOOGLE_WORK/scale.json" updateMask=scaling \
    repeatable && google_settle run "" SCALE_SECONDS "${1##*/}"
}

# stop_servers PLACE SERVICE POOL: a server that was open to requests only would be started by the next one.
stop_servers() {
  scale "$1/services/$2" 'del(.minInstanceCount) | .scalingMode = "MANUAL" | .manualInstanceCount = 0' || return 1
  [ -z "$3" ] || scale "$1/workerPools/$3" '.manualInstanceCount = 0'
}

# start_servers PLACE SERVICE POOL
start_servers() {
  scale "$1/services/$2" "del(.scalingMode, .manualInstanceCount, .minInstanceCount)
    | if $STANDBY_MIN_INSTANCES > 0 then .minInstanceCount = $STANDBY_MIN_INSTANCES else . end" || return 1
  [ -z "$3" ] || scale "$1/workerPools/$3" ".manualInstanceCount = $STANDBY_WORKERS"
}

# set_activation INSTANCE_PATH POLICY SECONDS
set_activation() {
  jq -n --arg policy "$2" '{ settings: { activationPolicy: $policy } }' >"$GOOGLE_WORK/activation.json"
  activation_limit=$SQL_SECONDS SQL_SECONDS=$3 activation_code=0
  sql_change "${1#*/}" PATCH "$1" "$GOOGLE_WORK/activation.json" || activation_code=1
  SQL_SECONDS=$activation_limit
  return "$activation_code"
}

# Stops the primary, or says why that may be done later.
stop_primary() {
  case $primary in answers | degraded) ;; *) return 0 ;; esac
  if set_activation "$primary_at" NEVER "$STOP_SECONDS"; then
    primary=stopped
    google_say "$INSTANCE is stopped ($(google_seconds) s)."
  elif [ "$promoted" = no ] && { [ "$home" = silent ] || [ "$force" = yes ]; }; then
    google_say "$INSTANCE cannot be stopped: $(google_outcome)"
  elif [ "$GOOGLE_STATUS" = 400 ] && [ "$promoted" = no ]; then
    google_say "$INSTANCE cannot be stopped while it has a replica, and is stopped after the promotion; until then," \
      "it has neither servers nor a grant: $(google_outcome)"
  elif [ "$promoted" = no ]; then
    google_fail "$INSTANCE cannot be stopped, so nothing is promoted." "$as_it_was"
  else
    later "$INSTANCE still runs, and must not: $(google_outcome)"
  fi
}

# later WORD...: a problem that does not keep users waiting.
later() {
  google_error "$*"
  problems=yes
}

# Ends only when the standby has everything that was written at home: nobody can connect there any more, whoever was
# connected has ended, and then the two are compared. A right that is withdrawn ends minutes later, so a job may have
# begun meanwhile; then they are compared again.
await_position() {
  comparer='' executed=''
  find_comparer || google_fail "The account that compares the two databases cannot be read, so nothing is promoted." \
    "$as_it_was"
  fence "$comparer"
  compare_try=1
  while compare; do
    [ "$compared" = no ] || return 0
    [ "$compare_try" -lt 5 ] || { GOOGLE_NOTE="A job began each time, and may have written to $INSTANCE." && break; }
    google_say "A job has begun meanwhile, so the two are compared again."
    compare_try=$((compare_try + 1))
  done
  compare_problem=$(google_outcome)
  abandon_job
  unfence
  google_error "Whether $STANDBY_INSTANCE has everything cannot be found out, so nothing is promoted:"
  google_error "  $compare_problem"
  google_stop "Whoever could connect to $INSTANCE before can connect again." \
    "To fix: run the same command again; a right that was just given back takes minutes. $as_it_was"
}

# Sets compared to yes once the standby has everything, and to no if a job has begun meanwhile.
compare() {
  await_jobs || return 1
  compared=no executed_before=$executed
  remove_copies yes && run_job "$INIT_JOB" "$primary_connection" "$standby_connection" \
    "$scripts/replica-position.sh" "caught up: " REPLICA_SECONDS=300 || return 1
  look_at_jobs || return 1
  [ "$executed" = "$executed_before" ] || return 0
  compared=yes
  google_say "$STANDBY_INSTANCE has everything: $JOB_LINE ($(google_seconds) s)."
}

find_promotion() {
  google_listed "map(select(.operationType == \"$promotion_type\" and .status != \"DONE\")) | .[0]
    | if . then $GOOGLE_OPERATION else \"\" end" \
    sqladmin "projects/$PROJECT_ID/operations" items "instance=${promotion_of#*/}&maxResults=100" || return 1
  # shellcheck disable=SC2034 # sql_once reads it
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
  # shellcheck disable=SC2034 # google_outcome prints it
  GOOGLE_NOTE=$promotion_problem
  return 1
}

promote_standby() {
  if [ "$switchover" = yes ]; then
    make_primary "$standby_at" switchover SWITCHOVER || google_fail "$INSTANCE and $STANDBY_INSTANCE have not changed" \
      "places. $as_it_was"
    primary=replica
  else
    make_primary "$standby_at" promoteReplica PROMOTE_REPLICA ||
      google_fail "$STANDBY_INSTANCE is not promoted." "To fix: run the same command again. $as_it_was"
  fi
  promoted=yes
  google_say "$STANDBY_INSTANCE takes writes ($(google_seconds) s)."
}

# begin_backups INSTANCE_PATH BACKUPS: begins those of the other instance, where that has told them; a replica has none.
# A plan of others does not follow to another instance.
begin_backups() {
  google_reading '.settings.backupConfiguration.enabled // false | tostring' \
    google_get sqladmin "projects/$PROJECT_ID/$1" || GOOGLE_READ=false
  [ "$GOOGLE_READ" = false ] || return 0
  printf '%s\n' "$2" | jq '{ settings: { backupConfiguration: ({ pointInTimeRecoveryEnabled: true } + .
    + { enabled: true }) } }' >"$GOOGLE_WORK/backups.json"
  sql_change "Backups of ${1#*/}" PATCH "$1" "$GOOGLE_WORK/backups.json" ||
    later "${1#*/} has no backups yet, which the next apply begins: $(google_outcome)"
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

# Sets url to where users sign in; the state may be in the region that is gone.
find_address() {
  url=${SERVICE_URL:-}
  [ -n "$url" ] || url=$(terraform output -raw service_url 2>/dev/null) || url=
}

# Sets code to what the address answers.
is_answered() {
  code=$(curl -q --silent --output /dev/null --write-out '%{http_code}' --connect-timeout "$REST_CONNECT_SECONDS" \
    --max-time "$REST_CALL_SECONDS" "${url%/}/-/health/ready/" </dev/null) || code=000
  case $code in 2??) return 0 ;; esac
  return 1
}

await_address() {
  find_address
  case $url in
    http*) ;;
    *) google_say "Without SERVICE_URL, it is not known whether users are answered: look yourself." && return 0 ;;
  esac
  address_until=$(($(google_seconds) + SCALE_SECONDS))
  until is_answered; do
    google_pause "$address_until" "$url" "HTTP $code" ||
      { later "$url does not answer after $SCALE_SECONDS s (SCALE_SECONDS): HTTP $code" && return 0; }
  done
  google_say "$url answers ($(google_seconds) s)."
}

led_back="Users are at home, whose data are old: what $STANDBY_INSTANCE has, which has been promoted, was not brought"
led_back="$led_back home. As a rule, an apply without promoted = true has done that; what users write is at home alone."
lead_again="To fix: decide which of the two stays. The standby: set promoted = true in the input standby, apply, and"
lead_again="$lead_again run promote.sh now. Home: save what you need of $STANDBY_INSTANCE, raise number, and apply."

refuse_promotion() {
  if [ "$promoted" = yes ]; then
    case $led/$retired/$primary in
      home/yes/*)
        google_stop "$STANDBY_INSTANCE has been promoted, and what it had is home: its data are old, nothing is done." \
          "To fix: raise number in the input standby, and apply, which makes a new replica."
        ;;
      home/no/answers) google_stop "$led_back" "$lead_again" ;;
    esac
    return 0
  fi
  case $primary/$home/$planned$force$switchover in
    answers/answers/nonono)
      google_stop "The primary answers, so nothing is promoted: the standby may lack what is written there." \
        "To fix: for a drill or a move, add --planned, which loses nothing." \
        "If users cannot work although it answers, add --force; what the standby lacks is then lost."
      ;;
    */nonono)
      # A service of Google may ail whose failure users do not notice.
      find_address
      case $url in
        http*)
          ! is_answered || google_stop "$url answers, so nothing is promoted: home may still serve users." \
            "To fix: look whether they can sign in; if they cannot, add --force: what the standby lacks is then lost."
          ;;
      esac
      ;;
    answers/answers/* | stopped/answers/yesnono) ;;
    */yesnono | */nonoyes | */yesnoyes)
      google_stop "The primary does not answer, or not all of it, so it cannot hand over what it has." \
        "To fix: without --planned and --switchover, the standby is promoted as it is."
      ;;
  esac
}

# A replica that takes writes, and no server that does, helps nobody.
refuse_without_secrets() {
  [ -n "$stuck" ] && [ "$promoted" = no ] || return 0
  stuck_there="Without these secrets, no server can start in $STANDBY_REGION, and they are not there: $stuck."
  if [ "$force" = yes ]; then
    google_error "$stuck_there" "It is promoted nevertheless, as --force says."
    return 0
  fi
  google_stop "$stuck_there Nothing is promoted." \
    "To fix: make the deployment again with the input standby, as guides/warm-standby.md says; a secret never moves." \
    "To promote the database nevertheless, with servers of your own: --force"
}

# Sets loss to what this command loses.
find_loss() {
  if [ "$promoted" = yes ]; then
    loss="nothing more is lost: it has been promoted before"
  elif [ "$planned" = yes ] || [ "$switchover" = yes ]; then
    loss="nothing is lost"
  else
    loss="what was written last is lost: $behind"
  fi
}

say_promotion_steps() {
  servers_end="stop the servers in $REGION"
  right_ends="withdraw the right to connect to $INSTANCE"
  standby_has_all="wait until jobs have ended and $STANDBY_INSTANCE has everything"
  google_say "Steps; sign-in is down from the first to the last:"
  google_say "  1. let the load balancer send users to $STANDBY_GROUP"
  case $promoted/$planned/$switchover/$primary in
    # These have no primary to stop.
    yes/*/replica | yes/*/gone | no/no/yes/*) google_say "  2. $servers_end, and $right_ends" ;;
    no/yes/yes/*) google_say "  2. $servers_end, $right_ends, and $standby_has_all" ;;
    no/yes/no/*) google_say "  2. $servers_end, $right_ends, $standby_has_all, and stop $INSTANCE" ;;
    *) google_say "  2. $servers_end, $right_ends, and stop $INSTANCE" ;;
  esac
  case $promoted/$switchover/$retired in
    yes/*/yes) google_say "  3. start $STANDBY_INSTANCE; $loss" ;;
    yes/*) google_say "  3. leave $STANDBY_INSTANCE promoted; $loss" ;;
    no/yes/*)
      google_say "  3. let $INSTANCE and $STANDBY_INSTANCE change places, for which the latter first becomes the disaster" \
        "recovery replica of the former; $loss"
      ;;
    *) google_say "  3. promote $STANDBY_INSTANCE; $loss" ;;
  esac
  google_say "  4. begin its backups, and start the servers in $STANDBY_REGION"
}

# Sends users to the standby, which has no server until its database takes writes.
take_users_away() {
  if [ "$promoted" = no ]; then
    # A server cannot start on a replica.
    stop_servers "$standby_place" "$STANDBY_SERVICE" "$STANDBY_WORKER_POOL" ||
      google_fail "The servers of the standby cannot be changed, so nothing is promoted."
  fi
  send_users "$HOME_GROUP" "$STANDBY_GROUP" ||
    google_fail "Users cannot be sent to the standby, so nothing is promoted." "To fix: run the same command again."
  google_say "The load balancer sends users to the standby ($(google_seconds) s)."
}

# Leaves nobody at home who writes, and with --planned nothing that the standby does not have.
close_home() {
  if [ "$home" = answers ]; then
    if stop_servers "$home_place" "$SERVICE" "$home_pool"; then
      google_say "No server runs in $REGION ($(google_seconds) s)."
    elif is_silent && [ "$planned$switchover" = nono ]; then
      home=silent
    else
      google_fail "The servers in $REGION cannot be stopped, so nothing is promoted." "$as_it_was"
    fi
  fi
  if [ "$planned" = yes ] && [ "$promoted" = no ]; then
    # A run before this one may have ended after it was stopped: only its own position shows what the standby lacks.
    if [ "$primary" = stopped ]; then
      set_activation "$primary_at" ALWAYS "$SQL_SECONDS" ||
        google_fail "$INSTANCE cannot be started, so what the standby lacks is not known." "$as_it_was"
      primary=answers
    fi
    await_position
  fi
  fence
  [ "$switchover" = yes ] || stop_primary
}

# Lets the standby's database take writes, and begins its backups.
make_standby_primary() {
  if [ "$promoted" = no ]; then promote_standby; fi
  if [ "$retired" = yes ]; then
    set_activation "$standby_at" ALWAYS "$SQL_SECONDS" ||
      google_fail "$STANDBY_INSTANCE cannot be started." "To fix: run the same command again."
  fi
  [ -z "${BACKUP_PLAN:-}" ] || primary_backups='{}'
  begin_backups "$standby_at" "$primary_backups"
  # Where that was not possible while it had a replica.
  stop_primary
}

open_standby() {
  start_servers "$standby_place" "$STANDBY_SERVICE" "$STANDBY_WORKER_POOL" ||
    google_fail "The servers of the standby cannot be started." "To fix: run the same command again."
  await_address
  google_say "$STANDBY_REGION serves users after $(($(google_seconds) / 60)) minutes; $loss."
}

# What has to be done after the promotion.
say_what_follows() {
  case $primary/$home in
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
  refuse_with_grants
  require_edition
  as_it_was="To let home serve users again instead: promote.sh home"
  find_loss
  say_promotion_steps
  confirm "Promote $STANDBY_INSTANCE?"
  if [ "$switchover" = yes ] && [ "$promoted" = no ]; then designate "$primary_at" "$STANDBY_INSTANCE"; fi
  take_users_away
  close_home
  make_standby_primary
  open_standby
  say_what_follows
}

# Starts what is at home, whose database has what users have written.
open_home() {
  send_users "$STANDBY_GROUP" "$HOME_GROUP" ||
    google_fail "Users cannot be sent home." "To fix: run the same command again."
  start_servers "$home_place" "$SERVICE" "$home_pool" ||
    google_fail "The servers in $REGION cannot be started." "To fix: run the same command again."
  await_address
}

# What the standby has replaces what is at home. Each run makes a backup of its own, after the last write.
bring_data_home() {
  # A server that was stopped still ends its last requests.
  { remove_copies yes && run_job "$INIT_JOB" "$standby_connection" "" \
    "$scripts/replica-position.sh" "caught up: " REPLICA_SECONDS=300; } ||
    google_fail "Whether anybody still writes to $STANDBY_INSTANCE cannot be found out, so nothing is restored." \
      "$stays_away"
  release=home-$(jq -nr 'now | floor | strftime("%Y%m%dT%H%M%SZ")')
  INSTANCE=$STANDBY_INSTANCE RELEASE=$release BACKUP_DAYS=7 sh "$scripts/backup-before-upgrade.sh" ||
    google_stop "$STANDBY_INSTANCE is not backed up, so nothing is restored." "$stays_away"
  # The settings of the deployment at home are in the environment.
  # A plan of others backs up the instance at home, not this one.
  restore_into 'BACKUP_PLAN=' "$STANDBY_INSTANCE" "$DATABASE" backup "before $release"
  # From here on, a run finds that everything is home.
  set_activation "$standby_at" NEVER "$SQL_SECONDS" ||
    google_fail "$STANDBY_INSTANCE cannot be stopped, so users stay away." "$stays_away"
  google_say "$INSTANCE has what the standby had ($(google_seconds) s)."
}

# Lets Terraform delete the promoted instance, if that is meant, and says how another one is made.
let_go() {
  if [ "$discard" = yes ]; then
    echo '{ "settings": { "deletionProtectionEnabled": false } }' >"$GOOGLE_WORK/discard.json"
    if sql_change "Protection of $STANDBY_INSTANCE" PATCH "$standby_at" "$GOOGLE_WORK/discard.json"; then
      google_say "$STANDBY_INSTANCE may be deleted."
    else
      later "$STANDBY_INSTANCE is still protected, so an apply cannot delete it: $(google_outcome)"
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
  case $primary/$home in
    answers/answers | stopped/answers | replica/answers) ;;
    gone/*)
      google_stop "$INSTANCE does not exist any more, so there is nothing to bring users home to." \
        "To fix: stay there; or make the deployment again at home from a dump: recover-elsewhere.sh"
      ;;
    degraded/*)
      google_stop "$INSTANCE is not RUNNABLE, so users stay where they are." \
        "To fix: wait, or look what ails it: gcloud sql instances describe $INSTANCE --project=$PROJECT_ID"
      ;;
    *) google_stop "$REGION is not back, so users stay where they are." "To fix: run the same command once it is." ;;
  esac
  case $primary/$switchover/$promoted in
    replica/no/*)
      google_stop "$INSTANCE is a replica of $STANDBY_INSTANCE, with which it changes places: add --switchover."
      ;;
    answers/yes/* | stopped/yes/*) google_stop "$INSTANCE is no replica, so there is nothing to change places with." ;;
  esac
  [ "$promoted/$led/$retired/$primary" != yes/home/no/answers ] || google_stop "$led_back" "$lead_again"
}

go_home() {
  refuse_return
  require_edition
  stays_away="To let the standby serve users again: promote.sh now. To try again: the same command."
  case $promoted/$led in
    no/*) data="nothing is restored: $STANDBY_INSTANCE has not been promoted" ;;
    yes/*)
      if [ "$retired" = yes ]; then
        data="nothing is restored: that is done"
      else
        data="back up $STANDBY_INSTANCE, and restore that into $INSTANCE, over everything there; then stop the former"
        [ "$switchover" = no ] || data="$INSTANCE and $STANDBY_INSTANCE change places"
      fi
      ;;
  esac
  google_say "Steps; sign-in is down from the first to the last:"
  google_say "  1. stop the servers in $STANDBY_REGION"
  google_say "  2. start $INSTANCE, and give the right to connect to it back"
  google_say "  3. $data"
  google_say "  4. let the load balancer send users to $HOME_GROUP, and start the servers in $REGION"
  [ "$discard" = no ] || google_say "  5. end the protection of $STANDBY_INSTANCE, which the next apply then deletes"
  confirm "Bring users home?"
  [ "$promoted/$primary" != yes/replica ] || designate "$standby_at" "$INSTANCE"
  stop_servers "$standby_place" "$STANDBY_SERVICE" "$STANDBY_WORKER_POOL" ||
    google_fail "The servers of the standby cannot be stopped, so nothing is restored."
  case $promoted/$retired in
    no/* | */yes) ;;
    *)
      stop_servers "$home_place" "$SERVICE" "$home_pool" ||
        google_fail "The servers in $REGION cannot be stopped, so nothing is restored." "$stays_away"
      ;;
  esac
  [ "$primary" != stopped ] || set_activation "$primary_at" ALWAYS "$SQL_SECONDS" ||
    google_fail "$INSTANCE cannot be started." "$stays_away"
  unfence
  case $promoted/$retired/$primary in
    no/* | */yes/*) ;;
    */replica)
      make_primary "$primary_at" switchover SWITCHOVER ||
        google_fail "$INSTANCE and $STANDBY_INSTANCE have not changed places." "$stays_away"
      [ -n "${BACKUP_PLAN:-}" ] || begin_backups "$primary_at" "$standby_backups"
      ;;
    *) bring_data_home ;;
  esac
  open_home
  google_say "$REGION serves users after $(($(google_seconds) / 60)) minutes, with all that was written."
  case $promoted/$primary in
    yes/replica | no/*)
      google_say "$STANDBY_INSTANCE is a replica: the standby is ready again."
      lacking="accounts of jobs"
      find_lacking || :
      [ -z "$lacking" ] || google_say "Apply once, which gives these the right to connect to $INSTANCE back: $lacking"
      ;;
    *) let_go ;;
  esac
}

google_say "$SERVICE and its standby:"
look
case $action in
  now) promote ;;
  home) go_home ;;
esac
[ -z "$problems" ] || google_stop "Not everything is done, as said above." "To fix: run the same command again."
