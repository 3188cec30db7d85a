#!/bin/sh
# Moves a deployment from the region in which recover-elsewhere.sh has rebuilt it back to its own region, once that is
# available again.
#
#   return-home.sh [--name NAME] [--again] [--yes]
#
#   --name NAME   application_name elsewhere, by default as in recover-elsewhere.sh
#   --again       brings home what is elsewhere although nothing says that it is newer than what is here
#   --yes         does not ask
#
# Sign-in is down from the first step to the apply: the servers of both are removed, the database elsewhere is backed
# up once nobody uses it, and the backup and the uploads replace what is here. Nothing that was written elsewhere is
# lost; what has been written here since then is. Sessions that began elsewhere stay if the secret key could be read
# on that day; otherwise there is another one elsewhere, and they end. Repeated, also on another machine, it goes on;
# once the database and the uploads are here, only the apply is repeated. What is elsewhere stays, without servers: the
# script prints how to destroy it.
#
# Run it in the folder of the stack, with the settings of the deployment here:
#   PROJECT_ID             project (required)
#   APPLICATION_NAME       its input application_name (required)
#   INSTANCE               name of its database instance (required)
#   DATABASE               name of its database (required)
#   MEDIA_BUCKET           name of its media bucket (required)
#   and the others that the output restore_settings has
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

NAME='' yes=no again=no option=''

parse_words() {
  for word in "$@"; do
    if [ -n "$option" ]; then
      NAME=$word option=
      continue
    fi
    case $word in
      --name) option=$word ;;
      --again) again=yes ;;
      --yes) yes=yes ;;
      *) google_refuse "\"$word\" is not an option; the options are --name, --again, --yes and --help." ;;
    esac
  done
  [ -z "$option" ] || google_refuse "$option has no value."
}

check_settings() {
  : "${APPLICATION_NAME:=}" "${INSTANCE:=}" "${DATABASE:=}"
  google_setting APPLICATION_NAME '[a-z]([a-z0-9-]{0,16}[a-z0-9])?' "the application_name of the deployment"
  job_settings
  google_setting DATABASE '[a-z0-9_]{1,54}' "the name of a database, at most 54 characters"
  google_setting MEDIA_BUCKET '[a-z0-9][a-z0-9._-]*' "the name of the media bucket"
  name_the_other
  # The operator may have exported it for commands about NAME; here, it is set only for those.
  unset TF_DATA_DIR
  elsewhere=.terraform-$NAME
  [ -d "$elsewhere" ] || google_refuse "There is no $elsewhere here, so no deployment of the name $NAME was made from" \
    "this folder; name another one by --name, or select its workspace, both with TF_DATA_DIR=$elsewhere:" \
      "terraform init, and terraform workspace select $NAME"
  google_require "$TERRAFORM"
  google_start
}

# Starts the servers, and with dns_zone lets the domain lead to them.
apply() {
  terraform apply -input=false -auto-approve ||
    google_stop "The apply has failed." "To fix: correct what it names, and run the same command again."
}

say_next() {
  google_say "$APPLICATION_NAME runs again after $(($(google_seconds) / 60)) minutes:" \
    "$(terraform output -raw service_url)"
  records=$(terraform output -json dns_records | jq -r '.[] | "  \(.name) \(.type) \(.value)"')
  [ -z "$records" ] ||
    google_say "$(printf '%s\n%s' "Without dns_zone, give the domain these records again:" "$records")"
  recovered=$NAME-recovered-secret-key
  # If that cannot be found out, the command that is printed below fails and says so.
  if ! google_get secretmanager "projects/$PROJECT_ID/secrets/$recovered" && [ "$GOOGLE_STATUS" = 404 ]; then
    recovered=''
    google_say "Sessions of $NAME end, and links that it has signed: its secret key is another one than that here."
  fi
  google_say "Sign in here. Then destroy what is left of $NAME:"
  google_say "  export TF_DATA_DIR=$elsewhere"
  for word in apply destroy; do
    google_say "  terraform $word ${mark_file:+-var-file=$mark_file }-var-file=recovery-$NAME.tfvars.json" \
      "-var deletion_protection=false"
  done
  for secret in $recovered "$NAME-recovery"; do
    google_say "  gcloud secrets delete $secret --project=$PROJECT_ID"
  done
  google_say "  rm -r $elsewhere recovery-$NAME.*"
}

settings_there() {
  (export TF_DATA_DIR="$elsewhere" && deployed_settings)
}

no_outputs() {
  google_stop "The outputs of $NAME cannot be read." \
    "To fix: as Terraform says above; the workspace in $elsewhere must be $NAME."
}

# Continues an interrupted run, and ends the script if the database is here already. What was recovered elsewhere is
# newer than the data here only until it is brought here: from then on, users write here.
continue_return() {
  read_mark
  case $mark/$again in
    returned/no)
      google_say "The database and the uploads are here since $mark_time, and stay; only the apply is repeated." \
        "To bring them once more, and lose what was written here since, add --again."
      apply
      say_next
      exit 0
      ;;
    brought/no)
      google_say "The database is here since $mark_time, and stays; only uploads are added." \
        "To bring them once more, and lose what was written here since, add --again."
      there=$(settings_there) || no_outputs
      add_uploads "$(setting_of "$there" MEDIA_BUCKET)" "$MEDIA_BUCKET" "$mark_time"
      write_mark returned "$mark_instance"
      apply
      say_next
      exit 0
      ;;
    restored/* | */yes) ;;
    *)
      nothing_says="Nothing says that $NAME has been restored elsewhere to its end (the secret $NAME-recovery: $mark)"
      google_stop "$nothing_says, so it may lack what is here, and nothing is overwritten." \
        "To fix: run recover-elsewhere.sh recover to its end; or, if $NAME is what counts, add --again."
      ;;
  esac
}

# Prints the steps, and asks. Sets here and there to the settings of the two deployments.
confirm_steps() {
  # The settings of the deployment here are in the environment already. Its namespace is set again, because connect_to
  # changes it. Its backup plan is taken out: the plan covers the instance here, and the backup is one of NAME.
  here="BACKUP_PLAN= NAMESPACE=${NAMESPACE:-}"
  there=$(settings_there) || no_outputs
  google_say "Steps; sign-in is down from the first to the last:"
  google_say "  1. remove the servers of $NAME, wait until nobody uses its database, and remove those of" \
    "$APPLICATION_NAME"
  google_say "  2. back up $(setting_of "$there" INSTANCE), and restore that into $INSTANCE"
  google_say "  3. copy the uploads"
  google_say "  4. apply this folder, which starts the servers, and with dns_zone lets the domain lead to them"
  [ "$yes" = yes ] || google_confirm "Overwrite everything in $INSTANCE?"
  require_same_mark
}

# Removes the servers of both deployments, and waits until nobody uses the database elsewhere.
stop_servers() {
  TF_DATA_DIR=$elsewhere
  export TF_DATA_DIR
  connect_to "$there"
  remove_servers "$there"
  # A server that is removed still finishes its last requests, and a job may be at work.
  run_beside "$there" "$scripts/replica-position.sh" "caught up: " REPLICA_SECONDS=300 ||
    google_stop \
      "Somebody may still write to $(setting_of "$there" INSTANCE), so nothing is backed up: $beside_problem" \
      "To fix: end what uses it, such as a job, and run the same command again; or $NAME serves again by an apply."
  google_say "$JOB_LINE"
  unset TF_DATA_DIR
  connect_to "$here"
  remove_servers "$here"
}

bring_data_home() {
  # Each run makes its own backup, because one of an earlier run may lack what was written since.
  release=home-$(jq -nr 'now | floor | strftime("%Y%m%dT%H%M%SZ")')
  (
    eval "$there"
    export RELEASE="$release"
    sh "$scripts/backup-before-upgrade.sh"
  ) || google_stop "The database of $NAME is not backed up." "To fix: as said above; then run the same command again."
  require_same_mark
  restore_into "$here" "$(setting_of "$there" INSTANCE)" "$(setting_of "$there" DATABASE)" \
    backup "before $release"
  # From here on, no repeated run may replace what is here: an apply may start the servers before this run ends.
  [ -n "$mark_secrets" ] || mark_secrets=$(setting_of "$there" DATABASE_REGION)
  write_mark brought "$(setting_of "$there" INSTANCE)"
  copy_uploads "$(setting_of "$there" MEDIA_BUCKET)" "$MEDIA_BUCKET"
  # If the region is lost another time, the deployment elsewhere is restored anew.
  write_mark returned "$(setting_of "$there" INSTANCE)"
}

main() {
  parse_words "$@"
  check_settings
  continue_return
  confirm_steps
  stop_servers
  bring_data_home
  apply
  say_next
}

main "$@"
