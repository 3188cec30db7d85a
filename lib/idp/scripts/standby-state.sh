# shellcheck shell=sh
# Shell library of promote.sh: finds out and prints the state of the deployment at home and of its standby. To be
# sourced after google-rest.sh and connect-right.sh.
#
# Reads:
#   INSTANCE, REGION, SERVICE                               the deployment at home
#   STANDBY_INSTANCE, STANDBY_REGION, STANDBY_SERVICE       its standby
#   BACKEND_SERVICE, HOME_GROUP, STANDBY_GROUP              load balancer, see promote.sh
#   MEDIA_BUCKET, SECRET_KEY_SECRET, SERVICE_URL, TERRAFORM   the same
#   action                                                  command of promote.sh: look, now or home
#   home_place, standby_place                               paths of the two regions on Cloud Run
# Sets the variables below, and:
#   ACCOUNT                                                 service account of the servers

# The database instance at home.
primary_state=silent          # answers, stopped, replica, degraded, gone or silent
primary_edition=''            # like ENTERPRISE_PLUS
primary_connection=''         # connection name
primary_backups='{}'          # settings of its backups, an object of JSON
# Cloud Run at home: answers or silent.
home_state=answers
# The database instance of the standby.
standby_promoted=no           # whether it takes writes: yes or no
standby_retired=no            # whether it was promoted and its data are home again: yes or no. It is stopped then
standby_lag=''                # how far it is behind, in words
standby_edition=''            # these three as for the primary
standby_connection=''
standby_backups='{}'
# The service of the standby.
standby_secrets=''            # names of the secrets that it reads
standby_missing_secrets=''    # secrets without a replica in its region: no server can start there without them
standby_mount_problem=''      # why no server there can mount the uploads and start; empty: no problem is known
# The users.
users_region=nowhere          # where the load balancer sends them: home, standby, both or nowhere
users_url=''                  # address at which they sign in; empty: not known
users_code=''                 # last HTTP status of that address
# The instance that was read last.
instance_state='' instance_policy='' instance_type='' instance_edition='' instance_connection='' instance_backups=''

# Whether the last call failed because the API did not answer, and not because it refused the call.
is_silent() {
  case $GOOGLE_STATUS in
    5??) return 0 ;;
    000) ;;
    *) return 1 ;;
  esac
  # Google has not answered: nobody has, or a proxy that could not reach Google.
  case $GOOGLE_STRANGER in '' | 5??) return 0 ;; esac
  return 1
}

# read_instance NAME: reads a database instance into the variables instance_*.
read_instance() {
  google_reading '[.state // "-", .settings.activationPolicy // "ALWAYS", .instanceType // "-",
      .settings.edition // "ENTERPRISE", .connectionName // "-",
      (.settings.backupConfiguration // {} | del(.kind) | tojson)] | join(" ")' \
    google_get sqladmin "projects/$PROJECT_ID/instances/$1" || return 1
  read -r instance_state instance_policy instance_type instance_edition instance_connection instance_backups <<SAID
$GOOGLE_READ
SAID
}

# shellcheck disable=SC2034 # promote.sh reads the results
look_at_primary() {
  primary_state=silent
  if read_instance "$INSTANCE"; then
    primary_edition=$instance_edition primary_connection=$instance_connection primary_backups=$instance_backups
    if [ "$instance_type" = READ_REPLICA_INSTANCE ]; then
      primary_state=replica
    elif [ "$instance_state" != RUNNABLE ]; then
      primary_state=degraded
    elif [ "$instance_policy" = NEVER ]; then
      primary_state=stopped
    else
      primary_state=answers
    fi
    google_row primary "$INSTANCE in $REGION: $primary_state ($instance_state, activation policy $instance_policy)"
  elif [ "$GOOGLE_STATUS" = 404 ]; then
    primary_state=gone
    google_row primary "$INSTANCE does not exist any more"
  else
    is_silent || google_fail "The instance $INSTANCE cannot be read."
    google_row primary "$INSTANCE in $REGION does not answer: $(google_outcome)"
  fi
}

# shellcheck disable=SC2034,SC2154 # promote.sh sets home_place, and reads the result
look_at_home() {
  home_state=answers
  if google_get run "$home_place/services/$SERVICE"; then
    google_row servers "Cloud Run in $REGION answers"
  elif [ "$GOOGLE_STATUS" = 404 ]; then
    google_row servers "Cloud Run in $REGION answers, and has no service $SERVICE"
  else
    is_silent || google_fail "The service $SERVICE cannot be read."
    home_state=silent
    google_row servers "Cloud Run in $REGION does not answer: $(google_outcome)"
  fi
}

# Sets standby_lag. Cloud Monitoring samples the lag of the replica once a minute, and shows it minutes later.
look_at_lag() {
  lag_query=$(jq -nr --argjson now "$(google_server_time)" --arg id "$PROJECT_ID:$STANDBY_INSTANCE" '
    "metric.type=\"cloudsql.googleapis.com/database/replication/replica_lag\""
    + " AND resource.labels.database_id=\"\($id)\"" | "filter=\(@uri)"
    + "&interval.startTime=\($now - 3600 | todate)&interval.endTime=\($now | todate)"')
  standby_lag="how far it is behind cannot be read"
  google_reading 'items("timeSeries") | [.[].points[]?
      | { time: .interval.endTime, lag: (.value | .doubleValue // (.int64Value | tonumber)) }]
    | max_by(.time) // empty | "\(.time | sub("[.][0-9]+"; "")) \(.lag | ceil)"' \
    google_get monitoring "v3/projects/$PROJECT_ID/timeSeries" "$lag_query" || return 0
  [ -n "$GOOGLE_READ" ] || return 0
  lag=${GOOGLE_READ#* } lag_time=${GOOGLE_READ%% *}
  held=$(jq -nr --arg time "$lag_time" --argjson lag "$lag" '$time | fromdate - $lag | todate')
  standby_lag="at $lag_time it was $lag s behind: what was written after about $held is not known to be there"
}

# shellcheck disable=SC2034,SC2154 # promote.sh sets standby_place, and reads the results
look_at_standby() {
  read_instance "$STANDBY_INSTANCE" ||
    google_fail "The standby's database $STANDBY_INSTANCE cannot be read, so nothing can be promoted." \
      "To fix: recover from a backup or a dump: recover-elsewhere.sh"
  standby_edition=$instance_edition standby_connection=$instance_connection standby_backups=$instance_backups
  standby_promoted=yes standby_retired=no
  if [ "$instance_type" = READ_REPLICA_INSTANCE ]; then
    standby_promoted=no
    look_at_lag
    google_row standby "$STANDBY_INSTANCE in $STANDBY_REGION is a replica, $instance_state; $standby_lag"
  elif [ "$instance_policy" = NEVER ]; then
    standby_retired=yes
    google_row standby "$STANDBY_INSTANCE in $STANDBY_REGION is stopped: what it has was brought home"
  else
    google_row standby "$STANDBY_INSTANCE in $STANDBY_REGION takes writes, $instance_state"
  fi
  google_reading '.template | [.serviceAccount // "-", ([.containers[]?.env[]?.valueSource.secretKeyRef.secret,
      .volumes[]?.secret.secret | strings] | unique[])] | join(" ")' \
    google_get run "$standby_place/services/$STANDBY_SERVICE" ||
    google_fail "The standby's service $STANDBY_SERVICE cannot be read, so nothing can be promoted."
  ACCOUNT=${GOOGLE_READ%% *} standby_secrets="${GOOGLE_READ#"${GOOGLE_READ%% *}"} ${SECRET_KEY_SECRET:-}"
  export ACCOUNT
}

# Sets standby_missing_secrets. The regions of a secret cannot be changed, so only another secret can help.
look_at_secrets() {
  standby_missing_secrets='' unread='' seen=' '
  for secret in $standby_secrets; do
    case $secret in */*) ;; *) secret=projects/$PROJECT_ID/secrets/$secret ;; esac
    case $seen in *" $secret "*) continue ;; esac
    seen="$seen$secret " secret_name=${secret#"projects/$PROJECT_ID/secrets/"}
    if google_reading '.replication | objects
        | if has("automatic") then true else any(.userManaged.replicas[]?; .location == env.STANDBY_REGION) end' \
      google_get secretmanager "$secret"; then
      [ "$GOOGLE_READ" = true ] ||
        standby_missing_secrets="${standby_missing_secrets:+$standby_missing_secrets, }$secret_name"
    else
      unread="${unread:+$unread, }$secret_name (HTTP $GOOGLE_STATUS)"
    fi
  done
  [ -z "$unread" ] || google_row secrets "whether these can be read in $STANDBY_REGION is not known: $unread"
  [ -z "$standby_missing_secrets" ] ||
    google_row secrets \
      "no server can start in $STANDBY_REGION without these, which are not there: $standby_missing_secrets"
  [ -n "$unread$standby_missing_secrets" ] || google_row secrets "those of the standby are in $STANDBY_REGION"
}

# Sets standby_mount_problem: a server starts only if it can mount the bucket of the uploads.
look_at_uploads() {
  standby_mount_problem='' uploads_are=unknown
  [ -n "${MEDIA_BUCKET:-}" ] || return 0
  if google_reading '[.customPlacementConfig.dataLocations // [.location] | .[] | ascii_downcase]
    | unique | join(" ")' google_get storage "b/$MEDIA_BUCKET"; then
    uploads_are=$GOOGLE_READ
  fi
  if google_reading 'items("items") | length' google_get storage "b/$MEDIA_BUCKET/o" maxResults=1; then
    case $uploads_are in
      "$REGION")
        google_row uploads "$MEDIA_BUCKET is in $REGION alone:" \
          "when that is gone, no server can start in $STANDBY_REGION"
        ;;
      *) google_row uploads "$MEDIA_BUCKET answers" ;;
    esac
    return
  fi
  uploads_problem=$(google_outcome)
  case $uploads_are in
    "$REGION") standby_mount_problem="does not answer, and is in $REGION alone" ;;
    unknown) ! is_silent || standby_mount_problem="does not answer, nor say where it is" ;;
  esac
  google_row uploads "$MEDIA_BUCKET ${standby_mount_problem:-does not answer}: $uploads_problem"
}

look_at_users() {
  google_reading '[.backends[]?.group // ""] | map(if endswith("/" + env.HOME_GROUP) then "home"
      elif endswith("/" + env.STANDBY_GROUP) then "standby" else empty end) | unique | join("")' \
    google_get compute "projects/$PROJECT_ID/global/backendServices/$BACKEND_SERVICE" ||
    google_fail "The backend service $BACKEND_SERVICE cannot be read."
  users_region=${GOOGLE_READ:-nowhere}
  case $users_region in
    nowhere)
      google_stop "The backend service $BACKEND_SERVICE sends users neither to $HOME_GROUP nor to $STANDBY_GROUP." \
        "To fix: apply, which sends them to one of the two."
      ;;
    homestandby) users_region=both ;;
  esac
  google_row users "the load balancer sends them to: $users_region"
}

# Reports grants by which the primary can be reached even after the others are withdrawn.
look_at_grants() {
  look_at_rights || google_fail "The grants by which $INSTANCE can be reached cannot be read."
  [ -z "$rights_unseen" ] ||
    google_row grants "whether the servers' accounts can connect by what is granted here is not known: $rights_unseen"
  [ -z "$rights_remaining" ] ||
    google_row grants "with these, $INSTANCE can be reached also after the promotion: $rights_remaining"
  [ -z "$rights_unsuspendable" ] ||
    google_row grants "these have conditions that cannot be ended for a while: $rights_unsuspendable"
}

# Sets users_url; returns 1 if the address is not known. The state of Terraform may be in the lost region.
has_address() {
  users_url=${SERVICE_URL:-}
  [ -n "$users_url" ] || users_url=$(terraform output -raw service_url 2>/dev/null) || users_url=
  # If nothing has been applied, Terraform prints a warning in place of the value.
  case $users_url in http*) return 0 ;; esac
  return 1
}

# Whether the address answers that it is ready. Sets users_code.
is_answered() {
  users_code=$(curl -q --silent --output /dev/null --write-out '%{http_code}' \
    --connect-timeout "$REST_CONNECT_SECONDS" --max-time "$REST_CALL_SECONDS" \
    "${users_url%/}/-/health/ready/" </dev/null) || users_code=000
  case $users_code in 2??) return 0 ;; esac
  return 1
}

# shellcheck disable=SC2154 # promote.sh sets action
look() {
  google_with_few_tries look_at_primary
  google_with_few_tries look_at_home
  look_at_standby
  look_at_secrets
  google_with_few_tries look_at_uploads
  look_at_users
  if [ "$action" != home ] && [ "$standby_promoted" = no ]; then look_at_grants; fi
}
