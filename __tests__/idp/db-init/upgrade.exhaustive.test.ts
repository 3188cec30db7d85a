import { join } from "node:path";

import { DATABASE_MAJOR_VERSION, DATABASE_MAJOR_VERSIONS } from "../../../lib/idp/contract";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { filledTenant, NAMES, restored, runJob } from "../recovery/job-run";
import { ADMIN_PASSWORD, startCluster, SUPERUSER } from "./cluster";
import { runScript, succeeds } from "./script-run";
import { applicationLogin, type Tenant } from "./tenants";

const LATER = "application-password-of-later-Xk37";
const STATISTICS = "SELECT count(*) > 0 FROM pg_stats WHERE schemaname = 'public'";
const says = (text: string) => expect.stringContaining(text) as string;

const tenantOf = ({ port, socketFolder }: { readonly port: number; readonly socketFolder: string }): Tenant => ({
  DB_HOST: socketFolder,
  DB_PORT: String(port),
  DB_NAME: "tenant_db",
  DB_USER: "tenant",
  DB_PASSWORD: "application-password-Zq81",
  DB_ADMIN_PASSWORD: ADMIN_PASSWORD,
  DB_MANAGED_SUPERUSER_ROLE: "cloudsqlsuperuser",
});

for (const release of DATABASE_MAJOR_VERSIONS.filter((each) => each > DATABASE_MAJOR_VERSION))
  describeWith(
    ["initdb", "busybox", "dash"],
    `An upgrade in place from PostgreSQL ${DATABASE_MAJOR_VERSION} to ${release}`,
    () => {
      it("keeps the data and the dumps, after which db-init makes statistics and says what a rotation needs", async () => {
        const former = await startCluster({}, DATABASE_MAJOR_VERSION);
        const DUMP_FOLDER = temporaryFolder();
        const before = { ...tenantOf(former), POSTGRESQL_RELEASE: String(DATABASE_MAJOR_VERSION) };
        await filledTenant({ cluster: former, tenant: () => before });
        expect(await runJob("dump-database.sh", before, { DUMP_FOLDER })).toMatchObject({ exitCode: 0 });
        // Patches of November 2026 note an option of their own, which the packages of the later releases are too old to
        // read.
        const options = "UPDATE pg_attribute SET attoptions = NULL WHERE attoptions IS NOT NULL";
        await former.query({ user: SUPERUSER, database: before.DB_NAME }, options);

        // As where an older db-init ran last before the upgrade.
        await former.query({ user: SUPERUSER }, "REVOKE tenant FROM postgres");

        const cluster = await former.upgradedTo(release);

        try {
          const settings = { ...tenantOf(cluster), POSTGRESQL_RELEASE: String(release) };
          const login = applicationLogin(settings);
          expect(await cluster.query(login, NAMES, STATISTICS)).toBe("Zoë 🙂,akadmin\nf");
          expect(await runScript(settings)).toMatchObject({
            exitCode: 0,
            output: says(
              "the role tenant stays as it is: others have made it, or an upgrade has brought it, so postgres may not change it",
            ),
          });
          expect(await cluster.query(login, NAMES, STATISTICS)).toBe("Zoë 🙂,akadmin\nt");
          await cluster.query(login, "CREATE TABLE later (id int)");

          await runScript(restored(settings));
          const DUMP_FILE = join(DUMP_FOLDER, `latest/${settings.DB_NAME}.dump`);
          expect(await runJob("fill-database.sh", restored(settings), { DUMP_FILE })).toMatchObject({
            exitCode: 0,
            output: says("\nusers: 2 "),
          });

          const rotated = { ...settings, DB_PASSWORD: LATER };
          expect(await runScript(rotated)).toMatchObject({
            exitCode: 1,
            output: says("gcloud sql users set-password"),
          });
          // As Cloud SQL does it, which is a superuser.
          await cluster.query({ user: SUPERUSER }, `ALTER ROLE tenant PASSWORD '${LATER}'`);
          await succeeds(runScript(rotated));

          await cluster.query({ user: SUPERUSER }, "CREATE ROLE managed");
          expect(await runScript({ ...rotated, DB_MANAGED_SUPERUSER_ROLE: "managed" })).toMatchObject({
            exitCode: 0,
            output: says("postgres may not grant managed on this server, nothing granted"),
          });
        } finally {
          await cluster.stop();
        }
      });

      it("lets the password be rotated, because db-init has made a grant before that nobody may make later", async () => {
        const former = await startCluster({}, DATABASE_MAJOR_VERSION);
        const administrator = { user: "postgres", password: ADMIN_PASSWORD };
        const rotated = (of: Parameters<typeof tenantOf>[0], version: number): Tenant => {
          const logins = ["tenant", "tenant_b"];
          const [current = "", other = ""] = version % 2 === 1 ? logins : logins.reverse();
          const DB_PASSWORD = `password-of-${version}-Xy7`;
          const settings = { DB_OWNER: "tenant", DB_OTHER_USER: other, DB_PASSWORD_VERSION: String(version) };
          return { ...tenantOf(of), ...settings, DB_USER: current, DB_PASSWORD };
        };
        await succeeds(runScript({ ...rotated(former, 1), POSTGRESQL_RELEASE: String(DATABASE_MAJOR_VERSION) }));
        await former.query(administrator, "CREATE ROLE late");

        const cluster = await former.upgradedTo(release);

        try {
          for (const version of [1, 2, 3])
            await succeeds(runScript({ ...rotated(cluster, version), POSTGRESQL_RELEASE: String(release) }));
          const grant = "GRANT late TO postgres WITH ADMIN OPTION";
          await expect(cluster.query(administrator, grant)).rejects.toThrow("permission denied to grant role");
        } finally {
          await cluster.stop();
        }
      });
    },
    { postgresql: release },
  );
