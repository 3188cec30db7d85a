import { InputVariable } from "../../../lib/core/input-variable";
import { PostgresqlDatabase, type PostgresqlDatabaseProps } from "../../../lib/platform/sql/postgresql-database";
import { valueAt } from "../../stacks/configuration-graph";
import { PLACE, placeOf } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf } from "../../support/synthesis";
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

describe("PostgresqlDatabase", () => {
  it("takes the caller's flags, which override those for logging", () => {
    const flags = valueAt(databaseIn({ flags: { log_statement: "none" } }).instance(), "settings.database_flags");
    expect(flags).toContainEqual({ name: "log_statement", value: "none" });
    expect(flags).toContainEqual({ name: "log_connections", value: "on" });
    expect(flags).not.toContainEqual({ name: "log_statement", value: "ddl" });
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

  it("leaves the number of connections to Terraform when the tier is an input", () => {
    const stack = bareStack();
    const tier = new InputVariable(stack, "tier", { type: "string", description: "Tier." }).stringValue;
    expect(databaseIn({ tier }, stack).database.maxConnections).toBeUndefined();
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
});
