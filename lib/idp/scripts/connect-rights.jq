# Functions for IAM policies, which connect-right.sh puts before its filters: who may connect to the primary, the
# instance INSTANCE of the environment, and what the policy would be with that right withdrawn or given back.
#
# A grant that Terraform would not make again may be one of others: it is suspended by a condition, and not removed, so
# that the policy itself says what to give back, whichever run has withdrawn it.

# The functions up to is_full take one binding.

# Whether its role is one of Google's that allow connecting.
def connects:
  .role | IN("roles/cloudsql.client", "roles/cloudsql.editor", "roles/cloudsql.admin", "roles/editor", "roles/owner");

# Whether it allows one of the members, or the account of the servers, to connect to all instances.
def is_open_to($members):
  connects and .condition == null and any(.members[]?; IN($members[], "serviceAccount:" + env.ACCOUNT));

# Whether it grants the right to connect, on a condition that names this instance.
def names_instance($instance):
  .role == "roles/cloudsql.client"
  and (.condition.expression // "" | test("/instances/" + $instance + "(?![a-z0-9-])"));

# Whether its condition allows only one instance, which is not the primary.
def names_another:
  .condition.expression // ""
  | test("^resource\\.type == \"sqladmin\\.googleapis\\.com/Instance\" "
      + "&& resource\\.name == \"projects/[^/\"]+/instances/[a-z0-9-]+\"$")
    and (endswith("/instances/" + env.INSTANCE + "\"") | not);

# Takes a member: whether it is an account of the deployment.
def is_account: IN(env.MEMBERS | fromjson[]);

# Whether an account of the deployment is among its members.
def is_of_deployment: any(.members[]?; is_account);

# Whether withdrawing the right removes it from the policy of $where; only that of the project is changed.
def is_withdrawn($where): $where == "projects/" + env.PROJECT_ID and names_instance(env.INSTANCE);

# A grant is suspended by these words before its condition, which then never holds.
def in_the_past: "request.time < timestamp(\"1970-01-01T00:00:00Z\") && (";
def is_suspended: .condition.expression // "" | startswith(in_the_past);
def suspend: .condition.expression |= in_the_past + . + ")";
def restored: .condition.expression |= .[(in_the_past | length):-1];

# Whether it cannot be suspended, because its condition has 12 operators already, as many as IAM accepts.
def is_full: [.condition.expression | scan("&&|[|][|]|!(?!=)")] | length >= 12;

# The functions from here on take all bindings of the project's policy.

# The same grants, with one binding for each role and condition.
def merged:
  map(select((.members // []) != [])) | group_by([.role, .condition])
  | map(.[0] + { members: (map(.members[]) | unique) });

# The same grants without those of the members in $others.
def without($others):
  map(. as $grant
    | .members -= [$others[] | select(.role == $grant.role and .condition == $grant.condition) | .members[]]);

# Grants on the primary.
def on_primary: map(select(names_instance(env.INSTANCE) and (is_suspended | not)));

# Grants on the primary that are suspended.
def suspended: map(select(names_instance(env.INSTANCE) and is_suspended));

# The grants that Terraform has made on the standby, known by their title, rewritten for the primary: the same members
# may connect to both.
def moved_to_primary:
  map(select(names_instance(env.STANDBY_INSTANCE) and .condition.title == "Only " + env.STANDBY_INSTANCE)
    | .condition |= map_values(gsub("(?<![a-z0-9-])" + env.STANDBY_INSTANCE + "(?![a-z0-9-])"; env.INSTANCE)));

# The grants that the primary is to have once the right is given back.
def wanted: on_primary + moved_to_primary + (suspended | map(restored)) | merged;

# Grants on the primary that stay, because they cannot be suspended and may not be removed permanently.
def left_alone: on_primary | map(select(is_full and env.REMOVES_FULL != "yes"));

# Grants on the primary that are withdrawn.
def withdrawn: on_primary - left_alone;

# The grants that replace them: those that are wanted, for the one member that may connect.
def for_one_member:
  . as $all | wanted | without($all | left_alone) | map(.members |= map(select(. == env.FENCED_FOR))) | merged;

# All suspended grants after that: those from before, and what is withdrawn, except what moved_to_primary can make
# again.
def then_suspended:
  . as $all | withdrawn | without($all | moved_to_primary) | map(select(is_full | not) | suspend)
  | . + ($all | suspended) | merged;
