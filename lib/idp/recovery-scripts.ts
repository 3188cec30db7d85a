import { type Construct } from "constructs";

import { addRestLibraries } from "../core/project-apis";
import { addScript } from "../core/stack-file";

/** What the scripts need to know of a deployment. */
export interface RecoverySettings {
  readonly projectId: string;
  readonly instanceName: string;
  readonly databaseName: string;

  /** Name of the job that prepares the database. */
  readonly initializationJob: string;

  /** Name of the secret with the password of the database's administrator. */
  readonly administratorSecret: string;

  readonly mediaBucket: string;

  /** Where the jobs run: a region of Cloud Run, or a namespace of the cluster. */
  readonly jobs: { readonly region: string } | { readonly namespace: string };
}

const SCRIPTS = [
  "sql-rest.sh",
  "database-jobs.sh",
  "count-users.sh",
  "fill-database.sh",
  "swap-database.sh",
  "restore-drill.sh",
  "restore-media.sh",
  "restore.sh",
];

/**
 * Adds the scripts that restore a deployment to its folder.
 *
 * @returns their settings as words `NAME=value`, for `export`
 */
export function addRecoveryScripts(scope: Construct, settings: RecoverySettings): string {
  addRestLibraries(scope);
  for (const script of SCRIPTS) addScript(scope, `lib/idp/scripts/${script}`);
  const { jobs } = settings;
  return Object.entries({
    PROJECT_ID: settings.projectId,
    INSTANCE: settings.instanceName,
    DATABASE: settings.databaseName,
    INIT_JOB: settings.initializationJob,
    ADMINISTRATOR_SECRET: settings.administratorSecret,
    MEDIA_BUCKET: settings.mediaBucket,
    ...("region" in jobs ? { REGION: jobs.region } : { NAMESPACE: jobs.namespace }),
  })
    .map(([name, value]) => `${name}=${value}`)
    .join(" ");
}
