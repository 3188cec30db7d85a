import { APPLY_AT_ONCE } from "../deployment/deployment";
import { StepFailure } from "../deployment/steps";
import { type Episode } from "../engine/stack-rehearsal";
import { valueAt } from "../project/terraform-value";

const DAY_SECONDS = 86_400;

/** Copies of dumps in a locked bucket: the time can be raised alone, no trial locks any, and a destroy leaves them. */
export const DUMP_LOCK: Episode = {
  name: "a lock of dumps",
  fromNothing: true,
  play: async (deployment) => {
    const { cloud, inputs } = deployment;
    const { project_id } = inputs;
    const settings = (lock_days: number | null, deletion_protection = true) => ({
      project_id,
      dumps: { schedule: "30 4 * * *", at_apply: true, lock_days },
      deletion_protection,
    });
    const days = () =>
      cloud
        .ofType("google_storage_bucket")
        .filter(({ id }) => id.endsWith("-dumps-locked"))
        .map(({ values }) => Number(valueAt(values, "retention_policy.0.retention_period")) / DAY_SECONDS);
    const require = (isTrue: boolean, deviation: string) => {
      if (!isTrue) throw new StepFailure("a lock of dumps", deviation);
    };
    deployment.inputs = settings(30, false);
    await deployment.refuse(APPLY_AT_ONCE, "must not lock its dumps");
    await deployment.settle(settings(30));
    require(days().join() === "30", `the dumps are locked for ${days().join() || "no"} days`);
    await deployment.settle(settings(90));
    require(days().join() === "90", "the time cannot be raised");
    deployment.inputs = settings(60);
    await deployment.refuse(APPLY_AT_ONCE, "Cannot reduce retention duration");
    // The bucket is no longer in the state, and was not asked to go.
    await deployment.settle(settings(null, false));
  },
};
