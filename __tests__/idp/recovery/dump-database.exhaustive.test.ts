import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

import { type Environment, runScript, type Shell } from "../db-init/script-run";
import { applicationLogin, describeOnServer } from "../db-init/tenants";
import { databasePath, exchange, filledTenant, restored, runJob } from "./job-run";
import { temporaryFolder } from "../../support/temporary-folder";

const execute = promisify(execFile);

/** What a dump can lose: text, generated and large values, numbers that go on, views, rules and types. */
const CONTENTS = [
  "CREATE TABLE authentik_core_user (id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, upper text GENERATED ALWAYS AS (upper(name)) STORED)",
  "INSERT INTO authentik_core_user (name) VALUES ('akadmin'), ('Zoë 🙂')",
  "CREATE SCHEMA template",
  "CREATE TYPE template.state AS ENUM ('new', 'done')",
  "CREATE TABLE template.task (id int GENERATED ALWAYS AS IDENTITY, state template.state, body jsonb, raw bytea, owner bigint REFERENCES authentik_core_user)",
  `INSERT INTO template.task (state, body, raw, owner) SELECT 'done', '{"a": "\\t🙂"}', '\\x00ff', 1 FROM generate_series(1, 5000)`,
  "CREATE INDEX ON template.task (owner) WHERE state = 'done'",
  "CREATE VIEW template.names AS SELECT name FROM authentik_core_user",
  "CREATE MATERIALIZED VIEW template.counts AS SELECT count(*) FROM template.task",
  "SELECT lo_from_bytea(4711, 'large')",
];

const CONTENT = `SELECT md5(string_agg(t::text, '' ORDER BY id)) FROM template.task t
  UNION ALL SELECT string_agg(u::text, ',' ORDER BY id) FROM authentik_core_user u
  UNION ALL SELECT last_value::text FROM authentik_core_user_id_seq
  UNION ALL SELECT count::text FROM template.counts
  UNION ALL SELECT convert_from(lo_get(4711), 'UTF8')`;

/** Shell text of a program that stops the script which has started it: the process that this one has started. */
const STOP_SCRIPT = `p=$$; while q=$(cut -d ' ' -f 4 /proc/$p/stat) && [ "$q" != ${process.pid} ]; do p=$q; done; kill -TERM $p`;

/** Definitions of everything in a database, without its name. */
async function schemaOf(settings: Environment): Promise<string> {
  const { DB_HOST = "", DB_NAME = "", DB_PASSWORD = "", DB_PORT = "", DB_USER = "" } = settings;
  const { stdout } = await execute("pg_dump", ["--schema-only", "--no-comments"], {
    env: {
      ...{ PGHOST: DB_HOST, PGPORT: DB_PORT, PGUSER: DB_USER, PGPASSWORD: DB_PASSWORD, PGDATABASE: DB_NAME },
      PATH: databasePath(),
    },
  });
  return stdout.replaceAll(/^\\(un)?restrict .*$/gm, "");
}

const dump = (settings: Environment, further: Environment, options?: Parameters<typeof runJob>[3]) =>
  runJob("dump-database.sh", settings, further, options);

/** Files of a bucket, without the times in their names. */
function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.includes(".dump"))
    .map((name) => name.replace(/\d{8}T\d{6}Z/, "TIME"))
    .sort();
}

describeOnServer("dump-database.sh on PostgreSQL 15", (test) => {
  for (const shell of ["dash", "busybox sh"] as const satisfies readonly Shell[]) {
    test(`makes a dump that becomes an equal database, with ${shell}`, async (server) => {
      const DUMP_FOLDER = temporaryFolder();
      const settings = await filledTenant(server, CONTENTS);
      const { DB_NAME } = settings;

      const dumped = await dump(settings, { DUMP_FOLDER }, { shell });
      await runScript(restored(settings));
      const DUMP_FILE = `${DUMP_FOLDER}/latest/${DB_NAME}.dump`;
      const refilled = await runJob("fill-database.sh", restored(settings), { DUMP_FILE });

      expect(dumped.output).toMatch(
        new RegExp(`^dumping ${DB_NAME} to dumps/${DB_NAME}-\\d{8}T\\d{6}Z.dump\ndone: \\d+ bytes after \\d+ s\n$`),
      );
      expect([dumped.exitCode, refilled.exitCode]).toEqual([0, 0]);
      const bothOf = (query: string) =>
        Promise.all(
          [settings, restored(settings)].map((login) => server.cluster.query(applicationLogin(login), query)),
        );
      const [before = "", after] = await bothOf(CONTENT);
      expect(before.split("\n").slice(2)).toEqual(["2", "5000", "large"]);
      expect(before).toContain("Zoë 🙂");
      expect(after).toBe(before);
      expect(await schemaOf(restored(settings))).toBe(await schemaOf(settings));
    });
  }

  test("names each dump by its time, puts a checksum beside it, and replaces only the copy of the newest", async (server) => {
    const DUMP_FOLDER = temporaryFolder();
    const settings = await filledTenant(server, CONTENTS);
    const { DB_NAME } = settings;
    await dump(settings, { DUMP_FOLDER });
    const [first = ""] = readdirSync(`${DUMP_FOLDER}/dumps`);
    const written = readFileSync(`${DUMP_FOLDER}/dumps/${first}`);
    // The next second has another name.
    await pause(1100);
    await server.cluster.query(applicationLogin(settings), "DELETE FROM template.task");

    expect(await dump(settings, { DUMP_FOLDER })).toMatchObject({ exitCode: 0 });

    const dated = [`dumps/${DB_NAME}-TIME.dump`, `dumps/${DB_NAME}-TIME.dump.sha256`];
    const newest = [`latest/${DB_NAME}.dump`, `latest/${DB_NAME}.dump.sha256`];
    expect(filesIn(DUMP_FOLDER)).toEqual([...dated, ...dated, ...newest].sort());
    expect(readFileSync(`${DUMP_FOLDER}/dumps/${first}`).equals(written)).toBe(true);
    for (const folder of ["dumps", "latest"])
      await execute("sh", ["-c", `cd '${DUMP_FOLDER}/${folder}' && sha256sum --check --strict *.sha256`]);
    const second = readdirSync(`${DUMP_FOLDER}/dumps`).filter((name) => name.endsWith(".dump"))[1] ?? "";
    expect(
      readFileSync(`${DUMP_FOLDER}/dumps/${second}`).equals(readFileSync(`${DUMP_FOLDER}/latest/${DB_NAME}.dump`)),
    ).toBe(true);
  });

  test("fails without a checksum when the database cannot be read to its end", async (server) => {
    const DUMP_FOLDER = temporaryFolder();
    const settings = await filledTenant(server, CONTENTS);
    // A table with another owner, which the application's role may not read.
    await server.cluster.query(
      { user: "cloudsqladmin", database: settings.DB_NAME },
      "CREATE TABLE public.zzz (id int)",
    );

    const { exitCode, output } = await dump(settings, { DUMP_FOLDER });

    expect(exitCode).toBe(1);
    expect(output).toContain("permission denied for table zzz");
    expect(output).toContain("has no checksum and will not be restored");
    expect(filesIn(DUMP_FOLDER)).toEqual([`dumps/${settings.DB_NAME}-TIME.dump`]);
  });

  test("fails without a checksum when the dump cannot be stored, or is not what was read", async (server) => {
    const settings = await filledTenant(server, CONTENTS);
    const broken = {
      "the dump could not be stored": "head -c 2000 >/dev/null; echo 'dd: closing: Input/output error' >&2; exit 1",
      "the stored dump is not what was read from the database":
        'for word; do case $word in of=*) head -c 2000 >"${word#of=}" ;; esac; done; cat >/dev/null',
      "the stored dump cannot be read": "cat >/dev/null",
    };
    for (const [message, dd] of Object.entries(broken)) {
      const DUMP_FOLDER = temporaryFolder();
      const { exitCode, output } = await dump(settings, { DUMP_FOLDER }, { programs: { dd } });
      expect([exitCode, output.trimEnd().split("\n").at(-1)]).toEqual([4, `failed: ${message}`]);
      expect(filesIn(DUMP_FOLDER).filter((name) => name.endsWith(".sha256"))).toEqual([]);
    }
  });

  test("ends at once when it is stopped, with what it has started", async (server) => {
    const DUMP_FOLDER = temporaryFolder();
    const settings = await filledTenant(server, CONTENTS);
    const pidFile = join(DUMP_FOLDER, "pid");

    const { exitCode } = await dump(
      settings,
      { DUMP_FOLDER },
      { programs: { pg_dump: `echo $$ >'${pidFile}'; ${STOP_SCRIPT}; while :; do sleep 0.1; done` } },
    );

    expect(exitCode).toBe(143);
    const pid = Number(readFileSync(pidFile, "utf8"));
    while (existsSync(`/proc/${pid}`)) await pause(10);
  });

  test("replaces the newest dump in one step, so that it can be restored at any moment", async (server) => {
    const DUMP_FOLDER = temporaryFolder();
    const settings = await filledTenant(server, CONTENTS);
    const DUMP_FILE = `${DUMP_FOLDER}/latest/${settings.DB_NAME}.dump`;
    const restoredUsers = async () => {
      await runJob("swap-database.sh", settings, { ACTION: "clear" });
      await runScript(restored(settings));
      return (await runJob("fill-database.sh", restored(settings), { DUMP_FILE })).output
        .split("\n")
        .find((line) => line.startsWith("users"));
    };
    await dump(settings, { DUMP_FOLDER });
    await server.cluster.query(applicationLogin(settings), "DELETE FROM authentik_core_user WHERE name <> 'akadmin'");

    await pause(1100);
    const before = await dump(settings, { DUMP_FOLDER }, { programs: { mv: `${STOP_SCRIPT}; sleep 2` } });
    expect([before.exitCode, await restoredUsers()]).toEqual([143, expect.stringMatching(/^users: 2 /)]);
    await pause(1100);
    const after = await dump(settings, { DUMP_FOLDER }, { programs: { mv: `/bin/mv "$@"; ${STOP_SCRIPT}` } });
    expect([after.exitCode, await restoredUsers()]).toEqual([143, expect.stringMatching(/^users: 1 /)]);
  });

  test("never replaces the newest dump by one without tables", async (server) => {
    const DUMP_FOLDER = temporaryFolder();
    const settings = await filledTenant(server, CONTENTS);
    await dump(settings, { DUMP_FOLDER });
    const newest = () => readFileSync(`${DUMP_FOLDER}/latest/${settings.DB_NAME}.dump`);
    const before = newest();
    await runScript(restored(settings));
    await exchange(server.cluster, settings);
    await pause(1100);

    const { exitCode, output } = await dump(settings, { DUMP_FOLDER });

    expect(exitCode).toBe(0);
    expect(output).toContain(`${settings.DB_NAME} has no tables, so latest/${settings.DB_NAME}.dump stays as it is\n`);
    expect(newest().equals(before)).toBe(true);
  });

  test("keeps its time limit", async (server) => {
    const DUMP_FOLDER = temporaryFolder();
    const settings = await filledTenant(server, CONTENTS);
    const { exitCode, output } = await dump(
      settings,
      { DUMP_FOLDER, DUMP_SECONDS: "1" },
      { programs: { pg_dump: "echo PGDMP; exec sleep 60" } },
    );
    expect(exitCode).toBe(1);
    expect(output).toContain("could not be dumped");
  });

  test("reports all problems of its settings at once, and a database that does not answer", async ({ tenant }) => {
    const settings = tenant();
    expect(
      await dump(
        { ...settings, DB_NAME: "a b", DB_PORT: "abc", DB_USER: "" },
        { DUMP_FOLDER: "/none", DUMP_SECONDS: "x" },
      ),
    ).toEqual({
      exitCode: 2,
      output:
        'failed: DB_USER is missing; DUMP_SECONDS is "x", no number of seconds; DB_PORT is "abc", no port; DB_NAME is "a b", which cannot be part of a file\'s name; DUMP_FOLDER is "/none", no folder;\n',
    });
    const DUMP_FOLDER = temporaryFolder();
    expect(await dump(settings, { DUMP_FOLDER, PGSSLMODE: "required" })).toEqual({
      exitCode: 2,
      output: `failed: no connection can be tried with DB_HOST=${settings.DB_HOST}, DB_PORT=${settings.DB_PORT} and PGSSLMODE=required; correct these\n`,
    });
    expect(await runJob("fill-database.sh", { ...settings, DB_PORT: "abc" })).toEqual({
      exitCode: 2,
      output: `failed: the port of ${settings.DB_HOST} is "abc", no number\n`,
    });
    expect(await dump(settings, { DUMP_FOLDER, TMPDIR: "/none" })).toMatchObject({
      exitCode: 4,
      output: expect.stringContaining("failed: the temporary folder /none is full or cannot be written\n") as string,
    });
    const nobody = { ...settings, DB_HOST: DUMP_FOLDER, DB_WAIT_SECONDS: "1" };
    expect(await dump(nobody, { DUMP_FOLDER })).toEqual({
      exitCode: 3,
      output: `failed: PostgreSQL at ${DUMP_FOLDER} port ${settings.DB_PORT ?? ""} did not answer within 1 s\n`,
    });
  });

  test("tells the proxy to quit however it ends, and never prints the password", async (server) => {
    const DUMP_FOLDER = temporaryFolder();
    const settings = await filledTenant(server, CONTENTS);
    const { DB_PASSWORD = "", DB_PROXY_QUIT_URL = "" } = settings;
    const ends = [
      await dump(settings, { DUMP_FOLDER, DB_PROXY_QUIT_URL }),
      await dump({ ...settings, DB_HOST: "" }, { DUMP_FOLDER, DB_PROXY_QUIT_URL }),
      await dump(settings, { DUMP_FOLDER, DB_PROXY_QUIT_URL, DB_PASSWORD: "wrong" }),
    ];
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 2, 1]);
    // The first one is that of db-init.
    expect(server.quitRequests(settings).slice(1)).toEqual(["POST", "POST", "POST"]);
    expect(DB_PASSWORD).not.toBe("");
    for (const { output } of ends) expect(output).not.toContain(DB_PASSWORD);
  });
});
