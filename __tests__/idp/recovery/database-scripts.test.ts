import { temporaryFolder } from "../../support/temporary-folder";
import { type Environment, runScript } from "../db-init/script-run";
import { SUPERUSER } from "../db-init/cluster";
import { applicationLogin, describeOnServer } from "../db-init/tenants";
import { copyOf, exchange, filledTenant, NAMES, restored, runJob, swap } from "./job-run";

const DONE = { exitCode: 0 };

const dump = (login: Environment) => runJob("dump-database.sh", login, { DUMP_FOLDER: temporaryFolder() });

const says = (text: string) => expect.stringContaining(text) as string;

describeOnServer("The jobs of dumps and restores on PostgreSQL 15", (test) => {
  test("dump a database, copy it into an empty one and exchange the two, as often as it is repeated", async (server) => {
    const { cluster } = server;
    const settings = await filledTenant(server);

    expect(await swap(settings, "clear")).toMatchObject(DONE);
    await runScript(restored(settings));
    expect(await dump(settings)).toMatchObject(DONE);
    expect(await dump(restored(settings))).toMatchObject({ output: says("has no tables, so latest/") });
    const filled = await runJob("fill-database.sh", restored(settings), copyOf(settings));
    const again = await runJob("fill-database.sh", restored(settings), copyOf(settings));
    expect(await runJob("count-users.sh", settings)).toMatchObject({ exitCode: 0, output: "users: 2 user(s)\n" });
    // Written after the copy: it goes aside with the old data.
    await cluster.query(applicationLogin(settings), "INSERT INTO authentik_core_user (name) VALUES ('late')");
    expect(await exchange(cluster, settings)).toMatchObject(DONE);

    expect(filled).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^copying .*\nusers: 2 in database \d+\n$/s) as string,
    });
    expect(again).toMatchObject({ exitCode: 2, output: says("is not empty") });
    expect(await cluster.query(applicationLogin(settings), NAMES)).toBe("Zoë 🙂,akadmin");
    await cluster.query(applicationLogin(settings), "INSERT INTO authentik_core_user (name) VALUES ('x')");
    // What is put aside can be compared.
    const former = { ...settings, DB_NAME: `${settings.DB_NAME}_former` };
    expect(await cluster.query(applicationLogin(former), NAMES)).toBe("Zoë 🙂,akadmin,late");
    expect(await swap(settings, "clear")).toMatchObject({ exitCode: 1 });
    // What a restore leaves that fails before it exchanges anything.
    await runScript(restored(settings));
    expect(await swap(settings, "drop-former")).toMatchObject(DONE);
    const left = `SELECT count(*) FROM pg_database WHERE datname LIKE '${settings.DB_NAME}_%'`;
    expect(await cluster.query({ user: SUPERUSER }, left)).toBe("0");
    await cluster.query(applicationLogin(settings), "DELETE FROM authentik_core_user");
    expect(await runJob("count-users.sh", settings)).toMatchObject({ exitCode: 1, output: says("has no user") });
    expect(await swap(settings, "clear")).toMatchObject(DONE);
  });
});
