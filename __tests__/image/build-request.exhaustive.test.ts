import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

import { BUILD_ENVIRONMENT, captureBuildRequest } from "../support/google-stand-in-scripts";
import { describeWith, programPath } from "../support/programs";
import {
  type BuildahStorage,
  STAND_IN_PROGRAMS,
  buildahEnvironment,
  buildahOrFail,
  createBuildahStorage,
  createStandInBase,
  imageConfiguration,
  removeBuildahStorage,
} from "./stand-in-base";

const IMAGE_DIRECTORY = join(__dirname, "../../image");

/** Stands for the builder's own program: the same words, carried out without a daemon. */
const DOCKER = `#!/bin/sh
[ "$1" = build ] || exit 64
shift
exec "$BUILDAH" bud "$@"
`;

describeWith(
  [...STAND_IN_PROGRAMS, "curl", "jq"],
  "the steps of the build request",
  () => {
    let storage: BuildahStorage;
    let folder: string;

    beforeAll(async () => {
      storage = createBuildahStorage();
      folder = mkdtempSync(join(tmpdir(), "build-steps-"));
      const { image } = await createStandInBase(storage);
      const request = await captureBuildRequest({
        imageDirectory: IMAGE_DIRECTORY,
        environment: { UPSTREAM_IMAGE: image },
      });

      const [programs, workspace] = [join(folder, "programs"), join(folder, "workspace")];
      mkdirSync(programs);
      mkdirSync(workspace);
      writeFileSync(join(programs, "docker"), DOCKER);
      chmodSync(join(programs, "docker"), 0o755);
      for (const [index, step] of request.steps.entries()) {
        const script = join(folder, `step-${index}`);
        writeFileSync(script, step.script);
        chmodSync(script, 0o755);
        execFileSync(script, {
          cwd: workspace,
          env: {
            ...buildahEnvironment(storage),
            ...Object.fromEntries(step.env.map((entry) => splitOnce(entry))),
            BUILDAH: programPath("buildah"),
            PATH: [programs, process.env.PATH].join(delimiter),
          },
          stdio: "pipe",
        });
      }
    });

    afterAll(async () => {
      rmSync(folder, { recursive: true, force: true });
      await removeBuildahStorage(storage);
    });

    it("build the image under the name that Terraform will run", async () => {
      const { entrypoint, user } = await imageConfiguration(storage, BUILD_ENVIRONMENT.IMAGE);
      expect(user).toBe("1000");
      expect(entrypoint).toEqual(["dumb-init", "--", "/cloud-entrypoint.sh"]);
    });

    it("carry the entrypoint into the image byte for byte", async () => {
      const container = (await buildahOrFail(storage, ["from", "--pull-never", BUILD_ENVIRONMENT.IMAGE])).trim();
      const mountedAt = (await buildahOrFail(storage, ["mount", container])).trim();
      const built = readFileSync(join(mountedAt, "cloud-entrypoint.sh"));
      expect(built).toEqual(readFileSync(join(IMAGE_DIRECTORY, "cloud-entrypoint.sh")));
    });

    it("leave the Dockerfile in the workspace byte for byte", () => {
      const sent = readFileSync(join(folder, "workspace/Dockerfile"));
      expect(sent).toEqual(readFileSync(join(IMAGE_DIRECTORY, "Dockerfile")));
    });
  },
  { root: true },
);

function splitOnce(entry: string): [string, string] {
  const end = entry.indexOf("=");
  return [entry.slice(0, end), entry.slice(end + 1)];
}
