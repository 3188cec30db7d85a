# shellcheck shell=sh disable=SC2034,SC2153,SC2154 # the caller reads what is set here, and sets what is read
# Shell library of promote.sh: the state of the deployment at home and of its standby, which `look` finds out and
# prints. To be sourced after google-rest.sh and connect-right.sh, once the settings are read.

# How home is:
primary=silent         # its instance: answers, stopped, replica, degraded, gone or silent
primary_edition=''     # of that instance, like ENTERPRISE_PLUS
primary_connection=''  # its connection name
primary_backups='{}'   # its settings of backups, an object of JSON
home=answers           # Cloud Run there: answers or silent
# How the standby is:
promoted=no            # whether its instance takes writes: yes or no
retired=no             # whether it was promoted and what it has is home: yes or no; the way home stops it then
behind=''              # what is known of the replica's lag, in words
standby_edition=''     # as those of the primary
standby_connection=''
standby_backups='{}'
standby_secrets=''     # names of the secrets that its service reads
missing_secrets=''     # those of them that are not in its region, without which no server starts there
mount_problem=''       # why no server can mount the uploads, and so start there; empty: nothing known prevents it
users_go_to=nowhere    # where the load balancer sends users: home, standby, both or nowhere
# Of the instance that was read last:
instance_state='' instance_policy='' instance_type='' instance_edition='' instance_connection='' instance_backups=''
# How to reach users' address:
url=''                 # where users sign in; empty: not known
code=''                # what it has answered last

# Whether the last call failed because nothing answered it, and not because it was refused.
is_silent() {
  case $GOOGLE_STATUS in
    5??) return 0 ;;
    000) ;;
    *) return 1 ;;
  esac
  # Without an answer of Google: there was none at all, or one of a proxy that could not reach it.
  case $GOOGLE_STRANGER in '' | 5??) return 0 ;; esac
  return 1
}

# read_instance NAME: sets the variables instance_* above.
read_instance() {
  google_reading '[.state // "-", .settings.activationPolicy // "ALWAYS", .instanceType // "-",
      .settings.edition // "ENTERPRISE", .connectionName // "-",
      (.settings.backupConfiguration // {} | del(.kind) | tojson)] | join(" ")' \
    google_get sqladmin "projects/$PROJECT_ID/instances/$1" || return 1
  read -r instance_state instance_policy instance_type instance_edition instance_connection instance_backups <<SAID
$GOOGLE_READ
SAID
}

look_at_primary() {
  primary=silent
  if read_instance "$INSTANCE"; then
    primary_edition=$instance_edition primary_connection=$instance_connection primary_backups=$instance_backups
    if [ "$instance_type" = READ_REPLICA_INSTANCE ]; then
      primary=replica
    elif [ "$instance_state" != RUNNABLE ]; then
      primary=degraded
    elif [ "$instance_policy" = NEVER ]; then
      primary=stopped
    else
      primary=answers
    fi
    google_row primary "$INSTANCE in $REGION: $primary ($instance_state, activation policy $instance_policy)"
  elif [ "$GOOGLE_STATUS" = 404 ]; then
    primary=gone
    google_row primary "$INSTANCE does not exist any more"
  else
    is_silent || google_fail "The instance $INSTANCE cannot be read."
    google_row primary "$INSTANCE in $REGION does not answer: $(google_outcome)"
  fi
}

look_at_home() {
  home=answers
  if google_get run "$home_place/services/$SERVICE"; then
    google_row servers "Cloud Run in $REGION answers"
  elif [ "$GOOGLE_STATUS" = 404 ]; then
    google_row servers "Cloud Run in $REGION answers, and has no service $SERVICE"
  else
    is_silent || google_fail "The service $SERVICE cannot be read."
    home=silent
    google_row servers "Cloud Run in $REGION does not answer: $(google_outcome)"
  fi
}

# Sets behind to the lag of the replica. Cloud Monitoring samples it once a minute, and has it minutes later.
look_at_lag() {
  lag_query=$(jq -nr --argjson now "$(google_server_time)" --arg id "$PROJECT_ID:$STANDBY_INSTANCE" '
    "metric.type=\"cloudsql.googleapis.com/database/replication/replica_lag\""
    + " AND resource.labels.database_id=\"\($id)\"" | "filter=\(@uri)"
    + "&interval.startTime=\($now - 3600 | todate)&interval.endTime=\($now | todate)"')
  behind="how far it is behind cannot be read"
  google_reading 'items("timeSeries") | [.[].points[]?
      | { time: .interval.endTime, lag: (.value | .doubleValue // (.int64Value | tonumber)) }]
    | max_by(.time) // empty | "\(.time | sub("[.][0-9]+"; "")) \(.lag | ceil)"' \
    google_get monitoring "v3/projects/$PROJECT_ID/timeSeries" "$lag_query" || return 0
  [ -n "$GOOGLE_READ" ] || return 0
  lag=${GOOGLE_READ#* } lag_time=${GOOGLE_READ%% *}
  held=$(jq -nr --arg time "$lag_time" --argjson lag "$lag" '$time | fromdate - $lag | todate')
  behind="at $lag_time it was $lag s behind: what was written after about $held is not known to be there"
}

look_at_standby() {
  read_instance "$STANDBY_INSTANCE" ||
    google_fail "The standby's database $STANDBY_INSTANCE cannot be read, so nothing can be promoted." \
      "To fix: recover from a backup or a dump: recover-elsewhere.sh"
  standby_edition=$instance_edition standby_connection=$instance_connection standby_backups=$instance_backups
  promoted=yes retired=no
  if [ "$instance_type" = READ_REPLICA_INSTANCE ]; then
    promoted=no
    look_at_lag
    google_row standby "$STANDBY_INSTANCE in $STANDBY_REGION is a replica, $instance_state; $behind"
  elif [ "$instance_policy" = NEVER ]; then
    retired=yes
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

# Looks for secrets that are not in the region of the standby. The regions of a secret cannot be changed.
look_at_secrets() {
  missing_secrets='' unread='' seen=' '
  for secret in $standby_secrets; do
    case $secret in */*) ;; *) secret=projects/$PROJECT_ID/secrets/$secret ;; esac
    case $seen in *" $secret "*) continue ;; esac
    seen="$seen$secret "
    if google_reading '.replication | objects
        | if has("automatic") then true else any(.userManaged.replicas[]?; .location == env.STANDBY_REGION) end' \
      google_get secretmanager "$secret"; then
      [ "$GOOGLE_READ" = true ] ||
        missing_secrets="${missing_secrets:+$missing_secrets, }${secret#"projects/$PROJECT_ID/secrets/"}"
    else
      unread="${unread:+$unread, }${secret#"projects/$PROJECT_ID/secrets/"} (HTTP $GOOGLE_STATUS)"
    fi
  done
  [ -z "$unread" ] || google_row secrets "whether these can be read in $STANDBY_REGION is not known: $unread"
  [ -z "$missing_secrets" ] ||
    google_row secrets "no server can start in $STANDBY_REGION without these, which are not there: $missing_secrets"
  [ -n "$unread$missing_secrets" ] || google_row secrets "those of the standby are in $STANDBY_REGION"
}

# A server starts only where it can mount the bucket of the uploads.
look_at_uploads() {
  mount_problem='' uploads_are=unknown
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
    "$REGION") mount_problem="does not answer, and is in $REGION alone" ;;
    unknown) ! is_silent || mount_problem="does not answer, nor say where it is" ;;
  esac
  google_row uploads "$MEDIA_BUCKET ${mount_problem:-does not answer}: $uploads_problem"
}

look_at_users() {
  google_reading '[.backends[]?.group // ""] | map(if endswith("/" + env.HOME_GROUP) then "home"
      elif endswith("/" + env.STANDBY_GROUP) then "standby" else empty end) | unique | join("")' \
    google_get compute "projects/$PROJECT_ID/global/backendServices/$BACKEND_SERVICE" ||
    google_fail "The backend service $BACKEND_SERVICE cannot be read."
  users_go_to=${GOOGLE_READ:-nowhere}
  case $users_go_to in
    nowhere)
      google_stop "The backend service $BACKEND_SERVICE sends users neither to $HOME_GROUP nor to $STANDBY_GROUP." \
        "To fix: apply, which sends them to one of the two."
      ;;
    homestandby) users_go_to=both ;;
  esac
  google_row users "the load balancer sends them to: $users_go_to"
}

# Reports grants by which the primary can be reached even after the others are withdrawn.
look_at_grants() {
  look_at_rights || google_fail "The grants by which $INSTANCE can be reached cannot be read."
  [ -z "$unseen" ] ||
    google_row grants "whether the servers' accounts can connect by what is granted here is not known: $unseen"
  [ -z "$remaining_grants" ] ||
    google_row grants "with these, $INSTANCE can be reached also after the promotion: $remaining_grants"
  [ -z "$unsuspendable_grants" ] ||
    google_row grants "these have conditions that cannot be ended for a while: $unsuspendable_grants"
}

# Sets url to where users sign in, and says whether that is known. The state may be in the region that is gone.
has_address() {
  url=${SERVICE_URL:-}
  [ -n "$url" ] || url=$(terraform output -raw service_url 2>/dev/null) || url=
  # Without outputs, Terraform prints a warning.
  case $url in http*) return 0 ;; esac
  return 1
}

# Sets code to what the address answers.
is_answered() {
  code=$(curl -q --silent --output /dev/null --write-out '%{http_code}' --connect-timeout "$REST_CONNECT_SECONDS" \
    --max-time "$REST_CALL_SECONDS" "${url%/}/-/health/ready/" </dev/null) || code=000
  case $code in 2??) return 0 ;; esac
  return 1
}

look() {
  google_with_few_tries look_at_primary
  google_with_few_tries look_at_home
  look_at_standby
  look_at_secrets
  google_with_few_tries look_at_uploads
  look_at_users
  if [ "$action" != home ] && [ "$promoted" = no ]; then look_at_grants; fi
}
