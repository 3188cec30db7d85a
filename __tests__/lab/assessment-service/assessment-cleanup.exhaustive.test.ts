import { execFile } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../../lib/core/package-file";
import { page } from "../../support/fault-matrix";
import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { haveLeftovers, inScene, namesIn } from "./assessment-scene";

/** What is not the lab's alone. */
const OTHERS = [
  ...["assets/others", "assets/shared", "assetsExportJobs/spreadsheet", "groups/wave-1", "importJobs/others"],
  ...["preferenceSets/cheap", "reportConfigs/report", "sources/other"],
];

describeWith(["busybox", "curl", "dash", "jq"], "assessment-cleanup.sh", () => {
  it.concurrent(
    "deletes after a yes what is the lab's alone, in the order of dependence, and says what it leaves",
    () =>
      inScene(async ({ standIn, run }) => {
        haveLeftovers(standIn);
        standIn.migration.longestPage = 2;
        const before = namesIn(standIn);

        const ofOthers = await run("assessment-cleanup", { environment: { SOURCE_ID: "other" }, arguments: ["--yes"] });
        const refused = await run("assessment-cleanup", { input: "y\n", shell: "busybox" });
        const unchanged = namesIn(standIn);
        const { exitCode, stdout } = await run("assessment-cleanup", { input: "yes\n", shell: "busybox" });

        expect(ofOthers.stderr).toContain("Source other is of type SOURCE_TYPE_UNKNOWN, which no lab registers;");
        expect([ofOthers.exitCode, refused.exitCode]).toEqual([1, 1]);
        expect(refused.stdout).toContain("Nothing is deleted.");
        expect(unchanged).toEqual(before);
        expect(exitCode).toBe(0);
        expect(stdout).toContain("  importJobs to delete: 1\n    mine\n");
        expect(namesIn(standIn)).toEqual(OTHERS);
        expect(stdout.match(/^Kept: .*$/gm)).toHaveLength(8);
        expect(stdout).toContain("Kept: 2 assets of others\n");
      }),
  );

  it.concurrent("continues after a refusal, fails in the end, and deletes nothing when it cannot list everything", () =>
    inScene(async ({ standIn, run }) => {
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
      expect(blind.stderr).toContain("could not reach far.");
      expect(unchanged).toEqual(before);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("sources/assess-discovery-client cannot be deleted. DELETE ");
      expect(stderr).toContain("a proxy or portal answered, not the API: HTTP 200, ");
      expect(stderr).toContain("1 deletions failed, and 1 items are still there; run the same command again");
      expect(namesIn(standIn)).not.toContain("importJobs/mine");
    }),
  );

  it.concurrent("notes without a call how to delete what is left, in a command that works from any folder", () =>
    inScene(async ({ standIn, run }) => {
      const folder = join(temporaryFolder(), "it's a folder");
      for (const part of ["core", "lab"]) cpSync(packageFile(`lib/${part}/scripts`), folder, { recursive: true });
      haveLeftovers(standIn);
      const settings = { PROJECT_ID: "demo-project", REGION: "us-central1", SOURCE_ID: "assess-discovery-client" };
      const env = { ...process.env, ...standIn.environment, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first" };
      const inShell = (cwd: string, line: string, settings = {}) =>
        promisify(execFile)(programPath("dash"), ["-c", line], { cwd, env: { ...env, ...settings } });

      const note = await inShell(folder, "sh ./assessment-cleanup.sh --note", settings);
      const calls = standIn.requests.length;
      await inShell(temporaryFolder(), `${/ To remove them: (.*)\n$/.exec(note.stdout)?.[1] ?? ""} --yes`);
      const bare = await run("assessment-cleanup", {
        arguments: ["--note"],
        programs: programFolder({ without: ["curl", "jq"] }),
      });

      expect(calls).toBe(0);
      expect(note.stdout).toContain("the discovery source assess-discovery-client, which other labs may use too,");
      expect(namesIn(standIn)).toEqual(OTHERS);
      expect(bare).toMatchObject({ exitCode: 0, stderr: "" });
      expect(bare.stdout).toContain(" DEPLOYMENT_ID=a1b2c3 sh ");
    }),
  );
});
