import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../../lib/core/package-file";
import { inScene, inventoryFolder, LOCATION } from "./assessment-scene";
import { describeWith } from "../../support/programs";

/** Has its own dependencies: they are many times larger than everything else together, and for this test alone. */
const CLIENT = join(__dirname, "official-client");

describeWith(
  [],
  "the stand-in of the assessment service",
  () => {
    it("is taken for the real one by the official client, through the whole protocol", () =>
      inScene(async ({ standIn }) => {
        standIn.migration.longestPage = 1;

        const { stdout } = await promisify(execFile)(
          process.execPath,
          [
            ...["--import", "tsx", join(CLIENT, "protocol.ts")],
            ...[standIn.host, "demo-project", "us-central1", inventoryFolder()],
          ],
          { cwd: packageFile(".") },
        );

        const tables = ["diskInfo.csv", "perfInfo.csv", "tagInfo.csv", "vmInfo-2.csv", "vmInfo.csv"];
        const source = `${LOCATION}/sources/official-client`;
        expect(JSON.parse(stdout)).toEqual({
          place: LOCATION,
          source: "Renamed",
          files: tables,
          validated: "IMPORT_JOB_STATE_READY",
          validation: tables,
          completed: "IMPORT_JOB_STATE_COMPLETED",
          report: { framesReported: 2, totalRowsCount: 5 },
          assets: [
            ['web, "i-0001"', "Linux/UNIX", [source]],
            ['web, "i-0000"', "Linux/UNIX", [source]],
          ],
          basic: [false, false],
          jobs: ["IMPORT_JOB_STATE_COMPLETED"],
          left: [],
        });
        expect(standIn.requests.filter(({ method }) => method === "unknown")).toEqual([]);
      }));
  },
  existsSync(join(CLIENT, "node_modules/googleapis"))
    ? {}
    : {
        missing:
          "the official client is not installed: npm ci --prefix __tests__/lab/assessment-service/official-client",
      },
);
