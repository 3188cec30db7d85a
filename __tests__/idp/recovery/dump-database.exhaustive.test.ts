import { execFile, execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

import { temporaryFolder } from "../../support/temporary-folder";
import { type Environment, psqlPath, type RunOptions, runScript } from "../db-init/script-run";
import { applicationLogin, describeOnServer, type Tenant, type TenantServer } from "../db-init/tenants";
import { exchange, filledTenant, restored, runJob, swap, tenantWithRestored } from "./job-run";

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

/** A clock that is a second further at each call, because a dump is named by its second. */
const CLOCK = `
calls=$(($(cat "$DUMP_FOLDER/.clock" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$DUMP_FOLDER/.clock"
exec /bin/date --date="@$((1700000000 + calls))" "$@"`;

/** Definitions of everything in a database, without its name. Waiting must not stop the reading of the server's log. */
async function schemaOf({ DB_HOST, DB_NAME, DB_PASSWORD, DB_PORT, DB_USER }: Environment): Promise<string> {
  const pgDump = join(dirname(psqlPath()), "pg_dump");
  const { stdout } = await promisify(execFile)(pgDump, ["--schema-only", "--no-comments"], {
    env: { PGHOST: DB_HOST, PGPORT: DB_PORT, PGUSER: DB_USER, PGPASSWORD: DB_PASSWORD, PGDATABASE: DB_NAME },
  });
  return stdout.replaceAll(/^\\(un)?restrict .*$/gm, "");
}

/** The folder of dumps of a new tenant whose database has the contents above. */
class Dumps {
  readonly folder = temporaryFolder();

  private constructor(
    readonly settings: Tenant,
    private readonly server: TenantServer,
  ) {}

  static async of(server: TenantServer, { withRestored = false } = {}): Promise<Dumps> {
    return new Dumps(await (withRestored ? tenantWithRestored : filledTenant)(server, CONTENTS), server);
  }

  readonly dump = (changes: Environment = {}, { programs, shell }: RunOptions = {}) =>
    runJob(
      "dump-database.sh",
      { ...this.settings, ...changes },
      { DUMP_FOLDER: this.folder, ...changes },
      {
        shell,
        programs: { date: CLOCK, ...programs },
      },
    );

  readonly fill = () => runJob("fill-database.sh", restored(this.settings), { DUMP_FILE: this.newest });

  query(...statements: readonly string[]): Promise<string> {
    return this.server.cluster.query(applicationLogin(this.settings), ...statements);
  }

  get newest(): string {
    return `${this.folder}/latest/${this.settings.DB_NAME}.dump`;
  }

  /** Files by date, the oldest first. */
  get dated(): string[] {
    return readdirSync(`${this.folder}/dumps`).sort();
  }
}

describeOnServer("dump-database.sh on PostgreSQL 15", (test) => {
  for (const shell of ["dash", "busybox sh"] as const)
    test(`makes a dump that becomes an equal database, with ${shell}`, async (server) => {
      const { dump, fill, settings } = await Dumps.of(server, { withRestored: true });
      const { DB_NAME } = settings;

      const dumped = await dump({}, { shell });

      expect(dumped.output).toMatch(
        new RegExp(`^dumping ${DB_NAME} to dumps/${DB_NAME}-\\d{8}T\\d{6}Z.dump\ndone: \\d+ bytes after \\d+ s\n$`),
      );
      expect([dumped.exitCode, (await fill()).exitCode]).toEqual([0, 0]);
      const [before = "", after] = await Promise.all(
        [settings, restored(settings)].map((login) => server.cluster.query(applicationLogin(login), CONTENT)),
      );
      expect(before.split("\n").slice(2)).toEqual(["2", "5000", "large"]);
      expect(before).toContain("Zoë 🙂");
      expect(after).toBe(before);
      expect(await schemaOf(restored(settings))).toBe(await schemaOf(settings));
    });

  test("names each dump by its time, puts a checksum beside it, and replaces only the copy of the newest", async (server) => {
    const dumps = await Dumps.of(server);
    await dumps.dump();
    const [first = ""] = dumps.dated;
    const written = readFileSync(`${dumps.folder}/dumps/${first}`);
    await dumps.query("DELETE FROM template.task");

    expect(await dumps.dump()).toMatchObject({ exitCode: 0 });

    const [, , second = ""] = dumps.dated;
    expect(dumps.dated).toEqual([first, `${first}.sha256`, second, `${second}.sha256`]);
    const name = `${dumps.settings.DB_NAME}.dump`;
    expect(readdirSync(`${dumps.folder}/latest`).sort()).toEqual([name, `${name}.sha256`]);
    expect(readFileSync(`${dumps.folder}/dumps/${first}`).equals(written)).toBe(true);
    expect(readFileSync(`${dumps.folder}/dumps/${second}`).equals(readFileSync(dumps.newest))).toBe(true);
    for (const folder of ["dumps", "latest"])
      execFileSync("sh", ["-c", "sha256sum --check --strict *.sha256"], { cwd: join(dumps.folder, folder) });
  });

  test("fails without a checksum when the database cannot be read to its end", async (server) => {
    const dumps = await Dumps.of(server);
    // A table with another owner, which the application's role may not read.
    const superuser = { user: "cloudsqladmin", database: dumps.settings.DB_NAME };
    await server.cluster.query(superuser, "CREATE TABLE public.zzz (id int)");

    const { exitCode, output } = await dumps.dump();

    expect(exitCode).toBe(1);
    expect(output).toContain("permission denied for table zzz");
    expect(output).toContain("has no checksum and will not be restored");
    expect(dumps.dated).toEqual([expect.stringMatching(/\.dump$/)]);
  });

  test("fails without a checksum when the dump cannot be stored, or is not what was read", async (server) => {
    const dumps = await Dumps.of(server);
    const broken = {
      "the dump could not be stored": "head -c 2000 >/dev/null; echo 'dd: closing: Input/output error' >&2; exit 1",
      "the stored dump is not what was read from the database":
        'for word; do case $word in of=*) head -c 2000 >"${word#of=}" ;; esac; done; cat >/dev/null',
      "the stored dump cannot be read": "cat >/dev/null",
    };
    for (const [message, dd] of Object.entries(broken)) {
      const { exitCode, output } = await dumps.dump({}, { programs: { dd } });
      expect([exitCode, output.trimEnd().split("\n").at(-1)]).toEqual([4, `failed: ${message}`]);
    }
    expect(dumps.dated.filter((name) => name.endsWith(".sha256"))).toEqual([]);
    expect(existsSync(dumps.newest)).toBe(false);
  });

  test("ends at once when it is stopped, with what it has started", async (server) => {
    const { dump, folder } = await Dumps.of(server);
    const pidFile = join(folder, "pid");

    const pg_dump = `echo $$ >'${pidFile}'; ${STOP_SCRIPT}; while :; do sleep 0.1; done`;
    expect(await dump({}, { programs: { pg_dump } })).toMatchObject({ exitCode: 143 });

    const pid = Number(readFileSync(pidFile, "utf8"));
    while (existsSync(`/proc/${pid}`)) await pause(10);
  });

  test("replaces the newest dump in one step, so that it can be restored at any moment", async (server) => {
    const dumps = await Dumps.of(server);
    const restoredUsers = async () => {
      await swap(dumps.settings, "clear");
      await runScript(restored(dumps.settings));
      return /^users: \d+/m.exec((await dumps.fill()).output)?.[0];
    };
    await dumps.dump();
    await dumps.query("DELETE FROM authentik_core_user WHERE name <> 'akadmin'");

    const before = await dumps.dump({}, { programs: { mv: `${STOP_SCRIPT}; sleep 2` } });
    expect([before.exitCode, await restoredUsers()]).toEqual([143, "users: 2"]);
    const after = await dumps.dump({}, { programs: { mv: `/bin/mv "$@"; ${STOP_SCRIPT}` } });
    expect([after.exitCode, await restoredUsers()]).toEqual([143, "users: 1"]);
  });

  test("never replaces the newest dump by one without tables", async (server) => {
    const { dump, newest, settings } = await Dumps.of(server, { withRestored: true });
    await dump();
    const before = readFileSync(newest);
    await exchange(server.cluster, settings);

    expect(await dump()).toEqual({
      exitCode: 0,
      output: expect.stringContaining(
        `${settings.DB_NAME} has no tables, so latest/${settings.DB_NAME}.dump stays as it is\n`,
      ) as string,
    });
    expect(readFileSync(newest).equals(before)).toBe(true);
  });

  test("keeps its time limit", async (server) => {
    const { dump } = await Dumps.of(server);
    const { exitCode, output } = await dump(
      { DUMP_SECONDS: "1" },
      { programs: { pg_dump: "echo PGDMP; exec sleep 60" } },
    );
    expect(exitCode).toBe(1);
    expect(output).toContain("could not be dumped");
  });

  test("reports all problems of its settings at once, and a database that does not answer", async ({ tenant }) => {
    const DUMP_FOLDER = temporaryFolder();
    const settings: Environment = { ...tenant(), DUMP_FOLDER };
    const { DB_HOST = "", DB_PORT = "" } = settings;
    const wrong = { DB_NAME: "a b", DB_PORT: "abc", DB_USER: "", DUMP_FOLDER: "/none", DUMP_SECONDS: "x" };
    const cases: readonly (readonly [script: string, changes: Environment, exitCode: number, says: string])[] = [
      [
        "dump-database.sh",
        wrong,
        2,
        'DB_USER is missing; DUMP_SECONDS is "x", no number of seconds; DB_PORT is "abc", no port; DB_NAME is "a b", which cannot be part of a file\'s name; DUMP_FOLDER is "/none", no folder;',
      ],
      [
        "dump-database.sh",
        { PGSSLMODE: "required" },
        2,
        `no connection can be tried with DB_HOST=${DB_HOST}, DB_PORT=${DB_PORT} and PGSSLMODE=required; correct these`,
      ],
      ["fill-database.sh", { DB_PORT: "abc" }, 2, `the port of ${DB_HOST} is "abc", no number`],
      ["dump-database.sh", { TMPDIR: "/none" }, 4, "the temporary folder /none is full or cannot be written"],
      [
        "dump-database.sh",
        { DB_HOST: DUMP_FOLDER, DB_WAIT_SECONDS: "1" },
        3,
        `PostgreSQL at ${DUMP_FOLDER} port ${DB_PORT} did not answer within 1 s`,
      ],
    ];
    for (const [script, changes, exitCode, says] of cases)
      expect(await runJob(script, { ...settings, ...changes })).toEqual({
        exitCode,
        output: expect.stringContaining(`failed: ${says}\n`) as string,
      });
  });

  test("tells the proxy to quit however it ends, and never prints the password", async (server) => {
    const { dump, settings } = await Dumps.of(server);
    const { DB_PASSWORD = "", DB_PROXY_QUIT_URL = "" } = settings;
    const ends = [
      await dump({ DB_PROXY_QUIT_URL }),
      await dump({ DB_PROXY_QUIT_URL, DB_HOST: "" }),
      await dump({ DB_PROXY_QUIT_URL, DB_PASSWORD: "wrong" }),
    ];
    expect(ends.map(({ exitCode }) => exitCode)).toEqual([0, 2, 1]);
    // The first one is that of db-init.
    expect(server.quitRequests(settings).slice(1)).toEqual(["POST", "POST", "POST"]);
    expect(DB_PASSWORD).not.toBe("");
    for (const { output } of ends) expect(output).not.toContain(DB_PASSWORD);
  });
});
