import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryFolder } from "./temporary-folder";
import { missingPrograms } from "./programs";

/** What is missing if the PATH has only this busybox. */
function missingWith(busybox: string | undefined): string | undefined {
  const folder = temporaryFolder();
  if (busybox !== undefined) {
    writeFileSync(join(folder, "busybox"), `#!/bin/sh\n${busybox}\n`);
    chmodSync(join(folder, "busybox"), 0o755);
  }
  const path = process.env.PATH;
  process.env.PATH = folder;
  try {
    return missingPrograms(["busybox"]);
  } finally {
    process.env.PATH = path;
  }
}

describe("A test that runs busybox", () => {
  it("runs with one that takes other programs from the PATH", () => {
    expect(missingWith("exit 127")).toBeUndefined();
  });

  it("says that it needs another one when this one prefers its own programs to a test's stand-ins", () => {
    expect(missingWith("exit 0")).toBe(
      "needs a busybox whose shell looks for programs on the PATH: apt-get install busybox (not busybox-static)",
    );
  });

  it("says that it needs one when there is none", () => {
    expect(missingWith(undefined)).toBe("needs busybox: apt-get install busybox");
  });
});
