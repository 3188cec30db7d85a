import { execFile, spawnSync } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";

import { inventoryFolder } from "../assessment-service/assessment-scene";
import { GoogleStandIn } from "../support/google-stand-in";
import { describeWith, findProgram, programPath } from "../support/programs";

const MODULE = "google.cloud.migrationcenter_v1";
const HOW_TO_GET = "the official client is not installed: get google-cloud-migrationcenter from PyPI";

function hasClient(): boolean {
  const python = findProgram("python3");
  const look = `import importlib.util, sys; sys.exit(importlib.util.find_spec("${MODULE}") is None)`;
  return python !== undefined && spawnSync(python, ["-c", look], { stdio: "ignore" }).status === 0;
}

describeWith(
  ["python3"],
  "the stand-in of the assessment service",
  () => {
    it("is taken for the real one by the official client, through the whole protocol", async () => {
      const standIn = await new GoogleStandIn().start();
      try {
        standIn.migration.longestPage = 1;
        const script = join(__dirname, "official-client.py");
        const scene = [standIn.host, "demo-project", "us-central1", inventoryFolder()];

        const { stdout } = await promisify(execFile)(programPath("python3"), [script, ...scene]);

        const seen = JSON.parse(stdout) as Readonly<Record<string, unknown>>;
        const source = "projects/demo-project/locations/us-central1/sources/official-client";
        expect(seen).toEqual({
          source: "Renamed",
          files: ["diskInfo.csv", "perfInfo.csv", "tagInfo.csv", "vmInfo-2.csv", "vmInfo.csv"],
          validated: "IMPORT_JOB_STATE_READY",
          validation: ["diskInfo.csv", "perfInfo.csv", "tagInfo.csv", "vmInfo-2.csv", "vmInfo.csv"],
          completed: "IMPORT_JOB_STATE_COMPLETED",
          frames: 2,
          rows: 5,
          assets: [
            ['web, "i-0000"', "Linux/UNIX", [source]],
            ['web, "i-0001"', "Linux/UNIX", [source]],
          ],
          basic: [false, false],
          jobs: ["IMPORT_JOB_STATE_COMPLETED"],
          assetsAfterDelete: 0,
          sourcesAfterDelete: 0,
        });
        expect(standIn.requests.filter(({ method }) => method === "unknown")).toEqual([]);
      } finally {
        await standIn.stop();
      }
    });
  },
  hasClient() ? {} : { missing: HOW_TO_GET },
);
