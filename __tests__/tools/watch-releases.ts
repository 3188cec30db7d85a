import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { packageFile } from "../../lib/core/package-file";
import { PROVIDER_REQUIREMENTS } from "../../lib/core/provider-requirements";
import { DATABASE_ENDS, RELEASE_LINES, UPGRADE_EDGES } from "../../lib/idp/releases";
import { trimmedSchema } from "../stacks/provider-schema/provider-schema";
import { type Found, type News, newsOf, newsOfApplication, redated, renewed, renewedTable } from "./release-watch";

const USAGE = `npm run releases -- [--write]

Says what is newer than what is known here: of the application, providers, framework, PostgreSQL, Terraform and tools. It asks
the registries of npm and Python as these programs are configured, and reads __tests__/tools/release-facts.json for what
neither tells. The change of the application's releases follows as a diff.
  --write   make that change
`;

const FACTS = "__tests__/tools/release-facts.json";
const TABLE = "lib/idp/releases.ts";
const UPGRADE = "stacks/guides/upgrade.md";

/** What a package registry does not tell, somebody has looked up. */
interface Fact {
  readonly releases: readonly string[];
  readonly source: string;
  /** The day. */
  readonly seen: string;
  /** The newest that was tried here, where nothing else tells. */
  readonly here?: string;
  readonly changes?: readonly string[];
}

const REQUEST_SECONDS = 60;

const TODAY = new Date().toISOString().slice(0, 10);

/** @throws Error with what the program said, if it fails or takes too long */
function run(program: string, args: readonly string[]): string {
  const { error, status, stderr, stdout } = spawnSync(program, args, {
    cwd: packageFile("."),
    encoding: "utf8",
    timeout: REQUEST_SECONDS * 1000,
  });
  if (error !== undefined || status !== 0)
    throw new Error(`${program} ${args.join(" ")}: ${error?.message ?? stderr.trim()}`);
  return stdout;
}

function onNpm(name: string): Found {
  const versions = JSON.parse(run("npm", ["view", name, "versions", "--json"])) as string | string[];
  return { releases: [versions].flat(), source: `npm, ${name}`, seen: TODAY };
}

function onPython(name: string): Found {
  const said = run("python3", ["-m", "pip", "index", "versions", name, "--disable-pip-version-check"]);
  const [, versions = ""] = /^Available versions: (.*)$/m.exec(said) ?? [];
  return { releases: versions.split(", "), source: `PyPI, ${name}`, seen: TODAY };
}

const facts = JSON.parse(readFileSync(packageFile(FACTS), "utf8")) as Readonly<Record<string, Fact>>;

function fact(subject: string): Fact {
  const found = facts[subject];
  if (found === undefined) throw new Error(`${FACTS} says nothing of ${subject}; add it`);
  return found;
}

const asFound = ({ releases, seen, source }: Fact): Found => ({ releases, seen, source: `${source} (${seen})` });

function newsOfFact(subject: string, here: string, changes: readonly string[] = []): News[] {
  const known = fact(subject);
  return newsOf(subject, known.here ?? here, asFound(known), known.changes ?? changes);
}

function newsOfProviders(): News[] {
  return Object.keys(PROVIDER_REQUIREMENTS).flatMap((name) => {
    const tried = (trimmedSchema(`${name}.newest`) ?? trimmedSchema(name))?.release ?? "";
    return newsOfFact(`provider ${name}`, tried, [
      "its schema: npm run rehearse:schemas; lib/core/provider-requirements.ts",
    ]);
  });
}

interface Manifest {
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** The framework, its successor and the bindings, of which a newer one may change what is synthesized. */
function newsOfFramework({ devDependencies }: Manifest): News[] {
  const names = Object.keys(devDependencies).filter((name) => /^(cdkt[fn]|constructs|@cdktf\/.*)$/.test(name));
  return names.flatMap((name) =>
    newsOf(name, devDependencies[name] ?? "", onNpm(name), ["package.json, then npm run test:exhaustive"]),
  );
}

/** Everything else that is installed here, as npm tells it. */
function newsOfTools({ devDependencies }: Manifest, others: readonly string[]): News[] {
  // It fails where something is outdated.
  const { stdout } = spawnSync("npm", ["outdated", "--json"], { cwd: packageFile("."), encoding: "utf8" });
  const outdated = JSON.parse(stdout === "" ? "{}" : stdout) as Readonly<Record<string, { latest: string }>>;
  return Object.entries(outdated).flatMap(([name, { latest }]) =>
    others.includes(name) || devDependencies[name] === undefined
      ? []
      : newsOf(name, devDependencies[name], { releases: [latest], source: "npm outdated", seen: TODAY }, [
          "package.json",
        ]),
  );
}

/** Files that name releases of the application for people to copy, and the table of releases. */
function editedFiles(news: readonly News[]): ReadonlyMap<string, string> {
  const tracked = execFileSync("git", ["ls-files", "README.md", "lib/README.md", "stacks"], {
    cwd: packageFile("."),
    encoding: "utf8",
  });
  const read = (file: string) => readFileSync(packageFile(file), "utf8");
  const patches = news.filter(({ here }) => here !== "");
  const pages = tracked
    .split("\n")
    .filter((file) => file !== "")
    .map((file) => {
      const text = patches.reduce((each, { here, newest }) => renewed(each, here, newest), read(file));
      return [file, file === UPGRADE ? redated(text, news) : text] as const;
    });
  const all = [[TABLE, renewedTable(read(TABLE), news)] as const, ...pages];
  return new Map(all.filter(([file, text]) => text !== read(file)));
}

function diffOf(files: ReadonlyMap<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "releases-"));
  try {
    return [...files]
      .map(([file, text]) => {
        const changed = join(folder, "changed");
        writeFileSync(changed, text);
        const { stdout } = spawnSync(
          "diff",
          ["-u", `--label=a/${file}`, `--label=b/${file}`, packageFile(file), changed],
          {
            encoding: "utf8",
          },
        );
        return stdout;
      })
      .join("");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function main(): void {
  const { values } = parseArgs({ options: { help: { type: "boolean" }, write: { type: "boolean" } } });
  if (values.help === true) {
    process.stdout.write(USAGE);
    return;
  }
  const manifest = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as Manifest;
  const application = newsOfApplication(RELEASE_LINES, UPGRADE_EDGES, [
    asFound(fact("application")),
    // It follows the application some days later.
    onPython("authentik-client"),
  ]);
  const framework = newsOfFramework(manifest);
  const news = [
    ...application,
    ...newsOfProviders(),
    ...framework,
    ...newsOfFact("postgresql", Object.keys(DATABASE_ENDS).at(-1) ?? ""),
    ...newsOfFact("terraform", ""),
    ...newsOfFact("opentofu", ""),
    ...newsOfTools(
      manifest,
      framework.map(({ subject }) => subject),
    ),
  ];
  for (const { changes, here, newest, source, subject } of news) {
    process.stdout.write(`${subject}: ${newest}, here ${here === "" ? "none" : here}; ${source}\n`);
    for (const change of changes) process.stdout.write(`  ${change}\n`);
  }
  if (news.length === 0) process.stdout.write("Nothing is newer than what is known here.\n");
  const files = editedFiles(application);
  process.stdout.write(files.size === 0 ? "" : `\n${diffOf(files)}`);
  if (values.write === true) for (const [file, text] of files) writeFileSync(packageFile(file), text);
}

try {
  main();
} catch (error) {
  process.stderr.write(`releases: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
