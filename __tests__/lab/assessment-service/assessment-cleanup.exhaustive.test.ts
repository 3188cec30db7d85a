import { execFile } from "node:child_process";
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../../lib/core/package-file";
import { programFolder } from "../../support/google-stand-in-scripts";
import { LoopbackServer } from "../../support/loopback-server";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { haveGroup, haveLeftovers, haveSource, inScene, LOCATION, namesIn } from "./assessment-scene";

/** What is not the lab's alone. */
const OTHERS = [
  ...["assets/others", "assets/shared", "assetsExportJobs/spreadsheet", "groups/wave-1", "importJobs/others"],
  ...["preferenceSets/cheap", "reportConfigs/report", "sources/other"],
];

describeWith(["busybox", "curl", "dash", "jq"], "assessment-cleanup.sh", () => {
  it.concurrent.each(["busybox", "dash"] as const)(
    "deletes after a yes what is the lab's alone, in the order of dependence, and says what it leaves (%s)",
    (shell) =>
      inScene(async ({ standIn, run }) => {
        haveLeftovers(standIn);
        standIn.migration.longestPage = 2;
        const before = namesIn(standIn);

        const refused = await run("assessment-cleanup", { input: "y\n", shell });
        const unchanged = namesIn(standIn);
        const { exitCode, stdout } = await run("assessment-cleanup", { input: "yes\n", shell });

        expect(refused.exitCode).toBe(1);
        expect(refused.stdout).toContain("Nothing is deleted.");
        expect(unchanged).toEqual(before);
        expect(exitCode).toBe(0);
        expect(stdout).toContain("  importJobs to delete: 1\n    mine\n");
        expect(namesIn(standIn)).toEqual(OTHERS);
        expect(stdout.match(/^Kept: .*$/gm)).toHaveLength(8);
        expect(stdout).toContain("Kept: 2 assets of others\n");
      }),
  );

  it.concurrent("deletes everything on request, without asking, and finds nothing the next time", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      const environment = { SOURCE_ID: undefined };

      const all = await run("assessment-cleanup", { environment, arguments: ["--everything", "--yes"] });
      const left = namesIn(standIn);
      const again = await run("assessment-cleanup", { environment, arguments: ["--everything"] });

      expect(all.exitCode).toBe(0);
      expect(left).toEqual([]);
      expect(again.exitCode).toBe(0);
      expect(again.stdout).toContain("nothing to delete.");
    }),
  );

  it.concurrent("deletes the groups of all labs that use its source, by which their next plans see what is gone", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      // Its report would keep every group.
      standIn.migration.others.set("reportConfigs", []);
      for (const id of ["assess-office-lab", "office"]) {
        const labels = { "assessment-source": id };
        standIn.migration.others.get("groups")?.push({ name: `${LOCATION}/groups/${id}`, labels });
      }
      for (const lab of ["a1b2c3", "d4e5f6"]) haveGroup(standIn, lab, "assess-discovery-client");

      const { exitCode, stdout } = await run("assessment-cleanup", { arguments: ["--yes"] });

      expect(exitCode).toBe(0);
      // Named before anything is deleted.
      expect(stdout).toMatch(/is used by: d4e5f6\. What is theirs of it goes with it\.\nDeleted/);
      expect(namesIn(standIn).filter((name) => name.startsWith("groups/"))).toEqual([
        ...["groups/assess-office-lab", "groups/office", "groups/wave-1"],
      ]);
    }),
  );

  it.concurrent(
    "deletes nothing of a lab whose client has a name that begins alike, or of a source of another type",
    () =>
      inScene(async ({ standIn, run }) => {
        haveLeftovers(standIn);
        const name = `${LOCATION}/sources/assess-discovery-client-2`;
        standIn.migration.sources.set(name, { name, type: "SOURCE_TYPE_DISCOVERY_CLIENT", state: "ACTIVE" });
        standIn.migration.assets.push({ name: `${LOCATION}/assets/others-too`, sources: [name] });

        const environment = { SOURCE_ID: "other" };
        const refused = await run("assessment-cleanup", { environment, arguments: ["--yes"] });
        const { exitCode } = await run("assessment-cleanup", { arguments: ["--yes"] });

        expect(refused.exitCode).toBe(1);
        expect(refused.stderr).toContain("Source other is of type SOURCE_TYPE_UNKNOWN, which no lab registers;");
        expect(exitCode).toBe(0);
        expect(namesIn(standIn)).toEqual([...OTHERS, "assets/others-too", "sources/assess-discovery-client-2"].sort());
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
      const page = '{"message": "please sign in"}';
      standIn.inject("migrationcenter.projects.locations.sources.delete", { kind: "html", status: 200, page }, 100);

      const { exitCode, stderr } = await run("assessment-cleanup", { arguments: ["--yes"] });

      expect(blind.exitCode).toBe(1);
      expect(blind.stderr).toContain("cannot be read; nothing is deleted.\n");
      expect(blind.stderr).toContain("could not reach far.");
      expect(unchanged).toEqual(before);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("sources/assess-discovery-client cannot be deleted. DELETE ");
      expect(stderr).toContain(`a proxy or portal answered, not the API: HTTP 200, ${page}.`);
      expect(stderr).toContain("1 deletions failed, and 1 items are still there; run the same command again");
      expect(namesIn(standIn)).not.toContain("importJobs/mine");
    }),
  );

  it.concurrent("fails in the end when something has come since it looked, and deletes that the next time", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.onRequest = ({ method }) => {
        if (method !== "migrationcenter.projects.locations.sources.delete") return;
        haveGroup(standIn, "b2", "assess-discovery-client");
      };

      const first = await run("assessment-cleanup", { arguments: ["--yes"] });
      const second = await run("assessment-cleanup", { arguments: ["--yes"] });

      expect(first.exitCode).toBe(1);
      expect(first.stderr).toContain("0 deletions failed, and 1 items are still there; run the same command again");
      expect(second.exitCode).toBe(0);
      expect(namesIn(standIn)).toEqual([]);
    }),
  );

  it.concurrent("notes without a call how to delete what is left, in a command that works from any folder", () =>
    inScene(async ({ standIn, run }) => {
      const folder = join(temporaryFolder(), "it's a folder");
      mkdirSync(folder);
      for (const part of ["core", "lab"]) cpSync(packageFile(`lib/${part}/scripts`), folder, { recursive: true });
      haveLeftovers(standIn);
      const environment = { ...process.env, ...standIn.environment, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first" };
      const settings = { PROJECT_ID: "demo-project", REGION: "us-central1", SOURCE_ID: "assess-discovery-client" };
      const shell = programPath("dash");

      const note = await promisify(execFile)(shell, ["./assessment-cleanup.sh", "--note"], {
        cwd: folder,
        env: { ...environment, ...settings },
      });
      const calls = standIn.requests.length;
      const command = / To remove them: (.*)\n$/.exec(note.stdout)?.[1] ?? "";
      await promisify(execFile)(shell, ["-c", `${command} --yes`], { cwd: temporaryFolder(), env: environment });
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

  it.concurrent.each([
    ["nothing", ""],
    ["the page of a proxy", "<h1>Sign in</h1>"],
    ["the answer of a portal", '{ "message": "please sign in" }'],
    ["a text", '"reportConfigs"'],
    ["a list without its name", '[{"name":"a"}]'],
    ["a text for the list", '{"reportConfigs":"a"}'],
    ["a name that is no name", '{"reportConfigs":[{"name":"a\\"\\nurl = \\"http://127.0.0.1:9"}]}'],
    ["a page that names itself as the next", '{"nextPageToken":"again"}'],
  ])("does not treat %s as an empty list, or as names", (_what, answer) =>
    inScene(async ({ run }) => {
      const server = new LoopbackServer((_request, response) => {
        response.writeHead(200, { "content-type": "application/json" }).end(answer);
      });
      await server.start();

      const { exitCode, stderr, stdout } = await run("assessment-cleanup", {
        arguments: ["--yes"],
        environment: { GOOGLE_MIGRATION_CENTER_CUSTOM_ENDPOINT: `http://${server.host}/v1/` },
      });
      await server.stop();

      expect(exitCode).toBe(1);
      expect(stdout).not.toContain("nothing to delete");
      expect(stderr).toContain("The reportConfigs of project demo-project in us-central1 cannot be read; nothing is");
    }),
  );
});
