import { readFileSync } from "node:fs";

import { packageFile } from "../../../lib/core/package-file";
import { LOG_CASES } from "./alert-fixture";
import { LOG_EXAMPLES, type LogExample } from "./alert-log-entries";
import { isSelected } from "./log-filter";

const exampleOf = (id: string, platform: string): LogExample =>
  LOG_EXAMPLES[`${id} on ${platform}`] ?? LOG_EXAMPLES[id] ?? { raises: [], quiet: {} };

describe("The log condition of each alert", () => {
  it.each(LOG_CASES)(
    "matches what alert-log-entries.ts has of what is wrong, and nothing else: $name",
    ({ alert, filter, platform }) => {
      const { quiet, raises } = exampleOf(alert.id, platform);
      expect(raises.length).toBeGreaterThan(0);
      expect(Object.keys(quiet).length).toBeGreaterThan(0);
      expect(raises.filter((entry) => !isSelected(filter, entry))).toEqual([]);
      expect(Object.entries(quiet).filter(([, entry]) => isSelected(filter, entry))).toEqual([]);
    },
  );

  it("knows the entrypoint's messages", () => {
    const entrypoint = readFileSync(packageFile("image/cloud-entrypoint.sh"), "utf8");
    const lines = LOG_EXAMPLES["worker-down on serverless"]?.raises.map(({ textPayload }) => textPayload ?? "") ?? [];
    expect(lines.length).toBe(2);
    for (const line of lines) {
      // The part that has ended is an argument there.
      const [words = ""] = line.replace("cloud-entrypoint: ", "").split(/ \d+/);
      expect(entrypoint.replaceAll(/\$[12] ended/g, "worker ended")).toContain(`say "${words} $`);
    }
    expect(entrypoint).toContain("\n  keep_running worker become_worker\n");
    expect(entrypoint).toContain("cloud-entrypoint: ");
  });

  it("knows how the scripts name the copy of a job", () => {
    const script = readFileSync(packageFile("lib/idp/scripts/database-jobs.sh"), "utf8");
    expect(script).toContain('job_name=${job_name%-}-$(hash_of "$RUN $job_count")-restore\n');
  });
});
