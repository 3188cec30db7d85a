# Words for policies of IAM, which connect-right.sh puts before its filters: who may connect to the primary, the
# instance INSTANCE of the environment, and who would if its right were withdrawn or given back.
#
# A grant is suspended, and not removed, if nothing else says what it was: it may be of others. So the policy itself
# knows what to give back, whichever run has withdrawn it.

# The following are of one binding. Whether its role is one of Google's that let connect:
def connects:
  .role | IN("roles/cloudsql.client", "roles/cloudsql.editor", "roles/cloudsql.admin", "roles/editor", "roles/owner");

# Whether it lets some of these, or the account of the servers, connect to all instances.
def is_open_to($members):
  connects and .condition == null and any(.members[]?; IN($members[], "serviceAccount:" + env.ACCOUNT));

# Whether it grants the right to connect, on a condition that names this instance.
def names_instance($instance):
  .role == "roles/cloudsql.client"
  and (.condition.expression // "" | test("/instances/" + $instance + "(?![a-z0-9-])"));

# Whether its condition leaves no instance but one that is not the primary.
def names_another:
  .condition.expression // ""
  | test("^resource\\.type == \"sqladmin\\.googleapis\\.com/Instance\" "
      + "&& resource\\.name == \"projects/[^/\"]+/instances/[a-z0-9-]+\"$")
    and (endswith("/instances/" + env.INSTANCE + "\"") | not);

# Of a member: whether it is an account of the deployment.
def is_account: IN(env.MEMBERS | fromjson[]);

# Whether an account of the deployment has it.
def is_of_deployment: any(.members[]?; is_account);

# Whether it is withdrawn from the policy of $where; only that of the project is changed.
def is_withdrawn($where): $where == "projects/" + env.PROJECT_ID and names_instance(env.INSTANCE);

# A suspended grant has this before its condition, so that nobody has it.
def in_the_past: "request.time < timestamp(\"1970-01-01T00:00:00Z\") && (";
def is_suspended: .condition.expression // "" | startswith(in_the_past);
def suspend: .condition.expression |= in_the_past + . + ")";
def restored: .condition.expression |= .[(in_the_past | length):-1];

# Whether its condition has as many operators as IAM takes, 12, so that it cannot be suspended.
def is_full: [.condition.expression | scan("&&|[|][|]|!(?!=)")] | length >= 12;

# The following are of all bindings of the project's policy. The same grants, of which no two differ in the members
# alone:
def merged:
  map(select((.members // []) != [])) | group_by([.role, .condition])
  | map(.[0] + { members: (map(.members[]) | unique) });

# The same grants without these.
def without($others):
  map(. as $grant
    | .members -= [$others[] | select(.role == $grant.role and .condition == $grant.condition) | .members[]]);

# Those that name the primary.
def on_primary: map(select(names_instance(env.INSTANCE) and (is_suspended | not)));

# Those that named it before they were suspended.
def suspended: map(select(names_instance(env.INSTANCE) and is_suspended));

# Those that Terraform has made on the standby, by their title, as if they named the primary: whom the deployment lets
# connect to the former, it lets connect to the latter.
def moved_to_primary:
  map(select(names_instance(env.STANDBY_INSTANCE) and .condition.title == "Only " + env.STANDBY_INSTANCE)
    | .condition |= map_values(gsub("(?<![a-z0-9-])" + env.STANDBY_INSTANCE + "(?![a-z0-9-])"; env.INSTANCE)));

# Those that there are to be on the primary.
def wanted: on_primary + moved_to_primary + (suspended | map(restored)) | merged;

# Those that are left alone, because they cannot be suspended, and are not to be removed for good.
def left_alone: on_primary | map(select(is_full and env.REMOVES_FULL != "yes"));

# Those that are withdrawn.
def withdrawn: on_primary - left_alone;

# Those that take their place: all that are wanted, for the one member that may connect.
def for_one_member:
  . as $all | wanted | without($all | left_alone) | map(.members |= map(select(. == env.FENCED_FOR))) | merged;

# Those that are suspended then: what was before, and what is withdrawn, but for what moved_to_primary says.
def then_suspended:
  . as $all | withdrawn | without($all | moved_to_primary) | map(select(is_full | not) | suspend)
  | . + ($all | suspended) | merged;
