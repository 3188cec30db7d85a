import { fullFrom, page } from "../../support/fault-matrix";
import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { withAws } from "../inventory/inventory-run";
import { haveGroup, haveLeftovers, haveSource, inScene, scenario, SOURCE } from "./assessment-scene";

const SCRIPTS = ["register-source", "assessment-status", "assessment-cleanup", "import-inventory"] as const;

describeWith(["busybox", "curl", "dash", "jq"], "register-source.sh", () => {
  scenario("registers, and finds its source again", async ({ standIn, run }) => {
    await run("register-source", { shell: "busybox" });
    const second = await run("register-source");

    expect(second).toMatchObject({ exitCode: 0, stderr: "" });
    expect(second.stdout).toMatch(/ is registered already as "assess-discovery-client": nothing to do\.\n$/);
    expect(standIn.migration.sources.size).toBe(1);
  });

  it.concurrent.each([
    ["Of the office.", "an unknown owner"],
    ["Made by assessment lab b2.", "d4"],
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

  it.concurrent.each([{ type: "SOURCE_TYPE_UPLOAD" }, { state: "DELETING" }, { displayName: "", name: undefined }])(
    "refuses an existing source with %j",
    (fields) =>
      inScene(async ({ standIn, run }) => {
        haveSource(standIn, fields);

        const { exitCode, stderr } = await run("register-source");

        expect(exitCode).toBe(1);
        expect(stderr).toMatch(/^Source assess-discovery-client exists.*, but /m);
        expect(stderr).toContain(Object.values(fields)[0] ?? "");
        expect(stderr).toContain("\n  To fix: ");
      }),
  );

  scenario(
    "says that the region or the role is the problem when the service does not answer for the region",
    async ({ run }) => {
      const { exitCode, stderr } = await run("register-source", { environment: { REGION: "asia-northeast1" } });

      expect(exitCode).toBe(1);
      expect(stderr).toContain("does not answer for region asia-northeast1 in project demo-project.");
      expect(stderr).toMatch(/To fix: choose a region of https:.*permanent.*roles\/migrationcenter\.admin/);
    },
  );
});

describeWith(["busybox", "curl", "dash", "jq"], "assessment-status.sh", () => {
  scenario("shows sources, assets and import jobs of all pages", async ({ standIn, run }) => {
    haveLeftovers(standIn);
    haveGroup(standIn, "a1b2c3", "assess-discovery-client");
    standIn.migration.longestPage = 2;

    const { exitCode, stdout } = await run("assessment-status", { shell: "busybox" });

    expect(exitCode).toBe(0);
    expect(stdout.split("\n").map((line) => line.replace(/ {2,}/g, " | "))).toEqual([
      "Sources: 2",
      " | ID | DISPLAY NAME | TYPE | STATE | PENDING FRAMES | ERROR FRAMES | LABS",
      " | assess-discovery-client | assess-discovery-client | SOURCE_TYPE_DISCOVERY_CLIENT | ACTIVE | 0 | 0 | a1b2c3",
      " | other | Other | SOURCE_TYPE_UNKNOWN | STATE_UNSPECIFIED | 0 | 0",
      "Assets: 5",
      " | ID | MACHINE | OPERATING SYSTEM | HIDDEN | SOURCES",
      " | scanned | assess-discovery-client",
      " | hidden | hidden | assess-discovery-client",
      " | shared | assess-discovery-client other",
      " | mine | m-mine | Debian 😀 | assess-discovery-client",
      " | others | m-others | Debian 😀 | other",
      "Import jobs: 2",
      " | ID | DISPLAY NAME | STATE",
      " | mine | AWS | IMPORT_JOB_STATE_COMPLETED",
      " | others | AWS | IMPORT_JOB_STATE_COMPLETED",
      "",
    ]);
  });

  scenario(
    "says when the service has lost the lab's source, and how Terraform registers it again",
    async ({ standIn, run }) => {
      const lost = await run("assessment-status");
      haveSource(standIn);
      const there = await run("assessment-status");

      expect(lost.stdout).toMatch(
        /^Source assess-discovery-client is not registered in .* -replace='terraform_data\./m,
      );
      expect(there.stdout).not.toContain("is not registered");
    },
  );
});

describeWith(["curl", "dash", "jq"], "Every script of the assessment service", () => {
  scenario(
    "ends with a remedy at an object that it cannot read, and when the temporary folder fills up",
    async ({ standIn, run }) => {
      haveSource(standIn);
      const answer = page(200, '{"name":"a","type":{"of":"somebody else"}}');
      standIn.inject("migrationcenter.projects.locations.sources.get", answer);
      const odd = await run("register-source");
      const full = await run("register-source", fullFrom("migrationcenter.projects.locations.get")(standIn));

      expect([odd.exitCode, full.exitCode]).toEqual([1, 1]);
      expect(odd.stderr).toMatch(/^register-source\.sh ends at an object that it cannot read, .*\n {2}To fix: /m);
      expect(full.stderr).toMatch(/^The temporary folder \S+ is full or cannot be written\.\n {2}To fix: .*\n$/);
    },
  );

  it.concurrent.each(SCRIPTS)("names all missing programs, all wrong settings or a lost sign-in (%s)", (script) =>
    inScene(async ({ standIn, run }) => {
      standIn.tokens.clear();
      const environment = { REGION: "us", SOURCE_ID: "Capital" };
      const settings = await run(script, withAws({ environment }));
      const programs = await run(script, withAws({ programs: programFolder({ without: ["curl", "jq"] }) }));
      const calls = standIn.requests.length;
      const token = await run(script, withAws());

      expect(settings.exitCode).toBe(2);
      expect(settings.stderr).toMatch(/^\S+\.sh cannot start:[^]*- REGION is "us"; [^]*- SOURCE_ID is "Capital"; /);
      expect(programs.exitCode).toBe(2);
      expect(programs.stderr).toContain("Missing on this machine: curl jq.");
      expect(calls).toBe(0);
      expect(token.exitCode).toBe(1);
      expect(token.stderr).toContain("The access token in GOOGLE_OAUTH_ACCESS_TOKEN has expired or is not valid");
    }),
  );
});
