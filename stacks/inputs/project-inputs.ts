import {
  TerraformLocal,
  Token,
  type IResolvable,
  type TerraformStack,
  type TerraformVariableValidationConfig,
} from "cdktf";
import { Construct } from "constructs";

import { InputVariable } from "../../lib/core/input-variable";
import {
  APPLICATION_NAME_MAX_LENGTH,
  BUCKET_NAME_RESERVED_WORD,
  PROJECT_ID_PATTERN,
  TENANT_ID_MAX_LENGTH,
  tenantPrefix,
  type DeploymentName,
} from "../../lib/core/names";

/** What a platform adds. */
export interface ProjectInputsProps {
  /**
   * What else is protected, followed by a comma.
   *
   * @default - nothing
   */
  readonly alsoProtected?: string;

  /**
   * Rules on the names together, for the input `application_name`.
   *
   * @default - none
   */
  readonly namesFit?: readonly TerraformVariableValidationConfig[];
}

/** Where a deployment is, what it is called, and what keeps it from being deleted. */
export class ProjectInputs extends Construct {
  readonly projectId: string;
  readonly region: string;
  readonly deployment: DeploymentName;
  readonly deletionProtection: IResolvable;
  readonly labels: Record<string, string>;

  constructor(stack: TerraformStack, props: ProjectInputsProps = {}) {
    super(stack, "project-inputs");
    const { alsoProtected = "" } = props;

    this.projectId = new InputVariable(this, "project_id", {
      type: "string",
      description:
        "Project that everything goes into; it must exist and have billing. Another project is another deployment.",
      validation: [
        {
          condition: `\${can(regex("${PROJECT_ID_PATTERN}", var.project_id))}`,
          errorMessage:
            'project_id is "${var.project_id}"; it must be the id of a project, 6 to 30 lower-case letters, digits and hyphens that start with a letter, because every address is built from it; use the id, not the name or the number.',
        },
      ],
    }).stringValue;

    this.region = new InputVariable(this, "region", {
      type: "string",
      default: "us-central1",
      description:
        "Region of all resources. Changing it later replaces the database and the media bucket with empty ones.",
      validation: [
        {
          condition: '${can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))}',
          errorMessage:
            'region is "${var.region}"; it must be the name of a region such as us-central1, because database, bucket and service live in one; a zone has one more letter at the end, leave that out.',
        },
      ],
    }).stringValue;

    const tenantId = new InputVariable(this, "tenant_id", {
      type: "string",
      default: "demo",
      description: `Tenant that owns this deployment: 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens, part of every name. Changing it later is another, empty deployment.`,
      validation: [
        {
          condition: `\${can(regex("^[a-z0-9-]{1,${TENANT_ID_MAX_LENGTH}}$", var.tenant_id))}`,
          errorMessage: `tenant_id is "\${var.tenant_id}"; it must be 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens, because it is part of names that allow nothing else; shorten or rewrite it.`,
        },
      ],
    }).stringValue;

    const applicationName = new InputVariable(this, "application_name", {
      type: "string",
      default: "idp",
      description: `Name of the application, part of every name: 1 to ${APPLICATION_NAME_MAX_LENGTH} lower-case letters, digits and hyphens that start with a letter. Changing it later is another, empty deployment.`,
      validation: [
        {
          condition: `\${can(regex("^[a-z]([a-z0-9-]{0,${APPLICATION_NAME_MAX_LENGTH - 2}}[a-z0-9])?$", var.application_name))}`,
          errorMessage: `application_name is "\${var.application_name}"; it must be 1 to ${APPLICATION_NAME_MAX_LENGTH} lower-case letters, digits and hyphens that start with a letter and do not end with a hyphen, because service, job and bucket names are built from it; shorten or rewrite it.`,
        },
        {
          condition: `\${!strcontains(join("", [var.application_name, var.tenant_id]), "${BUCKET_NAME_RESERVED_WORD}")}`,
          errorMessage: `application_name and tenant_id make "\${var.application_name}\${var.tenant_id}" together; that must not contain "${BUCKET_NAME_RESERVED_WORD}", because it is part of the bucket's name and the store reserves that word; rename one of them.`,
        },
        ...(props.namesFit ?? []),
      ],
    }).stringValue;

    this.deletionProtection = new InputVariable(this, "deletion_protection", {
      type: "bool",
      default: true,
      description: `Refuses to delete what holds data: ${alsoProtected}database, secrets, and the media bucket while it has files. To destroy a deployment, apply it with false first.`,
    }).booleanValue;

    new InputVariable(this, "labels", {
      type: "map(string)",
      default: {},
      description: "Labels on everything that takes them, beside application and tenant. Changing them later is safe.",
      validation: [
        {
          condition:
            '${alltrue([for key, value in var.labels : can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) && can(regex("^[a-z0-9_-]{0,63}$", value))])}',
          errorMessage:
            'labels has ${join(", ", [for key, value in var.labels : jsonencode(key) if !can(regex("^[a-z][a-z0-9_-]{0,62}$", key)) || !can(regex("^[a-z0-9_-]{0,63}$", value))])}; keys are 1 to 63 and values up to 63 lower-case letters, digits, hyphens and underscores, keys start with a letter, because the platform refuses others; rewrite them.',
        },
      ],
    });

    this.deployment = {
      tenantPrefix: this.local("tenant_prefix", tenantPrefix(tenantId, this.projectId)).asString,
      applicationName,
    };
    this.labels = Token.asStringMap(
      this.local("all_labels", "${merge({application = var.application_name, tenant = var.tenant_id}, var.labels)}")
        .expression,
    );
  }

  /** Names a value that is derived from inputs, so that plans and messages stay short. */
  private local(name: string, value: unknown): TerraformLocal {
    const local = new TerraformLocal(this, name, value);
    local.overrideLogicalId(name);
    return local;
  }
}
