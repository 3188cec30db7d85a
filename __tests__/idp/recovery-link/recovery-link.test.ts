import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { FACTS, LOG_CASES } from "../../platform/monitoring/alert-fixture";
import { isSelected } from "../../platform/monitoring/log-filter";
import { type ProcessRun, runOf } from "../../support/process-run";
import { describeWith, programPath } from "../../support/programs";
import { SECRET, SecretManagerStandIn, status } from "./secret-manager-stand-in";

const SCRIPT = packageFile("lib/idp/scripts/recovery-link.py");
const PATH = "/recovery/use-token/neverToBePrinted0123456789/";
const LINK = `https://login.example.com${PATH}`;

/** What the application's command prints, with lines of its log, as release 2026.5.0-rc1 does. */
const COMMAND = `#!/bin/sh
echo "$*" >>"$0.calls"
echo "maker: $LOGNAME" >>"$0.calls"
echo '{"event": "Imported related module", "level": "info", "logger": "authentik.blueprints.apps"}'
echo "Switching to schema 'public'" >&2
case $3 in
  akadmin)
    echo 'Store this link safely, as it will allow anyone to access authentik as akadmin.'
    echo 'This recovery token is valid for 15 minutes.'
    echo '${PATH}'
    ;;
  broken) echo 'OperationalError: no connection, see /recovery/use-token/neverToBePrinted/' >&2; exit 1 ;;
  silent) ;;
  slow) sleep 30 ;;
  *) echo "User '$3' not found." >&2 ;;
esac
`;

type Environment = Readonly<Record<string, string>>;

interface Line {
  readonly severity: string;
  readonly message: string;
}

describeWith(["python3"], "recovery-link.py", () => {
  let google: SecretManagerStandIn;
  let folder: string;
  const entrypoint = () => join(folder, "entrypoint.sh");

  beforeEach(async () => {
    google = new SecretManagerStandIn();
    await google.start();
    folder = mkdtempSync(join(tmpdir(), "recovery-link-"));
    writeFileSync(entrypoint(), COMMAND);
    chmodSync(entrypoint(), 0o755);
  });
  afterEach(async () => {
    rmSync(folder, { recursive: true });
    await google.stop();
  });

  const started = (settings: Environment = {}, ...options: string[]) => {
    const env = {
      PATH: process.env.PATH ?? "",
      RECOVERY_USER: "akadmin",
      RECOVERY_MINUTES: "15",
      RECOVERY_URL: "https://login.example.com",
      RECOVERY_SECRET: SECRET,
      RECOVERY_ENTRYPOINT: entrypoint(),
      RECOVERY_API_URL: google.url,
      RECOVERY_METADATA_URL: google.url,
      RECOVERY_SECONDS_PER_MINUTE: "0.01",
      DB_PROXY_QUIT_URL: `${google.url}/quitquitquit`,
      ...settings,
    };
    return spawn(programPath("python3"), ["-IS", SCRIPT, ...options], { env, stdio: ["ignore", "pipe", "pipe"] });
  };

  /** Exit code, lines, and the alerts that these raise on Cloud Run; never a link, a token or an answer of a server. */
  const judged = ({ exitCode, output, stdout }: ProcessRun) => {
    expect(output).not.toMatch(/never-?to-?be-?printed/i);
    const lines = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Line);
    const labels = { job_name: FACTS.recoveryJob, location: "us-central1" };
    const entries = lines.map((jsonPayload) => ({ resource: { type: "cloud_run_job", labels }, jsonPayload }));
    const raised = LOG_CASES.filter(
      ({ filter, platform }) => platform === "serverless" && entries.some((entry) => isSelected(filter, entry)),
    );
    return { exitCode, messages: lines.map(({ message }) => message), alerts: raised.map(({ alert }) => alert.id) };
  };
  const told = async (settings?: Environment) => judged(await runOf(started(settings)));
  const calls = () => readFileSync(`${entrypoint()}.calls`, "utf8").trim().split("\n");

  it("puts the link into the secret while it is valid, destroys it then, and says for whom it was made", async () => {
    let readable: string[] = [];
    google.onAdd = () => (readable = google.readable);
    expect(await told()).toEqual({
      exitCode: 0,
      messages: [
        "recovery link made for akadmin, valid for 15 minutes and once",
        "the link is version 1 of the secret; its reader runs the output recovery_link_command",
        "what the secret had is destroyed",
      ],
      alerts: ["recovery-link"],
    });
    expect(readable).toEqual([LINK]);
    expect(google.readable).toEqual([]);
    expect(calls()).toEqual(["create_recovery_key 15 akadmin", "maker: recovery-link-job"]);
    expect(google.requests.at(-1)).toBe("POST /quitquitquit");
  });

  it("keeps the link for as long as it is valid", async () => {
    let addedAt = 0;
    google.onAdd = () => (addedAt = performance.now());
    await told({ RECOVERY_SECONDS_PER_MINUTE: "0.1", RECOVERY_MINUTES: "10" });
    expect(performance.now() - addedAt).toBeGreaterThan(900);
  });

  it("destroys what earlier runs have left, on every page, before it makes a link", async () => {
    for (const text of ["first", "second", "third"]) google.keep(text);
    google.pageSize = 2;
    let readable: string[] = [];
    google.onAdd = () => (readable = google.readable);
    expect((await told()).exitCode).toBe(0);
    expect(readable).toEqual([LINK]);
    expect(google.readable).toEqual([]);
  });

  it("leaves the link of a later run alone", async () => {
    google.onAdd = () => google.keep("of a later run");
    await told();
    expect(google.readable).toEqual(["of a later run"]);
  });

  it("refuses a user whom the application does not know, in words, and raises no alert", async () => {
    expect(await told({ RECOVERY_USER: "nobody" })).toEqual({
      exitCode: 1,
      messages: [
        [
          "the recovery link has failed: there is no user nobody;",
          "give the user name, not the name that is displayed or an address",
        ].join(" "),
      ],
      alerts: [],
    });
    expect(google.versions).toEqual([]);
  });

  it.each(["", "--help", "a b", "$(id)", "a\nb", "x".repeat(151)])(
    "takes %j for no user name, and starts nothing",
    async (name) => {
      const { exitCode, messages } = await told({ RECOVERY_USER: name });
      expect([exitCode, messages.length]).toEqual([2, 1]);
      expect(messages[0]).toContain("RECOVERY_USER must be the name of a user");
      expect(google.requests).toEqual(["POST /quitquitquit"]);
    },
  );

  it.each([
    ["RECOVERY_MINUTES", "61"],
    ["RECOVERY_MINUTES", "4"],
    ["RECOVERY_API_URL", "https://secretmanager.example.com"],
    ["RECOVERY_API_URL", "http://127.0.0.1:80@example.com"],
    ["RECOVERY_METADATA_URL", "http://metadata.example.com"],
    ["RECOVERY_SECRET", "idp-demo-1a2b3c-recovery-link"],
    ["RECOVERY_URL", "login.example.com"],
  ])("sends nothing anywhere with %s=%s", async (name, value) => {
    const { exitCode, messages } = await told({ [name]: value });
    expect([exitCode, messages]).toEqual([2, [`no recovery link made: ${name} is not set, or no such setting`]]);
    expect(google.requests.filter((request) => !request.endsWith("/quitquitquit"))).toEqual([]);
  });

  it("makes no link where the secret cannot be reached", async () => {
    google.next.set("/versions", [status(403)]);
    const { exitCode, messages } = await told();
    expect([exitCode, messages]).toEqual([1, ["the recovery link has failed: Secret Manager answers 403"]]);
    expect(calls).toThrow("ENOENT");
  });

  it("asks again after a passing failure, and destroys a version whose number was lost", async () => {
    google.next.set("/token", [status(503)]);
    google.lost.set(":addVersion", [status(503)]);
    expect((await told()).exitCode).toBe(0);
    expect(google.versions.map(({ text }) => text)).toEqual([LINK, LINK]);
    expect(google.readable).toEqual([]);
  });

  it("destroys what it may have written where no number comes back, and raises the alert anyway", async () => {
    google.lost.set(":addVersion", [status(400)]);
    const { alerts, exitCode, messages } = await told();
    expect([alerts, exitCode]).toEqual([["recovery-link"], 1]);
    expect(messages.at(-1)).toBe("the recovery link has failed: Secret Manager answers 400");
    expect(google.readable).toEqual([]);
  });

  it("says so where the version cannot be destroyed", async () => {
    google.next.set(":destroy", [status(403)]);
    const { exitCode, messages } = await told();
    expect([exitCode, messages.at(-1)]).toEqual([
      1,
      [
        "the recovery link has failed: Secret Manager answers 403;",
        "a version of the secret is left, with a link that ends by itself",
      ].join(" "),
    ]);
  });

  it("destroys the version at once when it is stopped", async () => {
    const child = started({ RECOVERY_SECONDS_PER_MINUTE: "60" });
    const run = await runOf(child, ({ stdout }) => {
      if (stdout.includes("is version 1")) child.kill("SIGTERM");
    });
    const { exitCode, messages } = judged(run);
    expect(exitCode).toBe(1);
    expect(messages.at(-1)).toBe("the recovery link has failed: the job was stopped before its end");
    expect(google.readable).toEqual([]);
  });

  it.each([
    ["broken", "ends with 1 and without a link: OperationalError: no connection, see /recovery/use-token/"],
    ["silent", "ends with 0 and without a link: Switching to schema"],
    ["slow", "takes more than 0.5 s; does the database answer?"],
  ])("says what a command that is %s has said, without a key", async (user, words) => {
    const { alerts, exitCode, messages } = await told({ RECOVERY_USER: user, RECOVERY_COMMAND_SECONDS: "0.5" });
    expect([alerts, exitCode, messages.length]).toEqual([[], 1, 1]);
    expect(messages[0]).toContain(`the application's command ${words}`);
  });

  it("says what it is, and refuses other options", async () => {
    const help = await runOf(started({}, "--help"));
    expect(help.stdout).toMatch(/^Runs as a job/);
    expect(help.stdout.split("\n").length).toBeLessThanOrEqual(40);
    const other = await runOf(started({}, "--force"));
    expect([other.exitCode, other.stderr]).toEqual([2, '"--force" is not an option; there is --help.\n']);
  });
});
