import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { FaultMatrix, page, renewableToken, status } from "../../support/fault-matrix";
import { type Fault } from "../../support/google-stand-in";
import { programFolder, runFile, type ScriptOptions } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { gcloud, inScene, READ_STATE, type RestScene, scenario, WITHOUT_TOKEN } from "./rest-scene";

const MUCH = "printf '%100000s' a";

describeWith(["busybox", "curl", "dash", "jq"], "the access token of a REST script", () => {
  it.concurrent.each([
    ["hangs", "exec sleep 60", "busybox"],
    ["prints more than a pipe holds", MUCH, "dash"],
    ["prints more than a pipe holds", MUCH, "busybox"],
  ] as const)("is not waited for when gcloud %s, and nothing is left behind (%s, %s)", (_, does, shell) =>
    inScene(async ({ standIn, lookAtApi }) => {
      standIn.metadataToken = "ya29.first";
      const temporary = temporaryFolder();
      const programs = gcloud({ applicationDefault: does, user: does });
      const environment = { ...WITHOUT_TOKEN, REST_TOKEN_SECONDS: "0", TMPDIR: temporary };

      const run = await lookAtApi({ shell, environment, programs });
      const patient = { ...environment, REST_TOKEN_SECONDS: "60" };
      const onStart: ScriptOptions["onStart"] = (kill) => setTimeout(() => kill("SIGTERM"), 500);
      const ended = await lookAtApi({ shell, environment: patient, programs, onStart });

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(ended).toMatchObject({ exitCode: 143, stderr: "Interrupted by SIGTERM.\n" });
      expect(readdirSync(temporary)).toEqual([]);
    }),
  );
});

/** Everything that people may start: no library. */
const SCRIPTS = readdirSync(packageFile("lib"), { recursive: true, encoding: "utf8" }).filter((path) => {
  const text = path.endsWith(".sh") ? readFileSync(packageFile(`lib/${path}`), "utf8") : "";
  return text.startsWith("#!");
});

describeWith(["busybox", "curl", "dash", "jq"], "a script", () => {
  const programs = () => programFolder({ scripts: { aws: "exit 1" } });

  it.concurrent.each(SCRIPTS)(
    "prints its usage when it is asked for, and refuses a word that it does not know: %s",
    async (path) => {
      const file = packageFile(`lib/${path}`);
      const [, what = ""] = /^#!.*\n# (.*)\n/.exec(readFileSync(file, "utf8")) ?? [];

      const help = await runFile(file, { arguments: ["--help"], programs: programs() });
      const unknown = await runFile(file, { arguments: ["--dry-runs"], shell: "busybox", programs: programs() });
      const empty = await runFile(file, { arguments: [""], programs: programs() });

      expect(help).toMatchObject({ exitCode: 0, stderr: "" });
      expect(help.stdout.startsWith(`${what}\n`)).toBe(true);
      expect(unknown.exitCode).toBe(2);
      expect(unknown.output).toContain('"--dry-runs" is not an option');
      expect(empty.exitCode).toBe(2);
    },
  );
});

describeWith(["busybox", "curl", "dash", "jq"], "a call of a REST script", () => {
  const UNAVAILABLE = status(503, "UNAVAILABLE", "The service is currently unavailable.");

  /** Faults that pass, and what is said of each after the address. */
  const PASSING: readonly (readonly [Fault, string])[] = [
    [status(429, "RESOURCE_EXHAUSTED", "Quota."), " answered HTTP 429 RESOURCE_EXHAUSTED: Quota."],
    [status(500, "INTERNAL", "Is\n gone.", "WHY"), " answered HTTP 500 INTERNAL (WHY): Is gone."],
    [status(403, "", "Slow down.", "rateLimitExceeded"), " answered HTTP 403 (rateLimitExceeded): Slow down."],
    [{ kind: "reset" }, " got no answer: "],
    [{ kind: "slow", milliseconds: 900 }, " got no answer: (28) "],
  ];

  /** Answers that cannot come from the API, which pass too. */
  const OF_PROXIES: typeof PASSING = (
    [
      [{ ...page(302, ""), location: "http://127.0.0.1:9/a" }, "HTTP 302, with an empty"],
      [page(407, "<h1>Sign in</h1>"), "HTTP 407, <h1>Sign in</h1>."],
      [page(200, "<p>Welcome\n\tto the hotel</p>\n"), "HTTP 200, <p>Welcome to the hotel</p>."],
      [page(200, ""), "HTTP 200, with an empty body."],
      [page(200, "[]"), "HTTP 200, []."],
      [page(404, '{"error": {"code": 404'), 'HTTP 404, {"error": {"code": 404.'],
    ] as const
  ).map(([fault, text]) => [fault, `: a proxy or portal answered, not the API: ${text}`]);

  it.concurrent.each([
    ["faults of the API, each after twice the pause", PASSING, 0.01],
    ["answers of a proxy or portal, which are said to be that", OF_PROXIES, 0],
  ])("is repeated after %s", (_, faults, pause) =>
    inScene(async ({ standIn, lookAtApi }) => {
      for (const [fault] of faults) standIn.inject(READ_STATE, fault);
      const settings = { REST_CALL_SECONDS: "0.7", REST_TRIES: "9", REST_RETRY_BASE_SECONDS: `${pause}` };

      const run = await lookAtApi({ environment: settings });

      expect(run.exitCode).toBe(0);
      const said = run.stdout.split("\n").slice(0, -2);
      for (const [index, [, text]] of faults.entries()) {
        expect(said[index]?.replace(/^GET http:\S+googleapis\.com/, "")).toContain(text);
        expect(said[index]).toContain(`Trying again in ${pause * 2 ** index} s (attempt ${index + 2} of 9).`);
      }
      expect(standIn.requests).toHaveLength(faults.length + 1);
    }),
  );

  scenario("waits two minutes at most, whatever the API asks for", async ({ standIn, lookAtApi }) => {
    standIn.inject(READ_STATE, { ...UNAVAILABLE, retryAfterSeconds: 3600 } as Fault);
    standIn.inject(READ_STATE, { ...UNAVAILABLE, retryAfterSeconds: 7 } as Fault);
    const log = join(temporaryFolder(), "pauses");

    await lookAtApi({ programs: programFolder({ scripts: { sleep: `echo "$1" >>'${log}'` } }) });

    expect(readFileSync(log, "utf8")).toBe("120\n7\n");
  });

  it.concurrent.each(["Australia/Sydney", "America/New_York", "Europe/Berlin", "Asia/Kolkata", "UTC"])(
    "is followed by the server's time in UTC, in both halves of the year, from %s",
    async (TZ) => {
      const file = join(temporaryFolder(), "times.sh");
      const dates = ["Thu, 15 Jan 2026 12:00:00 GMT", "Wed, 15 Jul 2026 12:00:00 GMT"];
      const told = dates.map((date) => `echo 'Date: ${date}' >"$GOOGLE_WORK/headers"; google_server_time`);
      const read = `jq -n '"2026-01-15T12:00:00Z", "2026-07-15T12:00:00Z" | fromdate'`;
      writeFileSync(file, ['. "$GOOGLE_REST_LIBRARY"', "google_start", ...told, read].join("\n"));

      const { stdout } = await runFile(file, { environment: { TZ, PROJECT_ID: "demo-project" } });

      expect(stdout).toBe("1768478400\n1784116800\n".repeat(2));
    },
  );

  scenario("names a quota project when it is told to", async ({ standIn, lookAtApi }) => {
    await lookAtApi({ environment: { USER_PROJECT_OVERRIDE: "true" } });
    await lookAtApi({ environment: { USER_PROJECT_OVERRIDE: "1", GOOGLE_BILLING_PROJECT: "payer" } });
    await lookAtApi({ environment: { GOOGLE_BILLING_PROJECT: "payer" } });

    const named = standIn.requests.map(({ headers }) => headers["x-goog-user-project"]);
    expect(named).toEqual(["demo-project", "payer", undefined]);
  });

  const row = { at: READ_STATE, exitCode: 1 };
  const words = [
    "ya29.a0AfB_by-C",
    `eyJhbGci.${"A1b-".repeat(9)}`,
    "1//0gK-s",
    `Zz/${"Ab1".repeat(20)}/Yy=`,
    // A secret key of AWS.
    `Kk7/${"Aq3/".repeat(8)}Kk7q`,
    "of sales.example",
  ];
  const talks = `echo 'ERROR: bad token: ${words.join(" ")}' >&2; exit 1`;
  const injected = { USER_PROJECT_OVERRIDE: "true", GOOGLE_BILLING_PROJECT: 'payer"\noutput = "/tmp/x' };
  const unknown = { environment: WITHOUT_TOKEN, programs: gcloud({ applicationDefault: "echo ya29.unknown" }) };

  new FaultMatrix<RestScene>({
    inScene,
    run: ({ lookAtApi }, options) => lookAtApi(options),
    settled: (_, { stdout }) => expect(stdout).toContain("run.googleapis.com is already on in project demo-project."),
  }).rows([
    {
      ...row,
      what: "renews a token that has expired",
      answers: [{ kind: "expired-token" }],
      exitCode: 0,
      options: renewableToken,
      says: [
        'The access token has expired; getting a new one from "gcloud auth application-default print-access-token"',
      ],
      left: ({ tokensUsed }) => expect(tokensUsed()).toEqual(["Bearer ya29.first", "Bearer ya29.second"]),
    },
    {
      ...row,
      what: "is ended by an expired token without another",
      answers: [{ kind: "expired-token" }],
      says: ["To fix: export GOOGLE_OAUTH_ACCESS_TOKEN="],
    },
    {
      ...row,
      what: "is ended by a renewed token that is refused too",
      answers: [],
      options: unknown,
      says: ['A new access token from "gcloud auth application-default'],
      left: ({ standIn }) => expect(standIn.requests).toHaveLength(2),
    },
    {
      ...row,
      what: "is ended by a fault that does not pass",
      answers: [UNAVAILABLE],
      lasts: true,
      says: ["503 UNAVAILABLE: The service is currently"],
      left: ({ standIn }) => expect(standIn.requests).toHaveLength(4),
    },
    {
      ...row,
      what: "shows no token or key that gcloud prints",
      answers: [],
      options: { environment: WITHOUT_TOKEN, programs: gcloud({ applicationDefault: talks, user: talks }) },
      says: ["print-access-token: ERROR: bad token: [...] [...] [...] [...] [...] of sales.example\n"],
      left: (_, { output }) => expect(output).not.toMatch(/a0AfB|hbGci|0gK|Ab1|Zz|Yy|Kk7|Aq3/),
    },
    {
      ...row,
      what: "refuses a header in its place",
      answers: [],
      options: { environment: injected },
      exitCode: 2,
      says: ["GOOGLE_BILLING_PROJECT has more than one line; it"],
      left: ({ standIn }) => expect(standIn.requests).toEqual([]),
    },
    {
      ...row,
      what: "reports all wrong settings at once",
      answers: [],
      exitCode: 2,
      options: { environment: { PROJECT_ID: "Über", WAIT_SECONDS: "soon", REST_TRIES: "0" } },
      says: [
        /^wait-for-api.sh cannot start:\n {2}- PROJECT_ID is "Über"; .*\n.*"soon"; .*\n.*REST_TRIES is "0"; .*\n$/,
      ],
      left: ({ standIn }) => expect(standIn.requests).toEqual([]),
    },
    {
      ...row,
      what: "lets no answer command the terminal",
      lasts: true,
      answers: [page(400, JSON.stringify({ error: { code: 400, message: "a\u001b[2Jb\u0007\u007fd é" } }))],
      says: ["a [2Jb  d é"],
      left: (_, { output }) => expect(output).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f]/),
    },
  ]);
});
