import { type CloudRunV2Service } from "@cdktf/provider-google/lib/cloud-run-v2-service";
import { CloudRunV2ServiceIamMember } from "@cdktf/provider-google/lib/cloud-run-v2-service-iam-member";
import { type IResolvable, Token } from "cdktf";
import { Construct } from "constructs";

import { attributeOf } from "../../core/expr/attributes";
import { allOf, type Condition, countIf, isNever } from "../../core/expr/conditions";
import { type Expr, exprOf } from "../../core/expr/expr";
import { expression } from "../../core/expr/terraform-text";
import { textOrFlag } from "../../core/inputs/rows";
import { oneOf } from "../../core/inputs/rules";
import { prose } from "../../core/prose";

/** Words for the callers that need no permission; true means `invoker-check-off`, and false means `none`. */
const WORDS = ["invoker-check-off", "all-users", "none", "true", "false"] as const;

/** Input for the access to the service. */
export const PUBLIC_ACCESS = {
  /**
   * Allowed callers: everybody, by `invoker-check-off` or by a role for `all-users`; or, with `none`, only accounts
   * with the role.
   */
  publicAccess: textOrFlag({
    default: "invoker-check-off",
    description: prose`
      Who may call the service. A sign-in page must be open: invoker-check-off (or true) checks no role;
      all-users grants everybody the role, for organizations that require the check.
      none (or false) allows only callers with roles/run.invoker, which browsers do not have.
      Changing it later takes effect at once.
    `,
    must: {
      ...oneOf(WORDS, {
        because: "nothing else decides who may call the service",
        fix: "use invoker-check-off",
      }),
      schema: { enum: [...WORDS, true, false] },
    },
  }),
};

/** The word for the allowed callers. */
export function accessOf(given: boolean | string | IResolvable): string {
  return typeof given === "object" ? expression(`tostring(${Token.asString(given)})`) : String(given);
}

/** Whether the service checks no permission of callers. */
export function isCheckOff(access: string): Expr<boolean> {
  return exprOf(access).eq("invoker-check-off").or(exprOf(access).eq("true"));
}

/** Whether everybody can call the service. */
export function isOpen(access: string): Expr<boolean> {
  return exprOf(access).isOneOf(["none", "false"]).not();
}

/**
 * Grants everybody the role to call the service, if the input says so.
 *
 * @param isMade whether there is the service
 */
export function grantPublicAccess(
  scope: Construct,
  service: CloudRunV2Service,
  access: string,
  isMade: Condition = true,
): void {
  const condition = allOf(isMade, exprOf(access).eq("all-users"));
  if (isNever(condition)) return;
  new CloudRunV2ServiceIamMember(new Construct(scope, "PublicAccess"), "AllUsers", {
    project: attributeOf(service, "project").text,
    location: attributeOf(service, "location").text,
    name: attributeOf(service, "name").text,
    role: "roles/run.invoker",
    member: "allUsers",
    count: countIf(condition),
  });
}
