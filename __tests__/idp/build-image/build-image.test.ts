import { randomBytes } from "node:crypto";
import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describeWith } from "../../support/programs";
import { BUILD, CREATE, executeStep, IMAGE, scenario, LOG } from "./build-scene";

describeWith(["bash", "curl", "dash", "jq"], "build-image.sh", () => {
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
    },
  );

  scenario(
    "refuses a file that is too large for a request, and one that is missing, before any call",
    async ({ standIn, folder, build }) => {
      writeFileSync(join(folder, "Dockerfile"), Buffer.alloc(65_537, "#"));
      rmSync(join(folder, "cloud-entrypoint.sh"));

      const run = await build();

      expect(run.exitCode).toBe(2);
      expect(run.stderr).toContain("Dockerfile has 65537 bytes; a file inside a build request may have 65536.");
      expect(run.stderr).toContain("cloud-entrypoint.sh is missing or empty");
      expect(standIn.requests).toEqual([]);
    },
  );

  describe("the step of the build", () => {
    scenario(
      "writes both files byte for byte, whatever is in them, and builds with the four arguments",
      async ({ folder }) => {
        const dockerfile = Buffer.concat([randomBytes(30_000), Buffer.from("\0\n\n")]);
        const entrypoint = randomBytes(65_536);
        writeFileSync(join(folder, "Dockerfile"), dockerfile);
        writeFileSync(join(folder, "cloud-entrypoint.sh"), entrypoint);

        const { step, workspace } = await executeStep(folder);

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
      },
    );
  });
});
