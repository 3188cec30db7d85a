import { type Action } from "../../rehearsal/deployment/steps";

/** What a plan of one stack shows when its folder of the last release is replaced by this one. */
export interface UpgradePlan {
  readonly actions: Readonly<Record<string, Action>>;

  /** Names of the outputs that change. */
  readonly outputs: readonly string[];
}

/** Alerts of both variants whose notification has another text. */
const REWORDED_ALERTS = [
  "at-maximum",
  "backup-failed",
  "blocked-requests",
  "certificate-expiry",
  "certificate-renewal",
  "cpu",
  "database-connections",
  "database-cpu",
  "database-disk-growth",
  "database-down",
  "database-memory",
  "database-transaction-ids",
  "dump-failed",
  "dump-too-old",
  "failed-rollout",
  "job-failed",
  "load-balancer-errors",
  "memory",
  "secret-read",
  "uptime",
  "worker-cpu",
  "worker-memory",
  "worker-missing",
];

/** Updates of everything that contains a reworded text: these alerts, the dashboard and the message of a destroy. */
function rewordings(alerts: readonly string[]): Record<string, Action> {
  const addresses = [
    ...[...REWORDED_ALERTS, ...alerts].map((id) => `google_monitoring_alert_policy.monitoring_alerts["${id}"]`),
    "google_monitoring_dashboard.monitoring_dashboard[0]",
    "terraform_data.deletion_guard",
  ];
  return Object.fromEntries(addresses.sort().map((address) => [address, "update"]));
}

/** In both variants: another image, more connections on the same instance of the database, and a guard of its identity. */
const RUNNING_PARTS: Record<string, Action> = {
  "google_sql_database_instance.database": "update",
  "terraform_data.identity_check": "create",
  "terraform_data.identity_guard": "create",
  "terraform_data.image_build[0]": "replace",
  "terraform_data.protected_identity": "create",
};

/** Outputs of both variants with a reworded text, and the address of the new image. */
const CHANGED_OUTPUTS = ["backups_after_destroy", "container_image", "domain_next_steps", "restore_settings"];

/** The plans by stack, with every part that inputs can create; the changelog lists them. */
export const UPGRADE_PLANS: Readonly<Record<string, UpgradePlan>> = {
  "idp-serverless": {
    actions: {
      ...rewordings(["container-ended", "errors", "latency", "out-of-memory", "startup"]),
      ...RUNNING_PARTS,
      "google_cloud_run_v2_job.db_init": "replace",
      "google_cloud_run_v2_job.dump_at_apply[0]": "replace",
      "google_cloud_run_v2_job.dump_job[0]": "update",
      "google_cloud_run_v2_job.test_mail[0]": "update",
      "google_cloud_run_v2_service.service": "update",
      "google_cloud_run_v2_worker_pool.worker[0]": "update",
      "google_secret_manager_secret_version.db_init_script_version": "replace",
      "google_secret_manager_secret_version.dump_at_apply_script_version[0]": "replace",
      "google_secret_manager_secret_version.dump_job_script_version[0]": "replace",
      "terraform_data.db_init_trigger": "update",
      "terraform_data.dump_at_apply_trigger[0]": "update",
    },
    outputs: CHANGED_OUTPUTS,
  },
  "idp-kubernetes": {
    actions: {
      ...rewordings(["load-balancer-latency", "restarts"]),
      ...RUNNING_PARTS,
      "kubernetes_config_map_v1.db_init_script": "replace",
      "kubernetes_config_map_v1.dump_at_apply_script[0]": "replace",
      "kubernetes_config_map_v1.dump_job_script[0]": "replace",
      "kubernetes_cron_job_v1.dump_job[0]": "replace",
      "kubernetes_deployment_v1.worker[0]": "update",
      "kubernetes_deployment_v1.workload": "update",
      "kubernetes_job_v1.db_init": "replace",
      "kubernetes_job_v1.dump_at_apply[0]": "replace",
      "terraform_data.front_door_load_balancer_settings[0]": "replace",
    },
    outputs: [...CHANGED_OUTPUTS, "initialization_jobs"].sort(),
  },
  "assessment-lab": {
    actions: {
      "google_migration_center_group.lab_source_group[0]": "update",
      "terraform_data.lab_cloudb_import[0]": "replace",
      "terraform_data.lab_source_registered[0]": "replace",
    },
    outputs: ["assess_source_id"],
  },
};

/** Rows of the table in the changelog. */
export function upgradeCells(): string[][] {
  return Object.entries(UPGRADE_PLANS).map(([stack, { actions, outputs }]) => [
    `\`${stack}\``,
    cell(grouped(actions)),
    cell(outputs.map((name) => `\`${name}\``)),
  ]);
}

/** One entry for each action on a resource; instances of the same one are counted. */
function grouped(actions: UpgradePlan["actions"]): string[] {
  const instances = new Map<string, string[]>();
  for (const [address, action] of Object.entries(actions)) {
    const entry = `${action} \`${address.replace(/\["[^"]*"\]$/, "")}\``;
    instances.set(entry, [...(instances.get(entry) ?? []), address]);
  }
  return [...instances].map(([entry, { length }]) => (length === 1 ? entry : `${entry} (${length} instances)`));
}

function cell(changes: readonly string[]): string {
  return changes.length === 0 ? "no change" : changes.join(", ");
}
