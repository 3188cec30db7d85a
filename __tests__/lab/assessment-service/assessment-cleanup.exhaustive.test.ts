import { page } from "../../support/fault-matrix";
import { describeWith } from "../../support/programs";
import { haveGroup, haveLeftovers, namesIn, scenario } from "./assessment-scene";

/** What is not the lab's alone. */
const OTHERS = [
  "assets/others",
  "assets/shared",
  "assetsExportJobs/spreadsheet",
  "groups/wave-1",
  "importJobs/others",
  "preferenceSets/cheap",
  "reportConfigs/report",
  "sources/other",
];

describeWith(["busybox", "curl", "dash", "jq"], "assessment-cleanup.sh", () => {
  scenario(
    "deletes after a yes what is the lab's alone, in the order of dependence, and says what it leaves",
    async ({ standIn, run }) => {
      haveLeftovers(standIn);
      standIn.migration.longestPage = 2;
      const before = namesIn(standIn);

      const ofOthers = await run("assessment-cleanup", { environment: { SOURCE_ID: "other" }, arguments: ["--yes"] });
      const refused = await run("assessment-cleanup", { input: "y\n", shell: "busybox" });
      const unchanged = namesIn(standIn);
      const { exitCode, stdout } = await run("assessment-cleanup", { input: "yes\n", shell: "busybox" });

      expect(ofOthers.stderr).toContain("Source other is of type SOURCE_TYPE_UNKNOWN, which no lab registers;");
      expect([ofOthers.exitCode, refused.exitCode]).toEqual([1, 1]);
      expect(refused.stdout).toContain("Nothing was changed.");
      expect(unchanged).toEqual(before);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("  importJobs to delete: 1\n    mine\n");
      expect(namesIn(standIn)).toEqual(OTHERS);
      expect(stdout.match(/^Kept: .*$/gm)).toHaveLength(7);
      expect(stdout).toContain("Kept: 2 assets of others\n");
    },
  );

  scenario("says before it asks which other labs use the source", async ({ standIn, run }) => {
    haveLeftovers(standIn);
    for (const lab of ["a1b2c3", "d4"]) haveGroup(standIn, lab, "assess-discovery-client");
    const { stdout } = await run("assessment-cleanup", { input: "no\n" });
    expect(stdout).toMatch(/is used by: d4\. What is theirs of it goes with it\.\nDelete all of this\?/);
  });

  scenario(
    "continues after a refusal, fails in the end, and deletes nothing when it cannot list everything",
    async ({ standIn, run }) => {
      haveLeftovers(standIn);
      const before = namesIn(standIn);
      standIn.migration.unreachable.push("far");
      const blind = await run("assessment-cleanup", { arguments: ["--yes"] });
      const unchanged = namesIn(standIn);
      standIn.migration.unreachable.pop();
      const answer = page(200, '{"message": "please sign in"}');
      standIn.inject("migrationcenter.projects.locations.sources.delete", answer, 100);

      const { exitCode, stderr } = await run("assessment-cleanup", { arguments: ["--yes"] });

      expect(blind.exitCode).toBe(1);
      expect(blind.stderr).toContain("cannot be read; nothing is deleted.\n");
      expect(blind.stderr).toContain("is incomplete: far.");
      expect(unchanged).toEqual(before);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("sources/assess-discovery-client cannot be deleted. DELETE ");
      expect(stderr).toContain("a proxy or portal answered, not the API: HTTP 200, ");
      expect(stderr).toContain("1 items are still there; something may depend on them");
      expect(namesIn(standIn)).not.toContain("importJobs/mine");
    },
  );
});
