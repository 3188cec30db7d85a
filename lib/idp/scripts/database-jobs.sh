# shellcheck shell=sh disable=SC2034,SC2153 # google-rest.sh reads what is set here, and sets what is read
# Shell library that runs short jobs beside a deployment: each is made from one of its own jobs, so it has the same image,
# account, network and secrets, and is removed when it has ended.
#
# A copy has more time than its original, because a restore takes longer than a preparation.
#
# To be sourced after google-rest.sh. With NAMESPACE, the jobs run in the cluster that kubectl is connected to; otherwise on
# Cloud Run in REGION.
#
#   JOB_SECONDS  time limit for one job (3600)
#   LOG_SECONDS  how long to wait for a line in the log (120)

JOB_SECONDS=${JOB_SECONDS:-3600}
LOG_SECONDS=${LOG_SECONDS:-120}
KUBECTL=${KUBECTL:-kubectl}
# Port of the proxy for a second instance.
second_port=5433
job_now=

on_kubernetes() {
  [ -n "${NAMESPACE:-}" ]
}

kube() {
  "$KUBECTL" --namespace "$NAMESPACE" --request-timeout=30s "$@"
}

# hash_of NAME: eight hexadecimal digits, for a name that must be short: a connection name is part of a socket's path. CRC, because
# every system has it; names that differ in one place differ in it.
hash_of() {
  hash_sum=$(printf '%s' "$1" | cksum)
  printf '%08x\n' "${hash_sum%% *}"
}

# copy_of JOB: the name of its copy, of at most 48 characters.
copy_of() {
  copy_start=$1
  if [ "${#1}" -gt 40 ]; then copy_start=$(printf '%.31s' "$1") && copy_start=${copy_start%-}-$(hash_of "$1"); fi
  echo "$copy_start-restore"
}

# Ends the script if there is no job that reads dumps: with keep_dumps alone there is only their bucket.
require_dump_job() {
  if on_kubernetes; then
    dump_job_now=$(kube get cronjob "$DUMP_JOB" --ignore-not-found --output=name 2>"$GOOGLE_WORK/kubectl") || {
      GOOGLE_NOTE="kubectl: $(google_text <"$GOOGLE_WORK/kubectl")"
      google_fail "The job $DUMP_JOB cannot be read."
    }
    [ -z "$dump_job_now" ] || return 0
  else
    ! google_get run "projects/$PROJECT_ID/locations/$REGION/jobs/$DUMP_JOB" || return 0
    [ "$GOOGLE_STATUS" = 404 ] || google_fail "The job $DUMP_JOB cannot be read."
  fi
  google_complain "There is no job $DUMP_JOB, a copy of which reads dumps: without dump_schedule, only the bucket is there."
  google_complain "  Way out: set dump_schedule and apply first."
  exit 1
}

# run_job JOB INSTANCE SECOND SCRIPT NAME=VALUE...: runs a copy of JOB against the instance with this connection name, and
# a second one if it is not empty. With SCRIPT, a file, the copy runs that instead. Returns 1 when it fails; GOOGLE_NOTE
# says why.
run_job() {
  job_source=$1 job_instance=$2 job_second=$3 job_script=$4
  shift 4
  GOOGLE_NOTE=
  jq -n '$ARGS.positional | map(capture("^(?<key>[^=]+)=(?<value>.*)$"; "s")) | from_entries' --args "$@" \
    >"$GOOGLE_WORK/variables.json"
  : >"$GOOGLE_WORK/script.txt"
  [ -z "$job_script" ] || cat "${0%"${0##*/}"}./database-client.sh" "$job_script" >"$GOOGLE_WORK/script.txt"
  job_name=$(copy_of "$job_source")
  job_result=0
  if on_kubernetes; then
    kubernetes_job || job_result=1
  else
    cloud_run_job || job_result=1
  fi
  return "$job_result"
}

# Removes the copy of a job that a killed run has left.
remove_job() {
  [ -n "$job_now" ] || return 0
  if on_kubernetes; then
    kube delete job "$job_now" --ignore-not-found --wait=true --timeout=120s >/dev/null 2>&1 || return 1
  else
    google_request DELETE run "$jobs/$job_now" "" "" repeatable || [ "$GOOGLE_STATUS" = 404 ] || return 1
    job_until=$(($(google_seconds) + JOB_SECONDS))
    # The name is free once it is not found.
    while google_get run "$jobs/$job_now"; do
      if [ "$(google_seconds)" -ge "$job_until" ]; then
        GOOGLE_NOTE="The job $job_now is not gone after $JOB_SECONDS s."
        return 1
      fi
      google_sleep "$REST_POLL_SECONDS"
    done
    [ "$GOOGLE_STATUS" = 404 ] || return 1
  fi
  job_now=
}

cloud_run_job() {
  jobs="projects/$PROJECT_ID/locations/$REGION/jobs"
  google_get run "$jobs/$job_source" || return 1
  jq --slurpfile given "$GOOGLE_WORK/variables.json" --rawfile script "$GOOGLE_WORK/script.txt" \
    --arg first "$job_instance" --arg second "$job_second" --argjson seconds "$JOB_SECONDS" '
    ({ DB_HOST: "/cloudsql/\($first)" } + (if $second == "" then {} else
      { SOURCE_HOST: "/cloudsql/\($second)", SOURCE_PORT: "5432" } end) + $given[0]) as $variables
    | { labels, template: { taskCount: 1, template: (.template.template | .maxRetries = 0 | .timeout = "\($seconds)s"
      | .volumes |= map(if .cloudSqlInstance then
          .cloudSqlInstance.instances = ([$first, $second] | map(select(. != ""))) else . end)
      | .containers |= map((if $script == "" then . else .command = ["/bin/sh", "-c", $script] | del(.args) end)
          | .env = ((.env // []) | map(select(.name as $name | $variables | has($name) | not)))
              + ($variables | to_entries | map({ name: .key, value })))) } }
    | with_entries(select(.value != null))' "$GOOGLE_ANSWER" >"$GOOGLE_WORK/job.json"
  job_now=$job_name
  remove_job || return 1
  job_now=$job_name
  until google_post run "$jobs" "$GOOGLE_WORK/job.json" "jobId=$job_now"; do
    # An attempt whose answer was lost has created it.
    [ "$GOOGLE_STATUS" = 409 ] && break
    return 1
  done
  job_until=$(($(google_seconds) + JOB_SECONDS))
  until google_reading '.terminalCondition.state // ""' google_get run "$jobs/$job_now" &&
    [ "$GOOGLE_READ" = CONDITION_SUCCEEDED ]; do
    [ "$GOOGLE_READ" != CONDITION_FAILED ] || { GOOGLE_NOTE="Cloud Run could not create the job $job_now." && return 1; }
    [ "$GOOGLE_STATUS" = 200 ] || [ "$GOOGLE_STATUS" = 404 ] || return 1
    if [ "$(google_seconds)" -ge "$job_until" ]; then
      GOOGLE_NOTE="Cloud Run has not created the job $job_now after $JOB_SECONDS s."
      return 1
    fi
    google_sleep "$REST_POLL_SECONDS"
  done
  start_job && await_execution || return 1
  remove_job
}

# Starts the copy once: a run whose answer was lost is among its executions, because the copy is new.
start_job() {
  echo '{}' >"$GOOGLE_WORK/run.json"
  job_tries=1
  until google_create run "$jobs/$job_now:run" "$GOOGLE_WORK/run.json"; do
    google_uncertain && [ "$job_tries" -lt "$REST_TRIES" ] || return 1
    google_sleep "$(google_doubled "$REST_RETRY_BASE_SECONDS" "$job_tries")"
    job_tries=$((job_tries + 1))
    google_reading 'items("executions") | length' google_get run "$jobs/$job_now/executions" || return 1
    [ "$GOOGLE_READ" = 0 ] || break
  done
}

await_execution() {
  job_until=$(($(google_seconds) + JOB_SECONDS))
  while :; do
    google_reading 'items("executions")[0] // {} | [(.name // ""), (if .completionTime == null then "running"
        elif (.succeededCount // 0) > 0 then "succeeded" else "failed" end), (.logUri // "")] | join(" ")' \
      google_get run "$jobs/$job_now/executions" || return 1
    job_execution=${GOOGLE_READ%% *}
    job_state=${GOOGLE_READ#* }
    job_log=${job_state#* }
    job_state=${job_state%% *}
    google_progress "Job $job_now" "$job_state"
    case $job_state in
      succeeded) return 0 ;;
      failed)
        GOOGLE_NOTE="The job $job_now failed; its log: $job_log"
        return 1
        ;;
    esac
    if [ "$(google_seconds)" -ge "$job_until" ]; then
      GOOGLE_NOTE="The job $job_now has not ended after $JOB_SECONDS s; its log: $job_log"
      return 1
    fi
    google_sleep "$REST_POLL_SECONDS"
  done
}

kubernetes_job() {
  kind=job
  [ "$job_source" != "${DUMP_JOB:-}" ] || kind=cronjob
  kube get "$kind" "$job_source" --output=json >"$GOOGLE_WORK/source.json" 2>"$GOOGLE_WORK/kubectl" || {
    GOOGLE_NOTE="kubectl: $(google_text <"$GOOGLE_WORK/kubectl")"
    return 1
  }
  jq --slurpfile given "$GOOGLE_WORK/variables.json" --rawfile script "$GOOGLE_WORK/script.txt" --arg name "$job_name" \
    --arg first "$job_instance" --arg second "$job_second" --arg port "$second_port" --argjson seconds "$JOB_SECONDS" '
    ((if $second == "" then {} else { SOURCE_HOST: "127.0.0.1", SOURCE_PORT: $port } end) + $given[0]) as $variables
    | (.spec.jobTemplate.spec // .spec) as $spec
    | ([$spec.template.spec.initContainers[]? | select(.name == "database-proxy") | .args[-1]?
        | select(test("^[a-z0-9.:-]+:[a-z0-9-]+:[a-z0-9-]+$"))] | length) as $proxies
    | if $proxies != 1 then error("it has \($proxies) containers database-proxy with an instance as their last argument") else . end
    | { apiVersion: "batch/v1", kind: "Job", metadata: { name: $name, namespace: .metadata.namespace }, spec: {
        backoffLimit: 0, activeDeadlineSeconds: $seconds, template: ($spec.template
        | .metadata |= { annotations, labels: ((.labels // {}) | with_entries(select(.key | test("job-name|controller-uid") | not))) }
        | .spec.restartPolicy = "Never" | .spec.activeDeadlineSeconds = $seconds
        | .spec.initContainers |= map(if .name == "database-proxy" then .args |= (.[:-1] + [$first]
            + (if $second == "" then [] else ["\($second)?port=\($port)"] end)) else . end)
        | .spec.containers |= map((if $script == "" then . else .command = ["/bin/sh", "-c", $script] | del(.args) end)
            | .env = ((.env // []) | map(select(.name as $key | $variables | has($key) | not)))
                + ($variables | to_entries | map({ name: .key, value })))) } }' \
    "$GOOGLE_WORK/source.json" >"$GOOGLE_WORK/job.json" 2>"$GOOGLE_WORK/jq" || {
    # Copied as it is, it would reach the deployment's own database.
    GOOGLE_NOTE="The job $job_source cannot be pointed at $job_instance: $(google_text <"$GOOGLE_WORK/jq")"
    return 1
  }
  job_now=$job_name
  remove_job || return 1
  job_now=$job_name
  kube create --filename="$GOOGLE_WORK/job.json" >/dev/null 2>"$GOOGLE_WORK/kubectl" || {
    GOOGLE_NOTE="kubectl: $(google_text <"$GOOGLE_WORK/kubectl")"
    return 1
  }
  job_until=$(($(google_seconds) + JOB_SECONDS))
  while :; do
    job_state=$(kube get job "$job_now" --output=json 2>/dev/null |
      jq -r '[.status.conditions[]? | select(.status == "True") | .type][0] // "running"') || job_state=unknown
    google_progress "Job $job_now" "$job_state"
    case $job_state in
      Complete | Failed | SuccessCriteriaMet | FailureTarget) break ;;
    esac
    if [ "$(google_seconds)" -ge "$job_until" ]; then
      GOOGLE_NOTE="The job $job_now has not ended after $JOB_SECONDS s."
      return 1
    fi
    google_sleep "$REST_POLL_SECONDS"
  done
  kube logs "job/$job_now" --all-containers --tail=100 >"$GOOGLE_WORK/log" 2>/dev/null || :
  case $job_state in
    Failed | FailureTarget)
      GOOGLE_NOTE="The job $job_now failed; its last lines: $(tail -n 5 "$GOOGLE_WORK/log" | google_text)"
      return 1
      ;;
  esac
  remove_job
}

# job_line PREFIX: sets JOB_LINE to what follows PREFIX in a line of the last job's log; empty if the log does not show it in
# time.
job_line() {
  JOB_LINE=
  if on_kubernetes; then
    JOB_LINE=$(sed -n "s/^$1//p" "$GOOGLE_WORK/log" | tail -n 1)
    return 0
  fi
  jq -n --arg project "projects/$PROJECT_ID" --arg execution "${job_execution##*/}" --arg prefix "$1" '{
    resourceNames: [$project], pageSize: 1, orderBy: "timestamp desc",
    filter: ("resource.type=\"cloud_run_job\" AND labels.\"run.googleapis.com/execution_name\"=\"" + $execution
      + "\" AND textPayload:\"" + $prefix + "\"") }' >"$GOOGLE_WORK/entries.json"
  job_until=$(($(google_seconds) + LOG_SECONDS))
  while :; do
    google_post logging entries:list "$GOOGLE_WORK/entries.json" || return 0
    JOB_LINE=$(jq -r '.entries[0]?.textPayload // ""' "$GOOGLE_ANSWER")
    [ -z "$JOB_LINE" ] || break
    [ "$(google_seconds)" -lt "$job_until" ] || return 0
    google_sleep "$REST_POLL_SECONDS"
  done
  JOB_LINE=${JOB_LINE#"$1"}
}
