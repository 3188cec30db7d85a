# shellcheck shell=sh
# Shell library of the scripts that move a deployment to another region and back: changes of the servers, the database
# and the uploads of either deployment. To be sourced after google-rest.sh and database-jobs.sh. The argument SETTINGS
# of a function is the output restore_settings of the deployment to change.
#
# A mark records the progress of a recovery. Every machine sees the same mark, because it is kept in the cloud: in the
# annotations of the secret NAME-recovery, which has no version and exists before the first apply. The next apply would
# remove a label of the instance, because Terraform manages all labels, and a mark in the database would be restored
# with its backups elsewhere. The mark names the instance and its time of creation, so that a later instance of the same
# name has no mark.
#
# Reads:
#   scripts            folder of restore.sh
#   APPLICATION_NAME   application_name of the deployment at home
#   TERRAFORM          program (terraform); its calls have Terraform's own time limits
# Sets:
#   NAME               application_name of the deployment elsewhere, unless it is set
#   NAMESPACE, KUBECONFIG   cluster of the deployment, see connect_to
#   mark, mark_*       state of the recovery and its details, see read_mark
#   deployed           settings of the deployment in the selected workspace
#   beside_problem     outcome of the last call of run_beside
#   copied_count, kept_count   uploads that were copied, and uploads that stay
#   with_a_key         remedy for a secret that a policy of the organization refuses

TERRAFORM=${TERRAFORM:-terraform}
SQL_SECONDS=${SQL_SECONDS:-3600}

with_a_key="To fix: create it there without a version, for example with a key of yours, and run the same command again."

terraform() {
  command "$TERRAFORM" "$@"
}

# Sets NAME, if it is empty, to the application_name of the other deployment: with -b added, or removed.
name_the_other() {
  case $APPLICATION_NAME in
    *-b) NAME=${NAME:-${APPLICATION_NAME%-b}} ;;
    *) NAME=${NAME:-$APPLICATION_NAME-b} ;;
  esac
}

# Filter of jq that reads the fields of the mark from the secret.
mark_fields='[.annotations // {} | .state, .time, .instance, .created, .region, .secrets, .file, .run
  | . // ""] | join("|")'

# Reads the mark of NAME. Sets mark to the state of the recovery, and mark_time to when that was reached; mark_instance
# to the instance, empty if none is known yet; mark_region to its region, mark_secrets to the regions of its secrets,
# and mark_file to the path of the --var-file; and mark_line to the mark as it is written. The states, in their order:
#   none       there is no mark, or its instance is gone
#   begun      the database may be overwritten
#   filled     the database is restored; uploads may be missing
#   restored   the database and the uploads are restored
#   brought    the database is home; uploads may be missing there
#   returned   the database and the uploads are home
# shellcheck disable=SC2034 # the scripts read the details
read_mark() {
  mark=none mark_time='' mark_line='' mark_instance='' mark_region='' mark_secrets='' mark_file=''
  if ! google_reading "$mark_fields" google_get secretmanager "projects/$PROJECT_ID/secrets/$NAME-recovery"; then
    [ "$GOOGLE_STATUS" = 404 ] || google_fail "How far the recovery of $NAME is cannot be read, so nothing is done." \
      "To fix: run the same command again."
    return 0
  fi
  mark_line=$GOOGLE_READ
  IFS='|' read -r marked mark_time marked_instance marked_created marked_region marked_secrets marked_file _ <<MARK
$GOOGLE_READ
MARK
  if [ -n "$marked_instance" ]; then
    if ! google_reading 'field("createTime")' google_get sqladmin \
      "projects/$PROJECT_ID/instances/$marked_instance"; then
      [ "$GOOGLE_STATUS" = 404 ] || google_fail "The instance $marked_instance cannot be read, so nothing is done." \
        "To fix: run the same command again."
      return 0
    fi
    [ "$GOOGLE_READ" = "$marked_created" ] || return 0
    mark_instance=$marked_instance mark_region=$marked_region mark_secrets=$marked_secrets mark_file=$marked_file
  fi
  case $marked in begun | filled | restored | brought | returned) mark=$marked ;; esac
}

# Stops if another run has changed the mark since this run has read or written it, for example while the operator was
# asked.
require_same_mark() {
  known_line=$mark_line
  read_mark
  [ "$mark_line" = "$known_line" ] ||
    google_stop "Another run has gone on with $NAME since this one has looked, so nothing is overwritten" \
      "(the secret $NAME-recovery: $mark)." "To fix: wait until that has ended, and run the same command again."
}

# write_mark STATE INSTANCE: writes the mark, with mark_region, mark_secrets and mark_file; INSTANCE is empty if there
# is none yet. A new secret is made in the regions mark_secrets. Stops if another run has written the mark since this
# one has read it, because an apply takes long.
write_mark() {
  STATE=$1 MARKED=$2 CREATED='' MARKED_REGION=$mark_region SECRET_REGIONS=$mark_secrets MARKED_FILE=$mark_file
  require_same_mark
  mark_region=$MARKED_REGION mark_secrets=$SECRET_REGIONS mark_file=$MARKED_FILE
  if [ -n "$MARKED" ]; then
    google_reading 'field("createTime")' google_get sqladmin "projects/$PROJECT_ID/instances/$MARKED" ||
      google_fail "The instance $MARKED cannot be read." "To fix: run the same command again."
    CREATED=$GOOGLE_READ
  fi
  MARKING=$(hash_of "$GOOGLE_WORK $GOOGLE_STARTED")
  export STATE MARKED CREATED MARKED_REGION SECRET_REGIONS MARKED_FILE MARKING
  # By the clock of the server, because the time is compared with the times of files in Cloud Storage.
  jq -n --argjson now "$(google_server_time)" '{ annotations: ({ state: env.STATE, time: ($now | todate),
      instance: env.MARKED, created: env.CREATED, region: env.MARKED_REGION, secrets: env.SECRET_REGIONS,
      file: (env.MARKED_FILE | gsub("[|[:cntrl:]]"; "?")), run: env.MARKING } | map_values(select(. != ""))) }' \
    >"$GOOGLE_WORK/mark.json"
  jq '. + { replication: { userManaged: { replicas: (env.SECRET_REGIONS | split(" ") | map({ location: . })) } } }' \
    "$GOOGLE_WORK/mark.json" >"$GOOGLE_WORK/secret.json"
  google_reading 'field("name")' google_request PATCH secretmanager "projects/$PROJECT_ID/secrets/$NAME-recovery" \
    "$GOOGLE_WORK/mark.json" updateMask=annotations repeatable ||
    { [ "$GOOGLE_STATUS" = 404 ] && make_mark; } ||
    google_fail "How far the recovery of $NAME is cannot be written down in the secret $NAME-recovery." \
      "To fix: run the same command again."
  mark_line=$(jq -r "$mark_fields" "$GOOGLE_WORK/mark.json")
}

# Creates the secret of the mark. If it exists already, an attempt whose response was lost has created it. A policy of
# the organization may require a key, for which there is the remedy with_a_key.
make_mark() {
  google_reading 'field("name")' google_post secretmanager "projects/$PROJECT_ID/secrets" "$GOOGLE_WORK/secret.json" \
    "secretId=$NAME-recovery" || [ "$GOOGLE_STATUS" = 409 ] ||
    google_fail "The secret $NAME-recovery cannot be created in $SECRET_REGIONS." "$with_a_key"
}

# Prints the settings of the deployment whose workspace is selected. If nothing has been applied there, Terraform prints
# a warning in the place of the value.
deployed_settings() {
  deployed=$(terraform output -raw restore_settings) || return 1
  case $deployed in 'export '*) printf '%s\n' "$deployed" ;; *) return 1 ;; esac
}

# setting_of SETTINGS NAME: prints a setting of a deployment.
setting_of() {
  (eval "$1" && eval "printf '%s\n' \"\${$2:-}\"")
}

# encoded_object NAME: the name of an object as part of a path.
encoded_object() {
  printf '%s' "$1" | jq -Rr "$GOOGLE_FUNCTIONS encoded"
}

# connect_to SETTINGS: on GKE, connects kubectl to the cluster of the deployment whose workspace is selected.
connect_to() {
  NAMESPACE=$(setting_of "$1" NAMESPACE)
  [ -n "$NAMESPACE" ] || return 0
  export KUBECONFIG="$GOOGLE_WORK/kubeconfig"
  connect_command=$(terraform output -raw connect_command)
  google_within 120 sh -c "$connect_command" || google_stop "The cluster cannot be reached by: $connect_command"
}

# remove_servers SETTINGS: deletes servers and workers, because nothing may write while the database is replaced, and a
# running server keeps cached data of the former database. The next apply creates them again.
remove_servers() {
  service=$(service_of "$(setting_of "$1" INIT_JOB)")
  worker=$(worker_of "$service")
  if on_kubernetes; then
    for deployment in "$service" "$worker"; do
      kube delete deployment "$deployment" --ignore-not-found --wait=true --timeout=120s ||
        google_fail "The deployment $deployment cannot be removed." "To fix: run the same command again."
    done
    return
  fi
  service_region="projects/$PROJECT_ID/locations/$(setting_of "$1" REGION)"
  for part in "services/$service" "workerPools/$worker"; do
    google_reading 'field("name")' google_request DELETE run "$service_region/$part" "" "" repeatable ||
      [ "$GOOGLE_STATUS" = 404 ] || google_fail "$part cannot be removed." "To fix: run the same command again."
  done
  removed_until=$(($(google_seconds) + 300))
  for part in "services/$service" "workerPools/$worker"; do
    while google_get run "$service_region/$part"; do
      google_pause "$removed_until" "$part" "being removed" ||
        google_fail "$part is still there." "To fix: run the same command again."
    done
    [ "$GOOGLE_STATUS" = 404 ] || google_fail "Whether $part is removed cannot be found out."
  done
}

# has_servers SETTINGS: whether a deployment has its service, or in a cluster its Deployment of servers.
has_servers() {
  service=$(service_of "$(setting_of "$1" INIT_JOB)")
  if on_kubernetes; then
    kube get deployment "$service" --ignore-not-found --output=name >"$GOOGLE_WORK/servers" ||
      google_fail "Whether there is the deployment $service cannot be found out."
    [ -s "$GOOGLE_WORK/servers" ]
    return
  fi
  ! google_get run "projects/$PROJECT_ID/locations/$(setting_of "$1" REGION)/services/$service" || return 0
  [ "$GOOGLE_STATUS" = 404 ] || google_fail "Whether there is the service $service cannot be found out."
  return 1
}

# run_beside SETTINGS SCRIPT WORD NAME=VALUE...: like run_script, on the database of a deployment, with a copy of that
# deployment's own job. Changes the region and the names of database-jobs.sh permanently: its callers run no other jobs.
# shellcheck disable=SC2034 # the scripts read beside_problem
run_beside() {
  beside_instance=$(setting_of "$1" INSTANCE) beside_database=$(setting_of "$1" DATABASE)
  beside_job=$(setting_of "$1" INIT_JOB) beside_script=$2 beside_word=$3 beside_code=0
  run_jobs_in "$(setting_of "$1" REGION)"
  name_run move "$beside_instance"
  shift 3
  google_on_failure abandon_run
  { remove_copies yes &&
    google_reading 'field("connectionName")' google_get sqladmin "projects/$PROJECT_ID/instances/$beside_instance" &&
    run_job "$beside_job" "$GOOGLE_READ" "" "$beside_script" "$beside_word" "$@" "DB_NAME=$beside_database"; } ||
    beside_code=1
  beside_problem=$(google_outcome)
  abandon_run
  google_on_failure :
  return "$beside_code"
}

# restore_into SETTINGS INSTANCE DATABASE WORD...: runs restore.sh for a deployment, with a backup or dump of another
# deployment, whose INSTANCE and DATABASE are given.
# shellcheck disable=SC2154 # the script sets scripts
restore_into() {
  (
    eval "$1"
    FROM_INSTANCE=$2 FROM_DATABASE=$3
    export FROM_INSTANCE FROM_DATABASE
    shift 3
    sh "$scripts/restore.sh" "$@" --yes
  ) || google_stop "The database is not restored." "To fix: as said above; then run the same command again."
}

# copy_object BUCKET OBJECT BUCKET OBJECT [QUERY]: copies an object within Cloud Storage, in several calls if it is
# large. The names are already encoded.
copy_object() {
  echo '{}' >"$GOOGLE_WORK/object.json"
  copy_query=${5:-}
  until
    google_reading '"\(.done) \(.rewriteToken // "" | @uri)"' google_post storage \
      "b/$1/o/$2/rewriteTo/b/$3/o/$4" "$GOOGLE_WORK/object.json" "$copy_query" ||
      return 1
    [ "${GOOGLE_READ%% *}" = true ]
  do
    copy_query="${5:+$5&}rewriteToken=${GOOGLE_READ#* }"
  done
}

# have_one_bucket BUCKET BUCKET: whether both deployments use the same bucket, which others manage. A copy onto itself
# would only change the times of the files.
have_one_bucket() {
  [ "$1" = "$2" ] || return 1
  google_say "Both deployments have their uploads in $1: there is nothing to copy."
}

# copy_uploads FROM TO: copies the application's uploads from one bucket to the other, and replaces existing files.
# Files in other folders may belong to others, and are not copied.
copy_uploads() {
  ! have_one_bucket "$1" "$2" || return 0
  copy_all_uploads "$1" "$2" all
  google_say "Copied $copied_count upload(s) to $2."
}

# add_uploads FROM TO [TIME]: like copy_uploads, for a bucket that is in use: existing files are newer, and stay. With a
# TIME, only existing files that were written since then stay.
add_uploads() {
  ! have_one_bucket "$1" "$2" || return 0
  copy_all_uploads "$1" "$2" "${3:-1970-01-01T00:00:00Z}"
  google_say "Copied $copied_count upload(s) to $2; $kept_count that are there stay as they are."
}

# copy_all_uploads FROM TO all|TIME: with a TIME, files in TO that were written since then stay. Sets copied_count, and
# kept_count to the number of those that stay.
copy_all_uploads() {
  copied_count=0 kept_count=0
  for prefix in media/ reports/; do
    google_pages storage "b/$1/o" items "prefix=$(encoded_object "$prefix")&maxResults=1000" "$GOOGLE_WORK/objects" ||
      google_fail "The uploads of $1 cannot be listed." "To fix: run the same command again."
    : >"$GOOGLE_WORK/there"
    [ "$3" = all ] ||
      google_pages storage "b/$2/o" items "prefix=$(encoded_object "$prefix")&maxResults=1000" "$GOOGLE_WORK/there" ||
      google_fail "The uploads of $2 cannot be listed." "To fix: run the same command again."
    # An older file is replaced only if it has not changed since it was listed, and a missing one is added only if it is
    # still missing.
    jq -nr --arg since "$3" --slurpfile there "$GOOGLE_WORK/there" "$GOOGLE_FUNCTIONS"'
      def stays: (.updated // "9") | sub("[.][0-9]+"; "") >= $since;
      INDEX($there[]; .name) as $there | inputs | $there[.name] as $former
      | (if $since == "all" then "" elif $former == null then "ifGenerationMatch=0"
          elif $former | stays then "stays" else "ifGenerationMatch=\($former.generation)" end) as $query
      | "\(.name | encoded) \($query)"' "$GOOGLE_WORK/objects" >"$GOOGLE_WORK/names"
    while read -r object copy_condition <&4; do
      if [ "$copy_condition" = stays ]; then
        kept_count=$((kept_count + 1))
      elif copy_object "$1" "$object" "$2" "$object" "$copy_condition"; then
        copied_count=$((copied_count + 1))
      elif [ "$GOOGLE_STATUS" = 412 ]; then
        kept_count=$((kept_count + 1))
      else
        google_fail "$object of $1 cannot be copied." "To fix: run the same command again."
      fi
    done 4<"$GOOGLE_WORK/names"
  done
}
