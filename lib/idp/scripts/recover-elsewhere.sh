#!/bin/sh
# Rebuilds a deployment in another region from its backups, dumps and secrets, after its own region is lost.
#
#   recover-elsewhere.sh look REGION      prints what is left and what would be lost; changes nothing
#   recover-elsewhere.sh recover REGION   applies this folder in REGION under another name, restores the database there,
#                                         and copies the uploads. Repeated, also on another machine, it goes on; what
#                                         is restored stays
#   recover-elsewhere.sh uploads REGION   copies uploads that could not be read on that day; what is in REGION stays
#
#   --from backup|dump|gs://BUCKET/OBJECT   what the database is restored from; by default the newest backup or dump
#   --name NAME       application_name of the new deployment; by default the present one with -b added, or removed
#   --var-file FILE   further inputs that the new region needs, such as another subnetwork; with standby in HCL, also
#                     secret_locations with both regions
#   --again           restores once more, or into a deployment of that name that has users; overwrites what they wrote
#   --force           with --yes: recovers although the former instance answers, and its users may go on working
#   --yes             does not ask
#
# The rest of the former deployment stays unchanged: the new deployment has names of its own, and its state is in a
# workspace of that name. Sessions survive if the secret key can be read; it is copied into a secret in REGION. The last
# step is yours: set the records of the domain, which the script prints.
#
# Run it in the folder of the stack, with the settings of the deployment that is gone:
#   PROJECT_ID             project (required)
#   APPLICATION_NAME       its input application_name (required)
#   INSTANCE               name of its database instance (required)
#   INSTANCE_OWNER         deployment, or others: then the instance is theirs to recover
#   DATABASE               name of its database (required)
#   BACKUP_PLAN            plan of Backup and DR that backs the instance up; empty: none. It does not follow
#   DATABASE_REGION        region that is gone (required)
#   MEDIA_BUCKET           name of its media bucket (required)
#   DUMP_BUCKET            name of its bucket of dumps; empty: none
#   DUMP_COPY_BUCKET       bucket of others with copies of the dumps; empty: none
#   DUMP_LOCK_BUCKET       its locked bucket with copies of the dumps; empty: none
#   SECRET_KEY_SECRET      name of the secret with the secret key (required)
#   SECRET_KEY_VERSION     number of its version (required)
#   TERRAFORM              program (terraform)
#   SQL_SECONDS, JOB_SECONDS   as for restore.sh
# Settings of the calls and exit codes: google-rest.sh.
set -eu

export GOOGLE_OPTIONS=any
scripts=${0%"${0##*/}"}.
# shellcheck source=../../core/scripts/google-rest.sh
. "${GOOGLE_REST_LIBRARY:-$scripts/google-rest.sh}"
# shellcheck source=database-jobs.sh
. "$scripts/database-jobs.sh"
# shellcheck source=move-deployment.sh
. "$scripts/move-deployment.sh"

action='' elsewhere='' FROM='' NAME='' var_file='' again=no force=no yes=no
minutes_left='' has_key=no is_kept=no has_uploads=no is_gone=no

parse_words() {
  while [ $# -gt 0 ]; do
    case $#/$1 in 1/--from | 1/--name | 1/--var-file) google_refuse "$1 has no value." && break ;; esac
    case $1 in
      --from) FROM=$2 && shift ;;
      --name) NAME=$2 && shift ;;
      --var-file) var_file=$2 && shift ;;
      --again) again=yes ;;
      --force) force=yes ;;
      --yes) yes=yes ;;
      -*)
        google_refuse "\"$1\" is not an option;" \
          "the options are --from, --name, --var-file, --again, --force, --yes and --help."
        ;;
      *)
        if [ -z "$action" ]; then
          action=$1
        elif [ -z "$elsewhere" ]; then
          elsewhere=$1
        else
          google_refuse "\"$1\" is one argument too many."
        fi
        ;;
    esac
    shift
  done
  case $action in
    look | recover | uploads) ;;
    *) google_refuse "\"$action\" is not a command; the commands are look, recover and uploads." ;;
  esac
}

# Reads the regions in the operator's --var-file. HCL is not parsed, only searched line by line. Sets:
#   names_standby    whether the file sets standby: yes or no
#   file_locations   its secret_locations as words; empty: none
#   secret_regions   regions that the secrets need
read_var_file() {
  wants_standby=no standby_region=''
  case $var_file in
    *.json)
      google_require jq
      IFS='|' read -r names_standby wants_standby standby_region file_locations <<FACTS
$(jq -r 'def yes: if . then "yes" else "no" end;
        [(has("standby") | yes), (.standby != null | yes), (.standby | .region? // ""),
          (.secret_locations // [] | join(" "))] | join("|")' "$var_file" 2>/dev/null)
FACTS
      [ -n "$names_standby" ] || google_refuse "$var_file is not an object in JSON that Terraform takes; correct it."
      ;;
    *)
      looked_through=$(sed -e 's/#.*//' -e 's|//.*||' "$var_file")
      standby_line=$(printf '%s\n' "$looked_through" | sed -n 's/^[[:space:]]*standby[[:space:]]*=[[:space:]]*//p')
      [ -z "$standby_line" ] || names_standby=yes
      case $standby_line in '' | null*) ;; *) wants_standby=yes ;; esac
      file_locations=$(printf '%s\n' "$looked_through" |
        awk '/^[ \t]*secret_locations[ \t]*=/ { on = 1 } on && /null/ { exit } on { print } on && /]/ { exit }' |
        tr ',\n' '\n ' | sed -n 's/.*"\([^"]*\)".*/\1/p' | tr '\n' ' ')
      file_locations=${file_locations% }
      ;;
  esac
  if [ -n "$file_locations" ]; then
    secret_regions=$file_locations
  elif [ "$wants_standby" = yes ] && [ -z "$standby_region" ]; then
    google_refuse "$var_file has standby without secret_locations; the secrets must be in both regions," \
      "because a lost region takes along what is in it alone; add to it:" \
      "secret_locations = [\"$elsewhere\", \"REGION OF THE STANDBY\"]"
  elif [ "$wants_standby" = yes ]; then
    secret_regions="$elsewhere $standby_region"
  fi
  printf '%s\n' "$secret_regions" | grep -Eqx '[a-z]+-[a-z]+[0-9]+( [a-z]+-[a-z]+[0-9]+)*' ||
    google_refuse "$var_file names \"$secret_regions\" as regions of secrets; correct it."
}

check_settings() {
  # Checked by the names in the usage. From here on, the two regions are LOST_REGION and elsewhere.
  google_setting DATABASE_REGION '[a-z]+-[a-z]+[0-9]+' "a region, like us-central1"
  export LOST_REGION="${DATABASE_REGION:-}"
  REGION=$elsewhere
  google_setting REGION '[a-z]+-[a-z]+[0-9]+' "a region, like europe-west1"
  [ "$LOST_REGION" != "$elsewhere" ] ||
    google_refuse "REGION is $elsewhere, the region of the deployment that is gone; choose another one."
  google_option FROM 'backup|dump|gs://[a-z0-9][a-z0-9._-]*/[A-Za-z0-9][A-Za-z0-9_./-]*' \
    "backup, dump, or the address of a dump, like gs://my-dumps/dumps/idp.dump"
  : "${APPLICATION_NAME:=}" "${INSTANCE:=}" "${DATABASE:=}"
  google_setting APPLICATION_NAME '[a-z]([a-z0-9-]{0,16}[a-z0-9])?' "the application_name of the deployment"
  google_setting INSTANCE '[a-z][a-z0-9-]*' "the name of a database instance"
  google_setting DATABASE '[a-z0-9_]{1,54}' "the name of a database, at most 54 characters"
  google_setting MEDIA_BUCKET '[a-z0-9][a-z0-9._-]*' "the name of the media bucket"
  for bucket in DUMP_BUCKET DUMP_COPY_BUCKET DUMP_LOCK_BUCKET; do
    google_option "$bucket" '[a-z0-9][a-z0-9._-]*' "the name of a bucket of dumps"
  done
  google_setting SECRET_KEY_SECRET '[A-Za-z0-9_/:.-]+' "the name of the secret with the secret key"
  google_setting SECRET_KEY_VERSION '[1-9][0-9]*' "the number of a version of that secret"
  name_the_other
  google_setting NAME '[a-z]([a-z0-9-]{0,16}[a-z0-9])?' \
    "another application_name, at most 18 characters that end with a letter or digit; give one by --name"
  [ "$NAME" != "$APPLICATION_NAME" ] ||
    google_refuse "NAME is $NAME, the name of the deployment that is gone, whose names still exist; choose another one."
  [ "${INSTANCE_OWNER:-deployment}" = deployment ] ||
    google_refuse "The instance $INSTANCE is managed by others, who recover it; then apply with existing_database" \
      "as it is there, and another region."
  [ -z "$var_file" ] || [ -f "$var_file" ] || google_refuse "There is no file $var_file, which --var-file names."
  secret_regions=$elsewhere file_locations='' names_standby=no
  [ ! -f "$var_file" ] || read_var_file
  [ -f cdk.tf.json ] || [ -f variables.tf ] || google_refuse "This is not the folder of a stack; change to it first."
  # The workspace is selected in a data folder of its own, so that a plain terraform command still means the former
  # deployment.
  export TF_DATA_DIR=".terraform-$NAME" TF_IN_AUTOMATION=true
  [ "$action" != uploads ] || [ -d "$TF_DATA_DIR" ] ||
    google_refuse "There is no $TF_DATA_DIR here, so no deployment of the name $NAME was made from this folder;" \
      "name another one by --name."
  [ "$action" = look ] || google_require "$TERRAFORM"
  if [ "$action" = recover ]; then
    [ -z "${NAMESPACE:-}" ] || google_require gcloud "$KUBECTL"
  fi
}

name_files() {
  inputs=recovery-$NAME.tfvars.json
  secret_key=$NAME-recovered-secret-key
  # A line for each source of the database: whether it or its key is in the lost region alone (yes or no), minutes of
  # lost data, backup or dump, and its name.
  sources=$GOOGLE_WORK/sources
  : >"$sources"
}

# minutes_since TIME: prints the whole minutes since TIME, by the clock of the server.
minutes_since() {
  jq -nr --arg time "$1" --argjson now "$(google_server_time)" \
    '$time | sub("[.][0-9]+"; "") | fromdate | ($now - .) / 60 | floor'
}

# read_place WORD CALL...: reads the location of a bucket or a secret. Sets is_only_there to whether it is in the lost
# region and nowhere else: yes or no, and no without a response. If it is yes, sets place_note to a note for a row:
# "; WORD in ... alone".
read_place() {
  is_only_there=no place_note='' place_word=$1
  shift
  # shellcheck disable=SC2016 # a name of jq
  google_reading '. as $all | [.replication.userManaged.replicas[]?.location, .customPlacementConfig.dataLocations[]?]
      | if . == [] then [$all.location | strings] else . end | map(ascii_downcase) | unique == [env.LOST_REGION]
      | tostring' "$@" && [ "$GOOGLE_READ" = true ] || return 0
  is_only_there=yes place_note="; $place_word in $LOST_REGION alone"
}

# Prints a warning if the place of read_place answers now, but is in the lost region alone.
any_moment() {
  [ "$is_only_there" = no ] || echo "$place_note, and may stop answering at any moment"
}

# Finds the newest backup outside of the lost region. A backup contains the data from before its start; whether it
# contains later writes is not documented. It is encrypted with the key of its instance: a backup whose key is in the
# lost region comes last.
look_for_backup() {
  export INSTANCE
  if ! google_listed 'map(select(.instance == env.INSTANCE and .state == "SUCCESSFUL" and .location != env.LOST_REGION
      and .backupInterval.endTime))
    | map(.key = ((.kmsKeyVersion // .kmsKey // "") | sub("/cryptoKeyVersions/.*"; "")
        | if contains("/locations/\(env.LOST_REGION)/") then . else "" end))
    | sort_by([.key == "", .backupInterval.endTime]) | last // {}
    | [.name, (.backupInterval | .startTime // .endTime), .location // "an unknown location", .key]
    | map(. // "") | join("|")' \
    sqladmin "projects/$PROJECT_ID/backups" backups "filter=instance%3A$INSTANCE"; then
    google_row backup "none can be listed: $(google_outcome)"
    return
  fi
  IFS='|' read -r backup backup_time backup_place backup_key <<BACKUP
$GOOGLE_READ
BACKUP
  if [ -z "$backup" ]; then
    google_row backup "none of $INSTANCE outside of $LOST_REGION"
    return
  fi
  backup_minutes=$(minutes_since "$backup_time")
  google_row backup "of $backup_time in $backup_place:" \
    "what was written in the $backup_minutes minutes since then is lost"
  has_lost_key=no
  if [ -n "$backup_key" ]; then
    has_lost_key=yes
    google_row key "$backup_key is in $LOST_REGION: while that is lost, the backup cannot be read. The key of the new" \
      "deployment must be in $elsewhere: name it by kms_keys in a --var-file"
  fi
  echo "$has_lost_key $backup_minutes backup $backup" >>"$sources"
}

# The name of a dump contains its start time. A copy of the dump has the same name, but was created later.
time_in_name='def time_in_name: capture("-(?<time>[0-9]{8}T[0-9]{6}Z)[.]dump$").time
  | strptime("%Y%m%dT%H%M%SZ") | mktime | todate;'

# say_dump ROW NAME TIME: prints a row about a dump and adds it to the sources. NAME is BUCKET/OBJECT.
say_dump() {
  dump_minutes=$(minutes_since "$3")
  read_place "it is" google_get storage "b/${2%%/*}"
  google_row "$1" "gs://$2 of $3: what was written in the $dump_minutes minutes since then is lost$(any_moment)"
  echo "$is_only_there $dump_minutes dump $2" >>"$sources"
}

# look_at_dump NAME: prints a row about the dump BUCKET/OBJECT.
look_at_dump() {
  if google_get storage "b/${1%%/*}/o/$(encoded_object "${1#*/}.sha256")" &&
    google_reading "$time_in_name (.name | time_in_name) // .updated // error(\"no time\")" google_get storage \
      "b/${1%%/*}/o/$(encoded_object "${1#*/}")"; then
    say_dump dump "$1" "$GOOGLE_READ"
    return
  fi
  dump_problem=$(google_outcome)
  read_place "it is" google_get storage "b/${1%%/*}"
  google_row dump "gs://$1 cannot be read: $dump_problem$place_note"
}

# look_for_newest ROW BUCKET FOLDER [NAME]: finds the newest dump in a folder, by the time in its name, that has a
# checksum. Without such a dump, looks at the dump NAME.
look_for_newest() {
  [ -n "$2" ] || return 0
  DUMPS=$3/$DATABASE-
  export DUMPS
  # shellcheck disable=SC2016 # names of jq
  if ! google_listed "$time_in_name"' [.[].name] as $all
    | [$all[] | select(startswith(env.DUMPS) and (ltrimstr(env.DUMPS) | test("^[0-9]{8}T[0-9]{6}Z[.]dump$")))]
    | first(sort | reverse[] | select((. + ".sha256") as $sum | any($all[]; . == $sum))
        | "\(time_in_name) \(.)") // ""' \
    storage "b/$2/o" items "prefix=$(encoded_object "$DUMPS")&maxResults=1000"; then
    dump_problem=$(google_outcome)
    read_place "they are" google_get storage "b/$2"
    google_row "$1" "those in gs://$2/$3/ cannot be listed: $dump_problem$place_note"
  elif [ -n "$GOOGLE_READ" ]; then
    say_dump "$1" "$2/${GOOGLE_READ#* }" "${GOOGLE_READ%% *}"
  elif [ -n "${4:-}" ]; then
    look_at_dump "$4"
  else
    google_row "$1" "no whole dump in gs://$2/$3/"
  fi
}

look_for_dumps() {
  case $FROM/${DUMP_BUCKET:-} in
    gs://*) look_at_dump "${FROM#gs://}" ;;
    */) google_row dump "none: there is no bucket of dumps" ;;
    *)
      # latest/ comes last: only its time of storage is known, which is later than the start of the dump.
      look_for_newest dump "$DUMP_BUCKET" dumps "$DUMP_BUCKET/latest/$DATABASE.dump"
      look_for_newest copy "$DUMP_COPY_BUCKET" "$DUMP_BUCKET"
      look_for_newest locked "$DUMP_LOCK_BUCKET" "$DUMP_BUCKET"
      ;;
  esac
}

# key_path: prints the path of the version that has the secret key.
key_path() {
  case $SECRET_KEY_SECRET in
    projects/*) echo "$SECRET_KEY_SECRET/versions/$SECRET_KEY_VERSION" ;;
    *) echo "projects/$PROJECT_ID/secrets/$SECRET_KEY_SECRET/versions/$SECRET_KEY_VERSION" ;;
  esac
}

# Whether an earlier run has copied the secret key. The original may be lost since. Sets has_key and is_kept.
find_kept_key() {
  if google_get secretmanager "projects/$PROJECT_ID/secrets/$secret_key/versions/1:access"; then
    has_key=yes is_kept=yes
    return
  fi
  [ "$GOOGLE_STATUS" = 404 ] || [ "$action" = look ] ||
    google_fail "Whether there is the secret $secret_key cannot be found out." "To fix: run the same command again."
  return 1
}

look_for_key() {
  if ! has_input existing_secrets; then
    google_row secrets "this folder has no input existing_secrets: all sessions and signed links end"
    return
  fi
  if find_kept_key; then
    google_row secrets "$secret_key has the secret key: sessions stay"
    return
  fi
  key_problem=''
  google_get secretmanager "$(key_path):access" || key_problem=$(google_outcome)
  key_version=$(key_path)
  read_place "it is" google_get secretmanager "${key_version%/versions/*}"
  if [ -z "$key_problem" ]; then
    has_key=yes
    google_row secrets "the secret key can be read: sessions stay$(any_moment)"
  else
    google_row secrets "the secret key cannot be read, so all sessions and signed links end: $key_problem$place_note"
  fi
}

look_for_uploads() {
  uploads_problem=''
  google_reading 'items("items") | length' google_get storage "b/$MEDIA_BUCKET/o" maxResults=1 ||
    uploads_problem=$(google_outcome)
  read_place "they are" google_get storage "b/$MEDIA_BUCKET"
  if [ -z "$uploads_problem" ]; then
    has_uploads=yes
    google_row uploads "can be read$(any_moment)"
  else
    google_row uploads "cannot be read, and stay away until recover-elsewhere.sh uploads brings them:" \
      "$uploads_problem$place_note"
  fi
}

# A plan of Backup and DR backs up only the instance that it is attached to.
look_for_plan() {
  [ -n "${BACKUP_PLAN:-}" ] || return 0
  if has_input existing_backup_plan && ! takes_null existing_backup_plan; then
    google_row plan "would follow, and nothing would be backed up in $elsewhere: synthesize this folder again without" \
      "existing_backup_plan"
  else
    google_row plan "stays behind: Cloud SQL itself makes the backups in $elsewhere"
  fi
}

look() {
  google_say "What is left of $APPLICATION_NAME in $LOST_REGION:"
  case $FROM in backup | '') look_for_backup ;; esac
  case $FROM in backup) ;; *) look_for_dumps ;; esac
  look_for_key
  look_for_uploads
  look_for_plan
  if google_reading '.state // ""' google_get sqladmin "projects/$PROJECT_ID/instances/$INSTANCE"; then
    google_row instance "answers, and is $GOOGLE_READ: look twice whether its region is gone." \
      "Two deployments that both take users do not know of each other"
  else
    # Any other error, such as a missing role, does not show whether the region is gone.
    case $GOOGLE_STATUS in 5?? | 000 | 404) is_gone=yes ;; *) is_gone=unknown ;; esac
    google_row instance "does not answer: $(google_outcome)"
  fi
}

# has_input NAME: whether this folder has the input. A folder for one deployment has only the inputs that it needs.
has_input() {
  if [ -f cdk.tf.json ]; then
    jq -e --arg name "$1" '.variable | has($name)' cdk.tf.json >/dev/null
  else
    grep -qs "^variable \"$1\" " ./*.tf
  fi
}

# takes_null NAME: whether the input may be null. In a folder for one deployment, null stands for the value that the
# input had in its settings.
takes_null() {
  if [ -f cdk.tf.json ]; then
    jq -e --arg name "$1" '.variable[$name] | . != null and .nullable != false' cdk.tf.json >/dev/null
  else
    cat ./*.tf | awk -v "opening=variable \"$1\" {" '
      $0 == opening { is_inside = 1; is_found = 1 }
      is_inside && /^  nullable += false$/ { refuses_null = 1 }
      /^}/ { is_inside = 0 }
      END { exit !is_found || refuses_null }'
  fi
}

# Chooses the backup or dump that loses least. Sets source_kind, source_name, and minutes_left to the minutes of data
# that are lost. A source in the lost region alone may disappear while it is read, so it is chosen only if there is no
# other one, if the operator names it, or if the region is not gone.
choose_source() {
  sort -k 2,2n -k 3,3 "$sources" >"$GOOGLE_WORK/newest"
  case $is_gone/$FROM in
    yes/gs://* | no/*) cp "$GOOGLE_WORK/newest" "$sources" ;;
    *) sort -k 1,1 -k 2,2n -k 3,3 "$GOOGLE_WORK/newest" >"$sources" ;;
  esac
  read -r _ minutes_left source_kind source_name <"$sources" ||
    google_stop "Nothing is left of the database that can be read from here, so nothing is made." \
      "To fix: name a dump that you have by --from gs://BUCKET/OBJECT, or wait until the region is back."
  read -r _ _ newest_kind newest <"$GOOGLE_WORK/newest"
  case $newest_kind/$newest in
    "$source_kind/$source_name") ;;
    backup/*)
      google_say "The backup is newer, but its key is in $LOST_REGION: --from backup takes it, while the key answers."
      ;;
    *) google_say "gs://$newest is newer, but in $LOST_REGION alone: --from gs://$newest takes it, while it answers." ;;
  esac
}

try_apply() {
  terraform apply -input=false -auto-approve ${var_file:+"-var-file=$var_file"} "-var-file=$inputs"
}

stop_apply() {
  google_stop "The apply in $elsewhere has failed." \
    "To fix: correct what it names, by --var-file if an input must differ there, and run the same command again."
}

apply() {
  try_apply || stop_apply
}

# Stops if the secret is not in every region that it must be in: an earlier run may have made it, and its regions cannot
# be changed.
require_regions() {
  # shellcheck disable=SC2016 # names of jq
  google_reading 'field("replication").userManaged as $own
    | (if $own then (env.SECRET_REGIONS | split(" ")) - [$own.replicas[].location] else [] end) | join(", ")' \
    google_get secretmanager "projects/$PROJECT_ID/secrets/$secret_key" ||
    google_fail "The regions of the secret $secret_key cannot be read." "To fix: run the same command again."
  [ -z "$GOOGLE_READ" ] ||
    google_stop "The secret $secret_key is not in $GOOGLE_READ, and a secret stays where it is." \
      "To fix: delete it, if nothing uses it, and run the same command again."
}

# Sets is_read to whether GOOGLE_KEPT has the secret key, yes or no.
read_key() {
  if google_get secretmanager "$(key_path):access"; then is_read=yes; else is_read=no; fi
}

# Copies the secret key into a secret in REGION, and in the region of a standby. The copy survives the deletion of the
# former deployment. If an earlier run has made the copy, both keys are compared, as long as the original can be read.
keep_secret_key() {
  SECRET_REGIONS=$secret_regions
  export SECRET_REGIONS
  if [ "$is_kept" = yes ]; then
    require_regions
    google_with_few_tries read_key
    [ "$is_read" = yes ] || return 0
  else
    read_key
    [ "$is_read" = yes ] || google_fail "The secret key can no longer be read."
  fi
  key=$(printf '%s\n' "$GOOGLE_KEPT" | jq -er '.payload.data | strings | select(. != "")') ||
    google_stop "$(google_place) answered without a secret key."
  jq -n '{ replication: { userManaged: { replicas: (env.SECRET_REGIONS | split(" ") | map({ location: . })) } } }' \
    >"$GOOGLE_WORK/secret.json"
  google_reading 'field("name")' google_post secretmanager "projects/$PROJECT_ID/secrets" "$GOOGLE_WORK/secret.json" \
    "secretId=$secret_key" || { [ "$GOOGLE_STATUS" = 409 ] && require_regions; } ||
    google_fail "The secret $secret_key cannot be created in $secret_regions." "$with_a_key"
  if google_get secretmanager "projects/$PROJECT_ID/secrets/$secret_key/versions/1:access"; then
    kept=$(printf '%s\n' "$GOOGLE_KEPT" | jq -r '.payload.data // ""')
    [ "$kept" = "$key" ] || google_stop "The secret $secret_key has another value than the secret key." \
      "To fix: delete it, if nothing uses it, and run the same command again."
    return
  fi
  [ "$GOOGLE_STATUS" = 404 ] || google_fail "The secret $secret_key cannot be read."
  GOOGLE_SECRET=$(printf '%s\n' "$key" | jq -R '{ payload: { data: . } } | tojson')
  google_reading 'field("name")' google_request POST secretmanager \
    "projects/$PROJECT_ID/secrets/$secret_key:addVersion" - "" once ||
    google_fail "The secret key cannot be stored in $secret_key." "To fix: run the same command again."
  GOOGLE_SECRET='' key=''
}

# Writes the inputs for the new deployment. It gets no records of the domain, nothing that a project has only once, no
# backup plan, and a standby only if the operator's file sets it.
write_inputs() {
  secret=$([ "$has_key" = no ] || echo "$secret_key")
  others={}
  for pair in dns_zone=null secret_read_log=null existing_backup_plan=null standby=null; do
    [ "$pair/$names_standby" != standby=null/yes ] || continue
    takes_null "${pair%=*}" || continue
    others=$(printf '%s' "$others" | jq -c --arg name "${pair%=*}" --argjson value "${pair#*=}" '.[$name] = $value')
  done
  if [ -z "$file_locations" ]; then
    others=$(printf '%s' "$others" |
      jq -c --arg regions "$secret_regions" '.secret_locations = ($regions | split(" "))')
  fi
  jq -n --arg region "$elsewhere" --arg name "$NAME" --arg secret "$secret" --argjson others "$others" '
    { region: $region, application_name: $name } + $others
    + if $secret == "" then {} else { existing_secrets: { secret_key: { secret_id: $secret, version: 1 } } } end' \
    >"$inputs"
}

restore_dump() {
  bucket=$(setting_of "$new_settings" DUMP_BUCKET)
  [ -n "$bucket" ] || google_stop "The new deployment has no bucket of dumps." \
    "To fix: set dumps.schedule, whose job reads them, and run the same command again."
  copied=dumps/${source_name##*/}
  for suffix in '' .sha256; do
    copy_object "${source_name%%/*}" "$(encoded_object "${source_name#*/}$suffix")" \
      "$bucket" "$(encoded_object "$copied$suffix")" ||
      google_fail "gs://$source_name$suffix cannot be copied to gs://$bucket." \
        "To fix: a dump without its .sha256 beside it is not whole."
  done
  require_same_mark
  restore_into "$new_settings" "$INSTANCE" "$DATABASE" dump "$copied"
}

say_next() {
  google_say "$NAME runs in $elsewhere after $(($(google_seconds) / 60)) minutes: $(terraform output -raw service_url)"
  google_say "Every later command for it begins with: export TF_DATA_DIR=$TF_DATA_DIR"
  google_say "and plans with: terraform plan ${var_file:+-var-file=$var_file }-var-file=$inputs"
  records=$(terraform output -json dns_records | jq -r '.[] | "  \(.name) \(.type) \(.value)"')
  [ -z "$records" ] || google_say "$(printf '%s\n%s' \
    "Sign in there first. Then give the domain these records, which is the last step:" "$records")"
  google_say "When $LOST_REGION is back, stop the servers of $APPLICATION_NAME at once," \
    "which send mail and synchronize directories with old data. return-home.sh moves everything back."
}

select_workspace() {
  terraform init -input=false || google_stop "The folder cannot be initialized." "To fix: as Terraform says above."
  terraform workspace select -or-create=true "$NAME" || google_stop "The workspace $NAME cannot be selected."
}

# For a deployment whose database is restored. It is not restored again, because an apply may have started the servers.
finish_uploads() {
  google_with_few_tries look_for_uploads
  new_settings=$(deployed_settings) || google_stop "The outputs of $NAME cannot be read."
  [ "$has_uploads" = no ] || add_uploads "$MEDIA_BUCKET" "$(setting_of "$new_settings" MEDIA_BUCKET)" "$mark_time"
  write_mark restored "$mark_instance"
}

# Repeats the apply of a restored deployment, whose data stay. On another machine, its inputs are written again.
repeat_apply() {
  if [ "$mark" = filled ]; then
    repeated="The database of $NAME was restored $mark_time, and stays; only uploads are added."
  else
    repeated="$NAME was restored $mark_time: what it has stays, and only the apply is repeated."
  fi
  google_say "$repeated To restore it once more, and lose what was written since, add --again."
  if [ ! -f "$inputs" ]; then
    find_kept_key || :
    write_inputs
  fi
  select_workspace
  [ "$mark" = restored ] || finish_uploads
  apply
  say_next
}

# Stops if an apply would replace the deployment in another region, or would lack the --var-file of an earlier run.
require_place() {
  [ -n "$mark_region" ] || return 0
  [ "$mark_region" = "$elsewhere" ] ||
    google_stop "$NAME is in $mark_region, not in $elsewhere, and would be replaced." \
      "To fix: name $mark_region; or choose another name by --name."
  [ -z "$mark_file" ] || [ -n "$var_file" ] ||
    google_stop "$NAME was made with --var-file $mark_file, and its secrets are in $mark_secrets." \
      "An apply without it would change what it says. To fix: add --var-file."
  [ "$(sorted_words "$mark_secrets")" = "$(sorted_words "$secret_regions")" ] ||
    google_stop "The secrets of $NAME are in $mark_secrets, not in $secret_regions, and a secret stays where it is." \
      "To fix: set secret_locations to these in a --var-file, or what it had in the run before."
}

sorted_words() {
  printf '%s\n' "$1" | tr ' ' '\n' | sort
}

# Stops if the deployment of that name has users, unless --again allows overwriting what they wrote. A database that
# this script has begun to restore may be overwritten, but only if the mark names the instance: without that, another
# deployment may have the name by now.
refuse_users() {
  if [ "$again" = yes ] || [ "${mark_instance:+$mark}" = begun ]; then return 0; fi
  # Without settings, nothing has been applied.
  new_settings=$(deployed_settings 2>/dev/null) || return 0
  connect_to "$new_settings"
  has_servers "$new_settings" || return 0
  count_users_script
  if run_beside "$new_settings" "$GOOGLE_WORK/count.sh" "users: "; then
    used="its database has $JOB_LINE"
  else
    case $beside_problem in *'the database has no user'*) return 0 ;; esac
    used="whether its database has users cannot be found out: $beside_problem"
  fi
  google_stop "$NAME has servers in $elsewhere, and nothing says that this script has restored it: $used" \
    "To fix: choose another name by --name, or add --again, which overwrites everything in its database."
}

recover() {
  select_workspace
  refuse_users
  mark_region=$elsewhere mark_secrets=$secret_regions mark_file=$var_file
  write_mark begun "$mark_instance"
  [ "$has_key" = no ] || keep_secret_key
  write_inputs
  if ! try_apply; then
    # The apply may have made the servers nevertheless. A repeated run recognizes them by the instance in the mark.
    if new_settings=$(deployed_settings 2>/dev/null) && new_instance=$(setting_of "$new_settings" INSTANCE) &&
      google_get sqladmin "projects/$PROJECT_ID/instances/$new_instance"; then
      write_mark begun "$new_instance"
    fi
    stop_apply
  fi
  new_settings=$(deployed_settings) || google_stop "The outputs of $NAME cannot be read."
  new_instance=$(setting_of "$new_settings" INSTANCE)
  write_mark begun "$new_instance"
  connect_to "$new_settings"
  remove_servers "$new_settings"
  case $source_kind in
    backup)
      require_same_mark
      restore_into "$new_settings" "$INSTANCE" "$DATABASE" backup "$source_name"
      ;;
    dump) restore_dump ;;
  esac
  # Written before the servers start, so that no repeated run overwrites what users write.
  write_mark filled "$new_instance"
  [ "$has_uploads" = no ] || copy_uploads "$MEDIA_BUCKET" "$(setting_of "$new_settings" MEDIA_BUCKET)"
  write_mark restored "$new_instance"
  apply
  say_next
}

# For a deployment that is in use: only files that it lacks are added.
bring_uploads() {
  new_settings=$(deployed_settings) || google_stop "The outputs of $NAME cannot be read."
  add_uploads "$MEDIA_BUCKET" "$(setting_of "$new_settings" MEDIA_BUCKET)"
}

# Goes on with a deployment whose database is restored, and ends the script.
continue_recovery() {
  read_mark
  require_place
  case $mark/$again in
    filled/no | restored/no)
      repeat_apply
      exit 0
      ;;
    brought/no)
      google_stop "$NAME is on its way home: its database is there since $mark_time, but not all uploads." \
        "To fix: run return-home.sh to its end; or add --again, which overwrites everything in its database."
      ;;
  esac
}

# An operator who is asked has just read whether the instance answers. With --yes, nobody may have read it, and two
# deployments that both take users do not know of each other.
confirm_recovery() {
  if [ "$yes" = no ]; then
    google_confirm "Make it?"
  elif [ "$is_gone/$force" = no/no ]; then
    google_stop "$INSTANCE answers, so its users may go on working with it: nothing is made unasked." \
      "To fix: wait while it answers; if its region is gone nevertheless, leave out --yes, or add --force."
  elif [ "$is_gone/$force" = unknown/no ]; then
    google_stop "Whether $INSTANCE still works cannot be found out: nothing is made unasked." \
      "To fix: as the row above says; or leave out --yes, or add --force."
  fi
}

main() {
  parse_words "$@"
  check_settings
  google_start
  name_files
  if [ "$action" = uploads ]; then
    bring_uploads
    return
  fi
  [ "$action" = look ] || continue_recovery
  google_with_few_tries look
  choose_source
  google_say "$NAME would be made in $elsewhere, from the $source_kind:" \
    "what was written in its last $minutes_left minutes is lost."
  [ "$action" = recover ] || return 0
  confirm_recovery
  require_same_mark
  recover
}

main "$@"
