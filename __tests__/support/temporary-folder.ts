import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** One for all folders of a test file, so that one removal is enough. */
let parent: string | undefined;

/** An empty folder that is removed when the tests of a file, or the program, have ended. */
export function temporaryFolder(): string {
  if (parent === undefined) {
    parent = mkdtempSync(join(tmpdir(), "tests-"));
    // A test may open a folder of its own for another user.
    chmodSync(parent, 0o711);
  }
  return mkdtempSync(join(parent, "folder-"));
}

function remove(): void {
  if (parent !== undefined) rmSync(parent, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

// The test runner reuses its process; outside it there is no afterAll.
if (typeof afterAll === "function") afterAll(remove);
else process.once("exit", remove);
