import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  EXAMPLE_BLUEPRINT,
  exampleBlueprint,
  imageConfiguration,
  printedIn,
  removeBuildahStorage,
} from "./stand-in-base";

const IMAGE_DIRECTORY = join(__dirname, "../../image");

/** Stands for the builder's own program: the same words, carried out without a daemon. */
const DOCKER = `#!/bin/sh
[ "$1" = build ] || exit 64
shift
exec "$BUILDAH" bud "$@"
`;

/** A workspace in which the steps of a request have run, and the image that they made. */
interface Built {
  readonly storage: BuildahStorage;
  readonly workspace: string;
  readonly folder: string;
}

async function build(blueprints: Readonly<Record<string, string>> = {}): Promise<Built> {
  const storage = createBuildahStorage();
  const folder = mkdtempSync(join(tmpdir(), "build-steps-"));
  const { image } = await createStandInBase(storage);
  const [programs, workspace, own] = ["programs", "workspace", "own"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [programs, workspace, own]) mkdirSync(each);
  for (const [name, text] of Object.entries(OWN)) writeFileSync(join(own, name), text);
  const request = await captureBuildRequest({
    imageDirectory: IMAGE_DIRECTORY,
    environment: { UPSTREAM_IMAGE: image, BLUEPRINTS_DIRECTORY: own, ...blueprints },
  });

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
  return { storage, workspace, folder };
}

async function remove({ folder, storage }: Built): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  await removeBuildahStorage(storage);
}

async function containerOf({ storage }: Built): Promise<string> {
  return (await buildahOrFail(storage, ["from", "--pull-never", BUILD_ENVIRONMENT.IMAGE])).trim();
}

/** Custom blueprints. */
const OWN = { "groups.yaml": "entries: [] # own\n" };

describeWith(
  [...STAND_IN_PROGRAMS, "curl", "jq"],
  "the steps of the build request",
  () => {
    let built: Built;

    beforeAll(async () => {
      built = await build();
    });

    afterAll(() => remove(built));

    it("build the image under the name that Terraform will run", async () => {
      const { entrypoint, user } = await imageConfiguration(built.storage, BUILD_ENVIRONMENT.IMAGE);
      expect(user).toBe("1000");
      expect(entrypoint).toEqual(["dumb-init", "--", "/cloud-entrypoint.sh"]);
    });

    it("carry the entrypoint into the image byte for byte, and no blueprints", async () => {
      const mountedAt = (await buildahOrFail(built.storage, ["mount", await containerOf(built)])).trim();
      const entrypoint = readFileSync(join(mountedAt, "cloud-entrypoint.sh"));
      expect(entrypoint).toEqual(readFileSync(join(IMAGE_DIRECTORY, "cloud-entrypoint.sh")));
      expect(readdirSync(join(mountedAt, "blueprints"))).toEqual(["example"]);
    });

    it("leave the Dockerfile in the workspace byte for byte", () => {
      const sent = readFileSync(join(built.workspace, "Dockerfile"));
      expect(sent).toEqual(readFileSync(join(IMAGE_DIRECTORY, "Dockerfile")));
    });
  },
  { root: true },
);

describeWith(
  [...STAND_IN_PROGRAMS, "curl", "jq"],
  "the steps of a build request with blueprints",
  () => {
    let built: Built;

    beforeAll(async () => {
      built = await build({ BLUEPRINTS: "own/groups.yaml shipped/branding.yaml shipped/password-recovery.yaml" });
    });

    afterAll(() => remove(built));

    /** What the application reads: user 1000, every *.yaml below /blueprints. */
    const read = async (path: string) =>
      printedIn(built.storage, await containerOf(built), ["cat", `/blueprints/${path}`]);

    it("put them where the application looks, readable for its user and beside the upstream's own", async () => {
      expect(await read("own/groups.yaml")).toBe(OWN["groups.yaml"]);
      expect(await read("shipped/branding.yaml")).toBe(
        readFileSync(join(IMAGE_DIRECTORY, "blueprints/branding.yaml"), "utf8"),
      );
      expect(await read(`example/${EXAMPLE_BLUEPRINT}`)).toBe(exampleBlueprint("false"));
    });

    it("switch on the example that a blueprint names, and change nothing else in it", async () => {
      expect(await read(`instantiated/${EXAMPLE_BLUEPRINT}`)).toBe(exampleBlueprint("true"));
    });

    it("let the application's user change none of them", async () => {
      const attempt = ["run", await containerOf(built), "--", "sh", "-c", "echo >>/blueprints/own/groups.yaml"];
      await expect(buildahOrFail(built.storage, attempt)).rejects.toThrow(/Permission denied|cannot create/);
    });

    it("leave user and entrypoint of the image as they are without", async () => {
      const { command, entrypoint, user } = await imageConfiguration(built.storage, BUILD_ENVIRONMENT.IMAGE);
      expect([user, ...entrypoint, ...command]).toEqual(["1000", "dumb-init", "--", "/cloud-entrypoint.sh", "server"]);
    });
  },
  { root: true },
);

function splitOnce(entry: string): [string, string] {
  const end = entry.indexOf("=");
  return [entry.slice(0, end), entry.slice(end + 1)];
}
