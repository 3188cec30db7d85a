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
  beforeAll(async () => {
    cluster = await startCluster(LOGGING_FLAGS);
  });
  afterAll(() => cluster.stop());

  it("records connections and schema changes, and neither passwords nor read-only statements", async () => {
    // Setting up the stand-in for the managed service is not part of a deployment.
    const madeReady = cluster.log().length;
    const settings = {
      ...{ DB_HOST: cluster.socketFolder, DB_PORT: String(cluster.port), DB_NAME: "app_db", DB_USER: "app" },
      ...{ DB_PASSWORD: ROLE_PASSWORD, DB_ADMIN_PASSWORD: ADMIN_PASSWORD, DB_WAIT_SECONDS: "5" },
    };
    expect(await runScript(settings)).toMatchObject({ exitCode: 0 });
    // Refusals, because the server logs the statement that failed.
    expect((await runScript({ ...settings, DB_USER: "public", DB_PASSWORD: REFUSED_PASSWORD })).exitCode).toBe(1);
    expect((await runScript({ ...settings, DB_ADMIN_PASSWORD: REFUSED_PASSWORD })).exitCode).toBe(4);
    const application = { user: "app", database: "app_db", password: ROLE_PASSWORD };
    await cluster.query(application, "CREATE TABLE visits (id bigint)", "SELECT 41 + 1");

    let log: string;
    // The server logs the end of a session after the client has exited.
    do {
      await pause(20);
      log = cluster.log().slice(madeReady);
    } while (!DISCONNECTION.test(log));
    expect(log).toContain("connection authorized: user=app database=app_db");
    expect(log).toContain("CREATE TABLE visits");
    expect(log).toContain("ALTER USER app PASSWORD 'SCRAM-SHA-256$");
    expect(log).toContain('password authentication failed for user "postgres"');
    for (const secret of [ROLE_PASSWORD, REFUSED_PASSWORD, ADMIN_PASSWORD, "SELECT 41"])
      expect(log).not.toContain(secret);
  });
});
