import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { App } from "cdktf";

import { createStacks } from "../../stacks/all-stacks";
import { keepRelease } from "../stacks/releases/kept-release";

/** Not the usual output folder, which may hold a state. */
const outdir = mkdtempSync(join(tmpdir(), "release-"));

const app = new App({ outdir });
void createStacks(app, { backend: { type: "local" } })
  .then(() => {
    app.synth();
    process.stdout.write(`kept the folders of ${keepRelease(join(outdir, "stacks"))}\n`);
  })
  .finally(() => {
    rmSync(outdir, { recursive: true });
  });
