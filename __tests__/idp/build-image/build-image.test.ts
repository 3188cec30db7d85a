import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { captureBuildRequest, programFolder, temporaryFolder } from "../../support/google-stand-in-scripts";
import { describeWith, programPath } from "../../support/programs";
import { BUILD, CREATE, IMAGE, inScene, killAtWork, LOG, startBuild } from "./build-scene";

/** Environment from entries of the form `NAME=value`. */
function environmentOf(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry): [string, string] => {
      const [name = ""] = entry.split("=", 1);
      return [name, entry.slice(name.length + 1)];
    }),
  );
}

describeWith(["bash", "curl", "dash", "jq"], "build-image.sh", () => {
  it.concurrent("sends one request with everything in it, and tells line by line what becomes of it", () =>
    inScene(async ({ standIn, folder, build }) => {
      standIn.builds.courses.push({ states: ["QUEUED", "WORKING", "SUCCESS"] });

      const run = await build();

      expect(run).toMatchObject({ exitCode: 0, stderr: "" });
      expect(run.stdout.replace(/\d+ s\b/g, "N s").split("\n")).toEqual([
        `Build ${BUILD} of ${IMAGE} is under way; log: ${LOG}`,
        `Build ${BUILD}: QUEUED (N s)`,
        `Build ${BUILD}: WORKING (N s)`,
        `Build ${BUILD}: SUCCESS (N s)`,
        `Built ${IMAGE} in N s.`,
        `Digest: ${standIn.registry.digests.get(IMAGE) ?? ""}`,
        "",
      ]);
      expect(standIn.requestsTo(CREATE)).toHaveLength(1);
      expect(standIn.builds.accepted).toEqual([
        {
          steps: [
            {
              id: "build",
              name: "gcr.io/cloud-builders/docker",
              env: [
                `IMAGE=${IMAGE}`,
                "UPSTREAM_IMAGE=ghcr.io/goauthentik/server",
                "UPSTREAM_PREFIX=AUTHENTIK_",
                "IDP_VERSION=2026.5.4",
                "APP_VERSION=latest",
                `DOCKERFILE_BASE64_1=${readFileSync(join(folder, "Dockerfile"), "base64")}`,
                `CLOUD_ENTRYPOINT_BASE64_1=${readFileSync(join(folder, "cloud-entrypoint.sh"), "base64")}`,
              ],
              script: expect.stringMatching(/^#!\/bin\/sh\nset -eu\n/) as string,
            },
          ],
          images: [IMAGE],
          serviceAccount: "projects/demo-project/serviceAccounts/builder@demo-project.iam.gserviceaccount.com",
          options: { logging: "CLOUD_LOGGING_ONLY" },
          timeout: "1200s",
          queueTtl: "600s",
          tags: ["idp-image", "2026.5.4-0123456789ab"],
        },
      ]);
    }),
  );

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

  it.concurrent("ends with the words of a build that fails", () =>
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

  it.concurrent("refuses a file that is too large for a request, and one that is missing, before any call", () =>
    inScene(async ({ standIn, folder, build }) => {
      writeFileSync(join(folder, "Dockerfile"), Buffer.alloc(65_537, "#"));
      rmSync(join(folder, "cloud-entrypoint.sh"));

      const run = await build();

      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain("Dockerfile has 65537 bytes; a file inside a build request may have 65536.");
      expect(run.stderr).toContain("cloud-entrypoint.sh is missing or empty");
      expect(standIn.requests).toEqual([]);
    }),
  );

  it.concurrent("refuses blueprints that it cannot find or read from, before any call", () =>
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
    const execute = async (imageDirectory: string, environment: Readonly<Record<string, string>> = {}) => {
      const request = await captureBuildRequest({ imageDirectory, environment });
      const [step] = request.steps;
      if (step === undefined) throw new Error("the build has no step");
      const workspace = temporaryFolder();
      const docker = programFolder({ scripts: { docker: `printf '%s\\n' "$@" >arguments` } });
      writeFileSync(join(docker, "step"), step.script);
      for (const shell of ["dash", "bash"] as const) {
        execFileSync(programPath(shell), [join(docker, "step")], {
          cwd: workspace,
          env: {
            PATH: docker,
            ...environmentOf(step.env),
          },
        });
      }
      return { step, workspace };
    };

    it.concurrent("writes both files byte for byte, whatever is in them, and builds with the four arguments", () =>
      inScene(async ({ folder }) => {
        const dockerfile = Buffer.concat([randomBytes(30_000), Buffer.from("\0\n\n")]);
        const entrypoint = randomBytes(65_536);
        writeFileSync(join(folder, "Dockerfile"), dockerfile);
        writeFileSync(join(folder, "cloud-entrypoint.sh"), entrypoint);

        const { step, workspace } = await execute(folder);

        expect(readFileSync(join(workspace, "Dockerfile")).equals(dockerfile)).toBe(true);
        expect(readFileSync(join(workspace, "cloud-entrypoint.sh")).equals(entrypoint)).toBe(true);
        expect(statSync(join(workspace, "cloud-entrypoint.sh")).mode & 0o777).toBe(0o755);
        expect(Math.max(...step.env.map((entry) => entry.length))).toBeLessThan(10_000);
        expect(readFileSync(join(workspace, "arguments"), "utf8").trim().split("\n")).toEqual([
          "build",
          ...["--build-arg", "UPSTREAM_IMAGE=ghcr.io/goauthentik/server"],
          ...["--build-arg", "UPSTREAM_PREFIX=AUTHENTIK_"],
          ...["--build-arg", "IDP_VERSION=2026.5.4"],
          ...["--build-arg", "APP_VERSION=latest"],
          ...["--tag", IMAGE],
          ".",
        ]);
      }),
    );

    it.concurrent("writes the blueprints byte for byte, and appends to the Dockerfile what copies them", () =>
      inScene(async ({ folder }) => {
        const own = temporaryFolder();
        const large = randomBytes(60_000);
        mkdirSync(join(folder, "blueprints"));
        writeFileSync(join(folder, "Dockerfile"), "FROM x");
        writeFileSync(join(folder, "Dockerfile.blueprints"), "\nCOPY blueprints /blueprints/\n");
        writeFileSync(join(folder, "blueprints/branding.yaml"), "entries: []\n");
        writeFileSync(join(own, "large.yaml"), large);

        const { step, workspace } = await execute(folder, {
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
