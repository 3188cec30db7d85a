import { describeWith } from "../../support/programs";
import { LoopbackServer } from "../../support/loopback-server";
import { haveGroup, haveLeftovers, haveSource, inScene } from "./assessment-scene";

describeWith(["busybox", "curl", "dash", "jq"], "assessment-status.sh", () => {
  it.concurrent.each(["busybox", "dash"] as const)("shows sources, assets and import jobs of all pages (%s)", (shell) =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);
      haveGroup(standIn, "a1b2c3", "assess-discovery-client");
      standIn.migration.longestPage = 2;

      const { exitCode, stdout } = await run("assessment-status", { shell });

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
      const columns = stdout.split("\n").slice(1, 4);
      expect(new Set(columns.map((line) => line.search(/TYPE|SOURCE_TYPE/))).size).toBe(1);
    }),
  );

  it.concurrent("says when the service has lost the lab's source, and how Terraform registers it again", () =>
    inScene(async ({ standIn, run }) => {
      const lost = await run("assessment-status");
      haveSource(standIn);
      const there = await run("assessment-status");

      expect(lost.stdout).toMatch(
        /^Source assess-discovery-client is not registered in .* -replace='terraform_data\./m,
      );
      expect(there.stdout).not.toContain("is not registered");
    }),
  );

  it.concurrent("reads the operating system by either of the names that its field is given", () =>
    inScene(async ({ run }) => {
      // The stand-in does not answer with a field that the API's description lacks.
      const machines = { a: { guestOs: { osName: "A" } }, b: { guestOsDetails: { osName: "B" } }, c: {} };
      const assets = Object.entries(machines).map(([name, machineDetails]) => ({ name, machineDetails }));
      const server = new LoopbackServer((request, response) => {
        response.end(JSON.stringify(request.url?.includes("/assets?") === true ? { assets } : {}));
      });
      await server.start();

      const { stdout } = await run("assessment-status", {
        environment: { GOOGLE_MIGRATION_CENTER_CUSTOM_ENDPOINT: `http://${server.host}/v1/` },
      });
      await server.stop();

      expect(stdout).toMatch(/^ {2}a +A\n {2}b +B\n {2}c\n/m);
    }),
  );

  it.concurrent("has help, and refuses an option that it does not have", () =>
    inScene(async ({ run }) => {
      const help = await run("assessment-status", { arguments: ["--help"] });
      const wrong = await run("assessment-status", { arguments: ["--jsn"] });

      expect(help).toMatchObject({ exitCode: 0, stderr: "" });
      expect(help.stdout).toContain("REGION");
      expect(wrong.exitCode).toBe(2);
      expect(wrong.stderr).toContain('"--jsn" is no option');
    }),
  );
});
