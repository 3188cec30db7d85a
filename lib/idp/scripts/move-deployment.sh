# shellcheck shell=sh disable=SC2034,SC2154 # google-rest.sh and the caller set what is read, and read what is set
# Shell library of the scripts that move a deployment to another region and back: what they do to the servers, the
# database and the uploads of one of the two. To be sourced after google-rest.sh and database-jobs.sh, with `scripts`,
# the folder of restore.sh. SETTINGS are what the output restore_settings of a deployment holds.
#
# How far a recovery is says the mark, which is in the cloud, so that it is the same on each machine: annotations of the
# secret NAME-recovery, which has no version. Not a label of the instance, because Terraform manages all of those, and
# the next apply would take it away; not the database, because what is there travels with its backups into another
# one. The secret is there before the first apply. It names the instance and when that was made: another instance of
# the same name has no mark.
#
#   TERRAFORM   program (terraform), whose calls have Terraform's own time limits

TERRAFORM=${TERRAFORM:-terraform}
SQL_SECONDS=${SQL_SECONDS:-3600}

with_a_key="To fix: create it there without a version, for example with a key of yours, and run the same command again."

terraform() {
  command "$TERRAFORM" "$@"
}

# Sets NAME, if it is empty, to the application_name of the other one of the two deployments.
name_the_other() {
  case $APPLICATION_NAME in
    *-b) NAME=${NAME:-${APPLICATION_NAME%-b}} ;;
    *) NAME=${NAME:-$APPLICATION_NAME-b} ;;
  esac
}

# Of a secret, the fields of the mark.
mark_fields='[.annotations // {} | .state, .time, .instance, .created, .region, .secrets, .file, .run
  | . // ""] | join("|")'

# Sets mark to how far the recovery of NAME is, and mark_time to when that was so; mark_instance to the instance that is
# meant, empty if none is known yet; mark_region to its region, mark_secrets to those of its secrets, and mark_file to
# the name of the --var-file; and mark_line to the mark as it is written. From one to the next:
#   none       there is no mark, or the instance that it means is gone
#   begun      the database may be overwritten
#   filled     the database is in; uploads may be missing
#   restored   uploads, too
#   brought    the database is home; uploads may be missing there
#   returned   uploads, too
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

# Stops unless the mark is the one that was read or written here last. A question may wait for hours, and another run
# may have ended meanwhile.
require_same_mark() {
  known_line=$mark_line
  read_mark
  [ "$mark_line" = "$known_line" ] ||
    google_stop "Another run has gone on with $NAME since this one has looked, so nothing is overwritten" \
      "(the secret $NAME-recovery: $mark)." "To fix: wait until that has ended, and run the same command again."
}

# write_mark STATE INSTANCE: an empty INSTANCE is not there yet. The rest is in mark_region, mark_secrets and mark_file;
# the secret of the mark is made in mark_secrets. Stops if another run has written it since: an apply takes long.
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
  # By the clock of the server, whose files are compared with it.
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

# One that is there is made by an attempt whose answer was lost. A policy of the organization may want it to have a key.
make_mark() {
  google_reading 'field("name")' google_post secretmanager "projects/$PROJECT_ID/secrets" "$GOOGLE_WORK/secret.json" \
    "secretId=$NAME-recovery" || [ "$GOOGLE_STATUS" = 409 ] ||
    google_fail "The secret $NAME-recovery cannot be created in $SECRET_REGIONS." "$with_a_key"
}

# Prints the settings of the deployment whose workspace is selected. Where nothing has been applied, Terraform prints a
# warning instead, as if it were the value.
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

# remove_servers SETTINGS: nothing may write while the database is replaced, and a server knows the database that it has
# started with. The next apply makes servers and workers again.
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

# has_servers SETTINGS: whether there is the server of a deployment.
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

# run_beside SETTINGS SCRIPT WORD NAME=VALUE...: run_script for the database of a deployment, as a copy of its own job.
# The scripts that move a deployment run no other jobs, so the region and the names that are set here may stay.
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

# restore_into SETTINGS INSTANCE DATABASE WORD...: runs restore.sh for a deployment, from another one's instance.
restore_into() {
  (
    eval "$1"
    FROM_INSTANCE=$2 FROM_DATABASE=$3
    export FROM_INSTANCE FROM_DATABASE
    shift 3
    sh "$scripts/restore.sh" "$@" --yes
  ) || google_stop "The database is not restored." "To fix: as said above; then run the same command again."
}

# copy_object BUCKET OBJECT BUCKET OBJECT [QUERY]: within Cloud Storage, in as many calls as it takes; encoded names.
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

# Whether it is one bucket, which others keep: copied onto themselves, files would only become younger.
have_one_bucket() {
  [ "$1" = "$2" ] || return 1
  google_say "Both deployments have their uploads in $1: there is nothing to copy."
}

# copy_uploads BUCKET BUCKET: files of the application alone, because a bucket may hold those of others, too. They
# replace those that are there.
copy_uploads() {
  ! have_one_bucket "$1" "$2" || return 0
  copy_all_uploads "$1" "$2" all
  google_say "Copied $copied_count upload(s) to $2."
}

# add_uploads BUCKET BUCKET [TIME]: the same for a bucket in use, where a file of the same name is newer, and stays;
# with a TIME, from which on it may have been in use, only one that was written since.
add_uploads() {
  ! have_one_bucket "$1" "$2" || return 0
  copy_all_uploads "$1" "$2" "${3:-1970-01-01T00:00:00Z}"
  google_say "Copied $copied_count upload(s) to $2; $kept_count that are there stay as they are."
}

# copy_all_uploads BUCKET BUCKET all|TIME: with a TIME, files there that were written since stay. Sets copied_count, and
# kept_count to those that stay.
copy_all_uploads() {
  copied_count=0 kept_count=0
  for prefix in media/ reports/; do
    google_pages storage "b/$1/o" items "prefix=$(encoded_object "$prefix")&maxResults=1000" "$GOOGLE_WORK/objects" ||
      google_fail "The uploads of $1 cannot be listed." "To fix: run the same command again."
    : >"$GOOGLE_WORK/there"
    [ "$3" = all ] ||
      google_pages storage "b/$2/o" items "prefix=$(encoded_object "$prefix")&maxResults=1000" "$GOOGLE_WORK/there" ||
      google_fail "The uploads of $2 cannot be listed." "To fix: run the same command again."
    # What is there and older is replaced as it was read; what is not there must still not be there.
    # shellcheck disable=SC2016 # names of jq
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
