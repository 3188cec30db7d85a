import { readdirSync, readFileSync } from "node:fs";

import { packageFile } from "../../../lib/core/package-file";
import { runFile } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";

const textOf = (path: string) => readFileSync(packageFile(`lib/${path}`), "utf8");

/** Scripts that print a usage: those that people may start, and those that jobs run after a text that they share. */
const SCRIPTS = readdirSync(packageFile("lib"), { recursive: true, encoding: "utf8" }).filter(
  (path) => path.endsWith(".sh") && /^#!|^ *--help\)/m.test(textOf(path)),
);

describeWith(["curl", "dash", "jq"], "--help", () => {
  it.concurrent.each(SCRIPTS)(
    "prints the comment at the beginning, and nothing that is for tools alone: %s",
    async (path) => {
      const [, usage = ""] = /^#.*\n((?:#.*\n)+)/.exec(textOf(path)) ?? [];

      const help = await runFile(packageFile(`lib/${path}`), { arguments: ["--help"] });

      expect(help).toMatchObject({ exitCode: 0, stderr: "", stdout: usage.replaceAll(/^# ?/gm, "") });
      expect(help.stdout).not.toContain("shellcheck");
    },
  );
});
