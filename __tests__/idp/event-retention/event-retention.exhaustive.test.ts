import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { type Environment } from "../db-init/script-run";
import { applicationLogin, describeOnServers, type Tenant, type TestServer } from "../db-init/tenants";
import { filledTenant, runJob } from "../recovery/job-run";

/** What the job knows of the application's tables, as releases from 2026.5 on declare it. */
const TABLES = [
  "CREATE TABLE django_migrations (id bigserial PRIMARY KEY)",
  `CREATE TABLE authentik_tenants_tenant (
    schema_name text PRIMARY KEY, event_retention text NOT NULL DEFAULT 'days=365')`,
  `CREATE TABLE authentik_events_event (
    event_uuid uuid PRIMARY KEY DEFAULT gen_random_uuid(), action text NOT NULL, context jsonb DEFAULT '{}',
    created timestamptz NOT NULL DEFAULT now(), expires timestamptz NOT NULL, expiring bool NOT NULL DEFAULT true)`,
  "CREATE INDEX ON authentik_events_event (created)",
  "CREATE INDEX ON authentik_events_event (expires)",
  "INSERT INTO authentik_tenants_tenant (schema_name) VALUES ('public')",
];

/** An event that was made so many days ago and is kept for others; its action says both. */
const event = (age: number, days: number, more = "true"): string =>
  `INSERT INTO authentik_events_event (action, context, created, expires, expiring) SELECT '${age} of ${days}',
    '{"username": "unsaid"}', made, made + interval '${days} days', ${more}
    FROM (SELECT now() - interval '${age} days' AS made) event`;

/** Days after which each event ends, and 0 for those that end today, by the events' actions. */
const ENDS = `SELECT string_agg(action || ': ' || CASE WHEN expires < now() + interval '1 day' THEN 0
    ELSE round(extract(epoch FROM expires - created) / 86400) END, ', ' ORDER BY created, action)
  FROM authentik_events_event`;
const RETENTION = "SELECT string_agg(event_retention, ',' ORDER BY schema_name) FROM authentik_tenants_tenant";

const installed = (server: TestServer, events: readonly string[] = []): Promise<Tenant> =>
  filledTenant(server, [...TABLES, ...events]);

const keep = (settings: Environment, days: number, further: Environment = {}): Promise<ScriptRun> =>
  runJob("event-retention.sh", settings, { EVENT_DAYS: String(days), ...further });

const asked = (server: TestServer, settings: Tenant, query: string): Promise<string> =>
  server.cluster.query(applicationLogin(settings), query);

/** The only line of a run. */
function told({ exitCode, output }: ScriptRun): unknown {
  expect([exitCode, output]).toEqual([0, expect.stringMatching(/^\{.*\}\n$/)]);
  return JSON.parse(output);
}

const line = (days: number, changed: number, broughtForward: number, leftOver = false) => ({
  message: `event-retention: an event is kept for ${days} days`,
  days,
  changed,
  brought_forward: broughtForward,
  left_over: leftOver,
});

const OLD_EVENTS = [300, 200, 100, 20, 0].map((age) => event(age, 365));

describeOnServers("event-retention.sh", (test) => {
  test("sets the days, and brings forward the end of what was made under a longer setting", async (server) => {
    const settings = await installed(server, OLD_EVENTS);
    const run = await keep(settings, 90);
    expect(told(run)).toEqual(line(90, 1, 5));
    expect(await asked(server, settings, RETENTION)).toBe("days=90");
    const ends = "300 of 365: 0, 200 of 365: 0, 100 of 365: 0, 20 of 365: 90, 0 of 365: 90";
    expect(await asked(server, settings, ENDS)).toBe(ends);
    for (const secret of ["unsaid", settings.DB_PASSWORD]) expect(run.output).not.toContain(secret);
  });

  test("does nothing a second time, although what it has brought forward is still there", async (server) => {
    const settings = await installed(server, OLD_EVENTS);
    await keep(settings, 90);
    const before = await asked(server, settings, "SELECT string_agg(expires::text, ',') FROM authentik_events_event");
    expect(told(await keep(settings, 90))).toEqual(line(90, 0, 0));
    // Another event under a longer setting makes it look at all of them again.
    await asked(server, settings, event(1, 1000));
    expect(told(await keep(settings, 90))).toEqual(line(90, 0, 1));
    const after = `SELECT string_agg(expires::text, ',') FROM authentik_events_event WHERE action <> '1 of 1000'`;
    expect(await asked(server, settings, after)).toBe(before);
  });

  test("sets what somebody has set by hand, for each tenant of the application", async (server) => {
    const settings = await installed(server, [
      "INSERT INTO authentik_tenants_tenant VALUES ('t_one', 'weeks=1'), ('t_two', 'days=90')",
    ]);
    expect(told(await keep(settings, 90))).toEqual(line(90, 2, 0));
    expect(await asked(server, settings, RETENTION)).toBe("days=90,days=90,days=90");
  });

  test("ends the events of one page some minutes after those of the page before", async (server) => {
    const settings = await installed(
      server,
      [350, 340, 330, 320, 310].map((age) => event(age, 365)),
    );
    expect(told(await keep(settings, 90, { EVENT_PAGE: "2" }))).toEqual(line(90, 1, 5));
    const minutes = `SELECT string_agg(minutes::text, ',') FROM (
      SELECT round(extract(epoch FROM expires - min(expires) OVER ()) / 60) AS minutes
      FROM authentik_events_event ORDER BY created) event`;
    expect(await asked(server, settings, minutes)).toBe("0,0,5,5,10");
  });

  test("leaves what is beyond the limit to the next nights, the newest to the last", async (server) => {
    const settings = await installed(server, OLD_EVENTS);
    const limits = { EVENT_PAGE: "2", EVENT_LIMIT: "2" };
    expect(told(await keep(settings, 90, limits))).toEqual(line(90, 1, 2, true));
    expect(await asked(server, settings, ENDS)).toContain("200 of 365: 0, 100 of 365: 365");
    expect(told(await keep(settings, 90, limits))).toEqual(line(90, 0, 2, true));
    expect(told(await keep(settings, 90, limits))).toEqual(line(90, 0, 1));
    expect(told(await keep(settings, 90, limits))).toEqual(line(90, 0, 0));
  });

  test("leaves the rest to the next night when its time is over", async (server) => {
    const settings = await installed(server, OLD_EVENTS);
    expect(told(await keep(settings, 90, { EVENT_SECONDS: "0" }))).toEqual(line(90, 1, 0, true));
    expect(told(await keep(settings, 90))).toEqual(line(90, 0, 5));
  });

  test("misses none of the events that were made at the same time", async (server) => {
    const settings = await installed(server, [
      `INSERT INTO authentik_events_event (action, created, expires)
        SELECT 'same', now() - interval '50 days', now() + interval '300 days' FROM generate_series(1, 11)`,
    ]);
    expect(told(await keep(settings, 30, { EVENT_PAGE: "3" }))).toEqual(line(30, 1, 11));
  });

  test("never makes an event end later, nor touches one that ends earlier or not at all", async (server) => {
    const untouched = [event(20, 30), event(10, 90), event(5, 91), event(4, 365, "false"), event(300, 300.5)];
    const settings = await installed(server, untouched);
    const before = await asked(server, settings, ENDS);
    expect(told(await keep(settings, 90))).toEqual(line(90, 1, 0));
    expect(told(await keep(settings, 400))).toEqual(line(400, 1, 0));
    expect([before, await asked(server, settings, ENDS)]).toEqual([before, before]);
  });

  test("passes by an event that somebody deletes at the time", async (server) => {
    const settings = await installed(server, OLD_EVENTS);
    const deletion = "BEGIN; DELETE FROM authentik_events_event WHERE action = '300 of 365'; SELECT pg_sleep(60)";
    const deleting = asked(server, settings, deletion).catch(() => "ended");
    const deleters = "FROM pg_stat_activity WHERE query LIKE 'BEGIN; DELETE%' AND wait_event = 'PgSleep'";
    const own = `${deleters} AND datname = current_database()`;
    while ((await asked(server, settings, `SELECT count(*) ${own}`)) === "0");
    expect(told(await keep(settings, 90))).toEqual(line(90, 1, 4));
    await asked(server, settings, `SELECT pg_terminate_backend(pid) ${own}`);
    expect(await deleting).toBe("ended");
  });

  test("does not wait for a migration, and says that it tries again", async (server) => {
    const settings = await installed(server, OLD_EVENTS);
    const migration = "BEGIN; LOCK TABLE authentik_tenants_tenant; SELECT pg_sleep(60)";
    const migrating = asked(server, settings, migration).catch(() => "ended");
    const own = "FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()";
    while ((await asked(server, settings, `SELECT count(*) ${own}`)) === "0");
    const { exitCode, output } = await keep(settings, 90);
    await asked(server, settings, `SELECT pg_terminate_backend(pid) ${own}`);
    expect([exitCode, await migrating]).toEqual([1, "ended"]);
    expect(output).toContain("canceling statement due to lock timeout");
    expect(output).toContain("failed: the setting could not be changed; the reason is above, and the next run");
  });

  test("finds the tables in another schema", async (server) => {
    const settings = await filledTenant(server, [
      "CREATE SCHEMA elsewhere",
      "SET search_path = elsewhere",
      ...TABLES,
      ...OLD_EVENTS,
    ]);
    expect(told(await keep(settings, 90))).toEqual(line(90, 1, 5));
    expect(await asked(server, settings, RETENTION.replace("authentik_", "elsewhere.authentik_"))).toBe("days=90");
  });

  test("ends quietly before the first start", async (server) => {
    const run = await keep(await filledTenant(server, []), 90);
    expect(run).toMatchObject({ exitCode: 0, output: expect.stringContaining("no tables") as string });
  });

  for (const [what, statement, said] of [
    [
      "column of the setting",
      "ALTER TABLE authentik_tenants_tenant RENAME event_retention TO kept_for",
      "authentik_tenants_tenant.event_retention",
    ],
    ["column of events", "ALTER TABLE authentik_events_event DROP COLUMN expires", "authentik_events_event.expires"],
    ["table of the setting", "DROP TABLE authentik_tenants_tenant", "authentik_tenants_tenant.event_retention"],
  ] as const)
    test(`changes nothing, and says what to do, without the ${what}`, async (server) => {
      const settings = await installed(server, [...OLD_EVENTS, statement]);
      expect(await keep(settings, 90)).toMatchObject({
        exitCode: 1,
        output: [
          `failed: this release of the application has no ${said}, so nothing was changed; apply a newer folder,`,
          "and until then set Event retention under System > Settings\n",
        ].join(" "),
      });
      const kept = "SELECT count(*) FROM authentik_events_event WHERE created > now() - interval '400 days'";
      expect(await asked(server, settings, kept)).toBe("5");
    });

  test("is refused with a password of yesterday, and as the login of another application", async (server) => {
    const [settings, other] = [await installed(server, OLD_EVENTS), await installed(server)];
    const { DB_PASSWORD: password, DB_USER } = other;
    for (const [login, said] of [
      [{ DB_PASSWORD: "of-yesterday" }, "password authentication failed"],
      [{ DB_USER }, "permission denied for database"],
    ] as const) {
      const { exitCode, output } = await keep({ ...settings, ...login }, 90);
      expect([exitCode, output]).toEqual([1, expect.stringContaining(said)]);
      for (const secret of ["of-yesterday", password]) expect(output).not.toContain(secret);
    }
    expect(await asked(server, settings, RETENTION)).toBe("days=365");
  });

  test("refuses days that are no number, before it asks", async (server) => {
    const run = await runJob("event-retention.sh", server.tenant(), { EVENT_DAYS: "90 days" });
    expect(run).toMatchObject({ exitCode: 2, output: 'failed: a setting EVENT_... is "90 days", no whole number\n' });
  });
});
