import { rendered } from "../../lib/core/expr/locals";
import { valuesFrom } from "../../lib/core/inputs/inputs";
import { DumpsElsewhere, LockedDumps } from "../../lib/idp/dump-copies";
import { DatabaseDump, DUMPS } from "../../lib/idp/dumps";
import { SOFT_DELETE } from "../../lib/idp/media-bucket";
import { evaluated } from "../stacks/terraform-run";
import { apisIn, CONTEXT, standInDatabase } from "../support/stand-in-parts";
import { bareStack, terraformOf } from "../support/synthesis";

const dumpIn = (dumpSchedule: string) => {
  const stack = bareStack();
  const apis = apisIn(stack, "storage");
  const inputs = valuesFrom(stack, { ...DUMPS, ...SOFT_DELETE }, { dumps: { schedule: dumpSchedule } });
  const dump = new DatabaseDump(stack, "Dump", {
    context: CONTEXT,
    apis,
    database: standInDatabase(),
    deletionProtection: true,
    dependsOn: [],
    inputs,
    elsewhere: new DumpsElsewhere(stack, "DumpCopy", inputs.dumps.at.copyBucket),
    locked: new LockedDumps(stack, "DumpLock", {
      context: CONTEXT,
      deletionProtection: true,
      dependsOn: [],
      lockDays: inputs.dumps.at.lockDays,
      retentionDays: inputs.dumps.at.retentionDays,
      softDeleteDays: inputs.softDeleteDays.number,
    }),
    runner: {
      runOnce: (_scope, _id, job) => ({ jobName: job.name, ready: [] }),
      schedule: (_scope, _id, job) => ({ jobName: job.name, runCommand: "run it", ready: [] }),
    },
  });
  return { dump, stack };
};

describe("DatabaseDump", () => {
  it.each([
    ["0 5 * * *", true],
    ["*/30 0-6 * * *", true],
    ["0 5 * * 1-5", false],
    ["0 5 1 * *", false],
  ])("knows whether %s runs every day; otherwise the age of the last dump means nothing", (schedule, daily) => {
    const { dump, stack } = dumpIn(schedule);
    const { locals } = terraformOf(stack);
    expect(evaluated({ locals: { ...locals, daily: rendered(stack, dump.isDaily) } }).daily).toBe(daily);
  });
});
