import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";

import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { freePort } from "./cluster";
import {
  contentOf,
  type Environment,
  type ProxyRecorder,
  runScript,
  SCRIPT,
  startProxyRecorder,
  startScript,
} from "./script-run";

const SETTINGS: Environment = {
  DB_HOST: "/cloudsql/project:region:instance",
  DB_NAME: "idp",
  DB_USER: "idp",
  DB_PASSWORD: "application-password-Zq81",
  DB_ADMIN_PASSWORD: "admin-password-Rm47",
};

/** Answers every query of the script as PostgreSQL would, after refusing the first REFUSALS connections. */
const PSQL_THAT_REFUSES_FIRST = `
calls=$(($(cat "$PROGRAM_FOLDER/calls" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$PROGRAM_FOLDER/calls"
if [ "$calls" -le "$REFUSALS" ]; then
  printf '%s\\n' "psql: error: connection to server failed: $REFUSAL" >&2
  exit 2
fi
case $(cat) in
  *"CREATE DATABASE"*) echo UTF8 ;;
esac`;

/** A clock that only sleeping advances, so that minutes of waiting take no time. */
const CLOCK = {
  date: `cat "$PROGRAM_FOLDER/clock" 2>/dev/null || echo 1000`,
  sleep: `now=$(date); echo $((now + $1)) >"$PROGRAM_FOLDER/clock"`,
};
/** A clock that needs no other program: every call advances it by ten seconds. */
const CLOCK_BY_CALL = `
now=1000
[ ! -e "$PROGRAM_FOLDER/clock" ] || read -r now <"$PROGRAM_FOLDER/clock"
echo $((now + 10)) >"$PROGRAM_FOLDER/clock"
echo "$now"`;
/** Refuses for another reason after a while. */
const TWO_REFUSALS = `
sleep 5
reason="Connection refused"
[ "$(date)" -lt 1100 ] || reason="timeout expired"
echo "psql: error: connection to server at \\"10.0.0.3\\", port 5432 failed: $reason" >&2
exit 2`;

describeWith(["psql", "busybox", "dash", "bash"], "db-init.sh before the database answers", () => {
  let proxy: ProxyRecorder;
  let withProxy: Environment;

  beforeEach(async () => {
    proxy = await startProxyRecorder();
    withProxy = { ...SETTINGS, DB_PROXY_QUIT_URL: proxy.quitUrl };
  });

  afterEach(() => proxy.close());

  it("names every missing or empty setting in one message and tells the proxy to quit", async () => {
    const { exitCode, output } = await runScript({ DB_USER: "", DB_PROXY_QUIT_URL: proxy.quitUrl });

    expect(output).toBe(
      "cannot start: DB_HOST is missing or empty; DB_NAME is missing or empty; DB_USER is missing or empty; " +
        "DB_PASSWORD is missing or empty; DB_ADMIN_PASSWORD is missing or empty\n" +
        "before leaving with exit code 2: tell the database proxy to quit\n",
    );
    expect(exitCode).toBe(2);
    expect(proxy.requests).toEqual(["POST /quitquitquit"]);
  });

  it.each<[string, Environment, string]>([
    [
      "a role name that PostgreSQL would cut",
      { DB_USER: "é".repeat(32) },
      "DB_USER is 64 bytes long, a PostgreSQL name has at most 63",
    ],
    [
      "a database name that PostgreSQL would cut",
      { DB_NAME: "d".repeat(64) },
      "DB_NAME is 64 bytes long, a PostgreSQL name has at most 63",
    ],
    ["a password of several lines", { DB_PASSWORD: "one\ntwo" }, "DB_PASSWORD contains a line break"],
    ["a password with a carriage return", { DB_PASSWORD: "one\r" }, "DB_PASSWORD contains a line break"],
    [
      "the administrator as the application role",
      { DB_USER: "postgres" },
      "DB_USER is the administrator's own login, whose password and rights must stay as they are",
    ],
    [
      "a role of the server",
      { DB_USER: "pg_monitor" },
      "DB_USER is pg_monitor, names that start with pg_ or cloudsql belong to the server; choose another one",
    ],
    [
      "a role of the managed service",
      { DB_USER: "cloudsqlsuperuser" },
      "DB_USER is cloudsqlsuperuser, names that start with pg_ or cloudsql belong to the server; choose another one",
    ],
    [
      "the managed-superuser role under another name as the application role",
      { DB_USER: "boss", DB_MANAGED_SUPERUSER_ROLE: "boss" },
      "DB_USER is the managed-superuser role, which other roles belong to",
    ],
    ...["postgres", "template0", "template1"].map((name): [string, Environment, string] => [
      `the database ${name} as the application's`,
      { DB_NAME: name },
      `DB_NAME is ${name}, which every login and every new database depends on; the application needs one of its own`,
    ]),
    ["a port by name", { DB_PORT: "postgresql" }, "DB_PORT is postgresql, a port is a number from 1 to 65535"],
    ["a port beyond the last", { DB_PORT: "65536" }, "DB_PORT is 65536, a port is a number from 1 to 65535"],
    [
      "a wait with a unit",
      { DB_WAIT_SECONDS: "5m" },
      "DB_WAIT_SECONDS is 5m, the wait is a whole number from 0 to 86400",
    ],
  ])("refuses %s", async (_, settings, message) => {
    const { exitCode, output } = await runScript({ ...SETTINGS, ...settings });

    expect(output).toBe(
      `cannot start: ${message}\n` +
        "before leaving with exit code 2: no database proxy to stop (DB_PROXY_QUIT_URL is empty), skipped\n",
    );
    expect(exitCode).toBe(2);
  });

  it("reports every program that the image lacks", async () => {
    const { exitCode, output } = await runScript(
      { ...SETTINGS, DB_PROXY_QUIT_URL: "http://127.0.0.1:9/" },
      { programs: { wc: "echo 1", date: CLOCK_BY_CALL, sleep: "exit" }, searchPath: "/nonexistent" },
    );

    expect(output).toContain(
      "cannot start: the program psql is not in this image; the program setsid is not in this image; " +
        "the program timeout is not in this image\n",
    );
    expect(exitCode).toBe(2);
  });

  it("gives up if nothing listens at the address, with the address and the reason", async () => {
    const port = await freePort();
    const { exitCode, output } = await runScript({
      ...withProxy,
      DB_HOST: "127.0.0.1",
      DB_PORT: String(port),
      DB_WAIT_SECONDS: "1",
    });

    expect(output).toContain(
      `failed in step 1 of 5: PostgreSQL at 127.0.0.1 port ${port} was not ready within 1 s: ` +
        `connection to server at "127.0.0.1", port ${port} failed: Connection refused\n`,
    );
    expect(exitCode).toBe(3);
    expect(proxy.requests).toEqual(["POST /quitquitquit"]);
  });

  it("says what it waits for, once for each reason", async () => {
    const { exitCode, output } = await runScript(
      { ...SETTINGS, DB_HOST: "10.0.0.3" },
      { programs: { ...CLOCK, psql: TWO_REFUSALS } },
    );

    const waits = output.split("\n").filter((line) => line.startsWith("waiting for"));
    expect(waits).toEqual([
      expect.stringMatching(/^waiting for PostgreSQL, \d+ of 300 s are over: .*Connection refused$/),
      expect.stringMatching(/^waiting for PostgreSQL, \d+ of 300 s are over: .*timeout expired$/),
    ]);
    expect(exitCode).toBe(3);
  });

  it.each([
    "FATAL:  the database system is starting up",
    "FATAL:  the database system is shutting down",
    "FATAL:  sorry, too many clients already",
    'FATAL:  too many connections for role "postgres"',
    'FATAL:  too many connections for database "postgres"',
    "No such file or directory",
    "Connection refused",
    "server closed the connection unexpectedly",
    'could not translate host name "database" to address: Try again',
  ])('waits while the answer is "%s"', async (refusal) => {
    const { exitCode, output } = await runScript(
      { ...SETTINGS, REFUSALS: "3", REFUSAL: refusal },
      { programs: { ...CLOCK, psql: PSQL_THAT_REFUSES_FIRST } },
    );

    expect(output).toContain("step 2 of 5");
    expect(exitCode).toBe(0);
  });

  it.each([
    ["waits at the end, too, for a busy server", "300", 0, "done: idp can use the database idp"],
    ["gives up at the end on a server that stays busy", "2", 3, "failed in the last check: PostgreSQL at /cloudsql/"],
  ])("%s", async (_, waitSeconds, expectedExitCode, line) => {
    const { exitCode, output } = await runScript(
      {
        ...SETTINGS,
        DB_WAIT_SECONDS: waitSeconds,
        REFUSALS: "10",
        REFUSAL: 'FATAL:  too many connections for database "idp"',
      },
      {
        programs: {
          ...CLOCK,
          psql: `[ "$PGUSER" = idp ] || REFUSALS=0
${PSQL_THAT_REFUSES_FIRST}`,
        },
      },
    );

    expect(output).toContain(line);
    expect(exitCode).toBe(expectedExitCode);
  });

  it("does not wait when the server has refused the login for good", async () => {
    const { exitCode, output } = await runScript(
      { ...withProxy, REFUSALS: "1", REFUSAL: 'FATAL:  no pg_hba.conf entry for host "10.1.2.3"' },
      { programs: { ...CLOCK, psql: PSQL_THAT_REFUSES_FIRST } },
    );

    expect(output).toContain(
      "failed in step 1 of 5: PostgreSQL refuses the login postgres: " +
        'connection to server failed: FATAL:  no pg_hba.conf entry for host "10.1.2.3"\n',
    );
    expect(exitCode).toBe(4);
    expect(proxy.requests).toEqual(["POST /quitquitquit"]);
  });

  it("says at once which TLS setting is wrong", async () => {
    const { exitCode, output } = await runScript({ ...withProxy, DB_HOST: "127.0.0.1", PGSSLMODE: "required" });

    expect(output).toContain(
      "failed in step 1 of 5: the connection cannot be encrypted as PGSSLMODE=required and the other TLS settings ask " +
        'for: invalid sslmode value: "required"; correct what the message names\n',
    );
    expect(exitCode).toBe(2);
    expect(proxy.requests).toEqual(["POST /quitquitquit"]);
  });

  it.each([
    "server does not support SSL, but SSL was required",
    'root certificate file "/root/.postgresql/root.crt" does not exist',
    "SSL error: certificate verify failed",
    'server certificate for "db" does not match host name "10.0.0.3"',
    'private key file "/key" has group or world access; file must have permissions u=rw (0600) or less',
    'invalid ssl_min_protocol_version value: "TLS1"',
  ])('does not wait when a TLS setting brings the answer "%s"', async (refusal) => {
    const { exitCode, output } = await runScript(
      { ...SETTINGS, REFUSALS: "1", REFUSAL: refusal },
      { programs: { ...CLOCK, psql: PSQL_THAT_REFUSES_FIRST } },
    );

    expect(output).toContain(`ask for: connection to server failed: ${refusal}; correct`);
    expect(exitCode).toBe(2);
  });

  it.each<[string, string]>([
    ["/cloudsql/project:region:instance", "disable"],
    ["127.0.0.1", "disable"],
    ["localhost", "disable"],
    ["::1", "disable"],
    ["10.0.0.3", "require"],
  ])("connects to %s with SSL mode %s", async (host, mode) => {
    const { output } = await runScript(
      { ...SETTINGS, DB_HOST: host },
      { programs: { psql: 'echo "FATAL: mode $PGSSLMODE to $PGHOST" >&2; exit 2' } },
    );

    expect(output).toContain(`FATAL: mode ${mode} to ${host}\n`);
  });

  it("runs psql in a session of its own, without a terminal to ask for the password", async () => {
    const { output } = await runScript(SETTINGS, {
      programs: { psql: `read -r _ _ _ _ _ session _ </proc/$$/stat; [ "$session" -eq $$ ] && echo FATAL: own >&2` },
    });

    expect(output).toContain("FATAL: own");
  });

  describe.each(["dash", "busybox sh", "bash"] as const)("under %s", (shell) => {
    it.each<[NodeJS.Signals, number]>([
      ["SIGTERM", 143],
      ["SIGINT", 130],
      ["SIGHUP", 129],
    ])("tells the proxy to quit when stopped by %s while waiting", async (signal, expectedExitCode) => {
      const run = startScript(withProxy, { shell, programs: { psql: "echo refused >&2; exit 2" } });
      await run.said("step 1 of 5");
      run.signal(signal);
      const { exitCode, output } = await run.outcome;

      expect(output).toContain(`stopped by ${signal}\n`);
      expect(exitCode).toBe(expectedExitCode);
      expect(proxy.requests).toEqual(["POST /quitquitquit"]);
    });
  });

  it("reacts to SIGTERM at once although psql has not come back", async () => {
    const folder = temporaryFolder();
    const processIdFile = join(folder, "pid");
    const run = startScript(
      { ...withProxy, PROCESS_ID_FILE: processIdFile },
      { programs: { psql: 'exec >/dev/null 2>&1; echo $$ >"$PROCESS_ID_FILE"; exec sleep 60' } },
    );
    const hangingProcessId = await contentOf(processIdFile);
    run.signal("SIGTERM");
    await run.ended;
    process.kill(Number(hangingProcessId), "SIGKILL");

    expect((await run.outcome).exitCode).toBe(143);
    expect(proxy.requests).toEqual(["POST /quitquitquit"]);
  });

  it("keeps its exit code when no proxy listens, and says what that means", async () => {
    const quitUrl = `http://127.0.0.1:${await freePort()}/quitquitquit`;
    const { exitCode, output } = await runScript(
      { ...SETTINGS, REFUSALS: "0", DB_PROXY_QUIT_URL: quitUrl },
      { programs: { ...CLOCK, psql: PSQL_THAT_REFUSES_FIRST } },
    );

    expect(output).toContain(
      `nothing listens at ${quitUrl}: either the proxy has ended already, or the address is wrong and this job runs ` +
        "until its time limit\n",
    );
    expect(exitCode).toBe(0);
  });

  it("keeps its outcome when the proxy refuses the signal, and says that the job runs on", async () => {
    const { exitCode, output } = await runScript(
      { ...SETTINGS, REFUSALS: "0", DB_PROXY_QUIT_URL: "http://127.0.0.1/quitquitquit" },
      {
        programs: {
          ...CLOCK,
          psql: PSQL_THAT_REFUSES_FIRST,
          wget: "echo wget: server returned error: HTTP/1.1 404 Not Found >&2; exit 1",
        },
      },
    );

    expect(output).toContain(
      "the proxy does not take the signal at http://127.0.0.1/quitquitquit (wget: server returned error: HTTP/1.1 404 " +
        "Not Found); this job runs until the proxy ends or its time limit is over\n",
    );
    expect(exitCode).toBe(0);
  });

  it.each(["dash", "busybox sh", "bash"] as const)(
    "gives up on a proxy that does not answer after two seconds under %s",
    async (shell) => {
      const silent = createServer();
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
      const { port } = silent.address() as AddressInfo;
      const startedAt = performance.now();
      const { output } = await runScript(
        { ...SETTINGS, DB_PROXY_QUIT_URL: `http://127.0.0.1:${port}/quitquitquit` },
        // One attempt, because the second call of the clock is already past the limit.
        { shell, programs: { date: CLOCK_BY_CALL, psql: "echo FATAL: no >&2; exit 2" } },
      );
      const seconds = (performance.now() - startedAt) / 1000;
      silent.close();

      expect(output).toContain(
        `the proxy does not take the signal at http://127.0.0.1:${port}/quitquitquit (no answer within 2 s); this job ` +
          "runs until the proxy ends or its time limit is over\n",
      );
      expect(output).not.toContain("Killed");
      expect(seconds).toBeLessThan(10);
    },
  );

  it("reaches a proxy that starts listening a little later", async () => {
    const { output } = await runScript(withProxy, {
      programs: {
        ...CLOCK,
        psql: "echo FATAL: no >&2; exit 2",
        wget: `
if [ ! -e "$PROGRAM_FOLDER/tried" ]; then
  : >"$PROGRAM_FOLDER/tried"
  exit 1
fi
exec ${programPath("busybox")} wget "$@"`,
      },
    });

    expect(output).not.toContain("does not take the signal");
    expect(proxy.requests).toEqual(["POST /quitquitquit"]);
  });

  it("reaches the proxy although the environment names an HTTP proxy", async () => {
    await runScript(
      { ...withProxy, http_proxy: "http://127.0.0.1:9/" },
      { programs: { psql: "echo FATAL: no >&2; exit 2" } },
    );

    expect(proxy.requests).toEqual(["POST /quitquitquit"]);
  });
});

describeWith(["shellcheck"], "the text of db-init.sh", () => {
  it("is clean for the shell checker and leaves half of its 64 KiB secret free, base64 included", () => {
    expect(execFileSync(programPath("shellcheck"), ["--shell=sh", SCRIPT], { encoding: "utf8" })).toBe("");
    expect(readFileSync(SCRIPT).toString("base64").length).toBeLessThan(32_768);
  });
});
