import { type Deployment, type Inputs } from "../deployment/deployment";
import { type ChangeScenario } from "../engine/journey";
import { all, withInputs } from "./every-stack";
import { DASHBOARD } from "./monitoring";

const BUCKET = "google_storage_bucket.dump_bucket[0]";

/** What both platforms have of a dump beside its bucket. */
const OF_BOTH = [
  "google_project_iam_member.dumper_connects_to_database[0]",
  "google_service_account.dumper[0]",
  ...["adds", "reads", "replaces"].map((right) => `google_storage_bucket_iam_member.dump_bucket_dumper_${right}[0]`),
];

/** Inputs with a schedule and a dump at apply. */
export const WITH_DUMP: Inputs = { dump_schedule: "30 4 * * *", dump_at_apply: true };

interface DumpParts {
  /** What holds the schedule. */
  readonly schedule: string;

  /** Everything of the platform's own, also that. */
  readonly parts: readonly string[];
}

/** Fails unless a dump was made at apply this many times. */
const requireDumps =
  (expected: number): ChangeScenario["verify"] =>
  ({ cloud }: Deployment) => {
    const made = cloud.executions.filter(({ job }) => /-dump-1(-[0-9a-f]{10})?$/.test(job));
    if (made.length !== expected) throw new Error(`${made.length} dumps were made at apply, expected ${expected}`);
    for (const { environment } of made)
      if (environment.DUMP_FOLDER !== "/dumps")
        throw new Error(`a dump goes to ${environment.DUMP_FOLDER ?? "nowhere"}`);
  };

/** From no dumps to dumps by a schedule, to another one, and back to none, with and without what was dumped. */
export function dumpChanges({ parts, schedule }: DumpParts): readonly ChangeScenario[] {
  return [
    {
      name: "dumps by a schedule, and one at once",
      change: withInputs(WITH_DUMP),
      expected: { ...all("create", [BUCKET, ...OF_BOTH, ...parts]), [DASHBOARD]: "update" },
      verify: requireDumps(1),
    },
    {
      name: "dumps at another hour",
      change: withInputs({ dump_schedule: "0 5 * * *" }),
      expected: { [schedule]: "update" },
      verify: requireDumps(1),
    },
    {
      name: "dumps that are kept longer, in a cheaper class",
      change: withInputs({ dump_retention_days: 90, dump_storage_class: "COLDLINE" }),
      expected: { [BUCKET]: "update" },
    },
    {
      name: "no more dumps, but those that there are",
      change: withInputs({ dump_schedule: null, dump_at_apply: false, keep_dumps: true }),
      expected: { ...all("delete", [...OF_BOTH, ...parts]), [DASHBOARD]: "update" },
    },
    {
      name: "no dumps at all",
      change: withInputs({ keep_dumps: false, dump_retention_days: 30, dump_storage_class: "NEARLINE" }),
      expected: { [BUCKET]: "delete" },
    },
  ];
}
