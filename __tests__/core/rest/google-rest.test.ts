import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { CREATE, IMAGE, inScene as inBuildScene } from "../../idp/build-image/build-scene";
import { page } from "../../support/fault-matrix";
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
