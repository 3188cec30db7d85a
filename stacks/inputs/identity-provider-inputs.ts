import {
  APPLICATION_NAME_MAX_LENGTH,
  DEFAULT_APPLICATION_NAME,
  DEFAULT_REGION,
  TENANT_ID_MAX_LENGTH,
} from "../../lib/core/names";
import { APPLICATION_NAME, LABELS, NAMES_TOGETHER, PROJECT_ID, REGION, TENANT_ID } from "../../lib/core/place-rules";
import { SECRET_LOCATIONS } from "../../lib/core/stored-secret";
import { NETWORK, NETWORK_WITH_SUBNETWORK, SUBNETWORK } from "../../lib/platform/network/network-attachment";
import { APPLICATION_INPUTS } from "./application-inputs";
import { BACKUP_INPUTS } from "./backup-inputs";
import { BLUEPRINT_INPUTS } from "./blueprint-inputs";
import { DATABASE_INPUTS, instanceInputs } from "./capacity-inputs";
import { DUMP_INPUTS } from "./dump-inputs";
import { type Input } from "./input-table";
import { operationsInputs } from "./operations-inputs";
import { MAIL_INPUTS } from "./mail-inputs";
import { type PlatformWords } from "./platform-words";
import { SETTINGS_INPUTS } from "./settings-inputs";
import { workerInputs } from "./worker-inputs";

/** Inputs of both variants. */
export function identityProviderInputs(platform: PlatformWords) {
  return {
    project_id: {
      type: "string",
      example: "my-project",
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
    secret_locations: {
      type: "list(string)",
      default: null,
      description:
        "Regions in which new secrets are stored, each with a copy that is billed; null for region. Changing it later moves no secret.",
      must: SECRET_LOCATIONS,
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
      description: `Labels on all resources that support them, in addition to application and tenant${platform.changedLabels}. A change rolls out new instances.`,
      must: [LABELS],
    },
    ...APPLICATION_INPUTS,
    ...BLUEPRINT_INPUTS,
    ...SETTINGS_INPUTS,
    ...MAIL_INPUTS,
    ...DATABASE_INPUTS,
    ...BACKUP_INPUTS,
    ...DUMP_INPUTS,
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
      description: `Refuses to delete what holds data: ${platform.alsoProtected}database, secrets, and the media bucket while it has files; and to change ${platform.identity}. Changing it later is safe; apply false before a destroy.`,
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
    ...operationsInputs(platform),
    ...instanceInputs(platform),
    ...workerInputs(platform),
  } as const satisfies Record<string, Input>;
}
