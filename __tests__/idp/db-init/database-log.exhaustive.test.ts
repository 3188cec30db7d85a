import { setTimeout as pause } from "node:timers/promises";

import { LOGGING_FLAGS } from "../../../lib/platform/sql/database-flags";
import { describeWith } from "../../support/programs";
import { ADMIN_PASSWORD, type Cluster, startCluster } from "./cluster";
import { runScript } from "./script-run";

const ROLE_PASSWORD = "secret-application-81";
const REFUSED_PASSWORD = "secret-refused-82";
const DISCONNECTION = /disconnection: .* user=app database=app_db/;

describeWith(["initdb", "postgres", "psql", "busybox", "dash"], "The log of a database with the flags of ours", () => {
  let cluster: Cluster;
  let log: string;

  beforeAll(async () => {
    cluster = await startCluster(LOGGING_FLAGS);
    // Setting up the stand-in for the managed service is not part of a deployment.
    const madeReady = cluster.log().length;
    const settings = {
      DB_HOST: cluster.socketFolder,
      DB_PORT: String(cluster.port),
      DB_NAME: "app_db",
      DB_USER: "app",
      DB_PASSWORD: ROLE_PASSWORD,
      DB_ADMIN_PASSWORD: ADMIN_PASSWORD,
      DB_MANAGED_SUPERUSER_ROLE: "cloudsqlsuperuser",
      DB_WAIT_SECONDS: "5",
    };
    const outcomes = [
      await runScript(settings),
      await runScript({ ...settings, DB_USER: "public", DB_PASSWORD: REFUSED_PASSWORD }),
      await runScript({ ...settings, DB_ADMIN_PASSWORD: REFUSED_PASSWORD }),
    ];
    expect(outcomes.map(({ exitCode }) => exitCode === 0)).toEqual([true, false, false]);
    const application = { user: "app", database: "app_db", password: ROLE_PASSWORD };
    await cluster.query(application, "CREATE TABLE visits (id bigint)", "SELECT 41 + 1");
    // The server logs the end of a session after the client has exited.
    do {
      await pause(20);
      log = cluster.log().slice(madeReady);
    } while (!DISCONNECTION.test(log));
  });

  afterAll(async () => {
    await cluster.stop();
  });

  it("records connections, disconnections and schema changes", () => {
    expect(log).toContain("connection authorized: user=app database=app_db");
    expect(log).toMatch(DISCONNECTION);
    expect(log).toContain("CREATE TABLE visits");
  });

  it("contains a new password only as its salted hash, and neither a refused one nor that of a sign-in", () => {
    expect(log).toContain("ALTER USER app PASSWORD 'SCRAM-SHA-256$");
    expect(log).toContain('password authentication failed for user "postgres"');
    for (const password of [ROLE_PASSWORD, REFUSED_PASSWORD, ADMIN_PASSWORD]) expect(log).not.toContain(password);
  });

  it("contains no read-only statements", () => {
    expect(log).not.toContain("SELECT 41");
  });

  it("follows flags that the server knows by these names and values", async () => {
    const shown = await Promise.all(
      Object.keys(LOGGING_FLAGS).map(async (name) => [
        name,
        await cluster.query({ user: "postgres", password: ADMIN_PASSWORD }, `SHOW ${name}`),
      ]),
    );
    expect(Object.fromEntries(shown)).toEqual(LOGGING_FLAGS);
  });
});
