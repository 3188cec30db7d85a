import { SUPERUSER } from "./cluster";
import { runScript } from "./script-run";
import { describeOnServers, type Tenant, type TestServer } from "./tenants";

/** The application's own login as the administrator. */
const alone = (settings: Tenant): Tenant => ({
  ...settings,
  DB_ADMIN_USER: settings.DB_USER,
  DB_ADMIN_PASSWORD: settings.DB_PASSWORD ?? "",
});

/** A role with the password of the settings, and a database that it does not own. */
async function madeByOthers({ cluster, tenant }: TestServer): Promise<Tenant> {
  const settings = tenant();
  const { DB_NAME, DB_PASSWORD, DB_USER } = settings;
  await cluster.query({ user: SUPERUSER }, `CREATE ROLE ${DB_USER} LOGIN PASSWORD '${String(DB_PASSWORD)}'`);
  await cluster.query({ user: SUPERUSER }, `CREATE DATABASE ${DB_NAME}`);
  return alone(settings);
}

const says = (text: string) => expect.stringContaining(text) as string;

describeOnServers("db-init.sh, for a role and a database that others have made,", (test) => {
  test("names every right that is missing, and whose database it is", async (server) => {
    const run = await runScript(await madeByOthers(server));
    expect(run).toMatchObject({ exitCode: 1, output: says(`lacks CREATE on the database`) });
    expect(run.output).toContain(`of ${SUPERUSER}, CREATE on the schema public of ${SUPERUSER}`);
    expect(run.output).toContain("let the owner grant it");
  });

  test("changes nothing, and tells the proxy to quit", async (server) => {
    const settings = await madeByOthers(server);
    const { DB_NAME, DB_USER } = settings;
    const owner = { user: SUPERUSER, database: DB_NAME };
    await server.cluster.query(owner, `GRANT ALL ON DATABASE ${DB_NAME} TO ${DB_USER}`);
    await server.cluster.query(owner, `GRANT ALL ON SCHEMA public TO ${DB_USER}`);
    await server.cluster.query(owner, `ALTER ROLE ${DB_USER} SET work_mem = '8MB'`);
    const before = await server.endState(DB_NAME);
    const run = await runScript(settings);
    expect(run).toMatchObject({ exitCode: 0, output: says("which others have made") });
    expect(run.output).not.toMatch(/step [24]/);
    expect(await server.endState(DB_NAME)).toEqual(before);
    expect(server.quitRequests(settings)).toEqual(["POST"]);
  });

  test("says that the database or the password is not what it was told", async (server) => {
    const settings = await madeByOthers(server);
    expect(await runScript({ ...settings, DB_NAME: "missing_db" })).toMatchObject({
      exitCode: 4,
      output: says('database "missing_db" does not exist'),
    });
    const wrong = { DB_PASSWORD: "another", DB_ADMIN_PASSWORD: "another" };
    expect(await runScript({ ...settings, ...wrong })).toMatchObject({ exitCode: 4 });
  });
});
