import { readFileSync } from "node:fs";

import { packageFile } from "../../../lib/core/package-file";
import { type ScriptName } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { inSqlScene, INSTANCE, PROJECT } from "./sql-scene";

const PAGE = readFileSync(packageFile("stacks/identity-provider.md"), "utf8");

/** The scripts of a restore as the page calls them, with their words. */
const COMMANDS = [...PAGE.matchAll(/^((?:[A-Z_]+=\S+ )*)sh \S+\/scripts\/(restore|restore-drill)\.sh ?(.*)$/gm)].map(
  ([, settings = "", script = "", words = ""]) =>
    [
      script as ScriptName,
      (words.match(/'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll("'", "")),
      Object.fromEntries([...settings.matchAll(/(\w+)=(\S+)/g)].map(([, name = "", value = ""]) => [name, value])),
    ] as const,
);

describeWith(["curl", "dash", "jq"], "The page's commands of a restore", () => {
  it("are all of them", () => {
    const called = new Set(COMMANDS.map(([script, [command = script]]) => command));
    expect([...called].sort()).toEqual([
      ...["backup", "drop-former", "dump", "final-backup", "media", "point-in-time", "restore-drill"],
    ]);
  });

  it.concurrent.each(COMMANDS)("%s %j finds what it needs with %j, and a dry run changes nothing", (...command) =>
    inSqlScene(async ({ changes, run, standIn }) => {
      const [script, words, environment] = command;
      const softDeleteTime = "2026-11-22T11:00:00Z";
      standIn.storage.objects = [{ bucket: "media", name: "a.png", generation: "1", softDeleteTime }];
      standIn.sql.addBackup(PROJECT, INSTANCE, { type: "FINAL", instanceDeletionTime: softDeleteTime });
      standIn.sql.addBackup(PROJECT, INSTANCE, { description: "before 2026.5.8" });
      if (environment.FROM_INSTANCE !== undefined) standIn.sql.addBackup(PROJECT, environment.FROM_INSTANCE);
      const isDrill = script === "restore-drill";

      const { exitCode, stderr, stdout } = await run(script, {
        arguments: isDrill ? words : [...words, "--dry-run"],
        environment,
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      if (isDrill) return;
      expect(stdout).toMatch(/^Dry run: nothing is changed\. Steps:\n {2}1\. /);
      expect(changes()).toEqual([]);
    }),
  );
});
