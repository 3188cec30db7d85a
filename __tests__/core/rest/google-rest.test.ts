import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { CREATE, IMAGE, inScene as inBuildScene } from "../../idp/build-image/build-scene";
import { page, PORTAL } from "../../support/fault-matrix";
import { recordingPrograms } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { describeWith } from "../../support/programs";
import { inScene } from "./rest-scene";

describeWith(["curl", "dash", "jq"], "the shell library of the REST scripts", () => {
  it.concurrent("prints no token and puts none on a command line, even with a ~/.curlrc that asks for it", () =>
    inScene(async ({ lookAtApi }) => {
      const home = temporaryFolder();
      writeFileSync(join(home, ".curlrc"), "verbose\ninclude\n");
      const log = join(home, "calls");

      const run = await lookAtApi({ environment: { HOME: home }, programs: recordingPrograms(log) });

      expect(run.exitCode).toBe(0);
      expect(readFileSync(log, "utf8")).toMatch(/^curl /m);
      expect(readFileSync(log, "utf8")).not.toContain("ya29");
      expect(run.output).not.toContain("ya29");
    }),
  );

  it.concurrent("reports all wrong settings at once", () =>
    inScene(async ({ standIn, lookAtApi }) => {
      const run = await lookAtApi({
        environment: { PROJECT_ID: "Über", WAIT_SECONDS: "soon", REST_TRIES: "0" },
      });

      expect(run.exitCode).toBe(2);
      expect(run.stderr.split("\n")).toEqual([
        "wait-for-api.sh cannot start:",
        '  - PROJECT_ID is "Über"; it must hold the id of a project, like my-project-123.',
        '  - WAIT_SECONDS is "soon"; it must hold a number of seconds, at most 999999.',
        expect.stringMatching(/^ {2}- REST_TRIES is "0"; it must hold a number of /),
        "",
      ]);
      expect(standIn.requests).toEqual([]);
    }),
  );

  it.concurrent("never makes an answer a line of curl's configuration", () =>
    inBuildScene(async ({ standIn, build }) => {
      const written = join(temporaryFolder(), "written");
      const id = `1"\noutput = "${written}"\nurl = "http://${standIn.host}/elsewhere`;
      standIn.inject(CREATE, page(200, JSON.stringify({ metadata: { build: { id, logUrl: "x" } } })));

      const run = await build();

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain(
        `Cloud Build took the build of ${IMAGE} in global but gave it no id that can be asked for.`,
      );
      expect(existsSync(written)).toBe(false);
      expect(standIn.requests.filter(({ path }) => path.includes("elsewhere"))).toEqual([]);
    }),
  );
});

describeWith(["curl", "dash", "jq"], "the gate of an API", () => {
  it.concurrent("is not opened by the answer of a portal", () =>
    inScene(async ({ standIn, wait }) => {
      const environment = { WAIT_SECONDS: "0" };
      standIn.inject("storage", PORTAL, Infinity);
      standIn.inject("run", page(407, "<h1>Sign in</h1>"), Infinity);

      expect((await wait("storage.googleapis.com", { environment })).exitCode).toBe(1);
      const run = await wait("run.googleapis.com", { environment });

      expect(run.exitCode).toBe(1);
      expect(run.stdout).toContain("not answering yet (HTTP 407 of a proxy or portal)");
      expect(run.stderr).toContain("a proxy or portal answered, not the API: HTTP 407, <h1>Sign in</h1>.\n");
      expect(run.stderr).toContain("To fix: sign in to this network, or let the calls pass its proxy");
    }),
  );

  it.concurrent("refuses an API that it knows no call of, and a missing region", () =>
    inScene(async ({ wait }) => {
      const unknown = await wait("translate.googleapis.com");
      const regional = await wait("run.googleapis.com", { environment: { REGION: undefined } });

      expect([unknown.exitCode, regional.exitCode]).toEqual([2, 2]);
      expect(unknown.stderr).toContain("known are: artifactregistry certificatemanager cloudbuild ");
      expect(regional.stderr).toContain("REGION is not set; it must hold a region");
    }),
  );
});
