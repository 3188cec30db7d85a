import { expression, quoted } from "../lib/core/expression";
import { type ReadableSecret } from "../lib/core/stored-secret";
import { type StackOutput } from "../lib/core/portable-stack";
import { ADMINISTRATOR_NAME, DB_INIT_JOB } from "../lib/idp/contract";
import { type IdentityProvider } from "../lib/identity-provider";

/** The outputs of both variants: names and addresses, never the value of a secret. */
export function identityProviderOutputs(idp: IdentityProvider): Record<string, StackOutput> {
  const { database, dump, place, secrets } = idp;
  const { bootstrapPassword: password, bootstrapToken: token, hasBootstrapToken } = secrets;
  const accessCommand = ({ secretId, version }: ReadableSecret) =>
    `gcloud secrets versions access ${version} --secret=${secretId} --project=${place.projectId}`;
  return {
    service_url: { value: idp.url, description: "Address of the identity provider." },
    dns_records: {
      value: idp.dns.records,
      description: "Name, type and value of the DNS records that the domain needs; empty without a domain.",
    },
    domain_next_steps: {
      value: idp.dns.nextSteps,
      description: "What to do until the domain works; empty without a domain.",
    },
    load_balancer_address: {
      value: idp.loadBalancerAddress,
      description: "IP address of the load balancer, to which a domain points; null without one.",
    },
    container_image: { value: idp.image.containerImage, description: "Image that runs, with its tag." },
    initialization_jobs: {
      value: { [DB_INIT_JOB]: idp.initialization.jobName },
      description: "Names of the jobs that prepared the deployment; db-init created role and database.",
    },
    storage_buckets: {
      value: { [idp.media.name]: idp.media.bucketName },
      description: "Names of the buckets; storage holds uploaded icons and flow backgrounds.",
    },
    database_password_secret: {
      value: database.password.secretId,
      description: "Name of the secret with the password of the application's database role.",
    },
    secret_key_secret: {
      value: secrets.secretKey.secretId,
      description:
        "Name of the secret with the application's secret key. A new one ends all sessions: rotate it only if it has leaked.",
    },
    bootstrap_password_secret: {
      value: password.secretId,
      description: "Name of the secret with the administrator's first password.",
    },
    bootstrap_token_command: {
      value: token && expression(`(${hasBootstrapToken} ? ${quoted(accessCommand(token))} : null)`),
      description: "The command that prints the token for the application's API; null without bootstrap_token.",
    },
    database_instance_name: { value: database.instanceName, description: "Name of the database instance." },
    restore_settings: {
      value: `export ${idp.restoreSettings}`,
      description: "Command that exports the settings of scripts/restore.sh and scripts/restore-drill.sh, for eval.",
    },
    test_mail_command: {
      value: idp.testMailCommand,
      description:
        "The command that sends a test mail through the worker; replace RECIPIENT by your address. Null without smtp.",
    },
    upgrade_backup: {
      value: idp.upgradeBackup.description,
      description: "Description of the backup that was made before this release, by which scripts/restore.sh finds it.",
    },
    dump_bucket: { value: dump.bucketName, description: "Name of the bucket of the dumps; null without one." },
    dump_command: {
      value: dump.runCommand,
      description: "The command that dumps the database at once; null without dump_schedule.",
    },
    database_name: { value: database.databaseName, description: "Name of the application's database." },
    database_user: { value: database.ownerName, description: "Name of the application's database role." },
    backups_after_destroy: {
      value: database.backupsAfterDestroy,
      description: "Backups that a destroy leaves, and for how long.",
    },
    grant_commands: {
      value: idp.grantCommands,
      description: "Commands for the grants that grant_roles = false leaves to others; empty otherwise.",
    },
    tenant_prefix: {
      value: place.deployment.tenantPrefix,
      description: "Part of every name: the tenant and a hash of the project.",
    },
    first_sign_in: {
      value: { address: idp.url, user_name: ADMINISTRATOR_NAME, password_command: accessCommand(password) },
      description: "Address and user name for the first sign-in, and the command that prints the password.",
    },
  };
}
