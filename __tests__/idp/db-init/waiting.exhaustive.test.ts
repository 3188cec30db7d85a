import { join } from "node:path";

import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { freePort } from "./cluster";
import {
  contentOf,
  type Environment,
  type ProxyRecorder,
  runScript,
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
const PROGRAMS = { ...CLOCK, psql: PSQL_THAT_REFUSES_FIRST };

/** What the first connections are answered, and how the script ends. */
const ANSWERS: readonly (readonly [answer: string, exitCode: number, says: string])[] = [
  ...[
    "FATAL:  the database system is starting up",
    'FATAL:  too many connections for database "idp"',
    "Connection refused",
    'could not translate host name "database" to address: Try again',
  ].map((answer) => [answer, 0, "done: idp can use the database idp"] as const),
  [
    'FATAL:  no pg_hba.conf entry for host "10.1.2.3"',
    4,
    'failed in step 1 of 5: PostgreSQL refuses the login postgres: connection to server failed: FATAL:  no pg_hba.conf entry for host "10.1.2.3"\n',
  ],
  [
    "SSL error: certificate verify failed",
    2,
    "ask for: connection to server failed: SSL error: certificate verify failed; correct what",
  ],
];

/** Settings that are refused, and what is said. */
const REFUSED: readonly (readonly [settings: Environment, message: string])[] = [
  [{ DB_PASSWORD: "one\ntwo" }, "DB_PASSWORD contains a line break"],
  [{ DB_USER: "postgres" }, "DB_USER is the administrator's own login"],
  [{ DB_NAME: "template1" }, "DB_NAME is template1, which every login and every new database depends on"],
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

  it.each(ANSWERS)('waits only for what passes, after "%s", and ends with %i', async (answer, exitCode, says) => {
    const run = await runScript(
      { ...withProxy, REFUSALS: exitCode === 0 ? "3" : "1", REFUSAL: answer },
      { programs: PROGRAMS },
    );

    expect(run.output).toContain(says);
    expect(run.exitCode).toBe(exitCode);
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

  it("keeps its exit code when no proxy listens, and says what that means", async () => {
    const nobody = `http://127.0.0.1:${await freePort()}/quitquitquit`;
    const environment = { ...SETTINGS, REFUSALS: "0", DB_PROXY_QUIT_URL: nobody };
    const { exitCode, output } = await runScript(environment, { programs: PROGRAMS });

    expect(exitCode).toBe(0);
    expect(output).toContain(`the proxy does not take the signal at ${nobody} (wget: can't connect`);
  });
});
