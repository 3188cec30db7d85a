import { FaultMatrix, type FaultRow } from "../../support/fault-matrix";
import { type ScriptOptions } from "../../support/google-stand-in-scripts";
import { exits, hangs, type ProgramFault, ProgramStandIn } from "../../support/program-stand-in";
import { describeWith } from "../../support/programs";
import { type Environment, type ProxyRecorder, runScript, startProxyRecorder } from "./script-run";

const SETTINGS: Environment = {
  DB_HOST: "/cloudsql/project:region:instance",
  DB_NAME: "idp",
  DB_USER: "idp",
  DB_PASSWORD: "application-password-Zq81",
  DB_ADMIN_PASSWORD: "admin-password-Rm47",
};

/** A psql that answers every query of the script as PostgreSQL would, and a clock that only sleeping advances. */
const PROGRAMS = {
  psql: 'case $(cat) in *"CREATE DATABASE"*) echo UTF8 ;; esac',
  date: 'cat "${0%/*}/clock" 2>/dev/null || echo 1000',
  sleep: 'now=$("${0%/*}/date"); echo $((now + $1)) >"${0%/*}/clock"',
};

interface Scene {
  readonly programs: ProgramStandIn;
  readonly proxy: ProxyRecorder;
}

async function inScene(test: (scene: Scene) => Promise<void>): Promise<void> {
  const proxy = await startProxyRecorder();
  try {
    await test({ programs: new ProgramStandIn(PROGRAMS), proxy });
  } finally {
    await proxy.close();
  }
}

const wasToldToQuit = ({ proxy }: Scene) => expect(proxy.requests).toEqual(["POST /quitquitquit"]);

const atFirst = (answer: string, times: number, exitCode: number, says: string): FaultRow<Scene> => ({
  what: `waits only for what passes, after "${answer}"`,
  at: "psql",
  exitCode,
  says: [says],
  left: wasToldToQuit,
  answers: Array<ProgramFault>(times).fill(exits(2, `psql: error: connection to server failed: ${answer}`)),
});
const DONE = "done: idp can use the database idp";
const NOBODY = "http://127.0.0.1:9/quitquitquit";

/** One problem, and no call but that at the end. */
const refused = (what: string, environment: ScriptOptions["environment"], problem: string): FaultRow<Scene> => ({
  what,
  at: "psql",
  answers: [],
  options: { environment },
  exitCode: 2,
  says: [new RegExp(`^cannot start: ${problem}((?!; DB_).)*\nbefore leaving with exit code 2: tell the .* to quit\n$`)],
  left: wasToldToQuit,
});

describeWith(["psql", "busybox", "dash"], "db-init.sh before the database answers", () => {
  new FaultMatrix<Scene>({
    inScene,
    run: ({ programs, proxy }, { environment, onStart, shell = "dash" }) => {
      const settings = { ...SETTINGS, DB_PROXY_QUIT_URL: proxy.quitUrl, ...environment, SHELL: shell };
      return runScript(settings, { onStart, programs });
    },
    settled: wasToldToQuit,
    secrets: ["application-password", "admin-password"],
  }).rows([
    atFirst("FATAL:  the database system is starting up", 3, 0, DONE),
    atFirst('FATAL:  too many connections for database "idp"', 3, 0, DONE),
    {
      what: "repeats the last check where a table that ANALYZE has found is dropped meanwhile",
      at: "psql",
      answers: Array<ProgramFault>(8).fill({
        shell: `case $(cat) in
  *ANALYZE*) echo "psql:<stdin>:30: ERROR:  relation with OID 16896 does not exist" >&2; exit 3 ;;
  *"CREATE DATABASE"*) echo UTF8 ;;
esac
exit 0`,
      }),
      exitCode: 0,
      says: ["relation with OID 16896 does not exist", DONE],
      left: wasToldToQuit,
    },
    atFirst(
      'FATAL:  no pg_hba.conf entry for host "10.1.2.3"',
      ...([1, 4] as const),
      'failed in step 1 of 5: PostgreSQL refuses the login postgres: connection to server failed: FATAL:  no pg_hba.conf entry for host "10.1.2.3"\n',
    ),
    atFirst(
      "SSL error: certificate verify failed",
      ...([1, 2] as const),
      "ask for: connection to server failed: SSL error: certificate verify failed; correct what",
    ),
    {
      what: "reacts to SIGTERM at once although psql has not come back",
      at: "psql",
      answers: [hangs()],
      signal: "SIGTERM",
      exitCode: 143,
      left: wasToldToQuit,
    },
    {
      what: "keeps its exit code when no proxy listens, and says what that means",
      at: "psql",
      answers: [],
      options: { environment: { DB_PROXY_QUIT_URL: NOBODY } },
      exitCode: 0,
      says: [`the proxy does not take the signal at ${NOBODY} (wget: can't connect`],
      left: ({ proxy }) => expect(proxy.requests).toEqual([]),
    },
    {
      what: "says that there is no proxy to stop where there is none",
      at: "psql",
      answers: [],
      exitCode: 0,
      options: { environment: { DB_PROXY_QUIT_URL: "" } },
      says: ["no database proxy to stop (DB_PROXY_QUIT_URL is empty), skipped\n"],
      left: ({ proxy }) => expect(proxy.requests).toEqual([]),
    },
    refused(
      "names every missing or empty setting in one message",
      { DB_HOST: undefined, DB_NAME: "", DB_USER: undefined, DB_PASSWORD: "", DB_ADMIN_PASSWORD: "" },
      "DB_HOST is missing or empty; DB_NAME is .*; DB_USER is .*; DB_PASSWORD is .*; DB_ADMIN_PASSWORD is missing or empty",
    ),
    refused("refuses a password of two lines", { DB_PASSWORD: "one\ntwo" }, "DB_PASSWORD contains a line break"),
    refused(
      "takes a password that ends with a slash",
      { DB_HOST: "", DB_PASSWORD: "a/" },
      "DB_HOST is missing or empty",
    ),
    refused("refuses the administrator", { DB_USER: "postgres" }, "DB_USER is the administrator's own login"),
    refused(
      "refuses a switch that is neither on nor off, with whatever else is wrong",
      { DB_NAME: "", DB_REVOKE_PUBLIC_CONNECT: "no", DB_GRANT_MANAGED_SUPERUSER: "True" },
      'DB_NAME is missing or empty; DB_GRANT_MANAGED_SUPERUSER must be true or false, got "True"; ' +
        'DB_REVOKE_PUBLIC_CONNECT must be true or false, got "no"',
    ),
    refused("refuses a template", { DB_NAME: "template1" }, "DB_NAME is template1, which every login and every new"),
  ]);
});
