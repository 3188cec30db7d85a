import { InputVariable } from "../../../lib/core/input-variable";
import { PostgresqlDatabase, type PostgresqlDatabaseProps } from "../../../lib/platform/sql/postgresql-database";
import { valueAt } from "../../stacks/configuration-graph";
import { PLACE } from "../../support/stand-in-parts";
import { bareStack, resourceOf, terraformOf, type BareStack } from "../../support/synthesis";

const databaseIn = (props: Partial<PostgresqlDatabaseProps> = {}, stack = bareStack()) => {
  const database = new PostgresqlDatabase(stack, "Database", { place: PLACE, ...props });
  const terraform = terraformOf(stack);
  const instance = resourceOf(terraform, "google_sql_database_instance", "database");
  return { database, settings: instance.settings, remains: terraform.locals?.database_backups_after_destroy };
};

/** A number of days that only the plan knows. */
const daysIn = (stack: BareStack) =>
  new InputVariable(stack, "days", { type: "number", description: "Days." }).numberValue;

describe("PostgresqlDatabase", () => {
  it("takes the caller's flags, which override those for logging", () => {
    const flags = valueAt(databaseIn({ flags: { log_statement: "none" } }).settings, "database_flags");
    expect(flags).toContainEqual({ name: "log_statement", value: "none" });
    expect(flags).not.toContainEqual({ name: "log_statement", value: "ddl" });
  });

  it.each([
    [undefined, { final_backup_config: { enabled: true, retention_days: 30 }, retain_backups_on_delete: true }],
    [0, { final_backup_config: { enabled: false, retention_days: null }, retain_backups_on_delete: false }],
  ])("says what is kept after a deletion, with %p days: %j", (finalBackupDays, kept) => {
    expect(databaseIn({ finalBackupDays }).settings).toMatchObject(kept);
  });

  it("names what stays after a deletion, and for how long", () => {
    const stays = (days: number | string, count: number) =>
      `a final backup of sql-demo-abc123-idp for ${days} days, up to ${count} automatic backups and those from before upgrades, each until its own retention ends`;
    const none = "no backup of sql-demo-abc123-idp";
    expect(databaseIn({ backupRetentionCount: 14 }).remains).toBe(stays(30, 14));
    expect(databaseIn({ finalBackupDays: 0 }).remains).toBe(none);
    const stack = bareStack();
    expect(databaseIn({ finalBackupDays: daysIn(stack) }, stack).remains).toBe(
      `\${(var.days > 0 ? join("", ["${stays("${var.days}", 7)}"]) : "${none}")}`,
    );
  });
});
