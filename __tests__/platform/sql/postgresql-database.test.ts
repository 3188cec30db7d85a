import { readFileSync } from "node:fs";

import { InputVariable } from "../../../lib/core/inputs/input-variable";
import { packageFile } from "../../../lib/core/package-file";
import { DATABASE_MAJOR_VERSIONS } from "../../../lib/idp/contract";
import { DATABASE_ENDS } from "../../../lib/idp/releases";
import { refuseSkippedVersion } from "../../../lib/platform/sql/database-passwords";
import { PostgresqlDatabase, type PostgresqlDatabaseProps } from "../../../lib/platform/sql/postgresql-database";
import { valueAt } from "../../stacks/configuration-graph";
import { evaluated } from "../../stacks/terraform-run";
import { describeWith } from "../../support/programs";
import { CONTEXT } from "../../support/stand-in-parts";
import { type BareStack, bareStack, terraformOf } from "../../support/synthesis";

const remainsOf = (props: Partial<PostgresqlDatabaseProps> = {}, stack = bareStack()) => {
  new PostgresqlDatabase(stack, "Database", { context: CONTEXT, ...props });
  return terraformOf(stack).locals?.database_own_backups_after_destroy;
};

/** Keys of the records of a password's number. */
const recordsOf = (numbers: readonly (number | null)[]): readonly string[][] => {
  const stack = bareStack();
  const version = new InputVariable(stack, "version", { type: "number", description: "Number." });
  refuseSkippedVersion(stack, version.numberValue);
  const records = String(valueAt(terraformOf(stack), "resource.terraform_data.login_in_use.for_each")).slice(2, -1);
  const keys = numbers.map((number) => `keys(${records.replaceAll("var.version", `tonumber(${number})`)})`);
  return evaluated({ locals: { keys: `\${[${keys.join(", ")}]}` } }).keys as string[][];
};

describeWith(["terraform"], "The number of the database password", () => {
  it("meets a record of the former one if it is not the next, up to sixteen steps away, also after none", () => {
    const [none = [], first = [], ...later] = recordsOf([null, ...Array.from({ length: 18 }, (_, index) => index + 1)]);
    const meets = later.map((keys) => keys.some((key) => first.includes(key)));
    expect(none).toEqual(first);
    expect(meets).toEqual([false, ...Array<boolean>(15).fill(true), false]);
  });
});

/** A number of days that only the plan knows. */
const daysIn = (stack: BareStack) =>
  new InputVariable(stack, "days", { type: "number", description: "Days." }).numberValue;

describe("PostgresqlDatabase", () => {
  it("knows of each version how long it gets fixes, as the guide says", () => {
    expect(Object.keys(DATABASE_ENDS).map(Number)).toEqual(DATABASE_MAJOR_VERSIONS);
    const guide = readFileSync(packageFile("stacks/guides/postgresql-upgrade.md"), "utf8");
    const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
    expect([...guide.matchAll(/^\| (\d+) +\| (\d.*?) +\|$/gm)].map(([, version, end]) => [version, end])).toEqual(
      Object.entries(DATABASE_ENDS).map(([version, end]) => [version, day.format(new Date(end))]),
    );
  });

  it("names what stays after a deletion, and for how long", () => {
    const stays = (days: number | string, count: number) =>
      `a final backup of sql-demo-abc123-idp for ${days} days, up to ${count} automatic backups and those from before upgrades, each until its own retention ends`;
    const none = "no backup of sql-demo-abc123-idp";
    expect(remainsOf({ backups: { retentionCount: 14 } })).toBe(stays(30, 14));
    expect(remainsOf({ backups: { finalDays: 0 } })).toBe(none);
    const stack = bareStack();
    expect(remainsOf({ backups: { finalDays: daysIn(stack) } }, stack)).toBe(
      `\${var.days > 0 ? "${stays("${var.days}", 7)}" : "${none}"}`,
    );
  });

  it("compiles no query, unless its flags say so, and keeps the others of the library", () => {
    const flags = (given: PostgresqlDatabaseProps["flags"]) => {
      const stack = bareStack();
      new PostgresqlDatabase(stack, "Database", { context: CONTEXT, flags: given });
      const instance = terraformOf(stack).resource?.google_sql_database_instance?.database;
      const blocks = valueAt(instance, "settings.database_flags") as readonly { name: string; value: string }[];
      return Object.fromEntries(blocks.map(({ name, value }) => [name, value]));
    };
    expect(flags({})).toMatchObject({ jit: "off", log_statement: "ddl" });
    expect(flags({ jit: "on" })).toMatchObject({ jit: "on", log_statement: "ddl" });
  });
});

describe("A tier of the database", () => {
  const instanceOf = (tier: string) => {
    const stack = bareStack();
    new PostgresqlDatabase(stack, "Database", { context: CONTEXT, tier });
    return valueAt(terraformOf(stack), "resource.google_sql_database_instance.database.settings");
  };
  const connections = (value: string) => ({ name: "max_connections", value });

  it.each([
    ["db-custom-1-3840", "ENTERPRISE", "384"],
    ["db-perf-optimized-N-2", "ENTERPRISE_PLUS", "1638"],
    ["db-perf-optimized-N-96", "ENTERPRISE_PLUS", "5000"],
  ])("%s is of the edition %s, and has %s connections", (tier, edition, limit) => {
    const settings = instanceOf(tier) as { readonly database_flags?: readonly unknown[] };
    expect(settings).toMatchObject({ edition, tier });
    expect(JSON.stringify(settings)).toContain(JSON.stringify(connections(limit)).slice(1, -1));
  });
});
