import { type ITerraformDependable } from "cdktf";

import { ProjectApis } from "../../lib";
import { InputVariable } from "../../lib/core/input-variable";
import { type PropsOf, valuesFrom } from "../../lib/core/inputs";
import { DatabaseDump, DUMPS } from "../../lib/idp/dumps";
import { rendered } from "../../lib/core/expression";
import { TerraformData } from "../../lib/core/terraform-data";
import { type OneTimeJobSpec, type ScheduledJobSpec } from "../../lib/idp/job-runner";
import { evaluated } from "../stacks/terraform-run";
import { PLACE, standInDatabase, standInIdentity } from "../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack } from "../support/synthesis";

const dumpIn = (
  props: PropsOf<typeof DUMPS> = {},
  stack: BareStack = bareStack(),
  dependsOn: ITerraformDependable[] = [],
) => {
  const scheduled: ScheduledJobSpec[] = [];
  const once: OneTimeJobSpec[] = [];
  const dump = new DatabaseDump(stack, "Dump", {
    place: PLACE,
    apis: new ProjectApis(stack, "Apis", { projectId: PLACE.projectId, region: PLACE.region, apis: ["storage"] }),
    database: standInDatabase(),
    deletionProtection: true,
    dependsOn,
    inputs: valuesFrom(stack, DUMPS, { dumpSchedule: "30 4 * * *", ...props }),
    runner: {
      runOnce: (_scope, _id, job) => {
        once.push(job);
        return { jobName: job.name, ready: [] };
      },
      schedule: (_scope, _id, job) => {
        scheduled.push(job);
        return { jobName: job.name, runCommand: "run it", ready: [] };
      },
    },
  });
  const [job] = scheduled;
  const [first] = once;
  if (job === undefined || first === undefined) throw new Error("a job is missing");
  return {
    dump,
    first,
    job,
    stack,
    bucket: () => resourceOf(terraformOf(stack), "google_storage_bucket", "dump_bucket"),
  };
};

describe("DatabaseDump", () => {
  it("lets a dump wait for what creates the tables, and the bucket only for its API", () => {
    const stack = bareStack();
    const tables = new TerraformData(stack, "Tables", {});
    const { bucket, first, job } = dumpIn({}, stack, [tables]);
    expect([job.container.dependsOn, first.container.dependsOn]).toEqual([[tables], [tables]]);
    expect(JSON.stringify(bucket().depends_on)).not.toContain("tables");
    expect(bucket().depends_on).toHaveLength(1);
  });

  it("makes one at apply only on request, once, and not again for a changed schedule or retention", () => {
    expect(dumpIn().first.condition).toBe("false");
    const { first } = dumpIn({ dumpAtApply: true });
    expect([first.condition, first.maxRetries]).toEqual(["true", 0]);
    expect(Object.keys(first.rerunWhenChanged)).toEqual(["script", "image", "instance", "database"]);
  });

  it("exists only with a schedule, and its bucket also while the dumps are kept", () => {
    const stack = bareStack();
    const schedule = new InputVariable(stack, "at", { type: "string", description: "When.", default: null });
    const keep = new InputVariable(stack, "keep", { type: "bool", description: "Whether." });
    const { bucket, dump, job } = dumpIn({ dumpSchedule: schedule.stringValue, keepDumps: keep.booleanValue }, stack);
    stack.addOutputs({ conditions: { value: [job.condition, dump.bucketName, dump.runCommand], description: "All." } });

    expect(terraformOf(stack).output?.conditions?.value).toEqual([
      "${local.given_dump_schedule != null}",
      '${((local.given_dump_schedule != null) || (local.given_keep_dumps) ? "bkt-idpdemo-abc123-dumps" : null)}',
      '${(local.given_dump_schedule != null ? "run it" : null)}',
    ]);
    expect(bucket().count).toBe("${((local.given_dump_schedule != null) || (local.given_keep_dumps)) ? 1 : 0}");
  });

  it.each([
    ["0 5 * * *", true],
    ["*/30 0-6 * * *", true],
    ["0 5 * * 1-5", false],
    ["0 5 1 * *", false],
  ])("knows whether %s runs every day; otherwise the age of the last dump means nothing", (schedule, daily) => {
    const { dump, stack } = dumpIn({ dumpSchedule: schedule });
    const { locals } = terraformOf(stack);
    expect(evaluated({ locals: { ...locals, daily: rendered(stack, dump.isDaily) } }).daily).toBe(daily);
  });
});

describe("DumpBucket", () => {
  it("lets its account add and read dumps, and replace nothing but the copy of the newest", () => {
    const { dump, stack } = dumpIn();
    const dumper = standInIdentity("Dumper");
    dump.bucket.grantReadWrite(dumper);
    dump.bucket.grantReadWrite(dumper);
    const grants = Object.values(terraformOf(stack).resource?.google_storage_bucket_iam_member ?? {});

    expect(
      grants.map(({ condition, role }) => [role, (condition as { expression: string } | undefined)?.expression]),
    ).toEqual([
      ["roles/storage.objectCreator", undefined],
      ["roles/storage.objectViewer", undefined],
      [
        "roles/storage.objectUser",
        'resource.name.startsWith("projects/_/buckets/bkt-idpdemo-abc123-dumps/objects/latest/")',
      ],
    ]);
  });
});
