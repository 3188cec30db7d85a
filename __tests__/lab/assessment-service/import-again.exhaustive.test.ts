import { type GoogleStandIn } from "../../support/google-stand-in";
import { ApiError } from "../../support/google-stand-in-services";
import { describeWith } from "../../support/programs";
import { haveSource, inScene, inventoryFolder, jobsOf, LOCATION, SOURCE, withoutHash } from "./assessment-scene";

const JOBS = "migrationcenter.projects.locations.importJobs";

/** Machines that the service has, by the address in their inventory's table. */
function addresses({ migration }: GoogleStandIn): readonly (string | undefined)[] {
  return [...migration.jobs.values()].map(({ tables }) => tables[0]?.rows[0]?.PrimaryIPAddress);
}

describeWith(["curl", "dash", "jq"], "import-inventory.sh, run again", () => {
  it.concurrent("imports an inventory again when the machines have returned to that state", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const [before, between] = ["10.0.0.1", "10.0.0.2"].map((address) => ({
        environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 1, address }) },
      }));
      await run("import-inventory", before);
      await run("import-inventory", between);

      const returned = await run("import-inventory", before);
      const repeated = await run("import-inventory", before);

      expect(returned).toMatchObject({ exitCode: 0, stderr: "" });
      expect(withoutHash(returned.stdout)).toContain(
        "Import job JOB is older than another import into its source: replacing it.\n",
      );
      expect(withoutHash(repeated.stdout)).toMatch(/^This inventory is imported already, by job JOB: .*\n$/);
      expect(addresses(standIn)).toEqual(["10.0.0.2", "10.0.0.1"]);
    }),
  );

  it.concurrent("leaves an import alone for the sake of others into another source, or without an end", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) };
      await run("import-inventory", { environment });
      const other = { displayName: "Other", phaseEndsAt: 0, tables: [], report: {}, files: new Map(), assets: [] };
      for (const [id, assetSource, state] of [
        ["elsewhere", `${LOCATION}/sources/other`, "COMPLETED"],
        ["failed", SOURCE, "FAILED"],
      ] as const) {
        const name = `${LOCATION}/importJobs/${id}`;
        standIn.migration.jobs.set(name, { ...other, name, assetSource, state, completeTime: "2027-01-01T00:00:00Z" });
      }

      const { stdout } = await run("import-inventory", { environment });

      expect(withoutHash(stdout)).toMatch(/^This inventory is imported already, by job JOB: .*\n$/);
    }),
  );

  it.concurrent("leaves a job of another source alone, also one with the id of its own", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) };
      await run("import-inventory", { environment });
      const [job] = standIn.migration.jobs.values();
      if (job === undefined) throw new Error("nothing was imported");
      const stranger = { ...job, assetSource: `${LOCATION}/sources/other`, assets: [] };
      standIn.migration.jobs.set(job.name, stranger);

      const { exitCode, stderr } = await run("import-inventory", { environment });

      expect(exitCode).toBe(1);
      expect(withoutHash(stderr)).toBe(
        `Import job JOB is of source other, not of assess-discovery-client; it is left as it is.\n  To fix: look at it at https://console.cloud.google.com/migration/discovery/dataImport?project=demo-project, delete it there if nobody needs it and run the same command again.\n`,
      );
      expect([...standIn.migration.jobs.values()]).toEqual([stranger]);
    }),
  );

  it.concurrent(
    "imports again what was deleted since, whatever else its source has, and nothing that was only hidden",
    () =>
      inScene(async ({ standIn, run }) => {
        haveSource(standIn);
        const environment = { INVENTORY_FOLDER: inventoryFolder() };
        await run("import-inventory", { environment });
        const [job] = standIn.migration.jobs.values();
        job?.assets.splice(0, 1);
        // What the discovery client has found.
        standIn.migration.assets.push(
          { name: `${LOCATION}/assets/scanned`, sources: [SOURCE], machineDetails: { machineName: "linux-1" } },
          { name: `${LOCATION}/assets/database`, sources: [SOURCE] },
        );

        const returned = await run("import-inventory", { environment });
        const repeated = await run("import-inventory", { environment });

        expect(returned).toMatchObject({ exitCode: 0, stderr: "" });
        expect(withoutHash(returned.stdout)).toContain(
          "Import job JOB has imported 2 instances, of which 1 are still there: replacing it.\n",
        );
        expect(repeated.stdout).toMatch(/^This inventory is imported already/);
        expect(standIn.migration.allAssets).toHaveLength(4);
        const [list = { path: "" }] = standIn.requestsTo("migrationcenter.projects.locations.assets.list");
        expect(new URL(list.path, "http://x").searchParams.get("showHidden")).toBe("true");
      }),
  );

  it.concurrent("warns of an import that is not whole, with numbers, and tries again the next time", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.importResult = 1;
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 9 }) };

      const partial = await run("import-inventory", { environment });
      standIn.migration.importResult = undefined;
      const whole = await run("import-inventory", { environment });

      expect(partial.exitCode).toBe(0);
      expect(partial.stdout).toContain(
        "Warning: only 1 of 9 instances were imported. Running the same command again imports all of them once more.\n",
      );
      expect(whole.exitCode).toBe(0);
      expect(withoutHash(whole.stdout)).toContain(
        "Import job JOB has imported 1 of 9 instances in an earlier run: replacing it.\n",
      );
      expect(whole.stdout).not.toContain("Warning");
      expect(standIn.migration.allAssets).toHaveLength(9);
    }),
  );

  it.concurrent("waits once more for a job that is stuck in validation, and then replaces it", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.callsPerPhase = Infinity;
      const environment = { IMPORT_SECONDS: "1", INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) };

      const stuck = await run("import-inventory", { environment });
      standIn.migration.callsPerPhase = 2;
      const repaired = await run("import-inventory", { environment: { ...environment, IMPORT_SECONDS: "2" } });

      expect(stuck.exitCode).toBe(1);
      expect(withoutHash(stuck.stderr)).toContain(
        "Import job JOB is still VALIDATING after 1 s; it goes on by itself.",
      );
      expect(repaired).toMatchObject({ exitCode: 0, stderr: "" });
      expect(withoutHash(repaired.stdout)).toContain(
        "Import job JOB is still VALIDATING after 2 s in a second run: replacing it.\n",
      );
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    }),
  );

  it.concurrent("waits for a file that is still being created", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.looksUntilFileIsThere = 3;

      const { exitCode, output } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) },
      });

      expect(exitCode).toBe(0);
      expect(withoutHash(output).match(/^File vmInfo\.csv: still being created \(0 s\)$/gm)).toHaveLength(1);
    }),
  );

  it.concurrent("gives up on a file that is never created, and says which one", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.looksUntilFileIsThere = Infinity;

      const { exitCode, stderr } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }), OPERATION_SECONDS: "4" },
      });

      expect(exitCode).toBe(1);
      expect(withoutHash(stderr)).toBe(
        "File vmInfo.csv of import job JOB is still being created after 4 s.\n  To fix: run the same command again; the half-done job is replaced.\n",
      );
    }),
  );

  it.concurrent.each([
    ["vmInfo.csv", "Import job JOB takes no file diskInfo.csv.\n"],
    ["perfInfo.csv", "Import job JOB is gone.\n"],
  ])("says that another run may be active when its job disappears after %s", (file, text) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      let isGone = false;

      const { exitCode, stderr } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) },
        onOutput: (output) => {
          if (isGone || !output.includes(`Uploading ${file}`)) return;
          isGone = true;
          standIn.onRequest = ({ method }) => {
            if (method === "storage.upload") standIn.migration.jobs.clear();
          };
        },
      });

      expect(exitCode).toBe(1);
      expect(withoutHash(stderr)).toContain(text);
      expect(stderr).toContain(
        "To fix: another run of this import may be at work on that job, or it is being deleted;",
      );
    }),
  );

  it.concurrent.each(["deleted", "replaced"])(
    "says that another run works on its job when an upload is denied because that run has %s the job",
    (change) =>
      inScene(async ({ standIn, run }) => {
        haveSource(standIn);
        standIn.inject("storage.upload", { kind: "status", error: new ApiError(403, "AccessDenied", "") });
        standIn.onRequest = ({ method }) => {
          if (method !== "storage.upload") return;
          if (change === "deleted") standIn.migration.jobs.clear();
          const [job] = standIn.migration.jobs.values();
          for (const [name, file] of job?.files ?? []) {
            job?.files.set(name, { ...file, createTime: "2027-01-01T00:00:00Z" });
          }
        };

        const { exitCode, stderr } = await run("import-inventory", {
          environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 1, bare: true }) },
        });

        expect(exitCode).toBe(1);
        expect(withoutHash(stderr)).toBe(
          "vmInfo.csv cannot be uploaded: another run works on import job JOB and has replaced or deleted it.\n  To fix: another run of this import may be at work on that job, or it is being deleted; wait until that has ended and run the same command again.\n",
        );
      }),
  );

  it.concurrent("lets a faster run finish its job", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      let looks = 0;
      const environment = { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }) };
      standIn.onRequest = ({ method, path }) => {
        const id = new URL(path, "http://x").searchParams.get("importJobId") ?? "";
        const [job] = standIn.migration.jobs.values();
        if (method === `${JOBS}.create`) {
          const name = `${LOCATION}/importJobs/${id}`;
          const own = { displayName: "", phaseEndsAt: Infinity, tables: [], report: {}, files: new Map(), assets: [] };
          standIn.migration.jobs.set(name, { ...own, name, assetSource: SOURCE, state: "PENDING" });
        } else if (method === `${JOBS}.get` && job !== undefined) {
          looks += 1;
          if (looks < 4) return;
          job.state = "COMPLETED";
        }
      };

      const { exitCode, output } = await run("import-inventory", { environment });

      expect(exitCode).toBe(0);
      expect(withoutHash(output)).toContain(
        "Import job JOB: created by another run a moment ago; waiting for that one",
      );
      expect(withoutHash(output)).toContain("Import job JOB is completed: 1 instances; the service gives no numbers");
      expect(standIn.requests.filter(({ httpMethod }) => httpMethod === "DELETE")).toEqual([]);
    }),
  );
});
