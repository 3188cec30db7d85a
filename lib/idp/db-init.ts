import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type SecretReference } from "../core/generated-secret";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { packageFile } from "../core/package-file";
import { requireProps } from "../core/rules";
import { addStackFile } from "../core/stack-file";
import {
  DATABASE_ADMINISTRATOR,
  DATABASE_PORT,
  DATABASE_VARIABLES,
  DB_INIT_IMAGE,
  DB_INIT_JOB,
  DB_INIT_MAX_RETRIES,
  DB_INIT_TIMEOUT_SECONDS,
  DB_INIT_WAIT_SECONDS,
  MANAGED_SUPERUSER_ROLE,
} from "./contract";
import { type DatabaseConnection } from "./identity-provider-container";
import { type InitializationJob, type InitializationJobPlatform } from "./initialization-job";

export interface DbInitProps {
  /** Password of the `postgres` login. */
  readonly administratorPassword: SecretReference;

  /** Role, database and password to create, and how the job reaches the server. */
  readonly database: DatabaseConnection;

  /** What runs the job. */
  readonly platform: InitializationJobPlatform;

  /**
   * Image with `psql` of the server's major version and a POSIX shell.
   *
   * @default "docker.io/library/postgres:15-alpine"
   */
  readonly image?: string;

  /**
   * Address on loopback that tells the database proxy beside the job to end.
   *
   * @default - the platform's connection needs no such signal
   */
  readonly proxyQuitUrl?: string;
}

/**
 * The job `db-init`: creates the application's role and database, and sets the role's password.
 *
 * Runs at apply and is waited for. It is safe to run at any time and runs again when the script, the image, a name or
 * the password's version changes, and only then.
 */
export class DbInit extends Construct implements InitializationJob {
  readonly jobName: string;

  readonly completed: ITerraformDependable;

  constructor(scope: Construct, id: string, props: DbInitProps) {
    super(scope, id);
    requireProps(this.node.path, props, { administratorPassword: true, database: true, platform: true });
    const { administratorPassword, database, image = DB_INIT_IMAGE, platform } = props;
    const script = addStackFile(this, packageFile(`lib/idp/scripts/${SCRIPT_NAME}`), `scripts/${SCRIPT_NAME}`);

    const job = platform.runJob(this, MAIN_CHILD_ID, {
      name: DB_INIT_JOB,
      image,
      script,
      scriptName: SCRIPT_NAME,
      environment: {
        [DATABASE_VARIABLES.host]: database.host,
        [DATABASE_VARIABLES.port]: String(DATABASE_PORT),
        [DATABASE_VARIABLES.name]: database.name,
        [DATABASE_VARIABLES.user]: database.user,
        DB_ADMIN_USER: DATABASE_ADMINISTRATOR,
        DB_MANAGED_SUPERUSER_ROLE: MANAGED_SUPERUSER_ROLE,
        DB_WAIT_SECONDS: String(DB_INIT_WAIT_SECONDS),
        ...(props.proxyQuitUrl === undefined ? {} : { DB_PROXY_QUIT_URL: props.proxyQuitUrl }),
      },
      secretEnvironment: {
        [DATABASE_VARIABLES.password]: database.password,
        DB_ADMIN_PASSWORD: administratorPassword,
      },
      timeoutSeconds: DB_INIT_TIMEOUT_SECONDS,
      maxRetries: DB_INIT_MAX_RETRIES,
      rerunWhenChanged: {
        script: script.sha256,
        image,
        host: database.host,
        database: database.name,
        user: database.user,
        password_version: database.password.version,
      },
    });

    this.jobName = job.jobName;
    this.completed = job.completed;
  }
}

const SCRIPT_NAME = "db-init.sh";
