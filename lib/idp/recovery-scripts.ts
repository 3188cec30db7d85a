import { type Construct } from "constructs";

import { type DeploymentContext } from "../core/deployment-context";
import { type Expr } from "../core/expr/expr";
import { type ValuesOf } from "../core/inputs/value";
import { bucketName } from "../core/names";
import { addRestLibraries } from "../core/project-apis";
import { type ReadableSecret } from "../core/secrets/stored-secret";
import { addScript } from "../core/stack-file";
import { DUMP_LOCK_SUFFIX } from "./dump-copies";
import { DUMP_BUCKET_SUFFIX, type DUMPS, hasDumpBucket } from "./dumps";
import { type OneTimeJob } from "./job-runner";
import { type MediaStore, type SqlInstance } from "./parts";

/** Facts of a deployment that the scripts use. */
export interface RecoverableDeployment {
  /** Existing backup plan that covers the database; null if there is none. */
  readonly backupPlan: Expr<string | null>;
  readonly context: DeploymentContext;
  readonly database: SqlInstance;
  readonly dumps: ValuesOf<typeof DUMPS>;
  readonly initialization: OneTimeJob;
  readonly media: MediaStore;
  readonly secretKey: ReadableSecret;
}

const SCRIPTS = [
  "sql-rest",
  "database-client",
  "database-jobs",
  "unrestorable",
  "count-users",
  "fill-database",
  "swap-database",
  "restore-drill",
  "record-drill",
  "restore",
  "move-deployment",
  "recover-elsewhere",
  "return-home",
  "backup-before-upgrade",
  "facts",
];

/** Scripts of deployments that support a second region. */
const STANDBY_SCRIPTS = ["promote", "connect-right", "standby-state", "standby-servers", "replica-position"];

/**
 * Adds the scripts that restore a deployment, and the one that describes it, to the folder of its stack.
 *
 * @param jobs place of the jobs: a region of Cloud Run, or a namespace of the cluster
 * @param standby settings for a second region; undefined if the deployment does not support one
 * @returns settings of the scripts as words `NAME=value`, for `export`
 */
export function addRecoveryScripts(
  scope: Construct,
  { backupPlan, database, dumps, initialization, media, context, secretKey }: RecoverableDeployment,
  jobs: { readonly region: string } | { readonly namespace: string },
  standby?: Readonly<Record<string, string>>,
): string {
  addRestLibraries(scope);
  const scripts = [...SCRIPTS, ...(standby === undefined ? [] : STANDBY_SCRIPTS)];
  for (const script of scripts) addScript(scope, `lib/idp/scripts/${script}.sh`);
  if (standby !== undefined) addScript(scope, "lib/idp/scripts/connect-rights.jq");
  const hasDumps = hasDumpBucket(dumps);
  const { copyBucket, lockDays } = dumps.dumps.at;
  const isLocked = lockDays.isSet();
  // Empty settings are in the list too. A recovery elsewhere evaluates the list in a shell that has the settings of the
  // lost deployment, whose plan or bucket would otherwise count for the new one.
  return Object.entries({
    PROJECT_ID: context.projectId,
    APPLICATION_NAME: context.deployment.applicationName,
    INSTANCE: database.instanceName,
    INSTANCE_OWNER: database.instanceOwner ?? "",
    CONNECTION_NAME: database.instanceOwner === undefined ? "" : database.connectionName,
    BACKUP_PLAN: backupPlan.isSet().choose(backupPlan.present, "").text,
    DATABASE: database.databaseName,
    DATABASE_REGION: context.region,
    INIT_JOB: initialization.jobName,
    ADMINISTRATOR_SECRET: database.administratorPassword.secretId,
    MEDIA_BUCKET: media.bucketName,
    DUMP_BUCKET: hasDumps.choose(bucketName(context.deployment, DUMP_BUCKET_SUFFIX), "").text,
    DUMP_COPY_BUCKET: copyBucket.isSet().choose(copyBucket.present, "").text,
    DUMP_LOCK_BUCKET: isLocked.choose(bucketName(context.deployment, DUMP_LOCK_SUFFIX), "").text,
    SECRET_KEY_SECRET: secretKey.secretId,
    SECRET_KEY_VERSION: secretKey.version,
    ...("region" in jobs ? { REGION: jobs.region } : { NAMESPACE: jobs.namespace }),
    ...standby,
  })
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
