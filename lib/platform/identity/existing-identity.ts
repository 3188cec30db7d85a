import { type ITerraformDependable } from "cdktf";

import { matching } from "../../core/checked-value";
import { type Identity } from "../../core/identity";
import { requireProps } from "../../core/rules";

/**
 * A service account that is managed elsewhere, with its rights. The only grant made to it here is on what only exists here:
 * the script of a Cloud Run job that runs as it.
 *
 * It must be able to read the secrets, use the bucket and connect to the database of what runs as it. On GKE, the pods'
 * Kubernetes account must be allowed to act as it too: it needs `roles/iam.workloadIdentityUser` on this service account,
 * for the member `serviceAccount:<project>.svc.id.goog[<namespace>/<name>]`.
 */
export class ExistingIdentity implements Identity {
  readonly name = "Existing";

  readonly member: string;

  readonly takesGrants = false;

  readonly ready: ITerraformDependable[] = [];

  /**
   * @param email e-mail address of the account
   * @throws RulesBrokenError when it is no such address
   */
  constructor(readonly email: string) {
    requireProps("ExistingIdentity", { email }, { email: true }, RULES);
    this.member = `serviceAccount:${email}`;
  }

  grantOnProject(): ITerraformDependable[] {
    return [];
  }
}

const EMAIL = matching("^[^\\s@:]+@[^\\s@]+[.]gserviceaccount[.]com$", {
  must: "be the e-mail address of a service account",
  remedy: "write for example runner@my-project.iam.gserviceaccount.com",
});

const RULES = [EMAIL.ruleOn<{ readonly email: string }>("email", ({ email }) => email)];
