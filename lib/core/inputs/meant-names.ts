import { nearest, plainName } from "./nearest";

/**
 * Names that were probably meant by one that is not known: what other tools call so, a member of the same letters, the
 * nearest name, or the only one that begins with it. Several where any may be meant, none where nothing is near.
 *
 * @param inside paths of members of those that are known
 * @param prefix path of the object that all are in
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

/** Why there is no such input, of a deployment that has a database; undefined where nothing is known of it. */
export function whyNotNeeded(path: string, known: readonly string[]): string | undefined {
  if (!known.some((each) => plainName(each) === "databasetier")) return undefined;
  return Object.entries(NOT_NEEDED).find(([beginning]) => plainName(path).startsWith(beginning))?.[1];
}

/**
 * The props that are meant by names of other tools. These are without case and separators: `databaseha` stands for
 * `database_ha`, `databaseHa` and `database.ha`. Where there are several, any may be meant.
 */
export const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  adminpassword: ["bootstrapPassword"],
  administratorpassword: ["bootstrapPassword"],
  availabilitytype: ["databaseAvailability"],
  backupretention: ["backups.retentionCount"],
  backupretentiondays: ["backups.retentionCount"],
  backupsdays: ["backups.retentionCount"],
  backupsretentiondays: ["backups.retentionCount"],
  concurrency: ["maxInstanceRequestConcurrency"],
  cpu: ["containerCpu"],
  databaseha: ["databaseAvailability"],
  databasehighavailability: ["databaseAvailability"],
  databaseinstancetype: ["databaseTier"],
  databaseregional: ["databaseAvailability"],
  databasesize: ["databaseTier"],
  disksize: ["databaseDiskLimitGb"],
  emailhost: ["smtp.host"],
  emailpassword: ["smtp.passwordSecret"],
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
  maxinstances: ["maxInstanceCount"],
  maxreplicas: ["maxInstanceCount"],
  memory: ["containerMemory"],
  mininstances: ["minInstanceCount"],
  minreplicas: ["minInstanceCount"],
  multiaz: ["databaseAvailability"],
  pagerduty: ["notificationChannels"],
  ratelimit: ["protection.requestsPerMinute"],
  replicas: ["minInstanceCount", "maxInstanceCount"],
  slack: ["notificationChannels"],
  slackchannel: ["notificationChannels"],
  slackwebhook: ["notificationChannels"],
  smtpfromaddress: ["smtp.from"],
  smtppass: ["smtp.passwordSecret"],
  smtpssl: ["smtp.encryption"],
  smtpstarttls: ["smtp.encryption"],
  smtptls: ["smtp.encryption"],
  subnet: ["subnetwork"],
  tag: ["applicationVersion"],
  timeout: ["requestTimeoutSeconds"],
  version: ["applicationVersion"],
  vpc: ["network"],
  waf: ["protection.waf"],
  webhook: ["notificationChannels"],
  workerreplicas: ["worker.count"],
};

/** What a deployment with a database has no input for, by the beginning of its name, and why. */
const NOT_NEEDED: Readonly<Record<string, string>> = {
  redis: "there is no Redis, because cache, sessions and tasks are in the database; remove it",
};
