import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  captureBuildRequest,
  programFolder,
  recordingPrograms,
  temporaryFolder,
} from "../../support/google-stand-in-scripts";
import { type GoogleStandIn } from "../../support/google-stand-in";
import { describeWith, programPath } from "../../support/programs";
import { CREATE, IMAGE, inScene, LOG, refusal } from "./build-scene";

/** Entries of the form `NAME=value` as a process takes them. */
function environmentOf(entries: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    entries.map((entry): [string, string] => {
      const [name = ""] = entry.split("=", 1);
      return [name, entry.slice(name.length + 1)];
    }),
  );
}

describeWith(["bash", "busybox", "curl", "dash", "jq"], "build-image.sh", () => {
  describe("success", () => {
    it.concurrent.each(["dash", "busybox", "bash"] as const)(
      "is told line by line, with log and digest (%s)",
      (shell) =>
        inScene(async ({ standIn, build }) => {
          standIn.builds.courses.push({ states: ["QUEUED", "WORKING", "SUCCESS"] });

          const run = await build({ shell });

          expect(run).toMatchObject({ exitCode: 0, stderr: "" });
          expect(run.stdout.replace(/\d+ s\b/g, "N s").split("\n")).toEqual([
            `Build 0b1d0000-0000-4000-8000-000000000001 of ${IMAGE} is under way; log: ${LOG}`,
            "Build 0b1d0000-0000-4000-8000-000000000001: QUEUED (N s)",
            "Build 0b1d0000-0000-4000-8000-000000000001: WORKING (N s)",
            "Build 0b1d0000-0000-4000-8000-000000000001: SUCCESS (N s)",
            `Built ${IMAGE} in N s.`,
            `Digest: ${standIn.registry.digests.get(IMAGE) ?? ""}`,
            "",
          ]);
        }),
    );

    it.concurrent("comes from one request with everything in it", () =>
      inScene(async ({ standIn, folder, build }) => {
        await build();

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

  describe("the step of the build", () => {
    const execute = async (imageDirectory: string) => {
      const request = await captureBuildRequest({ imageDirectory });
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
  });

  describe("a build that fails", () => {
    it.concurrent.each(["dash", "busybox"] as const)("ends the script with the build's own words (%s)", (shell) =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({
          states: ["WORKING", "FAILURE"],
          statusDetail: "Build step failure: build step 0 failed: step exited with non-zero status: 1",
          failureInfo: { type: "USER_BUILD_STEP", detail: "MANIFEST_UNKNOWN: no such tag, access denied" },
          exitCode: 1,
        });

        const run = await build({ shell });

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

    it.concurrent.each(["INTERNAL_ERROR", "TIMEOUT", "CANCELLED", "EXPIRED"] as const)("by %s is reported", (state) =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: [state] });

        const run = await build();

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toContain(`ended ${state} after`);
        expect(run.stderr).toContain("Cloud Build gave no reason.");
      }),
    );

    it.concurrent("to end at all is left alone after its time limit", () =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: ["WORKING"] });
        // A clock that runs a thousand times too fast.
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
    ["SIGTERM", 143, "dash"],
    ["SIGINT", 130, "busybox"],
    ["SIGQUIT", 131, "bash"],
    ["SIGQUIT", 131, "dash"],
  ] as const)("cancels its build on %s and leaves nothing behind", (signal, exitCode, shell) =>
    inScene(async ({ standIn, build }) => {
      const temporary = temporaryFolder();
      standIn.builds.courses.push({ states: ["WORKING"] });

      const run = await build({
        shell,
        environment: { REST_POLL_SECONDS: "30", TMPDIR: temporary },
        onOutput: (output, kill) => {
          if (output.includes("WORKING") && !output.includes("Interrupted")) kill(signal);
        },
      });

      expect(run.exitCode).toBe(exitCode);
      expect(run.stderr).toBe(
        `Interrupted by ${signal}.\nBuild 0b1d0000-0000-4000-8000-000000000001 is cancelled. Log: ${LOG}\n`,
      );
      expect(standIn.requestsTo("cloudbuild.projects.builds.cancel")).toHaveLength(1);
      expect(readdirSync(temporary)).toEqual([]);
    }),
  );

  it.concurrent.each(["dash", "busybox", "bash"] as const)(
    "cancels its build when nobody reads what it says any more, and leaves nothing behind (%s)",
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
    const start = async ({ environment }: GoogleStandIn, image = IMAGE) => {
      const tag = image.replace(/^.*:/, "");
      await fetch(`${environment.GOOGLE_CLOUD_BUILD_CUSTOM_ENDPOINT ?? ""}projects/demo-project/builds`, {
        method: "POST",
        headers: { authorization: "Bearer ya29.first" },
        body: JSON.stringify({ steps: [{ name: "x" }], images: [image], tags: [tag] }),
      });
    };

    it.concurrent("is waited for instead of another one", () =>
      inScene(async ({ standIn, build }) => {
        await start(standIn);

        const run = await build();

        expect(run).toMatchObject({ exitCode: 0, stderr: "" });
        expect(run.stdout).toContain(`Built ${IMAGE} in`);
        expect(standIn.builds.accepted).toHaveLength(1);
      }),
    );

    it.concurrent("is not cancelled with the run that only waits for it", () =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: ["WORKING"] });
        await start(standIn);

        const run = await build({
          environment: { REST_POLL_SECONDS: "30" },
          onOutput: (output, kill) => {
            if (output.includes("WORKING") && !output.includes("Interrupted")) kill("SIGTERM");
          },
        });

        expect(run.exitCode).toBe(143);
        expect(run.stderr).toContain("goes on, because another run has started it.");
        expect(standIn.requestsTo("cloudbuild.projects.builds.cancel")).toEqual([]);
      }),
    );

    it.concurrent("is replaced when the run that started it has cancelled it", () =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: ["WORKING", "CANCELLED"] });
        await start(standIn);

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
    it.concurrent("a file that is too large for a request, and one that is missing", () =>
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
});
