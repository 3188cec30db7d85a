import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account";
import { type ITerraformDependable, type TerraformCount } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { type WorkloadIdentity } from "../../core/identity";
import { serviceAccountId } from "../../core/names";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { stateProvidersOf } from "../../core/provider-requirements";

export interface ServiceIdentityProps {
  /** Description of the account in the console. */
  readonly description: string;

  /** Deployment to which the account belongs. */
  readonly place: DeploymentContext;

  /** Purpose of the account, the beginning of its id: at most 17 lower-case letters and hyphens. */
  readonly purpose: string;

  /**
   * Condition under which the account exists at plan, as a string: `true`, `false` or a boolean expression.
   *
   * @default "true"
   */
  readonly condition?: string;

  /**
   * What must exist first: `apis.ready("iam")`.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
}

/** A new service account without permissions; each resource that it uses grants it access. */
export class ServiceIdentity extends Construct implements WorkloadIdentity {
  readonly name: string;

  readonly email: string;

  readonly member: string;

  readonly grantable = true;

  readonly condition: string | undefined;

  readonly ready: ITerraformDependable[];

  /** The account itself, for overrides. */
  readonly account: ServiceAccount;

  private readonly projectGrants = new Map<string, ITerraformDependable[]>();

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServiceIdentityProps,
  ) {
    super(scope, id);
    stateProvidersOf(this);

    const { condition, dependsOn, description, place, purpose } = props;
    const { deployment, projectId: project } = place;
    const accountId = serviceAccountId(deployment, purpose);
    const count = countIf(condition);
    this.account = new ServiceAccount(this, MAIN_CHILD_ID, {
      ...{ project, accountId, description, count, dependsOn },
      displayName: `${deployment.applicationName} ${deployment.tenantPrefix} ${purpose}`,
    });
    this.name = id;
    this.condition = condition;
    // With `count` the resource is a list, which has no attribute to refer to.
    this.email = count === undefined ? this.account.email : `${accountId}@${project}.iam.gserviceaccount.com`;
    this.member = `serviceAccount:${this.email}`;
    this.ready = [this.account];
  }

  grantOnProject(
    id: string,
    role: string,
    count: TerraformCount | undefined = countIf(this.props.condition),
  ): ITerraformDependable[] {
    const { projectId: project } = this.props.place;
    const grants = this.projectGrants.get(id) ?? [
      new ProjectIamMember(this, id, { project, role, member: this.member, count, dependsOn: this.ready }),
    ];
    this.projectGrants.set(id, grants);
    return grants;
  }
}
