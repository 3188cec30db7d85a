import { nearest, plainName } from "./nearest";

/**
 * Names that were probably meant by an unknown name: the input with that name in other tools, a member with the same
 * letters, the nearest name, or the only name that begins with the unknown one. Several names if it is ambiguous, none
 * if nothing is near.
 *
 * @param inside paths of members of known inputs
 * @param prefix path of the surrounding object
 */
export function meantBy(
  name: string,
  known: readonly string[],
  inside: readonly string[],
  prefix: string,
): readonly string[] {
  const ofOtherTools = OTHER_NAMES[plainName(`${prefix}${name}`)]?.map(plainName) ?? [];
  const meant = [...known, ...inside].filter((each) => ofOtherTools.includes(plainName(`${prefix}${each}`)));
  if (meant.length > 0) return meant;
  const sameLetters = inside.filter((each) => plainName(each) === plainName(name));
  if (sameLetters.length > 0) return sameLetters;
  const near = nearest(name, known);
  if (near !== undefined) return [near];
  const longer = [known, inside].map((names) => names.filter((each) => plainName(each).startsWith(plainName(name))));
  return longer.find((names) => names.length === 1) ?? [];
}

/**
 * Advice for an unknown input of an identity provider; undefined if there is no advice.
 *
 * @param paths known inputs at the place of the unknown one, and paths of their members
 */
export function stepInstead(path: string, paths: readonly string[]): string | undefined {
  if (!paths.some((each) => OF_IDENTITY_PROVIDER.includes(plainName(each)))) return undefined;
  const given = plainName(path);
  const { names, step } = STEPS_INSTEAD.find(({ by, isWhole = false }) =>
    by.some((word) => (isWhole ? given === word : given.startsWith(word))),
  ) ?? { names: [] };
  return step?.(...names.map((name) => paths.find((each) => plainName(each) === plainName(name)) ?? name));
}

/**
 * Props by their names in other tools, without case and separators: `databaseha` stands for `database_ha`, `databaseHa`
 * and `database.ha`. Several props if the name is ambiguous.
 */
export const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  availabilitytype: ["databaseAvailability"],
  backupretention: ["backups.retentionCount"],
  backupretentiondays: ["backups.retentionCount"],
  backupschedule: ["dumps.schedule"],
  backupsdays: ["backups.retentionCount"],
  backupsretentiondays: ["backups.retentionCount"],
  clustername: ["existingCluster"],
  concurrency: ["maxInstanceRequestConcurrency"],
  cpu: ["containerCpu"],
  cpulimit: ["containerCpu"],
  databaseha: ["databaseAvailability"],
  databasehighavailability: ["databaseAvailability"],
  databaseinstancetype: ["databaseTier"],
  databaseregional: ["databaseAvailability"],
  databasesize: ["databaseTier"],
  dbtier: ["databaseTier"],
  dbversion: ["databaseVersion"],
  disksize: ["databaseDiskLimitGb"],
  email: ["smtp"],
  emailhost: ["smtp.host"],
  emailport: ["smtp.port"],
  env: ["environmentVariables"],
  environment: ["environmentVariables"],
  envvars: ["environmentVariables"],
  highavailability: ["databaseAvailability"],
  hostname: ["domain"],
  image: ["existingContainerImage", "applicationVersion"],
  imagetag: ["applicationVersion"],
  instancetype: ["databaseTier"],
  location: ["region"],
  logretentiondays: ["auditLog.retentionDays"],
  logsretentiondays: ["auditLog.retentionDays"],
  maxinstances: ["maxInstanceCount"],
  maxreplicas: ["maxInstanceCount"],
  memory: ["containerMemory"],
  memorylimit: ["containerMemory"],
  mininstances: ["minInstanceCount"],
  minreplicas: ["minInstanceCount"],
  multiaz: ["databaseAvailability"],
  ratelimit: ["protection.requestsPerMinute"],
  replicas: ["minInstanceCount", "maxInstanceCount"],
  smtpfromaddress: ["smtp.from"],
  smtpssl: ["smtp.encryption"],
  smtpstarttls: ["smtp.encryption"],
  smtptls: ["smtp.encryption"],
  subnet: ["subnetwork"],
  tag: ["applicationVersion"],
  tags: ["labels"],
  timeout: ["requestTimeoutSeconds"],
  version: ["applicationVersion"],
  vpc: ["network"],
  vpcconnector: ["network"],
  waf: ["protection.waf"],
  workerreplicas: ["worker.count"],
};

/** Inputs and members that exist only in an identity provider. The steps below apply where one of these is known. */
const OF_IDENTITY_PROVIDER = ["databasetier", "notificationchannelsall", "smtppasswordsecret"];

/** Step for a wish that no input of a deployment covers. */
interface StepInstead {
  /** Names in other tools, or the beginnings of such names, without case and separators. */
  readonly by: readonly string[];
  readonly isWhole?: boolean;
  /** Props that the step names. */
  readonly names: readonly string[];
  readonly step: (...names: readonly string[]) => string;
}

const STEPS_INSTEAD: readonly StepInstead[] = [
  {
    by: ["redis"],
    names: [],
    step: () => "there is no Redis, because cache, sessions and tasks are in the database; remove it",
  },
  {
    by: ["slack", "pagerduty", "webhook", "notificationchannelsslack", "notificationchannelspagerduty"],
    names: ["notificationChannels.all"],
    step: (all = "") =>
      `make a channel in Cloud Monitoring and name it in ${all}, see guides/monitoring-and-alerts.md; remove it`,
  },
  {
    by: ["dbpassword", "databasepassword", "postgrespassword", "postgresqlpassword"],
    isWhole: true,
    names: ["databasePasswords"],
    step: (passwords = "") =>
      `the password is generated, and is in Secret Manager alone; remove it, and set ${passwords} to replace that`,
  },
  {
    by: ["adminpassword", "administratorpassword"],
    isWhole: true,
    names: ["bootstrapPassword"],
    step: (password = "") =>
      `a first password is generated; remove it, or give one of your own as ${password} to the apply, in no file`,
  },
  {
    by: ["smtppassword", "smtppass", "emailpassword"],
    isWhole: true,
    names: ["smtp.passwordSecret"],
    step: (secret = "") => `the password stays in Secret Manager, never in a file; name its secret in ${secret}`,
  },
  {
    by: ["adminemail", "administratoremail", "bootstrapemail"],
    isWhole: true,
    names: ["alertEmails", "environmentVariables"],
    step: (emails = "", variables = "") =>
      `set ${emails} for alerts, or IDP_BOOTSTRAP_EMAIL in ${variables} for the first administrator`,
  },
  {
    by: ["ldap"],
    names: ["blueprints"],
    step: (blueprints = "") =>
      `add ldap to ${blueprints} for applications that sign in by LDAP, or see guides/directories.md for a source`,
  },
  {
    by: ["ingress"],
    names: ["domain"],
    step: (domain = "") => `there is no choice of an ingress, because ${domain} makes the load balancer; remove it`,
  },
  {
    by: ["helm"],
    names: [],
    step: () => "there is no chart of Helm, because all resources are made here, each by its own input; remove it",
  },
];
