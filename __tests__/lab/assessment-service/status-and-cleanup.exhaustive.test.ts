import { createServer } from "node:http";
import { type AddressInfo } from "node:net";

import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { ApiError } from "../../support/google-stand-in-services";
import { haveGroup, haveLeftovers, haveSource, inScene, LOCATION, namesIn } from "./assessment-scene";

describeWith(["busybox", "curl", "dash", "jq"], "assessment-status.sh", () => {
  it.concurrent.each([
    '{ "message": "please sign in" }',
    '{ "groups": "none" }',
    '{ "groups": [{ "displayName": "no name" }] }',
    '{ "groups": [7] }',
  ])("does not take %s for an empty list", (page) =>
    inScene(async ({ standIn, run }) => {
      standIn.inject("migrationcenter", { kind: "html", status: 200, page }, 100);

      const { exitCode, stdout, stderr } = await run("assessment-status");

      expect(exitCode).toBe(1);
      expect(stdout).not.toContain("Sources:");
      expect(stderr).toContain(`/groups: a proxy or portal answered, not the API: HTTP 200, ${page}.\n`);
    }),
  );

  it.concurrent("shows sources, assets, import and export jobs of all pages, as tables or as JSON", () =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      standIn.migration.others.get("assetsExportJobs")?.push({
        name: `${LOCATION}/assetsExportJobs/repeated`,
        createTime: "2026-01-01T00:00:00Z",
        recentExecutions: [
          { startTime: "2026-01-02T00:00:00Z", endTime: "2026-01-02T00:01:00Z" },
          { startTime: "2026-01-03T00:00:00Z", endTime: "2026-01-03T00:01:00Z", result: { error: { code: 8 } } },
        ],
      });
      haveGroup(standIn, "a1b2c3", "assess-discovery-client");
      standIn.migration.longestPage = 2;

      const tables = await run("assessment-status");
      standIn.migration.unreachable.push(`${LOCATION}/zones/far`);
      const json = await run("assessment-status", { arguments: ["--json"], shell: "busybox" });

      expect(tables.exitCode).toBe(0);
      expect(tables.stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
        "Sources: 3",
        " | ID | DISPLAY NAME | TYPE | STATE | PENDING FRAMES | ERROR FRAMES | LABS",
        " | assess-discovery-client | assess-discovery-client | SOURCE_TYPE_DISCOVERY_CLIENT | ACTIVE | 0 | 0 | a1b2c3",
        " | former-client | SOURCE_TYPE_DISCOVERY_CLIENT | ACTIVE | 0 | 0",
        " | other | Other | SOURCE_TYPE_UNKNOWN | STATE_UNSPECIFIED | 0 | 0",
        "Assets: 6",
        " | ID | MACHINE | OPERATING SYSTEM | HIDDEN | SOURCES",
        " | scanned | assess-discovery-client",
        " | hidden | hidden | assess-discovery-client",
        " | shared | assess-discovery-client other",
        " | mine | m-mine | Debian 😀 | assess-discovery-client",
        " | mine-too | m-mine-too | Debian 😀 | former-client",
        " | others | m-others | Debian 😀 | other",
        "Import jobs: 3",
        " | ID | DISPLAY NAME | STATE",
        " | mine | AWS | IMPORT_JOB_STATE_COMPLETED",
        " | mine-too | AWS | IMPORT_JOB_STATE_COMPLETED",
        " | others | AWS | IMPORT_JOB_STATE_COMPLETED",
        "Export jobs: 2",
        " | ID | CREATED | LAST RUN | STATE",
        " | spreadsheet",
        " | repeated | 2026-01-01T00:00:00Z | 2026-01-03T00:00:00Z | failed",
        "",
      ]);
      const sizes = standIn.requests.map(({ path }) => /\/(\w+)\?pageSize=(\d+)/.exec(path)?.slice(1).join(" "));
      expect([...new Set(sizes)]).toEqual([
        "groups 1000",
        "sources 1000",
        "assets 100",
        "importJobs 1000",
        "assetsExportJobs 1000",
      ]);
      expect(json).toMatchObject({ exitCode: 0, stderr: "" });
      const document = JSON.parse(json.stdout) as Record<string, readonly Record<string, unknown>[]>;
      expect(Object.entries(document).map(([name, items]) => [name, items.length])).toEqual([
        ["sources", 3],
        ["assets", 6],
        ["importJobs", 3],
        ["assetsExportJobs", 2],
        ["unreachable", 1],
      ]);
      expect(document.assets?.[3]).toEqual({
        id: "mine",
        machineName: "m-mine",
        osName: "Debian 😀",
        sources: ["assess-discovery-client"],
        hidden: false,
      });
    }),
  );

  it.concurrent("says when the service has lost the lab's source, and how Terraform registers it again", () =>
    inScene(async ({ standIn, run }) => {
      const there = await run("assessment-status");
      haveSource(standIn);
      const back = await run("assessment-status");

      expect(there.stdout).toContain(
        "\nSource assess-discovery-client is not registered in us-central1 of project demo-project.",
      );
      expect(back.stdout).not.toContain("is not registered");
    }),
  );

  it.concurrent("reads the operating system by either of the names that its field is given", () =>
    inScene(async ({ run }) => {
      // The stand-in does not answer with a field that the API's description lacks.
      const machines = { a: { guestOs: { osName: "A" } }, b: { guestOsDetails: { osName: "B" } }, c: {} };
      const assets = Object.entries(machines).map(([name, machineDetails]) => ({ name, machineDetails }));
      const server = createServer((request, response) => {
        response.end(JSON.stringify(request.url?.includes("/assets?") === true ? { assets } : {}));
      });
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
      const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`;

      const { stdout } = await run("assessment-status", {
        arguments: ["--json"],
        environment: { GOOGLE_MIGRATION_CENTER_CUSTOM_ENDPOINT: address },
      });
      server.close();

      const shown = JSON.parse(stdout) as { readonly assets: readonly { readonly osName: unknown }[] };
      expect(shown.assets.map(({ osName }) => osName)).toEqual(["A", "B", null]);
    }),
  );

  it.concurrent.each(["assessment-status", "assessment-cleanup", "import-inventory"] as const)(
    "like %s names all missing programs before it does anything",
    (script) =>
      inScene(async ({ standIn, run }) => {
        const { exitCode, stderr } = await run(script, { programs: programFolder({ without: ["curl", "jq"] }) });

        expect(exitCode).toBe(2);
        expect(stderr).toContain("Missing on this machine: curl jq.");
        expect(standIn.requests).toEqual([]);
      }),
  );

  it.concurrent("fails with the service's message and an explanation", () =>
    inScene(async ({ standIn, run }) => {
      const error = new ApiError(403, "PERMISSION_DENIED", "Permission denied.");
      standIn.inject("migrationcenter.projects.locations.assets.list", { kind: "status", error });

      const failed = await run("assessment-status");
      const help = await run("assessment-status", { arguments: ["--help"] });
      const wrong = await run("assessment-status", { arguments: ["--jsn"], environment: { PROJECT_ID: undefined } });

      expect(failed.exitCode).toBe(1);
      expect(failed.stderr).toContain("The assets of project demo-project in us-central1 cannot be read.");
      expect(failed.stderr).toContain("answered HTTP 403 PERMISSION_DENIED: Permission denied.");
      expect(help.stdout).toContain("assessment-status.sh --json   as one JSON document");
      expect(wrong.stderr).toContain('"--jsn" is no option');
      expect(wrong.stderr).toContain("PROJECT_ID is not set");
    }),
  );
});

describeWith(["busybox", "curl", "dash", "jq"], "assessment-cleanup.sh", () => {
  it.concurrent(
    "deletes after a yes what is the lab's alone, in the order of dependence, and says what it leaves",
    () =>
      inScene(async ({ standIn, run }) => {
        haveLeftovers(standIn);
        standIn.migration.longestPage = 2;
        const before = namesIn(standIn);

        const refused = await run("assessment-cleanup", { input: "y\n" });
        const unchanged = namesIn(standIn);
        const { exitCode, stdout } = await run("assessment-cleanup", { input: "yes\n", shell: "busybox" });

        expect(refused.exitCode).toBe(1);
        expect(refused.stdout).toContain("Nothing is deleted.");
        expect(unchanged).toEqual(before);
        expect(exitCode).toBe(0);
        expect(stdout).toContain("  import jobs to delete: 2\n    mine\n    mine-too\n");
        expect(namesIn(standIn)).toEqual([
          ...["assets/others", "assets/shared", "assetsExportJobs/spreadsheet", "groups/wave-1", "importJobs/others"],
          ...["preferenceSets/cheap", "reportConfigs/report", "sources/other"],
        ]);
        expect(stdout.split("\n").filter((line) => line.startsWith("Left: "))).toEqual([
          "Left: report configurations of others: 1",
          "Left: export jobs of others: 1",
          "Left: groups of others: 1",
          "Left: preference sets of others: 1",
          "Left: import jobs of others: 1",
          "Left: assets of others: 2",
          "Left: sources of others: 1",
          "Left: the API migrationcenter.googleapis.com, which stays on.",
        ]);
      }),
  );
});
