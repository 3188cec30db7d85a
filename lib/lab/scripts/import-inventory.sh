#!/bin/sh
# Lists the instances of one AWS region, imports them into Migration Center, and waits for the import.
#
#   import-inventory.sh           lists and imports
#   import-inventory.sh --check   only lists missing programs
#
# The job's id contains hashes of the inventory, and of its source and region, so the same inventory is imported once. A
# job that an earlier run left incomplete is deleted, with everything it imported, and created again; a running one is
# awaited.
#
#   PROJECT_ID             project (required)
#   REGION                 region of the assessment data (required)
#   SOURCE_ID              identifier of the source to import into (required)
#   DEPLOYMENT_ID          suffix of the lab, for the job's display name (required)
#   CLOUDB_REGION          AWS region whose instances are listed (required)
#   AWS_ACCESS_KEY_ID      key that may list instances, instance types and volumes (required)
#   AWS_SECRET_ACCESS_KEY  its secret (required)
#   KEY_WAIT_SECONDS       how long to wait for a new key or policy to take effect (120)
#   IMPORT_SECONDS         time limit for each of validation and import (1800)
#   OPERATION_SECONDS      time limit for any other operation (600)
# Settings of the calls and exit codes: google-rest.sh; of the uploads: assessment-rest.sh.
set -eu

export GOOGLE_OPTIONS=--check
scripts=${0%"${0##*/}"}.
# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source=assessment-rest.sh
. "$scripts/assessment-rest.sh"

tables="vmInfo diskInfo tagInfo perfInfo"

check_settings() {
  KEY_WAIT_SECONDS=${KEY_WAIT_SECONDS:-120}
  IMPORT_SECONDS=${IMPORT_SECONDS:-1800}
  OPERATION_SECONDS=${OPERATION_SECONDS:-600}
  google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
  google_setting SOURCE_ID '[a-z]([a-z0-9-]{0,61}[a-z0-9])?' "the id of the discovery source"
  google_setting DEPLOYMENT_ID '[a-z0-9-]{1,30}' "the suffix of the lab's names"
  google_setting CLOUDB_REGION '[a-z]+(-[a-z]+)+-[0-9]+' "an AWS region, like us-east-1"
  google_setting AWS_ACCESS_KEY_ID '[A-Za-z0-9_]+' "the id of an access key"
  [ -n "${AWS_SECRET_ACCESS_KEY:-}" ] ||
    google_refuse "AWS_SECRET_ACCESS_KEY is not set; it must hold the secret of the key."
  google_time_limit KEY_WAIT_SECONDS IMPORT_SECONDS OPERATION_SECONDS REST_UPLOAD_SECONDS
  google_start
}

configure_aws() {
  # The caller's own configuration must not replace the key; release 2 could wait in a pager or prompt for arguments.
  unset AWS_PROFILE AWS_DEFAULT_PROFILE AWS_SESSION_TOKEN AWS_SECURITY_TOKEN AWS_ROLE_ARN AWS_WEB_IDENTITY_TOKEN_FILE
  unset AWS_DATA_PATH
  export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null AWS_EC2_METADATA_DISABLED=true
  export AWS_PAGER='' AWS_CLI_AUTO_PROMPT=off AWS_RETRY_MODE=standard AWS_MAX_ATTEMPTS="${AWS_MAX_ATTEMPTS:-8}"
}

ask_aws() {
  exec aws --output text --query "$query" --region "$CLOUDB_REGION" --color off --cli-connect-timeout 10 \
    --cli-read-timeout 60 ec2 "$call" >"$GOOGLE_WORK/$call" 2>"$GOOGLE_WORK/aws-error"
}

# list CALL LIST: writes the items of all pages, one line of JSON each. With text output the AWS CLI applies the query
# to each page. It takes any XML for an answer, such as a portal's page: where the list is missing, the query gives {}.
list() {
  call=$1
  query="not_null($2[].[to_string(@)], \`[[\"{}\"]]\`)"
  until google_beside ask_aws; do
    if [ "$(google_seconds)" -ge "$KEY_WAIT_SECONDS" ] || ! may_pass; then list_failed; fi
    google_progress "AWS" "a new key or policy takes up to a minute to work; trying again"
    google_sleep "$REST_POLL_SECONDS"
  done
  remedy="To fix: see that no proxy or portal answers in the place of AWS, or update the aws program and jq;"
  jq -es 'all(.[]; . != {})' "$GOOGLE_WORK/$call" >/dev/null 2>&1 ||
    google_stop "aws ec2 $call: the answer is not one of AWS." "$remedy then apply again."
}

# Whether AWS refuses as it does while a key or policy is new.
may_pass() {
  grep -Eq 'AuthFailure|InvalidAccessKeyId|InvalidClientTokenId|UnauthorizedOperation' "$GOOGLE_WORK/aws-error"
}

list_failed() {
  case $(cat "$GOOGLE_WORK/aws-error") in
    *UnauthorizedOperation*)
      remedy="The policy of the scoped user allows this call, and did not take effect within $KEY_WAIT_SECONDS s."
      remedy="$remedy Look for a rule of the organization or a permissions boundary that denies it."
      ;;
    *AuthFailure* | *InvalidAccessKeyId* | *InvalidClientTokenId*)
      remedy="The key did not work within $KEY_WAIT_SECONDS s. The same is said of a region that is not enabled"
      remedy="$remedy for the account: enable $CLOUDB_REGION there, or choose the region of the instances."
      ;;
    *) remedy="Nothing was imported. Apply again when the cause is gone; the region must be spelled as AWS does." ;;
  esac
  google_stop "aws ec2 $call failed: $(google_text <"$GOOGLE_WORK/aws-error")" "$remedy"
}

# make_table TABLE: writes a table in the background, so that a signal is handled at once.
make_table() {
  google_beside jq -nr --arg table "$1" --arg region "$CLOUDB_REGION" \
    --slurpfile instances "$GOOGLE_WORK/describe-instances" --slurpfile types "$GOOGLE_WORK/describe-instance-types" \
    --slurpfile volumes "$GOOGLE_WORK/describe-volumes" --from-file "$scripts/inventory.jq" >"$GOOGLE_WORK/$1.csv"
}

# macOS has shasum instead of sha256sum.
digest() {
  { sha256sum 2>/dev/null || shasum -a 256; } | cut -c "1-$1"
}

# Lists everything and writes the tables. Sets instances to the number of instances; without any, ends the script.
make_tables() {
  google_say "Listing the instances of $CLOUDB_REGION."
  # shellcheck disable=SC2016 # the backticks are a literal of the query
  list describe-instances 'Reservations[].not_null(Instances, `[{}]`)'
  list describe-instance-types InstanceTypes
  list describe-volumes Volumes
  unset AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
  make_table summary
  { read -r instances && read -r skipped && read -r bare && IFS= read -r undescribed; } <"$GOOGLE_WORK/summary.csv"
  google_say "Instances of $CLOUDB_REGION: $instances found;" \
    "$skipped more are terminated and left out ($(google_seconds) s)"
  if [ "$instances" -eq 0 ]; then
    google_say "$CLOUDB_REGION hosts no instances: nothing to import. Choose another region if they are elsewhere."
    exit 0
  fi
  [ -z "$undescribed" ] ||
    google_stop "AWS does not say how many processors and how much memory these types have: $undescribed." \
      "Machines without them cannot be assessed, so nothing was imported. Apply again later, or change their type."
  [ "$bare" -eq 0 ] ||
    google_say "$bare of the instances have no volume;" \
      "each gets one disk /dev/xvda of 52.5 GiB, as the import asks for one."
  for table in $tables; do make_table "$table"; done
}

# Sets the names of the import job.
name_job() {
  location=projects/$PROJECT_ID/locations/$REGION
  console="https://console.cloud.google.com/migration/discovery/dataImport?project=$PROJECT_ID"
  inventory=$(for table in $tables; do cat "$GOOGLE_WORK/$table.csv"; done | digest 16)
  job_id=cloudb-$inventory-$(printf '%s' "$REGION/$SOURCE_ID" | digest 24)
  job=$location/importJobs/$job_id
  again="To fix: repair what the message names and apply again; a half-done job is replaced."
}

# Sets state, which is NONE if there is no job, and EMPTY if it has imported nothing; and frames, which is ? if there is
# no report.
look_at_job() {
  state=NONE frames='?'
  # shellcheck disable=SC2016 # names of jq
  if google_reading '(.executionReport | if . then .framesReported // 0 else "?" end) as $frames
    | (.state // "?" | ltrimstr("IMPORT_JOB_STATE_")) as $said
    | (if $said == "COMPLETED" and $frames == 0 then "EMPTY" else $said end) as $state
    | "\($state) \($frames)"' \
    google_get migrationcenter "$job"; then
    state=${GOOGLE_READ%% *}
    frames=${GOOGLE_READ##* }
  elif [ "$GOOGLE_STATUS" != 404 ]; then
    google_fail "The state of import job $job_id cannot be read."
  fi
}

# begin WHAT PATH JSON QUERY [LIMIT]: begins an operation and waits for its end. No value can contain a character that
# JSON escapes.
begin() {
  printf '%s\n' "$3" >"$GOOGLE_WORK/body.json"
  google_begin migrationcenter "$2" "$GOOGLE_WORK/body.json" "$4" &&
    google_settle migrationcenter "" "${5:-OPERATION_SECONDS}" "$1"
}

# Prints what the service has found, in its words, errors first; there may be thousands of findings.
show_findings() {
  jq -r '[(.validationReport, .executionReport.executionErrors) // {}
      | (.jobErrors[]? | .place = "the job"),
        (.fileValidations[]? | (.fileName // "?") as $file | (.fileErrors[]? | .place = $file),
          (.rowErrors[]? | "\($file), row \(.csvError.rowNumber // "?") (\(.vmName // .vmUuid // "?"))" as $place
            | .errors[]? | .place = $place))]
    | sort_by(.severity == "WARNING" or .severity == "INFO")
    | (.[0:50][] | "  \(.severity // "ERROR") in \(.place): \(.errorDetails // "no message")"
        | gsub("[[:cntrl:]]+"; " ")),
      (length - 50 | select(. > 0) | "  and \(.) more.")' "$GOOGLE_ANSWER"
}

# await_state STATE: waits until the job has that state. An error of the operation, in problem, counts only if the job
# does not get any further.
await_state() {
  until_seconds=$(($(google_seconds) + IMPORT_SECONDS))
  while look_at_job && [ "$state" != "$1" ]; do
    case $state in
      FAILED* | EMPTY)
        [ "$state" != EMPTY ] || state="COMPLETED, but has imported none of $instances instances"
        google_stop "Import job $job_id is $state:
$(show_findings)" "To fix: repair what the service names and apply again, or look at the job at $console"
        ;;
      NONE) google_fail "Import job $job_id is gone; another run may have replaced it." "To fix: apply again." ;;
      VALIDATING | RUNNING) problem= ;;
    esac
    [ -z "$problem" ] || google_stop "Import job $job_id stays $state: $problem" "$again"
    google_pause "$until_seconds" "Import job $job_id" "$state" ||
      google_stop "Import job $job_id is still $state after $IMPORT_SECONDS s; it goes on by itself." \
        "To fix: look at it at $console; another apply waits for a running import and replaces any other job."
  done
}

# run_phase validate|run STATE
run_phase() {
  problem=
  begin "Import job $job_id, $1" "$job:$1" "{ \"requestId\": \"$(google_new_request_id)\" }" "" IMPORT_SECONDS ||
    problem=$(google_outcome)
  await_state "$2"
  show_findings
}

# Waits for a running job of this inventory, ends the script if the job is completed, and deletes an incomplete job.
clear_former_job() {
  problem=
  look_at_job
  [ "$state" != RUNNING ] || await_state COMPLETED
  if [ "$state" = COMPLETED ]; then
    google_say "This inventory is imported already, by job $job_id."
    google_say "To import it once more, delete that job at $console and apply again."
    exit 0
  fi
  if [ "$state" != NONE ]; then
    google_say "Import job $job_id is $state: replacing it."
    google_delete migrationcenter "$job" "force=true&requestId=$(google_new_request_id)" &&
      google_settle migrationcenter "" OPERATION_SECONDS "Deletion of import job $job_id" || google_says '^NOT_FOUND' ||
      google_fail "Import job $job_id cannot be deleted." "$again"
  fi
}

create_job() {
  google_say "Creating import job $job_id for $instances instances."
  source_path=$location/sources/$SOURCE_ID
  begin "Import job" "$location/importJobs" \
    "{ \"displayName\": \"AWS inventory (assess-$DEPLOYMENT_ID)\", \"assetSource\": \"$source_path\" }" \
    "importJobId=$job_id&requestId=$(google_new_request_id)" ||
    google_fail "Import job $job_id cannot be created for source $SOURCE_ID in $REGION." "$again"
}

upload_tables() {
  for table in $tables; do
    file=$table.csv
    file_id=$(printf '%s' "$table" | tr '[:upper:]' '[:lower:]')-csv
    google_say "Uploading $file: $(($(wc -c <"$GOOGLE_WORK/$file"))) bytes."
    begin "File $file" "$job/importDataFiles" \
      "{ \"displayName\": \"$file\", \"format\": \"IMPORT_JOB_FORMAT_EXPORTED_AWS_CSV\" }" \
      "importDataFileId=$file_id&requestId=$(google_new_request_id)" ||
      google_fail "Import job $job_id takes no file $file." "$again"
    jq -e '(.response // .).uploadFileInfo.signedUri' "$GOOGLE_ANSWER" >/dev/null 2>&1 ||
      google_get migrationcenter "$job/importDataFiles/$file_id" ||
      google_fail "The address to send $file to cannot be read." "$again"
    google_upload "$GOOGLE_WORK/$file" || google_fail "$file cannot be uploaded." "$again"
  done
}

main() {
  google_require aws
  [ "${1:-}" != --check ] || return 0
  check_settings
  configure_aws
  make_tables
  name_job
  clear_former_job
  create_job
  upload_tables
  run_phase validate READY
  run_phase run COMPLETED
  google_say "Import job $job_id is completed: $instances instances, $frames frames reported ($(google_seconds) s)."
}

main "$@"
