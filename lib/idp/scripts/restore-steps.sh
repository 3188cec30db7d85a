# shellcheck shell=sh disable=SC2154 # restore.sh and database-jobs.sh set what is read here
# Shell library of restore.sh: prints what it is going to do, asks, and does it step by step; after a failure, cleans up.
#
# To be sourced after sql-rest.sh and database-jobs.sh. Reads action, yes, dry_run and take_over.

SQL_CLONES=
exchanging=no
step=0

# steps QUESTION STEP...: prints the steps, and goes on if the answer is yes.
steps() {
  question=$1
  shift
  set -- ${SQL_CLONES:+"delete the clones that a killed restore has left: $SQL_CLONES"} "$@"
  google_say "$([ "$dry_run" = no ] || echo 'Dry run: nothing is changed. ')Steps:"
  for text in "$@"; do
    step=$((step + 1))
    google_say "  $step. $text"
  done
  step=0
  case $action in
    backup | dump | point-in-time)
      google_say "Servers and workers migrate the database whenever they start. If it is restored to before an upgrade," \
        "stop them first, and start them after an apply with the earlier release."
      ;;
  esac
  [ "$dry_run" = no ] || exit 0
  if [ "$yes" = no ]; then
    printf '%s Type "yes" to continue: ' "$question"
    read -r answer || answer=
    [ "$answer" = yes ] || { google_say "Nothing was changed." && exit 1; }
  fi
  [ "$action" = media ] || { mark_run && remove_copies "$take_over"; } ||
    google_fail "This run cannot be marked by a job, or the jobs that killed runs have left cannot be removed."
  for old in $SQL_CLONES; do try "delete $old" sql_remove "$old"; done
}

clean_up() {
  if [ "$exchanging" = yes ]; then
    google_error "  If the exchange was killed, it may have left $DATABASE closed to connections." \
      "To fix: run the same command again; its first step opens the database, and so does db-init in the next apply that runs it."
  fi
  abandon_run
  sql_abandon
}

give_up() {
  outcome=$(google_outcome)
  google_error "$1"
  google_error "  $outcome"
  google_error "  To fix: correct what the message names and run the same command again."
  exit 1
}

# try WHAT COMMAND...: one step.
try() {
  step=$((step + 1))
  what=$1
  shift
  google_say "Step $step: $what"
  "$@" || give_up "Step $step failed: $what"
}
