import { ADMIN_PASSWORD, SUPERUSER } from "./cluster";
import { runScript } from "./script-run";
import { applicationLogin, COMPLETE, describeOnServer } from "./tenants";

describeOnServer("db-init.sh on PostgreSQL 15, whatever it finds there", (test) => {
  test("reaches the complete end state through socket and TCP, and the same when run again, in every shell", async ({
    cluster,
    tenant,
    endState,
  }) => {
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

  test("takes role creation and database creation away from a role that had them", async ({
    cluster,
    tenant,
    endState,
  }) => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE ROLE ${settings.DB_USER} NOLOGIN NOINHERIT CREATEROLE CREATEDB`);
    await runScript(settings);

    expect(await endState(settings.DB_NAME)).toEqual(COMPLETE);
  });

  test("keeps a role that the administrator has given itself, for example for a restore", async ({
    cluster,
    tenant,
    endState,
  }) => {
    const settings = tenant();
    await runScript(settings);
    await cluster.query({ user: "postgres", password: ADMIN_PASSWORD }, `GRANT ${settings.DB_USER} TO postgres`);
    const { exitCode } = await runScript(settings);

    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual(COMPLETE);
  });

  test("goes on where no managed-superuser role exists", async ({ tenant, endState }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "absent" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain("the role absent does not exist on this server, nothing granted\n");
    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual({ ...COMPLETE, memberOf: [] });
  });

  test("skips with a line what has no role or no proxy named", async ({ tenant, endState }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: "", DB_PROXY_QUIT_URL: "" });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain(
      "step 4 of 5: no managed-superuser role to grant (DB_MANAGED_SUPERUSER_ROLE is empty), skipped\n" +
        "step 5 of 5: no database proxy to stop (DB_PROXY_QUIT_URL is empty), skipped\n",
    );
    expect(exitCode).toBe(0);
    expect(await endState(settings.DB_NAME)).toEqual({ ...COMPLETE, memberOf: [] });
  });

  test("fails when the managed-superuser role may not be granted", async ({ tenant, quitRequests }) => {
    const settings = tenant({ DB_MANAGED_SUPERUSER_ROLE: SUPERUSER });
    const { exitCode, output } = await runScript(settings);

    expect(output).toContain("must be superuser to alter superusers");
    expect(output).toContain(
      `failed in step 4 of 5: ${SUPERUSER} could not be granted to ${settings.DB_USER}; the reason is above\n`,
    );
    expect(exitCode).toBe(1);
    expect(quitRequests(settings)).toEqual(["POST"]);
  });

  test("refuses an existing database of another encoding", async ({ cluster, tenant }) => {
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

  test("refuses an existing database whose privileges it may not grant", async ({ cluster, tenant }) => {
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

  test("adopts a database that the managed service created for its own role", async ({ cluster, tenant }) => {
    const settings = tenant();
    await cluster.query({ user: SUPERUSER }, `CREATE DATABASE ${settings.DB_NAME} OWNER cloudsqlsuperuser`);
    const { exitCode } = await runScript(settings);

    expect(exitCode).toBe(0);
    await cluster.query(applicationLogin(settings), "CREATE TABLE visits ()", "CREATE SCHEMA template");
  });

  test("never calls what the application put into its database", async ({ cluster, tenant }) => {
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
