#!/bin/sh
# Prints the facts that a report of a problem needs, ready to paste: versions, sizes, states, and errors by kind.
#
# The output contains no secrets: only fields that this script names, and only values that are words without blanks. It
# never contains the value of a variable, a label, a message or the text of a log line, which may have addresses and
# links.
#
#   PROJECT_ID       project (required)
#   INSTANCE         name of the database instance (required)
#   INIT_JOB         name of the job db-init (required)
#   REGION           region of service and jobs on Cloud Run, or
#   NAMESPACE        namespace in the cluster that kubectl is connected to
#   BUILD_LOCATION   location of the image's build (global)
#   BACKUP_PLAN      plan of Backup and DR that backs the instance up; empty: none
#   KUBECTL_SECONDS  time limit for one call of kubectl (150)
# The settings are those of restore.sh. What cannot be read is named, and the rest goes on, also without a sign-in to
# Google; the exit code is 1 if nothing could be read. Settings of the calls and other exit codes: google-rest.sh.
set -eu

folder=${0%"${0##*/}"}.
# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-$folder/google-rest.sh}"
# shellcheck source=database-jobs.sh
. "$folder/database-jobs.sh"

readable=no
signed_in=yes

# jq functions. "word" prints only what cannot be a sentence, a link with a query, or the value of a setting with
# blanks, and cuts it to the length of the longest states.
words='def word: tostring | if test("^[A-Za-z0-9_.:/@+-]+$") then .[:120] else "?" end;
  def condition: "\(.type | word) \(.state // .status // "-" | word) "
    + "\(.reason // .revisionReason // .executionReason // "-" | word)";'

# jq filter for a service or a worker of Cloud Run.
template='(.template.containers[]? | "image: \(.image | word)",
    "size: \(.resources.limits.cpu // "-" | word) \(.resources.limits.memory // "-" | word)",
    "variables: \([.env[]? | .name | word] | sort | join(" "))"),
  (.terminalCondition // empty | condition), (.conditions[]? | condition)'

# jq filter for the objects of a namespace.
pods='.items[] | "\(.kind // "object" | word) \(.metadata.name | word): \(.status.phase // "" | word)",
  (.status | [.initContainerStatuses[]?, .containerStatuses[]?][]
    | "  \(.name | word) \(.image | word), restarts: \(.restartCount // 0 | word)"
        + (.state.waiting // empty | ", waits: \(.reason | word)"),
      (.lastState.terminated // empty | "  last end: \(.reason | word) \(.exitCode | word)")),
  "  succeeded: \(.status.succeeded // 0 | word), failed: \(.status.failed // 0 | word)",
  (.status.conditions[]? | "  \(condition)")'

check_settings() {
  job_settings
  BUILD_LOCATION=${BUILD_LOCATION:-global}
  google_setting BUILD_LOCATION '[a-z0-9-]+' "a region or \"global\""
  google_time_limit KUBECTL_SECONDS
  google_start

  service=$(service_of "$INIT_JOB")
  worker=$(worker_of "$service")
}

title() {
  printf '\n## %s\n' "$1"
}

# row COMMAND...: prints the version that a program reports.
row() {
  command -v "$1" >/dev/null || return 0
  version=$(google_within 20 "$@" 2>/dev/null </dev/null | sed -n '1s/^[^0-9]*\([0-9][0-9.]*\).*/\1/p')
  printf -- '- %s %s\n' "$1" "$version"
}

# facts FILTER FILE: prints a line for each fact that the filter makes of an answer.
facts() {
  readable=yes
  # Messages of jq would quote what it does not understand.
  jq -r "$words $1" "$2" 2>/dev/null | sed 's/^/- /'
}

# part TITLE FILTER SERVICE PATH [QUERY | POST FILE]: prints the facts that a jq filter finds in the response of an API.
part() {
  title "$1"
  part_filter=$2
  shift 2
  if [ "$signed_in" = no ]; then echo "- not readable: not signed in to Google" && return; fi
  if [ "${3:-}" = POST ]; then set -- google_post "$1" "$2" "$4"; else set -- google_get "$@"; fi
  # In a subshell, because an expired token ends the shell that sends it.
  status=$(
    exec 3>&1 >&2
    if "$@"; then echo read >&3; else echo "$GOOGLE_STATUS" >&3; fi
  ) || status=401
  case $status in
    read) facts "$part_filter" "$GOOGLE_ANSWER" ;;
    404) readable=yes && echo "- does not exist" ;;
    401) signed_in=no && echo "- not readable: not signed in to Google" ;;
    *) echo "- not readable: HTTP $status" ;;
  esac
}

sign_in() {
  # In a subshell first, because missing credentials end the shell. The token is then used for all parts.
  if (google_authorize); then google_authorize; else signed_in=no; fi
}

say_programs() {
  title Programs
  row terraform version
  row tofu version
  row kubectl version --client
  row curl --version
  row jq --version
  for lock in .terraform.lock.hcl "$folder/../.terraform.lock.hcl"; do
    [ -f "$lock" ] || continue
    sed -n 's/^provider "\([a-z0-9./-]*\)" {$/- \1/p; s/^  version *= "\([0-9.]*\)"$/  \1/p' "$lock"
    break
  done
}

say_database() {
  part Database '"\(.state | word) \(.databaseVersion | word) "
      + "\(.settings.tier | word) \(.settings.availabilityType | word)",
    "runs: \(.settings.activationPolicy // "-" | word)",
    "disk: \(.settings.dataDiskSizeGb | word) GB of at most \(.settings.storageAutoResizeLimit // 0 | word)",
    "public address: \(.settings.ipConfiguration.ipv4Enabled // false | word)",
    "backups: \(.settings.backupConfiguration.backupTier // "STANDARD" | word)\(
      if .settings.backupConfiguration.backupTier == "ENHANCED" and (env.BACKUP_PLAN // "") == ""
      then ", by an attached plan: set existing_backup_plan" else "" end)",
    "flags: \([.settings.databaseFlags[]? | .name | word] | join(" "))"' \
    sqladmin "projects/$PROJECT_ID/instances/$INSTANCE"
  part "Last backups" '.items[]? | "\(.type | word) \(.status | word) \(.endTime // .startTime // "-" | word)"' \
    sqladmin "projects/$PROJECT_ID/instances/$INSTANCE/backupRuns" maxResults=3
}

say_build() {
  part "Last build" '.builds[0]? // {}
    | "\(.status // "none" | word) \(.failureInfo.type // "-" | word) \(.finishTime // "-" | word)"' \
    cloudbuild "projects/$PROJECT_ID/locations/$BUILD_LOCATION/builds" 'filter=tags%3D%22idp-image%22&pageSize=1'
}

# For Kubernetes. Sets scope to a filter for the log entries of these objects.
say_objects() {
  for kind in deployments pods jobs ingresses; do
    title "$kind"
    if kube get "$kind" --output=json >"$GOOGLE_WORK/objects"; then
      facts "$pods" "$GOOGLE_WORK/objects"
    else
      echo "- not readable by kubectl"
    fi
  done
  scope="resource.type=\"k8s_container\" AND resource.labels.namespace_name=\"$NAMESPACE\""
}

# For Cloud Run. Sets scope like say_objects.
say_service() {
  region_path="projects/$PROJECT_ID/locations/$REGION"
  part Service '"instances: \(.scaling.minInstanceCount // 0 | word) to \(.scaling.maxInstanceCount // "-" | word), "
      + "requests each: \(.template.maxInstanceRequestConcurrency // "-" | word)", '"$template" \
    run "$region_path/services/$service"
  part Workers "$template" run "$region_path/workerPools/$worker"
  part "Last runs of db-init" '.executions[:3][]?
    | "\(.name | split("/") | last | word): "
        + "failed \(.failedCount // 0 | word), succeeded \(.succeededCount // 0 | word)",
      (.conditions[]? | "  \(condition)")' \
    run "$region_path/jobs/$INIT_JOB/executions" pageSize=3
  scope="resource.type=(\"cloud_run_revision\" OR \"cloud_run_worker_pool\" OR \"cloud_run_job\")"
  scope="$scope AND (resource.labels.service_name=\"$service\""
  scope="$scope OR resource.labels.worker_pool_name=\"$worker\" OR resource.labels.job_name=\"$INIT_JOB\")"
}

say_errors() {
  jq -n --arg project "projects/$PROJECT_ID" --arg filter "$scope AND severity>=ERROR" \
    '{ resourceNames: [$project], pageSize: 100, orderBy: "timestamp desc", filter: $filter }' \
    >"$GOOGLE_WORK/entries.json"
  # Only lines of the entrypoint about the end of a part are printed, because their words are known. Of other lines,
  # only their origin is.
  # shellcheck disable=SC2016 # of jq
  part "Last errors in the log" '[.entries[]? | { at: .timestamp, severity, by: (.jsonPayload.logger
        // (.textPayload // ""
          | capture("^(?<said>cloud-entrypoint: (worker|server|connection pool) ended with exit code [0-9]+)").said)
        // "-") }]
    | group_by([.severity, .by])[]
    | (.[0].by | if test("^cloud-entrypoint: [a-z ]+ [0-9]+$") then . else word end) as $by
    | "\(length) x \(.[0].severity | word) \($by), last \(.[0].at | word)"' \
    logging entries:list POST "$GOOGLE_WORK/entries.json"
}

main() {
  check_settings
  sign_in
  say_programs
  say_database
  say_build
  if on_kubernetes; then say_objects; else say_service; fi
  say_errors
  [ "$readable" = yes ] ||
    google_stop "Nothing could be read." \
      "To fix: sign in as somebody who may read the project, and run the same command again."
}

main "$@"
