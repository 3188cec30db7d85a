import { type TerraformStack, TerraformVariable } from "cdktf";

import { snakeCase } from "../lib/core/checks";
import { explain } from "../lib/core/hcl/stack-origin";
import { type Table } from "../lib/core/inputs";

/** Inputs for one task, and the guides to it. */
export interface InputGroup {
  readonly title: string;
  /** Files in the folder of guides. */
  readonly guides: readonly string[];
  /** Props, those that most deployments set first. */
  readonly inputs: readonly string[];
}

/** The inputs of the identity providers: what all deployments have first, what few need last. */
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
  {
    title: "Settings of the application",
    guides: ["configuration-as-files.md"],
    inputs: ["environmentVariables", "secretEnvironmentVariables", "blueprints", "logLevel"],
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
      "workerProcesses",
      "workerThreads",
      "workerCount",
      "workerMaxCount",
      "workerCpu",
      "workerMemory",
      "startupProbe",
      "livenessProbe",
    ],
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
    ],
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
      "requestLogSampleRate",
      "strictTransportSecurity",
      "httpRedirect",
      "ipv6",
      "geoip",
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
    title: "Monitoring",
    guides: ["monitoring-and-alerts.md"],
    inputs: [
      "alertEmails",
      "notificationChannels",
      "notificationChannelsBySeverity",
      "alerts",
      "uptimeCheck",
      "dashboard",
      "checkUpSchedule",
      "checkUpLimits",
      "auditSecretAccess",
      "secretReaders",
    ],
  },
  {
    title: "Backup and restore",
    guides: ["backup-and-restore.md"],
    inputs: [
      "backupRetentionCount",
      "transactionLogDays",
      "backupLocation",
      "databaseFinalBackupDays",
      "dumpSchedule",
      "dumpRetentionDays",
      "dumpAtApply",
      "keepDumps",
    ],
  },
  {
    title: "Network and rights",
    guides: ["network-and-rights.md"],
    inputs: [
      "network",
      "subnetwork",
      "networkTags",
      "vpcEgress",
      "publicAccess",
      "namespace",
      "authorizedNetworks",
      "controlPlaneEndpoint",
      "clusterHardening",
      "grantRoles",
      "databaseConditionalAccess",
      "revokePublicConnect",
      "grantManagedSuperuser",
    ],
  },
  {
    title: "Passwords and keys",
    guides: ["secrets-and-rotation.md"],
    inputs: [
      "databasePasswordVersion",
      "administratorPasswordVersion",
      "secretKeyVersion",
      "acceptedSecretKeyVersion",
      "bootstrapPassword",
      "bootstrapToken",
    ],
  },
  {
    title: "Existing parts",
    guides: ["existing-parts.md"],
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
    inputs: ["kmsKeys", "imageMirror", "binaryAuthorization", "buildPool", "buildLocation", "secretLocations"],
  },
  {
    title: "LDAP and RADIUS",
    guides: ["outposts.md"],
    inputs: ["manageOutposts", "outpostRanges"],
  },
];

/** Some of the inputs, in a group; those of a stack without groups are in none. */
interface GroupedInputs<Row> {
  readonly group?: InputGroup;
  readonly rows: readonly (readonly [name: string, row: Row])[];
}

/**
 * Inputs in their groups, if each of them is in a group: another stack has some of the same names.
 *
 * @param inputs by the names of props, or of variables
 */
export function groupedInputs<Row>(inputs: Readonly<Record<string, Row>>): readonly GroupedInputs<Row>[] {
  const all = Object.entries(inputs);
  const groupOf = (name: string) => INPUT_GROUPS.find((group) => placeIn(group, name) >= 0);
  if (!all.every(([name]) => groupOf(name) !== undefined)) return [{ rows: all }];
  const groups = INPUT_GROUPS.map((group) => ({
    group,
    rows: all
      .filter(([name]) => groupOf(name) === group)
      .sort(([one], [other]) => placeIn(group, one) - placeIn(group, other)),
  }));
  return groups.filter(({ rows }) => rows.length > 0);
}

function placeIn({ inputs }: InputGroup, name: string): number {
  return inputs.findIndex((each) => each === name || snakeCase(each) === name);
}

/** A table in the order of its groups. @throws Error naming the inputs that are in none */
export function inGroupOrder<T extends Table>(table: T): T {
  const lost = Object.keys(table).filter((name) => INPUT_GROUPS.every((group) => placeIn(group, name) < 0));
  if (lost.length > 0) throw new Error(`${lost.join(", ")}: in no group of inputs`);
  return Object.fromEntries(groupedInputs(table).flatMap(({ rows }) => rows)) as unknown as T;
}

/** Title of a group, and where its guides are in a folder. */
export function headingOf({ guides, title }: InputGroup): string {
  return `${title}: ${guides.map((guide) => `guides/${guide}`).join(", ")}`;
}

/** Says above the first variable of each group what it begins. */
export function explainGroups(stack: TerraformStack): void {
  const variables = stack.node.findAll().filter((each) => each instanceof TerraformVariable);
  const byName = Object.fromEntries(variables.map((variable) => [variable.node.id, variable]));
  for (const { group, rows } of groupedInputs(byName)) {
    const [, first] = rows[0] ?? [];
    if (group !== undefined && first !== undefined) explain(first, headingOf(group));
  }
}
