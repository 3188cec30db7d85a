import { spawnSync } from "node:child_process";

import { packageFile } from "../../../lib/core/package-file";
import { describeWith, programPath } from "../../support/programs";

describeWith(["dash"], "dump-database.sh", () => {
  it("reads no list of programs to stop before it has a folder of its own", () => {
    const script = packageFile("lib/idp/scripts/dump-database.sh");
    const trace = spawnSync(programPath("dash"), ["-x", script], { env: { PATH: process.env.PATH }, encoding: "utf8" });
    expect([trace.status, trace.stderr]).toEqual([2, expect.stringContaining("failed: DB_HOST is missing\n")]);
    expect(trace.stderr).not.toContain(" /programs");
  });
});
