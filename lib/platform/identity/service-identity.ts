import { ProjectIamMember } from "@cdktf/provider-google/lib/project-iam-member";
import { ServiceAccount } from "@cdktf/provider-google/lib/service-account";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { CONTEXT_PROP, type DeploymentContext } from "../../core/deployment-context";
import { type Existing, existingOr, isExisting, isMade } from "../../core/existing";
import { attributeOf } from "../../core/expr/attributes";
import { addDynamicBlock } from "../../core/expr/blocks";
import {
  allOf,
  type Condition,
  countIf,
  isAlways,
  isNever,
  listIf,
  namedCondition,
  partIf,
  present,
} from "../../core/expr/conditions";
import { type Expr, exprOf, interpolated, namedText } from "../../core/expr/expr";
import { compact, isDistinct, jsonOf, values } from "../../core/expr/functions";
import { namedIfLong } from "../../core/expr/locals";
import { inFileOfExisting } from "../../core/hcl/stack-origin";
import { freeChildId, type GrantedAccount, type GrantLimits, ifAny, type WorkloadIdentity } from "../../core/identity";
import { type KnownPropsOf, refuseProps } from "../../core/inputs/known-props";
import { object, orResource, type PropsOf, text } from "../../core/inputs/rows";
import { type SettingsOf } from "../../core/inputs/value";
import { serviceAccountId } from "../../core/names";
import { MAIN_CHILD_ID } from "../../core/portable-stack";
import { prose } from "../../core/prose";
import { stateProvidersOf } from "../../core/provider-requirements";

/** E-mail address of a service account, without the prefix of a member. */
export const ACCOUNT_EMAIL = "^[^@:\\s]+@[^@\\s]+[.]gserviceaccount[.]com$";

const account = (runs: string) =>
  orResource(
    "email",
    ["google_service_account"],
    text({ default: null, description: `e-mail address of the one that ${runs}` }),
  );

const ACCOUNTS = {
  /** E-mail address of the account of server and workers. */
  service: account("runs server and workers"),
  /** E-mail address of the account of the initialization job. */
  job: account("prepares the database"),
  /** E-mail address of the account of the dump. */
  dump: account("dumps the database"),
  /** E-mail address of the account of the check-up. */
  checkUp: account("asks the database what stands still"),
  /** E-mail address of the account of the sign-in probe. */
  signInProbe: account("tries a sign-in"),
  /** E-mail address of the account of the recovery job. */
  recovery: account("makes a link for an administrator who is locked out"),
  /** E-mail address of the account of the image's build. */
  build: account("builds the image"),
  /**
   * E-mail address of the account that starts jobs by their schedule; unused on GKE, because the cluster starts them
   * itself.
   */
  scheduler: account("starts jobs by their schedules"),
  /** E-mail address of the nodes' account in a created cluster; unused on Cloud Run. */
  nodes: account("runs nodes that are created, which keep it"),
};

/** E-mail addresses of existing service accounts, or their resources. */
export interface AccountEmails extends PropsOf<typeof ACCOUNTS> {}

/** Input for existing service accounts. */
export const EXISTING_SERVICE_ACCOUNTS = {
  /**
   * Existing service accounts, or their resources. Each replaces an account that would be created, and gets the same
   * grants.
   */
  existingServiceAccounts: object(ACCOUNTS, {
    description: (members) =>
      prose`
        Existing service accounts, each instead of one that would be created;
        they get the same roles on the same resources. ${members} Whoever applies must be allowed to act as them.
        Changing it later rolls out new instances; see own_parts.
      `,
    must: [
      {
        each: (_, email: Expr<string | null>) => email.isNullOr((address) => address.matches(ACCOUNT_EMAIL)),
        shows: (key, email) => interpolated`${key} = ${jsonOf(email)}`,
        message: prose`
          each must be the e-mail address of a service account, without serviceAccount: and ending with
          .gserviceaccount.com, because nothing else can run a service;
          look it up with gcloud iam service-accounts list
        `,
        names: Object.keys(ACCOUNTS),
      },
      {
        condition: (accounts: Expr<Readonly<Record<string, string>>>) => {
          const emails = compact(values(accounts));
          return emails.length().gt(0).and(isDistinct(emails));
        },
        must: prose`
          have at least one account, because Terraform ignores members whose names it does not know, and each
          only once, because the end of one use would end the roles of the other;
          correct the name of the member, or make a second account
        `,
      },
    ],
  }),
};

export type ExistingAccount = Existing & {
  readonly email?: string;

  /**
   * Name of the account in the ids of its grants.
   *
   * @default - `Existing`, followed by the name of the account that would be created
   */
  readonly name?: string;
};

export function existingAccount(
  accounts: SettingsOf<typeof EXISTING_SERVICE_ACCOUNTS>["existingServiceAccounts"],
  name: keyof AccountEmails,
  own: Existing["own"],
): ExistingAccount | undefined {
  const email = accounts?.[name];
  if (email === undefined) return undefined;
  return { email, own, enabled: exprOf(email).isSet().flag };
}

export interface ServiceIdentityProps {
  /** Description of the account in the console. */
  readonly description: string;

  /** Deployment to which the account belongs. */
  readonly context: DeploymentContext;

  /** Purpose of the account, the beginning of its id: at most 17 lower-case letters and hyphens. */
  readonly purpose: string;

  /**
   * Condition under which the account exists at plan.
   *
   * @default true
   */
  readonly condition?: Condition;

  /**
   * Existing account to use instead; its address may be null at plan.
   *
   * @default - one is created
   */
  readonly existing?: ExistingAccount | undefined;

  /**
   * Dependencies of the account: `apis.ready("iam")`.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];
}

const PROPS: KnownPropsOf<ServiceIdentityProps> = {
  context: CONTEXT_PROP,
  condition: "optional",
  dependsOn: "optional",
  description: "required",
  existing: "optional",
  purpose: "required",
};

/**
 * A service account without permissions; each resource that it uses grants it access. An existing account, managed
 * elsewhere, can take its place and gets the same grants.
 */
export class ServiceIdentity extends Construct implements WorkloadIdentity {
  readonly name: string;
  readonly email: string;
  readonly member: string;
  readonly grantable = true;
  readonly condition: Condition | undefined;
  readonly granted: readonly GrantedAccount[];
  readonly ready: ITerraformDependable[];

  /** The account itself, for overrides; undefined if an existing one is used. */
  readonly account: ServiceAccount | undefined;

  /** Scope of the grants to an existing account. */
  private readonly existingScope: Construct;

  private readonly projectGrants = new Map<string, ITerraformDependable[]>();

  constructor(
    scope: Construct,
    id: string,
    private readonly props: ServiceIdentityProps,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    refuseProps(this, props, PROPS);

    const { condition = true, dependsOn, description, existing, context, purpose } = props;
    const { deployment, projectId: project } = context;
    const accountId = serviceAccountId(deployment, purpose);
    const isOwn = namedCondition(this, "IsMade", allOf(condition, isMade(existing)));
    this.account = partIf(isOwn, () => {
      const displayName = `${deployment.applicationName} ${deployment.tenantPrefix} ${purpose}`;
      const count = countIf(isOwn);
      return new ServiceAccount(this, MAIN_CHILD_ID, {
        project,
        accountId,
        description,
        count,
        dependsOn,
        displayName,
      });
    });
    this.name = id;
    this.condition = props.condition;
    // Address from the formula, because an optional account may have no attributes.
    const formula = `${accountId}@${project}.iam.gserviceaccount.com`;
    const attribute = attributeOf(this.account, "email").text;
    const ownEmail = isAlways(isOwn)
      ? attribute
      : namedText(`${this.account?.friendlyUniqueId ?? ""}_own_email`, isAlways(condition) ? attribute : formula);
    const { name = `Existing${id}` } = existing ?? {};
    this.existingScope = new Construct(scope, name);
    inFileOfExisting(this.existingScope, "accounts-project");
    const email = existing?.email && namedIfLong(this.existingScope, "Email", exprOf(existing.email)).text;
    this.email = existingOr(this, "Email", existing, email, ownEmail);
    this.member = `serviceAccount:${this.email}`;
    this.ready = present(this.account);
    const account = {
      name: id,
      email: ownEmail,
      member: `serviceAccount:${ownEmail}`,
      condition: isOwn,
      ready: this.ready,
    };
    const isUsed = namedCondition(this.existingScope, "IsUsed", allOf(condition, isExisting(existing)));
    const other = { name, member: `serviceAccount:${email}`, condition: isUsed, project: "-" };
    this.granted = [
      // An account that is not created has no address, so nothing may refer to it.
      ...(this.account === undefined ? [] : [account]),
      ...(email === undefined ? [] : [{ ...other, email, ready: [] }]),
    ];
  }

  grantOnProject(id: string, role: string, limits: GrantLimits = {}): ITerraformDependable[] {
    const key = `${id} ${limits.resource?.name ?? ""}`;
    const needed = ({ condition = true }: GrantedAccount) => allOf(limits.condition ?? true, condition);
    const accounts = this.granted.filter((account) => !isNever(needed(account)));
    const made = this.projectGrants.get(key) ?? accounts.map((account) => this.grant(id, role, account, limits));
    this.projectGrants.set(key, made);
    return made;
  }

  private grant(
    id: string,
    role: string,
    { condition = true, member, name, ready }: GrantedAccount,
    { condition: needed = true, isForExisting, project = this.props.context.projectId, resource }: GrantLimits,
  ): ProjectIamMember {
    const scope = name === this.name ? this : this.existingScope;
    const grant = new ProjectIamMember(scope, freeChildId(scope, id), {
      project,
      role,
      member,
      dependsOn: ifAny(ready),
      count: countIf(allOf(needed, condition)),
      // A changed condition creates a new grant; workloads keep the former grant until the new one exists.
      ...(resource && { lifecycle: { createBeforeDestroy: true } }),
      ...(resource && isAlways(resource.when) && { condition: onlyOn(resource, resource.name) }),
    });
    if (isForExisting === true && name === this.name) inFileOfExisting(grant, "parts");
    if (resource !== undefined && !isAlways(resource.when) && !isNever(resource.when)) {
      const list = listIf(resource.when, resource.name);
      const forEach = resource.listName === undefined ? list : namedText(resource.listName, list);
      addDynamicBlock(grant, "", "condition", { forEach, content: onlyOn(resource, "${condition.value}") });
    }
    return grant;
  }
}

/** The IAM condition of a grant that covers one resource. */
function onlyOn({ name, type }: Pick<Limit, "name" | "type">, value: string) {
  return {
    title: `Only ${name.split("/").at(-1) ?? ""}`,
    expression: `resource.type == "${type}" && resource.name == "${value}"`,
  };
}

type Limit = NonNullable<GrantLimits["resource"]>;
