import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryFolder } from "../../support/temporary-folder";
import { type Environment, type RunOptions, runScript } from "../db-init/script-run";
import { applicationLogin, describeOnServer, type Tenant, type TenantServer } from "../db-init/tenants";
import { exchange, filledTenant, restored, runJob, swap, tenantWithRestored } from "./job-run";

/** What a dump can lose: text, generated and large values, numbers that go on, and views. */
const CONTENTS = [
  "CREATE TABLE authentik_core_user (id bigserial PRIMARY KEY, name text NOT NULL UNIQUE, upper text GENERATED ALWAYS AS (upper(name)) STORED)",
  "INSERT INTO authentik_core_user (name) VALUES ('akadmin'), ('Zoë 🙂')",
  "CREATE SCHEMA template",
  "CREATE TABLE template.task (id int GENERATED ALWAYS AS IDENTITY, body jsonb, raw bytea, owner bigint REFERENCES authentik_core_user)",
  `INSERT INTO template.task (body, raw, owner) SELECT '{"a": "\\t🙂"}', '\\x00ff', 1 FROM generate_series(1, 5000)`,
  "CREATE VIEW template.names AS SELECT name FROM authentik_core_user",
  "SELECT lo_from_bytea(4711, 'large')",
];

const CONTENT = `SELECT md5(string_agg(t::text, '' ORDER BY id)) FROM template.task t
  UNION ALL SELECT string_agg(u::text, ',' ORDER BY id) FROM authentik_core_user u
  UNION ALL SELECT last_value::text FROM authentik_core_user_id_seq
  UNION ALL SELECT convert_from(lo_get(4711), 'UTF8')`;

/** Shell text of a program that stops the script which has started it: the process that this one has started. */
const STOP_SCRIPT = `p=$$; while q=$(cut -d ' ' -f 4 /proc/$p/stat) && [ "$q" != ${process.pid} ]; do p=$q; done; kill -TERM $p`;

/** A clock that is a second further at each call, because a dump is named by its second. */
const CLOCK = `
calls=$(($(cat "$DUMP_FOLDER/.clock" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$DUMP_FOLDER/.clock"
exec /bin/date --date="@$((1700000000 + calls))" "$@"`;

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
  test("makes a dump that becomes an equal database", async (server) => {
    const { dump, fill, settings } = await Dumps.of(server, { withRestored: true });
    const { DB_NAME } = settings;

    const dumped = await dump({}, { shell: "busybox sh" });

    expect(dumped.output).toMatch(
      new RegExp(`^dumping ${DB_NAME} to dumps/${DB_NAME}-\\d{8}T\\d{6}Z.dump\ndone: \\d+ bytes after \\d+ s\n$`),
    );
    expect([dumped.exitCode, (await fill()).exitCode]).toEqual([0, 0]);
    const [before = "", after] = await Promise.all(
      [settings, restored(settings)].map((login) => server.cluster.query(applicationLogin(login), CONTENT)),
    );
    expect(before.split("\n").slice(2)).toEqual(["2", "large"]);
    expect(before).toContain("Zoë 🙂");
    expect(after).toBe(before);
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
    expect(readFileSync(`${dumps.folder}/dumps/${first}`).equals(written)).toBe(true);
    expect(readFileSync(`${dumps.folder}/dumps/${second}`).equals(readFileSync(dumps.newest))).toBe(true);
    for (const folder of ["dumps", "latest"])
      execFileSync("sh", ["-c", "sha256sum --check --strict *.sha256"], { cwd: join(dumps.folder, folder) });
  });

  test("fails without a checksum when the database cannot be read to its end, or the dump not stored", async (server) => {
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
    // A table with another owner, which the application's role may not read.
    const superuser = { user: "cloudsqladmin", database: dumps.settings.DB_NAME };
    await server.cluster.query(superuser, "CREATE TABLE public.zzz (id int)");
    expect(await dumps.dump()).toEqual({
      exitCode: 1,
      output: expect.stringMatching(
        /permission denied for table zzz[^]*has no checksum and will not be restored/,
      ) as string,
    });
    expect(dumps.dated.filter((name) => name.endsWith(".sha256"))).toEqual([]);
    expect(existsSync(dumps.newest)).toBe(false);
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

  test("says that the temporary folder is full, and needs no room in it to see the tables", async (server) => {
    const dumps = await Dumps.of(server);
    const fullAt = (file: string) => ({
      programs: { mktemp: `d=${temporaryFolder()} && ln -s /dev/full "$d/${file}" && echo "$d"` },
    });

    expect(await dumps.dump({}, fullAt("room"))).toMatchObject({
      exitCode: 1,
      output: expect.stringMatching(/^failed: the temporary folder \S+ is full or cannot be written/m) as string,
    });
    expect(existsSync(dumps.newest)).toBe(false);
    expect(await dumps.dump({}, fullAt("list"))).toMatchObject({ exitCode: 0 });
    expect(existsSync(dumps.newest)).toBe(true);
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
