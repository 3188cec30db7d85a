import { SUPERUSER } from "../db-init/cluster";
import { runScript } from "../db-init/script-run";
import { applicationLogin, describeOnServer } from "../db-init/tenants";
import { filledTenant, runJob } from "./job-run";

const NAME = "SELECT name FROM authentik_core_user WHERE id = 1";
const LATER = "application-password-of-later-Xk37";

describeOnServer("The job db-init on a restored instance", (test) => {
  test("replaces the password in the backup with the current one, and keeps the data", async ({ cluster, tenant }) => {
    const settings = await filledTenant({ cluster, tenant });
    const now = { ...settings, DB_PASSWORD: LATER };
    const superuser = { user: SUPERUSER, database: settings.DB_NAME };
    const canSignIn = (password: string) => cluster.query(applicationLogin(settings, password), NAME);

    const inBackup = await cluster.query(
      superuser,
      `SELECT rolpassword FROM pg_authid WHERE rolname = '${settings.DB_USER}'`,
    );
    await runScript(now);
    await expect(canSignIn(LATER)).resolves.toBe("akadmin");

    // A restore of the instance brings back the logins too.
    await cluster.query(superuser, `ALTER ROLE ${settings.DB_USER} PASSWORD '${inBackup}'`);
    await expect(canSignIn(LATER)).rejects.toThrow("password authentication failed");
    const { exitCode, output } = await runScript(now);

    expect(exitCode).toBe(0);
    expect(output).not.toContain(LATER);
    await expect(canSignIn(LATER)).resolves.toBe("akadmin");
    await expect(canSignIn(settings.DB_PASSWORD ?? "")).rejects.toThrow("password authentication failed");
  });

  test("creates a login that the backup does not have", async ({ cluster, tenant }) => {
    const settings = tenant();
    const superuser = { user: SUPERUSER };
    await cluster.query(superuser, `CREATE DATABASE ${settings.DB_NAME} OWNER postgres`);

    expect((await runScript(settings)).exitCode).toBe(0);
    expect(await cluster.query(applicationLogin(settings), "SELECT current_user")).toBe(settings.DB_USER);
  });

  test("serves a deployment of another name after the job of the restore has renamed database and login", async ({
    cluster,
    tenant,
  }) => {
    const lost = tenant();
    const here = { ...tenant(), DB_PASSWORD: LATER };
    const names = { ...here, DB_USER: here.DB_NAME };
    // Both have one name in a deployment.
    const before = { ...lost, DB_USER: lost.DB_NAME };
    await runScript(before);
    await cluster.query(
      applicationLogin(before),
      "CREATE TABLE authentik_core_user (id int, name text)",
      "INSERT INTO authentik_core_user VALUES (1, 'akadmin')",
    );
    const rename = () => runJob("swap-database.sh", { ...names, ACTION: "rename", FROM_NAME: lost.DB_NAME });

    expect(await rename()).toMatchObject({ exitCode: 0 });
    expect(await rename()).toMatchObject({ exitCode: 0 });
    expect((await runScript(names)).exitCode).toBe(0);

    const login = applicationLogin(names);
    await expect(cluster.query(login, NAME)).resolves.toBe("akadmin");
    await expect(cluster.query(login, "ALTER TABLE authentik_core_user ADD COLUMN mail text")).resolves.toBe("");
  });
});
