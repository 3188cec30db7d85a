import fc from "fast-check";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { describeWith } from "../support/programs";
import { ADMIN_PASSWORD, type Cluster, type Login, startCluster, SUPERUSER } from "./cluster";
import {
  contentOf,
  type Environment,
  type Outcome,
  type ProxyRecorder,
  runScript,
  startProxyRecorder,
  startScript,
} from "./script-run";

interface EndState {
  readonly role: Readonly<Record<string, boolean>>;
  readonly memberOf: readonly string[];
  readonly database: Readonly<Record<string, string | readonly string[]>>;
  readonly publicSchema: Readonly<Record<string, string | readonly string[]>>;
}

/** The names of the tenant are replaced, so that the end states of several tenants can be compared. */
const END_STATE_QUERY = `
WITH app AS (SELECT * FROM pg_authid WHERE rolname = regexp_replace(current_database(), '_db$', ''))
SELECT replace(jsonb_build_object(
  'role', (SELECT jsonb_build_object('login', rolcanlogin, 'inherit', rolinherit, 'superuser', rolsuper,
    'createRole', rolcreaterole, 'createDatabase', rolcreatedb, 'replication', rolreplication,
    'bypassRowSecurity', rolbypassrls, 'saltedHash', rolpassword LIKE 'SCRAM-SHA-256$%') FROM app),
  'memberOf', (SELECT coalesce(jsonb_agg(roleid::regrole::text), '[]') FROM pg_auth_members
    WHERE member = (SELECT oid FROM app)),
  'database', (SELECT jsonb_build_object('owner', datdba::regrole, 'encoding', pg_encoding_to_char(encoding),
    'privileges', datacl::text[]) FROM pg_database WHERE datname = current_database()),
  'publicSchema', (SELECT jsonb_build_object('owner', nspowner::regrole, 'privileges', nspacl::text[])
    FROM pg_namespace WHERE nspname = 'public')
)::text, (SELECT rolname FROM app), 'ROLE')`;

const COMPLETE: EndState = {
  role: {
    login: true,
    inherit: true,
    superuser: false,
    createRole: false,
    createDatabase: false,
    replication: false,
    bypassRowSecurity: false,
    saltedHash: true,
  },
  memberOf: ["cloudsqlsuperuser"],
  database: {
    owner: "postgres",
    encoding: "UTF8",
    privileges: ["=Tc/postgres", "postgres=CTc/postgres", "ROLE=CTc/postgres"],
  },
  publicSchema: {
    owner: "pg_database_owner",
    privileges: ["pg_database_owner=UC/pg_database_owner", "=U/pg_database_owner", "ROLE=UC/pg_database_owner"],
  },
};

const PASSWORD = "application-password-Zq81";

/** Does the real work, and stops forever after the call STOP_AT, whose SQL may be cut off by the sed command CUT. */
const PSQL_THAT_STOPS = `
calls=$(($(cat "$PROGRAM_FOLDER/calls" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$PROGRAM_FOLDER/calls"
[ "$calls" -eq "$STOP_AT" ] || exec "$REAL_PSQL" "$@"
sed -e "$CUT" | "$REAL_PSQL" "$@" >/dev/null 2>&1
echo "$$" >"$STOPPED_FILE"
exec sleep 60 >/dev/null 2>&1`;

/** Notes every command line on the machine while psql is at work. */
const PSQL_THAT_LOOKS_AROUND = `
cat /proc/[0-9]*/cmdline >>"$COMMAND_LINES" 2>/dev/null
printf '%s\\n' "$@" >>"$COMMAND_LINES"
exec "$REAL_PSQL" "$@"`;

describeWith(["initdb", "postgres", "psql", "busybox", "dash", "bash"], "db-init.sh on PostgreSQL 15", () => {
  let cluster: Cluster;
  let proxy: ProxyRecorder;
  let folder: string;
  let tenants = 0;

  // Tests at the same time share the server and differ in their tenant; they start before any hook of this block.
  const preparation = lazily(async () => {
    [cluster, proxy] = await Promise.all([startCluster(), startProxyRecorder()]);
    folder = mkdtempSync(join(tmpdir(), "db-init-notes-"));
  });

  afterAll(async () => {
    await preparation();
    await Promise.all([cluster.stop(), proxy.close()]);
    rmSync(folder, { recursive: true, force: true });
  });

  function test(name: string, body: () => Promise<void>): void {
    it.concurrent(name, async () => {
      await preparation();
      await body();
    });
  }

  interface Tenant extends Environment {
    readonly DB_USER: string;
    readonly DB_NAME: string;
  }

  /** Settings of a tenant of its own; the role is the name of the database without its ending. */
  function tenant(changes: Environment = {}): Tenant {
    tenants += 1;
    return {
      DB_HOST: cluster.socketFolder,
      DB_PORT: String(cluster.port),
      DB_NAME: `tenant${tenants}_db`,
      DB_USER: `tenant${tenants}`,
      DB_PASSWORD: PASSWORD,
      DB_ADMIN_PASSWORD: ADMIN_PASSWORD,
      DB_MANAGED_SUPERUSER_ROLE: "cloudsqlsuperuser",
      DB_WAIT_SECONDS: "5",
      DB_PROXY_QUIT_URL: `${proxy.quitUrl}/tenant${tenants}`,
      ...changes,
    };
  }

  function quitRequests(settings: Environment): readonly string[] {
    const path = new URL(settings.DB_PROXY_QUIT_URL ?? "").pathname;
    return proxy.requests
      .filter((request) => request.endsWith(` ${path}`))
      .map((request) => request.split(" ")[0] ?? "");
  }

  async function endState(database: string): Promise<EndState> {
    return JSON.parse(await cluster.query({ user: SUPERUSER, database }, END_STATE_QUERY)) as EndState;
  }

  function applicationLogin(settings: Environment, password = settings.DB_PASSWORD): Login {
    return { user: settings.DB_USER ?? "", database: settings.DB_NAME, password };
  }

  test("announces the five steps in order", async () => {
    const settings = tenant();
    const { exitCode, output } = await runScript(settings);

    expect(output.split("\n")).toEqual([
      `step 1 of 5: wait until PostgreSQL answers at ${cluster.socketFolder} port ${cluster.port} (at most 5 s)`,
      `step 2 of 5: create or update the role ${settings.DB_USER}`,
      `step 3 of 5: create the database ${settings.DB_NAME} if it is missing and grant its privileges to ${settings.DB_USER}`,
      `step 4 of 5: grant cloudsqlsuperuser to ${settings.DB_USER}`,
      "step 5 of 5: tell the database proxy to quit",
      `done: ${settings.DB_USER} can use the database ${settings.DB_NAME}`,
      "",
    ]);
    expect(exitCode).toBe(0);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("reaches the complete end state through socket and TCP, and the same when run again, in every shell", async () => {
    const shells = ["dash", "busybox sh", "bash"] as const;
    const hosts = [cluster.socketFolder, "127.0.0.1"];
    const results = await Promise.all(
      shells.map(async (shell, index) => {
        const settings = tenant();
        const states = [];
        for (const host of index === 1 ? [...hosts].reverse() : hosts) {
          const { exitCode } = await runScript({ ...settings, DB_HOST: host }, { shell });
          states.push(exitCode, await endState(settings.DB_NAME));
        }
        return [shell, ...states];
      }),
    );

    expect(results).toEqual(shells.map((shell) => [shell, 0, COMPLETE, 0, COMPLETE]));
  });

  test("lets the application create tables, a schema and extensions", async () => {
    const settings = tenant();
    await runScript(settings);

    await cluster.query(
      applicationLogin(settings),
      "CREATE TABLE visits (id bigint PRIMARY KEY)",
      "CREATE SCHEMA template",
      ...["pgcrypto", "uuid-ossp", "hstore", "pg_trgm", "citext"].map((name) => `CREATE EXTENSION "${name}"`),
      "INSERT INTO visits VALUES (1)",
    );

    expect(await cluster.query(applicationLogin(settings), "SELECT count(*) FROM visits")).toBe("1");
  });

  test("sets a changed password, after which the old one is refused", async () => {
    const settings = tenant();
    await runScript(settings);
    const changed = { ...settings, DB_PASSWORD: "\\password ' \" $$ é %s :role" };
    await runScript(changed);

    expect(await cluster.query(applicationLogin(changed), "SELECT 1")).toBe("1");
    await expect(cluster.query(applicationLogin(settings), "SELECT 1")).rejects.toThrow(
      "password authentication failed",
    );
  });

  test("takes role creation and database creation away from a role that had them", async () => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE ROLE ${settings.DB_USER} NOLOGIN NOINHERIT CREATEROLE CREATEDB`);
    await runScript(settings);

    expect(await endState(settings.DB_NAME)).toEqual(COMPLETE);
  });

  test("reaches the same end state when killed at any point and run again", async () => {
    const whole = "";
    const interruptions: [string, number, string][] = [
      ["after the wait", 1, whole],
      ["while the role gets its password", 2, "/^.password/,$d"],
      ["after the role", 2, whole],
      ["right after the creation of the database", 3, "/^CREATE DATABASE/q"],
      ["after the database", 3, whole],
      ["between the two grants", 4, "/^GRANT ALL ON SCHEMA/,$d"],
      ["after the grants", 4, whole],
      ["after the managed-superuser role", 5, whole],
    ];
    const results = await Promise.all(
      interruptions.map(async ([moment, call, cut], index) => {
        const settings = tenant();
        const stoppedFile = join(folder, `stopped-${index}`);
        const run = startScript(
          { ...settings, STOP_AT: String(call), CUT: cut, STOPPED_FILE: stoppedFile },
          { programs: { psql: PSQL_THAT_STOPS } },
        );
        const stoppedProcessId = await contentOf(stoppedFile);
        run.kill();
        process.kill(Number(stoppedProcessId), "SIGKILL");
        await run.outcome;
        const { exitCode } = await runScript(settings);
        return [moment, exitCode, await endState(settings.DB_NAME)];
      }),
    );

    expect(results).toEqual(interruptions.map(([moment]) => [moment, 0, COMPLETE]));
  });

  test("survives several runs at the same time, for new names and for existing ones", async () => {
    const [one, other] = [tenant(), tenant()];
    for (const round of ["new", "existing", "existing again"]) {
      const outcomes = await Promise.all([one, other, one].map((settings) => runScript(settings)));
      expect([round, ...outcomes.map(({ exitCode }) => exitCode)]).toEqual([round, 0, 0, 0]);
      expect(await endState(one.DB_NAME)).toEqual(COMPLETE);
      expect(await endState(other.DB_NAME)).toEqual(COMPLETE);
    }
  });

  test("takes names literally, whatever they contain", async () => {
    const characters = fc.constantFrom(...Array.from("aZ09 '\"\\=:/?&@%-_.,;$()[]{}<>|*~`^!#+éß漢🔑"));
    const name = fc.string({ unit: characters, minLength: 1, maxLength: 15 });
    const conninfo = fc.constantFrom(
      "postgresql://postgres@127.0.0.1/postgres",
      "dbname=postgres user=postgres",
      '";--',
    );
    const names = fc.tuple(fc.oneof(name, conninfo), fc.oneof(conninfo, name));
    await fc.assert(
      // Three at a time, because they do not disturb each other.
      fc.asyncProperty(fc.tuple(names, names, names), async (batch) => {
        const tries = batch.map(([role, database]) => {
          const settings = tenant();
          return { ...settings, DB_USER: `${role} ${settings.DB_USER}`, DB_NAME: `${database} ${settings.DB_NAME}` };
        });
        const results = await Promise.all(
          tries.map(async (settings) => {
            const { exitCode, output } = await runScript(settings);
            expect([exitCode, output]).toEqual([0, expect.stringContaining("done: ")]);
            return cluster.query(applicationLogin(settings), "SELECT current_user || '|' || current_database()");
          }),
        );
        expect(results).toEqual(tries.map((settings) => `${settings.DB_USER}|${settings.DB_NAME}`));
      }),
      { numRuns: 2 },
    );
  });

  test("shows no password in its output, on a command line or in the log of the server", async () => {
    const commandLines = join(folder, "command-lines");
    const settings = tenant({ COMMAND_LINES: commandLines, DB_PASSWORD: "secret-application-71" });
    const looking = { programs: { psql: PSQL_THAT_LOOKS_AROUND } };
    const outcomes: Outcome[] = [
      await runScript(settings, looking),
      // Refusals, because the server logs the statement that failed.
      await runScript({ ...settings, DB_USER: "pg_reserved" }, looking),
      await runScript({ ...settings, DB_USER: SUPERUSER }, looking),
      await runScript({ ...settings, DB_ADMIN_PASSWORD: "secret-wrong-72" }, looking),
    ];

    expect(outcomes.map(({ exitCode }) => exitCode)).toEqual([0, 1, 1, 4]);
    const seen = outcomes.map(({ output }) => output).join("") + readFileSync(commandLines, "utf8") + cluster.log();
    expect(seen).toContain("db-init.sh");
    expect(seen).toContain(`ALTER USER ${settings.DB_USER} PASSWORD 'SCRAM-SHA-256$`);
    for (const password of ["secret-application-71", "secret-wrong-72"]) expect(seen).not.toContain(password);
    expect(outcomes.map(({ output }) => output).join("") + readFileSync(commandLines, "utf8")).not.toContain(
      ADMIN_PASSWORD,
    );
  });

  test("fails at once with a sentence when the administrator's password is wrong", async () => {
    const settings = tenant({ DB_ADMIN_PASSWORD: "wrong", DB_WAIT_SECONDS: "300" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      "failed in step 1 of 5: PostgreSQL refuses the password of postgres; " +
        "DB_ADMIN_PASSWORD must be its current password\n" +
        "before leaving with exit code 4: tell the database proxy to quit\n",
    );
    expect(exitCode).toBe(4);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("goes on where no managed-superuser role exists", async () => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "absent" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain("the role absent does not exist on this server, nothing granted\n");
    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual({ ...COMPLETE, memberOf: [] });
  });

  test("skips with a line what has no role or no proxy named", async () => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "", DB_PROXY_QUIT_URL: "" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      "step 4 of 5: no managed-superuser role to grant (DB_MANAGED_SUPERUSER_ROLE is empty), skipped\n" +
        "step 5 of 5: no database proxy to stop (DB_PROXY_QUIT_URL is empty), skipped\n",
    );
    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual({ ...COMPLETE, memberOf: [] });
  });

  test("fails when the managed-superuser role may not be granted", async () => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: SUPERUSER });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain("must be superuser to alter superusers");
    expect(output).toContain(
      `failed in step 4 of 5: ${SUPERUSER} could not be granted to ${settings.DB_USER}; the reason is above\n`,
    );
    expect(exitCode).toBe(1);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("repeats the server's words, and psql's questions not, when the role is refused", async () => {
    const settings = tenant({ DB_USER: "pg_reserved" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toMatch(
      /failed in step 2 of 5: the role pg_reserved could not be created or updated: ERROR: {2}role name "pg_reserved" is reserved/,
    );
    expect(output).not.toContain("Enter");
    expect(exitCode).toBe(1);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("refuses an existing database of another encoding", async () => {
    const settings = tenant();
    await cluster.query(
      { user: SUPERUSER },
      `CREATE DATABASE ${settings.DB_NAME} OWNER postgres TEMPLATE template0 ENCODING 'LATIN1'`,
    );
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `failed in step 3 of 5: the database ${settings.DB_NAME} exists with the encoding LATIN1, the application ` +
        "needs UTF8; move its content to a new UTF8 database or choose another name\n",
    );
    expect(exitCode).toBe(1);
  });

  test("refuses an existing database whose privileges it may not grant", async () => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE DATABASE ${settings.DB_NAME}`);
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      `failed in step 3 of 5: the role ${settings.DB_USER} still lacks CREATE on the database, CREATE on the schema ` +
        `public: postgres may not grant it because ${settings.DB_NAME} belongs to another role; change its owner to ` +
        "postgres or choose another name\n",
    );
    expect(exitCode).toBe(1);
  });

  test("adopts a database that the managed service created for its own role", async () => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE DATABASE ${settings.DB_NAME} OWNER cloudsqlsuperuser`);
    const { exitCode } = await runScript(settings);

    expect(exitCode).toBe(0);
    await cluster.query(applicationLogin(settings), "CREATE TABLE visits ()", "CREATE SCHEMA template");
  });

  test("never calls what the application put into its database", async () => {
    const settings = tenant();
    await runScript(settings);
    await cluster.query(
      applicationLogin(settings),
      // A closer match for the call in the script than the function that the server brings.
      `CREATE FUNCTION public.hashtextextended(text, integer) RETURNS bigint LANGUAGE plpgsql
       AS $$BEGIN RAISE EXCEPTION 'called with the rights of %', current_user; END$$`,
    );
    const { exitCode, output } = await runScript(settings);

    expect(output).not.toContain("called with the rights of");
    expect(exitCode).toBe(0);
  });
});

/** The same promise for everybody who asks, and none before. */
function lazily(create: () => Promise<void>): () => Promise<void> {
  let created: Promise<void> | undefined;
  return () => (created ??= create());
}
