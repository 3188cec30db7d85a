import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { programFolder, recordingPrograms } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { describeWith } from "../../support/programs";
import { BUILD, CREATE, executeStep, IMAGE, inScene, killAtWork, LOG, refusal, startBuild } from "./build-scene";

describeWith(["bash", "busybox", "curl", "dash", "jq"], "build-image.sh", () => {
  describe("success", () => {
    it.concurrent.each(["busybox", "bash"] as const)("is reached in other shells (%s)", (shell) =>
      inScene(async ({ standIn, build }) => {
        const run = await build({ shell });

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
        expect(run.stdout).toContain(`\nDigest: ${standIn.registry.digests.get(IMAGE) ?? ""}\n`);
      }),
    );

    it.concurrent("finds the tag of an image whose name has slashes", () =>
      inScene(async ({ standIn, build }) => {
        const image = "us-docker.pkg.dev/other-project/images/team/idp:1.0";
        standIn.registry.push(image);

        const run = await build({ environment: { IMAGE: image } });

        expect(run.stdout).toContain("nothing to build");
        expect(standIn.requests[0]?.path).toBe(
          "/artifactregistry/v1/projects/other-project/locations/us/repositories/images/packages/team%2Fidp/tags/1.0",
        );
      }),
    );

    it.concurrent("does not depend on the right to read the registry", () =>
      inScene(async ({ standIn, build }) => {
        standIn.inject("artifactregistry", refusal(403, "PERMISSION_DENIED", "Permission denied."));

        const run = await build();

        expect(run.exitCode).toBe(0);
        expect(run.stdout).toContain(`Whether ${IMAGE} exists cannot be seen, so it is built.`);
      }),
    );

    it.concurrent("is possible in a region", () =>
      inScene(async ({ standIn, build, methods }) => {
        const run = await build({ environment: { BUILD_LOCATION: "europe-west1" } });

        expect(run.exitCode).toBe(0);
        expect(methods().slice(1, 4)).toEqual([
          "cloudbuild.projects.locations.builds.list",
          "cloudbuild.projects.locations.builds.create",
          "cloudbuild.projects.locations.builds.get",
        ]);
        expect(standIn.requests[2]?.path).toBe("/cloudbuild/v1/projects/demo-project/locations/europe-west1/builds");
      }),
    );

    it.concurrent("says a state once, however long it lasts", () =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: ["WORKING", "WORKING", "WORKING", "SUCCESS"] });

        const run = await build();

        expect(run.stdout.match(/: WORKING /g)).toHaveLength(1);
      }),
    );
  });

  describe("a build that fails", () => {
    it.concurrent.each(["INTERNAL_ERROR", "TIMEOUT", "CANCELLED", "EXPIRED"] as const)("by %s is reported", (state) =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: [state] });

        const run = await build();

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toContain(`ended ${state} after`);
        expect(run.stderr).toContain("Cloud Build gave no reason.");
      }),
    );

    it.concurrent("that does not end is left running after the time limit", () =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: ["WORKING"] });
        // A clock that runs a thousand times as fast.
        const date = `/bin/date +%s%3N`;
        const programs = programFolder({ scripts: { date } });

        const run = await build({ programs, environment: { BUILD_TIMEOUT_SECONDS: "1", BUILD_QUEUE_SECONDS: "1" } });

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toContain("is still WORKING long after its time limit; waiting ends here.");
        expect(run.stderr).toContain(`Log: ${LOG}`);
      }),
    );
  });

  it.concurrent("survives faults while it watches, and an expired token", () =>
    inScene(async ({ standIn, build }) => {
      const get = "cloudbuild.projects.builds.get";
      const programs = programFolder({
        scripts: { gcloud: "if [ -e asked ]; then echo ya29.second; else : >asked; echo ya29.first; fi" },
      });
      standIn.tokens.add("ya29.second");
      standIn.inject(get, refusal(429, "RESOURCE_EXHAUSTED", "Too many requests."));
      standIn.inject(get, { kind: "reset" });
      standIn.inject(get, { kind: "expired-token" });

      const run = await build({
        programs: programFolder({
          scripts: { gcloud: `cd ${programs} && exec ${programs}/gcloud` },
        }),
        environment: { GOOGLE_OAUTH_ACCESS_TOKEN: undefined },
      });

      expect(run.exitCode).toBe(0);
      expect(run.stdout).toContain("The access token has expired; getting a new one");
      expect(standIn.builds.accepted).toHaveLength(1);
    }),
  );

  it.concurrent.each([
    ["SIGINT", 130, "busybox"],
    ["SIGQUIT", 131, "bash"],
    ["SIGQUIT", 131, "dash"],
  ] as const)("cancels its build on %s and leaves nothing behind", (signal, exitCode, shell) =>
    inScene(async ({ standIn, build }) => {
      const temporary = temporaryFolder();
      standIn.builds.courses.push({ states: ["WORKING"] });

      const run = await build({ ...killAtWork(signal, { TMPDIR: temporary }), shell });

      expect(run.exitCode).toBe(exitCode);
      expect(run.stderr).toBe(`Interrupted by ${signal}.\nBuild ${BUILD} is cancelled. Log: ${LOG}\n`);
      expect(standIn.requestsTo("cloudbuild.projects.builds.cancel")).toHaveLength(1);
      expect(readdirSync(temporary)).toEqual([]);
    }),
  );

  it.concurrent.each(["dash", "busybox", "bash"] as const)(
    "cancels its build when nobody reads its output any more, and leaves nothing behind (%s)",
    (shell) =>
      inScene(async ({ standIn, build }) => {
        const temporary = temporaryFolder();
        standIn.builds.courses.push({ states: ["QUEUED", ...Array<"WORKING">(1000).fill("WORKING")] });

        const run = await build({
          shell,
          environment: { TMPDIR: temporary },
          onOutput: (output, _kill, close) => {
            if (output.includes("QUEUED")) close();
          },
        });

        expect(run.exitCode).toBe(141);
        expect(standIn.requestsTo("cloudbuild.projects.builds.cancel")).toHaveLength(1);
        expect(readdirSync(temporary)).toEqual([]);
      }),
  );

  it.concurrent("does the same when it was started with SIGPIPE ignored", () =>
    inScene(async ({ standIn, build }) => {
      standIn.builds.courses.push({ states: ["QUEUED", ...Array<"WORKING">(1000).fill("WORKING")] });

      const run = await build({
        ignoring: "PIPE",
        onOutput: (output, _kill, close) => {
          if (output.includes("QUEUED")) close();
        },
      });

      expect(run.exitCode).toBe(141);
      expect(standIn.requestsTo("cloudbuild.projects.builds.cancel")).toHaveLength(1);
    }),
  );

  describe("a build of the same image that is under way", () => {
    it.concurrent("is not cancelled with the run that only waits for it", () =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: ["WORKING"] });
        await startBuild(standIn);

        const run = await build(killAtWork("SIGTERM"));

        expect(run.exitCode).toBe(143);
        expect(run.stderr).toContain("goes on, because another run has started it.");
        expect(standIn.requestsTo("cloudbuild.projects.builds.cancel")).toEqual([]);
      }),
    );

    it.concurrent("is replaced when the run that started it has cancelled it", () =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: ["WORKING", "CANCELLED"] });
        await startBuild(standIn);

        const run = await build();

        expect(run.exitCode).toBe(0);
        expect(run.stdout).toContain("has cancelled it.");
        expect(standIn.builds.accepted).toHaveLength(2);
      }),
    );

    it.concurrent("need not be visible to whoever may build", () =>
      inScene(async ({ standIn, build }) => {
        standIn.inject("cloudbuild.projects.builds.list", refusal(403, "PERMISSION_DENIED", "Permission denied."));

        const run = await build();

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      }),
    );
  });

  it.concurrent("says on a signal that a build may have been started while its request is under way", () =>
    inScene(async ({ standIn, build }) => {
      standIn.inject(CREATE, { kind: "reset", carriedOut: true });

      const run = await build({
        environment: { REST_RETRY_BASE_SECONDS: "15" },
        onOutput: (output, kill) => {
          if (output.includes("Looking whether") && !output.includes("Interrupted")) kill("SIGTERM");
        },
      });

      expect(run.exitCode).toBe(143);
      expect(run.stderr).toContain("A build that was just being started goes on:");
    }),
  );

  it.concurrent("puts neither token nor file contents on a command line or into its output", () =>
    inScene(async ({ folder, build }) => {
      const log = join(folder, "calls");

      const run = await build({ programs: recordingPrograms(log) });

      const seen = readFileSync(log, "utf8") + run.output;
      expect(run.exitCode).toBe(0);
      expect(seen).toContain("--rawfile");
      expect(seen).not.toContain("ya29");
      for (const file of ["Dockerfile", "cloud-entrypoint.sh"]) {
        expect(seen).not.toContain(readFileSync(join(folder, file), "base64").slice(0, 20));
      }
    }),
  );

  describe("refuses before any call", () => {
    it.concurrent.each([
      ["IMAGE", "docker.io/library/idp:1"],
      ["IMAGE", "us-central1-docker.pkg.dev/demo-project/images/idp"],
      ["UPSTREAM_IMAGE", "server$PROJECT_ID"],
      ["UPSTREAM_PREFIX", "lower_"],
      ["IDP_VERSION", "1; rm"],
      ["BUILD_TIMEOUT_SECONDS", "20m"],
      ["BUILD_QUEUE_SECONDS", "12345678901234567890"],
      ["IDENTITY_WAIT_SECONDS", "0900"],
    ])("%s %s", (name, value) =>
      inScene(async ({ standIn, build }) => {
        const run = await build({ environment: { [name]: value } });

        expect(run.exitCode).toBe(2);
        expect(run.stderr).toContain(`${name} is "${value}"; it must hold`);
        expect(standIn.requests).toEqual([]);
      }),
    );
  });

  it.concurrent("needs no build when the tag exists", () =>
    inScene(async ({ standIn, build, methods }) => {
      const digest = standIn.registry.push(IMAGE);

      const run = await build();

      expect(run).toMatchObject({
        exitCode: 0,
        stdout: `${IMAGE} is already there (${digest}): nothing to build.\n`,
      });
      expect(methods()).toEqual(["artifactregistry.projects.locations.repositories.packages.tags.get"]);
    }),
  );

  it.concurrent("ends with the error message of a failed build", () =>
    inScene(async ({ standIn, build }) => {
      standIn.builds.courses.push({
        states: ["WORKING", "FAILURE"],
        statusDetail: "Build step failure: build step 0 failed: step exited with non-zero status: 1",
        failureInfo: { type: "USER_BUILD_STEP", detail: "MANIFEST_UNKNOWN: no such tag, access denied" },
        exitCode: 1,
      });

      const run = await build();

      expect(run.exitCode).toBe(1);
      expect(run.stderr.replace(/\d+ s:/, "N s:")).toBe(
        [
          `The build of ${IMAGE} ended FAILURE after N s:`,
          "  MANIFEST_UNKNOWN: no such tag, access denied",
          "  Build step failure: build step 0 failed: step exited with non-zero status: 1",
          "  step build ended FAILURE with exit code 1",
          `  Log: ${LOG}`,
          "",
        ].join("\n"),
      );
      expect(standIn.builds.accepted).toHaveLength(1);
    }),
  );

  it.concurrent("waits for a build of the same image that is under way", () =>
    inScene(async ({ standIn, build }) => {
      await startBuild(standIn);

      const run = await build();

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(run.stdout).toContain(`Built ${IMAGE} in`);
      expect(standIn.builds.accepted).toHaveLength(1);
    }),
  );

  it.concurrent("cancels its build on a signal and leaves nothing behind", () =>
    inScene(async ({ standIn, build }) => {
      const temporary = temporaryFolder();
      standIn.builds.courses.push({ states: ["WORKING"] });

      const run = await build(killAtWork("SIGTERM", { TMPDIR: temporary }));

      expect(run.exitCode).toBe(143);
      expect(run.stderr).toBe(`Interrupted by SIGTERM.\nBuild ${BUILD} is cancelled. Log: ${LOG}\n`);
      expect(standIn.requestsTo("cloudbuild.projects.builds.cancel")).toHaveLength(1);
      expect(readdirSync(temporary)).toEqual([]);
    }),
  );

  it.concurrent("refuses blueprints that it cannot find or read, before any call", () =>
    inScene(async ({ standIn, folder, build }) => {
      writeFileSync(join(folder, "Dockerfile.blueprints"), "COPY blueprints /blueprints/\n");
      writeFileSync(join(folder, "large.yaml"), Buffer.alloc(65_537, "#"));

      const missing = await build({
        environment: { BLUEPRINTS: "own/large.yaml shipped/none.yaml", BLUEPRINTS_DIRECTORY: folder },
      });
      const misspelled = await build({ environment: { BLUEPRINTS: "../large.yaml" } });

      expect([missing.exitCode, misspelled.exitCode]).toEqual([2, 2]);
      expect(missing.stderr).toContain("large.yaml has 65537 bytes; a file inside a build request may have 65536.");
      expect(missing.stderr).toContain(
        "blueprints/none.yaml is missing or empty; BLUEPRINTS names it as shipped/none.yaml.",
      );
      expect(misspelled.stderr).toContain("BLUEPRINTS");
      expect(standIn.requests).toEqual([]);
    }),
  );

  describe("the step of the build", () => {
    it.concurrent("writes the blueprints byte for byte, and appends to the Dockerfile what copies them", () =>
      inScene(async ({ folder }) => {
        const own = temporaryFolder();
        const large = randomBytes(60_000);
        mkdirSync(join(folder, "blueprints"));
        writeFileSync(join(folder, "Dockerfile"), "FROM x");
        writeFileSync(join(folder, "Dockerfile.blueprints"), "\nCOPY blueprints /blueprints/\n");
        writeFileSync(join(folder, "blueprints/branding.yaml"), "entries: []\n");
        writeFileSync(join(own, "large.yaml"), large);

        const { step, workspace } = await executeStep(folder, {
          BLUEPRINTS: "own/large.yaml shipped/branding.yaml",
          BLUEPRINTS_DIRECTORY: own,
        });

        expect(readFileSync(join(workspace, "Dockerfile"), "utf8")).toBe("FROM x\nCOPY blueprints /blueprints/\n");
        expect(readFileSync(join(workspace, "blueprints/own/large.yaml")).equals(large)).toBe(true);
        expect(readFileSync(join(workspace, "blueprints/shipped/branding.yaml"), "utf8")).toBe("entries: []\n");
        expect(statSync(join(workspace, "blueprints/own/large.yaml")).mode & 0o777).toBe(0o644);
        expect(Math.max(...step.env.map((entry) => entry.length))).toBeLessThan(10_000);
      }),
    );
  });
});
