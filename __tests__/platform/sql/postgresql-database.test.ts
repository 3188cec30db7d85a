import { ref } from "cdktf";

import { numberExpression } from "../../../lib/core/expression";
import { InputVariable } from "../../../lib/core/input-variable";
import { PostgresqlDatabase, type PostgresqlDatabaseProps } from "../../../lib/platform/sql/postgresql-database";
import { valueAt } from "../../stacks/configuration-graph";
import { PLACE, placeOf, standInIdentity } from "../../support/stand-in-parts";
import {
  addressesOf,
  bareStack,
  type Block,
  resourceAddresses,
  resourceOf,
  terraformOf,
  type BareStack,
} from "../../support/synthesis";
import { brokenRules } from "../../support/broken-rules";

const databaseIn = (overrides: Partial<PostgresqlDatabaseProps> = {}, stack = bareStack()) => {
  const database = new PostgresqlDatabase(stack, "Database", {
    place: PLACE,
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

const attachedInput = (stack: BareStack) => ({
  network: new InputVariable(stack, "network", { type: "string", default: null, description: "Network." }).stringValue,
  subnetwork: new InputVariable(stack, "subnetwork", { type: "string", default: null, description: "Subnetwork." })
    .stringValue,
});

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

  it("accepts only encrypted connections from authorized proxies", () => {
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

  it("has a private address and no public one on a given network", () => {
    const network = {
      network: "projects/p/global/networks/n",
      subnetwork: "projects/p/regions/us-central1/subnetworks/s",
    };
    expect(valueAt(databaseIn({ network }).instance(), "settings.ip_configuration")).toMatchObject({
      ipv4_enabled: false,
      private_network: "projects/p/global/networks/n",
    });
  });

  it("decides at plan when the network is an input, and null means none", () => {
    const stack = bareStack();
    const { instance } = databaseIn({ network: attachedInput(stack) }, stack);
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

  it("generates two passwords of 32 letters and digits and gives the administrator's to its login unseen", () => {
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
    expect(resourceOf(terraform(), "google_sql_user", "database_administrator")).toMatchObject({
      name: "postgres",
      password_wo:
        '${try(ephemeral.google_secret_manager_secret_version.database_administrator_password_stored[0].secret_data, "")}',
      // The login owns objects, so it cannot be deleted.
      deletion_policy: "ABANDON",
    });
    expect(instance()).not.toHaveProperty("root_password");
  });

  it("forgets the login before the record of its password, so that every failed change of it is made up for", () => {
    const { terraform } = databaseIn();
    const record = "terraform_data.database_administrator_version";
    expect(resourceOf(terraform(), "google_sql_user", "database_administrator")).toMatchObject({
      depends_on: [record],
      lifecycle: { replace_triggered_by: [record] },
    });
    const { triggers_replace: values } = resourceOf(terraform(), "terraform_data", "database_administrator_version");
    expect(values).toEqual({
      instance: "${google_sql_database_instance.database.connection_name}",
      password_version:
        '${join("@", [google_secret_manager_secret_version.database_administrator_password_version.name, google_secret_manager_secret_version.database_administrator_password_version.create_time])}',
    });
  });

  it("leaves role and database to the initialization job, so that a destroy needs no order among them", () => {
    expect(resourceAddresses(databaseIn().terraform()).map((address) => address.split(".")[0])).toEqual([
      "google_secret_manager_secret",
      "google_secret_manager_secret",
      "google_secret_manager_secret_version",
      "google_secret_manager_secret_version",
      "google_sql_database_instance",
      "google_sql_user",
      "terraform_data",
    ]);
  });

  it("returns names of database and role that need no quotes", () => {
    const { stack, database, terraform } = databaseIn();
    stack.addOutputs({
      names: { value: [database.databaseName, database.userName], description: "Names." },
      connection: { value: database.connectionName, description: "Connection." },
    });
    expect(terraform().output?.names?.value).toEqual(["${local.database_name}", "${local.database_name}"]);
    expect(terraform().locals?.database_name).toBe("db_demo_abc123_idp");
    expect(terraform().output?.connection?.value).toBe("${google_sql_database_instance.database.connection_name}");
  });

  it("returns the number of connections of its tier", () => {
    const { database, terraform, instance } = databaseIn({ tier: "db-custom-2-7680" });
    expect(database.maxConnections).toBe(768);
    expect(valueAt(instance(), "settings.database_flags")).toContainEqual({
      name: "max_connections",
      value: "${local.database_max_connections}",
    });
    expect(terraform().locals?.database_max_connections).toBe("768");
  });

  it("logs connections, slow statements and schema changes", () => {
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

  it("takes the caller's flags, which override those for logging", () => {
    const flags = valueAt(
      databaseIn({ flags: { log_statement: "none", "cloudsql.iam_authentication": "on" } }).instance(),
      "settings.database_flags",
    ) as Record<string, string>[];
    expect(Object.fromEntries(flags.map(({ name, value }) => [name, value]))).toMatchObject({
      max_connections: "${local.database_max_connections}",
      log_connections: "on",
      log_statement: "none",
      "cloudsql.iam_authentication": "on",
    });
  });

  it("merges flags known only at plan in Terraform, and sets each once", () => {
    const flags = ref("var.flags");
    const { dynamic, database_flags: literal } = databaseIn({ flags }).instance().settings as Record<string, Block>;
    expect(literal).toBeUndefined();
    expect(dynamic).toEqual({
      database_flags: {
        for_each: expect.stringMatching(
          /^\$\{merge\(\{"max_connections" = local\.database_max_connections, .*"log_statement" = "ddl".*\}, var\.flags\)\}$/,
        ) as string,
        content: { name: "${database_flags.key}", value: "${database_flags.value}" },
      },
    });
  });

  it("refuses flags that are its own, and versions that are not tested", () => {
    expect(() => databaseIn({ flags: { max_connections: "500" }, version: 16 })).toThrow(
      /: 2 problems\n {2}- flags has "max_connections"; it follows from the tier, .*\n {2}- version is 16; it must be 15, because the stacks/,
    );
  });

  it("has the engine of a version that is known only at plan", () => {
    expect(databaseIn({ version: numberExpression("var.version") }).instance().database_version).toBe(
      "POSTGRES_${var.version}",
    );
  });

  const afterDeletion = (finalBackupDays?: number, stack = bareStack()) => {
    const { final_backup_config: finalBackup, retain_backups_on_delete: retain } = databaseIn(
      { finalBackupDays },
      stack,
    ).instance().settings as Record<string, unknown>;
    return { finalBackup, retain };
  };

  it("keeps a final backup for 30 days, and the automatic ones, when it is deleted", () => {
    expect(afterDeletion()).toEqual({ finalBackup: { enabled: true, retention_days: 30 }, retain: true });
    expect(afterDeletion(365)).toEqual({ finalBackup: { enabled: true, retention_days: 365 }, retain: true });
  });

  it("states explicitly that no backup is kept", () => {
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

  it("keeps backups with the given location, number and retention", () => {
    const props = { backupLocation: "eu", backupRetentionCount: 30, transactionLogDays: 3 };
    expect(valueAt(databaseIn(props).instance(), "settings.backup_configuration")).toMatchObject({
      location: "eu",
      transaction_log_retention_days: 3,
      backup_retention_settings: { retained_backups: 30, retention_unit: "COUNT" },
    });
    expect(valueAt(databaseIn().instance(), "settings.backup_configuration.location")).toBeUndefined();
  });

  const remainsOf = (props: Partial<PostgresqlDatabaseProps>, stack = bareStack()) => {
    databaseIn(props, stack);
    return (terraformOf(stack).locals as Record<string, unknown>).database_backups_after_destroy;
  };

  it("names what stays after a deletion, and for how long", () => {
    expect(remainsOf({ backupRetentionCount: 14 })).toBe(
      `a final backup of sql-demo-abc123-idp for 30 days, up to 14 automatic backups and those from before upgrades, each until its own retention ends`,
    );
    expect(remainsOf({ finalBackupDays: 0 })).toBe("no backup of sql-demo-abc123-idp");
    const stack = bareStack();
    const days = new InputVariable(stack, "days", { type: "number", description: "Days." }).numberValue;
    expect(remainsOf({ finalBackupDays: days }, stack)).toBe(
      `\${(var.days > 0 ? join("", ["a final backup of sql-demo-abc123-idp for \${var.days} days, up to 7 automatic backups and those from before upgrades, each until its own retention ends"]) : "no backup of sql-demo-abc123-idp")}`,
    );
  });

  it("names what stays by names that only the plan knows", () => {
    const stack = bareStack();
    const input = (name: string, type: "number" | "string") =>
      new InputVariable(stack, name, { type, description: "Known at plan." });
    const props = {
      place: placeOf({ applicationName: input("application", "string").stringValue }),
      finalBackupDays: input("days", "number").numberValue,
    };
    const remains = String(remainsOf(props, stack));
    expect(remains).toContain("a final backup of sql-demo-abc123-${var.application} for ${var.days} days");
    expect(remains).toContain("no backup of sql-demo-abc123-${var.application}");
  });

  it.each([-1, 366, 1.5])("refuses to keep a final backup for %p days", (finalBackupDays) => {
    expect(() => databaseIn({ finalBackupDays })).toThrow(
      new Error(
        `test/Database: 1 problem\n  - finalBackupDays is ${finalBackupDays}; it must be a whole number from 0 to 365, because Cloud SQL keeps final backups no longer; use 30, or 0 for none`,
      ),
    );
  });

  it("leaves the number of connections to Terraform when the tier is an input", () => {
    const stack = bareStack();
    const tier = new InputVariable(stack, "tier", { type: "string", description: "Tier." }).stringValue;
    expect(databaseIn({ tier }, stack).database.maxConnections).toBeUndefined();
  });

  it("labels itself and its secrets", () => {
    const { instance, terraform } = databaseIn({ place: { ...PLACE, labels: { team: "identity" } } });
    expect(valueAt(instance(), "settings.user_labels")).toEqual({ team: "identity" });
    expect(resourceOf(terraform(), "google_secret_manager_secret", "database_password").labels).toEqual({
      team: "identity",
    });
  });

  it("refuses a tier and an availability that the platform does not have, both at once", () => {
    expect(() => databaseIn({ tier: "db-custom-3-7680", availability: "GLOBAL" })).toThrow(
      brokenRules("test/Database", [
        'tier is "db-custom-3-7680"; it must be db-g1-small or db-custom-<CPUs>-<memory in MB> with 1 or an even number of CPUs up to 96 and memory in steps of 256 MB, at least 3840 MB and 0.9 to 6.5 GB per CPU, because the edition offers no other tier with enough connections; use for example db-custom-1-3840',
        'availability is "GLOBAL"; it must be ZONAL or REGIONAL; use ZONAL for one zone, REGIONAL for a standby in another',
      ]),
    );
  });

  it("refuses an invalid place, and the resulting names", () => {
    const place = placeOf({ tenantPrefix: "t".repeat(60), applicationName: "Idp" });
    const name = `${"t".repeat(60)}_Idp`;
    expect(() => databaseIn({ place: { ...place, region: "us-central1-a" } })).toThrow(
      brokenRules("test/Database", [
        'place.region is "us-central1-a"; it must be the name of a region such as us-central1; for a zone such as us-central1-a, drop the zone letter',
        `place.deployment.tenantPrefix is "${"t".repeat(60)}"; it must be a tenant id, a hyphen and 6 hexadecimal digits, because names without a hash of the project may be taken by others; take the place from tenantContext`,
        'place.deployment.applicationName is "Idp"; it must be 1 to 18 lower-case letters, digits and hyphens that start with a letter and do not end with a hyphen, because it is part of service, job and bucket names; shorten or rewrite it',
        `instance name sql-${name.replace("_", "-")} must be lower-case letters, digits and hyphens that start with a letter, because Google Cloud refuses other names; change the application name or the tenant id`,
        `database name db_${name} is 67 characters, the limit is 63, because PostgreSQL truncates longer ones; shorten the application name or the tenant id by 4`,
        `database name db_${name} must be lower-case letters, digits and underscores, because without quotes, SQL statements would refer to another name; change the application name or the tenant id`,
      ]),
    );
  });

  it("lets an account connect, which is a right on the whole project", () => {
    const { database } = databaseIn();
    const grantOnProject = jest.fn(() => []);
    database.grantConnect(standInIdentity("Runner", { grantOnProject }));
    expect(grantOnProject).toHaveBeenCalledWith("ConnectsToDatabase", "roles/cloudsql.client");
  });

  it("is ready for connections once it exists", () => {
    expect(addressesOf(databaseIn().database.ready)).toEqual([
      "google_sql_database_instance.database",
      "google_sql_user.database_administrator",
    ]);
  });

  it.each([
    ["without a network", () => undefined, "false"],
    [
      "on one that is written down",
      () => ({ network: "projects/p/global/networks/n", subnetwork: "projects/p/regions/us-central1/subnetworks/s" }),
      "true",
    ],
    ["on one that is an input", attachedInput, "${var.network != null}"],
  ])("exposes %s whether it has a private address", (_, network, expected) => {
    const stack = bareStack();
    const { database, terraform } = databaseIn({ network: network(stack) }, stack);
    stack.addOutputs({ address: { value: database.hasPrivateAddress, description: "Address." } });
    expect(terraform().output?.address?.value).toBe(expected);
  });
});
