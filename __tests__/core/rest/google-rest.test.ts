import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { CREATE, IMAGE, scenario as buildScenario } from "../../idp/build-image/build-scene";
import { page } from "../../support/fault-matrix";
import {
  programFolder,
  recordingPrograms,
  runScript,
  type ScriptName,
  SCRIPTS,
} from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { gcloud, inScene, scenario, WITHOUT_TOKEN } from "./rest-scene";

describeWith(["curl", "dash", "jq"], "the shell library of the REST scripts", () => {
  scenario(
    "prints no token and puts none on a command line, even with a ~/.curlrc that asks for it",
    async ({ enable, wait }) => {
      const home = temporaryFolder();
      writeFileSync(join(home, ".curlrc"), "verbose\ninclude\n");
      const log = join(home, "calls");

      const run = await enable({ environment: { HOME: home }, programs: recordingPrograms(log) });

      expect(run.exitCode).toBe(0);
      expect(readFileSync(log, "utf8")).toMatch(/^curl /m);
      expect(readFileSync(log, "utf8")).not.toContain("ya29");
      expect(run.output).not.toContain("ya29");
      expect(await wait("cloudresourcemanager.googleapis.com")).toMatchObject({ exitCode: 0, stderr: "" });
    },
  );

  buildScenario("never makes an answer a line of curl's configuration", async ({ standIn, build }) => {
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
  });
});

describeWith(["curl", "dash", "jq"], "a REST script", () => {
  it.concurrent.each(Object.keys(SCRIPTS) as ScriptName[])("does not start without its settings: %s", async (name) => {
    const { exitCode, stderr, stdout } = await runScript(name, { programs: programFolder({ scripts: { aws: ":" } }) });
    expect([exitCode, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^\S+ cannot start:\n {2}- PROJECT_ID is not set; it must [^]*\n {2}- \w+ is not set; /);
    const byPeople = ["facts", "promote", "recover-elsewhere", "restore", "restore-drill", "return-home"];
    expect(stderr.includes('this sets them: eval "$(terraform output -raw restore_settings)"\n')).toBe(
      byPeople.includes(name),
    );
  });
});

describeWith(["curl", "dash", "jq"], "the gate of an API", () => {
  scenario("refuses an API that it knows no call of, and a missing region", async ({ wait }) => {
    const unknown = await wait("translate.googleapis.com");
    const regional = await wait("run.googleapis.com", { environment: { REGION: undefined } });

    expect([unknown.exitCode, regional.exitCode]).toEqual([2, 2]);
    expect(unknown.stderr).toContain("known are: artifactregistry certificatemanager cloudbuild ");
    expect(regional.stderr).toContain("REGION is not set; it must hold a region");
  });
});

describeWith(["busybox", "curl", "dash", "jq"], "the access token of a REST script", () => {
  it.concurrent.each([
    ["the environment, before anything else", { GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first" }, "echo a", "echo b"],
    ["gcloud's application default credentials", WITHOUT_TOKEN, "echo ya29.first", "echo b"],
    ["gcloud's signed-in account", WITHOUT_TOKEN, undefined, "echo ya29.first"],
    ["the metadata server", WITHOUT_TOKEN, undefined, undefined],
  ])("comes from %s", (_way, environment, applicationDefault, user) =>
    inScene(async ({ standIn, lookAtApi, tokensUsed }) => {
      standIn.metadataToken = applicationDefault === undefined && user === undefined ? "ya29.first" : "c";

      const run = await lookAtApi({ environment, programs: gcloud({ applicationDefault, user }) });

      expect(run.output).toBe("run.googleapis.com is already on in project demo-project.\n");
      expect(tokensUsed()).toEqual(["Bearer ya29.first"]);
    }),
  );

  scenario("is missing: all ways to one are named", async ({ standIn, lookAtApi }) => {
    const run = await lookAtApi({ shell: "busybox", environment: { ...WITHOUT_TOKEN }, programs: gcloud({}) });

    expect(run).toMatchObject({ exitCode: 1, stdout: "" });
    const ways = run.stderr.replaceAll(standIn.host, "HOST").split("\n").slice(1, -2);
    expect(ways.map((line) => line.replace(/^ {2}- (.*?): .*$/, "$1"))).toEqual([
      "GOOGLE_OAUTH_ACCESS_TOKEN",
      "GOOGLE_CREDENTIALS",
      "GOOGLE_CLOUD_KEYFILE_JSON",
      "GCLOUD_KEYFILE_JSON",
      "GOOGLE_APPLICATION_CREDENTIALS",
      "gcloud auth application-default print-access-token",
      "gcloud auth print-access-token",
      "metadata server at HOST",
    ]);
  });
});
