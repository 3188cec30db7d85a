import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { addDynamicBlock, countIf, listIf } from "../../core/conditional";
import { quoted } from "../../core/expression";
import { freeChildId, type GrantLimits, type WorkloadIdentity } from "../../core/identity";
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
    { count = countIf(this.props.condition), resource }: GrantLimits = {},
  ): ITerraformDependable[] {
    const { projectId: project } = this.props.place;
    const key = `${id} ${resource?.name ?? ""}`;
    const made = this.projectGrants.get(key);
    if (made !== undefined) return made;
    const grant = new ProjectIamMember(this, freeChildId(this, id), {
      ...{ project, role, member: this.member, count, dependsOn: this.ready },
      // Another condition is another grant: what runs keeps the former one until the new one exists.
      ...(resource && { lifecycle: { createBeforeDestroy: true } }),
    });
    if (resource !== undefined) {
      addDynamicBlock(grant, "", "condition", {
        forEach: listIf(resource.when, quoted(resource.name)),
        content: {
          title: `Only ${resource.name.split("/").at(-1) ?? ""}`,
          expression: `resource.type == "${resource.type}" && resource.name == "\${condition.value}"`,
        },
      });
    }
    this.projectGrants.set(key, [grant]);
    return [grant];
  }
}
