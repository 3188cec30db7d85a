import { stringsIn, valueAt } from "../../stacks/configuration-graph";
import { type DefaultDeployment, type Element } from "./default-deployment";
import { ROLES } from "./picture-words";

/** That one may do something with another. */
export interface Access {
  readonly from: Element;
  readonly to: Element;
  readonly words: string;
}

/** What everybody may do with a resource. */
interface PublicAccess {
  readonly to: Element;
  readonly words: string;
}

/** A right on the whole project. */
interface ProjectRight {
  readonly of: Element;
  readonly words: string;
}

/** The argument of a grant that names what it is about, the type of that, and the argument with which that names itself. */
const TARGETS: Readonly<Record<string, readonly [argument: string, type: string, name: string]>> = {
  google_artifact_registry_repository_iam_member: [
    "repository",
    "google_artifact_registry_repository",
    "repository_id",
  ],
  google_cloud_run_v2_job_iam_member: ["name", "google_cloud_run_v2_job", "name"],
  google_secret_manager_secret_iam_member: ["secret_id", "google_secret_manager_secret", "secret_id"],
  google_storage_bucket_iam_member: ["bucket", "google_storage_bucket", "name"],
};

/** Roles on the project that are about every resource of a type. */
const TYPE_OF_ROLE: Readonly<Record<string, string>> = { "roles/cloudsql.client": "google_sql_database_instance" };

const EVERYBODY = ["allUsers", "allAuthenticatedUsers"];

const MAY_ACT = "roles/iam.workloadIdentityUser";

/** Who acts as which service account, and what each may do, from the grants of a configuration. */
export class AccessRights {
  readonly accesses: readonly Access[];
  readonly publicAccesses: readonly PublicAccess[];
  readonly projectRights: readonly ProjectRight[];
  private readonly accounts: readonly Element[];
  private readonly actors = new Map<Element, readonly Element[]>();

  /** @param programs What can act as a service account */
  constructor(
    private readonly deployment: DefaultDeployment,
    private readonly programs: readonly Element[],
  ) {
    this.accounts = deployment.existingOf("google_service_account");
    const grants = deployment.existing.filter(({ type }) => type.endsWith("_iam_member"));
    const onTargets = grants.filter(({ type }) => type in TARGETS);
    const onProject = grants.filter(({ type }) => type === "google_project_iam_member");
    const aboutType = onProject.filter(({ block }) => String(block.role) in TYPE_OF_ROLE);
    const other = grants.find(
      (grant) => ![...onTargets, ...onProject].includes(grant) && grant.type !== "google_service_account_iam_member",
    );
    if (other !== undefined) throw new Error(`${other.address} is a grant that is not drawn; add its type to TARGETS`);

    const toEverybody = onTargets.filter(({ block }) => EVERYBODY.includes(String(block.member)));
    this.publicAccesses = toEverybody.map((grant) => ({ to: this.targetOf(grant), words: wordsOf(grant) }));
    this.accesses = [
      ...onTargets
        .filter((grant) => !toEverybody.includes(grant))
        .flatMap((grant) => this.accessesBy(grant, [this.targetOf(grant)])),
      ...aboutType.flatMap((grant) =>
        this.accessesBy(grant, deployment.existingOf(TYPE_OF_ROLE[String(grant.block.role)] ?? "")),
      ),
    ];
    this.projectRights = onProject
      .filter((grant) => !aboutType.includes(grant))
      .flatMap((grant) => this.holders(grant).map((of) => ({ of, words: wordsOf(grant) })));
  }

  /** The accounts as which a program acts, each as the beginning of its name. */
  accountsOf(program: Element): string[] {
    return this.accounts
      .filter((account) => this.actorsAs(account).includes(program))
      .map(({ block }) => this.deployment.shownName(block.account_id));
  }

  private accessesBy(grant: Element, targets: readonly Element[]): Access[] {
    return this.holders(grant).flatMap((from) => targets.map((to) => ({ from, to, words: wordsOf(grant) })));
  }

  private targetOf({ address, block, type }: Element): Element {
    const [argument = "", targetType = "", name = ""] = TARGETS[type] ?? [];
    const references = this.deployment.named(block[argument]);
    const target = this.deployment
      .existingOf(targetType)
      .find((each) => references.has(each.address) || each.block[name] === block[argument]);
    if (target === undefined) throw new Error(`${address} is about nothing that exists`);
    return target;
  }

  private holders({ address, block }: Element): Element[] {
    const holders = this.accounts
      .filter((account) => this.isNamedIn(account, block.member))
      .flatMap((account) => this.actorsAs(account));
    if (holders.length === 0)
      throw new Error(`${address} gives ${String(block.member)}, as whom nothing acts, a right`);
    return holders;
  }

  private actorsAs(account: Element): readonly Element[] {
    const actors = this.actors.get(account) ?? this.findActorsAs(account);
    this.actors.set(account, actors);
    return actors;
  }

  private findActorsAs(account: Element): readonly Element[] {
    const inCluster = this.deployment
      .existingOf("kubernetes_service_account_v1")
      .filter(({ block }) => this.isNamedIn(account, valueAt(block, "metadata.annotations")))
      .filter(({ block }) => this.mayActAs(account, String(valueAt(block, "metadata.name"))));
    return this.programs.filter(
      ({ block }) =>
        this.isNamedIn(account, block) || inCluster.some(({ address }) => this.deployment.named(block).has(address)),
    );
  }

  private mayActAs(account: Element, name: string): boolean {
    return this.deployment
      .existingOf("google_service_account_iam_member")
      .some(
        ({ block }) =>
          block.role === MAY_ACT &&
          this.isNamedIn(account, block.service_account_id) &&
          String(block.member).endsWith(`/${name}]`),
      );
  }

  private isNamedIn(account: Element, value: unknown): boolean {
    return (
      this.deployment.named(value).has(account.address) ||
      stringsIn(value).some((text) => text.includes(`${String(account.block.account_id)}@`))
    );
  }
}

function wordsOf({ block }: Element): string {
  const role = String(block.role);
  return ROLES[role] ?? role;
}
