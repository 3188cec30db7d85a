import { readFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import {
  findingProblems,
  findingsOf,
  findingsPage,
  type AcceptedFinding,
  type Finding,
} from "../tools/scanner-findings";

const finding = (overrides: Partial<Finding> = {}): Finding => ({
  check: "CKV_1",
  asks: "Ensure it",
  stack: "idp-serverless",
  resource: "google_storage_bucket.media_bucket",
  ...overrides,
});
const ACCEPTED: AcceptedFinding = {
  check: "CKV_1",
  type: "google_storage_bucket",
  reason: "Costs more than it gives.",
};

describe("A scan", () => {
  it("passes when the findings are the accepted ones", () => {
    expect(findingProblems([finding(), finding({ stack: "assessment-lab" })], [ACCEPTED])).toEqual([]);
  });

  it("fails on a check that nobody has accepted, and on an accepted one at another type", () => {
    const problem = (what: string) => `idp-serverless: ${what} (Ensure it); fix it, or accept it with a reason`;
    expect(
      findingProblems([finding(), finding({ check: "CKV_2" }), finding({ resource: "google_storage.a" })], [ACCEPTED]),
    ).toEqual([problem("google_storage_bucket.media_bucket fails CKV_2"), problem("google_storage.a fails CKV_1")]);
  });

  it("fails on an accepted finding that no longer occurs", () => {
    expect(findingProblems([], [ACCEPTED])).toEqual([
      "CKV_1 is accepted for google_storage_bucket and no longer found; remove it",
    ]);
  });

  it("reads the scanner's report, without numbers of copies", () => {
    const report = {
      results: {
        failed_checks: [{ check_id: "CKV_1", check_name: "Ensure it", resource: "google_storage_bucket.a[0]" }],
      },
      summary: { resource_count: 3 },
    };
    expect(findingsOf("idp-serverless", JSON.stringify(report))).toEqual([
      finding({ resource: "google_storage_bucket.a" }),
    ]);
  });

  it.each([
    { passed: 0, failed: 0, resource_count: 0 },
    { results: { failed_checks: [] }, summary: { resource_count: 0 } },
  ])("does not accept a report without resources as a scan: %j", (report) => {
    expect(() => findingsOf("idp-serverless", JSON.stringify(report))).toThrow(
      "the scanner looked at no resource of idp-serverless",
    );
  });

  it("writes a row for each accepted check, with where it was found and why it stays", () => {
    expect(findingsPage([finding(), finding({ stack: "assessment-lab" })], [ACCEPTED])).toContain(
      "\n| CKV_1 | Ensure it | `google_storage_bucket.media_bucket` | assessment-lab, idp-serverless | Costs more than it gives. |\n",
    );
  });
});

describe("The page of accepted findings", () => {
  const accepted = JSON.parse(
    readFileSync(join(__dirname, "../tools/accepted-findings.json"), "utf8"),
  ) as readonly AcceptedFinding[];
  const page = readFileSync(packageFile("stacks/scanner-findings.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| CKV"));

  it("begins as a scan writes it", () => {
    expect(page.slice(0, page.indexOf("\n| CKV") + 1)).toBe(`${findingsPage([], []).trimEnd()}\n`);
  });

  it("has the checks and reasons of the list, and nothing else", () => {
    const shown = rows.map((row) => row.slice(2, -2).split(" | "));
    expect(shown.map(([check, , , , reason]) => [check, reason])).toEqual(
      accepted.map(({ check, reason }) => [check, reason]),
    );
  });

  it("shows where each was found, at resources of the type that it is accepted for", () => {
    for (const [index, { type }] of accepted.entries())
      expect(rows[index]?.split(" | ")[2]).toMatch(new RegExp(`^(\`${type}\\.\\w+\`(, )?)+$`));
  });
});
