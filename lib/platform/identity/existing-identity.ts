import { type ITerraformDependable } from "cdktf";

import { type WorkloadIdentity } from "../../core/identity";

/**
 * A service account that is managed elsewhere, together with its permissions. The only grant that it gets is on the
 * script of a Cloud Run job that runs as it, because the secret with the script is created here.
 *
 * It must be able to read the secrets, use the buckets and connect to the databases of the containers that run as it.
 * On GKE, the pods' Kubernetes service account also needs `roles/iam.workloadIdentityUser` on it, as the member
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
