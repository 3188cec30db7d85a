import { SIGNATURE_MARK } from "../../support/google-stand-in-uploads";
import { describeWith } from "../../support/programs";
import { ApiError } from "../../support/google-stand-in-services";
import {
  haveSource,
  inScene,
  inventoryFolder,
  jobsOf,
  withoutHash,
  UPLOAD_ID,
  UPLOAD_SOURCE,
} from "./assessment-scene";

const JOBS = "migrationcenter.projects.locations.importJobs";

describeWith(["bash", "busybox", "curl", "dash", "jq"], "import-inventory.sh", () => {
  it.concurrent.each(["bash", "busybox"] as const)("works from start to end in another shell (%s)", (shell) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);

      const { exitCode, stderr } = await run("import-inventory", {
        shell,
        environment: { INVENTORY_FOLDER: inventoryFolder() },
      });

      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
      expect(standIn.migration.allAssets).toHaveLength(2);
    }),
  );

  it.concurrent("corrects, each once and in a new job, everything that the service may refuse without need", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      for (const refusable of ["header-only", "raw-tags", "source-type"] as const) {
        standIn.migration.refuses.add(refusable);
      }
      const tags = ['Name,"web, ""first""\nline 😀"', "1st,x", "CostCenter,A b", "costcenter,again", "größe,7"];
      const labels = ["name,web___first__line__", "tag_1st,x", "costcenter,a_b", "gr__e,7"];
      const environment = { INVENTORY_FOLDER: inventoryFolder({ tags, labels, lostLabels: 1 }) };

      const first = await run("import-inventory", { environment });
      const second = await run("import-inventory", { environment });

      expect(first.exitCode).toBe(0);
      const said = first.stdout.split("\n");
      expect(said).toContain("Importing once more, into a source of its own for uploaded files.");
      expect(said).toContain("Importing once more, without the files that have a header only.");
      expect(said).toContain(
        'Importing once more, with tags in the form of labels: lower case, other characters as "_".',
      );
      expect(said).toContain(
        "Of the tags, 1 are left out: in that form their machine has one of the same key already, or 64 labels.",
      );
      expect(jobsOf(standIn).map(([id, state, source]) => [withoutHash(id), state, source])).toEqual([
        ["JOB-rows-tags", "COMPLETED", UPLOAD_ID],
      ]);
      expect(standIn.migration.sources.get(UPLOAD_SOURCE)).toMatchObject({
        type: "SOURCE_TYPE_UPLOAD",
        displayName: "assess-discovery-client (upload)",
      });
      const uploaded = [...standIn.migration.uploads.objects].filter(([name]) => name.includes("-rows-tags/"));
      expect(uploaded.map(([name]) => name.split("/").at(-1))).toEqual([
        ...["vminfo-csv", "vminfo-2-csv", "diskinfo-csv", "taginfo-csv"],
      ]);
      expect(uploaded.at(-1)?.[1].toString()).toBe(
        [
          "MachineId,Key,Value",
          "i-0000,name,web___first__line__",
          "i-0000,tag_1st,x",
          "i-0000,costcenter,a_b",
          "i-0000,gr__e,7",
          "",
        ].join("\r\n"),
      );

      expect(second.exitCode).toBe(0);
      expect(withoutHash(second.stdout)).toContain("This inventory is imported already, by job JOB-rows-tags:");
      expect(standIn.migration.jobs.size).toBe(1);
    }),
  );

  it.concurrent.each(["source-type-at-validate", "source-type-at-run"] as const)(
    "does nothing the next time when the service has refused the source late (%s)",
    (refusable) =>
      inScene(async ({ standIn, run }) => {
        const displayName = "ä".repeat(63);
        haveSource(standIn, { displayName });
        for (const late of [refusable, "header-only", "raw-tags"] as const) standIn.migration.refuses.add(late);
        const environment = { INVENTORY_FOLDER: inventoryFolder({ tags: ["Name,A b"], labels: ["name,a_b"] }) };

        const first = await run("import-inventory", { environment });
        const requests = standIn.requests.length;
        const second = await run("import-inventory", { environment });

        expect(first.exitCode).toBe(0);
        expect(standIn.migration.sources.get(UPLOAD_SOURCE)?.displayName).toBe(`${"ä".repeat(54)} (upload)`);
        expect(second).toMatchObject({ exitCode: 0, stderr: "" });
        expect(withoutHash(second.stdout)).toMatch(/^This inventory is imported already, by job JOB-rows-tags: .*\n$/);
        expect(standIn.requests.slice(requests).map(({ httpMethod }) => httpMethod)).toEqual(Array(4).fill("GET"));
      }),
  );

  it.concurrent("continues in its own source when it was killed there", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.refuses.add("source-type-at-validate");
      const environment = { INVENTORY_FOLDER: inventoryFolder() };
      const killed = await run("import-inventory", {
        environment,
        onOutput: (output, kill) => {
          if (/source of its own(.*\n)*Uploading vmInfo/.test(output)) kill("SIGTERM");
        },
      });

      const { exitCode, stdout } = await run("import-inventory", { environment });

      expect(killed.exitCode).toBe(143);
      expect(exitCode).toBe(0);
      expect(stdout).toContain("An earlier run went on with a source of its own for uploaded files; going on there.");
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    }),
  );

  it.concurrent("says once that it waits for a job that exists and cannot be seen yet", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const exists = new ApiError(409, "ALREADY_EXISTS", "It is there.");
      standIn.inject("migrationcenter.projects.locations.importJobs.create", { kind: "status", error: exists }, 2);

      const { exitCode, stdout } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder() },
      });

      expect(exitCode).toBe(0);
      expect(
        withoutHash(stdout).match(/^Import job JOB: said to exist, but not to be seen yet \(\d s\)$/gm),
      ).toHaveLength(1);
    }),
  );

  it.concurrent("replaces a job that failed its validation, when nothing can be corrected", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const warning = { errorDetails: "No performance data.", severity: "WARNING" };
      const error = { errorDetails: "Memory is missing.", severity: "ERROR" };
      const environment = { INVENTORY_FOLDER: inventoryFolder() };
      standIn.migration.findings.push({ fileName: "vmInfo.csv", fileErrors: [error] });
      const refused = await run("import-inventory", { environment });
      standIn.migration.findings.push({ fileName: "perfInfo.csv", fileErrors: [warning] });

      const { exitCode, stdout } = await run("import-inventory", { environment });

      expect(refused.exitCode).toBe(1);
      expect(exitCode).toBe(0);
      expect(withoutHash(stdout)).toContain("Import job JOB failed its validation in an earlier run: replacing it.");
      expect(stdout).toContain("The service warns:\n  FILE          ROW  MACHINE  MESSAGE\n  perfInfo.csv");
      expect(standIn.migration.jobs.size).toBe(1);
    }),
  );

  it.concurrent.each([
    ["has failed", "The quota of assets is used up.", "JOB has failed.\n  FILE   ROW  MACHINE  MESSAGE\n  (job)"],
    ["has imported nothing", 0, "JOB ended, but imported none of 2 instances."],
  ])("fails when the job %s, and replaces that job the next time", (_what, result, text) =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.importResult = result;
      const environment = { INVENTORY_FOLDER: inventoryFolder() };

      const failed = await run("import-inventory", { environment });
      standIn.migration.importResult = undefined;
      const repeated = await run("import-inventory", { environment });

      expect(failed.exitCode).toBe(1);
      expect(withoutHash(failed.stderr)).toContain(text);
      expect(repeated.exitCode).toBe(0);
      expect(jobsOf(standIn).map(([, state]) => state)).toEqual(["COMPLETED"]);
    }),
  );

  it.concurrent("asks for another address when one has expired, and repeats an upload that broke off", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.uploads.expiredAddresses = 1;
      standIn.inject("storage.upload", { kind: "reset" });
      standIn.inject("storage.upload", { kind: "html", status: 503, page: "Service Unavailable" });

      const { exitCode, output } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder() },
      });

      expect(exitCode).toBe(0);
      expect(output).toContain("The address for vmInfo.csv has expired; asking for another one.");
      expect(output).toContain(`PUT http://${standIn.host}/<signed address> got no answer`);
      expect(output).toContain(
        `PUT http://${standIn.host}/<signed address>: a proxy or portal answered, not the API: HTTP 503.`,
      );
      expect(output).not.toContain(SIGNATURE_MARK);
      expect(standIn.migration.allAssets).toHaveLength(2);
    }),
  );

  it.concurrent("finishes an interrupted run in whatever state it was left", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.migration.callsPerPhase = 1000;
      const environment = { INVENTORY_FOLDER: inventoryFolder() };

      const validating = await run("import-inventory", {
        environment,
        onOutput: (output, kill) => {
          if (output.includes("VALIDATING")) kill("SIGTERM");
        },
      });
      const [job] = standIn.migration.jobs.values();
      const stateAfterKill = job?.state;
      if (job !== undefined) job.phaseEndsAt = 0;
      const running = await run("import-inventory", {
        environment,
        onOutput: (output, kill) => {
          if (output.includes("RUNNING")) kill("SIGTERM");
        },
      });
      if (job !== undefined) job.phaseEndsAt = 0;
      const finished = await run("import-inventory", { environment });

      expect(validating).toMatchObject({ exitCode: 143 });
      expect(validating.stderr).toContain("is left as it is; run the same command again to finish it.");
      expect(stateAfterKill).toBe("VALIDATING");
      expect(running.exitCode).toBe(143);
      expect(finished.exitCode).toBe(0);
      expect(standIn.requestsTo(`${JOBS}.create`)).toHaveLength(1);
      expect(standIn.migration.allAssets).toHaveLength(2);
    }),
  );
});
