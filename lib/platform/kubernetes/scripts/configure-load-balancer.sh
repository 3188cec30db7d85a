#!/bin/sh
# Configures the load balancer of an Ingress where an Ingress has no fields: time limit of a request, request log,
# header Strict-Transport-Security, security policy, TLS policy and certificate map.
#
# The Ingress controller creates the load balancer and keeps these settings. The script finds the load balancer by its
# static address, and changes it only if its backend service belongs to BACKEND. A second run changes nothing.
#
#   PROJECT_ID                 project (required)
#   ADDRESS_NAME               name of the global address that the Ingress uses (required)
#   BACKEND                    Kubernetes service behind the Ingress, as <namespace>/<name> (required)
#   OWNER                      first words of the names of the deployment's own resources, before a hyphen (required)
#   REQUEST_TIMEOUT_SECONDS    time limit of a request, and of a WebSocket (3600)
#   REQUEST_LOG_SAMPLE_RATE    share of requests to log, from 0 to 1 (0)
#   STRICT_TRANSPORT_SECURITY  value of the header; empty: the header is removed (none)
#   SECURITY_POLICY            id or name of the security policy; empty: a policy of OWNER is detached (none)
#   TLS_POLICY                 id of the policy for versions and ciphers of TLS; empty: a policy of OWNER is detached
#                              (none)
#   CERTIFICATE_MAP            id of the certificate map; empty: a map of OWNER is detached (none)
#   WAIT_SECONDS               time limit for the controller, from the start, and for each change (600)
# Settings of the calls and exit codes: google-rest.sh.
set -eu

# shellcheck source=../../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-${0%"${0##*/}"}./google-rest.sh}"

check_settings() {
  REQUEST_TIMEOUT_SECONDS=${REQUEST_TIMEOUT_SECONDS:-3600}
  REQUEST_LOG_SAMPLE_RATE=${REQUEST_LOG_SAMPLE_RATE:-0}
  WAIT_SECONDS=${WAIT_SECONDS:-600}

  name='[a-z]([a-z0-9-]{0,61}[a-z0-9])?'
  project='[a-z][a-z0-9.:-]*[a-z0-9]'
  google_setting ADDRESS_NAME "$name" "the name of a global address"
  google_setting BACKEND "[a-z0-9-]{1,63}/[a-z0-9-]{1,63}" "a namespace and a service, like apps/server"
  google_setting OWNER "$name" "what names start with, like idp-demo"
  google_setting REQUEST_TIMEOUT_SECONDS '[1-9][0-9]{0,8}' "a number of seconds above 0"
  google_setting REQUEST_LOG_SAMPLE_RATE '0(\.[0-9]+)?|1(\.0+)?|[1-9](\.[0-9]+)?e-[0-9]+' "a number from 0 to 1"
  google_option STRICT_TRANSPORT_SECURITY 'max-age=[0-9]+(; includeSubDomains)?(; preload)?' "a value of that header"
  policies="(https://[a-z.]+/compute/[a-z0-9]+/)?projects/$project/global/securityPolicies/"
  google_option SECURITY_POLICY "($policies)?$name" "the id of a security policy"
  google_option TLS_POLICY "projects/$project/global/sslPolicies/$name" "the id of a TLS policy"
  google_option CERTIFICATE_MAP "projects/$project/locations/global/certificateMaps/[a-z0-9-]+" \
    "the id of a certificate map"
  google_time_limit WAIT_SECONDS
  google_start

  # For jq.
  export REQUEST_TIMEOUT_SECONDS REQUEST_LOG_SAMPLE_RATE STRICT_TRANSPORT_SECURITY

  global="projects/$PROJECT_ID/global"
  policy=${SECURITY_POLICY#*/compute/*/}
  case $policy in '' | */*) ;; *) policy="$global/securityPolicies/$policy" ;; esac
}

# refuse PROBLEM: ends the script after a failed call, and names the missing roles if that is the reason.
refuse() {
  [ "$GOOGLE_STATUS" = 403 ] || google_fail "$1"
  google_fail "$1" "To fix: an owner grants roles/compute.loadBalancerAdmin and roles/compute.securityAdmin" \
    "on $PROJECT_ID to this account."
}

# look FILTER PATH: reads one part of the load balancer with a jq filter; returns 1 while the part does not exist.
look() {
  # shellcheck disable=SC2016 # a name of jq
  google_reading 'def name_in($collection):
      strings | capture("/global/" + $collection + "/(?<name>[a-z0-9-]+)$").name; '"$1" \
    google_get compute "$global/$2" && return 0
  [ "$GOOGLE_STATUS" = 404 ] || refuse "The load balancer of $BACKEND cannot be read."
  return 1
}

# jq filter for a backend service. It prints four fields: what has to change, in words, or nothing; the request that
# makes the change; the attached security policy; and the Kubernetes service, which the controller writes into the
# description.
# shellcheck disable=SC2016 # names of jq
differences='(env.REQUEST_TIMEOUT_SECONDS | tonumber) as $seconds | (env.REQUEST_LOG_SAMPLE_RATE | tonumber) as $rate
  | env.STRICT_TRANSPORT_SECURITY as $hsts
  | (.logConfig.enable // false) as $logs
  | (.customResponseHeaders // []) as $headers
  | ($headers | map(select(test("^strict-transport-security:"; "i") | not))
      + [$hsts | select(. != "") | "Strict-Transport-Security: \(.)"]) as $wanted
  | [
      (if .timeoutSec == $seconds then empty
        else { said: "time limit of a request: \($seconds) s", timeoutSec: $seconds } end),
      (if $logs == ($rate > 0)
          and ($logs == false or ((.logConfig.sampleRate // 1) - $rate | fabs) < 0.000001) then empty
        else { said: "share of requests in the log: \($rate)",
          logConfig: ({ enable: ($rate > 0) } + if $rate > 0 then { sampleRate: $rate } else {} end) } end),
      (if $headers == $wanted then empty
        else { said: "Strict-Transport-Security: \($hsts | select(. != "") // "none")",
          # In a patch, null removes a list.
          customResponseHeaders: ($wanted | select(. != []) // null) } end)
    ] as $changes
  | [
      ($changes | map(.said) | join("; ")),
      # With the fingerprint, Compute Engine refuses the change if somebody else has changed the service meanwhile.
      (($changes | add // {}) + { fingerprint } | del(.said) | tojson),
      .securityPolicy // "",
      (.description // "" | (fromjson? | objects | .["kubernetes.io/service-name"] | strings) // "nobody")
    ]
  | join("|")'

# Follows the references from the address to the HTTPS proxy and the backend service, and sets variables to their names
# and present settings. Returns 1 if a part does not exist yet, and sets `missing` to a message about that part.
find_backend() {
  proxy=
  missing="the address does not exist"
  look '[.users[]? | name_in("forwardingRules")] | join(" ")' "addresses/$ADDRESS_NAME" || return 1
  missing="no HTTPS load balancer uses the address"
  for rule in $GOOGLE_READ; do
    look 'select(.portRange == "443-443").target | name_in("targetHttpsProxies")' "forwardingRules/$rule" || continue
    proxy=${GOOGLE_READ:-$proxy}
  done
  [ -n "$proxy" ] || return 1
  missing="the load balancer is incomplete"
  look '[(.urlMap | name_in("urlMaps")), .certificateMap // "", .sslPolicy // ""] | join("|")' \
    "targetHttpsProxies/$proxy" || return 1
  IFS='|' read -r url_map present_map present_tls <<FOUND
$GOOGLE_READ
FOUND
  look '.defaultService | name_in("backendServices")' "urlMaps/$url_map" || return 1
  backend_service=$GOOGLE_READ
  [ -n "$backend_service" ] && look "$differences" "backendServices/$backend_service" || return 1
  IFS='|' read -r said request present_policy service <<FOUND
$GOOGLE_READ
FOUND
}

# change WHAT METHOD PATH SAID: sends change.json, the change that SAID describes, and waits until it is made. Sets
# unchanged to no, or overtaken to yes if somebody else has changed the same part meanwhile.
change() {
  if google_reading "$GOOGLE_OPERATION" \
    google_request "$2" compute "$global/$3" "$GOOGLE_WORK/change.json" "" repeatable &&
    google_settle compute "$global/operations/" WAIT_SECONDS "$1"; then
    google_say "$1: $4."
    changed=yes
    unchanged=no
  elif google_has_reason conditionNotMet resourceNotReady; then
    google_progress "$1" "being changed by somebody else"
    overtaken=yes
  else
    refuse "$1 cannot be changed ($4)."
  fi
}

# exchange KIND WANTED PRESENT FIELD WHAT PATH: attaches the policy or certificate map WANTED, an id, in place of
# PRESENT. With an empty WANTED, detaches PRESENT if it belongs to OWNER. Only names are compared: both are in the same
# project, which an id may name by its number.
exchange() {
  wanted=${2##*/}
  present=${3##*/}
  [ "$wanted" != "$present" ] || return 0
  case $wanted:$present in
    :"$OWNER"-*) echo '{}' >"$GOOGLE_WORK/change.json" ;;
    :*)
      [ "$round" -gt 1 ] || google_say "$5 keeps $1 $present, which is not this deployment's."
      return 0
      ;;
    # The patterns of the settings allow no character that JSON would have to escape.
    *) printf '{ "%s": "%s" }\n' "$4" "$2" >"$GOOGLE_WORK/change.json" ;;
  esac
  change "$5" POST "$6" "$1: ${wanted:-none}${present:+, in place of $present}"
}

stop_without_balancer() {
  remedy="To fix: kubectl describe ingress --namespace ${BACKEND%/*} tells why;"
  google_stop "The Ingress controller did not create the load balancer of $BACKEND within $WAIT_SECONDS s: $missing." \
    "$remedy then run the same command again, or raise WAIT_SECONDS."
}

stop_at_stranger() {
  problem="Address $ADDRESS_NAME leads to backend service $backend_service,"
  remedy="To fix: the address is for one Ingress alone; find the other one with kubectl get ingress --all-namespaces,"
  google_stop "$problem which is that of $service, not of $BACKEND. Nothing is changed." \
    "$remedy give it another address, and run the same command again."
}

stop_after_tries() {
  problem="The load balancer of $BACKEND is still not configured after $round attempts:"
  google_stop "$problem something else keeps changing it, or a proxy answers instead of Google." \
    "To fix: run the same command again."
}

# Waits until the load balancer is complete, and ends the script if it is another service's.
await_backend() {
  until find_backend; do
    google_pause "$WAIT_SECONDS" "Load balancer of $BACKEND" "$missing" ||
      stop_without_balancer
  done
  [ "$service" = "$BACKEND" ] || stop_at_stranger
  part="Backend service $backend_service"
}

# Sets the fields of the backend service that differ.
apply_settings() {
  [ -n "$said" ] || return 0
  printf '%s\n' "$request" >"$GOOGLE_WORK/change.json"
  change "$part" PATCH "backendServices/$backend_service" "$said"
}

attach_policies() {
  exchange "security policy" "$policy" "$present_policy" securityPolicy "$part" \
    "backendServices/$backend_service/setSecurityPolicy"
  exchange "TLS policy" "$TLS_POLICY" "$present_tls" sslPolicy "HTTPS proxy $proxy" \
    "targetHttpsProxies/$proxy/setSslPolicy"
  exchange "certificate map" "${CERTIFICATE_MAP:+//certificatemanager.googleapis.com/$CERTIFICATE_MAP}" "$present_map" \
    certificateMap "HTTPS proxy $proxy" "targetHttpsProxies/$proxy/setCertificateMap"
}

# Ends the script after too many rounds. Otherwise, pauses if somebody else is changing the same parts.
begin_next_round() {
  [ "$round" -le "$REST_TRIES" ] || stop_after_tries
  round=$((round + 1))
  [ "$overtaken" = no ] || google_sleep "$(google_doubled "$REST_POLL_SECONDS" "$round")"
}

say_outcome() {
  if [ "$changed" = yes ]; then
    google_say "The load balancer of $BACKEND is configured ($(google_seconds) s)."
  else
    google_say "The load balancer of $BACKEND is configured already: nothing to do."
  fi
}

main() {
  check_settings
  changed=no
  round=1
  while :; do
    unchanged=yes overtaken=no
    await_backend
    apply_settings
    attach_policies
    # Done once a whole round has found nothing to change.
    if [ "$unchanged" = yes ] && [ "$overtaken" = no ]; then break; fi
    begin_next_round
  done
  say_outcome
}

main "$@"
