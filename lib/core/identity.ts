import { type ITerraformDependable, type TerraformCount } from "cdktf";
import { type Construct, type IConstruct } from "constructs";

import { requireProps } from "./rules";

/** A service account that something runs as. */
export interface Identity {
  /** What the account is called among the grants of a deployment, for example `Runtime`. */
  readonly name: string;

  /** E-mail address. */
  readonly email: string;

  /** Principal as IAM writes it: `serviceAccount:<email>`. */
  readonly member: string;

  /** False for an account that is managed elsewhere, and its rights with it: no grant is made to it here but the reading of a job's script. */
  readonly takesGrants: boolean;

  /** What must exist before a grant to it can be made. */
  readonly ready: ITerraformDependable[];

  /**
   * Grants a role on the whole project, once for each id; only for roles that exist on nothing smaller. Empty when it takes
   * no grants.
   *
   * @param count number of grants, for one that is needed only sometimes
   */
  grantOnProject(id: string, role: string, count?: TerraformCount): ITerraformDependable[];
}

/**
 * The grants that the owner of a thing makes: one for each identity, however often it is asked for.
 *
 * Whoever takes the thing asks for the grant itself, so several takers may share an identity.
 */
export class Grants {
  private readonly made = new Map<Identity, ITerraformDependable[]>();

  /** @param owner construct in which the grants are made, each under the name of its identity */
  constructor(private readonly owner: Construct) {}

  /** What must exist before the identity can use the thing; empty when it takes no grants. */
  to(identity: Identity, make: (id: string) => ITerraformDependable): ITerraformDependable[] {
    requireIdentity(this.owner, identity);
    const made = this.made.get(identity);
    if (made !== undefined) return made;
    const grants = identity.takesGrants ? [make(freeChildId(this.owner, identity.name))] : [];
    this.made.set(identity, grants);
    return grants;
  }
}

/** @throws RulesBrokenError naming the owner of the thing when there is no identity to grant it to */
export function requireIdentity(owner: IConstruct, identity: Identity | undefined): void {
  requireProps(owner, { identity } as { readonly identity: Identity }, { identity: true });
}

/** An id that no child of the construct has yet: the name, or the name with a number. */
export function freeChildId(scope: Construct, name: string, number = 1): string {
  const id = number === 1 ? name : `${name}${number}`;
  return scope.node.tryFindChild(id) === undefined ? id : freeChildId(scope, name, number + 1);
}
