import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { FACTS, LOG_CASES } from "../../platform/monitoring/alert-fixture";
import { isSelected } from "../../platform/monitoring/log-filter";
import { type ScriptRun } from "../../support/google-stand-in-scripts";
import { SUPERUSER } from "../db-init/cluster";
import { type Environment } from "../db-init/script-run";
import { applicationLogin, describeOnServers, type Tenant, type TestServer } from "../db-init/tenants";
import { filledTenant, runJob } from "../recovery/job-run";

const SCHEMA = readFileSync(join(__dirname, "schema.sql"), "utf8");
const LIMITS =
  "task_late_seconds=120 task_hanging_seconds=1200 schedule_overdue_seconds=900 tasks_failed=0 mails_not_sent=0 sign_ins_failed=100 sign_ins_failed_from_one_address=30 certificate_days=30 restore_drill_days=0";

const checkUp = (settings: Environment, further: Environment = {}): Promise<ScriptRun> =>
  runJob("check-up.sh", settings, {
    CHECK_UP_SQL: readFileSync(packageFile("lib/idp/scripts/check-up.sql"), "utf8"),
    CHECK_UP_LIMITS: LIMITS,
    CHECK_UP_AGAIN_SECONDS: "0",
    ...further,
  });

interface Line {
  readonly message: string;
  readonly blind: boolean;
  readonly unknown: readonly string[];
  readonly signals: Readonly<Record<string, Readonly<Record<"count" | "limit" | "oldest_seconds", number>>>>;
}

/** The only line of a run, and the alerts that it raises on Cloud Run. */
function told({ exitCode, output }: ScriptRun, expected = 0): Line & { readonly alerts: readonly string[] } {
  expect(exitCode).toBe(expected);
  const line = JSON.parse(output) as Line;
  const labels = { job_name: FACTS.checkUpJob, location: "us-central1" };
  const entry = { resource: { type: "cloud_run_job", labels }, jsonPayload: line };
  const raised = LOG_CASES.filter(({ filter, platform }) => platform === "serverless" && isSelected(filter, entry));
  return { ...line, alerts: raised.map(({ alert }) => alert.id) };
}

const task = (actor: string, state: string, age: string, more = "") =>
  `INSERT INTO authentik_tasks_task (actor_name, state, mtime${more === "" ? "" : ", aggregated_status"}) VALUES ('${actor}', '${state}', now() - interval '${age}'${more})`;
const MAIL = "authentik.stages.email.tasks.send_mail";
const OUTPOST = "11111111-2222-4333-8444-555555555555";
const outpost = `INSERT INTO authentik_outposts_outpost (uuid, name) VALUES ('${OUTPOST}', 'ldap')`;
const hello = (expires: string) =>
  `INSERT INTO django_postgres_cache_cacheentry VALUES (':1:goauthentik.io/outposts/state/${OUTPOST.replaceAll("-", "")}/a', 'x', now() + interval '${expires}')`;
const signIns = (count: number, address: string) =>
  `INSERT INTO authentik_events_event (action, client_ip, context) SELECT 'login_failed', ${address}, '{"username": "unsaid"}' FROM generate_series(1, ${count}) n`;

const CERTIFICATE = "application-certificate";
const certificate = (name: string, ends: string, managed = "NULL") =>
  `INSERT INTO authentik_crypto_certificatekeypair (name, managed, cert_expiry) VALUES ('${name}', ${managed}, now() + interval '${ends}')`;
const provider = (name: string, key = "signing_kp_id") =>
  `INSERT INTO authentik_providers_saml_samlprovider (${key}) SELECT kp_uuid FROM authentik_crypto_certificatekeypair WHERE name = '${name}'`;

/** A task of a schedule, as the pages of a synchronization are. */
const ofSchedule = (actor: string, state: string, age: string) =>
  `INSERT INTO authentik_tasks_task (actor_name, state, mtime, rel_obj_content_type_id, rel_obj_id) VALUES ('authentik.providers.scim.tasks.${actor}', '${state}', now() - interval '${age}', 158, 'schedule')`;
const page = (state: string, age: string) => ofSchedule("scim_sync_objects", state, age);
const SCHEDULE = "47a9c7e4-a3bd-475b-a8bf-42a715855f72";

/**
 * Tasks of a synchronization of 5,000 users by SCIM, as release 2026.5.0-rc1 had them after so many minutes, with two
 * processes of two threads: actor, state, age in seconds, and how many there are.
 */
const real = (minutes: 10 | 20): string[] =>
  readFileSync(join(__dirname, `synchronization-after-${minutes}-minutes.tsv`), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => line.split("\t"))
    .map(
      ([actor = "", state = "", age = "", count = ""]) =>
        `INSERT INTO authentik_tasks_task (actor_name, state, mtime, rel_obj_content_type_id, rel_obj_id) SELECT '${actor}', '${state}', now() - interval '${age} s', 158, '${SCHEDULE}' FROM generate_series(1, ${count})`,
    );
const due = (age: string) =>
  `INSERT INTO authentik_tasks_schedules_schedule (id, actor_name, next_run) VALUES ('${SCHEDULE}', 'scim_sync', now() - interval '${age}')`;

const synchronization = (begun: string, lastPage: string) => [
  ofSchedule("scim_sync", "running", begun),
  page("done", lastPage),
];

const BLUEPRINT = "blueprints-failed";
const INSTANCE = "22222222-2222-4333-8444-555555555555";
const blueprint = (status: string) =>
  `INSERT INTO authentik_blueprints_blueprintinstance (instance_uuid, name, status) VALUES ('${INSTANCE}', 'own', '${status}')`;
const attempt = (state: string, age: string) =>
  `INSERT INTO authentik_tasks_task (actor_name, state, mtime, rel_obj_content_type_id, rel_obj_id) VALUES ('authentik.blueprints.v1.tasks.apply_blueprint', '${state}', now() - interval '${age}', 160, '${INSTANCE}')`;

const DRILL = "restore-untested";
/** The limits, but for that of drills. */
const judging = (days: number): Environment => ({
  CHECK_UP_LIMITS: LIMITS.replace("restore_drill_days=0", `restore_drill_days=${days}`),
});

/** What is in the database, and the alerts that it raises. */
const STATES: Readonly<Record<string, readonly [statements: readonly string[], alerts: readonly string[]]>> = {
  "an installation that nobody uses": [[], []],
  "one that was just upgraded, whose tasks logged errors or wait for others": [
    [
      task("blueprint", "done", "1 min", ", 'error'"),
      task("apply", "waiting_for_dependencies", "1 h"),
      task("a", "running", "9 min"),
    ],
    [],
  ],
  "18 tasks while all threads are blocked": [
    Array<string>(18).fill(task("late.task", "queued", "11 min")),
    ["tasks-late"],
  ],
  "a task that has waited for three minutes while none has ended": [
    [
      task("late.task", "queued", "3 min"),
      "UPDATE authentik_tasks_task SET mtime = now() - interval '4 min' WHERE state = 'done'",
    ],
    ["tasks-late"],
  ],
  "one that has while others end, as in a large synchronization": [
    [task("waiting.task", "queued", "3 min"), task("ended.task", "done", "1 min")],
    [],
  ],
  "a worker that is gone while nobody works": [
    [
      "UPDATE authentik_tasks_schedules_schedule SET next_run = now() - interval '16 min' WHERE actor_name = 'clean_expired_models'",
    ],
    ["schedules-overdue"],
  ],
  "a task that hangs": [[task("hanging.task", "running", "21 min")], ["tasks-hanging"]],
  "a retry that waits": [["UPDATE authentik_tasks_task SET eta = now() + interval '1 min' WHERE state = 'queued'"], []],
  "a task whose retries are all used": [[task("failed.task", "rejected", "10 min", ", 'rejected'")], ["tasks-failed"]],
  "one of yesterday": [[task("failed.task", "rejected", "1 day")], []],
  "a mail that was not sent": [[task(MAIL, "rejected", "1 min")], ["mail-not-sent"]],
  "a wave of failed sign-ins from everywhere": [[signIns(101, "('10.0.' || n || '.1')::inet")], ["sign-ins-failed"]],
  "many from one address": [[signIns(31, "'192.0.2.7'")], ["sign-ins-failed"]],
  "some people who mistype": [[signIns(30, "'192.0.2.7'"), signIns(60, "('10.0.' || n || '.1')::inet")], []],
  "a certificate with 29 days that a provider signs with": [
    [certificate("saml", "29 days"), provider("saml")],
    [CERTIFICATE],
  ],
  "one that ended last week, which a provider verifies with": [
    [certificate("saml", "-7 days"), provider("saml", "verification_kp_id")],
    [CERTIFICATE],
  ],
  "one that nothing refers to": [[certificate("unused", "29 days")], []],
  "the internal one for tokens, which nobody sees": [
    [certificate("jwt", "29 days", "'goauthentik.io/crypto/jwt-managed'"), provider("jwt")],
    [],
  ],
  "a release that does not write down when certificates end, nor when tasks are tried again": [
    [
      "ALTER TABLE authentik_crypto_certificatekeypair DROP COLUMN cert_expiry",
      "ALTER TABLE authentik_tasks_task DROP COLUMN eta",
      "DELETE FROM django_migrations",
      "UPDATE authentik_tasks_task SET mtime = now() WHERE state = 'queued'",
    ],
    [],
  ],
  "a column of certificates that another release names otherwise": [
    ["ALTER TABLE authentik_crypto_certificatekeypair RENAME COLUMN cert_expiry TO ends"],
    ["check-up-blind"],
  ],
  "a synchronization of 5,000 users, after ten minutes": [real(10), []],
  "a synchronization of 5,000 users, after twenty minutes, with what waits behind it": [
    [...real(20), task("authentik.core.tasks.clean_expired_models", "queued", "14 min")],
    [],
  ],
  "one that is due again before it has ended": [[...real(20), due("16 min")], []],
  "a synchronization of hours whose pages end": [[...synchronization("3 h", "1 min"), page("queued", "55 min")], []],
  "one whose page takes 25 minutes while others end": [
    [...synchronization("3 h", "1 min"), page("running", "25 min")],
    [],
  ],
  "one that waits for pages that are never begun": [
    [...synchronization("50 min", "45 min"), page("consumed", "45 min"), page("queued", "49 min")],
    ["tasks-hanging", "tasks-late"],
  ],
  "mail that waits for eleven minutes during a synchronization": [
    [...synchronization("3 h", "1 min"), task(MAIL, "queued", "11 min")],
    ["tasks-late"],
  ],
  "a task that hangs although others of its schedule end": [
    [page("running", "21 min"), page("done", "1 min")],
    ["tasks-hanging"],
  ],
  "an outpost that connects": [[outpost, hello("15 s")], []],
  "an outpost that does not": [[outpost, hello("-1 s")], ["outposts-disconnected"]],
  "a blueprint that failed, and again in the next hour": [
    [blueprint("error"), attempt("done", "62 min"), attempt("done", "2 min")],
    [BLUEPRINT],
  ],
  "one whose attempts end by an exception": [
    [blueprint("unknown"), attempt("rejected", "62 min"), attempt("rejected", "2 min")],
    [BLUEPRINT, "tasks-failed"],
  ],
  "one whose new content does": [
    [blueprint("successful"), attempt("done", "100 min"), attempt("rejected", "62 min"), attempt("rejected", "2 min")],
    [BLUEPRINT, "tasks-failed"],
  ],
  "one that failed after another attempt had applied it": [
    [blueprint("error"), attempt("done", "5 min"), attempt("done", "4 min")],
    [],
  ],
  "one that did so yesterday": [[blueprint("error"), attempt("done", "1 day"), attempt("done", "1 day")], []],
  "a renamed column": [["ALTER TABLE authentik_tasks_task RENAME COLUMN state TO phase"], ["check-up-blind"]],
  "a missing table": [["DROP TABLE authentik_outposts_outpost"], ["check-up-blind"]],
};

const installed = async (server: TestServer, statements: readonly string[]): Promise<Tenant> =>
  filledTenant(server, [SCHEMA, ...statements]);

describeOnServers("check-up.sh", (test) => {
  for (const [state, [statements, alerts]] of Object.entries(STATES))
    test(`raises ${alerts.join(" and ") || "nothing"} for ${state}`, async (server) => {
      const run = await checkUp(await installed(server, statements));
      expect(told(run).alerts).toEqual(alerts);
      for (const secret of ["192.0.2.7", "unsaid", "akadmin"]) expect(run.output).not.toContain(secret);
    });

  for (const [what, days, commentOf, alerts] of [
    ["no drill, without a limit", 0, () => "NULL", []],
    ["a drill of 101 days ago, without a limit", 0, (passed: (days: number) => string) => passed(101), []],
    ["no drill", 100, () => "NULL", [DRILL]],
    ["what somebody has written of the database", 100, () => "'ours, see restore-drill: passed'", [DRILL]],
    ["a drill of today", 100, (passed: (days: number) => string) => passed(0), []],
    ["a drill of 99 days ago", 100, (passed: (days: number) => string) => passed(99), []],
    ["a drill of 101 days ago", 100, (passed: (days: number) => string) => passed(101), [DRILL]],
  ] as const)
    test(`raises ${alerts.join() || "nothing"} for ${what} when there is a limit of ${days} days`, async (server) => {
      const settings = await installed(server, []);
      const superuser = { user: SUPERUSER };
      const passed = (ago: number) =>
        `'Sign-in,\nof the team\nrestore-drill: passed ${new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 19)}Z'`;
      await server.cluster.query(superuser, `COMMENT ON DATABASE ${settings.DB_NAME} IS ${commentOf(passed)}`);
      expect(told(await checkUp(settings, judging(days))).alerts).toEqual(alerts);
    });

  test("counts one for a drill that is missing, and no seconds since none", async (server) => {
    const { message, signals } = told(await checkUp(await installed(server, []), judging(100)));
    expect(message).toBe("check-up: wrong: restore_untested");
    expect(signals.restore_untested).toEqual({ count: 1, oldest_seconds: 0, limit: 100, raised: true });
  });

  test("says counts, ages, limits and names of tasks", async (server) => {
    const { message, signals } = told(await checkUp(await installed(server, [task("late.task", "queued", "11 min")])));
    expect(message).toBe("check-up: wrong: tasks_late");
    expect(signals.tasks_late).toMatchObject({ count: 1, limit: 120, raised: true, tasks: ["late.task"] });
    expect(signals.tasks_late?.oldest_seconds).toBeGreaterThanOrEqual(660);
    expect(Object.keys(signals)).toHaveLength(11);
  });

  test("names what it does not know, and still says the rest", async (server) => {
    const renamed = ["ALTER TABLE authentik_events_event RENAME TO events", task("late.task", "queued", "11 min")];
    const { alerts, unknown } = told(await checkUp(await installed(server, renamed)));
    expect(unknown).toEqual(["sign_ins_failed", "sign_ins_failed_from_one_address"]);
    expect(alerts).toEqual(["check-up-blind", "tasks-late"]);
  });

  test("looks again before it says that something is wrong", async (server) => {
    const settings = await installed(server, [task("late.task", "queued", "11 min")]);
    const run = checkUp(settings, { CHECK_UP_AGAIN_SECONDS: "3" });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await server.cluster.query(applicationLogin(settings), "DELETE FROM authentik_tasks_task WHERE state = 'queued'");
    expect(told(await run).alerts).toEqual([]);
  });

  test("never waits for a migration that holds a table", async (server) => {
    const settings = await installed(server, []);
    const login = applicationLogin(settings);
    // Longer than both looks take on a busy machine; it is ended below.
    const lock = "BEGIN; LOCK TABLE authentik_blueprints_blueprintinstance; SELECT pg_sleep(60)";
    const migration = server.cluster.query(login, lock).catch(() => "ended");
    const holders =
      "FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' AND relation = 'authentik_blueprints_blueprintinstance'::regclass";
    while ((await server.cluster.query(login, `SELECT count(*) ${holders}`)) === "0");
    const { unknown } = told(await checkUp(settings, { CHECK_UP_AGAIN_SECONDS: "0" }));
    await server.cluster.query(login, `SELECT pg_terminate_backend(pid) ${holders}`);
    expect([unknown, await migration]).toEqual([["blueprints_failed"], "ended"]);
  });

  test("writes nothing, even if its statements would", async (server) => {
    const settings = await installed(server, []);
    const CHECK_UP_SQL = "-- tasks_late: x\nDELETE FROM authentik_tasks_task;\n";
    expect(told(await checkUp(settings, { CHECK_UP_SQL })).unknown).toEqual(["tasks_late"]);
    const count = "SELECT count(*) FROM authentik_tasks_task";
    expect(await server.cluster.query(applicationLogin(settings), count)).toBe("51");
  });

  test("ends quietly before the first start", async (server) => {
    const run = await checkUp(await filledTenant(server, []));
    expect(run).toMatchObject({ exitCode: 0, output: expect.stringContaining("no tables") as string });
  });

  for (const [state, settings, words] of [
    ["is away", { DB_HOST: "127.0.0.1", DB_PORT: "9" }, "Connection refused"],
    ["refuses its password", { DB_PASSWORD: "of-yesterday" }, "password authentication failed"],
    ["is closed to it", { DB_NAME: "template0" }, "is not currently accepting connections"],
  ] as const)
    test(`fails, and an alert hears it, when the database ${state}`, async (server) => {
      const run = await checkUp({ ...(await installed(server, [])), ...settings });
      const { alerts, message, unknown } = told(run, 1);
      expect([message, alerts]).toEqual([expect.stringContaining(words), ["check-up-blind"]]);
      expect(unknown).toHaveLength(11);
    });

  test("says that the database hangs", async (server) => {
    const silent = createServer(() => undefined).listen(0, "127.0.0.1");
    await new Promise((resolve) => silent.once("listening", resolve));
    const DB_PORT = String((silent.address() as { readonly port: number }).port);
    const hanging = { ...(await filledTenant(server, [])), DB_HOST: "127.0.0.1", DB_PORT };
    try {
      const { alerts, message } = told(await checkUp(hanging, { CHECK_UP_SECONDS: "1" }), 1);
      expect([message, alerts]).toEqual(["check-up: the database does not answer within 1 s", ["check-up-blind"]]);
    } finally {
      silent.close();
    }
  });

  test("refuses a limit that is no number, before it asks", async (server) => {
    const run = await checkUp(server.tenant(), { CHECK_UP_LIMITS: "tasks_failed=0;drop" });
    expect(run).toMatchObject({
      exitCode: 2,
      output: 'failed: CHECK_UP_LIMITS has "tasks_failed=0;drop", no name=number\n',
    });
  });
});
