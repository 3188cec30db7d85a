import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { basename, join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../../lib/core/package-file";
import { programFolder } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { ApiError } from "../../support/google-stand-in-services";
import { describeWith, programPath } from "../../support/programs";
import { LoopbackServer } from "../../support/loopback-server";
import { haveGroup, haveLeftovers, inScene, LOCATION, namesIn } from "./assessment-scene";

describeWith(["curl", "dash", "jq"], "assessment-cleanup.sh", () => {
  it.concurrent("deletes everything on request, without asking, and finds nothing the next time", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);

      const all = await run("assessment-cleanup", { arguments: ["--everything", "--yes"] });
      const again = await run("assessment-cleanup", {
        environment: { SOURCE_ID: undefined },
        arguments: ["--everything"],
      });

      expect(all.exitCode).toBe(0);
      expect(namesIn(standIn)).toEqual([]);
      expect(again.exitCode).toBe(0);
      expect(again.stdout).toContain("nothing to delete.");
    }),
  );

  it.concurrent("deletes the groups of all labs that use its source, by which their next plans see what is gone", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      const { others } = standIn.migration;
      // Its report would keep every group.
      others.set("reportConfigs", []);
      const groups = others.get("groups");
      for (const id of ["assess-office-lab", "office"]) {
        groups?.push({ name: `${LOCATION}/groups/${id}`, labels: { "assessment-source": id } });
      }
      for (const lab of ["a1b2c3", "d4e5f6"]) haveGroup(standIn, lab, "assess-discovery-client");

      const { exitCode, output } = await run("assessment-cleanup", {
        arguments: ["--yes"],
        environment: { DEPLOYMENT_ID: "d4e5f6" },
      });

      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
      expect(namesIn(standIn).filter((name) => name.startsWith("groups/"))).toEqual([
        "groups/assess-office-lab",
        "groups/office",
        "groups/wave-1",
      ]);
      expect(output).toContain("The next apply of a lab that goes on registers its source again");
    }),
  );

  it.concurrent("continues after a refusal, fails in the end, and deletes nothing when it cannot list everything", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      standIn.migration.unreachable.push("far");
      const blind = await run("assessment-cleanup", { arguments: ["--yes"] });
      const before = namesIn(standIn).length;
      standIn.migration.unreachable.pop();
      standIn.inject("migrationcenter.projects.locations.importJobs.delete", {
        kind: "status",
        error: new ApiError(403, "PERMISSION_DENIED", "Not yours."),
      });

      const { exitCode, stderr } = await run("assessment-cleanup", {
        arguments: ["--yes"],
        environment: { REST_POLL_SECONDS: "0" },
      });

      expect(blind.exitCode).toBe(1);
      expect(blind.stderr).toContain("cannot all be seen; nothing is deleted. Not reached: far");
      expect(before).toBe(17);
      expect(exitCode).toBe(1);
      expect(stderr).toContain("Of the import jobs, mine cannot be deleted.");
      expect(stderr).toContain("Of the sources, assess-discovery-client cannot be deleted.");
      expect(stderr).toContain("2 deletions failed, and 2 items are still there; run the same command again");
      expect(namesIn(standIn)).not.toContain("importJobs/mine-too");
    }),
  );

  it.concurrent("notes how to delete what is left, in a command that works from any folder", () =>
    inScene(async ({ standIn, run }) => {
      const folder = join(temporaryFolder(), "it's a folder");
      mkdirSync(folder);
      for (const path of [
        "core/scripts/google-credentials.sh",
        "core/scripts/google-rest.sh",
        "core/scripts/rest-script.sh",
        "lab/scripts/assessment-rest.sh",
        "lab/scripts/assessment-cleanup.sh",
        "lab/scripts/cleanup-scope.sh",
        "lab/scripts/cleanup-deletions.sh",
        "lab/scripts/cleanup-note.sh",
      ]) {
        copyFileSync(packageFile(`lib/${path}`), join(folder, basename(path)));
      }
      haveLeftovers(standIn);
      haveGroup(standIn, "d4e5f6", "assess-discovery-client");
      standIn.migration.others.set("reportConfigs", []);
      const environment = { ...process.env, ...standIn.environment, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first" };
      const settings = {
        ...{ PROJECT_ID: "demo-project", REGION: "us-central1" },
        ...{ SOURCE_ID: "assess-discovery-client", DEPLOYMENT_ID: "a1b2c3" },
      };
      const shell = programPath("dash");
      const before = namesIn(standIn);

      const note = await promisify(execFile)(shell, ["./assessment-cleanup.sh", "--note"], {
        cwd: folder,
        env: { ...environment, ...settings },
      });
      const noted = namesIn(standIn);
      const command = / To remove them: (.*)\n$/.exec(note.stdout)?.[1] ?? "";
      await promisify(execFile)(shell, ["-c", `${command} --yes`], { cwd: temporaryFolder(), env: environment });

      expect(noted).toEqual(before);
      expect(note.stdout).toContain(
        ": the sources assess-discovery-client, former-client, their import jobs and assets, and groups, preference sets and reports. Source assess-discovery-client is used by: d4e5f6. What is theirs of it goes with it. To remove them: ",
      );
      expect(namesIn(standIn)).not.toContain("sources/assess-discovery-client");
      expect(namesIn(standIn)).not.toContain("sources/former-client");
      expect(await run("assessment-cleanup")).toMatchObject({ exitCode: 0 });
    }),
  );

  it.concurrent("notes what there may be when it cannot look, in time and without a failure", () =>
    inScene(async ({ standIn, run }) => {
      const arguments_ = ["--note"];
      standIn.inject("migrationcenter", { kind: "html", status: 403, page: "<h1>Sign in</h1>" }, 100);
      const portal = await run("assessment-cleanup", { arguments: arguments_ });
      const offline = await run("assessment-cleanup", {
        arguments: arguments_,
        environment: { GOOGLE_OAUTH_ACCESS_TOKEN: undefined, GCE_METADATA_HOST: "127.0.0.1:9" },
      });
      const bare = await run("assessment-cleanup", {
        arguments: arguments_,
        programs: programFolder({ without: ["curl", "jq"] }),
      });

      for (const { exitCode, stderr, stdout } of [portal, offline, bare]) {
        expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
        expect(stdout).toMatch(
          /: the discovery source assess-discovery-client, which other labs may use too, their .* To remove them: PROJECT_ID=demo-project REGION=us-central1 SOURCE_ID=assess-discovery-client DEPLOYMENT_ID=a1b2c3 sh /,
        );
      }
    }),
  );

  it.concurrent.each([
    ["nothing", ""],
    ["the page of a proxy", "<h1>Sign in</h1>"],
    ["a text", '"sources"'],
    ["a list without its name", '[{"name":"a"}]'],
    ["a text for the list", '{"sources":"a"}'],
    ["a name that is no name", '{"sources":[{"name":"a\\"\\nurl = \\"http://127.0.0.1:9"}]}'],
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

      expect({ exitCode, stdout }).toMatchObject({ exitCode: 1 });
      expect(stdout).not.toContain("nothing to delete");
      expect(stderr).toContain(
        "The sources of project demo-project in us-central1 cannot be read; nothing is deleted.",
      );
    }),
  );

  it.concurrent("takes no word of a portal for a deletion, and says in the end what the service still has", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      const page = '{"message": "please sign in"}';
      const target = "migrationcenter.projects.locations.";
      for (const method of ["assets.batchDelete", "sources.delete"]) {
        standIn.inject(`${target}${method}`, { kind: "html", status: 200, page }, 100);
      }

      const { exitCode, stderr } = await run("assessment-cleanup", {
        arguments: ["--yes"],
        environment: { REST_POLL_SECONDS: "0" },
      });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("Of the sources, assess-discovery-client cannot be deleted. DELETE ");
      expect(stderr).toContain('a proxy or portal answered, not the API: HTTP 200, {"message": "please sign in"}.');
      expect(stderr).toMatch(/\n2 deletions failed, and \d items are still there; run the same command again/);
    }),
  );

  it.concurrent("stops reading when a page names itself as the next", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      standIn.migration.endlessPages = true;

      const { exitCode, stderr } = await run("assessment-cleanup", { arguments: ["--yes"] });

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/GET http:\S+\/sources names the same next page again and again\.\n/);
      expect(standIn.requests.length).toBeLessThan(5);
    }),
  );

  it.concurrent("deletes nothing of a lab whose client has a name that begins alike", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      const name = `${LOCATION}/sources/assess-discovery-client-2`;
      const others = { name, type: "SOURCE_TYPE_DISCOVERY_CLIENT", state: "ACTIVE" };
      standIn.migration.sources.set(name, others);
      standIn.migration.assets.push({ name: `${LOCATION}/assets/others-too`, sources: [name] });

      const { exitCode, output } = await run("assessment-cleanup", { arguments: ["--yes"] });

      expect({ exitCode, output }).toMatchObject({ exitCode: 0 });
      expect(namesIn(standIn)).toEqual([
        ...["assets/others", "assets/others-too", "assets/shared", "assetsExportJobs/spreadsheet", "groups/wave-1"],
        ...["importJobs/others", "preferenceSets/cheap", "reportConfigs/report"],
        ...["sources/assess-discovery-client-2", "sources/other"],
      ]);
    }),
  );
});
