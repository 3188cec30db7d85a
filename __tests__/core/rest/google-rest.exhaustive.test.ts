import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Fault } from "../../support/google-stand-in";
import { programFolder, runScript, type ScriptOptions } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { describeWith, programPath } from "../../support/programs";

import { inScene, READ_STATE, refusal } from "./rest-scene";

/** A gcloud whose two commands for a token run shell commands of the test. */
function gcloud(commands: { readonly applicationDefault?: string; readonly user?: string }): string {
  const failure = "echo 'ERROR: (gcloud.auth) no credentials' >&2; exit 1";
  return programFolder({
    scripts: {
      gcloud: `case "$*" in
        "auth application-default print-access-token") ${commands.applicationDefault ?? failure} ;;
        "auth print-access-token") ${commands.user ?? failure} ;;
      esac`,
    },
  });
}

const unavailable = refusal(503, "UNAVAILABLE", "The service is currently unavailable.");

const withoutToken = { GOOGLE_OAUTH_ACCESS_TOKEN: undefined };

describeWith(["curl", "jq", "dash", "busybox"], "the shell library of the REST scripts", () => {
  describe("access token", () => {
    it.concurrent.each([
      ["the environment, before anything else", { GOOGLE_OAUTH_ACCESS_TOKEN: "ya29.first" }, "echo a", "echo b"],
      ["gcloud's application default credentials", withoutToken, "echo ya29.first", "echo b"],
      ["gcloud's signed-in account", withoutToken, undefined, "echo ya29.first"],
      ["the metadata server", withoutToken, undefined, undefined],
    ])("comes from %s", (_way, environment, applicationDefault, user) =>
      inScene(async ({ standIn, lookAtApi, tokensUsed }) => {
        standIn.metadataToken = applicationDefault === undefined && user === undefined ? "ya29.first" : "c";

        const run = await lookAtApi({ environment, programs: gcloud({ applicationDefault, user }) });

        expect(run.output).toBe("run.googleapis.com is already on in project demo-project.\n");
        expect(tokensUsed()).toEqual(["Bearer ya29.first"]);
      }),
    );

    it.concurrent.each(["dash", "busybox"] as const)("names all ways when there is none (%s)", (shell) =>
      inScene(async ({ standIn, lookAtApi }) => {
        const run = await lookAtApi({ shell, environment: { ...withoutToken }, programs: gcloud({}) });

        expect(run).toMatchObject({ exitCode: 1, stdout: "" });
        expect(run.stderr.replaceAll(standIn.host, "HOST")).toBe(
          [
            "No access token for Google's APIs. Tried in this order:",
            "  - GOOGLE_OAUTH_ACCESS_TOKEN: not set",
            "  - GOOGLE_CREDENTIALS: not set",
            "  - GOOGLE_CLOUD_KEYFILE_JSON: not set",
            "  - GCLOUD_KEYFILE_JSON: not set",
            "  - GOOGLE_APPLICATION_CREDENTIALS: not set",
            "  - gcloud auth application-default print-access-token: ERROR: (gcloud.auth) no credentials",
            "  - gcloud auth print-access-token: ERROR: (gcloud.auth) no credentials",
            "  - metadata server at HOST: no token (it exists on Google Cloud machines only)",
            "  To fix: gcloud auth application-default login, or set GOOGLE_CREDENTIALS, or GOOGLE_OAUTH_ACCESS_TOKEN to a fresh token.",
            "",
          ].join("\n"),
        );
      }),
    );

    it.concurrent.each(["dash", "busybox"] as const)("fails after its time limit (%s)", (shell) =>
      inScene(async ({ standIn, lookAtApi }) => {
        standIn.metadataToken = "ya29.first";
        const temporary = temporaryFolder();

        const run = await lookAtApi({
          shell,
          environment: {
            ...withoutToken,
            GCE_METADATA_HOST: standIn.host,
            REST_TOKEN_SECONDS: "0",
            TMPDIR: temporary,
          },
          programs: gcloud({ applicationDefault: "exec sleep 60", user: "exec sleep 60" }),
        });

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
        expect(readdirSync(temporary)).toEqual([]);
      }),
    );

    it.concurrent.each(["dash", "busybox"] as const)("is renewed once when it has expired (%s)", (shell) =>
      inScene(async ({ standIn, lookAtApi, tokensUsed }) => {
        const folder = temporaryFolder();
        const programs = gcloud({
          applicationDefault: `if [ -e ${folder}/asked ]; then echo ya29.second; else : >${folder}/asked; echo ya29.first; fi`,
        });
        standIn.tokens.add("ya29.second");
        standIn.inject(READ_STATE, { kind: "expired-token" });

        const run = await lookAtApi({ shell, environment: withoutToken, programs });

        expect(run.exitCode).toBe(0);
        expect(run.stdout).toContain(
          'The access token has expired; getting a new one from "gcloud auth application-default print-access-token".',
        );
        expect(tokensUsed()).toEqual(["Bearer ya29.first", "Bearer ya29.second"]);
      }),
    );
  });

  describe("passing faults", () => {
    it.concurrent("are reported and tried again, each after twice the pause", () =>
      inScene(async ({ standIn, lookAtApi }) => {
        const faults: readonly (readonly [Fault, string])[] = [
          [
            refusal(429, "RESOURCE_EXHAUSTED", "Quota exceeded."),
            "answered HTTP 429 RESOURCE_EXHAUSTED: Quota exceeded.",
          ],
          [refusal(500, "INTERNAL", "Internal error."), "answered HTTP 500 INTERNAL: Internal error."],
          [unavailable, "answered HTTP 503 UNAVAILABLE: The service is currently unavailable."],
          [refusal(403, "", "Slow down.", "rateLimitExceeded"), "answered HTTP 403 (rateLimitExceeded): Slow down."],
          [{ kind: "reset" }, "got no answer: "],
          [{ kind: "slow", milliseconds: 900 }, "got no answer: (28) "],
        ];
        for (const [fault] of faults) standIn.inject(READ_STATE, fault);

        const run = await lookAtApi({ environment: { REST_CALL_SECONDS: "0.7", REST_TRIES: "9" } });

        const [address] = run.stdout.split(" ", 2).slice(1);
        expect(run.exitCode).toBe(0);
        expect(run.stdout.split("\n").slice(0, -2)).toEqual(
          faults.map(
            ([, text], index) =>
              expect.stringMatching(
                `^GET ${address ?? ""} ${text.replace(/[().]/g, "\\$&")}.* ?Trying again in ${0.01 * 2 ** index} s \\(attempt ${index + 2} of 9\\)\\.$`,
              ) as string,
          ),
        );
        expect(standIn.requests).toHaveLength(faults.length + 1);
      }),
    );

    it.concurrent.each([
      ["as long as the API asks for", 1, 1],
      ["for two minutes at most, whatever the API asks for", 3600, 120],
    ])("wait %s", (_name, retryAfterSeconds, seconds) =>
      inScene(async ({ standIn, lookAtApi }) => {
        standIn.inject(READ_STATE, { ...unavailable, retryAfterSeconds } as Fault);
        const log = join(temporaryFolder(), "pauses");

        const run = await lookAtApi({ programs: programFolder({ scripts: { sleep: `echo "$1" >>'${log}'` } }) });

        expect(run.stdout).toContain(`Trying again in ${seconds} s (attempt 2 of 4).`);
        expect(readFileSync(log, "utf8")).toBe(`${seconds}\n`);
      }),
    );
  });

  describe("quota project", () => {
    it.concurrent.each([
      ["is not sent by itself", { GOOGLE_BILLING_PROJECT: "payer" }, undefined],
      ["is not sent when switched off", { USER_PROJECT_OVERRIDE: "false" }, undefined],
      ["is the project itself", { USER_PROJECT_OVERRIDE: "true" }, "demo-project"],
      ["is the named one first", { USER_PROJECT_OVERRIDE: "1", GOOGLE_BILLING_PROJECT: "payer" }, "payer"],
    ])("%s", (_name, environment, expected) =>
      inScene(async ({ standIn, lookAtApi }) => {
        await lookAtApi({ environment });

        expect(standIn.requests[0]?.headers["x-goog-user-project"]).toBe(expected);
      }),
    );
  });

  const unknownToken = { environment: withoutToken, programs: gcloud({ applicationDefault: "echo ya29.unknown" }) };
  const nobody = { GOOGLE_SERVICE_USAGE_CUSTOM_ENDPOINT: "http://127.0.0.1:9/v1" };
  const injected = { USER_PROJECT_OVERRIDE: "true", GOOGLE_BILLING_PROJECT: 'payer"\noutput = "/tmp/x' };
  const quota = refusal(403, "PERMISSION_DENIED", "The API requires a quota project, which is not set by default.");

  it.concurrent.each<[string, ScriptOptions, readonly Fault[], number, string]>([
    [
      "a fault that does not pass",
      {},
      Array<Fault>(4).fill(unavailable),
      4,
      "503 UNAVAILABLE: The service is currently",
    ],
    [
      "a host that nobody listens on",
      { environment: nobody },
      [],
      0,
      "GET http://127.0.0.1:9/v1/projects/demo-project/",
    ],
    [
      "a missing quota project",
      {},
      [quota],
      1,
      "export USER_PROJECT_OVERRIDE=true GOOGLE_BILLING_PROJECT=demo-project",
    ],
    ["a header in its place", { environment: injected }, [], 0, "GOOGLE_BILLING_PROJECT has more than one line; it"],
    ["an expired token", {}, [{ kind: "expired-token" }], 1, "To fix: export GOOGLE_OAUTH_ACCESS_TOKEN="],
    ["a token renewed in vain", unknownToken, [], 2, 'A new access token from "gcloud auth application-default'],
  ])("%s ends the script", (_name, options, faults, requests, said) =>
    inScene(async ({ standIn, lookAtApi }) => {
      for (const fault of faults) standIn.inject(READ_STATE, fault);

      const run = await lookAtApi(options);

      expect(run.exitCode).toBeGreaterThan(0);
      expect(run.stderr).toContain(said);
      expect(standIn.requests).toHaveLength(requests);
    }),
  );

  it.concurrent.each(["dash", "busybox"] as const)("needs no powers of awk (%s)", (shell) =>
    inScene(async ({ standIn, lookAtApi }) => {
      standIn.inject(READ_STATE, refusal(503, "UNAVAILABLE", "Soon."), 3);
      const awk = `case "$*" in *^*|*'**'*|*exp*|*log*) echo "awk: Math support is not compiled in" >&2; exit 1 ;; esac
        exec ${programPath("awk")} "$@"`;

      const run = await lookAtApi({ shell, programs: programFolder({ scripts: { awk } }) });

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(run.stdout.match(/Trying again in [\d.]+ s/g)).toEqual(
        [0.01, 0.02, 0.04].map((s) => `Trying again in ${s} s`),
      );
    }),
  );

  it.concurrent.each([
    {
      REST_POLL_SECONDS: "x",
      REST_RETRY_BASE_SECONDS: "1s",
      REST_TRIES: "abc",
      REST_CALL_SECONDS: "0",
      REST_CONNECT_SECONDS: "-1",
      REST_TOKEN_SECONDS: "12345678901234567890",
      WAIT_SECONDS: "12345678901234567890",
    },
    { REST_TRIES: "0", WAIT_SECONDS: "0900" },
  ])("refuses %o before any call", (environment) =>
    inScene(async ({ standIn, lookAtApi }) => {
      const run = await lookAtApi({ environment });

      expect(run.exitCode).toBe(2);
      for (const [name, value] of Object.entries(environment)) {
        expect(run.stderr).toContain(`  - ${name} is "${value}"; it must hold a number of `);
      }
      expect(standIn.requests).toEqual([]);
    }),
  );

  it.concurrent.each(["build-image", "enable-api", "wait-for-api"] as const)(
    "%s names all missing programs",
    async (script) => {
      const run = await runScript(script, { programs: programFolder({ without: ["curl", "jq"] }) });

      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain("Missing on this machine: curl jq. Install them");
    },
  );
});
