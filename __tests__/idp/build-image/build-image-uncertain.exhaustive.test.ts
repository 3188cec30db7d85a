import { type Fault } from "../../support/google-stand-in";
import { describeWith } from "../../support/programs";
import { CREATE, IMAGE, inScene, refusal, startBuild } from "./build-scene";

describeWith(["bash", "busybox", "curl", "dash", "jq"], "build-image.sh in doubt", () => {
  describe("an identity that is too new", () => {
    const message = "caller does not have permission to act as service account projects/demo-project/serviceAccounts/1";

    it.concurrent.each(["dash", "busybox"] as const)("is waited for when the request is refused (%s)", (shell) =>
      inScene(async ({ standIn, build }) => {
        standIn.inject(CREATE, refusal(403, "PERMISSION_DENIED", message));
        standIn.inject(CREATE, refusal(404, "NOT_FOUND", "Service account builder@demo-project does not exist."));

        const run = await build({ shell });

        expect(run.exitCode).toBe(0);
        expect(run.stdout).toContain(`${message} This is normal for a service account or role that is minutes old;`);
        expect(standIn.requestsTo(CREATE)).toHaveLength(3);
      }),
    );

    it.concurrent("is waited for when the build may not push yet", () =>
      inScene(async ({ standIn, build }) => {
        standIn.builds.courses.push({
          states: ["WORKING", "FAILURE"],
          failureInfo: { type: "PUSH_NOT_AUTHORIZED", detail: "denied: Permission artifactregistry.uploadArtifacts" },
        });

        const run = await build();

        expect(run.exitCode).toBe(0);
        expect(run.stdout).toContain("denied: Permission artifactregistry.uploadArtifacts");
        expect(standIn.builds.accepted).toHaveLength(2);
      }),
    );

    it.concurrent("does not wait indefinitely", () =>
      inScene(async ({ standIn, build }) => {
        standIn.inject(CREATE, refusal(403, "PERMISSION_DENIED", message), Infinity);

        const run = await build({ environment: { IDENTITY_WAIT_SECONDS: "1" } });

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toContain(`Cloud Build refuses the build of ${IMAGE}.`);
        expect(run.stderr).toContain("roles/iam.serviceAccountUser on builder@demo-project.iam.gserviceaccount.com");
      }),
    );

    it.concurrent("is not assumed to be the cause of any other refusal", () =>
      inScene(async ({ standIn, build }) => {
        standIn.inject(CREATE, refusal(403, "PERMISSION_DENIED", "The caller does not have permission"));

        const run = await build();

        expect(run.exitCode).toBe(1);
        expect(standIn.requestsTo(CREATE)).toHaveLength(1);
      }),
    );
  });

  describe("a request whose fate is unclear", () => {
    it.concurrent.each(["dash", "busybox"] as const)("is not sent again when the build was started (%s)", (shell) =>
      inScene(async ({ standIn, build }) => {
        standIn.inject(CREATE, { kind: "reset", carriedOut: true });

        const run = await build({ shell });

        expect(run.exitCode).toBe(0);
        expect(run.stdout).toContain("Looking whether the build was started nevertheless.");
        expect(standIn.builds.accepted).toHaveLength(1);
        expect(standIn.requestsTo(CREATE)).toHaveLength(1);
      }),
    );

    it.concurrent("is sent again when only another image with the same tag is being built", () =>
      inScene(async ({ standIn, build }) => {
        const other = `other:${IMAGE.replace(/^.*:/, "")}`;
        standIn.builds.courses.push({ states: ["WORKING"] });
        await startBuild(standIn, other);
        standIn.inject(CREATE, { kind: "reset" });

        const run = await build();

        expect(run.exitCode).toBe(0);
        expect(standIn.builds.accepted.map(({ images }) => images)).toEqual([[other], [IMAGE]]);
      }),
    );

    it.concurrent.each<readonly [string, Fault]>([
      ["reset connection", { kind: "reset" }],
      ["HTTP 500", refusal(500, "INTERNAL", "Internal error.")],
      ["HTML page", { kind: "html", status: 502, page: "<title>502 Bad Gateway</title>" }],
    ])("is sent again after a %s without a build", (_name, fault) =>
      inScene(async ({ standIn, build }) => {
        standIn.inject(CREATE, fault, 2);

        const run = await build();

        expect(run.exitCode).toBe(0);
        expect(run.stdout).toContain("It was not; asking again (attempt 2 of 4).");
        expect(standIn.requestsTo(CREATE)).toHaveLength(3);
        expect(standIn.builds.accepted).toHaveLength(1);
      }),
    );

    it.concurrent("ends the script when it never becomes clear", () =>
      inScene(async ({ standIn, build }) => {
        standIn.inject(CREATE, { kind: "html", status: 502, page: "<title>502 Bad Gateway</title>" }, Infinity);

        const run = await build();

        expect(run.exitCode).toBe(1);
        expect(run.stderr).toContain(`Cloud Build does not take the build of ${IMAGE}.`);
        expect(run.stderr).toContain(
          "a proxy or portal answered, not the API: HTTP 502, <title>502 Bad Gateway</title>.",
        );
        expect(standIn.requestsTo(CREATE)).toHaveLength(4);
      }),
    );
  });
});
