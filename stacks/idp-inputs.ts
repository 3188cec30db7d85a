import { TerraformLocal, Token, type TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { InputVariable, type InputVariableProps } from "../lib/core/input-variable";
import {
  APPLICATION_NAME_MAX_LENGTH,
  CONNECTION_NAME_BUDGET,
  SQL_INSTANCE_NAME_FRAME_LENGTH,
  TENANT_ID_MAX_LENGTH,
  tenantPrefix,
  type DeploymentName,
} from "../lib/core/names";
import { BASELINE_ENVIRONMENT, LATEST_VERSION, OLDEST_VERSION, PINNED_VERSION } from "../lib/idp/contract";
import { environmentValidations } from "../lib/idp/environment-rules";
import { databaseTierValidation, DEFAULT_DATABASE_TIER } from "../lib/platform/database-tier";
import { type NetworkAttachment } from "../lib/platform/network-attachment";

/** Inputs that both variants of the identity provider have, declared in the stack under exactly these names. */
export class IdpInputs {
  readonly projectId: string;
  readonly region: string;
  readonly deployment: DeploymentName;
  readonly applicationVersion: string;
  readonly bootstrapPassword: string;
  readonly bootstrapPasswordVersion: number;
  readonly environment: ReturnType<typeof Token.asAny>;
  readonly databaseTier: string;
  readonly databaseAvailability: string;
  readonly network: NetworkAttachment;
  readonly deletionProtection: InputVariable["booleanValue"];
  readonly existingContainerImage: string;
  readonly labels: Record<string, string>;

  private readonly scope: Construct;

  constructor(stack: TerraformStack) {
    // A scope of their own, because an output may have the name of an input.
    this.scope = new Construct(stack, "inputs");

    this.projectId = this.variable("project_id", {
      type: "string",
      description:
        "Project that everything goes into; it must exist and have billing. Another project is another deployment.",
      validation: [
        {
          condition: '${can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project_id))}',
          errorMessage:
            'project_id is "${var.project_id}"; it must be the id of a project, 6 to 30 lower-case letters, digits and hyphens that start with a letter, because every address is built from it; use the id, not the name or the number.',
        },
      ],
    }).stringValue;

    this.region = this.variable("region", {
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

    const tenantId = this.variable("tenant_id", {
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

    const applicationName = this.variable("application_name", {
      type: "string",
      default: "idp",
      description: `Name of the application, part of every name: 1 to ${APPLICATION_NAME_MAX_LENGTH} lower-case letters, digits and hyphens that start with a letter. Changing it later is another, empty deployment.`,
      validation: [
        {
          condition: `\${can(regex("^[a-z]([a-z0-9-]{0,${APPLICATION_NAME_MAX_LENGTH - 2}}[a-z0-9])?$", var.application_name))}`,
          errorMessage: `application_name is "\${var.application_name}"; it must be 1 to ${APPLICATION_NAME_MAX_LENGTH} lower-case letters, digits and hyphens that start with a letter and do not end with a hyphen, because service, job and bucket names are built from it; shorten or rewrite it.`,
        },
        {
          condition: `\${${CONNECTION_NAME_LENGTH} <= ${CONNECTION_NAME_BUDGET}}`,
          errorMessage: `application_name, tenant_id, project_id and region are too long together; the path of the database socket has room for ${CONNECTION_NAME_BUDGET} characters of them and needs \${${CONNECTION_NAME_LENGTH}}, because a socket address holds 108 bytes; shorten application_name or tenant_id by \${${CONNECTION_NAME_LENGTH} - ${CONNECTION_NAME_BUDGET}}.`,
        },
      ],
    }).stringValue;

    this.applicationVersion = this.variable("application_version", {
      type: "string",
      default: LATEST_VERSION,
      description: `Release to run: "${LATEST_VERSION}" for the known-good ${PINNED_VERSION}, or an exact release from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on. A newer one builds an image, rolls it out and migrates the database; there is no way back.`,
      validation: [
        {
          condition: `\${var.application_version == "${LATEST_VERSION}" || try(${SUPPORTED_RELEASE}, false)}`,
          errorMessage: `application_version is "\${var.application_version}"; it must be "${LATEST_VERSION}" or an exact release from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on, because older ones need a Redis and rolling tags change without notice; use for example "${PINNED_VERSION}".`,
        },
      ],
    }).stringValue;

    this.bootstrapPassword = this.variable("bootstrap_password", {
      type: "string",
      default: null,
      ephemeral: true,
      sensitive: true,
      description:
        "First password of the built-in administrator; none generates one of 24 characters. The application reads it on its first start only; later it is changed inside the application. Kept in the secret store, never in the state.",
      validation: [
        {
          condition: "${var.bootstrap_password == null ? true : length(var.bootstrap_password) >= 8}",
          errorMessage:
            "bootstrap_password is given with fewer than 8 characters; the sign-in page of the first administrator is public and a short one is guessed; give a longer one, or none to generate it.",
        },
      ],
    }).stringValue;

    this.bootstrapPasswordVersion = this.variable("bootstrap_password_version", {
      type: "number",
      default: 1,
      description:
        "Raise it by one to have bootstrap_password written to the secret store. The application reads it on its first start only, so this changes no password of a deployment that has started once.",
      validation: [
        {
          condition:
            "${var.bootstrap_password_version >= 1 && floor(var.bootstrap_password_version) == var.bootstrap_password_version}",
          errorMessage:
            "bootstrap_password_version is ${var.bootstrap_password_version}; it must be a whole number from 1, because a change of it is what writes the secret; use 1 and raise it by one.",
        },
      ],
    }).numberValue;

    this.environment = this.variable("environment_variables", {
      type: "map(string)",
      default: {},
      description: `Settings of the application in IDP_ names; they win over the baseline (${Object.entries(
        BASELINE_ENVIRONMENT,
      )
        .map(([name, value]) => `${name}=${value}`)
        .join(", ")}). A change rolls out new instances.`,
      validation: environmentValidations("environment_variables"),
    }).value;

    this.databaseTier = this.variable("database_tier", {
      type: "string",
      default: DEFAULT_DATABASE_TIER,
      description:
        "Size of the database, db-custom-<CPUs>-<memory in MB>. It decides how many connections there are, and so how many instances fit. Changing it later restarts the database.",
      validation: [databaseTierValidation("database_tier")],
    }).stringValue;

    this.databaseAvailability = this.variable("database_availability", {
      type: "string",
      default: "ZONAL",
      description:
        "ZONAL, or REGIONAL with a standby in another zone at about twice the price. Changing it later restarts the database.",
      validation: [
        {
          condition: '${contains(["ZONAL", "REGIONAL"], var.database_availability)}',
          errorMessage:
            'database_availability is "${var.database_availability}"; it must be ZONAL or REGIONAL, because the platform knows no other; use ZONAL for one zone, REGIONAL for a standby in another.',
        },
      ],
    }).stringValue;

    this.network = {
      network: this.variable("network", {
        type: "string",
        default: null,
        description:
          "Existing network, projects/<project>/global/networks/<name>, that already has private services access: the database gets a private address on it and no public one. None leaves a public address that only authorized proxy connections can use. Once given it cannot be taken back.",
        validation: [
          {
            condition:
              '${var.network == null ? true : can(regex("^projects/[^/]+/global/networks/[^/]+$", var.network))}',
            errorMessage:
              'network is "${coalesce(var.network, "null")}"; it must be projects/<project>/global/networks/<name>, because the network may belong to another project; write it in full.',
          },
          {
            condition: "${(var.network == null) == (var.subnetwork == null)}",
            errorMessage:
              "network and subnetwork must be given together or not at all, because the service reaches the network through the subnetwork; give both, or remove both.",
          },
        ],
      }).stringValue,
      subnetwork: this.variable("subnetwork", {
        type: "string",
        default: null,
        description:
          "Subnetwork of that network in the same region, projects/<project>/regions/<region>/subnetworks/<name>, /26 or larger: instances take addresses from it. After a destroy the platform holds these addresses for one to two hours.",
        validation: [
          {
            condition:
              '${var.subnetwork == null ? true : can(regex("^projects/[^/]+/regions/${var.region}/subnetworks/[^/]+$", var.subnetwork))}',
            errorMessage:
              'subnetwork is "${coalesce(var.subnetwork, "null")}"; it must be projects/<project>/regions/${var.region}/subnetworks/<name>, because instances take addresses in their own region only; write it in full.',
          },
        ],
      }).stringValue,
    };

    this.deletionProtection = this.variable("deletion_protection", {
      type: "bool",
      default: true,
      description:
        "Refuses to delete what holds data: database, secrets, and the media bucket while it has files. To destroy a deployment, apply it with false first.",
    }).booleanValue;

    this.existingContainerImage = this.variable("existing_container_image", {
      type: "string",
      default: null,
      description:
        "Image with its tag that is run instead of one built here, for example one that was built by this stack in another project. Then no repository is created and nothing is built.",
      validation: [
        {
          condition:
            '${var.existing_container_image == null ? true : can(regex("^[^\\\\s/]+/[^\\\\s]+(:[^\\\\s/]+|@sha256:[0-9a-f]{64})$", var.existing_container_image))}',
          errorMessage:
            'existing_container_image is "${coalesce(var.existing_container_image, "null")}"; it must be a host, a path and a tag or digest, because a moving image would roll out without notice; write for example us-docker.pkg.dev/my-project/images/idp:2026.5.4.',
        },
      ],
    }).stringValue;

    const labels = this.variable("labels", {
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
    }).value;

    this.deployment = {
      tenantPrefix: this.local("tenant_prefix", tenantPrefix(tenantId, this.projectId)).asString,
      applicationName,
    };
    this.labels = Token.asStringMap(
      this.local("all_labels", "${merge({application = var.application_name, tenant = var.tenant_id}, var.labels)}")
        .expression,
    );
  }

  /** Declares one input in the stack. */
  protected variable(name: string, props: InputVariableProps): InputVariable {
    return new InputVariable(this.scope, name, props);
  }

  /** Names a value that is derived from inputs, so that plans and messages stay short. */
  private local(name: string, value: unknown): TerraformLocal {
    const local = new TerraformLocal(this.scope, name, value);
    local.overrideLogicalId(name);
    return local;
  }
}

/** Length of `<project>:<region>:<instance>` without the colons, in Terraform's language. */
const CONNECTION_NAME_LENGTH = `(length(var.project_id) + length(var.region) + length(var.tenant_id) + length(var.application_name) + ${SQL_INSTANCE_NAME_FRAME_LENGTH})`;

/** True for an exact release that keeps everything in PostgreSQL; fails on any other text. */
const SUPPORTED_RELEASE =
  `tonumber(regex("^([0-9]{4})[.]([0-9]{1,2})[.][0-9]+$", var.application_version)[0]) * 100` +
  ` + tonumber(regex("^([0-9]{4})[.]([0-9]{1,2})[.][0-9]+$", var.application_version)[1])` +
  ` >= ${OLDEST_VERSION.year * 100 + OLDEST_VERSION.feature}`;
