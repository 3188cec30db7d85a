import { type TerraformStack, TerraformVariable } from "cdktf";

import { explain } from "../lib/core/hcl/stack-origin";
import { type Table } from "../lib/core/inputs/rows";
import { terraformName } from "../lib/core/inputs/rules";

/** Inputs for one task, and the guides to it. */
export interface InputGroup {
  readonly title: string;
  /** Files in the folder of guides; groups of the lab have none. */
  readonly guides: readonly string[];
  /** Props, beginning with those that most deployments set. */
  readonly inputs: readonly string[];
  /** Props of other groups that readers may look for in this group. */
  readonly elsewhere?: readonly string[];
}

/**
 * The inputs of the identity providers: first for all deployments, then for production, and last the rarely used ones.
 */
export const INPUT_GROUPS: readonly InputGroup[] = [
  {
    title: "Project and names",
    guides: ["first-apply.md"],
    inputs: ["projectId", "region", "tenantId", "applicationName", "labels", "deletionProtection"],
  },
  {
    title: "Release and image",
    guides: ["upgrade.md", "existing-parts.md"],
    inputs: ["applicationVersion", "backupBeforeUpgrade", "existingContainerImage"],
  },
  // Early, although few deployments have a network, because it cannot be removed later.
  {
    title: "Network",
    guides: ["network-and-rights.md"],
    inputs: ["network", "subnetwork", "publicAccess"],
  },
  {
    title: "Settings of the application",
    guides: ["configuration-as-files.md"],
    inputs: ["environmentVariables", "secretEnvironmentVariables", "blueprints", "logLevel"],
  },
  {
    title: "Domain and protection",
    guides: ["domain-and-protection.md"],
    inputs: [
      "domain",
      "dnsZone",
      "certificateValidation",
      "closeDefaultAddress",
      "protection",
      "existingSecurityPolicy",
      "domainOptions",
    ],
  },
  {
    title: "Load balancer for a network alone",
    guides: ["internal-load-balancer.md"],
    inputs: ["loadBalancer", "loadBalancerProxyRange"],
  },
  {
    title: "Mail",
    guides: ["mail.md"],
    inputs: ["smtp"],
  },
  {
    title: "Database",
    guides: ["database-connections.md", "postgresql-upgrade.md", "worker-and-sizes.md"],
    inputs: [
      "databaseVersion",
      "databaseTier",
      "databaseAvailability",
      "databaseDiskLimitGb",
      "connectionPool",
      "databaseFlags",
      "maintenanceWindow",
      "denyMaintenancePeriod",
      "databaseRights",
    ],
  },
  {
    title: "Monitoring",
    guides: ["monitoring-and-alerts.md", "service-levels.md", "sign-in-probe.md"],
    inputs: [
      "alertEmails",
      "notificationChannels",
      "alerts",
      "uptimeCheck",
      "dashboard",
      "slo",
      "checkUp",
      "signInProbe",
    ],
  },
  {
    title: "Audit trail",
    guides: ["audit-trail.md"],
    inputs: ["auditLog", "secretReadLog"],
  },
  {
    title: "Backup and restore",
    guides: ["backup-and-restore.md", "backups-that-stay.md"],
    inputs: ["backups", "dumps", "existingBackupPlan", "softDeleteDays"],
  },
  {
    title: "A second region",
    guides: ["warm-standby.md", "region-lost.md"],
    inputs: ["standby"],
  },
  {
    title: "Server and worker",
    guides: ["worker-and-sizes.md"],
    inputs: [
      "minInstanceCount",
      "maxInstanceCount",
      "containerCpu",
      "containerMemory",
      "cpuAlwaysAllocated",
      "maxInstanceRequestConcurrency",
      "requestTimeoutSeconds",
      "workerMode",
      "worker",
      "startupProbe",
      "livenessProbe",
    ],
  },
  {
    title: "Passwords and keys",
    guides: ["secrets-and-rotation.md"],
    inputs: ["databasePasswords", "secretKey", "bootstrapPassword", "bootstrapToken"],
  },
  {
    title: "A way back in",
    guides: ["way-back-in.md"],
    inputs: ["recoveryAccess"],
  },
  {
    title: "Rights, ranges and cluster",
    guides: ["network-and-rights.md"],
    inputs: [
      "grantRoles",
      "authorizedNetworks",
      "controlPlaneEndpoint",
      "clusterHardening",
      "vpcEgress",
      "networkTags",
      "namespace",
      "geoip",
    ],
  },
  {
    title: "Existing parts",
    guides: ["existing-parts.md"],
    elsewhere: ["existingContainerImage", "existingSecurityPolicy", "existingBackupPlan"],
    inputs: [
      "existingDatabase",
      "existingBucket",
      "existingSecrets",
      "existingServiceAccounts",
      "existingRepository",
      "existingCluster",
      "existingNamespace",
      "ownParts",
    ],
  },
  {
    title: "Policies of an organization",
    guides: ["organization-policies.md", "keys-and-mirrors.md"],
    inputs: ["kmsKeys", "imageMirror", "binaryAuthorization", "build", "secretLocations"],
  },
  {
    title: "LDAP and RADIUS",
    guides: ["outposts.md"],
    inputs: ["outposts"],
  },
];

/** The inputs of the lab in the groups of its deployment form; numbers of groups that it does not have are missing. */
const LAB_INPUT_GROUPS: readonly InputGroup[] = [
  {
    title: "Project and location",
    guides: [],
    inputs: ["projectId", "region", "zone", "deploymentId", "labels", "tenantId"],
  },
  {
    title: "Network",
    guides: [],
    inputs: [
      "rdpSourceRanges",
      "createVpc",
      "createDefaultFirewallRules",
      "internalTrafficCidr",
      "network",
      "subnetwork",
      "networkTags",
      "firewallLogging",
    ],
  },
  {
    title: "Compute",
    guides: [],
    inputs: [
      "linuxVmCount",
      "linuxVmMachineType",
      "linuxVmBootDiskSizeGb",
      "createWindowsVm",
      "windowsPassword",
      "windowsExternalIp",
      "windowsVmMachineType",
      "windowsVmBootDiskSizeGb",
      "osLogin",
      "serialPortLogging",
      "imageProject",
      "kmsKey",
    ],
  },
  { title: "SSH key storage", guides: [], inputs: ["createSshKeyBucket"] },
  {
    title: "Assessment",
    guides: [],
    inputs: [
      "initializeAssessmentService",
      "assessDiscoveryClientName",
      "cloudbAccessKeyId",
      "cloudbSecretAccessKey",
      "cloudbRegion",
    ],
  },
];

/** Inputs at the beginning of an example, by prop, with the suggested value; undefined to keep the default. */
type FirstInputs = Readonly<Record<string, string | undefined>>;

/** Inputs under a heading. */
interface FirstSection<Inputs> {
  readonly heading: string;
  readonly inputs: Inputs;
}

/** First inputs of an example. */
const FIRST_INPUTS: readonly FirstSection<FirstInputs>[] = [
  {
    heading: "Decide before the first apply: a later change replaces data, cannot be taken back, or has no effect.",
    inputs: {
      projectId: undefined,
      region: undefined,
      tenantId: undefined,
      applicationName: undefined,
      databaseVersion: undefined,
      network: '"projects/my-project/global/networks/vpc"',
      existingDatabase: undefined,
      existingBucket: '{ name = "my-uploads" }',
      existingSecrets: '{ secret_key = { secret_id = "my-key", version = 1 } }',
      kmsKeys: '{ default = "projects/keys/locations/us-central1/keyRings/idp/cryptoKeys/idp" }',
      secretLocations: '["us-central1", "us-east1"]',
      standby: '{ region = "us-east1" }',
      auditLog: "{ retention_days = 400 }",
      bootstrapPassword: undefined,
      bootstrapToken: "true",
    },
  },
  {
    heading: "Usually set. Which release to take, guides/first-apply.md says.",
    inputs: {
      applicationVersion: undefined,
      domain: '"sign-in.example.com"',
      protection: "{}",
      smtp: '{ host = "smtp.example.com", from = "idp@example.com" }',
      alertEmails: '["admin@example.com"]',
      dumps: '{ schedule = "30 4 * * *" }',
    },
  },
];

/** First inputs of an example of a lab. */
const FIRST_LAB_INPUTS: readonly FirstSection<FirstInputs>[] = [
  {
    heading: "Usually set.",
    inputs: {
      projectId: undefined,
      region: undefined,
      deploymentId: '"lab1"',
      rdpSourceRanges: '["203.0.113.0/24"]',
      linuxVmCount: undefined,
      windowsExternalIp: undefined,
      windowsPassword: '"unknown"',
    },
  },
];

/** Groups and examples of one kind of stack. */
const KINDS = [
  { inputGroups: INPUT_GROUPS, first: FIRST_INPUTS },
  { inputGroups: LAB_INPUT_GROUPS, first: FIRST_LAB_INPUTS },
];

/** The kind of stack that has all the given inputs. */
function kindOf(names: readonly string[]) {
  return KINDS.find(({ inputGroups }) => names.every((name) => inputGroups.some((group) => placeIn(group, name) >= 0)));
}

/** A row at the beginning of an example. */
export interface FirstRow<Row> {
  readonly name: string;
  readonly row: Row;
  /** Suggested value; undefined to keep the default. */
  readonly hint: string | undefined;
}

/** Inputs at the beginning of an example that exist in the stack, by the names of variables. */
export function firstInputs<Row>(
  named: Readonly<Record<string, Row>>,
): readonly FirstSection<readonly FirstRow<Row>[]>[] {
  const { first = [] } = kindOf(Object.keys(named)) ?? {};
  const sections = first.map(({ heading, inputs }) => ({
    heading,
    inputs: Object.entries(inputs).flatMap(([prop, hint]) => {
      const name = terraformName(prop);
      const row = named[name];
      return row === undefined ? [] : [{ name, row, hint }];
    }),
  }));
  return sections.filter(({ inputs }) => inputs.length > 0);
}

/** Some of the inputs, under the heading of their group; a stack without groups has no headings. */
interface GroupedInputs<Row> {
  readonly group?: InputGroup;
  /** A sentence about other groups with related inputs; empty if there are none. */
  readonly note: string;
  readonly rows: readonly (readonly [name: string, row: Row])[];
}

/**
 * Inputs in their groups. If an input is in no group, returns one list, because another stack may share only some
 * names.
 *
 * @param inputs by the names of props, or of variables
 */
export function groupedInputs<Row>(inputs: Readonly<Record<string, Row>>): readonly GroupedInputs<Row>[] {
  const all = Object.entries(inputs);
  const { inputGroups } = kindOf(Object.keys(inputs)) ?? {};
  if (inputGroups === undefined) return [{ note: "", rows: all }];
  const groups = inputGroups.map((group) => ({
    group,
    note: noteOf(group, Object.keys(inputs)),
    rows: all
      .filter(([name]) => placeIn(group, name) >= 0)
      .sort(([one], [other]) => placeIn(group, one) - placeIn(group, other)),
  }));
  return groups.filter(({ rows }) => rows.length > 0);
}

/** Sentence about inputs that readers may look for in this group, but that belong to another group. */
function noteOf({ elsewhere = [] }: InputGroup, names: readonly string[]): string {
  const places = elsewhere.flatMap((prop) => {
    const name = names.find((each) => each === prop || each === terraformName(prop));
    const place = INPUT_GROUPS.find((group) => placeIn(group, prop) >= 0);
    return name === undefined || place === undefined ? [] : [`${terraformName(prop)} in "${place.title}"`];
  });
  return places.length === 0 ? "" : `In other groups: ${places.join(", ")}.`;
}

function placeIn({ inputs }: InputGroup, name: string): number {
  return inputs.findIndex((each) => each === name || terraformName(each) === name);
}

/** A table in the order of its groups. @throws Error naming the inputs that are in no group */
export function inGroupOrder<T extends Table>(table: T): T {
  const lost = Object.keys(table).filter((name) => INPUT_GROUPS.every((group) => placeIn(group, name) < 0));
  if (lost.length > 0) throw new Error(`${lost.join(", ")}: in no group of inputs`);
  return Object.fromEntries(groupedInputs(table).flatMap(({ rows }) => rows)) as unknown as T;
}

/** A description without the group of the lab's deployment form at its beginning. */
export function withoutForm(description: string): string {
  return description.replace(/^\[\d [^\]]+\] /, "");
}

/** Title of a group, with links to its guides in a folder. */
export function headingOf({ guides, title }: InputGroup): string {
  return [title, ...(guides.length === 0 ? [] : [guides.map((guide) => `guides/${guide}`).join(", ")])].join(": ");
}

/** Adds a heading above the first variable of each group. */
export function explainGroups(stack: TerraformStack): void {
  const variables = stack.node.findAll().filter((each) => each instanceof TerraformVariable);
  const byName = Object.fromEntries(variables.map((variable) => [variable.node.id, variable]));
  for (const { group, rows } of groupedInputs(byName)) {
    const [, first] = rows[0] ?? [];
    if (group !== undefined && first !== undefined) explain(first, headingOf(group));
  }
}
