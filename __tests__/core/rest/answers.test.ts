import { existsSync } from "node:fs";
import { join } from "node:path";

import { type Fault } from "../../support/google-stand-in";
import { runScript } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { describeWith } from "../../support/programs";
import { CREATE, IMAGE, inScene } from "../../idp/build-image/build-scene";

const GATE = { PROJECT_ID: "demo-project", REGION: "us-central1", SERVICE: "run.googleapis.com" };

const page = (status: number, text: string): Fault => ({ kind: "html", status, page: text });
const json = (status: number, value: unknown): Fault => page(status, JSON.stringify(value));

describeWith(["curl", "dash", "jq"], "an answer that is not the API's own", () => {
  it.concurrent("does not open the gate of an API", () =>
    inScene(async ({ standIn }) => {
      standIn.inject("run", page(407, "<h1>Sign in</h1>"), Infinity);

      const run = await runScript("wait-for-api", {
        environment: { ...standIn.environment, GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first", ...GATE, WAIT_SECONDS: "0" },
      });

      expect(run.exitCode).toBe(1);
      expect(run.stdout).toContain("not answering yet (HTTP 407 of a proxy or portal)");
      expect(run.stderr).toContain("a proxy or portal answered, not the API: HTTP 407, <h1>Sign in</h1>.\n");
      expect(run.stderr).toContain("To fix: sign in to this network, or let the calls pass its proxy");
    }),
  );
});

describeWith(["curl", "dash", "jq"], "what an API answers", () => {
  it.concurrent("never becomes a line of curl's configuration", () =>
    inScene(async ({ standIn, build }) => {
      const written = join(temporaryFolder(), "written");
      const id = `1"\noutput = "${written}"\nurl = "http://${standIn.host}/elsewhere`;
      standIn.inject(CREATE, json(200, { metadata: { build: { id, logUrl: "x" } } }));

      const run = await build();

      expect(run.exitCode).toBe(1);
      expect(run.stderr).toContain(`Cloud Build took the build of ${IMAGE} but gave it no id that can be asked for.`);
      expect(existsSync(written)).toBe(false);
      expect(standIn.requests.filter(({ path }) => path.includes("elsewhere"))).toEqual([]);
    }),
  );
});
