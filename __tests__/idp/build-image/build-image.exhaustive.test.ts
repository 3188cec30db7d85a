import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { FaultMatrix, LOST_ANSWER, page, renewableToken, status } from "../../support/fault-matrix";
import { programFolder, recordingPrograms } from "../../support/google-stand-in-scripts";
import { temporaryFolder } from "../../support/temporary-folder";
import { describeWith } from "../../support/programs";
import {
  BUILD,
  CREATE,
  executeStep,
  IMAGE,
  inScene,
  killAtWork,
  LOG,
  type Scene,
  startBuild,
  scenario,
} from "./build-scene";

const GET = "cloudbuild.projects.builds.get";
const LIST = "cloudbuild.projects.builds.list";
const CANCEL = "cloudbuild.projects.builds.cancel";

const TOO_NEW = "caller does not have permission to act as service account projects/demo-project/serviceAccounts/1";
const GATEWAY = page(502, "<title>502 Bad Gateway</title>");

/** A build that goes on until it is cancelled. */
const ENDLESS = ["QUEUED", ...Array<"WORKING">(1000).fill("WORKING")] as const;

const requests = (count: number) => {
  return ({ standIn }: Scene): void => expect(standIn.requestsTo(CREATE)).toHaveLength(count);
};

const matrix = new FaultMatrix<Scene>({
  inScene,
  run: ({ build }, options) => build(options),
  settled: ({ standIn }) => expect(standIn.builds.accepted.map(({ images }) => images)).toEqual([[IMAGE]]),
});

describeWith(["bash", "busybox", "curl", "dash", "jq"], "build-image.sh", () => {
  matrix.rows([
    {
      what: "a registry that may not be read is no reason not to build",
      at: "artifactregistry",
      answers: [status(403, "PERMISSION_DENIED")],
      exitCode: 0,
      says: [`Whether ${IMAGE} exists cannot be seen, so it is built.`],
    },
    {
      what: "builds that may not be listed are no reason not to build",
      at: LIST,
      answers: [status(403, "PERMISSION_DENIED")],
      exitCode: 0,
    },
    {
      what: "an identity that is too new is waited for",
      at: CREATE,
      answers: [
        status(403, "PERMISSION_DENIED", TOO_NEW),
        status(404, "NOT_FOUND", "Service account builder@demo-project does not exist."),
      ],
      exitCode: 0,
      says: [`${TOO_NEW} This is normal for a service account or role that is minutes old;`],
    },
    {
      what: "an identity that is refused for long is not waited for indefinitely",
      at: CREATE,
      answers: [status(403, "PERMISSION_DENIED", TOO_NEW)],
      lasts: true,
      options: { environment: { IDENTITY_WAIT_SECONDS: "1" } },
      exitCode: 1,
      says: [
        `Cloud Build refuses the build of ${IMAGE}.`,
        "roles/iam.serviceAccountUser on builder@demo-project.iam.gserviceaccount.com",
      ],
    },
    {
      what: "no other refusal is taken for an identity that is too new",
      at: CREATE,
      answers: [status(403, "PERMISSION_DENIED", "The caller does not have permission")],
      exitCode: 1,
      left: requests(1),
    },
    {
      what: "a request whose answer is lost is not sent again when it has started the build",
      at: CREATE,
      answers: [LOST_ANSWER],
      exitCode: 0,
      says: ["Looking whether the build was started nevertheless."],
      left: requests(1),
    },
    {
      what: "a request that has started no build is sent again",
      at: CREATE,
      answers: [{ kind: "reset" }, status(500, "INTERNAL"), GATEWAY],
      exitCode: 0,
      says: ["It was not; asking again (attempt 2 of 4).", "asking again (attempt 4 of 4)."],
    },
    {
      what: "a request whose fate never becomes clear ends it",
      at: CREATE,
      answers: [GATEWAY],
      lasts: true,
      exitCode: 1,
      says: [
        `Cloud Build does not take the build of ${IMAGE}.`,
        "a proxy or portal answered, not the API: HTTP 502, <title>502 Bad Gateway</title>.",
      ],
      left: requests(4),
    },
    {
      what: "faults while it watches, and a token that expires, start no second build",
      at: GET,
      answers: [status(429, "RESOURCE_EXHAUSTED"), { kind: "reset" }, { kind: "expired-token" }],
      options: renewableToken,
      exitCode: 0,
      says: ["The access token has expired; getting a new one"],
    },
  ]);

  scenario(
    "sends its request again when only another image with the same tag is being built",
    async ({ standIn, build }) => {
      const other = `other:${IMAGE.replace(/^.*:/, "")}`;
      standIn.builds.courses.push({ states: ["WORKING"] });
      await startBuild(standIn, other);
      standIn.inject(CREATE, { kind: "reset" });

      expect((await build()).exitCode).toBe(0);
      expect(standIn.builds.accepted.map(({ images }) => images)).toEqual([[other], [IMAGE]]);
    },
  );

  scenario("waits for an identity that is too new to push", async ({ standIn, build }) => {
    const detail = "denied: Permission artifactregistry.uploadArtifacts";
    standIn.builds.courses.push({
      states: ["WORKING", "FAILURE"],
      failureInfo: { type: "PUSH_NOT_AUTHORIZED", detail },
    });

    const run = await build();

    expect(run.exitCode).toBe(0);
    expect(run.stdout).toContain(detail);
    expect(standIn.builds.accepted).toHaveLength(2);
  });

  scenario("needs no build when the tag exists, whatever slashes the image's name has", async ({ standIn, build }) => {
    const image = "us-docker.pkg.dev/other-project/images/team/idp:1.0";
    const digest = standIn.registry.push(image);

    expect(await build({ environment: { IMAGE: image } })).toMatchObject({
      exitCode: 0,
      stdout: `${image} is already there (${digest}): nothing to build.\n`,
    });
    expect(standIn.requests.map(({ path }) => path)).toEqual([
      "/artifactregistry/v1/projects/other-project/locations/us/repositories/images/packages/team%2Fidp/tags/1.0",
    ]);
  });

  scenario("builds in a region", async ({ standIn, build }) => {
    expect((await build({ environment: { BUILD_LOCATION: "europe-west1" } })).exitCode).toBe(0);
    expect(standIn.requests.slice(1, 4).map(({ method }) => method)).toEqual(
      ["list", "create", "get"].map((name) => `cloudbuild.projects.locations.builds.${name}`),
    );
    expect(standIn.requests[2]?.path).toBe("/cloudbuild/v1/projects/demo-project/locations/europe-west1/builds");
  });

  scenario("ends with the error message of a failed build", async ({ standIn, build }) => {
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
  });

  it.concurrent.each(["INTERNAL_ERROR", "TIMEOUT", "CANCELLED", "EXPIRED"] as const)(
    "reports a build that ends %s",
    (state) =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({ states: [state] });

        const run = await build();

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toContain(`ended ${state} after`);
        expect(run.stderr).toContain("Cloud Build gave no reason.");
      }),
  );

  scenario("leaves a build running that does not end within the time limit", async ({ standIn, build }) => {
    standIn.builds.courses.push({ states: ["WORKING"] });
    // A clock that runs a thousand times as fast.
    const programs = programFolder({ scripts: { date: `/bin/date +%s%3N` } });

    const run = await build({ programs, environment: { BUILD_TIMEOUT_SECONDS: "1", BUILD_QUEUE_SECONDS: "1" } });

    expect(run.exitCode).toBe(1);
    expect(run.stderr).toContain("is still WORKING long after its time limit; waiting ends here.");
    expect(run.stderr).toContain(`Log: ${LOG}`);
  });

  it.concurrent.each([
    ["SIGINT", 130, "busybox"],
    ["SIGQUIT", 131, "dash"],
    ["SIGTERM", 143, "dash"],
  ] as const)("cancels its build on %s and leaves nothing behind", (signal, exitCode, shell) =>
    inScene(async ({ standIn, build }) => {
      const temporary = temporaryFolder();
      standIn.builds.courses.push({ states: ["WORKING"] });

      const run = await build({ ...killAtWork(signal, { TMPDIR: temporary }), shell });

      expect(run.exitCode).toBe(exitCode);
      expect(run.stderr).toBe(`Interrupted by ${signal}.\nBuild ${BUILD} is cancelled. Log: ${LOG}\n`);
      expect(standIn.requestsTo(CANCEL)).toHaveLength(1);
      expect(readdirSync(temporary)).toEqual([]);
    }),
  );

  it.concurrent.each([
    ["busybox", {}],
    ["dash", { ignoring: "PIPE" }],
  ] as const)(
    "cancels its build when nobody reads its output any more, and leaves nothing behind (%s, %j)",
    (shell, options) =>
      inScene(async ({ standIn, build }) => {
        const temporary = temporaryFolder();
        standIn.builds.courses.push({ states: ENDLESS });

        const run = await build({
          ...options,
          shell,
          environment: { TMPDIR: temporary },
          onOutput: (output, _kill, close) => {
            if (output.includes("QUEUED")) close();
          },
        });

        expect(run.exitCode).toBe(141);
        expect(standIn.requestsTo(CANCEL)).toHaveLength(1);
        expect(readdirSync(temporary)).toEqual([]);
      }),
  );

  scenario(
    "says on a signal that a build may have been started while its request is under way",
    async ({ standIn, build }) => {
      standIn.inject(CREATE, LOST_ANSWER);

      const run = await build({
        environment: { REST_RETRY_BASE_SECONDS: "15" },
        onOutput: (output, kill) => {
          if (output.includes("Looking whether") && !output.includes("Interrupted")) kill("SIGTERM");
        },
      });

      expect(run.exitCode).toBe(143);
      expect(run.stderr).toContain("A build that was just being started goes on:");
    },
  );

  scenario("waits for a build of the same image that is under way", async ({ standIn, build }) => {
    await startBuild(standIn);

    expect(await build()).toMatchObject({
      exitCode: 0,
      stderr: "",
      stdout: expect.stringContaining(`Built ${IMAGE} in`) as string,
    });
    expect(standIn.builds.accepted).toHaveLength(1);
  });

  scenario("does not cancel a build of another run for which it only waits", async ({ standIn, build }) => {
    standIn.builds.courses.push({ states: ["WORKING"] });
    await startBuild(standIn);

    const run = await build(killAtWork("SIGTERM"));

    expect(run.exitCode).toBe(143);
    expect(run.stderr).toContain("goes on, because another run has started it.");
    expect(standIn.requestsTo(CANCEL)).toEqual([]);
  });

  scenario("replaces a build that the run which started it has cancelled", async ({ standIn, build }) => {
    standIn.builds.courses.push({ states: ["WORKING", "CANCELLED"] });
    await startBuild(standIn);

    expect(await build()).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining("has cancelled it.") as string,
    });
    expect(standIn.builds.accepted).toHaveLength(2);
  });

  scenario("puts neither token nor file contents on a command line or into its output", async ({ folder, build }) => {
    const log = join(folder, "calls");

    const run = await build({ programs: recordingPrograms(log) });

    const seen = readFileSync(log, "utf8") + run.output;
    expect(run.exitCode).toBe(0);
    expect(seen).toContain("--rawfile");
    expect(seen).not.toContain("ya29");
    for (const file of ["Dockerfile", "cloud-entrypoint.sh"])
      expect(seen).not.toContain(readFileSync(join(folder, file), "base64").slice(0, 20));
  });

  it.concurrent.each([
    ["IMAGE", "docker.io/library/idp:1"],
    ["IMAGE", "us-central1-docker.pkg.dev/demo-project/images/idp"],
    ["UPSTREAM_IMAGE", "server$PROJECT_ID"],
    ["UPSTREAM_PREFIX", "lower_"],
    ["IDP_VERSION", "1; rm"],
    ["BUILD_TIMEOUT_SECONDS", "20m"],
    ["BUILD_QUEUE_SECONDS", "12345678901234567890"],
    ["IDENTITY_WAIT_SECONDS", "0900"],
    ["BLUEPRINTS", "../large.yaml"],
  ])("refuses, before any call, %s %s", (name, value) =>
    inScene(async ({ standIn, build }) => {
      const run = await build({ environment: { [name]: value } });

      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain(`${name} is "${value}"; it must hold`);
      expect(standIn.requests).toEqual([]);
    }),
  );

  scenario("refuses blueprints that it cannot find or read, before any call", async ({ standIn, folder, build }) => {
    writeFileSync(join(folder, "Dockerfile.blueprints"), "COPY blueprints /blueprints/\n");
    writeFileSync(join(folder, "large.yaml"), Buffer.alloc(65_537, "#"));

    const { exitCode, stderr } = await build({
      environment: { BLUEPRINTS: "own/large.yaml shipped/none.yaml", BLUEPRINTS_DIRECTORY: folder },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain("large.yaml has 65537 bytes; a file inside a build request may have 65536.");
    expect(stderr).toContain("blueprints/none.yaml is missing or empty; BLUEPRINTS names it as shipped/none.yaml.");
    expect(standIn.requests).toEqual([]);
  });

  scenario(
    "writes the blueprints byte for byte, and appends to the Dockerfile what copies them",
    async ({ folder }) => {
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
    },
  );
});
