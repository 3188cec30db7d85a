import { spawnSync } from "node:child_process";
import { accessSync, constants, readdirSync } from "node:fs";
import { join } from "node:path";

/** Real programs that some tests run, with the Debian package of each. */
const DEBIAN_PACKAGES = {
  awk: "mawk",
  aws: "awscli",
  bash: "bash",
  buildah: "buildah",
  busybox: "busybox",
  checkov: "checkov (from PyPI, in an environment of its own)",
  curl: "curl",
  dash: "dash",
  "dumb-init": "dumb-init",
  initdb: "postgresql-15",
  jq: "jq",
  moto_server: "moto (from PyPI: moto[ec2,server])",
  openssl: "openssl",
  postgres: "postgresql-15",
  promtool: "prometheus",
  psql: "postgresql-client-15",
  python3: "python3",
  sha256sum: "coreutils",
  shellcheck: "shellcheck",
  tofu: "tofu (from its maker's package repository)",
  terraform: "terraform (from its vendor's package repository)",
} as const;

export type Program = keyof typeof DEBIAN_PACKAGES;

/** Absolute path of a program; undefined if it is not installed. */
export function findProgram(program: Program): string | undefined {
  return searchPath()
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

/** Absolute path of a program that a surrounding `describeWith` has already required. */
export function programPath(program: Program): string {
  const path = findProgram(program);
  if (path === undefined) throw new Error(`${program} is not installed; apt-get install ${DEBIAN_PACKAGES[program]}`);
  return path;
}

export interface Needs {
  /**
   * Requires root, for example to change the root folder.
   *
   * @default false
   */
  readonly root?: boolean;

  /**
   * What else is missing, in words.
   *
   * @default - nothing
   */
  readonly missing?: string;
}

/**
 * A `describe` block that needs programs beyond Node.
 *
 * If a program is missing, skips the block and prints the program and its package; with `CI` set it fails instead, so
 * that a green run there means that everything ran.
 */
export function describeWith(programs: readonly Program[], name: string, body: () => void, needs: Needs = {}): void {
  const lacks = [missingPrograms(programs), needs.root === true ? missingRights() : undefined, needs.missing];
  const explanation = lacks.filter((lack) => lack !== undefined).join("; ");
  if (explanation === "") {
    describe(name, body);
    return;
  }
  if (process.env.CI !== undefined && process.env.CI !== "") {
    describe(name, () => {
      it("has what it needs", () => {
        throw new Error(explanation);
      });
    });
    return;
  }
  process.stderr.write(`SKIPPED ${name}: ${explanation}\n`);
  // The body may run a program to list its tests.
  describe.skip(name, () => {
    it(explanation, () => undefined);
  });
}

/** The missing programs, with how to install them; undefined if there are none. */
function missingPrograms(programs: readonly Program[]): string | undefined {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  if (missing.length > 0) {
    const packages = [...new Set(missing.map((program) => DEBIAN_PACKAGES[program]))].join(" ");
    return `needs ${missing.join(", ")}: apt-get install ${packages}`;
  }
  return programs.includes("busybox") && prefersItself(programPath("busybox"))
    ? "needs a busybox whose shell looks for programs on the PATH: apt-get install busybox (not busybox-static)"
    : undefined;
}

/** Whether busybox prefers its own programs to stand-ins on the PATH, as Debian's busybox-static does. */
function prefersItself(busybox: string): boolean {
  return spawnSync(busybox, ["sh", "-c", "date"], { env: { PATH: "/nonexistent" } }).status === 0;
}

function missingRights(): string | undefined {
  return process.getuid?.() === 0 ? undefined : "needs to run as root";
}

function searchPath(): string[] {
  return [...(process.env.PATH ?? "").split(":").filter((folder) => folder !== ""), ...postgresqlFolders()];
}

/** Debian keeps the server programs of each PostgreSQL release off the PATH. */
function postgresqlFolders(): string[] {
  const root = "/usr/lib/postgresql";
  try {
    return readdirSync(root).map((release) => join(root, release, "bin"));
  } catch {
    return [];
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
