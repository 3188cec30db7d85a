import { Fn, type TerraformVariableValidationConfig } from "cdktf";

import { expression } from "../../lib/core/expression";
import {
  APPLICATION_NAME_MAX_LENGTH,
  DEFAULT_APPLICATION_NAME,
  DEFAULT_REGION,
  imagePrefix,
  TENANT_ID_MAX_LENGTH,
  tenantPrefix,
} from "../../lib/core/names";
import { APPLICATION_NAME, LABELS, NAMES_TOGETHER, PROJECT_ID, REGION, TENANT_ID } from "../../lib/core/place-rules";
import { type CheckedRelation } from "../../lib/core/checked-relation";
import { CheckedValue } from "../../lib/core/checked-value";
import { SECRET_WRITE_VERSION } from "../../lib/core/generated-secret";
import {
  BASELINE_ENVIRONMENT,
  CONNECTIONS_PER_INSTANCE,
  LATEST_VERSION,
  MAX_INSTANCE_COUNT,
  MIN_INSTANCE_COUNT,
  OLDEST_VERSION,
  PINNED_VERSION,
  RESOURCES,
} from "../../lib/idp/contract";
import { ENVIRONMENT_RULES } from "../../lib/idp/environment-rules";
import { EXISTING_IMAGE, FOREIGN_IMAGE } from "../../lib/idp/image-rules";
import { APPLICATION_VERSION } from "../../lib/idp/releases";
import { INSTANCE_RANGE, MAX_INSTANCES } from "../../lib/platform/instance-rules";
import { NETWORK, NETWORK_WITH_SUBNETWORK, SUBNETWORK } from "../../lib/platform/network/network-attachment";
import {
  DATABASE_AVAILABILITY,
  DATABASE_TIER,
  DEFAULT_DATABASE_TIER,
  enoughConnections,
  maxConnectionsExpression,
} from "../../lib/platform/sql/database-size";
import { DEFAULT_FINAL_BACKUP_DAYS, FINAL_BACKUP_DAYS } from "../../lib/platform/sql/final-backup";
import { type Input } from "./input-table";

/** What a platform says about the inputs that both variants have. */
export interface PlatformWords {
  /** What else is protected from deletion, followed by a comma; empty for nothing. */
  readonly alsoProtected: string;

  /** CPUs that the platform offers, in words. */
  readonly cpuChoice: string;

  readonly cpu: CheckedValue<number | string>;

  readonly memory: CheckedRelation<{ cpu: number | string; memory: string }>;

  readonly minInstances: CheckedValue<number>;

  /** What happens with the fewest instances, as a sentence; empty when nothing does. */
  readonly leastMeaning: string;

  /** What an existing network must have, and what giving it changes. */
  readonly network: string;

  /** What is taken from the subnetwork, and what that asks of it. */
  readonly subnetwork: string;

  /** Instances that a rollout runs beside the most. */
  readonly surge: number;

  /**
   * Rules on the names together, for the input `application_name`.
   *
   * @default - none
   */
  readonly namesFit?: readonly TerraformVariableValidationConfig[];
}

/** Shortest password of the first administrator. */
const BOOTSTRAP_PASSWORD_LEAST_LENGTH = 8;

const OWN_IMAGES = `${imagePrefix(expression("var.region"), expression("var.project_id"), {
  applicationName: expression("var.application_name"),
  tenantPrefix: tenantPrefix(expression("var.tenant_id"), expression("var.project_id")),
})}/`;

/** Inputs that both variants have. */
export function identityProviderInputs(platform: PlatformWords) {
  return {
    project_id: {
      type: "string",
      description:
        "Project to deploy into; it must exist and have billing. Changing it later replaces the deployment with an empty one.",
      must: PROJECT_ID,
    },
    region: {
      type: "string",
      default: DEFAULT_REGION,
      description: "Region of all resources. Changing it later replaces database and media bucket with empty ones.",
      must: REGION,
    },
    tenant_id: {
      type: "string",
      default: "demo",
      description: `Tenant that owns this deployment: 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens, part of every name. Changing it later replaces the deployment with an empty one.`,
      must: TENANT_ID,
    },
    labels: {
      type: "map(string)",
      default: {},
      description:
        "Labels on everything that takes them, in addition to application and tenant. Changing them later is safe.",
      must: [LABELS],
    },
    application_version: {
      type: "string",
      default: LATEST_VERSION,
      description: `Release to run: "${LATEST_VERSION}" for the tested ${PINNED_VERSION}, or an exact release from ${OLDEST_VERSION.year}.${OLDEST_VERSION.feature} on. Changing it later builds an image, rolls it out and migrates the database, which cannot be undone.`,
      must: APPLICATION_VERSION,
    },
    bootstrap_password: {
      type: "string",
      default: null,
      ephemeral: true,
      sensitive: true,
      description:
        "First password of the built-in administrator; null or empty generates one of 24 characters. It is stored in Secret Manager, never in the state. The application reads it on its first start only; change it in the application later.",
      must: new CheckedValue<string>({
        accepts: (password) => password === "" || password.length >= BOOTSTRAP_PASSWORD_LEAST_LENGTH,
        condition: (password) => `${password} == "" || length(${password}) >= ${BOOTSTRAP_PASSWORD_LEAST_LENGTH}`,
        must: `have ${BOOTSTRAP_PASSWORD_LEAST_LENGTH} or more characters`,
        reason: "the sign-in page of the first administrator is public and a short one is guessed",
        remedy: "give a longer one, or none to generate it",
        secret: true,
      }),
    },
    bootstrap_password_version: {
      type: "number",
      default: 1,
      description:
        "Raise it by one to write bootstrap_password to Secret Manager again. Changing it later does not change the password of a deployment that has already started.",
      must: SECRET_WRITE_VERSION,
    },
    environment_variables: {
      type: "map(string)",
      default: {},
      description: `Settings of the application under their IDP_ names. They override the baseline (${Object.entries(
        BASELINE_ENVIRONMENT,
      )
        .map(([name, value]) => `${name}=${value}`)
        .join(", ")}). They are in plain text in the state: put no passwords here. A change rolls out new instances.`,
      must: ENVIRONMENT_RULES,
    },
    existing_container_image: {
      type: "string",
      default: null,
      description:
        "Image with its tag or digest to run instead of building one, for example one that this stack built in another project. No repository is created then. Setting it later deletes the repository of this deployment with all its images, so the image must not be one of them; removing it builds a new one.",
      must: EXISTING_IMAGE,
      together: [
        FOREIGN_IMAGE.validationOf(
          { image: "existing_container_image", ownPrefix: OWN_IMAGES },
          // By a function: it puts the text, which holds expressions of its own, between quotes.
          { ownPrefix: Fn.join("", [OWN_IMAGES]) },
        ),
      ],
    },
    database_tier: {
      type: "string",
      default: DEFAULT_DATABASE_TIER,
      description:
        "Size of the database, db-custom-<CPUs>-<memory in MB>. It limits the connections, and so the instances. Changing it later restarts the database.",
      must: DATABASE_TIER,
    },
    database_availability: {
      type: "string",
      default: "ZONAL",
      description:
        "ZONAL, or REGIONAL with a standby in another zone at about twice the price. Changing it later restarts the database.",
      must: DATABASE_AVAILABILITY,
    },
    database_final_backup_days: {
      type: "number",
      default: DEFAULT_FINAL_BACKUP_DAYS,
      description:
        "Days to keep the final backup that Cloud SQL makes when the database is deleted; the automatic backups then stay for their own time too. 0 keeps none. Kept backups are billed. Changing it later is safe; apply it before the destroy.",
      must: FINAL_BACKUP_DAYS,
    },
    application_name: {
      type: "string",
      default: DEFAULT_APPLICATION_NAME,
      description: `Name of the application, part of every name: 1 to ${APPLICATION_NAME_MAX_LENGTH} lower-case letters, digits and hyphens, starting with a letter. Changing it later replaces the deployment with an empty one.`,
      must: APPLICATION_NAME,
      together: [
        NAMES_TOGETHER.validationOf({ applicationName: "application_name", tenantId: "tenant_id" }),
        ...(platform.namesFit ?? []),
      ],
    },
    deletion_protection: {
      type: "bool",
      default: true,
      description: `Refuses to delete what holds data: ${platform.alsoProtected}database, secrets, and the media bucket while it has files. Changing it later is safe; apply it with false before a destroy.`,
    },
    network: {
      type: "string",
      default: null,
      description: `Existing network, projects/<project>/global/networks/<name>, ${platform.network}`,
      must: NETWORK,
      together: [NETWORK_WITH_SUBNETWORK.validationOf({ network: "network", subnetwork: "subnetwork" })],
    },
    subnetwork: {
      type: "string",
      default: null,
      description: `Subnetwork of network in the same region, projects/<project>/regions/<region>/subnetworks/<name>, ${platform.subnetwork}`,
      together: [SUBNETWORK.validationOf({ subnetwork: "subnetwork", region: "region" })],
    },
    min_instance_count: {
      type: "number",
      default: MIN_INSTANCE_COUNT,
      description: [
        "Instances that always run, and are always billed.",
        platform.leastMeaning,
        "Changing it later is safe.",
      ]
        .filter((sentence) => sentence !== "")
        .join(" "),
      must: platform.minInstances,
      together: [
        INSTANCE_RANGE.validationOf({ minInstanceCount: "min_instance_count", maxInstanceCount: "max_instance_count" }),
      ],
    },
    max_instance_count: {
      type: "number",
      default: MAX_INSTANCE_COUNT,
      description: `Most instances at a time${platform.surge === 0 ? "" : `, plus ${platform.surge} during a rollout`}; each takes up to ${CONNECTIONS_PER_INSTANCE} database connections. Changing it later is safe.`,
      must: MAX_INSTANCES,
      together: [
        enoughConnections(platform.surge).validationOf(
          { maxInstanceCount: "max_instance_count", maxConnections: "database_tier" },
          { maxConnections: maxConnectionsExpression("var.database_tier") },
        ),
      ],
    },
    container_cpu: {
      type: "number",
      default: RESOURCES.cpu,
      description: `CPUs of one instance: ${platform.cpuChoice}. A change rolls out new instances.`,
      must: platform.cpu,
    },
    container_memory: {
      type: "string",
      default: RESOURCES.memory,
      description:
        "Memory of one instance, with Mi or Gi, shared by server, worker and the cache of the media mount. A change rolls out new instances.",
      together: [platform.memory.validationOf({ cpu: "container_cpu", memory: "container_memory" })],
    },
  } as const satisfies Record<string, Input>;
}
