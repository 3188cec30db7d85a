import { ProjectIamAuditConfig } from "@cdktf/provider-google/lib/project-iam-audit-config";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { countIf } from "../../core/conditional";
import { type DeploymentContext } from "../../core/place";
import { MAIN_CHILD_ID } from "../../core/portable-stack";

export interface SecretAuditProps {
  /** Determines the project. */
  readonly place: DeploymentContext;

  /** Whether it exists, as a string: `true`, `false` or a boolean expression. Default: "true". */
  readonly condition?: string;

  /** What must exist first: `apis.ready("secretmanager", "logging")`. Default: nothing. */
  readonly dependsOn?: ITerraformDependable[];
}

/**
 * Logs every read of a secret in the project.
 *
 * A project has one such setting for Secret Manager: this one replaces it, and a destroy removes it.
 */
export class SecretAudit extends Construct {
  /** What must exist before reads are logged. */
  readonly ready: ITerraformDependable[];

  /** The audit setting itself, for overrides. */
  readonly audit: ProjectIamAuditConfig;

  constructor(scope: Construct, id: string, props: SecretAuditProps) {
    super(scope, id);
    const { condition, dependsOn, place } = props;

    this.audit = new ProjectIamAuditConfig(this, MAIN_CHILD_ID, {
      project: place.projectId,
      service: "secretmanager.googleapis.com",
      auditLogConfig: [{ logType: "DATA_READ" }],
      count: countIf(condition),
      dependsOn,
    });

    this.ready = [this.audit];
  }
}
