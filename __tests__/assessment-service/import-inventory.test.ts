import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type GoogleStandIn } from "../support/google-stand-in";
import { recordingPrograms, temporaryFolder } from "../support/google-stand-in-scripts";
import { ApiError } from "../support/google-stand-in-services";
import { SIGNATURE_MARK } from "../support/google-stand-in-uploads";
import { describeWith } from "../support/programs";
import { haveSource, inScene, inventoryFolder, LOCATION, SOURCE } from "./assessment-scene";

const JOBS = "migrationcenter.projects.locations.importJobs";

function jobsOf({ migration }: GoogleStandIn): readonly (readonly [id: string, state: string, source: string])[] {
  return [...migration.jobs.values()].map(({ name, state, assetSource }) => [
    name.split("/").at(-1) ?? "",
    state,
    assetSource.split("/").at(-1) ?? "",
  ]);
}

/** Names of jobs hold the inventory's hash and the checksum of the source's name. */
const withoutHash = (text: string) => text.replace(/cloudb-[0-9a-f]{16}-\d+/g, "JOB").replace(/\(\d+ s\)/g, "(0 s)");

describeWith(["busybox", "curl", "dash", "jq"], "import-inventory.sh", () => {
  it.concurrent.each(["dash", "busybox"] as const)(
    "creates, uploads, validates, runs and reports; a second run does nothing but look (%s)",
    (shell) =>
      inScene(async ({ standIn, run }) => {
        haveSource(standIn);
        const environment = { INVENTORY_FOLDER: inventoryFolder() };

        const first = await run("import-inventory", { shell, environment });
        const requests = standIn.requests.length;
        const second = await run("import-inventory", { shell, environment });

        expect(first.exitCode).toBe(0);
        expect(withoutHash(first.output)).toMatch(
          /^Creating import job JOB for 2 instances\.\nUploading vmInfo\.csv: 460 bytes \(1 of 5\)\.\n(.*\n)*Import job JOB is validated; importing\.\n(.*\n)*Import job JOB is completed: 2 instances, 2 frames reported, 5 rows read \(0 s\)\.\n$/,
        );
        expect(jobsOf(standIn)).toEqual([
          [expect.stringMatching(/^cloudb-[0-9a-f]{16}-\d+$/), "COMPLETED", "assess-discovery-client"],
        ]);
        expect(standIn.migration.allAssets.map(({ machineDetails }) => machineDetails)).toEqual([
          { machineName: 'web, "i-0000"', guestOs: { osName: "Linux/UNIX" } },
          { machineName: 'web, "i-0001"', guestOs: { osName: "Linux/UNIX" } },
        ]);
        const [upload] = standIn.requestsTo("storage.upload");
        expect(upload?.httpMethod).toBe("PUT");
        expect(upload?.headers).toMatchObject({ "content-type": "application/octet-stream" });
        expect(upload?.headers).not.toHaveProperty("authorization");
        expect(standIn.requests.map(({ method }) => method)).not.toContain("unknown");

        expect(second.exitCode).toBe(0);
        expect(withoutHash(second.output)).toBe(
          "This inventory is imported already, by job JOB: 2 instances, 2 frames reported, 5 rows read (0 s).\n",
        );
        expect(standIn.requests.slice(requests).map(({ httpMethod }) => httpMethod)).toEqual(["GET", "GET"]);
      }),
  );

  it.concurrent("makes no job, and no call, for a region without instances", () =>
    inScene(async ({ standIn, run }) => {
      const { exitCode, output } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 0 }), GOOGLE_OAUTH_ACCESS_TOKEN: undefined },
      });

      expect(exitCode).toBe(0);
      expect(output).toBe(
        "The inventory has no instances: nothing to import. If cloud B does have some, they are in another region than the one that was asked.\n",
      );
      expect(standIn.requests).toEqual([]);
    }),
  );

  it.concurrent("corrects, each once and in a new job, everything that the service may refuse without need", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      for (const refusable of ["header-only", "raw-tags", "source-type"] as const) {
        standIn.migration.refuses.add(refusable);
      }
      const tags = ['Name,"web, ""first""\nline 😀"', "1st,x", "CostCenter,A b", "costcenter,again", "größe,7"];
      const environment = { INVENTORY_FOLDER: inventoryFolder({ tags }) };

      const first = await run("import-inventory", { environment });
      const second = await run("import-inventory", { environment });

      expect(first.exitCode).toBe(0);
      const said = first.stdout.split("\n");
      expect(said).toContain("Importing once more, into a source of its own for uploaded files.");
      expect(said).toContain("Importing once more, without the files that have a header only.");
      expect(said).toContain(
        'Importing once more, with tags in the form of labels: lower case, other characters as "_".',
      );
      expect(jobsOf(standIn).map(([id, state, source]) => [withoutHash(id), state, source])).toEqual([
        ["JOB", "FAILED_VALIDATION", "assess-discovery-client-upload"],
        ["JOB-rows-tags", "COMPLETED", "assess-discovery-client-upload"],
      ]);
      expect(standIn.migration.sources.get(`${SOURCE}-upload`)).toMatchObject({
        type: "SOURCE_TYPE_UPLOAD",
        displayName: "assess-discovery-client (upload)",
      });
      const uploaded = [...standIn.migration.uploads.objects].filter(([name]) => name.includes("-rows-tags/"));
      expect(uploaded.map(([name]) => name.split("/").at(-1))).toEqual([
        ...["vminfo-csv", "vminfo-2-csv", "diskinfo-csv", "taginfo-csv"],
      ]);
      expect(uploaded.at(-1)?.[1].toString()).toBe(
        [
          '"MachineId","Key","Value"',
          '"i-0000","name","web___first__line__"',
          '"i-0000","tag_1st","x"',
          '"i-0000","costcenter","a_b"',
          '"i-0000","gr__e","7"',
          "",
        ].join("\n"),
      );

      expect(second.exitCode).toBe(0);
      expect(withoutHash(second.stdout)).toContain("This inventory is imported already, by job JOB-rows-tags:");
      expect(standIn.migration.jobs.size).toBe(2);
    }),
  );

  it.concurrent("shows what the service finds as a table, of which it cuts the end", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      const rowErrors = Array.from({ length: 52 }, (_, index) => ({
        csvError: { rowNumber: index + 2 },
        vmName: "web, 😀\nsecond line",
        errors: [{ errorDetails: "Memory is missing.", severity: "ERROR" }],
      }));
      const fileErrors = [{ errorDetails: "No performance data.", severity: "WARNING" }];
      standIn.migration.findings.push(
        { fileName: "vmInfo.csv", rowErrors, partialReport: true },
        { fileName: "perfInfo.csv", fileErrors },
      );
      const environment = { INVENTORY_FOLDER: inventoryFolder() };

      const refused = await run("import-inventory", { environment });
      standIn.migration.findings.push({ fileName: "perfInfo.csv", fileErrors });
      const repaired = await run("import-inventory", { environment });

      expect(refused.exitCode).toBe(1);
      expect(withoutHash(refused.stderr)).toContain(
        [
          "The inventory was refused: import job JOB has failed its validation.",
          "  FILE        ROW  MACHINE             MESSAGE",
          "  vmInfo.csv  2    web, 😀 second line  Memory is missing.",
          "  vmInfo.csv  3    web, 😀 second line  Memory is missing.",
          "",
        ].join("\n"),
      );
      expect(refused.stderr).toContain(
        "  vmInfo.csv  51   web, 😀 second line  Memory is missing.\n  and 2 more errors.\n",
      );
      expect(refused.stderr).not.toContain("vmInfo.csv  52");
      expect(refused.stderr).toContain('  The service stopped after too many of them in: "vmInfo.csv"\n');

      expect(repaired.exitCode).toBe(0);
      expect(withoutHash(repaired.stdout)).toContain(
        "Import job JOB failed its validation in an earlier run: replacing it.",
      );
      expect(repaired.stdout).toContain("The service warns:\n  FILE          ROW  MACHINE  MESSAGE\n  perfInfo.csv");
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
      expect(output).toContain(`PUT http://${standIn.host}/<signed address> answered HTTP 503 without a reason`);
      expect(output).not.toContain(SIGNATURE_MARK);
      expect(standIn.migration.allAssets).toHaveLength(2);
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

  it.concurrent("finishes what an earlier run has left behind, in whatever state", () =>
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

  it.concurrent("refuses a folder that is no whole inventory, and a source that is not there", () =>
    inScene(async ({ standIn, run }) => {
      const folder = inventoryFolder();
      const withoutSource = await run("import-inventory", { environment: { INVENTORY_FOLDER: folder } });
      writeFileSync(join(folder, "diskInfo.csv"), "of another export");
      const vmInfo = readFileSync(join(folder, "vmInfo.csv"), "utf8").replace("10.0.0.1", "10.0.0.2");
      writeFileSync(join(folder, "vmInfo.csv"), vmInfo);
      const mixed = await run("import-inventory", { environment: { INVENTORY_FOLDER: folder } });
      const none = await run("import-inventory", { environment: { INVENTORY_FOLDER: "/nowhere" } });
      const wrong = await run("import-inventory", { environment: { DEPLOYMENT_ID: "A B", INVENTORY_FOLDER: "" } });

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
          "",
        ].join("\n"),
      );
      expect(standIn.requests.map(({ path }) => path)).toEqual([
        `/migrationcenter/v1/${LOCATION}/sources/assess-discovery-client`,
      ]);
    }),
  );
});
