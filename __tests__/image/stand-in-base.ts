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
import { runOf } from "../support/process-run";
import { type Program, programPath } from "../support/programs";
import { coreutilsPath } from "./coreutils";

/** Programs a test has to have before it can use anything of this file. */
export const STAND_IN_PROGRAMS: readonly Program[] = ["bash", "buildah", "dash", "dumb-init"];

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
   * What a command prints in a container, as its user; throws unless it succeeds.
   *
   * It prints to a file, because the pipes of a `buildah run` without a daemon can lose what comes just before the end.
   */
  async printedIn(container: string, command: readonly string[]): Promise<string> {
    const folder = mkdtempSync(join(this.folder, "printed-"));
    chmodSync(folder, 0o777);
    const redirected = ["sh", "-c", 'exec "$@" >/printed/output', "sh", ...command];
    await this.run(["run", "--volume", `${folder}:/printed`, container, "--", ...redirected]);
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
   * It has what the wrapper relies on: shell, coreutils, sed, dumb-init, user 1000, `/media`, `/data` with its link to
   * `/media`, `/blueprints` with an example, and the stub application `ak`, which writes its records to the folder
   * `$STUB_RECORDS`. The variable `STAND_IN_TAG` tells from inside a container which tag it was built on. Nothing is
   * fetched.
   *
   * @returns the image's name without a tag
   */
  async createStandInBase(tags: readonly string[]): Promise<string> {
    const image = "localhost/upstream";
    const context = join(this.folder, "stand-in");
    writeRootFolder(join(context, "root"));
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
      await this.run(["bud", "--tag", `${image}:${tag}`, context]);
    }
    rmSync(context, { recursive: true });
    return image;
  }

  /** Removes the stores with every image and container in them. */
  async remove(): Promise<void> {
    await this.run(["rm", "--all"]);
    // A build that was cut off may still be writing.
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

const COREUTILS = "cat chmod chown date env id ln mkdir mv rm sed setsid sleep tr".split(" ");

function writeRootFolder(rootFolder: string): void {
  const programs = [...COREUTILS.map(coreutilsPath), programPath("bash"), programPath("dash")];
  for (const program of programs) copyInto(rootFolder, program, join("usr/bin", basename(program)));
  // What does not come from the upstream image's distribution is elsewhere.
  copyInto(rootFolder, programPath("dumb-init"), "ak-root/.venv/bin/dumb-init");
  copyInto(rootFolder, join(__dirname, "stub-ak.sh"), "lifecycle/ak");
  chmodSync(join(rootFolder, "lifecycle/ak"), 0o755);
  for (const library of sharedLibraries([...programs, programPath("dumb-init")]))
    copyInto(rootFolder, library, library);

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
