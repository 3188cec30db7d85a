# shellcheck shell=sh
# Shell library of promote.sh: the right to connect to the database at home, which IAM grants on the project, and the
# jobs that use that database. To be sourced after google-rest.sh and database-jobs.sh.
#
# Withdrawing the right does not stop all writes: open connections stay, and a proxy can use its certificate for an
# hour. Nobody writes any more only after servers, jobs and the primary have stopped.
#
# Reads:
#   scripts                      folder of connect-rights.jq
#   INSTANCE, STANDBY_INSTANCE   the primary, at home, and the standby's instance
#   ACCOUNT                      service account of the servers
#   INIT_JOB, SCALE_SECONDS      settings of promote.sh
#   force                        whether --force is given: yes or no
#   as_it_was, stays_away        remedies that promote.sh prints after a failure before and after the promotion
#   primary_connection           connection name of the primary
# Sets:
#   policy_said                  result of the last change of the policy, see change_policy
#   rights_remaining             grants that let accounts of the deployment connect although the right is withdrawn
#   rights_unsuspendable         grants to others that cannot be suspended
#   rights_unseen                policies and roles that cannot be read and may grant the right
#   rights_suspended             members who get the right back from promote.sh home
#   rights_comparer              account of the job that compares the two databases, as a member of the policy
#   rights_lacking               accounts of jobs that use the primary but may not connect to it, as members
#   rights_running_jobs          jobs that use the primary and have not ended
#   rights_executions            executions of all jobs that use the primary, each with running or ended before it

# Attempts to change the policy, which others may change at the same time.
POLICY_TRIES=8
# shellcheck disable=SC2154 # promote.sh sets scripts
policy_words=$(cat "$scripts/connect-rights.jq")

# change_policy FILTER: reads the project's policy and runs a jq filter on it. While the result is an object, writes it
# as the new policy and reads again. Once the result is a string, sets policy_said to it. So the outcome is always read
# from the policy. Its etag keeps a concurrent change by others from being overwritten.
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

# keep_policy API PATH: adds the bindings of the policy of PATH to the file policies.
keep_policy() {
  echo '{ "options": { "requestedPolicyVersion": 3 } }' >"$GOOGLE_WORK/ask.json"
  google_post "$1" "$2:getIamPolicy" "$GOOGLE_WORK/ask.json" &&
    jq -c --arg where "$2" '{ where: $where, bindings: (.bindings // []) }' "$GOOGLE_ANSWER" >>"$GOOGLE_WORK/policies"
}

# Finds all grants by which somebody can connect to the primary. Sets rights_remaining, rights_unsuspendable and
# rights_unseen. Members of groups are not looked up.
# shellcheck disable=SC2034 # promote.sh reads the results
look_at_rights() {
  rights_remaining='' rights_unsuspendable='' rights_unseen='' rights_custom_roles=''
  : >"$GOOGLE_WORK/policies"
  keep_policy cloudresourcemanager "projects/$PROJECT_ID" || google_fail "The policy of $PROJECT_ID cannot be read."
  echo '{}' >"$GOOGLE_WORK/ancestry.json"
  if google_reading '[.ancestor[]?.resourceId | select(.type != "project") | "\(.type)s/\(.id)"] | join(" ")' \
    google_post cloudresourcemanager "projects/$PROJECT_ID:getAncestry" "$GOOGLE_WORK/ancestry.json"; then
    for ancestor in $GOOGLE_READ; do
      keep_policy cloudresourcemanager@v3 "$ancestor" ||
        rights_unseen="${rights_unseen:+$rights_unseen, }$ancestor (HTTP $GOOGLE_STATUS)"
    done
  else
    rights_unseen="folders and organization (HTTP $GOOGLE_STATUS)"
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
      [ "$GOOGLE_READ" != true ] || rights_custom_roles="$rights_custom_roles $role"
    else
      rights_unseen="${rights_unseen:+$rights_unseen, }$role (HTTP $GOOGLE_STATUS)"
    fi
  done 5<"$GOOGLE_WORK/custom-roles"
  rights_remaining=$(jq -rs --arg custom "$rights_custom_roles" "$policy_words"' ($custom | split(" ")) as $custom_roles
    | [.[] | .where as $where | .bindings[]
        | select(is_of_deployment and (connects or (.role | IN($custom_roles[]))))
        | select((names_another or is_withdrawn($where)) | not)
        | .role as $role | .members[] | select(is_account) | "\(.) by \($role) on \($where)"]
    | unique | join(", ")' "$GOOGLE_WORK/policies") || return 1
  rights_unsuspendable=$(jq -rs "$policy_words"' .[0].bindings as $all
    | [($all | on_primary | without($all | moved_to_primary))[] | select(is_full)
        | .members[] + " (\(.condition.title))"]
    | unique | join(", ")' "$GOOGLE_WORK/policies")
}

# withdraw MEMBER FORCED: withdraws the right to connect to the primary from everybody but MEMBER, who gets it if
# necessary. An empty MEMBER: from everybody. Grants that cannot be suspended are removed only with --force. Sets
# policy_said:
#   done: MEMBERS   the right is withdrawn; MEMBERS get it back from promote.sh home
#   mixed           nothing is withdrawn, because one condition covers both instances
#   open            nothing is withdrawn, because the servers' account may connect to all instances; never if FORCED is
#                   yes
# shellcheck disable=SC2154 # promote.sh sets force
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

# fence [MEMBER]: withdraws the right before the promotion, or ends the script.
# shellcheck disable=SC2154 # promote.sh sets force and as_it_was
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
        "this deployment, unless database_rights.conditional_access is false. $as_it_was"
      ;;
  esac
  if [ -n "$FENCED_FOR" ]; then
    google_say "Nobody but the account that compares can connect to $INSTANCE anew ($(google_seconds) s)."
  else
    google_say "Nobody can connect to $INSTANCE anew ($(google_seconds) s)."
    rights_suspended=${policy_said#done: }
    [ -z "$rights_suspended" ] || google_say "promote.sh home gives the right back also to: $rights_suspended"
  fi
}

# Lets nobody but the jobs that bring the data home connect to the primary: writes of others would be lost, and a dump
# would contain old data.
# shellcheck disable=SC2154 # promote.sh sets stays_away
let_jobs_in() {
  if ! find_comparer || ! withdraw "$rights_comparer" yes; then
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

# Gives the right to connect to the primary back. Members who may connect to the standby get the grant that Terraform
# would make; all other members from whom the right was withdrawn get their former grants.
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

# Sets rights_comparer to the account of the job db-init, whose copies compare the two databases.
# shellcheck disable=SC2154 # database-jobs.sh sets job_parent
find_comparer() {
  google_reading '.template.template.serviceAccount // ""' google_get run "$job_parent/$INIT_JOB" || return 1
  rights_comparer=serviceAccount:$GOOGLE_READ
  [ -n "$GOOGLE_READ" ] || { GOOGLE_NOTE="The job $INIT_JOB has no account of its own." && return 1; }
}

# Sets rights_running_jobs and rights_executions. Jobs of this run do not count.
# shellcheck disable=SC2154 # standby-state.sh sets primary_connection
look_at_jobs() {
  rights_running_jobs='' rights_executions=''
  google_pages run "$job_parent" jobs pageSize=1000 "$GOOGLE_WORK/jobs" || return 1
  jq -r --arg connection "$primary_connection" --arg run "$RUN" '
    select(any(.template.template.volumes[]?.cloudSqlInstance.instances[]?; . == $connection))
    | select(.labels["copy-run"]? != $run) | .name | split("/") | last' \
    "$GOOGLE_WORK/jobs" >"$GOOGLE_WORK/job-names" || return 1
  while read -r job_of_primary <&5; do
    google_listed 'map(if .completionTime then "ended" else "running" end + " " + (.name | split("/") | last))
      | sort | join(" ")' run "$job_parent/$job_of_primary/executions" executions pageSize=100 || return 1
    case " $GOOGLE_READ" in
      *" running "*) rights_running_jobs="${rights_running_jobs:+$rights_running_jobs, }$job_of_primary" ;;
    esac
    rights_executions="$rights_executions $GOOGLE_READ"
  done 5<"$GOOGLE_WORK/job-names"
}

# Waits until no job uses the primary any more.
await_jobs() {
  jobs_until=$(($(google_seconds) + SCALE_SECONDS))
  while :; do
    look_at_jobs || return 1
    [ -n "$rights_running_jobs" ] || return 0
    google_pause "$jobs_until" "$rights_running_jobs" "running, and may write to $INSTANCE" || {
      GOOGLE_NOTE="$rights_running_jobs has not ended after $SCALE_SECONDS s (SCALE_SECONDS),"
      GOOGLE_NOTE="$GOOGLE_NOTE and may write to $INSTANCE."
      return 1
    }
  done
}

# Sets rights_lacking.
# shellcheck disable=SC2034,SC2154 # promote.sh reads the result; standby-state.sh sets primary_connection
find_lacking() {
  google_pages run "$job_parent" jobs pageSize=1000 "$GOOGLE_WORK/jobs" || return 1
  JOB_MEMBERS=$(jq -cs --arg connection "$primary_connection" '[.[].template.template
    | select(any(.volumes[]?.cloudSqlInstance.instances[]?; . == $connection))
    | .serviceAccount // empty | "serviceAccount:" + .] | unique' "$GOOGLE_WORK/jobs") || return 1
  export JOB_MEMBERS
  # shellcheck disable=SC2016 # names of jq
  change_policy '[$all | on_primary[].members[]?] as $may | "without: "
      + ((env.JOB_MEMBERS | fromjson) - $may | join(", "))' || return 1
  rights_lacking=${policy_said#without: }
}
