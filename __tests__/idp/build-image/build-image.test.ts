import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { IMAGE_FILES } from "../../../lib/idp/idp-image";
import { UPGRADE_EDGES } from "../../../lib/idp/releases";
import { programFolder } from "../../support/google-stand-in-scripts";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { BUILD, BUILD_ENVIRONMENT, captureBuildRequest, CREATE, IMAGE, inScene, LOG, scenario } from "./build-scene";

const BUILD_ARGUMENTS = [
  `TOOLS_IMAGE=${BUILD_ENVIRONMENT.TOOLS_IMAGE}`,
  "UPSTREAM_IMAGE=ghcr.io/goauthentik/server",
  "UPSTREAM_PREFIX=AUTHENTIK_",
  "IDP_VERSION=2026.5.4",
  "APP_VERSION=latest",
];
const LEFT = "The newest release that was built here is";

describeWith(["bash", "curl", "dash", "jq"], "build-image.sh", () => {
  scenario("builds in a private pool, where that is", async ({ standIn, build }) => {
    const name = "projects/builders/locations/us-west1/workerPools/private";
    expect(await build({ environment: { BUILD_POOL: name } })).toMatchObject({ exitCode: 0, stderr: "" });
    expect(standIn.requestsTo("cloudbuild.projects.locations.builds.create")).toHaveLength(1);
    expect(standIn.builds.accepted[0]).toMatchObject({ options: { pool: { name }, logging: "CLOUD_LOGGING_ONLY" } });
    const refused = await build({ environment: { BUILD_POOL: "private" } });
    expect(refused.exitCode).not.toBe(0);
    expect(refused.stderr).toContain("BUILD_POOL");
  });

  scenario("copies an image that is built already, and needs nothing else for that", async ({ standIn, build }) => {
    const original = IMAGE.replace("us-central1", "us-east1");
    const unneeded = { IMAGE_DIRECTORY: "", UPSTREAM_IMAGE: "", UPSTREAM_PREFIX: "", TOOLS_IMAGE: "", IDP_VERSION: "" };
    const copied = await build({ environment: { ...unneeded, APP_VERSION: "", COPY_OF: original } });
    expect(copied).toMatchObject({ exitCode: 0, stderr: "" });
    expect(standIn.builds.accepted).toMatchObject([
      {
        steps: [
          {
            env: [`IMAGE=${IMAGE}`, `COPY_OF=${original}`],
            script: '#!/bin/sh\nset -eu\ndocker pull "$COPY_OF"\ndocker tag "$COPY_OF" "$IMAGE"\n',
          },
        ],
        images: [IMAGE],
      },
    ]);
    // What is there is not copied again.
    expect(await build({ environment: { COPY_OF: original } })).toMatchObject({ exitCode: 0 });
    expect(standIn.requestsTo(CREATE)).toHaveLength(1);
  });

  scenario(
    "sends one request with everything in it, and reports each state once, however long it lasts",
    async ({ standIn, folder, build }) => {
      standIn.builds.courses.push({ states: ["QUEUED", "WORKING", "WORKING", "SUCCESS"] });

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
              name: BUILD_ENVIRONMENT.BUILDER_IMAGE,
              env: [
                `IMAGE=${IMAGE}`,
                ...BUILD_ARGUMENTS,
                `FILES=${IMAGE_FILES.join(" ")}`,
                ...IMAGE_FILES.map(
                  (name, index) => `FILE_${index + 1}_BASE64_1=${readFileSync(join(folder, name), "base64")}`,
                ),
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
    },
  );

  it.concurrent.each([
    ["2025.10.4", "2026.2.7", `${LEFT} 2025.10.4; 2026.2.7 cannot be reached from it, because otherwise tables`],
    ["2026.2.7", "2030.1.0", `${LEFT} 2026.2.7; 2030.1.0 cannot be reached from it, because otherwise the`],
    ["2026.5.9", "2026.8.6", ""],
    ["2026.5.9", `2026.8.6@sha256:${"0".repeat(64)}`, ""],
    ["2026.2.7", `2026.8.6@sha256:${"9".repeat(64)}`, `${LEFT} 2026.2.7; 2026.8.6 cannot be reached from it, because`],
  ])("over %s, builds %s unless it skips a release that its database needs", (built, IDP_VERSION, refusal) =>
    inScene(async ({ standIn, build }) => {
      for (const release of ["2025.10.1", built, "main"]) standIn.registry.push(IMAGE.replace("2026.5.4", release));
      const edges = JSON.stringify(UPGRADE_EDGES);

      const run = await build({ environment: { IDP_VERSION, UPGRADE_EDGES: edges } });

      expect(run).toMatchObject({
        exitCode: refusal === "" ? 0 : 1,
        stderr: expect.stringContaining(refusal) as string,
      });
      expect(standIn.requestsTo(CREATE)).toHaveLength(refusal === "" ? 1 : 0);
    }),
  );

  scenario("writes every file byte for byte in the step, and builds with the four arguments", async ({ folder }) => {
    const contents = [randomBytes(30_000), Buffer.from("\0\n\n"), randomBytes(65_536)] as const;
    const [dockerfile, end, large] = contents;
    for (const name of ["blueprints", "own"]) mkdirSync(join(folder, name));
    writeFileSync(join(folder, "Dockerfile"), Buffer.concat([dockerfile, end]));
    writeFileSync(join(folder, "Dockerfile.blueprints"), "COPY blueprints /blueprints/\n");
    writeFileSync(join(folder, "cloud-entrypoint.sh"), large);
    writeFileSync(join(folder, "blueprints/branding.yaml"), "entries: []\n");
    writeFileSync(join(folder, "own/large.yaml"), large);

    const request = await captureBuildRequest(folder, {
      BLUEPRINTS: "own/large.yaml shipped/branding.yaml",
      BLUEPRINTS_DIRECTORY: join(folder, "own"),
    });
    const { env = [], script = "" } = request.steps[0] ?? {};
    const workspace = temporaryFolder();
    const PATH = programFolder({ scripts: { docker: `printf '%s\\n' "$@" >arguments` } });
    const environment = Object.fromEntries(env.map((entry) => entry.split(/=(.*)/s, 2) as [string, string]));
    execFileSync(programPath("dash"), ["-c", script], { cwd: workspace, env: { PATH, ...environment } });

    const written = (name: string) => readFileSync(join(workspace, name));
    const both = Buffer.concat([dockerfile, end, Buffer.from("COPY blueprints /blueprints/\n")]);
    expect(written("Dockerfile").equals(both)).toBe(true);
    expect(written("cloud-entrypoint.sh").equals(large)).toBe(true);
    expect(written("blueprints/own/large.yaml").equals(large)).toBe(true);
    expect(written("blueprints/shipped/branding.yaml").toString()).toBe("entries: []\n");
    expect(Math.max(...env.map((entry) => entry.length))).toBeLessThan(10_000);
    expect(written("arguments").toString().trim().split("\n")).toEqual([
      "build",
      ...BUILD_ARGUMENTS.flatMap((argument) => ["--build-arg", argument]),
      "--tag",
      IMAGE,
      ".",
    ]);
  });
});
