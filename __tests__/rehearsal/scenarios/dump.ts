import { type Deployment, type Inputs } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { all, withInputs } from "./every-stack";
import { DASHBOARD } from "./monitoring";

const BUCKET = "google_storage_bucket.dump_bucket[0]";

/** Inputs with a schedule and a dump at apply. */
export const WITH_DUMP: Inputs = { dumps: { schedule: "30 4 * * *", at_apply: true } };

/** Fails unless a dump was made at apply this many times. */
const requireDumps =
  (expected: number): ChangeScenario["verify"] =>
  ({ cloud }: Deployment) => {
    const made = cloud.executions.filter(({ job }) => /-dump-1(-[0-9a-f]{10})?$/.test(job));
    if (made.length !== expected) throw new Error(`${made.length} dumps were made at apply, expected ${expected}`);
  };

/**
 * From no dumps to dumps by a schedule, to another one, and back to none, with and without what was dumped.
 *
 * @param schedule what holds the schedule
 * @param further what dumps have beside parts of their name
 */
export const dumpChanges = (schedule: string, further: readonly string[] = []): readonly ChangeScenario[] => [
  {
    name: "dumps by a schedule, and one at once",
    change: withInputs(WITH_DUMP),
    expected: { ...all("create", ["*dump*", ...further]), [DASHBOARD]: "update" },
    verify: requireDumps(1),
  },
  {
    name: "dumps at another hour that are kept longer",
    change: withInputs({ dumps: { schedule: "0 5 * * *", retention_days: 90 } }),
    expected: { [schedule]: "update", [BUCKET]: "update" },
    verify: requireDumps(1),
  },
  {
    name: "no more dumps, but those that there are",
    change: withInputs({ dumps: { schedule: null } }),
    expected: { ...all("delete", ["*dump*", ...further]), [DASHBOARD]: "update" },
  },
  {
    name: "no dumps at all",
    change: withInputs({ dumps: null }),
    expected: { [BUCKET]: "delete" },
  },
];
