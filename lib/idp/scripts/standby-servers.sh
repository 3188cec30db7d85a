# shellcheck shell=sh
# Shell library of promote.sh: starts and stops the servers of a deployment and of its standby, and switches the load
# balancer between the two. To be sourced after google-rest.sh.
#
# Reads:
#   BACKEND_SERVICE         backend service of the load balancer
#   STANDBY_MIN_INSTANCES   least number of instances of a service that takes users
#   STANDBY_WORKERS         number of instances of a worker pool that works
#   SCALE_SECONDS           time limit for each change
# Sets nothing that others read: the results are in the cloud, and the outcome of a call as google-rest.sh says.

# Attempts to change the backend service, which others may change at the same time.
BACKEND_TRIES=8

# send_users FROM TO: replaces the group FROM of the backend service by TO.
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
      google_has_reason conditionNotMet resourceNotReady && [ "$send_try" -lt "$BACKEND_TRIES" ] || return 1
      google_sleep "$(google_doubled "$REST_RETRY_BASE_SECONDS" "$send_try")"
    fi
    send_try=$((send_try + 1))
  done
}

# scale PATH FIELDS: changes fields of the scaling of a service or a worker pool. FIELDS is an object of JSON, in which
# null removes a field. A service or pool that does not exist needs no change.
scale() {
  FIELDS=$2
  export FIELDS
  # shellcheck disable=SC2016 # names of jq
  google_reading '(.scaling // {}) as $now
    | ($now + (env.FIELDS | fromjson) | with_entries(select(.value != null))) as $wanted
    | def without_default: del(.scalingMode | select(. == "AUTOMATIC"));
    if ($now | without_default) == ($wanted | without_default) then "done" else { scaling: $wanted } | tojson end' \
    google_get run "$1" || { [ "$GOOGLE_STATUS" = 404 ] && return 0 || return 1; }
  [ "$GOOGLE_READ" != "done" ] || return 0
  printf '%s\n' "$GOOGLE_READ" >"$GOOGLE_WORK/scale.json"
  google_reading "$GOOGLE_OPERATION" google_request PATCH run "$1" "$GOOGLE_WORK/scale.json" updateMask=scaling \
    repeatable && google_settle run "" SCALE_SECONDS "${1##*/}"
}

# stop_servers PLACE SERVICE POOL: stops all instances of a service and of its worker pool, at PLACE, the path of a
# region. An empty POOL: there is none. With automatic scaling, the next request would start an instance again.
stop_servers() {
  scale "$1/services/$2" '{ "scalingMode": "MANUAL", "manualInstanceCount": 0, "minInstanceCount": null }' || return 1
  [ -z "$3" ] || scale "$1/workerPools/$3" '{ "manualInstanceCount": 0 }'
}

# start_servers PLACE SERVICE POOL: lets the service scale by its requests again, and starts the worker pool.
start_servers() {
  least_instances=$STANDBY_MIN_INSTANCES
  [ "$least_instances" -gt 0 ] || least_instances=null
  scale "$1/services/$2" \
    "{ \"scalingMode\": null, \"manualInstanceCount\": null, \"minInstanceCount\": $least_instances }" || return 1
  [ -z "$3" ] || scale "$1/workerPools/$3" "{ \"manualInstanceCount\": $STANDBY_WORKERS }"
}
