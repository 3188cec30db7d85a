import { runScript } from "../db-init/script-run";
import { applicationLogin, describeOnServer } from "../db-init/tenants";
import { runJob } from "./job-run";
import { temporaryFolder } from "../../support/temporary-folder";

const USERS = "authentik_core_user";

describeOnServer("The jobs of dumps and restores on PostgreSQL 15", (test) => {
  test("dump a database, fill an empty one from it, exchange the two and count the users", async ({
    cluster,
    tenant,
  }) => {
    const settings = tenant();
    const login = applicationLogin(settings);
    const restored = { ...settings, DB_NAME: `${settings.DB_NAME}_restored` };
    const DUMP_FOLDER = temporaryFolder();
    await runScript(settings);
    await cluster.query(login, `CREATE TABLE ${USERS} (name text)`, `INSERT INTO ${USERS} VALUES ('akadmin'), ('Zoë')`);

    const dumped = await runJob("dump-database.sh", settings, { DUMP_FOLDER });
    await cluster.query(login, `DELETE FROM ${USERS}`);
    const cleared = await runJob("swap-database.sh", settings, { ACTION: "clear" });
    await runScript(restored);
    const DUMP_FILE = `${DUMP_FOLDER}/latest/${settings.DB_NAME}.dump`;
    const filled = await runJob("fill-database.sh", restored, { DUMP_FILE });
    const RESTORED_ID = filled.output.trim().split(" ").at(-1) ?? "";
    const swapped = await runJob("swap-database.sh", settings, { ACTION: "swap", RESTORED_ID });
    const counted = await runJob("count-users.sh", settings);

    const exitCodes = [dumped, cleared, filled, swapped].map(({ exitCode }) => exitCode);
    expect(exitCodes).toEqual([0, 0, 0, 0]);
    expect(counted).toEqual({ exitCode: 0, output: "users: 2\n" });
  });
});
