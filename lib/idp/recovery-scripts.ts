import { type Construct } from "constructs";

import { type DeploymentContext } from "../core/deployment-context";
import { addRestLibraries } from "../core/project-apis";
import { addScript } from "../core/stack-file";
import { type OneTimeJob } from "./job-runner";
import { type MediaStore, type SqlInstance } from "./parts";

/** What the scripts need to know about a deployment. */
interface RecoverableDeployment {
  readonly context: DeploymentContext;
  readonly database: SqlInstance;
  readonly initialization: OneTimeJob;
  readonly media: MediaStore;
}

const SCRIPTS = [
  "sql-rest",
  "database-client",
  "database-jobs",
  "count-users",
  "fill-database",
  "swap-database",
  "restore-drill",
  "restore",
  "facts",
];

/**
 * Adds the scripts that restore a deployment, and the one that describes it, to the folder of its stack.
 *
 * @param jobs where the jobs run: a region of Cloud Run, or a namespace of the cluster
 * @returns their settings as words `NAME=value`, for `export`
 */
export function addRecoveryScripts(
  scope: Construct,
  { database, initialization, media, context }: RecoverableDeployment,
  jobs: { readonly region: string } | { readonly namespace: string },
): string {
  addRestLibraries(scope);
  for (const script of SCRIPTS) addScript(scope, `lib/idp/scripts/${script}.sh`);
  return Object.entries({
    PROJECT_ID: context.projectId,
    INSTANCE: database.instanceName,
    ...(database.instanceOwner !== undefined && {
      INSTANCE_OWNER: database.instanceOwner,
      CONNECTION_NAME: database.connectionName,
    }),
    DATABASE: database.databaseName,
    INIT_JOB: initialization.jobName,
    ADMINISTRATOR_SECRET: database.administratorPassword.secretId,
    MEDIA_BUCKET: media.bucketName,
    ...("region" in jobs ? { REGION: jobs.region } : { NAMESPACE: jobs.namespace }),
  })
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
