import { type Action } from "../../rehearsal/deployment/steps";

/** What a plan of one stack shows when its folder of the last release is replaced by this one. */
export interface UpgradePlan {
  readonly actions: Readonly<Record<string, Action>>;

  /** Names of the outputs that change. */
  readonly outputs: readonly string[];
}

/** The plans by stack, with every part that inputs can ask for; the changelog tells them. */
export const UPGRADE_PLANS: Readonly<Record<string, UpgradePlan>> = {
  "idp-serverless": {
    actions: { 'google_monitoring_alert_policy.monitoring_alerts["blocked-requests"]': "update" },
    outputs: [],
  },
  "idp-kubernetes": {
    actions: {
      'google_monitoring_alert_policy.monitoring_alerts["blocked-requests"]': "update",
      'google_monitoring_alert_policy.monitoring_alerts["dump-failed"]': "update",
      'google_monitoring_alert_policy.monitoring_alerts["job-failed"]': "update",
      "kubernetes_deployment_v1.worker[0]": "update",
      "terraform_data.front_door_load_balancer_settings[0]": "replace",
    },
    outputs: [],
  },
  "assessment-lab": {
    actions: {
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
    cell(Object.entries(actions).map(([address, action]) => `${action} \`${address}\``)),
    cell(outputs.map((name) => `\`${name}\``)),
  ]);
}

function cell(changes: readonly string[]): string {
  return changes.length === 0 ? "no change" : changes.join(", ");
}
