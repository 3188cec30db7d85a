import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";

/** What holds data that no apply can make again. */
const DATA = [
  "google_secret_manager_secret",
  "google_secret_manager_secret_version",
  "google_sql_database_instance",
  "google_storage_bucket",
];

/** Notices of an identity provider, and the way to its domain. */
const BESIDE = [
  "google_dns_record_set",
  "google_monitoring_alert_policy",
  "google_monitoring_dashboard",
  "google_monitoring_notification_channel",
  "google_monitoring_uptime_check_config",
];

/**
 * Somebody deletes what runs, what notices and the way in; the next apply makes all of it again and leaves alone what holds
 * data.
 *
 * @param types what else is deleted
 */
export function deletedParts(types: readonly string[]): Episode {
  return {
    name: "parts that somebody has deleted",
    play: async (deployment) => {
      const { cloud } = deployment;
      const keys = [...types, ...BESIDE].flatMap((type) => {
        const found = cloud.ofType(type).map(({ id }) => `${type} ${id}`);
        if (found.length === 0) throw new Error(`there is no ${type} to delete`);
        return found;
      });
      for (const key of keys) cloud.forget(key);

      const plan = await deployment.plan();
      const touched = [...plan.actions.keys()].filter((address) => DATA.includes(address.split(".")[0] ?? ""));
      if (touched.length > 0) throw new StepFailure("plan", `${touched.join(", ")} would change`);
      await deployment.apply(plan);
      const missing = keys.filter((key) => !cloud.objects.has(key));
      if (missing.length > 0) throw new StepFailure("apply", `${missing.join(", ")} is still missing`);
    },
  };
}
