import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { recordingPrograms } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { describeWith } from "../../support/programs";
import { inScene, READ_STATE, refusal } from "./rest-scene";

describeWith(["curl", "jq", "dash", "busybox"], "the shell library of the REST scripts", () => {
  describe("access token", () => {
    it.concurrent("appears on no command line and in no output, even with a ~/.curlrc that asks for it", () =>
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
  });

  describe("error texts", () => {
    it.concurrent("show a Google error with its reason", () =>
      inScene(async ({ standIn, lookAtApi }) => {
        standIn.inject(READ_STATE, refusal(400, "FAILED_PRECONDITION", "Billing is\n not on.", "BILLING_OFF"));

        const run = await lookAtApi();

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toBe(
          `run.googleapis.com cannot be turned on in project demo-project.\n  GET http://${standIn.host}/serviceusage/v1/projects/demo-project/services/run.googleapis.com answered HTTP 400 FAILED_PRECONDITION (BILLING_OFF): Billing is not on.\n`,
        );
      }),
    );
  });

  it.concurrent("reports all wrong settings at once", () =>
    inScene(async ({ standIn, lookAtApi }) => {
      const run = await lookAtApi({ environment: { PROJECT_ID: "Über", SERVICE: "run", WAIT_SECONDS: "soon" } });

      expect(run.exitCode).toBe(2);
      expect(run.stderr.split("\n")).toEqual([
        "enable-api.sh cannot start:",
        '  - PROJECT_ID is "Über"; it must hold the id of a project, like my-project-123.',
        '  - SERVICE is "run"; it must hold the name of an API, like run.googleapis.com.',
        '  - WAIT_SECONDS is "soon"; it must hold a number of seconds, at most 999999.',
        "",
      ]);
      expect(standIn.requests).toEqual([]);
    }),
  );
});
