import { type IConstruct } from "constructs";

import { snakeCase } from "../lib/core/checks";
import { explain } from "../lib/core/hcl/stack-origin";
import { type Table } from "../lib/core/inputs";

/** Inputs for one task, and the guide to it. */
export interface InputGroup {
  readonly title: string;
  /** File in the folder of guides. */
  readonly guide: string;
  /** Props, those that most deployments set first. */
  readonly inputs: readonly string[];
}

/** The inputs of the identity providers, in the order in which most people meet them. */
export const INPUT_GROUPS: readonly InputGroup[] = [
  {
    title: "Project and names",
    guide: "first-apply.md",
    inputs: ["projectId", "region", "tenantId", "applicationName", "labels", "deletionProtection", "secretLocations"],
  },
  {
    title: "Domain and protection",
    guide: "domain-and-protection.md",
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
    title: "Mail",
    guide: "mail.md",
    inputs: ["smtp"],
  },
  {
    title: "Monitoring",
    guide: "monitoring-and-alerts.md",
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
    title: "Release and image",
    guide: "upgrade.md",
    inputs: [
      "applicationVersion",
      "backupBeforeUpgrade",
      "existingContainerImage",
      "imageMirror",
      "buildPool",
      "buildLocation",
    ],
  },
  {
    title: "Settings of the application",
    guide: "configuration-as-files.md",
    inputs: ["environmentVariables", "secretEnvironmentVariables", "blueprints", "logLevel"],
  },
  {
    title: "Server and worker",
    guide: "worker-and-sizes.md",
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
    guide: "database-connections.md",
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
    title: "Backup and restore",
    guide: "backup-and-restore.md",
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
    title: "Passwords and keys",
    guide: "secrets-and-rotation.md",
    inputs: [
      "bootstrapPassword",
      "bootstrapToken",
      "databasePasswordVersion",
      "administratorPasswordVersion",
      "secretKeyVersion",
      "acceptedSecretKeyVersion",
    ],
  },
  {
    title: "Network and rights",
    guide: "network-and-rights.md",
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
    title: "Load balancer for a network alone",
    guide: "internal-load-balancer.md",
    inputs: ["loadBalancer", "loadBalancerProxyRange"],
  },
  {
    title: "Existing parts",
    guide: "existing-parts.md",
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
    guide: "keys-and-mirrors.md",
    inputs: ["kmsKeys", "binaryAuthorization"],
  },
  {
    title: "LDAP and RADIUS",
    guide: "outposts.md",
    inputs: ["manageOutposts", "outpostRanges"],
  },
];

/** Some of the inputs, in a group; those of a stack without groups are in none. */
interface GroupedInputs<Row> {
  readonly group?: InputGroup;
  readonly rows: readonly (readonly [name: string, row: Row])[];
}

/**
 * Inputs in their groups, if all of them are in one: another stack has some of the same names.
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

/** A table in the order of its groups. */
export function inGroupOrder<T extends Table>(table: T): T {
  return Object.fromEntries(groupedInputs(table).flatMap(({ rows }) => rows)) as unknown as T;
}

/** Says above the first variable of each group what it begins. */
export function explainGroups(variables: readonly IConstruct[]): void {
  const byName = Object.fromEntries(variables.map((variable) => [variable.node.id, variable]));
  for (const { group, rows } of groupedInputs(byName)) {
    const [, first] = rows[0] ?? [];
    if (group !== undefined && first !== undefined) explain(first, `${group.title}: guides/${group.guide}`);
  }
}
