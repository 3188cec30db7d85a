import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { type ITerraformDependable } from "cdktf";
import { Construct } from "constructs";

import { type DeploymentContext } from "../core/deployment-context";
import { idOf } from "../core/expr/attributes";
import { type Condition, countIf } from "../core/expr/conditions";
import { granteeArguments, Grants, type WorkloadIdentity } from "../core/identity";
import { number, object, type PropsOf, text } from "../core/inputs/rows";
import { matching, wholeNumber } from "../core/inputs/rules";
import { type ValuesOf } from "../core/inputs/value";
import { secretId } from "../core/names";
import { MAIN_CHILD_ID } from "../core/portable-stack";
import { prose } from "../core/prose";
import { addSecret } from "../core/secrets/stored-secret";
import { addScript } from "../core/stack-file";
import { type ContainerSpec } from "./container-spec";
import { BOOTSTRAP_PASSWORD, ENTRYPOINT_PATH } from "./contract";
import { type ManualJob, type ManualJobRunner } from "./job-runner";

const MAX_LINK_MINUTES = 60;

/** Input of the recovery job. */
export const RECOVERY_ACCESS = {
  /**
   * A job that makes a sign-in link for a locked-out administrator; only one account may read the link. None by
   * default.
   */
  recoveryAccess: object(
    {
      /** Reader of the link: `user:` and an address, preferably of another person than the one who runs the job. */
      reader: text({
        description: "who alone may read the link: user: and an address, preferably not of whoever runs the job",
        must: matching(
          "^user:[^@:\\s]+@[^@:\\s]+$",
          prose`
            be user: and an address, because one person opens the link, and an identity of a pool may sign in by what
            it is to open; use for example user:admin@example.com
          `,
        ),
      }),
      /** Minutes for which a link is valid, 5 to 60, 15 by default. */
      minutes: number({
        default: 15,
        description: `minutes for which a link is valid, 5 to ${MAX_LINK_MINUTES}`,
        must: wholeNumber(5, MAX_LINK_MINUTES, ", because anyone with the link is an administrator; use 15"),
      }),
    },
    {
      description: (members) =>
        prose`
          Break-glass access: a job that, run by hand, makes a link with which somebody who is locked out signs in
          once. ${members} [[Null for none.]] Changing it later is safe.
        `,
    },
  ),
};

/** Sign-in link for a locked-out administrator. */
export interface RecoveryAccessProps extends PropsOf<(typeof RECOVERY_ACCESS)["recoveryAccess"]["members"]> {}

/** Name of the job, also in alerts. */
export const RECOVERY_JOB = "recovery";

/** Suffix of the name of the secret with the link. */
export const RECOVERY_LINK_SUFFIX = "recovery-link";

interface RecoveryAccessParts {
  readonly condition: Condition;
  readonly context: DeploymentContext;
  /** Container of the server; the job uses its image and settings. */
  readonly container: ContainerSpec;
  /** Account of the job. It writes the secret with the link and reads the secrets of the application. */
  readonly identity: WorkloadIdentity;
  readonly inputs: ValuesOf<typeof RECOVERY_ACCESS>;
  /** Platform that runs the job under the account. */
  readonly runner: ManualJobRunner;
  /** Address to which clients connect. */
  readonly url: string;
  /** Dependencies of the secret. */
  readonly secretsReady: ITerraformDependable[];
  /** Dependencies that wait for the first start of the application, because it creates the tables. */
  readonly dependsOn: ITerraformDependable[];
}

/**
 * A job that makes a sign-in link for a locked-out administrator, and a secret in which one account may read the link.
 *
 * The application only prints the link, and everyone with access to logs could then use it. The job therefore stores
 * the link in a version of the secret, waits until the link has expired, and destroys the version. Only runs are
 * billed.
 */
export class RecoveryAccess extends Construct {
  /** Whether the job exists. @internal */
  readonly condition: Condition;
  readonly jobName: string;

  /** Command that makes a link, with a placeholder for the user's name; null at plan without a recovery job. */
  readonly runCommand: string;

  /** Command with which the reader prints the link; null at plan without a recovery job. */
  readonly readCommand: string;
  readonly ready: ITerraformDependable[];

  /** @internal */
  constructor(
    scope: Construct,
    id: string,
    private readonly props: RecoveryAccessParts,
  ) {
    super(scope, id);
    const { condition, context, inputs } = props;
    const { mayRead, mayWrite, secretName } = this.addLink();
    const job = this.addJob(secretName, mayWrite);
    this.condition = condition;
    this.jobName = job.jobName;
    const ifMade = (command: string) => inputs.recoveryAccess.isSet().choose(command, null).text;
    this.runCommand = ifMade(job.runCommand);
    this.readCommand = ifMade(
      `gcloud secrets versions access latest --secret=${secretName} --project=${context.projectId}`,
    );
    this.ready = [mayRead, ...job.ready];
  }

  /** The secret with the link. One account may read it, and the job may add versions. */
  private addLink() {
    const { condition, context, identity, inputs, secretsReady } = this.props;
    const { deployment, labels, projectId: project, region, secretLocations = [region] } = context;
    const secretName = secretId(deployment, RECOVERY_LINK_SUFFIX);
    const link = new Construct(this, "Link");
    // Versions are destroyed without delay, because the link has expired by then.
    const secret = addSecret(link, MAIN_CHILD_ID, secretLocations, {
      project,
      secretId: secretName,
      labels,
      count: countIf(condition),
      deletionProtection: false,
      dependsOn: secretsReady,
    });
    const mayRead = new SecretManagerSecretIamMember(link, "Reader", {
      project,
      secretId: idOf(secret),
      role: "roles/secretmanager.secretAccessor",
      member: inputs.recoveryAccess.at.reader.text,
      count: countIf(condition),
    });
    // The job may add and destroy versions, but not read them.
    const mayWrite = new Grants(link).to(
      identity,
      (grantId, account) =>
        new SecretManagerSecretIamMember(link, grantId, {
          project,
          secretId: idOf(secret),
          role: "roles/secretmanager.secretVersionManager",
          ...granteeArguments(account, condition),
        }),
      condition,
    );
    return { mayRead, mayWrite, secretName };
  }

  private addJob(secretName: string, mayWrite: ITerraformDependable[]): ManualJob {
    const { condition, container, context, dependsOn, inputs, runner, url } = this.props;
    return runner.byHand(this, "Job", {
      name: RECOVERY_JOB,
      script: addScript(this, "lib/idp/scripts/recovery-link.py"),
      scriptName: "recovery-link.py",
      // Runs Python isolated from the variables and files of the application.
      interpreter: ["python3", "-IS"],
      container: containerOfJob(container, [...dependsOn, ...mayWrite], {
        RECOVERY_ENTRYPOINT: ENTRYPOINT_PATH,
        RECOVERY_MINUTES: inputs.recoveryAccess.at.minutes.text,
        RECOVERY_SECRET: `projects/${context.projectId}/secrets/${secretName}`,
        RECOVERY_URL: url,
      }),
      given: { variable: "RECOVERY_USER", placeholder: "USERNAME" },
      // The longest validity of a link, plus the start of the application and slow requests.
      timeoutSeconds: MAX_LINK_MINUTES * 60 + 600,
      // No retry, because each attempt would make another link.
      maxRetries: 0,
      condition,
    });
  }
}

/** The server's image and settings, without the first password, uploads and ports. */
function containerOfJob(
  { database, environment, image, secretEnvironment, secretSettings }: ContainerSpec,
  dependsOn: ITerraformDependable[],
  variables: Readonly<Record<string, string>>,
): ContainerSpec {
  const secrets = Object.entries(secretEnvironment).filter(([name]) => name !== BOOTSTRAP_PASSWORD.variable);
  return {
    image,
    database: database && { ...database, proxyQuitVariable: "DB_PROXY_QUIT_URL" },
    environment: { ...environment, required: { ...environment.required, ...variables } },
    secretEnvironment: Object.fromEntries(secrets),
    secretSettings,
    // Enough for a single command of the application.
    resources: { cpu: "1", memory: "2Gi" },
    dependsOn,
  };
}
