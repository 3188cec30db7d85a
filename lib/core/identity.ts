import { type ITerraformDependable, type TerraformResource } from "cdktf";
import { type Construct } from "constructs";

import { type Condition, countIf, isNever } from "./expr/conditions";
import { allOf } from "./expr/expr";
import { inFileOfExisting } from "./hcl/stack-origin";

/** A service account that a workload runs as. */
export interface WorkloadIdentity {
  /** Name of the account in the ids of its grants, for example `Runtime`. */
  readonly name: string;

  /** E-mail address. */
  readonly email: string;

  /** IAM principal: `serviceAccount:<email>`. */
  readonly member: string;

  /**
   * False if the permissions of the account are managed elsewhere; the only grant is then to read the script of a job.
   */
  readonly grantable: boolean;

  /**
   * Whether the account exists; if not, it gets no grants.
   *
   * @default true
   */
  readonly condition?: Condition | undefined;

  /** Dependencies of grants to the account. */
  readonly ready: ITerraformDependable[];

  /**
   * Accounts to which the grants are made, each under its own condition.
   *
   * @default - the account itself
   */
  readonly granted?: readonly GrantedAccount[];

  /**
   * Grants a role on the project, once per id and resource; only for roles that cannot be granted on anything smaller.
   * Returns an empty list if the account takes no grants.
   */
  grantOnProject(id: string, role: string, limits?: GrantLimits): ITerraformDependable[];
}

/** An account that receives grants in place of the identity's own. */
export interface GrantedAccount extends Pick<WorkloadIdentity, "condition" | "email" | "member" | "name" | "ready"> {
  /**
   * Project of the account; `-` for any.
   *
   * @default - that of the deployment
   */
  readonly project?: string;
}

/** Limits of a grant on a project. */
export interface GrantLimits {
  /**
   * Condition under which the grant is needed.
   *
   * @default true
   */
  readonly condition?: Condition;

  /**
   * The project.
   *
   * @default - that of the account
   */
  readonly project?: string;

  /** Whether the grant is for a part that is managed elsewhere. */
  readonly isForExisting?: boolean;

  /**
   * Resource to which an IAM condition restricts the grant if `when` holds.
   *
   * @default - all resources of the project
   */
  readonly resource?: {
    readonly name: string;
    readonly type: string;
    readonly when: Condition;
    /**
     * Name of a local for the list of the resource, which is empty where the role is granted on all.
     *
     * @default - no local
     */
    readonly listName?: string;
  };
}

/**
 * The grants on one resource: one per identity, even if it is requested several times.
 *
 * Each consumer of the resource requests its own grant, so several consumers may share an identity.
 */
export class Grants {
  private readonly made = new Map<WorkloadIdentity, ITerraformDependable[]>();

  /** @param owner construct in which the grants are created, each under the name of its identity */
  constructor(private readonly owner: Construct) {}

  /**
   * Dependencies of the identity's use of the resource; empty if the identity takes no grants.
   *
   * @param needed condition under which the grant is needed
   */
  to(
    identity: WorkloadIdentity,
    make: (id: string, account: GrantedAccount) => TerraformResource,
    needed: Condition = true,
  ): ITerraformDependable[] {
    const made = this.made.get(identity);
    if (made !== undefined) return made;
    const all = identity.grantable ? (identity.granted ?? [identity]) : [];
    const accounts = all.filter(({ condition = true }) => !isNever(allOf(needed, condition)));
    const grants = accounts.map((account) => grantTo(account, make(freeChildId(this.owner, account.name), account)));
    this.made.set(identity, grants);
    return grants;
  }
}

/** Arguments of a grant: the member, the count and the dependencies. */
export function granteeArguments(
  { condition = true, member, ready }: GrantedAccount,
  needed: Condition = true,
  ...first: readonly ITerraformDependable[]
) {
  return { member, count: countIf(allOf(needed, condition)), dependsOn: ifAny([...first, ...ready]) };
}

/** Dependencies, or undefined if there are none, because the framework writes an empty list too. */
export function ifAny(dependencies: ITerraformDependable[]): ITerraformDependable[] | undefined {
  return dependencies.length === 0 ? undefined : dependencies;
}

/** Moves a grant to an existing account into a separate file; returns the grant. */
export function grantTo<Grant extends TerraformResource>({ project }: GrantedAccount, grant: Grant): Grant {
  const isOfSecret = grant.terraformResourceType.startsWith("google_secret_");
  if (project !== undefined) inFileOfExisting(grant, isOfSecret ? "accounts-secrets" : "accounts");
  return grant;
}

/** An id that is not taken by a child of the construct: the name, or the name with a number. */
export function freeChildId(scope: Construct, name: string, number = 1): string {
  const id = number === 1 ? name : `${name}${number}`;
  return scope.node.tryFindChild(id) === undefined ? id : freeChildId(scope, name, number + 1);
}
