# shellcheck shell=sh
# Shell library that runs short jobs on the database of a deployment. Each job is a copy of one of the deployment's own
# jobs, so it has the same image, account, network and secrets. It is deleted after its end.
#
# A copy has a longer time limit than the original, because a restore takes longer than a preparation. Its name and
# labels belong to one run, so that two operators never share a copy. To be sourced after google-rest.sh.
#
# Reads:
#   NAMESPACE         namespace of the jobs in the cluster that kubectl is connected to; empty: they run on Cloud Run
#   REGION            region of the jobs on Cloud Run
#   INSTANCE          name of the database instance
#   INIT_JOB          name of the job db-init
#   RESTORES          hash of the backup that this run restores; unset: none
#   JOB_SECONDS       time limit for one job (3600)
#   LOG_SECONDS       time limit for the expected line to appear in the log (120)
#   KUBECTL_SECONDS   time limit for one call of kubectl (150)
#   KUBECTL           program (kubectl)
# Sets:
#   RUN               id of this run
#   JOB_GROUP         kind of this run and hash of its instance; only one run of a group may be active
#   JOB_LINE          rest of the line in the log that the last job was waited for
#   JOB_TAKEN         whether an interrupted run has begun to restore the same backup: no, yes, or late (list_copies)
#   JOB_SINCE         time at which the mark of this run was created, in seconds since 1970
#   job_now           job that this run has created last, until it is deleted; empty: none
#   job_mark          job that marks this run, see mark_run; empty: none
#   job_parent        path of the jobs on Cloud Run
#   job_*             parts of the job that is being created or watched

JOB_SECONDS=${JOB_SECONDS:-3600}
LOG_SECONDS=${LOG_SECONDS:-120}
KUBECTL_SECONDS=${KUBECTL_SECONDS:-150}
KUBECTL=${KUBECTL:-kubectl}
job_now='' job_mark=''
JOB_TAKEN=no job_count=0
# Printed if settings are missing.
# shellcheck disable=SC2016,SC2034 # to be pasted; rest-script.sh prints it
GOOGLE_SETTINGS='eval "$(terraform output -raw restore_settings)"'

# run_jobs_in REGION: selects the region of the jobs on Cloud Run.
run_jobs_in() {
  job_region=$1
  job_parent="projects/${PROJECT_ID:-}/locations/$job_region/jobs"
}

run_jobs_in "${REGION:-}"

on_kubernetes() {
  [ -n "${NAMESPACE:-}" ]
}

kube() {
  kube_code=0
  google_within "$KUBECTL_SECONDS" run_kubectl "$@" || kube_code=$?
  [ "$kube_code" -ne 124 ] || echo "no answer within $KUBECTL_SECONDS s" >"$GOOGLE_WORK/kubectl"
  [ "$kube_code" -eq 0 ] || { GOOGLE_NOTE="kubectl: $(google_text <"$GOOGLE_WORK/kubectl")" && return 1; }
}

run_kubectl() {
  exec "$KUBECTL" --namespace "$NAMESPACE" --request-timeout=30s "$@" 2>"$GOOGLE_WORK/kubectl"
}

# hash_of TEXT: prints a hash of eight hexadecimal digits, because names must be short: a connection name is part of the
# path of a socket. A CRC, which every system can compute, and which differs for texts that differ in one place.
hash_of() {
  hash_sum=$(printf '%s' "$1" | cksum)
  printf '%08x\n' "${hash_sum%% *}"
}

# The settings name the job db-init and few other parts of a deployment. All parts are named after its service by the
# rules of lib/core/names.ts, which these functions repeat.

# service_of INIT_JOB: the service on Cloud Run, or the Deployment of the servers. In a cluster, the name of the job may
# go on after db-init.
service_of() {
  printf '%s\n' "${1%-db-init*}"
}

# worker_of SERVICE: the worker pool, whose name must be short, or the Deployment of the workers.
worker_of() {
  if on_kubernetes; then echo "$1-worker"; else echo "$1-w"; fi
}

# dump_job_of SERVICE: the job that dumps the database.
dump_job_of() {
  echo "$1-dump"
}

# Checks the settings of a deployment's database and jobs.
job_settings() {
  google_setting INSTANCE '[a-z][a-z0-9-]*' "the name of a database instance"
  google_setting INIT_JOB '[a-z0-9][a-z0-9-]*' "the name of the job db-init"
  if on_kubernetes; then
    google_require "$KUBECTL"
  else
    google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
  fi
}

# begin_run KIND: ends the script if a setting is wrong. Otherwise sets RUN and JOB_GROUP.
begin_run() {
  google_time_limit SQL_SECONDS JOB_SECONDS LOG_SECONDS KUBECTL_SECONDS
  google_start
  name_run "$1" "${INSTANCE:-}"
}

# name_run KIND INSTANCE: sets RUN and JOB_GROUP for a run whose jobs use the instance.
name_run() {
  RUN=$(hash_of "$GOOGLE_WORK $GOOGLE_STARTED")
  JOB_GROUP=$1-$(hash_of "$2")
  export RUN JOB_GROUP
}

# Ends the script if no job can read dumps: without dumps.schedule, a deployment has only the bucket of dumps.
require_dump_job() {
  if on_kubernetes; then
    kube get cronjob "$DUMP_JOB" --ignore-not-found --output=name >"$GOOGLE_WORK/dump" ||
      google_fail "The job $DUMP_JOB cannot be read."
    [ ! -s "$GOOGLE_WORK/dump" ] || return 0
  else
    ! google_get run "$job_parent/$DUMP_JOB" || return 0
    [ "$GOOGLE_STATUS" = 404 ] || google_fail "The job $DUMP_JOB cannot be read."
  fi
  missing="There is no job $DUMP_JOB, a copy of which reads dumps"
  google_stop "$missing: without dumps.schedule, only the bucket is there." \
    "To fix: set dumps.schedule and apply first."
}

# run_job JOB INSTANCE SECOND SCRIPT WORD NAME=VALUE...: runs a copy of JOB against the instance with the connection
# name INSTANCE, and against a second one if SECOND is not empty. With SCRIPT, a file, the copy runs that instead. A job
# that ends without an error may have done nothing: its log must have a line that begins with WORD, and JOB_LINE is set
# to the rest of that line. Returns 1 when it fails; GOOGLE_NOTE says why. Callers test the result, which switches `set
# -e` off in here.
# shellcheck disable=SC2034 # the scripts read JOB_LINE
run_job() {
  job_source=$1 job_instance=$2 job_second=$3 job_script=$4 job_word=$5
  shift 5
  GOOGLE_NOTE='' JOB_LINE='' job_log='' job_started=no
  job_count=$((job_count + 1))
  # At most 48 characters.
  job_name=$(printf '%.31s' "$job_source")
  job_name=${job_name%-}-$(hash_of "$RUN $job_count")-restore
  create_job false "$@" || return 1
  job_until=$(($(google_seconds) + JOB_SECONDS))
  while :; do
    if on_kubernetes; then look_in_cluster; else look_on_cloud_run; fi || return 1
    case $job_state in
      succeeded) break ;;
      failed)
        job_says "" || :
        job_end=$(tail -n 5 "$GOOGLE_WORK/log" | google_text)
        GOOGLE_NOTE="The job $job_now failed${job_end:+; its last lines: $job_end}${job_log:+; its log: $job_log}"
        return 1
        ;;
    esac
    if ! google_pause "$job_until" "Job $job_now" "$job_state"; then
      GOOGLE_NOTE="The job $job_now has not ended within $JOB_SECONDS s (JOB_SECONDS)"
      GOOGLE_NOTE="$GOOGLE_NOTE${job_log:+; its log: $job_log}"
      return 1
    fi
  done
  google_progress "Job $job_now" "$job_state"
  job_says "$job_word" || return 1
  JOB_LINE=$(sed -n "s/^$job_word//p" "$GOOGLE_WORK/log" | tail -n 1)
  # Its work is done, so a copy that cannot be removed is no failure.
  abandon_job "$job_now" || :
  job_now=
}

# run_init INSTANCE WORD NAME=VALUE...: runs a copy of db-init with its own script.
run_init() {
  job_instance=$1 job_word=$2
  shift 2
  run_job "$INIT_JOB" "$job_instance" "" "" "$job_word" "$@"
}

# run_script INSTANCE SCRIPT WORD NAME=VALUE...: runs another script in a copy of db-init.
run_script() {
  job_instance=$1 job_script=$2 job_word=$3
  shift 3
  run_job "$INIT_JOB" "$job_instance" "" "$job_script" "$job_word" "$@"
}

# count_users_script: writes the script of the job that counts users to the file count.sh.
count_users_script() {
  job_folder=${0%"${0##*/}"}.
  cat "$job_folder/unrestorable.sh" "$job_folder/count-users.sh" >"$GOOGLE_WORK/count.sh"
}

# mark_run INSTANCE: creates a copy of db-init that is never run. It exists as long as this run, so that remove_copies
# of another run finds it. This run calls remove_copies afterwards: of two runs that begin at the same time, at most one
# continues.
mark_run() {
  job_source=$INIT_JOB job_instance=$1 job_second='' job_script=''
  job_name=$JOB_GROUP-$RUN-restore
  create_job true || return 1
  job_mark=$job_now job_now=
}

# remove_job NAME: deletes a job. A job that does not exist counts as deleted.
remove_job() {
  if on_kubernetes; then
    kube delete job "$1" --ignore-not-found --wait=true --timeout=120s >/dev/null
  else
    google_reading 'field("name")' google_request DELETE run "$job_parent/$1" "" "" repeatable ||
      [ "$GOOGLE_STATUS" = 404 ]
  fi
}

# abandon_job NAME: deletes a job, or prints the command that deletes it. Does nothing for an empty NAME.
abandon_job() {
  [ -n "$1" ] || return 0
  job_by_hand="gcloud run jobs delete $1 --region=$job_region --project=$PROJECT_ID"
  ! on_kubernetes || job_by_hand="$KUBECTL delete job $1 --namespace=$NAMESPACE"
  google_undo "The job $1 cannot be deleted" "$job_by_hand" remove_job "$1"
}

# Deletes the copy and the mark of this run, or prints the commands. Never fails, because the caller may have more to
# undo.
abandon_run() {
  abandon_job "$job_now" || :
  abandon_job "$job_mark" || :
  job_now='' job_mark=''
}

# remove_copies yes|no: deletes the jobs of killed runs. With no, a job whose run may still be active ends the script,
# because only one run at a time may exchange databases.
remove_copies() {
  list_copies || return 1
  [ "$1" = yes ] || refuse_young_copies
  remove_old_copies && adopt_mark
}

# Functions of jq that read a list of jobs, and a job, of the cluster or of Cloud Run.
job_words='def jobs: (.items // [.])[];
  def labels: (.metadata // .).labels;
  def name: .metadata.name? // (.name | split("/") | last);
  def created: .metadata.creationTimestamp? // .createTime | sub("[.][0-9]+"; "") | fromdate;
  def is_of_this_run: labels["copy-run"]? == env.RUN;
  def is_of_another_run: labels["copy-for"]? == env.JOB_GROUP and (is_of_this_run | not);
  def is_mark: name | startswith(env.JOB_GROUP);
  def restores_the_same: is_mark and labels["copy-of"] == (env.RESTORES // "none");'

# Writes a line for each job of another run to the file copies:
#   its name
#   its age in seconds
#   whether its run may still be active, by its age: true or false
#   whether it marks a run that has begun to restore the same backup RESTORES: no, yes, or late if that run has ended
# Sets JOB_SINCE to the time at which the mark of this run was created.
list_copies() {
  if on_kubernetes; then
    kube get jobs --selector="copy-for=$JOB_GROUP" --output=json >"$GOOGLE_WORK/copies.json" || return 1
  else
    google_pages run "$job_parent" jobs pageSize=1000 "$GOOGLE_WORK/copies.json" || return 1
  fi
  job_listed=$(google_server_time)
  # By the clock of the server that created the mark: the last response of Google may be from before the operator was
  # asked.
  JOB_SINCE=$(jq -rn --argjson now "$job_listed" "$job_words"'
    [inputs | jobs | select(is_of_this_run) | created] | min // $now' "$GOOGLE_WORK/copies.json") || return 1
  # A copy is created, run and read within three time limits; a mark is as old as a clone may be.
  jq -r --argjson now "$job_listed" --argjson copy_seconds "$((3 * JOB_SECONDS))" \
    --argjson mark_seconds "$((2 * SQL_SECONDS + 3 * JOB_SECONDS))" "$job_words"'
    jobs | select(is_of_another_run) | ($now - created) as $age
    | ($age <= if is_mark then $mark_seconds else $copy_seconds end) as $is_young
    | (if restores_the_same | not then "no" elif $is_young then "yes" else "late" end) as $taken
    | "\(name) \($age) \($is_young) \($taken)"' \
    "$GOOGLE_WORK/copies.json" >"$GOOGLE_WORK/copies"
}

refuse_young_copies() {
  while read -r job_copy job_age job_young _; do
    [ "$job_young" = false ] || refuse_second "the job $job_copy" "$job_age"
  done <"$GOOGLE_WORK/copies"
}

remove_old_copies() {
  while read -r job_copy _ _ job_other; do
    # adopt_mark keeps the marks of runs that restore the same backup.
    [ "$job_other" = no ] || continue
    remove_job "$job_copy" || return 1
  done <"$GOOGLE_WORK/copies"
}

# If an interrupted run has begun to restore the same backup, takes over its mark in place of the mark of this run, and
# sets JOB_TAKEN and JOB_SINCE. The restoration that Cloud SQL has begun since JOB_SINCE need not be begun again.
# shellcheck disable=SC2034 # restore.sh reads the results
adopt_mark() {
  while read -r job_copy job_age _ job_other; do
    [ "$job_other" != no ] || continue
    remove_job "$job_mark" || return 1
    job_mark=$job_copy JOB_TAKEN=$job_other JOB_SINCE=$((job_listed - job_age))
  done <"$GOOGLE_WORK/copies"
}

# refuse_second WHAT SECONDS: ends the script, because another run has created WHAT so many seconds ago.
refuse_second() {
  google_stop "Another run has made $1 $2 s ago, and may still be at work: one at a time." \
    "To fix: wait for its end. If it was killed, run the same command with --take-over, which removes what it has left."
}

# Filters of jq that make a copy of a job. This part changes its containers.
# shellcheck disable=SC2016 # names of jq
job_container='def changed($variables):
  (if $script == "" then . else .command = ["/bin/sh", "-c", $script] | del(.args) end)
  | .env = ((.env // []) | map(select(.name as $name | $variables | has($name) | not)))
      + ($variables | to_entries | map({ name: .key, value }));
  ($ARGS.positional | map(capture("^(?<key>[^=]+)=(?<value>.*)$"; "s")) | from_entries) as $given |'

# shellcheck disable=SC2016 # names of jq
job_on_cloud_run='({ DB_HOST: "/cloudsql/\($first)" } + (if $second == "" then {} else
    { SOURCE_HOST: "/cloudsql/\($second)", SOURCE_PORT: "5432" } end) + $given) as $variables
  | ([.template.template.volumes[]? | select(.cloudSqlInstance)] | length) as $volumes
  | if $volumes != 1 then error("it has \($volumes) volumes of Cloud SQL") else . end
  | { labels: ((.labels // {}) + $marks), template: { taskCount: 1, template: (.template.template
    | .maxRetries = 0 | .timeout = "\($seconds)s"
    | .volumes |= map(if .cloudSqlInstance then
        .cloudSqlInstance.instances = ([$first, $second] | map(select(. != ""))) else . end)
    | .containers |= map(changed($variables))) } }'

# In a cluster, the proxy offers the second instance at another port.
# shellcheck disable=SC2016 # names of jq
job_in_cluster='"5433" as $port
  | ((if $second == "" then {} else { SOURCE_HOST: "127.0.0.1", SOURCE_PORT: $port } end) + $given) as $variables
  | (.spec.jobTemplate.spec // .spec) as $spec
  | ([$spec.template.spec.initContainers[]? | select(.name == "database-proxy") | .args[-1]?
      | select(test("^[a-z0-9.:-]+:[a-z0-9-]+:[a-z0-9-]+$"))] | length) as $proxies
  | if $proxies != 1 then
      error("it has \($proxies) containers database-proxy with an instance as their last argument") else . end
  | { apiVersion: "batch/v1", kind: "Job",
      metadata: { name: $name, namespace: .metadata.namespace, labels: $marks },
      spec: {
        suspend: $suspended, backoffLimit: 0, activeDeadlineSeconds: $seconds, ttlSecondsAfterFinished: 3600,
        template: ($spec.template
          | .metadata |= { annotations,
              labels: ((.labels // {}) | with_entries(select(.key | test("job-name|controller-uid") | not))) }
          | .spec.restartPolicy = "Never" | .spec.activeDeadlineSeconds = $seconds
          | .spec.initContainers |= map(if .name == "database-proxy" then .args |= (.[:-1] + [$first]
              + (if $second == "" then [] else ["\($second)?port=\($port)"] end)) else . end)
          | .spec.containers |= map(changed($variables))) } }'

# create_job SUSPENDED NAME=VALUE...: creates the copy that job_name and the other job_* describe. Sets job_now to its
# name before the request, so that an interrupted run deletes the copy.
create_job() {
  job_suspended=$1
  shift
  if [ -n "$job_script" ]; then
    cat "${0%"${0##*/}"}./database-client.sh" "$job_script"
  fi >"$GOOGLE_WORK/script.txt" || return 1
  if on_kubernetes; then
    kind=job
    [ "$job_source" != "${DUMP_JOB:-}" ] || kind=cronjob
    kube get "$kind" "$job_source" --output=json >"$GOOGLE_WORK/source.json" || return 1
    job_filter=$job_in_cluster
  else
    google_get run "$job_parent/$job_source" && cp "$GOOGLE_ANSWER" "$GOOGLE_WORK/source.json" || return 1
    job_filter=$job_on_cloud_run
  fi
  jq --rawfile script "$GOOGLE_WORK/script.txt" \
    --arg name "$job_name" --arg first "$job_instance" --arg second "$job_second" \
    --argjson seconds "$JOB_SECONDS" --argjson suspended "$job_suspended" \
    "$job_container"'
    ({ "copy-for": env.JOB_GROUP, "copy-run": env.RUN }
      + if env.RESTORES then { "copy-of": env.RESTORES } else {} end) as $marks | '"$job_filter" \
    "$GOOGLE_WORK/source.json" --args "$@" >"$GOOGLE_WORK/job.json" 2>"$GOOGLE_WORK/problem" || {
    # Without the changes, the copy would use the deployment's own database.
    GOOGLE_NOTE="The job $job_source cannot be pointed at $job_instance: $(google_text <"$GOOGLE_WORK/problem")"
    return 1
  }
  job_now=$job_name
  if on_kubernetes; then
    kube create --filename="$GOOGLE_WORK/job.json" >/dev/null
  else
    # The name contains the id of this run, so a job of this name was created by an attempt whose response was lost.
    google_post run "$job_parent" "$GOOGLE_WORK/job.json" "jobId=$job_now" || [ "$GOOGLE_STATUS" = 409 ]
  fi
}

# job_call CALL...: makes a call about the copy. If somebody has deleted the copy, says so in GOOGLE_NOTE.
job_call() {
  "$@" && return 0
  if [ "$GOOGLE_STATUS" = 404 ]; then GOOGLE_NOTE="The job $job_now was removed by somebody else." && job_now=; fi
  return 1
}

# Starts the copy once it is created, and sets job_state to its state. If the response to the start was lost, the list
# of executions shows whether the copy was started.
look_on_cloud_run() {
  if [ "$job_started" = no ]; then
    job_call google_reading '.terminalCondition.state // ""' google_get run "$job_parent/$job_now" || return 1
    if [ "$GOOGLE_READ" = CONDITION_FAILED ]; then
      GOOGLE_NOTE="Cloud Run could not create the job $job_now."
      return 1
    fi
    job_state="being created"
    [ "$GOOGLE_READ" = CONDITION_SUCCEEDED ] || return 0
  fi
  job_call google_listed '.[0] // {} | [(.name // ""), (if .completionTime == null then "running"
      elif (.succeededCount // 0) > 0 then "succeeded" else "failed" end), (.logUri // "")] | join(" ")' \
    run "$job_parent/$job_now/executions" executions pageSize=100 || return 1
  job_execution=${GOOGLE_READ%% *}
  job_state=${GOOGLE_READ#* }
  job_log=${job_state#* }
  job_state=${job_state%% *}
  if [ -n "$job_execution" ]; then
    job_started=yes
  elif [ "$job_started" = yes ]; then
    # The list is also empty if the job was deleted.
    job_call google_get run "$job_parent/$job_now"
  else
    echo '{}' >"$GOOGLE_WORK/run.json" || return 1
    job_state="being started"
    if job_call google_create run "$job_parent/$job_now:run" "$GOOGLE_WORK/run.json"; then
      job_started=yes
    else
      google_uncertain
    fi
  fi
}

look_in_cluster() {
  job_state=unknown
  kube get job "$job_now" --ignore-not-found --output=json >"$GOOGLE_WORK/now.json" || return 0
  if [ ! -s "$GOOGLE_WORK/now.json" ]; then
    GOOGLE_NOTE="The job $job_now was removed by somebody else."
    job_now=''
    return 1
  fi
  job_state=$(jq -r '[.status.conditions[]? | select(.status == "True") | .type]
    | if any(. == "Complete" or . == "SuccessCriteriaMet") then "succeeded"
      elif any(. == "Failed" or . == "FailureTarget") then "failed"
      else "running" end' "$GOOGLE_WORK/now.json") || job_state=unknown
}

# job_says WORD: waits until the log of the last job contains a line that begins with WORD, and writes the last lines of
# the log to the file log.
job_says() {
  : >"$GOOGLE_WORK/log"
  on_kubernetes || jq -n --arg project "projects/$PROJECT_ID" --arg execution "${job_execution##*/}" --arg word "$1" '{
    resourceNames: [$project], pageSize: 5, orderBy: "timestamp desc",
    filter: ("resource.type=\"cloud_run_job\" AND labels.\"run.googleapis.com/execution_name\"=\"" + $execution
      + "\" AND (log_id(\"run.googleapis.com/stdout\") OR log_id(\"run.googleapis.com/stderr\")) AND textPayload:"
      + (if $word == "" then "*" else "\"" + $word + "\"" end)) }' >"$GOOGLE_WORK/entries.json" || return 1
  log_until=$(($(google_seconds) + LOG_SECONDS))
  while :; do
    if on_kubernetes; then
      kube logs "job/$job_now" --all-containers --tail=100 >"$GOOGLE_WORK/log" || :
    else
      google_reading 'items("entries") | length' \
        google_post logging entries:list "$GOOGLE_WORK/entries.json" || return 1
      jq -r '[.entries[]?.textPayload | strings] | reverse | .[]' "$GOOGLE_ANSWER" >"$GOOGLE_WORK/log" || return 1
      # A page may be empty although more follow; the next round reads the next page.
      jq -s '.[0] + { pageToken: .[1].nextPageToken }' "$GOOGLE_WORK/entries.json" "$GOOGLE_ANSWER" \
        >"$GOOGLE_WORK/page.json" &&
        mv "$GOOGLE_WORK/page.json" "$GOOGLE_WORK/entries.json" || return 1
    fi
    ! grep -q "^$1" "$GOOGLE_WORK/log" || return 0
    [ "$(google_seconds)" -lt "$log_until" ] || break
    google_sleep "$REST_POLL_SECONDS"
  done
  GOOGLE_NOTE="The job $job_now ended without an error, but its log has no line that begins with \"$1\""
  GOOGLE_NOTE="$GOOGLE_NOTE after $LOG_SECONDS s, so it may have done nothing.${job_log:+ Its log: $job_log}"
  return 1
}
