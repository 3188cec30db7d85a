import { CloudRunV2Job } from "@cdktf/provider-google/lib/cloud-run-v2-job";
import { SecretManagerSecret } from "@cdktf/provider-google/lib/secret-manager-secret";
import { SecretManagerSecretIamMember } from "@cdktf/provider-google/lib/secret-manager-secret-iam-member";
import { SecretManagerSecretVersion } from "@cdktf/provider-google/lib/secret-manager-secret-version";
import { dependable, Fn, type ITerraformDependable } from "cdktf";
import { type Construct } from "constructs";

import { JOB_NAME_AND_TOKEN_MAX_LENGTH, jobName, secretId, type DeploymentName } from "../../core/names";
import { nameRules } from "../../core/name-rules";
import { setNewerAttribute } from "../../core/newer-attribute";
import { requireAll, requireProps, type Rule } from "../../core/rules";
import { TerraformData } from "../../core/terraform-data";
import {
  type InitializationJob,
  type InitializationJobPlatform,
  type InitializationJobSpec,
} from "../../idp/initialization-job";
import { type NetworkAttachment } from "../network-attachment";
import { addPlainEntries } from "../plain-environment";
import { type PostgresqlDatabase } from "../postgresql-database";
import { type ServiceIdentity } from "../service-identity";
import { secretEntries } from "./container-environment";
import {
  EXECUTION_ENVIRONMENT,
  EXECUTION_TOKEN_LENGTH,
  JOB_TIMEOUT,
  RESOURCE_NAME,
  SCRIPT_FOLDER,
  SCRIPT_MODE,
  SOCKET_FOLDER,
  SOCKET_VOLUME,
} from "./contract";
import { addNetworkAccess, networkAccess } from "./network-interface";
import { SOCKET_PATH_RULE } from "./socket-folder";

export interface ServerlessJobsProps {
  /** Database whose socket the jobs find under `/cloudsql`. */
  readonly database: PostgresqlDatabase;

  /** What the names are made of. */
  readonly deployment: DeploymentName;

  /** Project that it goes into. */
  readonly projectId: string;

  /** Region, for example `us-central1`. */
  readonly region: string;

  /** Account that the jobs run as; it gets access to the scripts, everything else is granted to it beforehand. */
  readonly identity: ServiceIdentity;

  /**
   * Things that must exist before a job runs: grants, stored secrets, APIs.
   *
   * @default - nothing
   */
  readonly dependsOn?: ITerraformDependable[];

  /**
   * Things that must exist before a script can be stored: the gate of the secret store's API.
   *
   * @default - nothing
   */
  readonly secretsDependOn?: ITerraformDependable[];

  /**
   * Labels of the jobs.
   *
   * @default - none
   */
  readonly labels?: Record<string, string>;

  /**
   * Existing network through which the database has its private address.
   *
   * @default - none
   */
  readonly network?: NetworkAttachment;
}

/**
 * Runs initialization jobs on Cloud Run: executed at apply when they are created, and waited for.
 *
 * A job is replaced, and so runs again, when its trigger changes; other changes and executions by hand leave it alone. It
 * has no deletion protection on purpose: a failed run leaves the job to be replaced by the next apply.
 */
export class ServerlessJobs implements InitializationJobPlatform {
  constructor(private readonly props: ServerlessJobsProps) {}

  runJob(scope: Construct, id: string, job: InitializationJobSpec): InitializationJob {
    requireProps(scope.node.path, this.props, {
      database: true,
      deployment: true,
      identity: true,
      projectId: true,
      region: true,
    });
    const { deployment, identity, labels } = this.props;
    const name = jobName(deployment, job.name);
    requireAll(scope, { ...this.props, name }, RULES);

    const scriptSecret = new SecretManagerSecret(scope, "Script", {
      secretId: secretId(deployment, job.name),
      replication: { auto: {} },
      labels,
      dependsOn: this.props.secretsDependOn,
    });
    const scriptVersion = new SecretManagerSecretVersion(scope, "ScriptVersion", {
      secret: scriptSecret.id,
      secretData: job.script.base64,
      isSecretDataBase64: true,
      // The job points at the old version until it is replaced; it must not be gone before.
      lifecycle: { createBeforeDestroy: true },
    });
    const mayRead = new SecretManagerSecretIamMember(scope, "ScriptReader", {
      secretId: scriptSecret.id,
      role: "roles/secretmanager.secretAccessor",
      member: identity.member,
      dependsOn: [identity.account],
    });

    const trigger = new TerraformData(scope, "Trigger", { input: { ...job.rerunWhenChanged } });
    const cloudRunJob = new CloudRunV2Job(scope, id, {
      project: this.props.projectId,
      name,
      location: this.props.region,
      deletionProtection: false,
      labels,
      template: {
        taskCount: 1,
        template: {
          serviceAccount: identity.email,
          executionEnvironment: EXECUTION_ENVIRONMENT,
          vpcAccess: networkAccess(this.props.network),
          timeout: `${job.timeoutSeconds}s`,
          maxRetries: job.maxRetries,
          containers: [
            {
              image: job.image,
              command: ["/bin/sh", `${SCRIPT_FOLDER}/${job.scriptName}`],
              env: secretEntries(job.secretEnvironment),
              volumeMounts: [
                { name: SCRIPT_VOLUME, mountPath: SCRIPT_FOLDER },
                // Last, here and below: the platform returns it last.
                { name: SOCKET_VOLUME, mountPath: SOCKET_FOLDER },
              ],
            },
          ],
          volumes: [
            {
              name: SCRIPT_VOLUME,
              secret: {
                secret: scriptSecret.secretId,
                items: [{ path: job.scriptName, version: scriptVersion.version, mode: SCRIPT_MODE }],
              },
            },
            { name: SOCKET_VOLUME, cloudSqlInstance: { instances: [this.props.database.connectionName] } },
          ],
        },
      },
      timeouts: { create: JOB_TIMEOUT, update: JOB_TIMEOUT },
      lifecycle: {
        // An execution by hand makes the platform forget the token; sending it again would be a second execution.
        ignoreChanges: ["run_execution_token", "client", "client_version"],
        // By address: the framework renders an object here as an expression, which Terraform refuses.
        replaceTriggeredBy: [dependable(trigger)],
      },
      dependsOn: [mayRead, ...(this.props.dependsOn ?? [])],
    });
    addPlainEntries(cloudRunJob, "template.template.containers.0", {
      baseline: {},
      overrides: {},
      required: job.environment,
    });
    addNetworkAccess(cloudRunJob, "template.template", this.props.network);
    // With this token the platform executes the job and the apply waits for the end of it.
    const token = Fn.substr(Fn.sha256(Fn.jsonencode(trigger.input)), 0, EXECUTION_TOKEN_LENGTH);
    setNewerAttribute(cloudRunJob, "run_execution_token", token);

    return { jobName: cloudRunJob.name, completed: cloudRunJob };
  }
}

const SCRIPT_VOLUME = "script";

/** The platform names an execution after job and token. */
const JOB_NAME_MAX_LENGTH = JOB_NAME_AND_TOKEN_MAX_LENGTH - EXECUTION_TOKEN_LENGTH;

const RULES: readonly Rule<ServerlessJobsProps & { readonly name: string }>[] = [
  ...nameRules<{ readonly name: string }>(({ name }) => name, {
    ...RESOURCE_NAME,
    what: "job name",
    maxLength: JOB_NAME_MAX_LENGTH,
    lengthReason: "the name of an execution ends in a token",
  }),
  SOCKET_PATH_RULE,
];
