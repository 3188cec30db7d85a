import { TENANT_ID_MAX_LENGTH } from "../../lib/core/names";
import { LABELS, PROJECT_ID, REGION, TENANT_ID } from "../../lib/core/place-rules";
import {
  AUTO_MODE_RANGE,
  DEFAULT_AWS_REGION,
  DEFAULT_DISCOVERY_CLIENT_NAME,
  DEFAULT_REGION,
  DEFAULT_ZONE,
  DISCOVERY_CLIENT_NAME_MAX_LENGTH,
  EVERYWHERE,
} from "../../lib/lab/contract";
import {
  COMPUTER_NAME_MAX_LENGTH,
  ILLEGAL_DEPLOYMENT_ID_LENGTH,
  keyBucketName,
  vpcName,
  windowsVmName,
  zoneOrDefault,
} from "../../lib/lab/lab-names";
import { AWS_ACCESS_KEY, AWS_KEY_OF_USER, AWS_REGION } from "../../lib/lab/aws-rules";
import {
  DEPLOYMENT_ID,
  DISCOVERY_CLIENT_NAME,
  EXISTING_NETWORK,
  INTERNAL_RANGE,
  SOURCE_RANGES,
  ZONE,
} from "../../lib/lab/lab-rules";
import { type Input } from "./input-table";
import { LAB_VM_INPUTS } from "./lab-vm-inputs";

/** Groups of the deployment form. */
const LOCATION = "[1 Project and location]";
const NETWORK = "[2 Network]";
const ASSESSMENT = "[8 Assessment]";

/** Terraform address of the first AWS resource, on which all others depend. */
const CLOUDB_PROGRAMS_ADDRESS = "terraform_data.lab_cloudb_programs";

/** Inputs of the assessment lab. */
export const LAB_INPUTS = {
  project_id: {
    type: "string",
    example: "my-project",
    description: `${LOCATION} Project that the lab goes into; it must exist and have billing, and the account that applies needs the Owner role. Another project is another lab.`,
    must: PROJECT_ID,
  },
  region: {
    type: "string",
    default: DEFAULT_REGION,
    description: `${LOCATION} Region of the lab and, permanently, of all assessment data of the project. Changing it later replaces bucket and VMs, and leaves the data in Migration Center; only another project can have assessment data in another region.`,
    must: REGION,
  },
  zone: {
    type: "string",
    default: DEFAULT_ZONE,
    description: `${LOCATION} Zone of all VMs; it must be in region. ${DEFAULT_ZONE} in any other region counts as not given: the zone is then zone b of that region. Changing it later replaces the VMs.`,
    together: [
      ZONE.validationOf({ region: "region", zone: "zone" }, { zone: zoneOrDefault("var.zone", "var.region") }),
    ],
  },
  tenant_id: {
    type: "string",
    default: "demo",
    description: `${LOCATION} 1 to ${TENANT_ID_MAX_LENGTH} lower-case letters, digits and hyphens. It has no effect, now or if it is changed later, because every name contains deployment_id instead. It exists for deployment forms that always ask for it.`,
    must: TENANT_ID,
  },
  deployment_id: {
    type: "string",
    default: null,
    description: `${LOCATION} Part of every name: up to 8 lower-case letters and digits, but not ${ILLEGAL_DEPLOYMENT_ID_LENGTH}; null for 8 random hexadecimal digits. The Windows VM is named ${windowsVmName("<id>")}, of which Windows keeps the first ${COMPUTER_NAME_MAX_LENGTH} characters as its computer name: with 8 that is assess-<id>. The name of the key bucket, ${keyBucketName("<id>")}, must be available: bucket names are global, so choose an id that others are unlikely to use. Changing it later replaces everything.`,
    must: DEPLOYMENT_ID,
  },
  labels: {
    type: "map(string)",
    default: {},
    description: `${LOCATION} Labels on all resources that support them, in addition to assessment-lab, whose value is deployment_id. Changing them later is safe.`,
    must: [LABELS],
  },
  create_vpc: {
    type: "bool",
    default: true,
    description: `${NETWORK} Creates the network ${vpcName("<id>")}. False uses the network of that name, which must exist in the project, and needs deployment_id; the Compute Engine API must already be enabled, because the plan looks up the network. It must be in auto mode: VMs name no subnetwork, which a custom-mode network refuses. Do not change it later: a network with VMs on it can be neither released nor adopted.`,
    together: [EXISTING_NETWORK.validationOf({ createVpc: "create_vpc", deploymentId: "deployment_id" })],
  },
  create_default_firewall_rules: {
    type: "bool",
    default: true,
    description: `${NETWORK} Creates allow-internal, allow-ssh, allow-rdp and allow-icmp together; allow-http is always created. Set it to false when the target network has such rules already. allow-rdp allows any source address, because a lab is temporary, unless rdp_source_ranges says otherwise; allow-ssh allows only the identity-aware proxy. Changing it later is safe.`,
  },
  internal_traffic_cidr: {
    type: "string",
    default: AUTO_MODE_RANGE,
    description: `${NETWORK} Source range of allow-internal, which allows every protocol; ${AUTO_MODE_RANGE} is the range of auto-mode networks. Changing it later is safe.`,
    must: INTERNAL_RANGE,
  },
  rdp_source_ranges: {
    type: "list(string)",
    default: [EVERYWHERE],
    description: `${NETWORK} Source ranges of allow-rdp, at least one. The default allows any source address, because participants of a lab come from anywhere; a plan warns of it. Changing it later is safe.`,
    must: SOURCE_RANGES,
  },
  ...LAB_VM_INPUTS,
  initialize_assessment_service: {
    type: "bool",
    default: true,
    description: `${ASSESSMENT} Prepares Migration Center in region and registers the discovery source. False provisions only VMs, network and bucket. A destroy removes nothing from Migration Center.`,
  },
  assess_discovery_client_name: {
    type: "string",
    default: DEFAULT_DISCOVERY_CLIENT_NAME,
    description: `${ASSESSMENT} Display name of the discovery source, 1 to ${DISCOVERY_CLIENT_NAME_MAX_LENGTH} characters. Type the same name into the discovery client at sign-in, including capitals; with another name, its results go to a second source. Labs of one project with the same name share one source, so give each its own. Changing it later registers another source.`,
    must: DISCOVERY_CLIENT_NAME,
  },
  cloudb_access_key_id: {
    type: "string",
    default: "",
    sensitive: true,
    description: `${ASSESSMENT} AWS bootstrap access key of a user (AKIA…; a temporary one does not work), which may create, attach and delete a user, a policy and an access key; the documentation of the lab lists the rights. It creates a read-only user, which lists the instances. Empty skips AWS entirely: no call, nothing created. Imported assets stay when the user is removed. To remove only the user, destroy it while the credentials are still set, with -target=${CLOUDB_PROGRAMS_ADDRESS}, then empty them.`,
  },
  cloudb_secret_access_key: {
    type: "string",
    default: "",
    sensitive: true,
    description: `${ASSESSMENT} Secret of that access key; set both or neither. Changing both later is safe.`,
  },
  cloudb_region: {
    type: "string",
    default: DEFAULT_AWS_REGION,
    description: `${ASSESSMENT} AWS region whose instances are imported; used only with credentials. A region without instances imports nothing.`,
    must: AWS_REGION,
    together: [
      // A validation of the sensitive input would show its value, so it is a validation of this one, and must refer to
      // it.
      ...[AWS_ACCESS_KEY, AWS_KEY_OF_USER].map((rule) =>
        rule.validationOf(
          { accessKeyId: "cloudb_access_key_id", secretAccessKey: "cloudb_secret_access_key" },
          { accessKeyId: '(var.cloudb_region == null ? "" : var.cloudb_access_key_id)' },
        ),
      ),
    ],
  },
} as const satisfies Record<string, Input>;
