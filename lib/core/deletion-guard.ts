import { Token, type IResolvable, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { calledIn } from "./expression";
import { TerraformData } from "./terraform-data";
import { requireProps } from "./rules";

export interface DeletionGuardProps {
  /** What comes last at apply, with everything that must not be lost below it. */
  readonly dependsOn: ITerraformDependable[];

  /** Whether a destroy is refused; the value of the last apply counts. */
  readonly protect: boolean | IResolvable;
}

/**
 * Refuses a destroy of the whole deployment before anything is lost.
 *
 * Deletion protection of single resources is too late for that: Terraform deletes what depends on them first, the
 * versions of a protected secret for one, and their values never come back. This has everything below it, so a destroy
 * begins here. Single resources may still be replaced.
 */
export class DeletionGuard extends TerraformData {
  constructor(scope: Construct, id: string, props: DeletionGuardProps) {
    requireProps(`${scope.node.path}/${id}`, props, { dependsOn: true, protect: true });
    const { dependsOn, protect } = props;
    const input = calledIn(scope, protect, "deletionProtection");
    super(scope, id, {
      input: { protected: Token.asString(protect) },
      provisioners: [
        {
          type: "local-exec",
          when: "destroy",
          command: `[ "$PROTECTED" = false ] || { echo "${input} is $PROTECTED; nothing is deleted, because data would be lost; apply with ${input}=false first." >&2; exit 1; }`,
          // The only values that Terraform has at destroy.
          environment: { PROTECTED: "${self.input.protected}" },
        },
      ],
      dependsOn,
    });
  }
}
