import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { status } from "../../support/fault-matrix";
import { recordingPrograms } from "../../support/google-stand-in-scripts";
import { SIGNATURE_MARK } from "../../support/google-stand-in-uploads";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { machines, SCOPED_KEY, withAws } from "../inventory/inventory-run";
import { haveSource, jobsOf, scenario, withoutHash } from "./assessment-scene";

describeWith(["curl", "dash", "jq"], "import-inventory.sh", () => {
  scenario("makes no job, and no call, for a region without instances", async ({ standIn, run }) => {
    const { exitCode, output } = await run("import-inventory", withAws({}, { machines: [] }));
    expect(exitCode).toBe(0);
    expect(output).toContain("us-east-1 hosts no instances: nothing to import. Choose another region");
    expect(standIn.requests).toEqual([]);
  });

  scenario("only reads when the inventory is imported already, and says how to repeat it", async ({ standIn, run }) => {
    haveSource(standIn);
    await run("import-inventory", withAws({}, { machines: machines(2) }));
    const requests = standIn.requests.length;
    // In whatever order AWS lists it.
    const second = await run("import-inventory", withAws({}, { machines: machines(2).reverse() }));
    expect(second.exitCode).toBe(0);
    expect(withoutHash(second.output)).toMatch(
      /This inventory is imported already, by job JOB\.\nTo import it once more, delete that job at https:.*\n$/,
    );
    expect(standIn.requests.slice(requests).map(({ httpMethod }) => httpMethod)).toEqual(["GET"]);
  });

  scenario(
    "shows the service's findings, errors first, and replaces the refused job the next time",
    async ({ standIn, run }) => {
      haveSource(standIn);
      const warning = { errorDetails: "No performance data.", severity: "WARNING" };
      const error = { errorDetails: "Memory is missing.", severity: "ERROR" };
      const rowErrors = Array.from({ length: 60 }, (_, rowNumber) => ({
        csvError: { rowNumber },
        vmName: "web, 😀\nsecond line",
        errors: [error],
      }));
      standIn.migration.findings.push({ fileName: "perfInfo.csv", fileErrors: [warning] });
      standIn.migration.findings.push({ fileName: "vmInfo.csv", rowErrors });
      const refused = await run("import-inventory", withAws());
      const repeated = await run("import-inventory", withAws());

      expect(refused.exitCode).toBe(1);
      expect(withoutHash(refused.stderr)).toContain(
        "Import job JOB is FAILED_VALIDATION:\n  ERROR in vmInfo.csv, row 0 (web, 😀 second line): Memory is missing.\n",
      );
      expect(refused.stderr.match(/ERROR in vmInfo/g)).toHaveLength(50);
      expect(refused.stderr).toContain("  and 11 more.\n");
      expect(refused.stderr).not.toContain("WARNING in");
      expect(withoutHash(repeated.stdout)).toContain("Import job JOB is FAILED_VALIDATION: replacing it.");
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    },
  );

  scenario("fails when a job has imported nothing, and replaces it the next time", async ({ standIn, run }) => {
    haveSource(standIn);
    standIn.migration.importResult = 0;
    const first = await run("import-inventory", withAws({}, { machines: machines(9) }));
    standIn.migration.importResult = undefined;
    const repeated = await run("import-inventory", withAws({}, { machines: machines(9) }));

    expect(first.exitCode).toBe(1);
    expect(withoutHash(first.stderr)).toContain("Import job JOB is COMPLETED, but has imported none of 9 instances:");
    expect(repeated.exitCode).toBe(0);
    expect(withoutHash(repeated.stdout)).toMatch(/^Import job JOB is EMPTY: replacing it\.$/m);
    expect(standIn.migration.allAssets).toHaveLength(9);
  });

  scenario(
    "puts neither token nor signed address on a command line, into its output or a file that stays",
    async ({ standIn, run }) => {
      haveSource(standIn);
      const temporary = temporaryFolder();
      const log = join(temporaryFolder(), "calls");
      standIn.inject("storage.upload", status(403, "SignatureDoesNotMatch"));
      const environment = { TMPDIR: temporary };
      const { exitCode, output } = await run(
        "import-inventory",
        withAws({ programs: recordingPrograms(log), environment }),
      );
      expect(exitCode).toBe(1);
      expect(output).toMatch(
        /vmInfo\.csv cannot be uploaded\.\n {2}PUT http:.* answered HTTP 403 SignatureDoesNotMatch\.\n/,
      );
      const seen = readFileSync(log, "utf8") + output;
      expect(seen).toMatch(/^curl /m);
      expect(seen).not.toContain("ya29");
      expect(seen).not.toContain(SIGNATURE_MARK);
      expect(seen).not.toContain(SCOPED_KEY.secret);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );
});
