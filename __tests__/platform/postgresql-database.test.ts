import { InputVariable } from "../../lib/core/input-variable";
import { PostgresqlDatabase, type PostgresqlDatabaseProps } from "../../lib/platform/postgresql-database";
import { bareStack, resourceAddresses, resourceOf, terraformOf } from "../support/synthesis";
import { valueAt } from "../stacks/configuration-graph";

const databaseIn = (overrides: Partial<PostgresqlDatabaseProps> = {}, stack = bareStack()) => {
  const database = new PostgresqlDatabase(stack, "Database", {
    projectId: "demo-project",
    region: "us-central1",
    deployment: { tenantPrefix: "demo-abc123", applicationName: "idp" },
    ...overrides,
  });
  const terraform = () => terraformOf(stack);
  return {
    stack,
    database,
    terraform,
    instance: () => resourceOf(terraform(), "google_sql_database_instance", "database"),
  };
};

describe("PostgresqlDatabase", () => {
  it("is a PostgreSQL 15 with backups, point-in-time recovery, growing storage and insights", () => {
    expect(databaseIn().instance()).toMatchObject({
      project: "demo-project",
      name: "sql-demo-abc123-idp",
      region: "us-central1",
      database_version: "POSTGRES_15",
      settings: {
        edition: "ENTERPRISE",
        tier: "db-custom-1-3840",
        availability_type: "ZONAL",
        disk_type: "PD_SSD",
        disk_autoresize: true,
        backup_configuration: {
          enabled: true,
          start_time: "02:00",
          point_in_time_recovery_enabled: true,
          transaction_log_retention_days: 7,
          backup_retention_settings: { retained_backups: 7, retention_unit: "COUNT" },
        },
        insights_config: { query_insights_enabled: true },
        maintenance_window: { day: 7, hour: 3, update_track: "stable" },
      },
    });
  });

  it("lets nobody connect but authorized proxies, encrypted", () => {
    expect(databaseIn().instance().settings).toMatchObject({
      connector_enforcement: "REQUIRED",
      ip_configuration: {
        ipv4_enabled: true,
        ssl_mode: "ENCRYPTED_ONLY",
        server_ca_mode: "GOOGLE_MANAGED_INTERNAL_CA",
      },
    });
    expect(valueAt(databaseIn().instance(), "settings.ip_configuration.authorized_networks")).toBeUndefined();
  });

  it("has a private address and no public one on a network that is given", () => {
    const network = { network: "projects/p/global/networks/n", subnetwork: "unused" };
    expect(valueAt(databaseIn({ network }).instance(), "settings.ip_configuration")).toMatchObject({
      ipv4_enabled: false,
      private_network: "projects/p/global/networks/n",
    });
  });

  it("decides at plan when the network is an input, and null means none", () => {
    const stack = bareStack();
    const network = new InputVariable(stack, "network", { type: "string", default: null, description: "Network." });
    const { instance } = databaseIn({ network: { network: network.stringValue, subnetwork: "unused" } }, stack);
    expect(valueAt(instance(), "settings.ip_configuration")).toMatchObject({
      ipv4_enabled: "${var.network == null}",
      private_network: "${var.network}",
    });
  });

  it.each([
    [undefined, true],
    [true, true],
    [false, false],
  ])("with protection %p is protected on both levels, with its secrets: %p", (deletionProtection, expected) => {
    const { instance, terraform } = databaseIn({ deletionProtection });
    expect(instance()).toMatchObject({
      deletion_protection: expected,
      settings: { deletion_protection_enabled: expected },
    });
    for (const name of ["database_password", "database_administrator_password"])
      expect(resourceOf(terraform(), "google_secret_manager_secret", name).deletion_protection).toBe(expected);
  });

  it("generates two passwords of 32 letters and digits and gives the administrator's to the instance unseen", () => {
    const { terraform, instance } = databaseIn();
    for (const name of ["database_password", "database_administrator_password"]) {
      expect(resourceOf(terraform(), "random_password", `${name}_candidate`, "ephemeral")).toMatchObject({
        length: 32,
        special: false,
      });
    }
    expect(resourceOf(terraform(), "google_secret_manager_secret", "database_password").secret_id).toBe(
      "secret-demo-abc123-idp-database-password",
    );
    expect(resourceOf(terraform(), "google_secret_manager_secret", "database_administrator_password").secret_id).toBe(
      "secret-demo-abc123-idp-database-administrator-password",
    );
    expect(instance()).toMatchObject({
      root_password_wo:
        "${ephemeral.google_secret_manager_secret_version.database_administrator_password_stored.secret_data}",
      root_password_wo_version:
        "${tonumber(google_secret_manager_secret_version.database_administrator_password_version.version)}",
    });
    expect(instance()).not.toHaveProperty("root_password");
  });

  it("leaves role and database to the initialization job, so that a destroy needs no order among them", () => {
    expect(resourceAddresses(databaseIn().terraform()).map((address) => address.split(".")[0])).toEqual([
      "google_secret_manager_secret",
      "google_secret_manager_secret",
      "google_secret_manager_secret_version",
      "google_secret_manager_secret_version",
      "google_sql_database_instance",
    ]);
  });

  it("says what database and role are called, in names that need no quotes", () => {
    const { stack, database, terraform } = databaseIn();
    stack.expose({
      names: { value: [database.databaseName, database.userName], description: "Names." },
      connection: { value: database.connectionName, description: "Connection." },
    });
    expect(terraform().output?.names?.value).toEqual(["${local.database_name}", "${local.database_name}"]);
    expect(terraform().locals?.database_name).toBe("db_demo_abc123_idp");
    expect(terraform().output?.connection?.value).toBe("${google_sql_database_instance.database.connection_name}");
  });

  it("states how many connections its tier has", () => {
    const { database, terraform, instance } = databaseIn({ tier: "db-custom-2-7680" });
    expect(database.maxConnections).toBe(400);
    expect(valueAt(instance(), "settings.database_flags")).toContainEqual({
      name: "max_connections",
      value: "${local.database_max_connections}",
    });
    expect(terraform().locals?.database_max_connections).toBe("400");
  });

  it("logs who connects, what takes long and what changes the schema", () => {
    const flags = valueAt(databaseIn().instance(), "settings.database_flags") as Record<string, string>[];
    expect(Object.fromEntries(flags.map(({ name, value }) => [name, value]))).toEqual({
      max_connections: "${local.database_max_connections}",
      log_checkpoints: "on",
      log_connections: "on",
      log_disconnections: "on",
      log_lock_waits: "on",
      log_min_error_statement: "error",
      log_statement: "ddl",
      log_temp_files: "0",
    });
  });

  const afterDeletion = (finalBackupDays?: number, stack = bareStack()) => {
    const { final_backup_config: finalBackup, retain_backups_on_delete: retain } = databaseIn(
      { finalBackupDays },
      stack,
    ).instance().settings as Record<string, unknown>;
    return { finalBackup, retain };
  };

  it("leaves a last backup for 30 days, and the automatic ones, when it is deleted", () => {
    expect(afterDeletion()).toEqual({ finalBackup: { enabled: true, retention_days: 30 }, retain: true });
    expect(afterDeletion(365)).toEqual({ finalBackup: { enabled: true, retention_days: 365 }, retain: true });
  });

  it("says that nothing is kept, instead of nothing, when nothing is to be kept", () => {
    expect(afterDeletion(0)).toEqual({ finalBackup: { enabled: false, retention_days: null }, retain: false });
  });

  it("decides at plan what is kept when the days are an input", () => {
    const stack = bareStack();
    const days = new InputVariable(stack, "days", { type: "number", description: "Days." }).numberValue;
    expect(afterDeletion(days, stack)).toEqual({
      finalBackup: { enabled: "${var.days > 0}", retention_days: "${(var.days > 0 ? var.days : null)}" },
      retain: "${var.days > 0}",
    });
  });

  it.each([-1, 366, 1.5])("refuses to keep a last backup for %p days", (finalBackupDays) => {
    expect(() => databaseIn({ finalBackupDays })).toThrow(
      new Error(
        `test/Database: 1 problem\n  - finalBackupDays is ${finalBackupDays}; it must be a whole number from 0 to 365, because the platform keeps a final backup no longer; use 30, or 0 for none`,
      ),
    );
  });

  it("leaves the number of connections to Terraform when the tier is an input", () => {
    const stack = bareStack();
    const tier = new InputVariable(stack, "tier", { type: "string", description: "Tier." }).stringValue;
    expect(databaseIn({ tier }, stack).database.maxConnections).toBeUndefined();
  });

  it("labels itself and its secrets", () => {
    const { instance, terraform } = databaseIn({ labels: { team: "identity" } });
    expect(valueAt(instance(), "settings.user_labels")).toEqual({ team: "identity" });
    expect(resourceOf(terraform(), "google_secret_manager_secret", "database_password").labels).toEqual({
      team: "identity",
    });
  });

  it("refuses a tier and an availability that the platform does not have, both at once", () => {
    expect(() => databaseIn({ tier: "db-custom-3-7680", availability: "GLOBAL" })).toThrow(
      new Error(
        [
          "test/Database: 2 problems",
          "  - tier is db-custom-3-7680; it must be db-g1-small or db-custom-<CPUs>-<memory in MB> with 1 or an even number of CPUs up to 96 and memory in steps of 256 MB, at least 3840 MB and 0.9 to 6.5 GB per CPU, because the edition offers no other that has enough connections; use for example db-custom-1-3840",
          "  - availability is GLOBAL; it must be ZONAL or REGIONAL, because the platform knows no other; use ZONAL for one zone, REGIONAL for a standby in another",
        ].join("\n"),
      ),
    );
  });

  it("refuses names that the platform or the server would read differently", () => {
    expect(() => databaseIn({ deployment: { tenantPrefix: "Demo", applicationName: "idp" } })).toThrow(
      new Error(
        [
          "test/Database: 2 problems",
          "  - instance name sql-Demo-idp must be lower-case letters, digits and hyphens, because the database service refuses other names; change the application name or the tenant id",
          "  - database name db_Demo_idp must be lower-case letters, digits and underscores, because statements that name it without quotes would mean another one; change the application name or the tenant id",
        ].join("\n"),
      ),
    );
  });

  it("refuses names that are longer than the platform and the server allow", () => {
    const deployment = { tenantPrefix: "t".repeat(60), applicationName: "a".repeat(40) };
    const name = `${"t".repeat(60)}_${"a".repeat(40)}`;
    expect(() => databaseIn({ deployment })).toThrow(
      new Error(
        [
          "test/Database: 2 problems",
          `  - instance name sql-${name.replace("_", "-")} is 105 characters, the limit is 98, because the database service takes no longer one together with the project's; shorten the application name or the tenant id by 7`,
          `  - database name db_${name} is 104 characters, the limit is 63, because PostgreSQL cuts off the rest; shorten the application name or the tenant id by 41`,
        ].join("\n"),
      ),
    );
  });
});
