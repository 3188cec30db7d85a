import { type ITerraformDependable } from "cdktf";

import { type WorkloadIdentity } from "../../core/identity";

/**
 * A service account that is managed elsewhere, together with its permissions. Its only grant is on the script of a
 * Cloud Run job that runs as this account, because the secret with the script is created here.
 *
 * The account must be able to read the secrets, use the buckets and connect to the databases of its containers. On GKE,
 * the pods' Kubernetes service account also needs `roles/iam.workloadIdentityUser` on this account, as the member
 * `serviceAccount:<project>.svc.id.goog[<namespace>/<name>]`.
 */
export class ExistingIdentity implements WorkloadIdentity {
  readonly name = "Existing";

  readonly member: string;
  readonly grantable = false;

  readonly ready: ITerraformDependable[] = [];

  /** @param email e-mail address of the account */
  constructor(readonly email: string) {
    this.member = `serviceAccount:${email}`;
  }

  grantOnProject(): ITerraformDependable[] {
    return [];
  }
}
