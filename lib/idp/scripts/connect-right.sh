# shellcheck shell=sh disable=SC2034,SC2153,SC2154 # the caller reads what is set here, and sets what is read
# Shell library of promote.sh: the right to connect to the database at home, which IAM grants on the project, and the
# jobs that use that database. To be sourced after google-rest.sh and database-jobs.sh, with `scripts`, the folder of
# connect-rights.jq, INSTANCE, STANDBY_INSTANCE and ACCOUNT, the account of the servers. Without the right, open
# connections stay, and a proxy can use its certificate for an hour: only when servers, jobs and the primary have ended
# does nobody write any more.

policy_words=$(cat "$scripts/connect-rights.jq")
# Tries for a change of the policy, which others may change at the same time.
POLICY_TRIES=8

# change_policy FILTER: replaces the project's policy by what the jq filter makes of it, and reads it again, until the
# filter makes a string, to which policy_said is set. So only what is found in the policy counts, and not what was
# written. The etag keeps a change that others have made meanwhile from being overwritten.
change_policy() {
  policy_try=1
  echo '{ "options": { "requestedPolicyVersion": 3 } }' >"$GOOGLE_WORK/ask.json"
  while :; do
    # shellcheck disable=SC2016 # a name of jq
    google_reading "$policy_words"' field("bindings") as $all | ('"$1"')
      | if type == "string" then . else { policy: (. + { version: 3 }) } | tojson end' \
      google_post cloudresourcemanager "projects/$PROJECT_ID:getIamPolicy" "$GOOGLE_WORK/ask.json" || return 1
    policy_said=$GOOGLE_READ
    case $policy_said in '{'*) ;; *) return 0 ;; esac
    printf '%s\n' "$policy_said" >"$GOOGLE_WORK/policy.json"
    if google_reading 'field("bindings") | length' google_post cloudresourcemanager \
      "projects/$PROJECT_ID:setIamPolicy" "$GOOGLE_WORK/policy.json"; then
      policy_pause=0
    elif [ "$GOOGLE_STATUS" = 409 ]; then
      policy_pause=$(google_doubled "$REST_RETRY_BASE_SECONDS" "$policy_try")
    else
      return 1
    fi
    if [ "$policy_try" -ge "$POLICY_TRIES" ]; then
      GOOGLE_NOTE="The policy of $PROJECT_ID is changed by others all the time."
      return 1
    fi
    google_sleep "$policy_pause"
    policy_try=$((policy_try + 1))
  done
}

# keep_policy API PATH: adds the bindings of a policy to the file policies.
keep_policy() {
  echo '{ "options": { "requestedPolicyVersion": 3 } }' >"$GOOGLE_WORK/ask.json"
  google_post "$1" "$2:getIamPolicy" "$GOOGLE_WORK/ask.json" &&
    jq -c --arg where "$2" '{ where: $where, bindings: (.bindings // []) }' "$GOOGLE_ANSWER" >>"$GOOGLE_WORK/policies"
}

# Looks at all grants by which somebody can connect to the primary. Sets remaining_grants to those of accounts of the
# deployment that withdraw leaves, unsuspendable_grants to those of others that cannot be suspended, and unseen to what
# cannot be read and may hold more. The members of groups are not looked up.
look_at_rights() {
  remaining_grants='' unsuspendable_grants='' unseen='' custom=''
  : >"$GOOGLE_WORK/policies"
  keep_policy cloudresourcemanager "projects/$PROJECT_ID" || google_fail "The policy of $PROJECT_ID cannot be read."
  echo '{}' >"$GOOGLE_WORK/ancestry.json"
  if google_reading '[.ancestor[]?.resourceId | select(.type != "project") | "\(.type)s/\(.id)"] | join(" ")' \
    google_post cloudresourcemanager "projects/$PROJECT_ID:getAncestry" "$GOOGLE_WORK/ancestry.json"; then
    for ancestor in $GOOGLE_READ; do
      keep_policy cloudresourcemanager@v3 "$ancestor" || unseen="${unseen:+$unseen, }$ancestor (HTTP $GOOGLE_STATUS)"
    done
  else
    unseen="folders and organization (HTTP $GOOGLE_STATUS)"
  fi
  MEMBERS=$(jq -cs "$policy_words"' [.[0].bindings[]
      | select(names_instance(env.INSTANCE) or names_instance(env.STANDBY_INSTANCE)) | .members[]?]
      + ["serviceAccount:" + env.ACCOUNT] | unique' "$GOOGLE_WORK/policies") || return 1
  export MEMBERS
  jq -rs "$policy_words"' [.[].bindings[] | select(is_of_deployment) | .role
      | select(test("^(projects|organizations)/"))] | unique[]' \
    "$GOOGLE_WORK/policies" >"$GOOGLE_WORK/custom-roles" || return 1
  while read -r role <&5; do
    if google_reading '.includedPermissions // [] | any(. == "cloudsql.instances.connect")' google_get iam "$role"; then
      [ "$GOOGLE_READ" != true ] || custom="$custom $role"
    else
      unseen="${unseen:+$unseen, }$role (HTTP $GOOGLE_STATUS)"
    fi
  done 5<"$GOOGLE_WORK/custom-roles"
  remaining_grants=$(jq -rs --arg custom "$custom" "$policy_words"' ($custom | split(" ")) as $custom_roles
    | [.[] | .where as $where | .bindings[]
        | select(is_of_deployment and (connects or (.role | IN($custom_roles[]))))
        | select((names_another or is_withdrawn($where)) | not)
        | .role as $role | .members[] | select(is_account) | "\(.) by \($role) on \($where)"]
    | unique | join(", ")' "$GOOGLE_WORK/policies") || return 1
  unsuspendable_grants=$(jq -rs "$policy_words"' .[0].bindings as $all
    | [($all | on_primary | without($all | moved_to_primary))[] | select(is_full)
        | .members[] + " (\(.condition.title))"]
    | unique | join(", ")' "$GOOGLE_WORK/policies")
}

# withdraw MEMBER FORCED: withdraws the right to connect to the primary from everybody but MEMBER, who gets it if
# necessary. Sets policy_said to "done: " and the members to whom promote.sh home gives the right back. Nothing is
# withdrawn if one condition covers both instances, "mixed", or if the servers' account may connect to all instances,
# "open"; the latter is ignored if FORCED is yes. A grant that cannot be suspended is removed only with --force.
withdraw() {
  FENCED_FOR=$1 FORCED=$2 REMOVES_FULL=$force
  export FENCED_FOR FORCED REMOVES_FULL
  # shellcheck disable=SC2016 # names of jq
  change_policy '($all | withdrawn) as $withdrawn | ($all | suspended) as $suspended
    | ($all | for_one_member) as $left | ($all | then_suspended) as $then_suspended
    | if any($withdrawn[]; names_instance(env.STANDBY_INSTANCE)) then "mixed"
      elif env.FORCED != "yes" and any($all[]; is_open_to([$withdrawn[].members[]?])) then "open"
      elif ($withdrawn | merged) == $left and ($suspended | merged) == $then_suspended then "done: "
        + ([$then_suspended[] | .members[] + " (\(.condition.title))"] | unique | join(", "))
      else .bindings = ($all - $withdrawn - $suspended) + $left + $then_suspended end'
}

# fence [MEMBER]: the same before the promotion. Ends the script if the right cannot be withdrawn.
fence() {
  withdraw "${1:-}" "$force" ||
    google_fail "The right to connect to $INSTANCE cannot be withdrawn, so nothing is promoted." "$as_it_was"
  case $policy_said in
    mixed)
      google_stop "One condition covers both $INSTANCE and $STANDBY_INSTANCE, so nothing is promoted." \
        "To fix: apply, which grants the right to connect to each apart. $as_it_was"
      ;;
    open)
      google_stop "The servers' account may connect to all instances, also to $INSTANCE, so nothing is promoted." \
        "To fix: withdraw its roles on Cloud SQL and basic roles that have no condition; they are not of" \
        "this deployment, unless database_conditional_access is false. $as_it_was"
      ;;
  esac
  if [ -n "$FENCED_FOR" ]; then
    google_say "Nobody but the account that compares can connect to $INSTANCE anew ($(google_seconds) s)."
  else
    google_say "Nobody can connect to $INSTANCE anew ($(google_seconds) s)."
    suspended_grants=${policy_said#done: }
    [ -z "$suspended_grants" ] || google_say "promote.sh home gives the right back also to: $suspended_grants"
  fi
}

# Lets only the jobs connect to the primary that bring the data home: what anybody else wrote would be lost, and a dump
# would have old data.
let_jobs_in() {
  if ! find_comparer || ! withdraw "$comparer" yes; then
    google_fail "The jobs that restore cannot be let in alone, so nothing is restored." "$stays_away"
  fi
  if [ "$policy_said" = mixed ]; then
    google_say "One condition covers both $INSTANCE and $STANDBY_INSTANCE, so others can connect to the former, too:" \
      "what they write there before the data are home is lost."
    unfence
  else
    google_say "Only the account of the jobs can connect to $INSTANCE until the data are home ($(google_seconds) s)."
  fi
}

# Gives the right to connect to the primary back. Members who may connect to the standby get it with the condition that
# Terraform would give it; all others from whom it was withdrawn get it as they had it.
unfence() {
  # shellcheck disable=SC2016 # names of jq
  change_policy '($all | on_primary) as $present | ($all | suspended) as $suspended | ($all | wanted) as $wanted
    | if $wanted == [] then "none"
      elif ($present | merged) == $wanted and $suspended == [] then "done"
      else .bindings = ($all - $present - $suspended) + $wanted end' ||
    google_fail "The right to connect to $INSTANCE cannot be given back." "To fix: run the same command again."
  [ "$policy_said" != none ] ||
    google_stop "The right to connect to $STANDBY_INSTANCE, after which that to $INSTANCE is made, is not there." \
      "To fix: apply, which grants it, and run the same command again."
}

# Sets comparer to the member of the policy that the job which compares the two databases runs as.
find_comparer() {
  google_reading '.template.template.serviceAccount // ""' google_get run "$jobs/$INIT_JOB" || return 1
  comparer=serviceAccount:$GOOGLE_READ
  [ -n "$GOOGLE_READ" ] || { GOOGLE_NOTE="The job $INIT_JOB has no account of its own." && return 1; }
}

# Sets running to the jobs that use the primary and have not ended, and executed to the executions of all that use it.
# Jobs of this run do not count.
look_at_jobs() {
  running='' executed=''
  google_pages run "$jobs" jobs pageSize=1000 "$GOOGLE_WORK/jobs" || return 1
  jq -r --arg connection "$primary_connection" --arg run "$RUN" '
    select(any(.template.template.volumes[]?.cloudSqlInstance.instances[]?; . == $connection))
    | select(.labels["copy-run"]? != $run) | .name | split("/") | last' \
    "$GOOGLE_WORK/jobs" >"$GOOGLE_WORK/job-names" || return 1
  while read -r job_of_primary <&5; do
    google_listed 'map(if .completionTime then "ended" else "running" end + " " + (.name | split("/") | last))
      | sort | join(" ")' run "$jobs/$job_of_primary/executions" executions pageSize=100 || return 1
    case " $GOOGLE_READ" in *" running "*) running="${running:+$running, }$job_of_primary" ;; esac
    executed="$executed $GOOGLE_READ"
  done 5<"$GOOGLE_WORK/job-names"
}

# Waits until no job uses the primary any more.
await_jobs() {
  jobs_until=$(($(google_seconds) + SCALE_SECONDS))
  while :; do
    look_at_jobs || return 1
    [ -n "$running" ] || return 0
    google_pause "$jobs_until" "$running" "running, and may write to $INSTANCE" ||
      { GOOGLE_NOTE="$running has not ended after $SCALE_SECONDS s (SCALE_SECONDS), and may write to $INSTANCE." &&
        return 1; }
  done
}

# Sets lacking to the members of the policy that jobs of the primary run as, and that may not connect to it.
find_lacking() {
  google_pages run "$jobs" jobs pageSize=1000 "$GOOGLE_WORK/jobs" || return 1
  JOB_MEMBERS=$(jq -cs --arg connection "$primary_connection" '[.[].template.template
    | select(any(.volumes[]?.cloudSqlInstance.instances[]?; . == $connection))
    | .serviceAccount // empty | "serviceAccount:" + .] | unique' "$GOOGLE_WORK/jobs") || return 1
  export JOB_MEMBERS
  # shellcheck disable=SC2016 # names of jq
  change_policy '[$all | on_primary[].members[]?] as $may | "without: "
      + ((env.JOB_MEMBERS | fromjson) - $may | join(", "))' || return 1
  lacking=${policy_said#without: }
}
