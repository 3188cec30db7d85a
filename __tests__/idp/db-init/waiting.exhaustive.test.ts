import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";

import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { freePort } from "./cluster";
import { contentOf, type Environment, type ProxyRecorder, runScript, SCRIPT } from "./script-run";
import { startProxyRecorder, startScript } from "./script-run";

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

const PROGRAMS = { ...CLOCK, psql: PSQL_THAT_REFUSES_FIRST };
const ENDS_AT_ONCE = { psql: "echo FATAL: no >&2; exit 2" };
const BUSY = 'FATAL:  too many connections for database "idp"';

/** What the first connections are answered, and how the script ends. */
const ANSWERS: readonly (readonly [answer: string, exitCode: number, says: string])[] = [
  ...[
    "FATAL:  the database system is starting up",
    "FATAL:  the database system is shutting down",
    "FATAL:  sorry, too many clients already",
    BUSY,
    "No such file or directory",
    "Connection refused",
    "server closed the connection unexpectedly",
    'could not translate host name "database" to address: Try again',
  ].map((answer) => [answer, 0, "done: idp can use the database idp"] as const),
  [
    'FATAL:  no pg_hba.conf entry for host "10.1.2.3"',
    4,
    'failed in step 1 of 5: PostgreSQL refuses the login postgres: connection to server failed: FATAL:  no pg_hba.conf entry for host "10.1.2.3"\n',
  ],
  ...[
    "server does not support SSL, but SSL was required",
    'root certificate file "/root/.postgresql/root.crt" does not exist',
    "SSL error: certificate verify failed",
    'server certificate for "db" does not match host name "10.0.0.3"',
    'private key file "/key" has group or world access; file must have permissions u=rw (0600) or less',
    'invalid ssl_min_protocol_version value: "TLS1"',
  ].map((answer) => [answer, 2, `ask for: connection to server failed: ${answer}; correct what`] as const),
];

/** Settings that are refused, and what is said. */
const REFUSED: readonly (readonly [settings: Environment, message: string])[] = [
  [{ DB_USER: "é".repeat(32) }, "DB_USER is 64 bytes long, a PostgreSQL name has at most 63"],
  [{ DB_NAME: "d".repeat(64) }, "DB_NAME is 64 bytes long, a PostgreSQL name has at most 63"],
  [{ DB_PASSWORD: "one\ntwo" }, "DB_PASSWORD contains a line break"],
  [{ DB_PASSWORD: "one\r" }, "DB_PASSWORD contains a line break"],
  [{ DB_USER: "postgres" }, "DB_USER is the administrator's own login"],
  [{ DB_USER: "pg_monitor" }, "DB_USER is pg_monitor, names that start with pg_ or cloudsql belong to the server"],
  [{ DB_USER: "cloudsqlx" }, "DB_USER is cloudsqlx, names that start with pg_ or cloudsql belong to the server"],
  [{ DB_USER: "boss", DB_MANAGED_SUPERUSER_ROLE: "boss" }, "DB_USER is the managed-superuser role"],
  ...["postgres", "template0", "template1"].map(
    (name) => [{ DB_NAME: name }, `DB_NAME is ${name}, which every login and every new database depends on`] as const,
  ),
  [{ DB_PORT: "postgresql" }, "DB_PORT is postgresql, a port is a number from 1 to 65535"],
  [{ DB_PORT: "65536" }, "DB_PORT is 65536, a port is a number from 1 to 65535"],
  [{ DB_WAIT_SECONDS: "5m" }, "DB_WAIT_SECONDS is 5m, the wait is a whole number from 0 to 86400"],
];

describeWith(["psql", "busybox", "dash"], "db-init.sh before the database answers", () => {
  let proxy: ProxyRecorder;
  let withProxy: Environment;

  beforeEach(async () => {
    proxy = await startProxyRecorder();
    withProxy = { ...SETTINGS, DB_PROXY_QUIT_URL: proxy.quitUrl };
  });

  afterEach(() => proxy.close());

  const wasToldToQuit = () => expect(proxy.requests).toEqual(["POST /quitquitquit"]);

  it("names every missing or empty setting in one message and tells the proxy to quit", async () => {
    const { exitCode, output } = await runScript({ DB_USER: "", DB_PROXY_QUIT_URL: proxy.quitUrl });

    expect(output).toBe(
      "cannot start: DB_HOST is missing or empty; DB_NAME is missing or empty; DB_USER is missing or empty; " +
        "DB_PASSWORD is missing or empty; DB_ADMIN_PASSWORD is missing or empty\n" +
        "before leaving with exit code 2: tell the database proxy to quit\n",
    );
    expect(exitCode).toBe(2);
    wasToldToQuit();
  });

  it.each(REFUSED)("refuses %j", async (settings, message) => {
    const { exitCode, output } = await runScript({ ...SETTINGS, ...settings });

    // One problem, and no call before the end.
    const end = "before leaving with exit code 2: no database proxy to stop (DB_PROXY_QUIT_URL is empty), skipped";
    expect(output.split("\n")).toEqual([expect.stringContaining(`cannot start: ${message}`), end, ""]);
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

  it.each(ANSWERS)('waits only for what passes, after "%s", and ends with %i', async (answer, exitCode, says) => {
    const run = await runScript(
      { ...withProxy, REFUSALS: exitCode === 0 ? "3" : "1", REFUSAL: answer },
      { programs: PROGRAMS },
    );

    expect(run.output).toContain(says);
    expect(run.exitCode).toBe(exitCode);
    wasToldToQuit();
  });

  it.each([
    ["waits at the end, too, for a busy server", "300", 0, "done: idp can use the database idp"],
    ["gives up at the end on a server that stays busy", "2", 3, "failed in the last check: PostgreSQL at /cloudsql/"],
  ])("%s", async (_, DB_WAIT_SECONDS, exitCode, says) => {
    const psql = `[ "$PGUSER" = idp ] || REFUSALS=0\n${PSQL_THAT_REFUSES_FIRST}`;
    const environment = { ...SETTINGS, DB_WAIT_SECONDS, REFUSALS: "10", REFUSAL: BUSY };
    const run = await runScript(environment, { programs: { ...CLOCK, psql } });

    expect(run.output).toContain(says);
    expect(run.exitCode).toBe(exitCode);
  });

  it("gives up if nothing listens at the address, with the address and the reason", async () => {
    const port = await freePort();
    const address = { DB_HOST: "127.0.0.1", DB_PORT: String(port), DB_WAIT_SECONDS: "1" };
    const { exitCode, output } = await runScript({ ...withProxy, ...address });

    expect(output).toContain(
      `failed in step 1 of 5: PostgreSQL at 127.0.0.1 port ${port} was not ready within 1 s: ` +
        `connection to server at "127.0.0.1", port ${port} failed: Connection refused\n`,
    );
    expect(exitCode).toBe(3);
    wasToldToQuit();
  });

  it("says what it waits for, once for each reason", async () => {
    const environment = { ...SETTINGS, DB_HOST: "10.0.0.3" };
    const { exitCode, output } = await runScript(environment, { programs: { ...CLOCK, psql: TWO_REFUSALS } });

    expect(output.match(/^waiting for .*$/gm)).toEqual([
      expect.stringMatching(/^waiting for PostgreSQL, \d+ of 300 s are over: .*Connection refused$/),
      expect.stringMatching(/^waiting for PostgreSQL, \d+ of 300 s are over: .*timeout expired$/),
    ]);
    expect(exitCode).toBe(3);
  });

  it("says at once which TLS setting is wrong", async () => {
    const { exitCode, output } = await runScript({ ...SETTINGS, DB_HOST: "127.0.0.1", PGSSLMODE: "required" });

    expect(output).toContain(
      "failed in step 1 of 5: the connection cannot be encrypted as PGSSLMODE=required and the other TLS settings ask " +
        'for: invalid sslmode value: "required"; correct what the message names\n',
    );
    expect(exitCode).toBe(2);
  });

  it("runs psql in a session of its own, without a terminal to ask for the password", async () => {
    const psql = `read -r _ _ _ _ _ session _ </proc/$$/stat; [ "$session" -eq $$ ] && echo FATAL: own >&2`;
    expect((await runScript(SETTINGS, { programs: { psql } })).output).toContain("FATAL: own");
  });

  it.each([
    ["SIGTERM", 143, "dash"],
    ["SIGINT", 130, "dash"],
    ["SIGHUP", 129, "busybox sh"],
  ] as const)("tells the proxy to quit when stopped by %s while waiting", async (signal, exitCode, shell) => {
    const run = startScript(withProxy, { shell, programs: { psql: "echo refused >&2; exit 2" } });
    await run.said("step 1 of 5");
    run.signal(signal);

    expect(await run.outcome).toEqual({
      exitCode,
      output: expect.stringContaining(`stopped by ${signal}\n`) as string,
    });
    wasToldToQuit();
  });

  it("reacts to SIGTERM at once although psql has not come back", async () => {
    const processIdFile = join(temporaryFolder(), "pid");
    const run = startScript(
      { ...withProxy, PROCESS_ID_FILE: processIdFile },
      { programs: { psql: 'exec >/dev/null 2>&1; echo $$ >"$PROCESS_ID_FILE"; exec sleep 60' } },
    );
    const hangingProcessId = await contentOf(processIdFile);
    run.signal("SIGTERM");
    await run.ended;
    process.kill(Number(hangingProcessId), "SIGKILL");

    expect((await run.outcome).exitCode).toBe(143);
    wasToldToQuit();
  });

  it("keeps its exit code when no proxy listens or one refuses the signal, and says what that means", async () => {
    const nobody = `http://127.0.0.1:${await freePort()}/quitquitquit`;
    const wget = "echo wget: server returned error: HTTP/1.1 404 Not Found >&2; exit 1";
    const ends = [
      await runScript({ ...SETTINGS, REFUSALS: "0", DB_PROXY_QUIT_URL: nobody }, { programs: PROGRAMS }),
      await runScript({ ...withProxy, REFUSALS: "0" }, { programs: { ...PROGRAMS, wget } }),
    ];

    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 0]);
    expect(ends[0]?.output).toContain(
      `nothing listens at ${nobody}: either the proxy has ended already, or the address is wrong and this job runs ` +
        "until its time limit\n",
    );
    expect(ends[1]?.output).toContain(
      `the proxy does not take the signal at ${proxy.quitUrl} (wget: server returned error: HTTP/1.1 404 Not Found); ` +
        "this job runs until the proxy ends or its time limit is over\n",
    );
  });

  it.each(["dash", "busybox sh"] as const)("gives up on a silent proxy after two seconds under %s", async (shell) => {
    const silent = createServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const quitUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/quitquitquit`;
    const startedAt = performance.now();
    // One attempt, because the second call of the clock is already past the limit.
    const programs = { ...ENDS_AT_ONCE, date: CLOCK_BY_CALL };
    const { output } = await runScript({ ...SETTINGS, DB_PROXY_QUIT_URL: quitUrl }, { shell, programs });
    silent.close();

    expect(output).toContain(`the proxy does not take the signal at ${quitUrl} (no answer within 2 s); this job runs`);
    expect(output).not.toContain("Killed");
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it("reaches a proxy that starts listening a little later, although the environment names an HTTP proxy", async () => {
    const wget = `
[ -e "$PROGRAM_FOLDER/tried" ] || { : >"$PROGRAM_FOLDER/tried"; exit 1; }
exec ${programPath("busybox")} wget "$@"`;
    const environment = { ...withProxy, http_proxy: "http://127.0.0.1:9/" };
    const { output } = await runScript(environment, { programs: { ...CLOCK, ...ENDS_AT_ONCE, wget } });

    expect(output).not.toContain("does not take the signal");
    wasToldToQuit();
  });
});

describeWith(["shellcheck"], "the text of db-init.sh", () => {
  it("is clean for the shell checker and leaves half of its 64 KiB secret free, base64 included", () => {
    expect(execFileSync(programPath("shellcheck"), ["--shell=sh", SCRIPT], { encoding: "utf8" })).toBe("");
    expect(readFileSync(SCRIPT).toString("base64").length).toBeLessThan(32_768);
  });
});
