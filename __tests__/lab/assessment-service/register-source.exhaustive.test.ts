import { symlinkSync } from "node:fs";
import { join } from "node:path";

import { programFolder } from "../../support/google-stand-in-scripts";
import { ApiError } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { haveGroup, haveSource, inScene, inventoryFolder, SOURCE } from "./assessment-scene";

const CREATE = "migrationcenter.projects.locations.sources.create";
const REGION = "migrationcenter.projects.locations.get";

describeWith(["busybox", "curl", "dash", "jq"], "register-source.sh", () => {
  it.concurrent("waits for the service, registers, and finds it again in another shell", () =>
    inScene(async ({ standIn, run }) => {
      standIn.inject(REGION, { kind: "service-disabled" });

      const first = await run("register-source", { shell: "busybox" });
      const second = await run("register-source", { shell: "busybox" });

      expect(first).toMatchObject({ exitCode: 0, stderr: "" });
      expect(first.stdout).toContain("Assessment service for us-central1: not answering yet (HTTP 403) (");
      expect(second.output).toBe(
        'Source assess-discovery-client is registered already as "assess-discovery-client": nothing to do.\n',
      );
    }),
  );

  it.concurrent("registers one source although the first answer is lost and the next is an error of the service", () =>
    inScene(async ({ standIn, run }) => {
      standIn.inject(CREATE, { kind: "reset", carriedOut: true });
      standIn.inject(CREATE, { kind: "status", error: new ApiError(503, "UNAVAILABLE", "Try again.") });
      standIn.inject(CREATE, { kind: "status", error: new ApiError(409, "ABORTED", "Other work is under way.") });

      const { exitCode, stdout } = await run("register-source");

      expect(exitCode).toBe(0);
      expect(stdout).toContain("attempt 4 of 4");
      const ids = standIn.requestsTo(CREATE).map(({ path }) => /requestId=([^&]+)/.exec(path)?.[1]);
      expect(new Set(ids).size).toBe(1);
      expect(standIn.migration.sources.size).toBe(1);
    }),
  );

  it.concurrent("corrects a display name that somebody has changed, and nothing else", () =>
    inScene(async ({ standIn, run }) => {
      const description = "kept Made by assessment lab b2. By hand.";
      haveSource(standIn, { displayName: "Renamed by hand", description });

      const { exitCode, stdout } = await run("register-source");

      expect(exitCode).toBe(0);
      expect(stdout).toContain('is called "Renamed by hand"; calling it "assess-discovery-client".');
      expect(standIn.migration.sources.get(SOURCE)).toMatchObject({
        displayName: "assess-discovery-client",
        description,
      });
      expect(stdout).not.toContain("shared");
    }),
  );

  it.concurrent.each([
    ["", "an unknown owner", ""],
    ["Of the office.", "an unknown owner", "Of the office."],
    ["Made by assessment lab b2.", "", "Made by assessment lab b2."],
    // Lists of an earlier release: gone, on the present release, on the earlier one, and with an unknown owner.
    ["Assessment labs: d4, a1b2c3.", "", "Made by assessment lab d4."],
    ["Old. Assessment labs: other, a1b2c3.", "", "Old. Made by assessment lab other."],
    ["Assessment labs: earlier, d4.", "earlier", "Assessment labs: earlier, d4."],
    ["Assessment labs: others, d4.", "an unknown owner", ""],
  ])(
    "uses a source described as %j, says each time that it is shared with %j, and leaves %j",
    (description, others, left) =>
      inScene(async ({ standIn, run }) => {
        haveSource(standIn, { description });
        haveGroup(standIn, "a1b2c3", "assess-discovery-client");
        haveGroup(standIn, "other", "source-of-its-own");
        for (const lab of ["earlier", "others"]) haveGroup(standIn, lab);

        await run("register-source");
        const again = await run("register-source");

        const shared = `Source assess-discovery-client is shared with ${others}: what one of them imports, finds or cleans up concerns all. A discovery client with a name of its own has a source of its own.\n`;
        expect(again).toMatchObject({ exitCode: 0, stderr: "" });
        expect(again.stdout).toBe(
          `Source assess-discovery-client is registered already as "assess-discovery-client": nothing to do.\n${others === "" ? "" : shared}`,
        );
        expect(standIn.migration.sources.get(SOURCE)?.description).toBe(left);
      }),
  );

  it.concurrent.each([
    [
      { type: "SOURCE_TYPE_UPLOAD" },
      "but its type is SOURCE_TYPE_UPLOAD, not SOURCE_TYPE_DISCOVERY_CLIENT.\n  To fix: give the discovery client another name; this source is not the lab's.\n",
    ],
    [
      { state: "DELETING" },
      "but it is being deleted.\n  To fix: wait until it is gone and run the same command again.\n",
    ],
    [
      { state: "INVALID" },
      "but the service calls its state INVALID and ignores what it delivers.\n  To fix: look at it at https://console.cloud.google.com/migration?project=demo-project, delete it with assessment-cleanup.sh and run the same command again.\n",
    ],
  ])("refuses an existing source with %j", (fields, text) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn, fields);

      const { exitCode, stderr } = await run("register-source");

      expect(exitCode).toBe(1);
      expect(stderr).toBe(`Source assess-discovery-client exists in us-central1 of project demo-project, ${text}`);
    }),
  );

  it.concurrent("says which regions there are when the service does not know this one", () =>
    inScene(async ({ standIn, run }) => {
      const { exitCode, stderr } = await run("register-source", { environment: { REGION: "asia-northeast1" } });

      expect(exitCode).toBe(1);
      expect(stderr).toBe(
        [
          "The assessment service does not answer for region asia-northeast1 in project demo-project.",
          `  GET http://${standIn.host}/migrationcenter/v1/projects/demo-project/locations/asia-northeast1 answered HTTP 404 NOT_FOUND: Location asia-northeast1 is not found or access is unauthorized.`,
          "  To fix: choose a region that the service offers (to this project: europe-west1, us-central1). The choice is permanent for the assessment data of a project.",
          "",
        ].join("\n"),
      );
    }),
  );

  it.concurrent("names the regions and the role when the service does not say which of them is the problem", () =>
    inScene(async ({ standIn, run }) => {
      standIn.migration.hidesRegions = true;

      const { exitCode, stderr } = await run("register-source", { environment: { REGION: "asia-northeast1" } });

      expect(exitCode).toBe(1);
      expect(stderr).toBe(
        [
          "The assessment service does not answer for region asia-northeast1 in project demo-project.",
          `  GET http://${standIn.host}/migrationcenter/v1/projects/demo-project/locations/asia-northeast1 answered HTTP 403 PERMISSION_DENIED: Permission denied on 'locations/asia-northeast1' (or it may not exist).`,
          "  To fix: choose a region that the service offers (to this project: europe-west1, us-central1). The choice is permanent for the assessment data of a project.",
          "  If the service does offer asia-northeast1: an owner grants roles/migrationcenter.admin (gcloud projects add-iam-policy-binding demo-project --role roles/migrationcenter.admin --member user:YOU).",
          "",
        ].join("\n"),
      );
    }),
  );

  it.concurrent("says once that it waits for a source that exists and cannot be seen yet", () =>
    inScene(async ({ standIn, run }) => {
      const exists = new ApiError(409, "ALREADY_EXISTS", "It is there.");
      standIn.inject("migrationcenter.projects.locations.sources.create", { kind: "status", error: exists }, 3);

      const { exitCode, stdout } = await run("register-source");

      expect(exitCode).toBe(0);
      expect(
        stdout.match(/^Source assess-discovery-client: said to exist, but not to be seen yet \(\d s\)$/gm),
      ).toHaveLength(1);
    }),
  );

  it.concurrent("says which role is missing", () =>
    inScene(async ({ standIn, run }) => {
      standIn.inject(REGION, { kind: "status", error: new ApiError(403, "PERMISSION_DENIED", "Permission denied.") });

      const { exitCode, stderr } = await run("register-source");

      expect(exitCode).toBe(1);
      expect(stderr).toContain("This account may not use the assessment service in project demo-project.");
      expect(stderr).toContain("answered HTTP 403 PERMISSION_DENIED: Permission denied.");
      expect(stderr).toContain("To fix: an owner grants roles/migrationcenter.admin");
    }),
  );

  it.concurrent("reports a failed operation as an error, although the request was accepted", () =>
    inScene(async ({ standIn, run }) => {
      standIn.migration.operations.failures.set(CREATE, new ApiError(400, "FAILED_PRECONDITION", "No organization."));

      const { exitCode, stderr } = await run("register-source");

      expect(exitCode).toBe(1);
      expect(stderr).toContain("Source assess-discovery-client was not registered.");
      expect(stderr).toContain("/operations/operation-1 ended with FAILED_PRECONDITION: No organization.");
    }),
  );

  it.concurrent("gives up on a service that stays off, and on an operation that never ends", () =>
    inScene(async ({ standIn, run }) => {
      standIn.inject(REGION, { kind: "service-disabled" });
      const off = await run("register-source", { environment: { WAIT_SECONDS: "0" } });
      standIn.migration.operations.callsUntilDone = 1000;
      const endless = await run("register-source", { environment: { OPERATION_SECONDS: "0" } });

      expect(off).toMatchObject({ exitCode: 1 });
      expect(off.stderr).toContain("did not answer for us-central1 in project demo-project within 0 s.");
      expect(endless).toMatchObject({ exitCode: 1 });
      expect(endless.stderr).toContain("is still running after 0 s; it goes on by itself.");
    }),
  );

  it.concurrent.each(["register-source", "assessment-status", "assessment-cleanup", "import-inventory"] as const)(
    "%s.sh ends at once when the temporary folder fills up, and says so",
    (script) =>
      inScene(async ({ standIn, run }) => {
        const WORK = temporaryFolder();
        haveSource(standIn);
        standIn.onRequest = () => {
          symlinkSync("/dev/full", join(WORK, "room"));
        };

        const ended = await run(script, {
          arguments: script === "assessment-cleanup" ? ["--everything", "--yes"] : [],
          environment: { INVENTORY_FOLDER: inventoryFolder() },
          programs: programFolder({ scripts: { mktemp: `echo '${WORK}'` } }),
        });

        expect(ended.exitCode).toBe(1);
        expect(ended.stderr).toMatch(
          /^The temporary folder \S+ is full or cannot be written\. To fix: make room there, or set TMPDIR to another folder\.\n$/,
        );
        expect(standIn.requests).toHaveLength(1);
      }),
  );

  it.concurrent("reports all wrong settings at once, and missing programs first", () =>
    inScene(async ({ standIn, run }) => {
      const environment = { REGION: "us", SOURCE_ID: "Capital", SOURCE_DISPLAY_NAME: "" };
      const settings = await run("register-source", { environment });
      const programs = await run("register-source", { programs: programFolder({ without: ["curl", "jq"] }) });

      expect(settings.exitCode).toBe(2);
      expect(settings.stderr).toBe(
        [
          "register-source.sh cannot start:",
          '  - REGION is "us"; it must hold a region, like us-central1.',
          '  - SOURCE_ID is "Capital"; it must hold at most 63 lower-case letters, digits and hyphens, starting with a letter.',
          "  - SOURCE_DISPLAY_NAME is not set; it must hold the name that is typed into the discovery client.",
          "",
        ].join("\n"),
      );
      expect(programs.exitCode).toBe(2);
      expect(programs.stderr).toContain("Missing on this machine: curl jq.");
      expect(standIn.requests).toEqual([]);
    }),
  );
});
