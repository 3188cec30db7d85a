import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account";
import { type ITerraformDependable, type TerraformCount } from "cdktf";
import { Construct } from "constructs";

import { SERVICE_ACCOUNT_ID_MAX_LENGTH, serviceAccountId, type DeploymentName } from "../core/names";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { ifKnown, requireAll, requireProps, type Rule } from "../core/rules";

export interface ServiceIdentityProps {
  /** Deployment that the account belongs to. */
  readonly deployment: DeploymentName;

  /** Project that it goes into. */
  readonly projectId: string;

  /** What the account is for, at most 17 lower-case letters and hyphens; starts the account's id. */
  readonly purpose: string;

  /** One sentence for people who find the account in the console. */
  readonly description: string;

  /**
   * Number of accounts, for an account that is needed only sometimes.
   *
   * @default - one, always
   */
  readonly count?: TerraformCount;

  /**
   * Things that must exist first, for example the gate of the identity API.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
}

/** A service account of one workload, without any right of its own: the owners of things grant access to it. */
export class ServiceIdentity extends Construct {
  /** E-mail address. Using it means waiting for the account, unless there may be none: then depend on `account`. */
  readonly email: string;

  /** Principal as IAM writes it: `serviceAccount:<email>`. */
  readonly member: string;

  /** The account itself, to depend on. */
  readonly account: ServiceAccount;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServiceIdentityProps,
  ) {
    super(scope, id);
    requireProps(this.node.path, props, { deployment: true, description: true, projectId: true, purpose: true });
    requireAll(this, props, RULES);

    const { deployment, projectId, purpose } = props;
    const accountId = serviceAccountId(deployment, purpose);

    this.account = new ServiceAccount(this, MAIN_CHILD_ID, {
      project: projectId,
      accountId,
      displayName: `${deployment.applicationName} ${deployment.tenantPrefix} ${purpose}`,
      description: props.description,
      count: props.count,
      dependsOn: props.dependsOn,
    });

    // A counted resource has no attribute of its own to refer to.
    this.email = props.count === undefined ? this.account.email : `${accountId}@${projectId}.iam.gserviceaccount.com`;
    this.member = `serviceAccount:${this.email}`;
  }

  /**
   * Grants a role on the whole project; only for roles that exist on nothing smaller.
   *
   * @param count number of grants, for one that is needed only sometimes; as many as accounts unless given
   */
  grantOnProject(id: string, role: string, count: TerraformCount | undefined = this.props.count): ProjectIamMember {
    return new ProjectIamMember(this, id, {
      project: this.props.projectId,
      role,
      member: this.member,
      count,
      dependsOn: [this.account],
    });
  }
}

/** Characters of an id without its purpose; the hash has the same length whatever it is made of. */
const ID_FRAME_LENGTH = serviceAccountId({ tenantPrefix: "", applicationName: "" }, "").length;
const PURPOSE_MAX_LENGTH = SERVICE_ACCOUNT_ID_MAX_LENGTH - ID_FRAME_LENGTH;

const RULES: readonly Rule<ServiceIdentityProps>[] = [
  {
    holds: ({ purpose }) => ifKnown(purpose, (known) => known.length <= PURPOSE_MAX_LENGTH),
    message: ({ purpose }) =>
      `purpose ${purpose} is ${purpose.length} characters, the limit is ${PURPOSE_MAX_LENGTH}, because an account id holds ${SERVICE_ACCOUNT_ID_MAX_LENGTH} and a hash takes the rest; shorten it by ${purpose.length - PURPOSE_MAX_LENGTH}`,
  },
];
