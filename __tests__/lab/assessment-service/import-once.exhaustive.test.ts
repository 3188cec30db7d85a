import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { recordingPrograms } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { ApiError } from "../../support/google-stand-in-services";
import { SIGNATURE_MARK } from "../../support/google-stand-in-uploads";
import { describeWith } from "../../support/programs";
import { haveSource, inScene, inventoryFolder, LOCATION, withoutHash } from "./assessment-scene";

describeWith(["curl", "dash", "jq"], "import-inventory.sh", () => {
  it.concurrent("makes no job, and no call, for a region without instances", () =>
    inScene(async ({ standIn, run }) => {
      const { exitCode, output } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 0 }), GOOGLE_OAUTH_ACCESS_TOKEN: undefined },
      });

      expect(exitCode).toBe(0);
      expect(output).toBe(
        "The inventory has no instances: nothing to import. If there are some in AWS, they are in another region than the one that was listed.\n",
      );
      expect(standIn.requests).toEqual([]);
    }),
  );

  it.concurrent("only reads when the inventory is imported already", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const environment = { INVENTORY_FOLDER: inventoryFolder({ bare: true }) };
      await run("import-inventory", { environment });
      const requests = standIn.requests.length;

      const second = await run("import-inventory", { environment });

      expect(second.exitCode).toBe(0);
      expect(withoutHash(second.output)).toBe(
        "This inventory is imported already, by job JOB: 2 instances, 2 frames reported, 2 rows read (0 s).\n",
      );
      expect(standIn.requests.slice(requests).map(({ httpMethod }) => httpMethod)).toEqual(Array(4).fill("GET"));
    }),
  );

  it.concurrent("shows the service's findings, errors first, and how many are not shown", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const rowErrors = Array.from({ length: 52 }, (_, index) => ({
        csvError: { rowNumber: index + 2 },
        vmName: "web, 😀\nsecond line",
        errors: [{ errorDetails: "Memory is missing.", severity: "ERROR" }],
      }));
      const fileErrors = [{ errorDetails: "No performance data.", severity: "WARNING" }];
      standIn.migration.findings.push({ fileName: "vmInfo.csv", rowErrors }, { fileName: "perfInfo.csv", fileErrors });
      const environment = { INVENTORY_FOLDER: inventoryFolder() };

      const refused = await run("import-inventory", { environment });

      expect(refused.exitCode).toBe(1);
      const row = (number: number) =>
        `  ERROR in vmInfo.csv, row ${number} (web, 😀 second line): Memory is missing.\n`;
      expect(withoutHash(refused.stderr)).toContain(
        `The inventory was refused: import job JOB has failed its validation.\n${row(2)}${row(3)}`,
      );
      expect(refused.stderr).toContain(`${row(51)}  and 3 more.\n  To fix: repair what the service names`);
    }),
  );

  it.concurrent("puts neither token nor signed address on a command line, into its output or a file that stays", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const temporary = temporaryFolder();
      const log = join(temporaryFolder(), "calls");
      const denied = new ApiError(403, "SignatureDoesNotMatch", "");
      standIn.inject("storage.upload", { kind: "status", error: denied });

      const { exitCode, output } = await run("import-inventory", {
        programs: recordingPrograms(log),
        environment: { INVENTORY_FOLDER: inventoryFolder(), TMPDIR: temporary },
      });

      expect(exitCode).toBe(1);
      expect(output).toContain("vmInfo.csv cannot be uploaded.\n");
      expect(output).toContain("answered HTTP 403 SignatureDoesNotMatch.\n");
      const seen = readFileSync(log, "utf8") + output;
      expect(seen).toMatch(/^curl /m);
      expect(seen).not.toContain("ya29");
      expect(seen).not.toContain(SIGNATURE_MARK);
      expect(readdirSync(temporary)).toEqual([]);
    }),
  );

  it.concurrent("refuses a folder that is not a complete inventory, and a source that does not exist", () =>
    inScene(async ({ standIn, run }) => {
      const folder = inventoryFolder();
      const withoutSource = await run("import-inventory", { environment: { INVENTORY_FOLDER: folder } });
      writeFileSync(join(folder, "diskInfo.csv"), "of another export");
      const vmInfo = readFileSync(join(folder, "vmInfo.csv"), "utf8").replace("10.0.0.1", "10.0.0.2");
      writeFileSync(join(folder, "vmInfo.csv"), vmInfo);
      const mixed = await run("import-inventory", { environment: { INVENTORY_FOLDER: folder } });
      const none = await run("import-inventory", { environment: { INVENTORY_FOLDER: "/nowhere" } });
      const wrong = await run("import-inventory", {
        environment: { DEPLOYMENT_ID: "A B", INVENTORY_FOLDER: "", OPERATION_SECONDS: "0900" },
      });

      expect(withoutSource.exitCode).toBe(1);
      expect(withoutSource.stderr).toContain(
        "Source assess-discovery-client, which the machines are to belong to, does not exist in us-central1.",
      );
      expect(mixed.exitCode).toBe(2);
      expect(mixed.stderr).toContain(`${folder}/vmInfo.csv has other contents than manifest.json says.`);
      expect(mixed.stderr).toContain(`${folder}/diskInfo.csv has 17 bytes; manifest.json says 108.`);
      expect(none.exitCode).toBe(2);
      expect(none.stderr).toContain(
        "/nowhere/manifest.json is missing or is no inventory; run export-inventory.sh, which writes it last.",
      );
      expect(wrong.exitCode).toBe(2);
      expect(wrong.stderr).toBe(
        [
          "import-inventory.sh cannot start:",
          "  - INVENTORY_FOLDER is not set; it must hold the folder that export-inventory.sh wrote.",
          '  - DEPLOYMENT_ID is "A B"; it must hold the suffix of the lab\'s names.',
          '  - OPERATION_SECONDS is "0900"; it must hold a number of seconds, at most 999999.',
          "",
        ].join("\n"),
      );
      expect(standIn.requests.map(({ path }) => path)).toEqual([
        `/migrationcenter/v1/${LOCATION}/sources/assess-discovery-client`,
      ]);
    }),
  );
});
