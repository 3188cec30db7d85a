import { spawn } from "node:child_process";

import { packageFile } from "../../../lib/core/package-file";
import { FACTS, LOG_CASES } from "../../platform/monitoring/alert-fixture";
import { isSelected } from "../../platform/monitoring/log-filter";
import { freePort } from "../../support/loopback-server";
import { type ProcessRun, runOf } from "../../support/process-run";
import { describeWith, programPath } from "../../support/programs";
import {
  ApplicationStandIn,
  CLIENT_ID,
  IDENTIFICATION,
  json,
  page,
  PASSWORD,
  PASSWORD_STAGE,
  redirect,
  REDIRECT_URI,
  type Stage,
  USERNAME,
} from "./application-stand-in";

const SCRIPT = packageFile("lib/idp/scripts/sign-in-probe.py");
const AUTHENTICATION = "default-authentication-flow";
const CLIENT = { SIGN_IN_PROBE_CLIENT_ID: CLIENT_ID, SIGN_IN_PROBE_REDIRECT_URI: REDIRECT_URI };
const AT_SECOND_FACTOR = { SIGN_IN_PROBE_ENDS_AT: "second-factor" };

type Environment = Readonly<Record<string, string>>;

interface Line {
  readonly severity: string;
  readonly message: string;
  readonly outcome: string;
  readonly failing_step: string | null;
  readonly detail: string;
  readonly seconds: number;
  readonly attempts: number;
  readonly steps: readonly { readonly step: string; readonly component?: string; readonly seconds: number }[];
}

const stage = (component: string, challenge: object = {}): Stage => ({ component, challenge });
const CAPTCHA = stage("ak-stage-captcha", { site_key: "x" });
const VALIDATION = stage("ak-stage-authenticator-validate", { device_challenges: [] });
const DENIED = stage("ak-stage-access-denied", { error_message: "Not\ntoday" });
const ON_ONE_PAGE: Stage = {
  ...IDENTIFICATION,
  challenge: { ...IDENTIFICATION.challenge, password_fields: true },
  errors: (answer) => IDENTIFICATION.errors?.(answer) ?? PASSWORD_STAGE.errors?.(answer),
};
const CONSENT: Stage = {
  ...stage("ak-stage-consent", { token: "consent-token" }),
  errors: ({ token }) => (token === "consent-token" ? undefined : { token: [{ string: "Invalid consent token" }] }),
};

describeWith(["python3"], "sign-in-probe.py", () => {
  let application: ApplicationStandIn;

  beforeEach(async () => {
    application = new ApplicationStandIn();
    await application.start();
  });
  afterEach(() => application.stop());

  const run = (settings: Environment = {}, ...options: string[]): Promise<ProcessRun> => {
    const env = {
      IDP_URL: application.url,
      SIGN_IN_PROBE_USERNAME: USERNAME,
      SIGN_IN_PROBE_PASSWORD: PASSWORD,
      SIGN_IN_PROBE_FLOW: AUTHENTICATION,
      SIGN_IN_PROBE_ENDS_AT: "session",
      SIGN_IN_PROBE_SLOW_SECONDS: "10",
      SIGN_IN_PROBE_CLIENT_ID: "",
      SIGN_IN_PROBE_REDIRECT_URI: "",
      SIGN_IN_PROBE_AGAIN_SECONDS: "0",
      ...settings,
    };
    const python = programPath("python3");
    return runOf(spawn(python, ["-IS", SCRIPT, ...options], { env, stdio: ["ignore", "pipe", "pipe"] }));
  };

  /** The only line of a run, which has no secret in it, and the alerts that it raises on Cloud Run. */
  const told = async (settings?: Environment): Promise<Line & { readonly alerts: readonly string[] }> => {
    const { exitCode, stderr, stdout } = await run(settings);
    expect({ exitCode, stderr, lines: stdout.split("\n").length }).toEqual({ exitCode: 0, stderr: "", lines: 2 });
    expect(stdout).not.toContain("never-to-be-printed");
    const line = JSON.parse(stdout) as Line;
    const labels = { job_name: FACTS.signInProbeJob, location: "us-central1" };
    const entry = { resource: { type: "cloud_run_job", labels }, jsonPayload: line };
    const raised = LOG_CASES.filter(({ filter, platform }) => platform === "serverless" && isSelected(filter, entry));
    return { ...line, alerts: raised.map(({ alert }) => alert.id) };
  };

  const withStages = (...stages: readonly Stage[]) => {
    application.flows[AUTHENTICATION] = stages;
  };

  it("signs in, says what each step took, leaves no session, and raises nothing", async () => {
    const line = await told();
    expect(line).toMatchObject({
      severity: "INFO",
      message: "sign-in probe: signed in",
      outcome: "signed_in",
      failing_step: null,
      attempts: 1,
      alerts: [],
      steps: [
        { step: "open", component: "ak-stage-identification" },
        { step: "identification", component: "ak-stage-password" },
        { step: "password", component: "xak-flow-redirect" },
        { step: "session" },
      ],
    });
    const sum = line.steps.reduce((seconds, step) => seconds + step.seconds, 0);
    expect(line.seconds).toBeCloseTo(sum, 2);
    expect(line.steps.every(({ seconds }) => seconds > 0)).toBe(true);
    expect(application.signedIn).toBe(0);
  });

  it.each<[what: string, stages: readonly Stage[]]>([
    ["a page that asks for name and password", [ON_ONE_PAGE]],
    [
      "a page that identifies by address alone",
      [
        {
          ...IDENTIFICATION,
          challenge: { user_fields: ["email"] },
          errors: ({ uid_field: uid }) => (uid === `${USERNAME}@example.invalid` ? undefined : { uid_field: [] }),
        },
        PASSWORD_STAGE,
      ],
    ],
    ["a question whether to stay signed in", [IDENTIFICATION, PASSWORD_STAGE, stage("ak-stage-user-login")]],
  ])("passes %s", async (_, stages) => {
    withStages(...stages);
    expect(await told()).toMatchObject({ outcome: "signed_in", alerts: [] });
  });

  it.each<[what: string, stages: readonly Stage[], expected: object]>([
    ["a captcha of its own", [IDENTIFICATION, CAPTCHA], { outcome: "captcha", failing_step: "identification" }],
    [
      "a captcha on the first page",
      [{ ...IDENTIFICATION, challenge: { ...IDENTIFICATION.challenge, captcha_stage: CAPTCHA } }],
      { outcome: "captcha", failing_step: "open" },
    ],
    [
      "a second factor",
      [IDENTIFICATION, PASSWORD_STAGE, VALIDATION],
      { outcome: "second_factor_asked", failing_step: "password" },
    ],
    [
      "questions of somebody's own",
      [stage("ak-stage-prompt")],
      { outcome: "unknown_stage", detail: "ak-stage-prompt", failing_step: "open" },
    ],
    [
      "a first page with buttons alone",
      [stage("ak-stage-identification", { user_fields: [] })],
      { outcome: "unknown_stage", failing_step: "open" },
    ],
  ])("says of %s that it cannot pass it, and not that nobody can sign in", async (_, stages, expected) => {
    withStages(...stages);
    expect(await told()).toMatchObject({
      ...expected,
      severity: "WARNING",
      attempts: 2,
      alerts: ["sign-in-probe-blind"],
    });
  });

  it("ends at the second factor where it is told to", async () => {
    withStages(IDENTIFICATION, PASSWORD_STAGE, VALIDATION);
    expect(await told(AT_SECOND_FACTOR)).toMatchObject({ outcome: "second_factor", attempts: 1, alerts: [] });
  });

  it("takes a session without the second factor for a failure there", async () => {
    const line = await told(AT_SECOND_FACTOR);
    expect(line).toMatchObject({ outcome: "no_second_factor", alerts: ["sign-in-failed"] });
    expect(application.signedIn).toBe(0);
  });

  it.each<[what: string, prepare: () => void, expected: object, settings?: Environment]>([
    [
      "a changed password",
      () => undefined,
      { outcome: "rejected", detail: "Invalid password", failing_step: "password" },
      { SIGN_IN_PROBE_PASSWORD: "never-to-be-printed-3" },
    ],
    [
      "a policy",
      () => withStages(IDENTIFICATION, DENIED),
      { outcome: "denied", detail: "Not today", failing_step: "identification" },
    ],
    ["another slug", () => undefined, { outcome: "no_flow", detail: "sign-in" }, { SIGN_IN_PROBE_FLOW: "sign-in" }],
    [
      "an error of the application's",
      () => withStages(stage("ak-stage-flow-error", { request_id: "0a1b" })),
      { outcome: "application_error", detail: "0a1b" },
    ],
    [
      "a load balancer that has no backend",
      () => application.others.set("/api/", (response) => page(response, 404, "Not Found")),
      { outcome: "http_error", detail: "404", failing_step: "open" },
    ],
    [
      "the database that is gone",
      () => application.others.set("/api/", (response) => page(response, 502, "Bad gateway")),
      { outcome: "http_error", detail: "502", failing_step: "open" },
    ],
    [
      "a page of somebody else",
      () => application.others.set("/api/", (response) => page(response, 200, "Parked")),
      { outcome: "unexpected_answer" },
    ],
    [
      "a redirect to somebody else",
      () => application.others.set("/api/", (response) => redirect(response, "https://elsewhere.example/")),
      { outcome: "unexpected_answer", detail: "a redirect to elsewhere.example" },
    ],
    [
      "redirects in a circle",
      () => application.others.set("/api/", (response) => redirect(response, `/api/v3/flows/executor/a/`)),
      { outcome: "endless" },
    ],
    [
      "a session that does not last",
      () => application.others.set("/api/v3/core/", (response) => json(response, {}, 403)),
      { outcome: "no_session", failing_step: "session" },
    ],
  ])("fails with %s after two attempts", async (_, prepare, expected, settings = {}) => {
    prepare();
    expect(await told(settings)).toMatchObject({
      ...expected,
      severity: "ERROR",
      attempts: 2,
      alerts: ["sign-in-failed"],
    });
  });

  it("fails where nothing listens", async () => {
    const line = await told({ IDP_URL: `http://127.0.0.1:${await freePort()}` });
    expect(line).toMatchObject({ outcome: "unreachable", alerts: ["sign-in-failed"] });
    expect(line.detail).toContain("Connection refused");
  });

  it("gives up on a server that hangs, also on one that goes on sending", async () => {
    const limits = { SIGN_IN_PROBE_REQUEST_SECONDS: "0.3" };
    application.others.set("/api/", () => undefined);
    expect(await told(limits)).toMatchObject({ outcome: "timeout", detail: "no answer within 0.3 s" });
    application.others.set("/api/", (response) => {
      const drops = setInterval(() => response.write(" "), 50);
      response.on("close", () => clearInterval(drops));
    });
    expect(await told(limits)).toMatchObject({ outcome: "timeout", failing_step: "open", alerts: ["sign-in-failed"] });
  });

  it("gives up an attempt whose requests are each in time", async () => {
    application.others.set("/api/v3/flows/executor/a/", (response) => {
      setTimeout(() => redirect(response, "/api/v3/flows/executor/a/"), 200);
    });
    const line = await told({ SIGN_IN_PROBE_FLOW: "a", SIGN_IN_PROBE_ATTEMPT_SECONDS: "0.7" });
    expect(line).toMatchObject({ outcome: "timeout", failing_step: "open" });
  });

  it("says nothing of a first attempt that fails when the second one does not", async () => {
    application.others.set("/api/", (response) => {
      application.others.clear();
      page(response, 503, "Starting");
    });
    expect(await told()).toMatchObject({ outcome: "signed_in", attempts: 2, severity: "INFO", alerts: [] });
  });

  it("tells of a sign-in that takes long twice", async () => {
    const line = await told({ SIGN_IN_PROBE_SLOW_SECONDS: "0" });
    expect(line).toMatchObject({ outcome: "signed_in", attempts: 2, severity: "WARNING", alerts: ["sign-in-slow"] });
    expect(line.message).toMatch(/^sign-in probe: signed in, slowly: [0-9.]+ s$/);
  });

  describe("with a client", () => {
    it("gets a token, and does not call where it would be taken back", async () => {
      const line = await told(CLIENT);
      expect(line).toMatchObject({ outcome: "token", message: "sign-in probe: signed in and got a token", alerts: [] });
      expect(line.steps.map(({ step }) => step).slice(-2)).toEqual(["authorize", "token"]);
      expect(application.signedIn).toBe(0);
    });

    it("consents as a user would, with the session's proof that it is no forgery", async () => {
      application.flows[application.authorization] = [CONSENT];
      const { outcome, steps } = await told(CLIENT);
      expect([outcome, ...steps.map(({ step }) => step).slice(-3)]).toEqual(["token", "authorize", "consent", "token"]);
    });

    it.each<[what: string, prepare: () => void, expected: object, settings?: Environment]>([
      [
        "a client that is not there",
        () => undefined,
        { outcome: "no_code", detail: "400 authentik", failing_step: "authorize" },
        { SIGN_IN_PROBE_CLIENT_ID: "other" },
      ],
      [
        "a flow of the client's that is not there",
        () => (application.authorization = "deleted-consent"),
        { outcome: "no_flow", detail: "deleted-consent", failing_step: "authorize" },
      ],
      [
        "an application that it may not use",
        () =>
          application.others.set("/application/o/authorize/", (response) => page(response, 200, "Permission denied")),
        { outcome: "no_code", detail: "200 Permission denied" },
      ],
      [
        "an error in the place of a code",
        () =>
          application.others.set("/application/o/authorize/", (response) =>
            redirect(response, `${REDIRECT_URI}?error=server_error`),
          ),
        { outcome: "no_code", detail: "server_error" },
      ],
      [
        "a client that needs a secret",
        () => (application.isPublic = false),
        { outcome: "no_token", detail: "400 invalid_client", failing_step: "token" },
      ],
    ])("fails with %s", async (_, prepare, expected, settings = {}) => {
      prepare();
      expect(await told({ ...CLIENT, ...settings })).toMatchObject({ ...expected, alerts: ["sign-in-failed"] });
    });
  });

  it.each([
    ["IDP_URL", "login.example.com"],
    ["SIGN_IN_PROBE_PASSWORD", ""],
    ["SIGN_IN_PROBE_FLOW", "a flow"],
    ["SIGN_IN_PROBE_ENDS_AT", "password"],
    ["SIGN_IN_PROBE_SLOW_SECONDS", "ten"],
  ])("refuses a wrong %s", async (name, value) => {
    const refused = await run({ [name]: value });
    expect(refused).toMatchObject({ exitCode: 2, stdout: "", stderr: `${name} is not set, or no such setting\n` });
    expect(application.requests).toEqual([]);
  });

  it("explains itself, and refuses options that there are not", async () => {
    expect(await run({}, "--help")).toMatchObject({ exitCode: 0, stderr: "" });
    expect(await run({}, "--verbose")).toMatchObject({ exitCode: 2, stdout: "" });
  });
});
