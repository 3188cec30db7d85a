import { symlinkSync } from "node:fs";
import { join } from "node:path";

import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { haveGroup, haveSource, inScene, inventoryFolder, SOURCE } from "./assessment-scene";

const SCRIPTS = ["register-source", "assessment-status", "assessment-cleanup", "import-inventory"] as const;

describeWith(["busybox", "curl", "dash", "jq"], "register-source.sh", () => {
  it.concurrent.each(["busybox", "dash"] as const)("registers, and finds its source again (%s)", (shell) =>
    inScene(async ({ standIn, run }) => {
      const first = await run("register-source", { shell });
      const second = await run("register-source", { shell });

      expect(first).toMatchObject({ exitCode: 0, stderr: "" });
      expect(second).toMatchObject({ exitCode: 0, stderr: "" });
      expect(second.stdout).toMatch(/ is registered already as "assess-discovery-client": nothing to do\.\n$/);
      expect(standIn.migration.sources.size).toBe(1);
    }),
  );

  it.concurrent.each([
    ["", "an unknown owner"],
    ["Of the office.", "an unknown owner"],
    ["Made by assessment lab b2.", "d4"],
    ["Made by assessment lab b2.", ""],
  ])("uses a source described as %j, leaves it as it is, and says that it is shared with %j", (description, others) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn, { description });
      haveGroup(standIn, "a1b2c3", "assess-discovery-client");
      haveGroup(standIn, "other", "source-of-its-own");
      if (others === "d4") haveGroup(standIn, others, "assess-discovery-client");

      const { exitCode, stdout } = await run("register-source");

      expect(exitCode).toBe(0);
      expect(/ is shared with (.*): what one of them/.exec(stdout)?.[1] ?? "").toBe(others);
      expect(standIn.migration.sources.get(SOURCE)?.description).toBe(description);
    }),
  );

  it.concurrent.each([
    { type: "SOURCE_TYPE_UPLOAD" },
    { state: "DELETING" },
    { state: "INVALID" },
    { displayName: "Another" },
  ])("refuses an existing source with %j", (fields) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn, fields);

      const { exitCode, stderr } = await run("register-source");

      expect(exitCode).toBe(1);
      expect(stderr).toContain("Source assess-discovery-client exists in us-central1 of project demo-project, but as");
      expect(stderr).toContain(`${Object.values(fields)[0] ?? ""}`);
      expect(stderr).toContain("\n  To fix: ");
      expect(standIn.migration.sources.get(SOURCE)).toMatchObject(fields);
    }),
  );

  it.concurrent("says that the region or the role is the problem when the service does not answer for the region", () =>
    inScene(async ({ standIn, run }) => {
      const { exitCode, stderr } = await run("register-source", { environment: { REGION: "asia-northeast1" } });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("does not answer for region asia-northeast1 in project demo-project.");
      expect(stderr).toContain("answered HTTP 404 NOT_FOUND: Location asia-northeast1 is not found");
      expect(stderr).toMatch(/To fix: choose a region of https:.*permanent.*roles\/migrationcenter\.admin/);
      expect(standIn.requests).toHaveLength(1);
    }),
  );

  it.concurrent("gives up on an operation that never ends", () =>
    inScene(async ({ standIn, run }) => {
      standIn.migration.operations.callsUntilDone = 1000;

      const { exitCode, stderr } = await run("register-source", { environment: { OPERATION_SECONDS: "0" } });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("is still running after 0 s; it goes on by itself.");
    }),
  );
});

describeWith(["curl", "dash", "jq"], "Every script of the assessment service", () => {
  it.concurrent.each(SCRIPTS)("ends at once when the temporary folder fills up, and says so (%s)", (script) =>
    inScene(async ({ standIn, run }) => {
      const WORK = temporaryFolder();
      haveSource(standIn);
      standIn.onRequest = () => {
        symlinkSync("/dev/full", join(WORK, "room"));
      };

      const { exitCode, stderr } = await run(script, {
        environment: { INVENTORY_FOLDER: inventoryFolder() },
        programs: programFolder({ scripts: { mktemp: `echo '${WORK}'` } }),
      });

      expect(exitCode).toBe(1);
      expect(stderr).toMatch(/^The temporary folder \S+ is full or cannot be written\. To fix: .*\n$/);
      expect(standIn.requests).toHaveLength(1);
    }),
  );

  it.concurrent.each(SCRIPTS)(
    "names all missing programs and all wrong settings before it does anything (%s)",
    (script) =>
      inScene(async ({ standIn, run }) => {
        const environment = { INVENTORY_FOLDER: "/nowhere", REGION: "us", SOURCE_ID: "Capital" };
        const settings = await run(script, { environment });
        const programs = await run(script, { environment, programs: programFolder({ without: ["curl", "jq"] }) });

        expect(settings.exitCode).toBe(2);
        expect(settings.stderr).toContain(`${script}.sh cannot start:`);
        expect(settings.stderr).toMatch(/- REGION is "us"; [^]*- SOURCE_ID is "Capital"; /);
        expect(programs.exitCode).toBe(2);
        expect(programs.stderr).toContain("Missing on this machine: curl jq.");
        expect(standIn.requests).toEqual([]);
      }),
  );

  it.concurrent.each(SCRIPTS)("ends with the remedy for a token that never works (%s)", (script) =>
    inScene(async ({ standIn, run }) => {
      standIn.tokens.clear();

      const { exitCode, stderr } = await run(script, { environment: { INVENTORY_FOLDER: inventoryFolder() } });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("The access token in GOOGLE_OAUTH_ACCESS_TOKEN has expired or is not valid");
      expect(stderr).toContain('To fix: export GOOGLE_OAUTH_ACCESS_TOKEN="$(gcloud auth print-access-token)"');
    }),
  );
});
