import { conditionFrom } from "../lib/core/expr/conditions";
import { prose } from "../lib/core/prose";
import { type ReadableSecret } from "../lib/core/secrets/stored-secret";
import { type IdentityProvider } from "../lib/identity-provider";
import { ADMINISTRATOR_NAME, DB_INIT_JOB } from "../lib/idp/contract";
import { type OutputTable } from "./output-table";

/** The outputs of both variants: names and addresses, never the value of a secret. */
export function identityProviderOutputs(idp: IdentityProvider): OutputTable {
  const { database, dump, monitoring, context, recoveryAccess, secrets } = idp;
  const { bootstrapPassword: password, bootstrapToken: token, hasBootstrapToken } = secrets;
  const accessCommand = ({ secretId, version }: ReadableSecret) =>
    `gcloud secrets versions access ${version} --secret=${secretId} --project=${context.projectId}`;
  return {
    service_url: [idp.url, "Address of the identity provider."],
    dns_records: [
      idp.dns.records,
      "Name, type and value of the DNS records that the domain needs; empty without a domain.",
    ],
    domain_next_steps: [idp.dns.nextSteps, "What to do until the domain works; empty without a domain."],
    load_balancer_address: [
      idp.loadBalancerAddress,
      "IP address of the load balancer, to which a domain points; null without one.",
    ],
    container_image: [idp.image.containerImage, "Image that runs, with its tag."],
    initialization_jobs: [
      { [DB_INIT_JOB]: idp.initialization.jobName },
      "Names of the jobs that prepared the deployment; db-init created role and database.",
    ],
    storage_buckets: [
      { [idp.media.name]: idp.media.bucketName },
      "Names of the buckets; storage holds uploaded icons and flow backgrounds.",
    ],
    database_password_secret: [
      database.password.secretId,
      "Name of the secret with the password of the application's database role.",
    ],
    secret_key_secret: [
      secrets.secretKey.secretId,
      prose`
        Name of the secret with the application's secret key. A new one ends all sessions:
        rotate it only if it has leaked.
      `,
    ],
    bootstrap_password_secret: [password.secretId, "Name of the secret with the administrator's first password."],
    bootstrap_token_command: [
      token && conditionFrom(hasBootstrapToken).choose<string, null>(accessCommand(token), null).text,
      "The command that prints the token for the application's API; null without bootstrap_token.",
    ],
    database_instance_name: [database.instanceName, "Name of the database instance."],
    last_errors_command: [
      monitoring.errorsCommand,
      "Command that prints the last errors of servers, workers, jobs, and a database of the same project, for eval.",
    ],
    restore_settings: [
      `export ${idp.restoreSettings}`,
      "Command that exports the settings of scripts/restore.sh and scripts/restore-drill.sh, for eval.",
    ],
    test_mail_command: [
      idp.testMailCommand,
      "The command that sends a test mail through the worker; replace RECIPIENT by your address. Null without smtp.",
    ],
    recovery_command: [
      recoveryAccess?.runCommand,
      "The command that makes a recovery link; replace USERNAME by the user's name. Null without recovery_access.",
    ],
    recovery_link_command: [
      recoveryAccess?.readCommand,
      "The command with which the reader prints the recovery link while it is valid; null without recovery_access.",
    ],
    upgrade_backup: [
      idp.upgradeBackup.description,
      "Description of the backup that was made before this release, by which scripts/restore.sh finds it.",
    ],
    dump_bucket: [dump?.bucketName, "Name of the bucket of the dumps; null without one."],
    dump_lock_bucket: [dump?.lockedBucketName, "Name of the locked bucket of copies; null without dumps.lock_days."],
    dump_command: [dump?.runCommand, "The command that dumps the database at once; null without dumps.schedule."],
    database_name: [database.databaseName, "Name of the application's database."],
    database_user: [database.ownerName, "Name of the application's database role."],
    backups_after_destroy: [database.backupsAfterDestroy, "Backups that a destroy leaves, and for how long."],
    grant_commands: [
      idp.grantCommands,
      "Commands for the grants that grant_roles = false leaves to others; empty otherwise.",
    ],
    tenant_prefix: [context.deployment.tenantPrefix, "Part of every name: the tenant and a hash of the project."],
    first_sign_in: [
      { address: idp.url, user_name: ADMINISTRATOR_NAME, password_command: accessCommand(password) },
      "Address and user name for the first sign-in, and the command that prints the password.",
    ],
  };
}
