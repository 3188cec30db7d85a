import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { joinedScript } from "../../lib/core/joined-script";
import { packageFile } from "../../lib/core/package-file";
import { temporaryFolder } from "../support/temporary-folder";

const ROOMS = ["lib/core/scripts", "lib/idp/scripts", "lib/lab/scripts", "lib/platform/kubernetes/scripts"];

/** The scripts that have a folder of parts beside them, with these. */
const JOINED = ROOMS.flatMap((room) => {
  const files = readdirSync(packageFile(room), { recursive: true, encoding: "utf8" }).map((file) => `${room}/${file}`);
  return files
    .filter((file) => /\.\w+$/.test(file))
    .map((script) => [script, files.filter((file) => file.startsWith(`${script.replace(/\.\w+$/, "")}/`))] as const)
    .filter(([, parts]) => parts.length > 0);
});

const textOf = (path: string): string => readFileSync(packageFile(path), "utf8");

describe("A script of several parts", () => {
  const joined = (files: Readonly<Record<string, string>>): string => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, "greet"));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    return joinedScript(join(folder, "greet.sh"));
  };

  it("is one text with the parts in their places, without the comments at their heads", () => {
    const text = joined({
      "greet.sh": 'first\n\n. "${0%/*}/greet/one.sh"\n. "${0%/*}/greet/two.sh"\n\nlast\n',
      "greet/one.sh": "# shellcheck shell=sh\n# About one.\n\n# one $& $1\none\n",
      "greet/two.sh": "# About two.\n\ntwo\n\nthree\n",
    });
    expect(text).toBe("first\n\n# one $& $1\none\n\ntwo\n\nthree\n\nlast\n");
  });
});

describe.each(JOINED)("%s", (script, parts) => {
  const text = joinedScript(packageFile(script));

  it("has each of its parts once, and reads none any more", () => {
    for (const part of parts) {
      const [head = "", ...rest] = textOf(part).split("\n\n");
      expect([part, head.split("\n").filter((line) => !line.startsWith("#"))]).toEqual([part, []]);
      expect([part, text.split(rest.join("\n\n")).length - 1]).toEqual([part, 1]);
    }
    expect(text).not.toMatch(/^\. /m);
  });
});

it.each(JOINED.map(([script]) => script).filter((script) => script.endsWith(".sh")))(
  "%s is shell as one text",
  (script) => {
    const check = spawnSync("sh", ["-n"], { input: joinedScript(packageFile(script)), encoding: "utf8" });
    expect([check.status, check.stderr]).toEqual([0, ""]);
  },
);
