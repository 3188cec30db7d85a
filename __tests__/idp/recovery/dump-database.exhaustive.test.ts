import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

import { type FaultRow } from "../../support/fault-matrix";
import { exits, hangs, type ProgramFault, ProgramStandIn, receives } from "../../support/program-stand-in";
import { temporaryFolder } from "../../support/temporary-folder";
import { SUPERUSER } from "../db-init/cluster";
import { runScript } from "../db-init/script-run";
import {
  applicationLogin,
  describeOnServers,
  type Tenant,
  type TenantScene,
  type TestServer,
} from "../db-init/tenants";
import { exchange, filledTenant, restored, runJob, tenantWithRestored } from "./job-run";
import { broken, BUCKET, status, StorageStandIn } from "./storage-stand-in";

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

/** A clock that is a second further at each call, because a dump is named by its second. */
const CLOCK = `
calls=$(($(cat "$DUMP_FOLDER/.clock" 2>/dev/null || echo 0) + 1))
echo "$calls" >"$DUMP_FOLDER/.clock"
exec /bin/date --date="@$((1700000000 + calls))" "$@"`;

/** The folder of dumps of a tenant whose database has the contents above. */
class Dumps {
  constructor(
    readonly settings: Tenant,
    private readonly server: TestServer,
  ) {}

  static async of(server: TestServer, { withRestored = false } = {}): Promise<Dumps> {
    const settings = await (withRestored ? tenantWithRestored : filledTenant)(server, CONTENTS);
    return new Dumps({ ...settings, DUMP_FOLDER: temporaryFolder() }, server);
  }

  readonly dump = () =>
    runJob("dump-database.sh", this.settings, {}, { programs: new ProgramStandIn({ date: CLOCK }) });

  readonly fill = () => runJob("fill-database.sh", restored(this.settings), { DUMP_FILE: this.newest });

  query(...statements: readonly string[]): Promise<string> {
    return this.server.cluster.query(applicationLogin(this.settings), ...statements);
  }

  get folder(): string {
    return this.settings.DUMP_FOLDER ?? "";
  }

  get newest(): string {
    return `${this.folder}/latest/${this.settings.DB_NAME}.dump`;
  }

  /** Files by date, the oldest first. */
  get dated(): string[] {
    return readdirSync(`${this.folder}/dumps`).sort();
  }
}

const dumpsOf = ({ server, settings }: TenantScene) => new Dumps(settings, server);

/** A bucket whose files nobody can delete. */
const LOCKED = "bkt-idpdemo-1a2b3c-dumps-locked";

const copiesTo = ({ url }: StorageStandIn, bucket: string) => ({
  DUMP_BUCKET: BUCKET,
  DUMP_COPIES: bucket,
  STORAGE_URL: url,
  METADATA_URL: url,
});

/** The proxy was told to quit, after db-init had told it. */
const expectQuit = ({ server, settings }: TenantScene) =>
  expect(server.quitRequests(settings)).toEqual(["POST", "POST"]);

/** A dump that is not whole is neither marked as such nor the newest. */
function isNotWhole(scene: TenantScene): void {
  const dumps = dumpsOf(scene);
  expect(dumps.dated.filter((name) => name.endsWith(".sha256"))).toEqual([]);
  expect(existsSync(dumps.newest)).toBe(false);
  expectQuit(scene);
}

const unstored = (what: string, fault: Pick<FaultRow<TenantScene>, "answers" | "at" | "call">, says: string) => ({
  ...fault,
  what: `fails without a checksum when ${what}`,
  exitCode: 4,
  says: [`\nfailed: ${says}\n`],
  left: isNotWhole,
});

/** A temporary folder in which one file finds no room. */
const fullAt = (file: string): ProgramFault => ({
  shell: `d=$(mktemp -d) && ln -s /dev/full "$d/${file}" && echo "$d"; exit`,
});

/** Stopped when the newest dump is replaced, which restores so many users. */
const stopped = (when: string, answer: ProgramFault, users: number): FaultRow<TenantScene> => ({
  what: `has a newest dump to restore when it is stopped ${when} replacing it`,
  at: "mv",
  answers: [answer],
  signal: "SIGTERM",
  exitCode: 143,
  before: async (scene) => {
    const dumps = dumpsOf(scene);
    await dumps.dump();
    await dumps.query("DELETE FROM authentik_core_user WHERE name <> 'akadmin'");
  },
  left: async (scene) => {
    await runScript(restored(scene.settings));
    expect(await dumpsOf(scene).fill()).toMatchObject({
      output: expect.stringMatching(`\nusers: ${users} `) as string,
    });
  },
});

describeOnServers("dump-database.sh", (test, matrix) => {
  test("makes a dump that becomes an equal database", async (server) => {
    const { dump, fill, settings } = await Dumps.of(server, { withRestored: true });
    const { DB_NAME } = settings;

    const dumped = await dump();

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

  test("is made twice at the same time, first of all, and the newest has its checksum", async (server) => {
    const { folder, settings } = await Dumps.of(server);
    // Each waits for the other before it replaces the newest.
    const waits = `: >"$DUMP_FOLDER/.$$"; while [ "$(ls -A "$DUMP_FOLDER" | grep -c '^[.]')" -lt 2 ]; do sleep 0.1; done`;
    const runs = [1, 2].map((second) => {
      const programs = new ProgramStandIn({
        mv: `${waits}; exec mv "$@"`,
        date: `exec /bin/date --date=@${second} "$@"`,
      });
      return runJob("dump-database.sh", settings, {}, { programs });
    });

    expect(await Promise.all(runs)).toMatchObject([{ exitCode: 0 }, { exitCode: 0 }]);
    execFileSync("sh", ["-c", "sha256sum --check --strict *.sha256 && ! ls *.new"], { cwd: `${folder}/latest` });
  });

  test("never replaces the newest dump by one without tables", async (server) => {
    const { dump, newest, settings } = await Dumps.of(server, { withRestored: true });
    await dump();
    const before = readFileSync(newest);
    await exchange(server.cluster, settings);

    expect(await dump()).toMatchObject({
      exitCode: 0,
      output: expect.stringContaining(
        `${settings.DB_NAME} has no tables, so latest/${settings.DB_NAME}.dump stays as it is\n`,
      ) as string,
    });
    expect(readFileSync(newest).equals(before)).toBe(true);
  });

  describe("with copies in other buckets", () => {
    const copied = async (
      server: TestServer,
      change: (cloud: StorageStandIn) => void,
      further: Readonly<Record<string, string>> = {},
    ) => {
      const dumps = await Dumps.of(server);
      const cloud = new StorageStandIn(dumps.folder);
      await cloud.start();
      change(cloud);
      const settings = { ...dumps.settings, ...copiesTo(cloud, LOCKED), ...further };
      const run = await runJob("dump-database.sh", settings, {}, { programs: new ProgramStandIn({ sleep: "exit" }) });
      await cloud.stop();
      expect(run.output).not.toContain("never-to-be-printed");
      return { cloud, dumps, run };
    };
    const expectWhole = ({ cloud, dumps }: { cloud: StorageStandIn; dumps: Dumps }, buckets: readonly string[]) => {
      expect([...cloud.copies.keys()]).toEqual(
        buckets.flatMap((bucket) => dumps.dated.map((name) => `${bucket}/${BUCKET}/${name}`)),
      );
      for (const [copy, content] of cloud.copies)
        expect(content.equals(readFileSync(join(dumps.folder, "dumps", basename(copy))))).toBe(true);
    };

    test("copies the dump, and then its checksum, and says where", async (server) => {
      const done = await copied(server, () => undefined);
      expect(done.run).toMatchObject({ exitCode: 0 });
      expectWhole(done, [LOCKED]);
      expect(done.run.output).toMatch(
        new RegExp(`\ncopied to gs://${LOCKED}/${BUCKET}/${done.dumps.dated[0] ?? ""}\ndone: `),
      );
    });

    test("asks as often as Cloud Storage needs, and never replaces a copy", async (server) => {
      const done = await copied(server, (cloud) => (cloud.steps = 3));
      expect(done.run).toMatchObject({ exitCode: 0 });
      expectWhole(done, [LOCKED]);
      expect(done.cloud.requests).toHaveLength(6);
    });

    test("tries again after errors, a grant that does not work yet, and a lost answer", async (server) => {
      const done = await copied(server, ({ lost, next }) => {
        next.push(status(503), broken, status(403), status(401));
        lost.push(broken);
      });
      expect(done.run).toMatchObject({ exitCode: 0 });
      expectWhole(done, [LOCKED]);
    });

    test("copies into each bucket, and names those that it cannot reach; the dump stays", async (server) => {
      const done = await copied(server, (cloud) => cloud.missing.add(LOCKED), {
        DUMP_COPIES: `${LOCKED} elsewhere`,
        COPY_SECONDS: "1",
      });
      expect(done.run).toMatchObject({ exitCode: 5 });
      expect(done.run.output).toMatch(
        new RegExp(
          `\nfailed: the dump is stored, but not its copy in ${LOCKED}: 404 .*roles/storage.objectCreator on it\n$`,
        ),
      );
      expectWhole(done, ["elsewhere"]);
      expect(existsSync(done.dumps.newest)).toBe(true);
    });

    test("does not take a copy of others for its own", async (server) => {
      const done = await copied(server, ({ next }) => next.push(status(412)), { COPY_SECONDS: "0" });
      expect(done.run).toMatchObject({ exitCode: 5, output: expect.stringContaining(`${LOCKED}: 412 `) as string });
    });

    test("sends its token to nobody but Google", async (server) => {
      const { cloud, run } = await copied(server, () => undefined, { STORAGE_URL: "http://storage.example.com" });
      expect(run).toMatchObject({ exitCode: 2, output: expect.stringContaining("must not get a token") as string });
      expect(cloud.requests).toEqual([]);
    });

    test("refuses copies without the name of the mounted bucket", async (server) => {
      const { run } = await copied(server, () => undefined, { DUMP_BUCKET: "" });
      expect(run).toMatchObject({ exitCode: 2, output: expect.stringContaining("DUMP_BUCKET is missing") as string });
    });
  });

  matrix({
    tenant: async (server) => (await Dumps.of(server)).settings,
    programs: { date: CLOCK },
    run: (settings, options) => {
      const { DB_PROXY_QUIT_URL = "" } = settings;
      return runJob("dump-database.sh", settings, { DB_PROXY_QUIT_URL }, options);
    },
    settled: (scene) => {
      expect(existsSync(dumpsOf(scene).newest)).toBe(true);
      expectQuit(scene);
    },
  }).rows([
    unstored(
      "the dump cannot be stored",
      { at: "dd", answers: [exits(1, "dd: closing: Input/output error")] },
      "the dump could not be stored",
    ),
    unstored(
      "only a part is stored",
      { at: "dd", answers: [receives("head -c 2000")] },
      "the stored dump is not what was read from the database",
    ),
    unstored(
      "nothing is stored",
      { at: "dd", answers: [{ shell: "cat >/dev/null; exit" }] },
      "the stored dump cannot be read",
    ),
    {
      what: "fails without a checksum when a table cannot be read",
      at: "pg_dump",
      answers: [],
      exitCode: 1,
      // Of another owner, which the application's role may not read.
      before: async ({ server: { cluster }, settings: { DB_NAME: database } }) => {
        await cluster.query({ user: SUPERUSER, database }, "CREATE TABLE public.zzz (id int)");
      },
      says: [/permission denied for table zzz[^]*has no checksum and will not be restored/],
      left: isNotWhole,
    },
    {
      what: "names what a restore cannot make",
      at: "pg_dump",
      answers: [],
      exitCode: 0,
      before: async ({ server: { cluster }, settings: { DB_NAME: database } }) => {
        const watch = "CREATE FUNCTION watch() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'";
        const trigger = "CREATE EVENT TRIGGER watch ON ddl_command_start EXECUTE FUNCTION watch()";
        const cast = "CREATE CAST (text AS int) WITH INOUT AS ASSIGNMENT";
        await cluster.query({ user: SUPERUSER, database }, watch, trigger, cast);
      },
      says: [
        "a restore of this dump may fail: event trigger watch of another owner; cast from text to integer of another owner;",
      ],
    },
    stopped("before", hangs(), 2),
    stopped("after", hangs('mv "$@"'), 1),
    {
      what: "says that the temporary folder is full",
      at: "mktemp",
      answers: [fullAt("room")],
      exitCode: 1,
      says: [/^failed: the temporary folder \S+ is full or cannot be written/m],
    },
    {
      what: "tells the proxy to quit when it may not sign in",
      at: "pg_dump",
      answers: [],
      exitCode: 1,
      options: { environment: { DB_PASSWORD: "wrong" } },
      left: isNotWhole,
    },
    {
      what: "tells the proxy to quit when a setting is missing",
      at: "pg_dump",
      answers: [],
      exitCode: 2,
      options: { environment: { DB_HOST: "" } },
      left: expectQuit,
    },
    { what: "needs no room in it to see the tables", at: "mktemp", answers: [fullAt("list")], exitCode: 0 },
  ]);
});
