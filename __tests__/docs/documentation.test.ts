import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { STRICT } from "../rehearsal/project/organization-policies";
import { temporaryFolder } from "../support/temporary-folder";
import { documentedTerraform, synthesizedStacks } from "../tools/documented-stacks";
import { type DocumentedTerraform, UPDATE_COMMAND, withFreshTables } from "../tools/page-tables";
import { anchorsOf, blocksIn, type Page, pageOf, pages, withoutBlocks } from "../tools/pages";

const PAGES = pages().map((page): [path: string, page: Page] => [page.path, page]);
const help = execFileSync("./help", { cwd: packageFile("."), encoding: "utf8" });
const { scripts } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

let folders: string;
let stacks: Readonly<Record<string, DocumentedTerraform>>;

beforeAll(async () => {
  folders = await synthesizedStacks();
  stacks = documentedTerraform(folders);
});

it(`Every page shows what is synthesized; when this fails, run: ${UPDATE_COMMAND}`, () => {
  const stale = PAGES.filter(([, { text }]) => withFreshTables(text, stacks) !== text);
  expect(stale.map(([path]) => path)).toEqual([]);
});

describe.each(PAGES)("%s", (path, { text }) => {
  it("contains nothing that a renderer would take for a tag", () => {
    const prose = withoutBlocks(text).replaceAll(/`[^`]*`/g, "");
    expect(prose.match(/(?<!\\)<(?!!--)[^>]*>/g)).toBeNull();
  });

  it("links to files and headings that exist", () => {
    expect(deadLinks(packageFile(path), text)).toEqual([]);
  });

  it("names files and folders that exist", () => {
    const named = withoutBlocks(text).matchAll(/`((?:lib|stacks|image|__tests__|\.ci|\.github)\/[\w./-]*)`/g);
    expect([...named].map(([, file = ""]) => file).filter((file) => !existsSync(packageFile(file)))).toEqual([]);
  });
});

const isInput = (name: string) => Object.values(stacks).some(({ variable }) => name in variable);
const isAddress = (address: string) =>
  Object.values(stacks).some(({ resource = {} }) => {
    const [type = "", name = ""] = address.split(".");
    return resource[type]?.[name] !== undefined;
  });

/** What pages name, and where that must be: scripts of `package.json`, stacks, inputs, outputs and resources. */
const NAMES: readonly (readonly [pattern: RegExp, isThere: (name: string) => boolean])[] = [
  [/npm run (?:--silent |-s )?([\w:]+)/g, (name) => name in scripts],
  [/\/stacks\/((?:idp|assessment)-[\w-]+)/g, (name) => name in stacks],
  [/ --?var[= ]'?(\w+)=/g, isInput],
  [
    /terraform(?: -chdir=\S+)? output (?:-raw |-json )?(\w+)/g,
    (name) => Object.values(stacks).some(({ output }) => name in output),
  ],
  [/-(?:replace|target)='?(\w+\.\w+)/g, isAddress],
  [/ untaint (\w+\.\w+)/g, isAddress],
  [/-- (__tests__\/[\w./-]+)/g, (name) => existsSync(packageFile(name))],
];

const COMMANDS = [...PAGES.map(([path, { text }]) => [path, text] as const), ["help", help] as const];

it.each(COMMANDS)("The commands of %s name scripts, stacks, inputs, outputs and resources that exist", (path, text) => {
  const unknown = NAMES.flatMap(([pattern, isThere]) =>
    [...text.matchAll(pattern)].map(([, name = ""]) => name).filter((name) => !isThere(name)),
  );
  // Blocks that set inputs, not those of a root of one's own.
  const settings = blocksIn(text, "hcl").filter((block) => path.startsWith("stacks/") && !/^\w+ .*\{$/m.test(block));
  const set = settings.map((block) => [...block.matchAll(/^(\w+) += /gm)].map(([, name = ""]) => name));
  expect([...unknown, ...set.flat().filter((name) => !isInput(name))]).toEqual([]);
  expect(set.flatMap((names) => names.filter((name, index) => names.indexOf(name) !== index))).toEqual([]);
});

/** Programs that the commands of pages call: each succeeds, and says what the next command takes from it. */
const STAND_INS = {
  ...Object.fromEntries(
    ["cp", "curl", "docker", "gcloud", "kubectl", "npm", "npx", "pipx", "rm", "tar"].map((name) => [name, ":"]),
  ),
  sh: '[ -f "$1" ]',
  terraform: `case "$*" in
*connect_command | *last_errors_command) echo ":" ;;
*restore_settings) echo "export INIT_JOB=idp-db-init INSTANCE=sql MEDIA_BUCKET=media NAMESPACE=idp PROJECT_ID=my-project REGION=us-central1" ;;
*'state list') echo kubernetes_job_v1.job ;;
*'output -json'*) echo '["my-value"]' ;;
*output*) echo my-value ;;
esac`,
};

/** Pages whose scripts are in the folder of one stack alone. */
const OF_ONE_STACK = [
  ["assessment-lab.md", "assessment-lab"],
  ["warm-standby.md", "idp-serverless"],
] as const;

describe.each(PAGES.filter(([, { text }]) => blocksIn(text, "sh").length > 0))(
  "The commands of %s",
  (path, { text }) => {
    it("run to their end, one after the other", () => {
      const folder = temporaryFolder();
      const [, stack = "idp-kubernetes"] = OF_ONE_STACK.find(([page]) => path.endsWith(page)) ?? [];
      symlinkSync(join(folders, stack, "scripts"), join(folder, "scripts"));
      // For the commands of a first apply, in a folder and in a clone.
      const places = ["", "cdktf.out/stacks/idp-serverless", "idp-serverless-0.2.0"].map((place) =>
        join(folder, place),
      );
      for (const place of places) {
        mkdirSync(place, { recursive: true });
        writeFileSync(join(place, "terraform.tfvars.example"), 'project_id = "my-project"\n');
      }
      for (const [name, script] of Object.entries(STAND_INS))
        writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
      const PATH = `${folder}:/usr/bin:/bin`;
      const commands = ["set -eu", ...blocksIn(text, "sh")].join("\n");
      const { status, stderr } = spawnSync("/bin/sh", ["-c", commands], {
        cwd: folder,
        encoding: "utf8",
        env: { PATH },
      });
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    });
  },
);

/** Policies of organizations that meet a resource of a stack. */
const POLICIES = [
  "gcp.resourceLocations",
  "gcp.restrictNonCmekServices",
  "iam.allowedPolicyMemberDomains",
  "iam.automaticIamGrantsForDefaultServiceAccounts",
  "compute.skipDefaultNetworkCreation",
  "storage.publicAccessPrevention",
  "sql.restrictPublicIp",
  "run.managed.requireInvokerIam",
  "compute.vmExternalIpAccess",
  "compute.requireOsLogin",
  "compute.trustedImageProjects",
];

it("The guide to organization policies has a row for each that meets a resource", () => {
  const { text } = pageOf("stacks/guides/organization-policies.md");
  const rows = text.split("\n").filter((line) => line.startsWith("| `"));
  const named = rows.flatMap((row) => row.split(" | ")[0]?.match(/[\w.]+/g) ?? []);
  expect([...STRICT, ...POLICIES].filter((policy) => !named.includes(policy))).toEqual([]);
  expect(text.split(/\s+/).length).toBeLessThanOrEqual(530);
});

describe("The pages of a handed-over folder", () => {
  it("are those of its stack and guides, whose links lead to what is in the folder", () => {
    for (const stack of Object.keys(stacks)) {
      const folder = join(folders, stack);
      const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".md"));
      expect(files).toEqual(expect.arrayContaining(["README.md", `${stack}.md`, "guides/state-and-pipelines.md"]));
      for (const file of files) {
        const text = readFileSync(join(folder, file), "utf8");
        expect([stack, file, deadLinks(join(folder, file), text)]).toEqual([stack, file, []]);
        expect(blocksIn(text, "sh").join()).not.toMatch(/cdktf|npm /);
        // One is another file in the repository, and one is made of the configuration.
        if (!["README.md", "who-may-what.md"].includes(file)) expect(text).toBe(pageOf(join("stacks", file)).text);
      }
    }
  });

  it("tell in at most 500 words what the folder is, and each guide's task in at most 1,000", () => {
    const tables = /<!-- (?:inputs|outputs|alerts|file)[\s\S]*?<!-- end -->/g;
    const pictures = /```mermaid\n[\s\S]*?```/g;
    const words = (path: string) =>
      pageOf(path).text.replaceAll(tables, "").replaceAll(pictures, "").split(/\s+/).length;
    const guides = readdirSync(packageFile("stacks/guides")).map((guide) => `stacks/guides/${guide}`);
    expect(guides.filter((guide) => words(guide) > 1000)).toEqual([]);
    const whole = (guide: string) => pageOf(`stacks/guides/${guide}.md`).text.split(/\s+/).length;
    expect([whole("postgresql-upgrade") <= 600, whole("first-real-apply") <= 400]).toEqual([true, true]);
    expect(Object.keys(stacks).filter((stack) => words(`stacks/folder/${stack}.md`) > 500)).toEqual([]);
  });

  it("have the inputs and outputs of the stack", () => {
    for (const stack of Object.keys(stacks))
      for (const kind of ["inputs", "outputs"])
        expect(pageOf(`stacks/${stack}.md`).text).toContain(`<!-- ${kind}: ${stack} -->`);
  });
});

/** How pictures colour what has a shape: transparent, so that text is readable on a light and on a dark page. */
const PALETTE = [
  { name: "outside", colours: "fill:#f59e0b26,stroke:#d97706", shape: /(\w+)\(\["/g },
  { name: "holds", colours: "fill:#10b98126,stroke:#059669", shape: /(\w+)\[\("/g },
  { name: "boundary", colours: "fill:#8888881a,stroke:#888888", shape: /subgraph (\w+)/g },
];

it("colours alike in every picture what is outside, what holds data and what is a boundary", () => {
  const pictures = pages().flatMap(({ path, text }) =>
    [...text.matchAll(/```mermaid\n([\s\S]*?)```/g)].map(([, picture = ""]) => ({ path, picture })),
  );
  const charts = pictures.filter(({ picture }) => picture.includes("flowchart"));
  expect(charts.length).toBeGreaterThan(10);
  for (const { path, picture } of charts) {
    const styles = picture.split("\n").filter((line) => /^ {2}class(Def)? (?!.*\bslow\b)/.test(line));
    const used = PALETTE.map(({ shape, ...style }) => {
      const parts = [...new Set([...picture.matchAll(shape)].map(([, part]) => part))];
      return { ...style, parts };
    }).filter(({ parts }) => parts.length > 0);
    expect([path, styles]).toEqual([
      path,
      [
        "  classDef default fill:#3b82f626,stroke:#3b82f6",
        ...used.map(({ name, colours }) => `  classDef ${name} ${colours}`),
        ...used.map(({ name, parts }) => `  class ${parts.join()} ${name}`),
      ],
    ]);
  }
});

it("has no line in a fence of a list that is outside of it, after which Markdown shows the rest as text", () => {
  const outside = pages().flatMap(({ path, text }) => {
    const fences = [...text.matchAll(/^( +)```\w+\n([\s\S]*?)\n *```$/gm)];
    const lines = fences.flatMap(([, indent = "", body = ""]) =>
      body.split("\n").filter((line) => line !== "" && !line.startsWith(indent)),
    );
    return lines.map((line) => `${path}: ${line}`);
  });
  expect(outside).toEqual([]);
});

it("leads from a region that fails to the standby, and without one to a recovery", () => {
  const rows = pageOf("stacks/guides/when-something-fails.md").text.split("\n");
  const row = rows.find((line) => line.startsWith("| the region fails |")) ?? "";
  expect([...row.matchAll(/\]\(([^)#]+)/g)].map(([, page]) => page)).toEqual(["warm-standby.md", "region-lost.md"]);
});

describe("help", () => {
  it("fits on one screen", () => {
    expect(help.split("\n").length).toBeLessThanOrEqual(40);
  });

  it("names every stack, every command of the project, and pages that exist", () => {
    expect(Object.keys(stacks).filter((stack) => !help.includes(`  ${stack} `))).toEqual([]);
    const daily = Object.keys(scripts).filter((script) => !/:|^pre/.test(script));
    expect(daily.filter((script) => !new RegExp(`npm (run )?${script}\\b`).test(help))).toEqual([]);
    const named = [...help.matchAll(/\S+\.md\b/g)].map(([page]) => page.replace("<stack>", "idp-serverless"));
    expect(named.filter((page) => !existsSync(packageFile(page)))).toEqual([]);
  });
});

/** The links of a page that lead to no file, or to no heading of one. */
function deadLinks(page: string, text: string): string[] {
  const links = [...withoutBlocks(text).matchAll(/\]\((?!https?:)([^)]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => {
    const [file = "", anchor] = link.split("#");
    const target = file === "" ? page : join(dirname(page), file);
    if (!existsSync(target)) return true;
    return (
      anchor !== undefined && !(target.endsWith(".md") && anchorsOf(readFileSync(target, "utf8")).includes(anchor))
    );
  });
}
