#!/bin/sh
# Sets on the load balancer of an Ingress what an Ingress cannot say: the time limit of a request, the request log, the
# security policy and the certificate map.
#
# The Ingress controller creates the load balancer and keeps what is set here. Everything is found through the static
# address, and changed only if the backend service is that of BACKEND. A second run changes nothing.
#
#   PROJECT_ID               project (required)
#   ADDRESS_NAME             name of the global address that the Ingress uses (required)
#   BACKEND                  Kubernetes service behind the Ingress, as <namespace>/<name> (required)
#   OWNER                    what the names of the deployment's own resources start with, before a hyphen (required)
#   REQUEST_TIMEOUT_SECONDS  time limit of a request, and of a web socket (3600)
#   REQUEST_LOG_SAMPLE_RATE  share of requests to log, from 0 to 1 (0)
#   SECURITY_POLICY          security policy, by id or name; without one, the owner's is detached (none)
#   CERTIFICATE_MAP          certificate map, by id; without one, the owner's is detached (none)
#   WAIT_SECONDS             time limit for the controller and for each change (600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=/dev/null
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"

REQUEST_TIMEOUT_SECONDS=${REQUEST_TIMEOUT_SECONDS:-3600}
REQUEST_LOG_SAMPLE_RATE=${REQUEST_LOG_SAMPLE_RATE:-0}
SECURITY_POLICY=${SECURITY_POLICY:-}
CERTIFICATE_MAP=${CERTIFICATE_MAP:-}
WAIT_SECONDS=${WAIT_SECONDS:-600}

name='[a-z]([a-z0-9-]{0,61}[a-z0-9])?'
project='[a-z][a-z0-9.:-]*[a-z0-9]'
google_require curl jq
google_setting PROJECT_ID "$project" "the id of a project, like my-project-123"
google_setting ADDRESS_NAME "$name" "the name of a global address"
google_setting BACKEND "[a-z0-9-]{1,63}/[a-z0-9-]{1,63}" "a namespace and a service, like apps/server"
google_setting OWNER "$name" "what names start with, like idp-demo"
google_setting REQUEST_TIMEOUT_SECONDS '[1-9][0-9]{0,8}' "a number of seconds above 0"
google_setting REQUEST_LOG_SAMPLE_RATE '0(\.[0-9]+)?|1(\.0+)?|[1-9](\.[0-9]+)?e-[0-9]+' "a number from 0 to 1"
[ -z "$SECURITY_POLICY" ] || google_setting SECURITY_POLICY \
  "((https://[a-z.]+/compute/[a-z0-9]+/)?projects/$project/global/securityPolicies/)?$name" "the id of a security policy"
[ -z "$CERTIFICATE_MAP" ] || google_setting CERTIFICATE_MAP \
  "projects/$project/locations/global/certificateMaps/[a-z0-9-]+" "the id of a certificate map"
google_time_limit WAIT_SECONDS
google_check_settings
google_start
google_be_patient

global="projects/$PROJECT_ID/global"
policy=${SECURITY_POLICY#*/compute/*/}
case $policy in '' | */*) ;; *) policy="$global/securityPolicies/$policy" ;; esac

roles="To fix: an owner grants roles/compute.loadBalancerAdmin and roles/compute.securityAdmin on $PROJECT_ID to this account."

# look FILTER PATH: reads one part of the load balancer; returns 1 while it does not exist.
look() {
  google_reading "$1" google_get compute "$global/$2" && return 0
  [ "$GOOGLE_STATUS" != 404 ] || return 1
  if [ "$GOOGLE_STATUS" = 403 ]; then google_fail "The load balancer of $BACKEND cannot be read." "$roles"; fi
  google_fail "The load balancer of $BACKEND cannot be read."
}

tab=$(printf '\t')

# jq function: the name in a reference to a resource of a collection; empty for anything else.
# shellcheck disable=SC2016 # of jq
name_in='def name_in($collection): strings | capture("/global/" + $collection + "/(?<name>[a-z0-9-]+)$").name;'

# From a backend service: the Kubernetes service that the controller names in the description, how time limit and request
# log shall be in words, empty when they are so, the request that makes them so, and the security policy.
# shellcheck disable=SC2016 # of jq
differences="($REQUEST_TIMEOUT_SECONDS) as \$seconds | ($REQUEST_LOG_SAMPLE_RATE) as \$rate |"'
  (.logConfig.enable // false) as $logs
  | ($logs != ($rate > 0) or ($logs and ((.logConfig.sampleRate // 1) - $rate | fabs) > 0.000001)) as $other
  | (if .timeoutSec == $seconds then {} else { timeoutSec: $seconds } end
      + if $other then { logConfig: ({ enable: ($rate > 0) } + if $rate > 0 then { sampleRate: $rate } else {} end) }
        else {} end) as $change
  | [
      (.description // "" | (fromjson? | objects | .["kubernetes.io/service-name"] | strings) // "nobody"),
      ([$change | if .timeoutSec then "time limit of a request: \($seconds) s" else empty end,
        if .logConfig then "share of requests in the log: \($rate)" else empty end] | join("; ")),
      # With the fingerprint, the service refuses to change what somebody else has changed since.
      ($change + { fingerprint } | tojson),
      .securityPolicy // ""
    ]
  | @tsv'

# Follows the references from the address to the proxy and the backend service. Returns 1 when something does not exist
# yet, and says what in `missing`.
find_backend() {
  proxy=
  missing="the address does not exist"
  look "$name_in [.users[]? | name_in(\"forwardingRules\")] | join(\" \")" "addresses/$ADDRESS_NAME" || return 1
  missing="no HTTPS load balancer uses the address"
  for rule in $GOOGLE_READ; do
    look "$name_in select(.portRange == \"443-443\").target | name_in(\"targetHttpsProxies\")" "forwardingRules/$rule" ||
      continue
    proxy=${GOOGLE_READ:-$proxy}
  done
  [ -n "$proxy" ] || return 1
  missing="the load balancer is incomplete"
  look "$name_in [(.urlMap | name_in(\"urlMaps\")), .certificateMap // \"\"] | @tsv" "targetHttpsProxies/$proxy" || return 1
  present_map=${GOOGLE_READ#*"$tab"}
  look "$name_in .defaultService | name_in(\"backendServices\")" "urlMaps/${GOOGLE_READ%%"$tab"*}" || return 1
  backend_service=$GOOGLE_READ
  [ -n "$backend_service" ] || return 1
  look "$differences" "backendServices/$backend_service" || return 1
  found=$GOOGLE_READ
}

# next_found: sets GOOGLE_READ to the next field of what was found in the backend service.
next_found() {
  GOOGLE_READ=${found%%"$tab"*}
  found=${found#*"$tab"}
}

await_backend() {
  until find_backend; do
    if [ "$(google_seconds)" -ge "$WAIT_SECONDS" ]; then
      google_error "The Ingress controller did not create the load balancer of $BACKEND within $WAIT_SECONDS s: $missing."
      google_error "  To fix: kubectl describe ingress --namespace ${BACKEND%/*} tells why; then run the same command" \
        "again, or raise WAIT_SECONDS."
      exit 1
    fi
    google_progress "Load balancer of $BACKEND" "$missing"
    google_sleep "$REST_POLL_SECONDS"
  done
}

require_own() {
  next_found
  [ "$GOOGLE_READ" != "$BACKEND" ] || return 0
  google_error "Address $ADDRESS_NAME leads to backend service $backend_service, which is that of $GOOGLE_READ," \
    "not of $BACKEND. Nothing is changed."
  google_error "  To fix: the address is for one Ingress alone; find the other one with kubectl get ingress" \
    "--all-namespaces, give it another address, and run the same command again."
  exit 1
}

progress='"\(.status // "") \(.name // "" | strings) \(has("error") or (.httpErrorStatusCode // 0) >= 400)"'

# change WHAT METHOD PATH SAID: sends change.json, which does what SAID says, and waits until it is done.
change() {
  if ! google_reading "$progress" google_request "$2" compute "$global/$3" "$GOOGLE_WORK/change.json" "" repeatable; then
    if google_has_reason conditionNotMet resourceNotReady; then
      google_progress "$1" "being changed by somebody else"
      overtaken=yes
      return 0
    fi
    if [ "$GOOGLE_STATUS" = 403 ]; then google_fail "$1 cannot be changed ($4)." "$roles"; fi
    google_fail "$1 cannot be changed ($4)."
  fi
  await_operation "$1" "$4"
  google_say "$1: $4."
  changed=yes
}

# await_operation WHAT SAID
await_operation() {
  operation_until=$(($(google_seconds) + WAIT_SECONDS))
  operation=${GOOGLE_READ#* }
  operation=${operation% *}
  until [ "${GOOGLE_READ%% *}" = DONE ]; do
    ! google_is_unsafe "$operation" || google_fail "$1: Compute Engine names no operation for the change ($2)."
    if [ "$(google_seconds)" -ge "$operation_until" ]; then
      google_error "$1: the change ($2) was not done within $WAIT_SECONDS s; it goes on as $operation."
      google_error "  To fix: run the same command again, or raise WAIT_SECONDS."
      exit 1
    fi
    google_progress "$1" "$2, under way"
    google_sleep "$REST_POLL_SECONDS"
    google_reading "$progress" google_get compute "$global/operations/$operation" ||
      google_fail "$1: the end of the change ($2) cannot be read."
  done
  [ "${GOOGLE_READ##* }" = true ] || return 0
  google_error "$1: the change ($2) failed."
  google_error "  $(jq -r '[.error.errors[]? | "\(.code // "no code"): \(.message // "no message")"]
    | if . == [] then "no reason given" else join("; ")[0:2000] end' "$GOOGLE_ANSWER")"
  google_error "  To fix: repair what the message names and run the same command again."
  exit 1
}

set_limits() {
  next_found
  said=$GOOGLE_READ
  next_found
  [ -n "$said" ] || return 0
  printf '%s\n' "$GOOGLE_READ" >"$GOOGLE_WORK/change.json"
  change "Backend service $backend_service" PATCH "backendServices/$backend_service" "$said"
}

# exchange KIND WANTED PRESENT FIELD WHAT PATH: attaches WANTED, the id of a security policy or certificate map, in place
# of PRESENT; without WANTED, detaches PRESENT if it is the owner's. Names are enough to tell them apart: both are of the
# same project, which the service may call by its number.
exchange() {
  wanted=${2##*/}
  present=${3##*/}
  [ "$wanted" != "$present" ] || return 0
  case $wanted:$present in
    :"$OWNER"-*) echo '{}' >"$GOOGLE_WORK/change.json" ;;
    :*)
      google_say "$5 keeps $1 $present, which is not this deployment's."
      return 0
      ;;
    # The settings let nothing through that JSON would have to escape.
    *) printf '{ "%s": "%s" }\n' "$4" "$2" >"$GOOGLE_WORK/change.json" ;;
  esac
  change "$5" POST "$6" "$1: ${wanted:-none}${present:+, in place of $present}"
}

set_policy() {
  next_found
  exchange "security policy" "$policy" "$GOOGLE_READ" securityPolicy \
    "Backend service $backend_service" "backendServices/$backend_service/setSecurityPolicy"
}

set_map() {
  exchange "certificate map" "${CERTIFICATE_MAP:+//certificatemanager.googleapis.com/$CERTIFICATE_MAP}" \
    "$present_map" certificateMap "HTTPS proxy $proxy" "targetHttpsProxies/$proxy/setCertificateMap"
}

changed=no
round=1
while :; do
  overtaken=no
  await_backend
  require_own
  set_limits
  set_policy
  set_map
  [ "$overtaken" = yes ] || break
  if [ "$round" -ge "$REST_TRIES" ]; then
    google_fail "The load balancer of $BACKEND is changed by somebody else all the time." "To fix: run the same command again."
  fi
  round=$((round + 1))
  google_sleep "$(google_doubled "$REST_POLL_SECONDS" "$round")"
done
if [ "$changed" = yes ]; then
  google_say "The load balancer of $BACKEND is configured ($(google_seconds) s)."
else
  google_say "The load balancer of $BACKEND is configured already: nothing to do."
fi
