import { type IResolvable, type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { conditionFrom, isAlways } from "../core/expr/conditions";
import { type Expr, hcl } from "../core/expr/expr";
import { type KnownPropsOf, refuseProps } from "../core/inputs/known-props";
import { flag, object, type PropsOf } from "../core/inputs/rows";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { prose } from "../core/prose";
import { stateProvidersOf } from "../core/provider-requirements";
import { addScript, joined, type StackFile } from "../core/stack-file";
import { type ContainerSpec } from "./container-spec";
import {
  DATABASE_ADMINISTRATOR,
  DB_INIT_JOB,
  DB_INIT_MAX_RETRIES,
  DB_INIT_TIMEOUT_SECONDS,
  DB_RETIRE_JOB,
  MANAGED_SUPERUSER_ROLE,
} from "./contract";
import { clientImage, databaseJobContainer } from "./database-job";
import { type JobRunner, type OneTimeJob } from "./job-runner";
import { type SqlInstance } from "./parts";

/** Inputs for the rights of the application's role, and for the rights of others on its database. */
export const DATABASE_RIGHTS = {
  /** Rights on the database's instance, which other applications may share. */
  databaseRights: object(
    {
      /**
       * Limits the service accounts' right to connect to this database, by an IAM condition. Use false if the project's
       * tools cannot handle conditions.
       */
      conditionalAccess: flag({
        default: true,
        description: prose`
          limits the right of the service accounts to connect to this database, by an IAM condition; false,
          for a project whose tools cannot keep conditions, covers all its databases
        `,
      }),
      /** Revokes the right of all other logins of the instance to connect to the application's database. */
      revokePublicConnect: flag({
        default: true,
        description: prose`
          takes the right to connect to the application's database away from all other logins of the instance,
          who could read the names of tables and block migrations; a change to true runs db-init,
          false gives nothing back
        `,
      }),
      /**
       * Makes the application's role a member of `cloudsqlsuperuser`; by default only on the deployment's own instance.
       * The application does not need these rights.
       */
      managedSuperuser: flag({
        default: null,
        description: prose`
          makes the application's role a member of cloudsqlsuperuser, as powerful as the administrator:
          with that, it can read and change all databases of the instance, and it needs nothing of that[[;
          null for true, or false with existing_database]]; a change runs db-init,
          and false revokes what the administrator has granted
        `,
      }),
    },
    {
      default: {},
      description: (members) =>
        prose`
          Rights on the database's instance, for one that several applications share. ${members}
          Changing it later is safe.
        `,
    },
  ),
};

/** Rights on the database's instance. */
export interface DatabaseRights extends PropsOf<(typeof DATABASE_RIGHTS)["databaseRights"]["members"]> {}

export interface DbInitProps {
  /** Instance for the role and the database. */
  readonly database: SqlInstance;

  /** Platform that runs the job. */
  readonly runner: JobRunner;

  /** Dependencies of the job in addition to the parts that it uses; none by default. */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Whether the application's role is a member of `cloudsqlsuperuser`, as the contract requires; false revokes the
   * membership.
   *
   * A member is as powerful as the administrator: the application can then read and change the databases of all other
   * applications of the instance. It does not need that right; turn it off if several applications share an instance.
   *
   * @default true
   */
  readonly grantManagedSuperuser?: boolean | IResolvable;

  /**
   * Whether only the application's role and the administrator can connect; false changes no rights.
   *
   * @default true
   */
  readonly revokePublicConnect?: boolean | IResolvable;

  /**
   * Public image with `psql` of the server's major version and a POSIX shell.
   *
   * @default - that of the database
   */
  readonly image?: string;
}

const PROPS: KnownPropsOf<DbInitProps> = {
  database: "required",
  runner: "required",
  dependsOn: "optional",
  grantManagedSuperuser: "optional",
  image: "optional",
  revokePublicConnect: "optional",
};

/**
 * The job `db-init`: creates the application's role and database, and sets the role's password.
 *
 * An apply runs the job and waits for it. A run is safe at any time. The job runs again only if the script, a name, a
 * password, the rights of the role or the image changes. The image follows the version of the database.
 */
export class DbInit extends Construct implements OneTimeJob {
  readonly jobName: string;
  readonly ready: ITerraformDependable[];

  /** Container of both jobs; they sign in as the administrator. */
  private readonly container: ContainerSpec;
  private readonly image: string;
  private readonly grants: Expr<boolean>;
  private readonly revokes: Expr<boolean>;

  constructor(
    scope: Construct,
    id: string,
    private readonly props: DbInitProps,
  ) {
    super(scope, id);
    stateProvidersOf(this);
    refuseProps(this, props, PROPS);
    const { database, grantManagedSuperuser = true, image, revokePublicConnect = true } = props;
    this.image = image ?? clientImage(database);
    this.grants = conditionFrom(grantManagedSuperuser);
    this.revokes = conditionFrom(revokePublicConnect);
    this.container = this.administratorContainer();
    const job = this.addJob();
    this.jobName = job.jobName;
    this.ready = job.ready;
    // Each folder has all scripts, including those of jobs that it does not run yet.
    this.addRetirementScripts();
  }

  private administratorContainer(): ContainerSpec {
    const { database } = this.props;
    const container = databaseJobContainer(
      database,
      {
        DB_ADMIN_USER: database.administratorName ?? DATABASE_ADMINISTRATOR,
        DB_MANAGED_SUPERUSER_ROLE: MANAGED_SUPERUSER_ROLE,
        DB_GRANT_MANAGED_SUPERUSER: this.grants.text,
        DB_REVOKE_PUBLIC_CONNECT: this.revokes.text,
        DB_INSTANCE_OWNER: database.instanceOwner ?? "deployment",
        DB_OWNER: database.ownerName ?? database.userName,
        DB_OTHER_USER: database.otherLogin?.name ?? "",
        DB_PASSWORD_VERSION: database.otherLogin?.passwordVersion ?? "",
      },
      this.image,
    );
    const secretEnvironment = { ...container.secretEnvironment, DB_ADMIN_PASSWORD: database.administratorPassword };
    return { ...container, secretEnvironment };
  }

  private addJob(): OneTimeJob {
    const { database, dependsOn, runner } = this.props;
    const script = addScript(this, "lib/idp/scripts/db-init.sh");
    return runner.runOnce(this, MAIN_CHILD_ID, {
      ...LIMITS,
      name: DB_INIT_JOB,
      script,
      scriptName: "db-init.sh",
      container: { ...this.container, dependsOn },
      rerunWhenChanged: {
        script: script.sha256,
        image: this.image,
        instance: database.connectionName,
        // Deviations from the defaults are appended to a value, because a new key would rerun the job everywhere.
        database: orWith(database.databaseName, this.revokes, ", open to PUBLIC"),
        user: orWith(database.userName, this.grants, ", no managed superuser"),
        password_version: database.password.revision,
        // A sign-in with the administrator's new password proves that it works before the former one is destroyed.
        administrator_password_version: database.administratorPassword.revision,
      },
    });
  }

  /**
   * Disables the login of the former password once no session uses it; an apply waits for this.
   *
   * @param usersReady all users of the database
   * @returns dependencies that wait for it; none if there is only one login
   */
  retire(scope: Construct, usersReady: ITerraformDependable[]): ITerraformDependable[] {
    const { database, runner } = this.props;
    const { otherLogin } = database;
    if (otherLogin === undefined) return [];
    return runner.runOnce(scope, "FormerLogin", {
      ...LIMITS,
      name: DB_RETIRE_JOB,
      script: joined(...this.addRetirementScripts()),
      scriptName: "retire-login.sh",
      condition: otherLogin.condition,
      container: { ...this.container, dependsOn: usersReady },
      rerunWhenChanged: { login: otherLogin.name, password_version: database.password.revision },
    }).ready;
  }

  private addRetirementScripts(): [client: StackFile, script: StackFile] {
    return [addScript(this, "lib/idp/scripts/database-client.sh"), addScript(this, "lib/idp/scripts/retire-login.sh")];
  }
}

const LIMITS = { timeoutSeconds: DB_INIT_TIMEOUT_SECONDS, maxRetries: DB_INIT_MAX_RETRIES };

/** A text, with a suffix unless the condition holds. */
function orWith(text: string, condition: Expr<boolean>, suffix: string): string {
  if (isAlways(condition)) return text;
  return hcl`join("", [${text}, ${condition.choose("", suffix)}])`.text;
}
