import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { runOf } from "../support/process-run";
import { programPath } from "../support/programs";
import { coreutilsPath } from "./coreutils";

/** Programs a test has to have before it can use anything of this file. */
export const STAND_IN_PROGRAMS: readonly string[] = "bash buildah busybox dash dumb-init patchelf pgbouncer".split(" ");

/** What the upstream image is made of besides the application and its environment. */
export type BaseKind = "Debian" | "Python alone";

/** The shell of the image that the wrapper makes, whatever its base has. */
const SHELL = ["/opt/cloud-entrypoint/busybox", "sh", "-c"];

/** Stands for the image that the first stage of the wrapper is built on. */
export const TOOLS_BASE = "localhost/tools:1";

export interface ImageConfiguration {
  readonly user: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
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

/** Image stores of one test, apart from those of the machine. */
export class BuildahStorage {
  private readonly folder = mkdtempSync(join(tmpdir(), "image-store-"));

  /** Environment in which plain `buildah` works on these stores without a daemon, as root. */
  get environment(): Record<string, string> {
    const configuration = join(this.folder, "storage.conf");
    const [graph, run] = ["graph", "run"].map((name) => join(this.folder, name));
    writeFileSync(configuration, `[storage]\ndriver = "vfs"\ngraphroot = "${graph}"\nrunroot = "${run}"\n`);
    return {
      // The other format has no SHELL.
      BUILDAH_FORMAT: "docker",
      BUILDAH_ISOLATION: "chroot",
      CONTAINERS_STORAGE_CONF: configuration,
      HOME: this.folder,
      PATH: process.env.PATH ?? "",
      TMPDIR: this.folder,
    };
  }

  /** Runs `buildah` and throws with its whole output unless it succeeds. */
  async run(args: readonly string[]): Promise<string> {
    const child = spawn(programPath("buildah"), args, { env: this.environment, stdio: ["ignore", "pipe", "pipe"] });
    const { exitCode, stderr, stdout } = await runOf(child);
    if (exitCode !== 0) throw new Error(`buildah ${args[0] ?? ""} ended with ${exitCode}:\n${stderr}${stdout}`);
    return stdout;
  }

  /**
   * What a script prints in a container, as its user; throws unless it succeeds.
   *
   * It prints to a file, because the pipes of a `buildah run` without a daemon can lose what comes just before the end.
   */
  async printedIn(container: string, script: string): Promise<string> {
    const folder = mkdtempSync(join(this.folder, "printed-"));
    chmodSync(folder, 0o777);
    const command = [...SHELL, `exec >/printed/output\n${script}`];
    await this.run(["run", "--volume", `${folder}:/printed`, container, "--", ...command]);
    return readFileSync(join(folder, "output"), "utf8");
  }

  /** The part of an image's description that decides what a container of it runs. */
  async configurationOf(image: string): Promise<ImageConfiguration> {
    const description = JSON.parse(await this.run(["inspect", "--type", "image", image])) as {
      OCIv1: { config: { User?: string; Env?: string[]; Entrypoint?: string[]; Cmd?: string[] } };
    };
    const { Cmd = [], Entrypoint = [], Env = [], User = "" } = description.OCIv1.config;
    const variables = Env.map((entry) => /^(.*?)=(.*)$/s.exec(entry)?.slice(1) ?? []);
    const environment = Object.fromEntries(variables) as Record<string, string>;
    return { user: User, environment, entrypoint: Entrypoint, command: Cmd };
  }

  /**
   * Builds a stand-in for the upstream image out of this machine's programs, once per tag.
   *
   * It has what the wrapper relies on: dumb-init, user 1000, `/media`, `/data` with its link to `/media`, `/blueprints`
   * with an example, and the stub application `ak`, which writes its records to the folder `$STUB_RECORDS`; and either
   * shell and coreutils or Python. The variable `STAND_IN_TAG` tells from inside a container which tag it was built on.
   * Nothing is fetched.
   *
   * @returns the image's name without a tag
   */
  async createStandInBase(kind: BaseKind, tags: readonly string[]): Promise<string> {
    const image = "localhost/upstream";
    const environment = "PATH=/lifecycle:/ak-root/.venv/bin:/usr/local/bin:/usr/bin TMPDIR=/dev/shm/";
    for (const tag of tags)
      await this.createImage(`${image}:${tag}`, (context) => writeBase(context, kind), [
        "COPY --chown=1000:1000 owned /",
        "USER 1000",
        `ENV ${environment} STAND_IN_TAG=${tag}`,
        'ENTRYPOINT ["dumb-init", "--", "ak"]',
      ]);
    return image;
  }

  /** Builds a stand-in for the Debian image of the first stage, with the packages that the stage installs. */
  async createToolsBase(): Promise<void> {
    await this.createImage(TOOLS_BASE, (context) => writeToolsBase(join(context, "root")), []);
  }

  private async createImage(name: string, write: (context: string) => void, instructions: string[]): Promise<void> {
    const context = join(this.folder, "stand-in");
    mkdirSync(context);
    write(context);
    // Copied files belong to root, whoever had them before.
    writeFileSync(join(context, "Dockerfile"), ["FROM scratch", "COPY root /", ...instructions, ""].join("\n"));
    await this.run(["bud", "--tag", name, context]);
    rmSync(context, { recursive: true });
  }

  /** Removes the stores with every image and container in them. */
  async remove(): Promise<void> {
    await this.run(["rm", "--all"]);
    // A build that was cut off may still be writing.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

const COREUTILS = "cat chmod chown date env id ln mkdir mv rm sed setsid sleep tr".split(" ");

function writeBase(context: string, kind: BaseKind): void {
  const [root, owned] = [join(context, "root"), join(context, "owned")];
  if (kind === "Debian") writeDebian(root, COREUTILS.map(coreutilsPath));
  else writePython(root);
  copyInto(root, join(__dirname, kind === "Debian" ? "stub-ak.sh" : "stub-ak.py"), "lifecycle/ak");
  chmodSync(join(root, "lifecycle/ak"), 0o755);
  // What does not come from the upstream image's distribution is elsewhere.
  copyInto(root, programPath("dumb-init"), "ak-root/.venv/bin/dumb-init");
  // The wrapper gets the busybox of this machine, which is not linked statically.
  copyLibraries(root, ["dumb-init", "busybox"].map(programPath));

  mkdirSync(join(root, "tmp"));
  chmodSync(join(root, "tmp"), 0o1777);
  mkdirSync(join(root, "etc"));
  writeFileSync(
    join(root, "etc/passwd"),
    "root:x:0:0::/:/bin/sh\nauthentik:x:1000:1000::/authentik:/usr/sbin/nologin\n",
  );
  writeFileSync(join(root, "etc/group"), "root:x:0:\nauthentik:x:1000:\n");
  for (const folder of ["blueprints/example", "data", "media"]) mkdirSync(join(owned, folder), { recursive: true });
  symlinkSync("/media", join(owned, "data/media"));
  writeFileSync(join(owned, "blueprints/example", EXAMPLE_BLUEPRINT), exampleBlueprint("false"));
}

function writeToolsBase(root: string): void {
  const packaged = ["busybox", "patchelf", "pgbouncer"].map(programPath);
  writeDebian(root, [...packaged, ..."cp grep ln mkdir".split(" ").map(coreutilsPath)]);
  // Scripts, which need no libraries.
  copyInto(root, coreutilsPath("ldd"), "usr/bin/ldd");
  writeFileSync(join(root, "usr/bin/apt-get"), "#!/bin/sh\n", { mode: 0o755 });
}

function writeDebian(root: string, others: readonly string[]): void {
  const programs = [...others, programPath("bash"), programPath("dash")];
  for (const program of programs) copyInto(root, program, join("usr/bin", basename(program)));
  copyLibraries(root, programs);
  symlinkSync("dash", join(root, "usr/bin/sh"));
  symlinkSync("usr/bin", join(root, "bin"));
}

/** Python with its standard library, and nothing else. */
function writePython(root: string): void {
  const program = coreutilsPath("python3");
  const library = execFileSync(program, ["-c", "import os; print(os.path.dirname(os.__file__))"], { encoding: "utf8" });
  const target = join(root, "usr/local/lib", basename(library.trim()));
  copyInto(root, program, "usr/local/bin/python3");
  cpSync(library.trim(), target, {
    recursive: true,
    filter: (source) => !/\/(?:__pycache__|config-[^/]+|dist-packages)$/.test(source),
  });
  const modules = join(target, "lib-dynload");
  copyLibraries(root, [program, ...readdirSync(modules).map((name) => join(modules, name))]);
}

function copyLibraries(root: string, programs: readonly string[]): void {
  for (const library of sharedLibraries(programs)) copyInto(root, library, library);
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
