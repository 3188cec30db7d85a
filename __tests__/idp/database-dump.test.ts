import { ProjectApis } from "../../lib";
import { type PropsOf, valuesFrom } from "../../lib/core/inputs";
import { DatabaseDump, DUMPS } from "../../lib/idp/dumps";
import { rendered } from "../../lib/core/expression";
import { type OneTimeJobSpec } from "../../lib/idp/job-runner";
import { evaluated } from "../stacks/terraform-run";
import { PLACE, standInDatabase } from "../support/stand-in-parts";
import { bareStack, terraformOf } from "../support/synthesis";

const dumpIn = (props: PropsOf<typeof DUMPS> = {}) => {
  const stack = bareStack();
  const once: OneTimeJobSpec[] = [];
  const dump = new DatabaseDump(stack, "Dump", {
    place: PLACE,
    apis: new ProjectApis(stack, "Apis", { projectId: PLACE.projectId, region: PLACE.region, apis: ["storage"] }),
    database: standInDatabase(),
    deletionProtection: true,
    dependsOn: [],
    inputs: valuesFrom(stack, DUMPS, { dumpSchedule: "30 4 * * *", ...props }),
    runner: {
      runOnce: (_scope, _id, job) => {
        once.push(job);
        return { jobName: job.name, ready: [] };
      },
      schedule: (_scope, _id, job) => ({ jobName: job.name, runCommand: "run it", ready: [] }),
    },
  });
  const [first] = once;
  if (first === undefined) throw new Error("a job is missing");
  return { dump, first, stack };
};

describe("DatabaseDump", () => {
  it("makes one at apply only on request, once, and not again for a changed schedule or retention", () => {
    expect(dumpIn().first.condition).toBe("false");
    const { first } = dumpIn({ dumpAtApply: true });
    expect([first.condition, first.maxRetries]).toEqual(["true", 0]);
    expect(Object.keys(first.rerunWhenChanged)).toEqual(["script", "image", "instance", "database"]);
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
