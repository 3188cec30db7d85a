import { Token, type IResolvable, type ITerraformDependable, type LocalExecProvisioner } from "cdktf";
import { type Construct } from "constructs";

import { settingName } from "./expression";
import { TerraformData } from "./terraform-data";

interface DeletionGuardProps {
  /** The last resources to be created: they depend on everything that must not be lost. */
  readonly dependsOn: ITerraformDependable[];
  /** Whether a destroy is refused; the value from the last apply counts. */
  readonly protect: boolean | IResolvable;
  /** What remains after a destroy, as the object of a sentence in its output. */
  readonly remains?: string;
}

/**
 * Refuses a destroy of the whole deployment before anything is lost.
 *
 * Deletion protection of single resources comes too late: Terraform first deletes what depends on them, such as the
 * versions of a protected secret, whose values cannot be recovered. This resource depends on everything else, so a
 * destroy starts here. Single resources can still be replaced.
 */
export class DeletionGuard extends TerraformData {
  constructor(scope: Construct, id: string, props: DeletionGuardProps) {
    const { dependsOn, protect, remains } = props;
    super(scope, id, {
      input: { protected: Token.asString(protect), ...(remains !== undefined && { remains }) },
      provisioners: [
        refusalOfDestroy(settingName(scope, protect, "deletionProtection"), { saysRemains: remains !== undefined }),
      ],
      dependsOn,
    });
  }
}

/**
 * A provisioner that refuses the end of a resource whose `input.protected` was not false at the last apply.
 *
 * @param protection name of the prop or input
 * @param saysRemains whether it first says what `input.remains` has
 * @param refusal what it says of the change
 * @param remedy what must come before the change
 */
export function refusalOfDestroy(
  protection: string,
  { refusal = "nothing is deleted", remedy = `apply with ${protection}=false first`, saysRemains = false } = {},
): LocalExecProvisioner {
  return {
    type: "local-exec",
    when: "destroy",
    command: `${saysRemains ? 'echo "A destroy leaves $REMAINS." >&2; ' : ""}[ "$PROTECTED" = false ] || { echo "${protection} was $PROTECTED at the last apply; ${refusal}, because data would be lost; ${remedy}." >&2; exit 1; }`,
    // A destroy provisioner can refer only to `self`.
    environment: {
      PROTECTED: "${self.input.protected}",
      // A state from before this value existed has none.
      ...(saysRemains && { REMAINS: '${try(self.input.remains, "what the last apply said")}' }),
    },
  };
}
