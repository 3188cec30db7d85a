import { programFolder } from "../support/google-stand-in-scripts";
import { ApiError } from "../support/google-stand-in-services";
import { describeWith, programPath } from "../support/programs";
import { haveLeftovers, haveSource, inScene, inventoryFolder, LOCATION, withoutHash } from "./assessment-scene";

const PREFIX = "migrationcenter.projects.locations";
const EXISTS = new ApiError(409, "ALREADY_EXISTS", "It is there.");

/** Lines, without what differs from run to run. */
const linesOf = (output: string) => withoutHash(output).split("\n");

/** A program that takes its time first; `condition` looks at its arguments. */
const slow = (name: "awk" | "jq" | "sha256sum", condition: string, seconds: number) => ({
  [name]: `case "$*" in ${condition}) sleep ${seconds} ;; esac\nexec ${programPath(name)} "$@"`,
});

describeWith(["awk", "curl", "dash", "jq"], "nothing is silent for long", () => {
  it.concurrent("while a source that exists cannot be seen", () =>
    inScene(async ({ standIn, run }) => {
      standIn.inject(`${PREFIX}.sources.create`, { kind: "status", error: EXISTS }, 3);

      const { exitCode, stdout } = await run("register-source");

      expect(exitCode).toBe(0);
      expect(linesOf(stdout)).toContain("Source assess-discovery-client: said to exist, but not to be seen yet (0 s)");
    }),
  );

  it.concurrent("while an import job that exists cannot be seen", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.inject(`${PREFIX}.importJobs.create`, { kind: "status", error: EXISTS }, 2);

      const { exitCode, stdout } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder() },
      });

      expect(exitCode).toBe(0);
      expect(linesOf(stdout)).toContain("Import job JOB: said to exist, but not to be seen yet (0 s)");
    }),
  );

  it.concurrent("in a long row of pages, none of which takes long", () =>
    inScene(async ({ standIn, run }) => {
      for (let index = 0; index < 9; index += 1) {
        standIn.migration.assets.push({ name: `${LOCATION}/assets/a${index}` });
      }
      standIn.migration.longestPage = 1;
      standIn.inject(`${PREFIX}.assets.list`, { kind: "slow", milliseconds: 600 }, 9);

      const { exitCode, stdout } = await run("assessment-status", { environment: { REST_SILENCE_SECONDS: "4" } });

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^GET http:\S+\/assets: under way \(\d s\)$/m);
    }),
  );

  it.concurrent("when an upload begins a while after the line that announces it", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);
      standIn.inject(`${PREFIX}.importJobs.importDataFiles.create`, { kind: "slow", milliseconds: 2500 });
      standIn.inject("storage.upload", { kind: "slow", milliseconds: 3500 });

      const { exitCode, stdout } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder({ machines: 1 }), REST_SILENCE_SECONDS: "6" },
      });

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Uploading vmInfo\.csv: under way \(\d s\)$/m);
    }),
  );

  it.concurrent("when tags take a while to become labels", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn, { type: "SOURCE_TYPE_UPLOAD" });
      standIn.migration.refuses.add("raw-tags");

      const { exitCode, stdout } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder({ tags: ["Name,A b"] }), REST_SILENCE_SECONDS: "4" },
        programs: programFolder({ scripts: slow("awk", "*folder=*tagInfo.csv*", 3) }),
      });

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Turning tags into labels: under way \(\d+ s\)$/m);
    }),
  );

  it.concurrent("while gcloud looks for a token", () =>
    inScene(async ({ run }) => {
      const { exitCode, stdout } = await run("register-source", {
        environment: { GOOGLE_OAUTH_ACCESS_TOKEN: undefined, REST_SILENCE_SECONDS: "3" },
        programs: programFolder({ scripts: { gcloud: "sleep 2.5; echo ya29.first" } }),
      });

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Getting an access token: under way \(\d s\)$/m);
    }),
  );

  it.concurrent("while an inventory is compared with its manifest", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn);

      const { exitCode, stdout } = await run("import-inventory", {
        environment: { INVENTORY_FOLDER: inventoryFolder(), REST_SILENCE_SECONDS: "3" },
        programs: programFolder({ scripts: slow("sha256sum", "*", 1) }),
      });

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Checking the inventory: under way \(\d s\)$/m);
    }),
  );

  it.concurrent.each([
    ["assessment-status", "Sorting the assets out", "-c*guestOs*"],
    ["assessment-cleanup", "Sorting the import jobs out", "*scope.json*assetSource*"],
  ] as const)("%s: while it looks through a long list", (script, text, condition) =>
    inScene(async ({ standIn, run }) => {
      haveLeftovers(standIn);

      const { exitCode, stdout } = await run(script, {
        arguments: script === "assessment-cleanup" ? ["--yes"] : [],
        environment: { REST_SILENCE_SECONDS: "3" },
        programs: programFolder({ scripts: slow("jq", condition, 2) }),
      });

      expect(exitCode).toBe(0);
      expect(linesOf(stdout).some((line) => line.startsWith(`${text}: under way`))).toBe(true);
    }),
  );

  it.concurrent("before the first look at an operation", () =>
    inScene(async ({ standIn, run }) => {
      haveSource(standIn, { displayName: "Another" });
      standIn.inject(`${PREFIX}.sources.patch`, { kind: "slow", milliseconds: 1800 });

      const { exitCode, stdout } = await run("register-source", {
        environment: { REST_SILENCE_SECONDS: "4", REST_RETRY_BASE_SECONDS: "2", REST_POLL_SECONDS: "2" },
      });

      expect(exitCode).toBe(0);
      expect(stdout).toMatch(/^Source assess-discovery-client: under way \(\d s\)$/m);
    }),
  );
});
