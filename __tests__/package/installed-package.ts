import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

export const REPOSITORY = join(__dirname, "../..");

/** The release of a package that is installed here. */
export const releaseOf = (name: string) =>
  (JSON.parse(readFileSync(join(REPOSITORY, "node_modules", name, "package.json"), "utf8")) as { version: string })
    .version;

/** What users of the package install beside it, by the folder of `node_modules` here that each is linked to. */
export const PEERS: Readonly<Record<string, string>> = Object.fromEntries(
  [
    "cdktf",
    "constructs",
    "@types/node",
    ...["aws", "google", "kubernetes", "random", "tls"].map((provider) => `@cdktf/provider-${provider}`),
  ].map((name) => [name, name]),
);

/**
 * Packs the library as `npm run build` compiled it, and installs it in an empty project; peers are linked from here.
 */
export function installPackage(project: string, peers: Readonly<Record<string, string>>): void {
  const npm = (args: readonly string[], cwd: string) =>
    execFileSync("npm", [...args, "--offline", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd,
      encoding: "utf8",
      stdio: "pipe",
    });
  const [packed] = JSON.parse(
    npm(["pack", "--ignore-scripts", "--json", "--pack-destination", project], REPOSITORY),
  ) as [{ filename: string }];
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "consumer", private: true }));
  npm(["install", "--legacy-peer-deps", "--ignore-scripts", `./${packed.filename}`], project);
  linkPackages(project, peers);
}

/** Puts links to packages that are installed here, by their names in the project. */
export function linkPackages(project: string, packages: Readonly<Record<string, string>>): void {
  for (const [name, folder] of Object.entries(packages)) {
    const link = join(project, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(resolve(REPOSITORY, "node_modules", folder), link);
  }
}
