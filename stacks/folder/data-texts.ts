import { prose } from "../../lib/core/prose";
/** A kind of data: its place, retention and deletion. `{path}` stands for an argument of its resource. */
export interface DatumText {
  /** Addresses of the resources that may store the data, or `var.` and an input; the first that exists counts. */
  readonly of: readonly string[];

  /** Whether the data exists even without the resource. @default false */
  readonly isAlways?: boolean;

  /** Block of the resource; without the block, there is no such data. @default none */
  readonly block?: string;
  readonly what: string;
  /** Personal data that it may contain. */
  readonly persons: string;
  readonly where: string;
  readonly kept: string;
  readonly deleted: string;
}

const DATABASE = "google_sql_database_instance.database";
const BACKUPS = "settings.backup_configuration";
const SERVERS = ["google_cloud_run_v2_service.service", "kubernetes_deployment_v1.workload"];
const IN_DATABASE = "Cloud SQL, `{name}`, in {region}";
const GUARDED = "with the database, by a destroy after `deletion_protection = false`";

/** Data of the stacks with the identity provider, and then of the lab. */
export const DATA: readonly DatumText[] = [
  {
    of: [DATABASE],
    what: "Accounts: names, mail addresses, groups, hashes of passwords, second factors, consents, sessions, tokens",
    persons: "yes",
    where: IN_DATABASE,
    kept: "until an administrator deletes the account; a session until it ends",
    deleted: `in the application, under Directory > Users; ${GUARDED}`,
  },
  {
    of: [DATABASE],
    what: "Events: sign-ins, failed ones too, and changes by administrators, with user, address and browser",
    persons: "yes",
    where: IN_DATABASE,
    kept: prose`
      as many days as \`audit_log.event_days\` says; without an audit log 365, or what System > Settings > Event
      retention in the application says
    `,
    deleted: "by the application itself, when they are old enough",
  },
  {
    of: [DATABASE],
    what: "Tasks that workers have done, with what they logged",
    persons: "names of users and mail addresses, where a task is about one",
    where: IN_DATABASE,
    kept: "30 days, unless `environment_variables` has `IDP_WORKER__TASK_EXPIRATION`",
    deleted: "by the application itself, when they are old enough",
  },
  {
    of: ["google_secret_manager_secret.secrets_sign_in_probe_password"],
    what: "The user `sign-in-probe`, who has no right",
    persons: "no",
    where: "the database",
    kept: "after `sign_in_probe = null` too",
    deleted: "in the application, under Directory > Users",
  },
  {
    of: [DATABASE],
    block: BACKUPS,
    what: "Daily backups of the database",
    persons: "as the database: who was deleted there stays in a backup until it goes",
    where: "Cloud SQL, in {settings.backup_configuration.location}; without it, in the closest multi-region",
    kept: "the newest {settings.backup_configuration.backup_retention_settings.retained_backups}",
    deleted: "by Cloud SQL, when newer ones are there",
  },
  {
    of: [DATABASE],
    block: BACKUPS,
    what: "Transaction logs of the database, for any point in time",
    persons: "as the database",
    where: "Cloud SQL, in {region}",
    kept: "{settings.backup_configuration.transaction_log_retention_days|days}",
    deleted: "by Cloud SQL, when they are old enough",
  },
  {
    of: ["var.existing_backup_plan"],
    what: "Backups and logs of the database by a plan of your organization, instead",
    persons: "as the database",
    where: "the vault of the plan in `existing_backup_plan`",
    kept: "as the plan says",
    deleted: "by Backup and DR; its owners may forbid an earlier deletion",
  },
  {
    of: [DATABASE],
    what: "The last backup, which a destroy makes; the daily ones stay beside it",
    persons: "as the database",
    where: "Cloud SQL, beside the daily backups",
    kept: "after the destroy {settings.final_backup_config.retention_days|days}; 0 leaves none",
    deleted: "by Cloud SQL; earlier by you, among the backups of the project",
  },
  {
    of: [DATABASE],
    what: "Shapes and times of queries (Query Insights)",
    persons: "no: queries are kept without their values",
    where: "Cloud SQL, in {region}",
    kept: "7 days",
    deleted: "by Cloud SQL",
  },
  {
    of: ["google_sql_database_instance.standby_database"],
    what: "A replica of the whole database in the second region, seconds behind",
    persons: "as the database",
    where: IN_DATABASE,
    kept: "as in the database, which it follows",
    deleted: "with `standby`, by an apply after `deletion_protection = false`",
  },
  {
    of: ["var.existing_database"],
    what: "The same in a database that is managed elsewhere",
    persons: "yes",
    where: "the instance in `existing_database`",
    kept: "as its owner has set: backups and their time too",
    deleted: "accounts and events as above; the rest by its owner, also after a destroy",
  },
  {
    of: ["google_storage_bucket.media_bucket"],
    what: "Uploads: logos, icons, pictures of users",
    persons: "pictures of users, where they may upload any",
    where: "Cloud Storage, `{name}`, in {location}",
    kept: "until deleted in the application; then, to restore it, {soft_delete_policy.retention_duration_seconds|days}",
    deleted: "in the application; with the bucket, by a destroy after `deletion_protection = false`",
  },
  {
    of: ["var.existing_bucket"],
    what: "Uploads in a bucket that is managed elsewhere",
    persons: "pictures of users, where they may upload any",
    where: "the bucket in `existing_bucket`",
    kept: "as its owner has set",
    deleted: "in the application; a destroy leaves the bucket",
  },
  {
    of: ["google_storage_bucket.dump_bucket"],
    what: "Dumps: copies of the whole database",
    persons: "as the database: who was deleted there stays in a dump until it goes",
    where: "Cloud Storage, `{name}`, in {location}",
    kept: prose`
      {lifecycle_rule.0.condition.age|days},
      then, to restore it, {soft_delete_policy.retention_duration_seconds|days};
      the copy of the newest in \`latest/\` until the next dump
    `,
    deleted: "by Cloud Storage; earlier by whoever may delete objects of the bucket",
  },
  {
    of: ["google_storage_bucket.dump_lock"],
    what: "Locked copies of dumps, each of the whole database",
    persons: "as the database: who was deleted there stays in a copy until it goes, and nobody can end that earlier",
    where: "Cloud Storage, `{name}`, in {location}",
    kept: prose`
      {lifecycle_rule.0.condition.age|days}, of which nobody can shorten \`dumps.lock_days\`;
      then, to restore it, {soft_delete_policy.retention_duration_seconds|days}
    `,
    deleted: "by Cloud Storage; a destroy leaves the bucket",
  },
  {
    of: ["var.dumps.copy_bucket"],
    what: "Copies of dumps in a bucket of others, each of the whole database",
    persons: "as the database: who was deleted there stays in a copy until it goes",
    where: "the bucket in `dumps.copy_bucket`",
    kept: "as long as the owner of that bucket says",
    deleted: "by the owner of that bucket; a destroy leaves them",
  },
  {
    of: ["google_secret_manager_secret.secrets_secret_key", "google_secret_manager_secret.database_password"],
    isAlways: true,
    what: "Secrets, of which the table above has each",
    persons: "no",
    where: "Secret Manager, in {replication}",
    kept: "until replaced; the former version can be restored for {version_destroy_ttl}, scripts excepted",
    deleted: prose`
      by a destroy after \`deletion_protection = false\`; what only some inputs need, such as tokens of outposts,
      is not protected, and also deleted by the apply that removes the input
    `,
  },
  {
    of: ["kubernetes_secret_v1.workload_secrets"],
    what: "Copies of secrets in the cluster",
    persons: "no",
    where: "the namespace, in the cluster's own store",
    kept: "until another version takes its place",
    deleted: "by the apply that replaces it, or a destroy",
  },
  {
    of: SERVERS,
    what: "Logs of the application, of jobs, of the database and of builds",
    persons: 'addresses of clients and names of users; with `log_level = "trace"` also secrets',
    where: "Cloud Logging of the project, bucket `_Default`, which is global unless the project chose a region",
    kept: "30 days, unless the project has set another time; this folder sets none",
    deleted: "by Cloud Logging",
  },
  {
    of: ["google_compute_backend_service.front_door_backend", "terraform_data.front_door_load_balancer_settings"],
    what: "Logs of requests at the load balancer: address of the client, path, verdict of `protection`",
    persons: "addresses of clients",
    where: "Cloud Logging, as above",
    kept: prose`
      as above; written at the rate \`domain_options.request_log_sample_rate\`,
      without it only while \`protection\` previews rules
    `,
    deleted: "by Cloud Logging",
  },
  {
    of: ["google_project_iam_audit_config.monitoring_secret_audit"],
    what: "Audit log: who read which secret",
    persons: "accounts of administrators and services",
    where: "Cloud Logging, bucket `_Default`",
    kept: "30 days, unless the project has set another time",
    deleted: "by Cloud Logging",
  },
  {
    of: ["google_logging_project_bucket_config.audit_log_bucket"],
    what: "Audit log: sign-ins, changes in the application and of the deployment, reads of secrets that are logged",
    persons: "addresses of clients and names of users; those of who was deleted stay until the end",
    where: "Cloud Logging, bucket `{bucket_id}`, in {location}",
    kept: "as many days as `audit_log.retention_days` says, 365 without it; locked, nobody can change that",
    deleted: prose`
      by Cloud Logging, entry by entry; with the bucket, after \`deletion_protection = false\`, by a destroy or
      \`audit_log = null\`, after which it can be restored for seven days; a locked one stays
    `,
  },
  {
    of: ["google_logging_project_sink.audit_log_copy"],
    what: "Copy of the audit log",
    persons: "as the audit log",
    where: "the topic, dataset or project in `audit_log.destination`",
    kept: "as its owner has set",
    deleted: "by its owner; a destroy leaves it",
  },
  {
    of: [...SERVERS, "google_project_service.lab_apis_compute"],
    what: "Audit log: who changed what in the project",
    persons: "accounts of who applies",
    where: "Cloud Logging, bucket `_Required`",
    kept: "400 days, which nobody can change",
    deleted: "by Cloud Logging",
  },
  {
    of: SERVERS,
    what: "Metrics, and results of uptime checks",
    persons: "no",
    where: "Cloud Monitoring of the project, global",
    kept: "up to 24 months",
    deleted: "by Cloud Monitoring",
  },
  {
    of: ["google_monitoring_notification_channel.monitoring_alerts_email"],
    what: "Addresses that get alerts",
    persons: "mail addresses",
    where: "Cloud Monitoring of the project, and the state",
    kept: "until they leave `alert_emails`",
    deleted: "by the next apply",
  },
  {
    of: ["var.smtp"],
    what: "Mail to users, such as links for a new password",
    persons: "mail addresses and names",
    where: "leaves for the mail server in `smtp`",
    kept: "as that server keeps it",
    deleted: "there",
  },
  {
    of: ["google_artifact_registry_repository.registry"],
    what: "Images of the application",
    persons: "no",
    where: "Artifact Registry, `{repository_id}`, in {location}",
    kept: prose`
      the newest {cleanup_policies.0.most_recent_versions.keep_count};
      others {cleanup_policies.1.condition.older_than}
    `,
    deleted: "by Artifact Registry; the rest by a destroy",
  },
  {
    of: ["google_migration_center_group.lab_source_group"],
    what: "Inventory: names, addresses, disks and load of the VMs that the discovery client finds",
    persons: "user names on the VMs, if a scan finds any",
    where: "Migration Center, in {location}",
    kept: "until deleted; a destroy leaves it",
    deleted: "by `scripts/assessment-cleanup.sh`",
  },
  {
    of: ["google_storage_bucket.lab_key_bucket"],
    what: "The private SSH key of the Linux VMs",
    persons: "no",
    where: "Cloud Storage, `{name}`, in {location}, and the state",
    kept: "until replaced or destroyed; nothing restores it",
    deleted: "by a destroy",
  },
  {
    of: ["google_compute_instance.lab_windows_vm"],
    what: "Password of the user of the Windows VM, the same in every lab",
    persons: "no",
    where: 'metadata of the VM, for all readers of the project; none with `windows_password = "unknown"`',
    kept: "until the VM is destroyed or replaced",
    deleted: "by a destroy",
  },
  {
    of: ["google_compute_instance.lab_windows_vm"],
    what: "Disk of the Windows VM, with what somebody puts there",
    persons: "as far as somebody puts it there",
    where: "Compute Engine, in {zone}",
    kept: "until the VM is destroyed or replaced; no backups",
    deleted: "by a destroy",
  },
  {
    of: ["google_compute_instance.lab_linux_vm"],
    what: "Disks of the Linux VMs",
    persons: "no",
    where: "Compute Engine, in {zone}",
    kept: "until the VM is destroyed or replaced; no backups",
    deleted: "by a destroy",
  },
  {
    of: ["aws_iam_access_key.lab_cloudb_user_key"],
    what: "Access key of the user in AWS, which can only list",
    persons: "no",
    where: "the state",
    kept: "until destroyed",
    deleted: "by a destroy with the credentials of AWS",
  },
];
