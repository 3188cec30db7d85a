import { type IResolvable, type ITerraformDependable, type LocalExecProvisioner, TerraformElement, Token } from "cdktf";
import { type Construct } from "constructs";

import { settingName } from "./expr/locals";
import { TerraformData, type TerraformDataProps } from "./terraform-data";

export interface Protection {
  /** The resources that are created last, because they depend on everything that must not be lost. */
  readonly dependsOn: ITerraformDependable[];
  /** Whether deletion of the guard is refused; the value at the last apply counts. */
  readonly protect: boolean | IResolvable;
}

interface Refusal extends Pick<TerraformDataProps, "count" | "triggersReplace"> {
  /** Clause of the error message about the refused change. */
  readonly refusal?: string;
  /** Steps that the error message names besides switching the protection off. */
  readonly remedy?: string;
  /** Objects that remain after a destroy, for a sentence in its output. */
  readonly remains?: string;
}

/**
 * Refuses a destroy of the whole deployment before anything is lost.
 *
 * Deletion protection of single resources acts too late: Terraform first deletes their dependents, such as the versions
 * of a protected secret, and these values cannot be recovered. A guard depends on everything else, so a destroy begins
 * with the guard. Single resources can still be replaced.
 */
export function guardDestroy(
  scope: Construct,
  id: string,
  { dependsOn, protect }: Protection,
  { refusal = "nothing is deleted", remains, remedy = "first", ...own }: Refusal = {},
): TerraformData {
  return new TerraformData(scope, id, {
    input: { protected: Token.asString(protect), ...(remains !== undefined && { remains }) },
    provisioners: [refusalOf(scope, protect, { refusal, remains, remedy })],
    dependsOn,
    ...own,
  });
}

/**
 * Refuses removal of a guard that is in the state, but no longer in the program.
 *
 * Terraform runs the destroy provisioner of a removed resource only from a `removed` block.
 *
 * @param id id of the former guard
 */
export function refuseRemoval(
  scope: Construct,
  id: string,
  { protect }: Pick<Protection, "protect">,
  { refusal = "nothing is deleted", remedy = "first" }: Pick<Refusal, "refusal" | "remedy">,
): void {
  new RemovedGuard(scope, id, refusalOf(scope, protect, { refusal, remedy }));
}

class RemovedGuard extends TerraformElement {
  constructor(
    scope: Construct,
    id: string,
    private readonly provisioner: LocalExecProvisioner,
  ) {
    super(scope, id, "terraform_data");
  }

  override toTerraform(): unknown {
    const { type, ...body } = this.provisioner;
    const from = `terraform_data.${this.friendlyUniqueId}`;
    return { removed: [{ from, lifecycle: { destroy: true }, provisioner: [{ [type]: body }] }] };
  }
}

function refusalOf(
  scope: Construct,
  protect: Protection["protect"],
  {
    refusal,
    remains,
    remedy,
  }: Required<Pick<Refusal, "refusal" | "remedy">> & { readonly remains?: string | undefined },
): LocalExecProvisioner {
  const protection = settingName(scope, protect, "deletionProtection");
  const saysRemains = remains === undefined ? "" : 'echo "A destroy leaves $REMAINS." >&2; ';
  const says = `${protection} was $PROTECTED at the last apply; ${refusal}, because data would be lost;`;
  const fix = `apply with ${protection}=false ${remedy}.`;
  return {
    type: "local-exec",
    when: "destroy",
    command: `${saysRemains}[ "$PROTECTED" = false ] || { echo "${says} ${fix}" >&2; exit 1; }`,
    // A destroy provisioner can refer only to `self`.
    environment: {
      PROTECTED: "${self.input.protected}",
      // States of older releases lack this value.
      ...(remains !== undefined && { REMAINS: '${try(self.input.remains, "what the last apply said")}' }),
    },
  };
}
