import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { type Program, programPath } from "../support/programs";
import { type ProcessRun, runOf } from "../support/process-run";
import { coreutilsPath } from "./coreutils";

/** Programs a test has to have before it can use anything of this file. */
export const STAND_IN_PROGRAMS: readonly Program[] = ["bash", "buildah", "dash", "dumb-init"];

/** Image stores of one test, apart from those of the machine. */
export interface BuildahStorage {
  readonly folder: string;
}

export interface BuildahOptions {
  /** Folder in which relative paths start. */
  readonly workingFolder?: string;
  /** Added to the environment, which otherwise holds only what the builder itself needs. */
  readonly environment?: Readonly<Record<string, string>>;
}

/** Creates empty image stores in a new temporary folder. */
export function createBuildahStorage(): BuildahStorage {
  return { folder: mkdtempSync(join(tmpdir(), "image-store-")) };
}

/** Removes the stores with every image and container in them. */
export async function removeBuildahStorage(storage: BuildahStorage): Promise<void> {
  await buildah(storage, ["rm", "--all"]);
  // A build that was cut off may still be writing.
  rmSync(storage.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
}

/** Environment in which plain `buildah` works on the given stores without a daemon, as root. */
export function buildahEnvironment(storage: BuildahStorage): Record<string, string> {
  const configuration = join(storage.folder, "storage.conf");
  writeFileSync(
    configuration,
    [
      "[storage]",
      'driver = "vfs"',
      `graphroot = "${join(storage.folder, "graph")}"`,
      `runroot = "${join(storage.folder, "run")}"`,
      "",
    ].join("\n"),
  );
  return {
    BUILDAH_ISOLATION: "chroot",
    CONTAINERS_STORAGE_CONF: configuration,
    HOME: storage.folder,
    PATH: process.env.PATH ?? "",
    TMPDIR: storage.folder,
  };
}

/**
 * Runs `buildah` on the given stores and resolves when it has ended, whatever its exit code.
 *
 * `buildah run` does not use the image's entrypoint by itself; see {@link imageConfiguration}.
 */
export function buildah(
  storage: BuildahStorage,
  args: readonly string[],
  options: BuildahOptions = {},
): Promise<ProcessRun> {
  const child = spawn(programPath("buildah"), args, {
    cwd: options.workingFolder,
    env: { ...buildahEnvironment(storage), ...options.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  return runOf(child);
}

/** Runs `buildah` and throws with its whole output unless it succeeds. */
export async function buildahOrFail(
  storage: BuildahStorage,
  args: readonly string[],
  options: BuildahOptions = {},
): Promise<string> {
  const { exitCode, stdout, stderr } = await buildah(storage, args, options);
  if (exitCode !== 0) throw new Error(`buildah ${args[0] ?? ""} ended with ${exitCode}:\n${stderr}${stdout}`);
  return stdout;
}

/**
 * What a command prints in a container, as its user; throws unless it succeeds.
 *
 * It prints to a file, because the pipes of a `buildah run` without a daemon can lose what comes just before the end.
 */
export async function printedIn(
  storage: BuildahStorage,
  container: string,
  command: readonly string[],
): Promise<string> {
  const folder = mkdtempSync(join(storage.folder, "printed-"));
  chmodSync(folder, 0o777);
  const redirected = ["sh", "-c", 'exec "$@" >/printed/output', "sh", ...command];
  await buildahOrFail(storage, ["run", "--volume", `${folder}:/printed`, container, "--", ...redirected]);
  return readFileSync(join(folder, "output"), "utf8");
}

export interface ImageConfiguration {
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
}

/** The part of an image's description that decides what a container of it runs. */
export async function imageConfiguration(storage: BuildahStorage, image: string): Promise<ImageConfiguration> {
  const description = JSON.parse(await buildahOrFail(storage, ["inspect", "--type", "image", image])) as {
    OCIv1: { config: { User?: string; Env?: string[]; Entrypoint?: string[]; Cmd?: string[] } };
  };
  const { User, Env, Entrypoint, Cmd } = description.OCIv1.config;
  return {
    user: User ?? "",
    environment: Object.fromEntries(
      (Env ?? []).map((entry) => [entry.slice(0, entry.indexOf("=")), entry.slice(entry.indexOf("=") + 1)]),
    ),
    entrypoint: Entrypoint ?? [],
    command: Cmd ?? [],
  };
}

/**
 * Builds a stand-in for the upstream image out of this machine's programs, once per tag.
 *
 * It has what the wrapper relies on: shell, coreutils, sed, dumb-init, user 1000, `/media`, `/data` with its link to
 * `/media`, `/blueprints` with an example, and the stub application `ak`, which writes its records to the folder `$STUB_RECORDS`. The variable
 * `STAND_IN_TAG` tells from inside a container which tag it was built on. Nothing is fetched.
 *
 * @returns the image's name without a tag
 */
export async function createStandInBase(
  storage: BuildahStorage,
  tags: readonly string[] = ["2026.5.4"],
): Promise<{ image: string }> {
  const image = "localhost/upstream";
  const context = join(storage.folder, "stand-in");
  const rootFolder = join(context, "root");
  writeRootFolder(rootFolder);
  for (const tag of tags) {
    writeFileSync(
      join(context, "Dockerfile"),
      [
        "FROM scratch",
        "COPY root /",
        // Copied files belong to root, whoever had them before.
        "RUN mkdir -m 1777 /tmp && mkdir /data /media && ln -s /media /data/media \\",
        "  && chown -R 1000:1000 /data /media /blueprints",
        "USER 1000",
        "ENV PATH=/lifecycle:/ak-root/.venv/bin:/usr/bin TMPDIR=/dev/shm/",
        `ENV STAND_IN_TAG=${tag}`,
        'ENTRYPOINT ["dumb-init", "--", "ak"]',
        "",
      ].join("\n"),
    );
    await buildahOrFail(storage, ["bud", "--tag", `${image}:${tag}`, context]);
  }
  rmSync(context, { recursive: true });
  return { image };
}

/** The example that the upstream image carries and does not apply. */
export const EXAMPLE_BLUEPRINT = "flows-recovery-email-verification.yaml";

export function exampleBlueprint(instantiate: "false" | "true"): string {
  return [
    "metadata:",
    "  labels:",
    `    blueprints.goauthentik.io/instantiate: "${instantiate}"`,
    "  name: Example - Recovery with email verification",
    "entries: [{ attrs: { placeholder_expression: false } }]",
    "",
  ].join("\n");
}

/** Where the upstream image keeps the programs that do not come from its distribution. */
const UPSTREAM_PROGRAM_FOLDERS = { ak: "lifecycle", "dumb-init": "ak-root/.venv/bin" } as const;

const COREUTILS = [
  "cat",
  "chmod",
  "chown",
  "date",
  "env",
  "id",
  "ln",
  "mkdir",
  "mv",
  "rm",
  "sed",
  "setsid",
  "sleep",
  "tr",
] as const;

function writeRootFolder(rootFolder: string): void {
  const programs = [
    ...COREUTILS.map((name) => [coreutilsPath(name), "usr/bin"] as const),
    [programPath("bash"), "usr/bin"] as const,
    [programPath("dash"), "usr/bin"] as const,
    [programPath("dumb-init"), UPSTREAM_PROGRAM_FOLDERS["dumb-init"]] as const,
  ];
  for (const [source, folder] of programs) copyInto(rootFolder, source, join(folder, basename(source)));
  for (const library of sharedLibraries(programs.map(([source]) => source))) copyInto(rootFolder, library, library);
  const application = join(UPSTREAM_PROGRAM_FOLDERS.ak, "ak");
  copyInto(rootFolder, join(__dirname, "stub-ak.sh"), application);
  chmodSync(join(rootFolder, application), 0o755);

  symlinkSync("dash", join(rootFolder, "usr/bin/sh"));
  symlinkSync("usr/bin", join(rootFolder, "bin"));
  mkdirSync(join(rootFolder, "blueprints/example"), { recursive: true });
  writeFileSync(join(rootFolder, "blueprints/example", EXAMPLE_BLUEPRINT), exampleBlueprint("false"));
  mkdirSync(join(rootFolder, "etc"));
  writeFileSync(
    join(rootFolder, "etc/passwd"),
    "root:x:0:0::/:/bin/sh\nauthentik:x:1000:1000::/authentik:/usr/sbin/nologin\n",
  );
  writeFileSync(join(rootFolder, "etc/group"), "root:x:0:\nauthentik:x:1000:\n");
}

function copyInto(rootFolder: string, source: string, target: string): void {
  const path = join(rootFolder, target);
  mkdirSync(dirname(path), { recursive: true });
  copyFileSync(realpathSync(source), path);
}

/** Paths under which the dynamic linker will look for what the programs need. */
function sharedLibraries(programs: readonly string[]): string[] {
  const listing = execFileSync("ldd", programs, { encoding: "utf8" });
  return [...new Set(listing.match(/(?<=\s)\/lib\S+(?= \(0x)/g) ?? [])];
}
