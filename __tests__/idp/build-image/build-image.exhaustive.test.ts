import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { EMPTY_PAGE, FaultMatrix, LOST_ANSWER, page, renewableToken, status } from "../../support/fault-matrix";
import { recordingPrograms, type ScriptOptions } from "../../support/google-stand-in-scripts";
import { describeWith } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { BUILD, CREATE, IMAGE, inScene, LOG, scenario, type Scene, startBuild } from "./build-scene";

const GET = "cloudbuild.projects.builds.get";
const CANCEL = "cloudbuild.projects.builds.cancel";

const TOO_NEW = "caller does not have permission to act as service account projects/demo-project/serviceAccounts/1";
const GATEWAY = page(502, "<title>502 Bad Gateway</title>");

/** A build that goes on until it is cancelled. */
const ENDLESS = ["QUEUED", ...Array<"WORKING">(1000).fill("WORKING")] as const;

const requests = (count: number) => {
  return ({ standIn }: Scene): void => expect(standIn.requestsTo(CREATE)).toHaveLength(count);
};

/** Ends a run in the pause after the first state of its build. */
const endEarly = (by: "SIGTERM" | "closed output"): ScriptOptions => ({
  environment: { REST_POLL_SECONDS: by === "SIGTERM" ? "30" : "0" },
  onOutput: (output, kill, close) => {
    if (!output.includes("QUEUED") || output.includes("Interrupted")) return;
    if (by === "SIGTERM") kill(by);
    else close();
  },
});

const matrix = new FaultMatrix<Scene>({
  inScene,
  run: ({ build }, options) => build(options),
  settled: ({ standIn }) => expect(standIn.builds.accepted.map(({ images }) => images)).toEqual([[IMAGE]]),
});

describeWith(["bash", "busybox", "curl", "dash", "jq"], "build-image.sh", () => {
  matrix.rows([
    {
      what: "a build of the same image is waited for on whatever page it is",
      answers: [EMPTY_PAGE],
      exitCode: 0,
      at: "cloudbuild.projects.builds.list",
      before: ({ standIn }) => startBuild(standIn),
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
      says: ["roles/iam.serviceAccountUser on builder@demo-project.iam.gserviceaccount.com"],
    },
    {
      what: "a location that the organization refuses is named, with the inputs that avoid it",
      at: "cloudbuild.projects.locations.builds.create",
      answers: [
        status(400, "FAILED_PRECONDITION", "'us-west1' violates constraint 'constraints/gcp.resourceLocations'"),
      ],
      options: { environment: { BUILD_LOCATION: "us-west1" } },
      exitCode: 1,
      says: [`refuses the build of ${IMAGE} in us-west1.`, "To fix: set build.location", "existing_container_image"],
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
      left: requests(4),
    },
    {
      what: "a lost sign-in leaves a build, which it names",
      at: GET,
      answers: [{ kind: "expired-token" }],
      exitCode: 1,
      says: [/^Build \S+ goes on\. Log: \S+ To end it: gcloud builds cancel \S+ --region=/m],
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

  scenario("waits for an identity that is too new to push", async ({ standIn, build }) => {
    const detail = "denied: Permission artifactregistry.uploadArtifacts";
    const failureInfo = { type: "PUSH_NOT_AUTHORIZED", detail };
    standIn.builds.courses.push({ states: ["WORKING", "FAILURE"], failureInfo });

    const { exitCode, stdout } = await build();

    expect(exitCode).toBe(0);
    expect(stdout).toContain(detail);
    expect(standIn.builds.accepted).toHaveLength(2);
  });

  scenario("needs no build when the tag exists, whatever slashes the image's name has", async ({ standIn, build }) => {
    const image = "us-docker.pkg.dev/other-project/images/team/idp:1.0";
    const digest = standIn.registry.push(image);

    const { exitCode, stdout } = await build({ environment: { IMAGE: image } });

    expect(stdout).toBe(`${image} is already there (${digest}): nothing to build.\n`);
    expect(exitCode).toBe(0);
    expect(standIn.requests).toHaveLength(1);
  });

  scenario("ends with the error message of a failed build", async ({ standIn, build }) => {
    standIn.builds.courses.push({
      states: ["WORKING", "FAILURE"],
      statusDetail: "Build step failure: build step 0 failed",
      failureInfo: { type: "USER_BUILD_STEP", detail: "MANIFEST_UNKNOWN: no such tag, access denied" },
      exitCode: 1,
    });

    const { exitCode, stderr } = await build();

    expect(exitCode).toBe(1);
    expect(stderr.replace(/\d+ s:/, "N s:").split("\n")).toEqual([
      `The build of ${IMAGE} in global ended FAILURE after N s:`,
      "  MANIFEST_UNKNOWN: no such tag, access denied",
      "  Build step failure: build step 0 failed",
      "  step build ended FAILURE with exit code 1",
      `  Log: ${LOG}`,
      "",
    ]);
    expect(standIn.builds.accepted).toHaveLength(1);
  });

  it.concurrent.each([
    ["SIGTERM", 143, "dash"],
    ["closed output", 141, "busybox"],
  ] as const)("cancels its build on %s and leaves nothing behind", (by, exitCode, shell) =>
    inScene(async ({ standIn, build }) => {
      const TMPDIR = temporaryFolder();
      standIn.builds.courses.push({ states: ENDLESS });
      const { environment, ...options } = endEarly(by);

      const run = await build({ ...options, environment: { ...environment, TMPDIR }, shell });

      expect(run.exitCode).toBe(exitCode);
      if (by === "SIGTERM") expect(run.stderr).toContain(`Build ${BUILD} is cancelled. Log: ${LOG}\n`);
      expect(standIn.requestsTo(CANCEL)).toHaveLength(1);
      expect(readdirSync(TMPDIR)).toEqual([]);
    }),
  );

  scenario("only waits for a build of another run, and does not cancel it", async ({ standIn, build }) => {
    standIn.builds.courses.push({ states: ENDLESS });
    await startBuild(standIn);

    const run = await build(endEarly("SIGTERM"));

    expect(run.stderr).toContain(`Build ${BUILD} goes on. Log: ${LOG}`);
    expect(standIn.requestsTo(CREATE)).toHaveLength(1);
    expect(standIn.requestsTo(CANCEL)).toEqual([]);
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

  scenario("refuses invalid settings, all at once", async ({ standIn, build }) => {
    const environment = { IMAGE: "docker.io/library/idp:1", IDP_VERSION: "1; rm", BLUEPRINTS: "../large.yaml" };

    const { exitCode, stderr } = await build({ environment });

    expect(exitCode).toBe(2);
    for (const [name, value] of Object.entries(environment))
      expect(stderr).toContain(`${name} is "${value}"; it must hold`);
    expect(standIn.requests).toEqual([]);
  });

  scenario("refuses files that are missing or too large, before any call", async ({ standIn, folder, build }) => {
    rmSync(join(folder, "cloud-entrypoint.sh"));
    writeFileSync(join(folder, "large.yaml"), Buffer.alloc(65_537, "#"));

    const { exitCode, stderr } = await build({
      environment: { BLUEPRINTS: "own/large.yaml shipped/none.yaml", BLUEPRINTS_DIRECTORY: folder },
    });

    expect(exitCode).toBe(2);
    expect(stderr).toContain("cloud-entrypoint.sh is missing or empty");
    expect(stderr).toContain("large.yaml has 65537 bytes; a file inside a build request may have 65536.");
    expect(stderr).toContain("blueprints/none.yaml is missing or empty; BLUEPRINTS names it as shipped/none.yaml.");
    expect(standIn.requests).toEqual([]);
  });
});
