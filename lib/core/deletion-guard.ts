import { Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { settingName } from "./expression";
import { TerraformData, type TerraformDataProps } from "./terraform-data";

export interface Protection {
  /** The last resources to be created: they depend on everything that must not be lost. */
  readonly dependsOn: ITerraformDependable[];
  /** Whether the end of the guard is refused; the value from the last apply counts. */
  readonly protect: boolean | IResolvable;
}

interface Refusal extends Pick<TerraformDataProps, "count" | "triggersReplace"> {
  /** What it says of the change. */
  readonly refusal?: string;
  /** What must come with the end of the protection, and after it. */
  readonly remedy?: string;
  /** What remains after a destroy, as the object of a sentence in its output. */
  readonly remains?: string;
}

/**
 * Refuses a destroy of the whole deployment before anything is lost.
 *
 * Deletion protection of single resources comes too late: Terraform first deletes what depends on them, such as the
 * versions of a protected secret, whose values cannot be recovered. A guard depends on everything else, so a destroy
 * starts there. Single resources can still be replaced.
 */
export function guardDestroy(
  scope: Construct,
  id: string,
  { dependsOn, protect }: Protection,
  { refusal = "nothing is deleted", remains, remedy = "first", ...own }: Refusal = {},
): TerraformData {
  const protection = settingName(scope, protect, "deletionProtection");
  const saysRemains = remains === undefined ? "" : 'echo "A destroy leaves $REMAINS." >&2; ';
  return new TerraformData(scope, id, {
    input: { protected: Token.asString(protect), ...(remains !== undefined && { remains }) },
    provisioners: [
      {
        type: "local-exec",
        when: "destroy",
        command: `${saysRemains}[ "$PROTECTED" = false ] || { echo "${protection} was $PROTECTED at the last apply; ${refusal}, because data would be lost; apply with ${protection}=false ${remedy}." >&2; exit 1; }`,
        // A destroy provisioner can refer only to `self`.
        environment: {
          PROTECTED: "${self.input.protected}",
          // A state from before this value existed has none.
          ...(remains !== undefined && { REMAINS: '${try(self.input.remains, "what the last apply said")}' }),
        },
      },
    ],
    dependsOn,
    ...own,
  });
}
