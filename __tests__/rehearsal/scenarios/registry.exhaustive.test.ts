import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

import { packageFile } from "../../../lib/core/package-file";
import { describeWith, programPath } from "../../support/programs";
import { temporaryFolder } from "../../support/temporary-folder";
import { Deployment, type Inputs } from "../deployment/deployment";
import { requireSoundness } from "../engine/journey";

const REPOSITORY = "dist/registry/terraform-google-identity-provider";

/** A repository with the content for the registries, tagged as they want it. */
const repository = (() => {
  execFileSync("npm", ["run", "--silent", "release", "--", "--registry"], {
    cwd: packageFile("."),
    env: { ...process.env, OWNER: "example-owner" },
    stdio: "pipe",
  });
  const folder = temporaryFolder();
  cpSync(packageFile(REPOSITORY), folder, { recursive: true });
  const git = (...command: string[]) => {
    const author = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    execFileSync("git", [...author, ...command], { cwd: folder, stdio: "pipe" });
  };
  git("init", "--quiet");
  git("add", "--all");
  git("commit", "--quiet", "--message=Release");
  git("tag", "v0.2.0");
  return folder;
})();

const sourceOf = (module: string) => `git::file://${repository}//modules/${module}?ref=v0.2.0`;

/** A root in which these are the files, beside a copy of the modules, by which its providers are known. */
function rootWith(text: string): string {
  const root = temporaryFolder();
  cpSync(join(repository, "modules"), join(root, "modules"), { recursive: true });
  writeFileSync(join(root, "main.tf"), text);
  return root;
}

/** Terraform fetches the modules by git, which no script may need. */
async function initWithGit(deployment: Deployment): Promise<void> {
  const { environment } = deployment;
  const { PATH: others = "" } = deployment.programEnvironment;
  deployment.environment = { ...environment, PATH: [others, dirname(programPath("git"))].join(delimiter) };
  await deployment.init();
  deployment.environment = environment;
}

describe("The content of a repository for the registries", () => {
  it("has a root without resources, and modules without state and configured providers", () => {
    expect(readdirSync(repository).sort()).toEqual([
      ".git",
      "LICENSE",
      "README.md",
      "examples",
      "modules",
      "versions.tf",
    ]);
    const modules = readdirSync(join(repository, "modules"));
    expect(modules.sort()).toEqual(["assessment-lab", "kubernetes", "serverless"]);
    for (const module of modules) {
      const folder = join(repository, "modules", module);
      for (const file of readdirSync(folder).filter((name) => name.endsWith(".tf")))
        expect(readFileSync(join(folder, file), "utf8")).not.toMatch(/^(provider "|  backend "|  cloud \{)/m);
    }
  });

  it("names its version, and tells inputs and outputs on the page of each module", () => {
    for (const module of readdirSync(join(repository, "modules"))) {
      const page = readFileSync(join(repository, "modules", module, "README.md"), "utf8");
      expect(page).toMatch(/^ {2}version = "\d+\.\d+\.\d+"$/m);
      expect(page).toContain('"example-owner/identity-provider/google//modules/');
      expect(page).not.toContain("OWNER");
      const declared = (file: string, kind: string) =>
        [
          ...readFileSync(join(repository, "modules", module, file), "utf8").matchAll(
            new RegExp(`^${kind} "(.+)"`, "gm"),
          ),
        ]
          .map(([, name]) => `| \`${name}\` |`)
          .filter((cell) => !page.includes(cell));
      expect([...declared("variables.tf", "variable"), ...declared("outputs.tf", "output")]).toEqual([]);
    }
  });

  it("has no link that leads nowhere", () => {
    const pages = [
      "README.md",
      "examples/README.md",
      ...["serverless", "kubernetes", "assessment-lab"].map((module) => `modules/${module}/README.md`),
    ];
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(repository, page), "utf8").matchAll(/\]\((?!https:)([^)#]+)/g)]
        .map(([, target = ""]) => join(page, "..", target))
        .filter((target) => !existsSync(join(repository, target))),
    );
    expect(missing).toEqual([]);
  });
});

const program = () => programPath("terraform");

describeWith(["terraform", "curl", "jq", "git"], "A module of the registries, from a tag", () => {
  it.each<[string, Inputs]>([
    ["serverless", { project_id: "sign-in-project" }],
    ["kubernetes", { project_id: "sign-in-project" }],
    ["tenants", { tenants: { acme: { project_id: "sign-in-project" }, globex: { project_id: "other-project" } } }],
    ["assessment-lab", { project_id: "sign-in-project" }],
  ])(
    "plans as in the example %s",
    async (example, inputs) => {
      const text = readFileSync(join(repository, "examples", example, "main.tf"), "utf8");
      const source = rootWith(
        text.replaceAll(/"[.][.]\/[.][.]\/modules\/([\w-]+)"/g, (_, module: string) => `"${sourceOf(module)}"`),
      );
      await Deployment.use({ source, inputs, program: program() }, async (deployment) => {
        await initWithGit(deployment);
        await deployment.plan();
      });
    },
    300_000,
  );

  it("is applied with count, moved to for_each without a change, and destroyed", async () => {
    const root = (module: string) => `
      provider "google" {
        region = "us-central1"
      }

      module "sign_in" {
        source              = "${sourceOf("serverless")}"
        project_id          = "sign-in-project"
        application_version = "2026.5.9"
        database_version    = 17
        deletion_protection = false
        ${module}
      }
    `;
    const counted = rootWith(root("count = 1"));
    await Deployment.use({ source: counted, inputs: {}, program: program() }, async (deployment) => {
      await initWithGit(deployment);
      await deployment.applyAtOnce();
      requireSoundness(deployment, "apply");
      writeFileSync(
        join(deployment.folder, "main.tf"),
        `${root('for_each  = toset(["demo"])\ntenant_id = each.key')}
        moved {
          from = module.sign_in[0]
          to   = module.sign_in["demo"]
        }`,
      );
      await initWithGit(deployment);
      const said = await deployment.succeed("plan", "-input=false", "-no-color");
      expect(said).toContain("Plan: 0 to add, 0 to change, 0 to destroy.");
      expect(said).toContain('has moved to module.sign_in["demo"].');
      await deployment.applyAtOnce();
      await deployment.requireEmptyPlan("plan after the move");
      await deployment.succeed("destroy", "-auto-approve", "-input=false");
      expect([...deployment.cloud.objects.keys()]).toEqual([]);
    });
    rmSync(counted, { recursive: true });
  }, 300_000);
});
