import { readFileSync } from "node:fs";

import { packageFile } from "../../lib/core/package-file";
import { folderPage, type PageParts } from "../../stacks/folder/folder-page";
import { type PageConfiguration } from "../../stacks/folder/folder-values";
import { headingsOf, withoutBlocks } from "../../stacks/folder/headings";
import { paragraphOf, sectionOf as sectionText, tableOf } from "../../stacks/folder/page-sections";
import { untruth, type Offer } from "../docs/documented-command";
import { blocksIn } from "../tools/pages";
import { shippedStacks } from "./shipped-stacks";

const partsOf = (stack: keyof ReturnType<typeof shippedStacks>): PageParts => ({
  stack,
  page: stack === "assessment-lab" ? "assessment-lab.md" : "identity-provider.md",
  configuration: shippedStacks()[stack] as unknown as PageConfiguration,
  version: "9.9.9",
});

/** Commands of a project and a bucket that are not this repository's to judge. */
const OUTSIDE =
  /^gcloud (projects create|billing projects link|storage buckets (create|update)) |^cp terraform[.]tfvars/;

const sectionOf = (page: string, title: string) =>
  page.split(new RegExp(`^##+ ${title}$`, "m"))[1]?.split(/^##+ /m)[0] ?? "";

describe.each(["idp-serverless", "idp-kubernetes", "assessment-lab"] as const)(
  "The page of a folder of %s",
  (stack) => {
    const parts = partsOf(stack);
    const page = folderPage(parts);
    const isLab = stack === "assessment-lab";
    const [beginning = ""] = page.split("\n## ");

    it("answers the first questions at the top, each with a link to more", () => {
      const questions = [...beginning.matchAll(/^\| ([^|]+\?) \| (.+) \|$/gm)].map(([, question]) => question);
      expect(questions).toEqual([
        "What will it cost?",
        "What do I need?",
        "How do I start?",
        ...(isLab ? ["How do I get mail, and a domain?"] : ["How do I get mail?", "How do I get a domain?"]),
        "Who is told when it breaks?",
        "How do I undo a changed input?",
        ...(isLab ? [] : ["How do I undo an upgrade?", "How do I get lost data back?"]),
        ...(isLab ? [] : ["A secret was deleted, disabled or has leaked?", "An apply failed?"]),
        "How do I remove everything?",
      ]);
      expect(beginning).toMatch(/cost\? \| About [\d.]+ US dollars a/);
      expect(beginning).toMatch(/start\? \| .* the first apply takes \d+ to \d+ minutes/);
    });

    it("has what each kind of work needs", () => {
      const titles = headingsOf(page).map(({ title }) => title);
      expect(titles).toEqual(
        expect.arrayContaining([
          ...["What it makes", "Costs", "What you need", "Start", "Every command", "The state", "A newer folder"],
          ...["Destroy", "Required inputs", "Other inputs", "Outputs", "Files in this folder"],
          ...(isLab
            ? ["Backup"]
            : ["Mail", "Domain", "Alerts", "Upgrade", "Backup and restore", "Restore", "Rotation"]),
        ]),
      );
      for (const { title } of headingsOf(page)) {
        const isPartedFurther = new RegExp(`^##+ ${title}\n\n##`, "m").test(page.replaceAll(/[?()]/g, ""));
        if (!isPartedFurther)
          expect([title, sectionOf(page, title).trim()]).toEqual([title, expect.stringMatching(/./)]);
      }
    });

    it("gives the commands of every day for Terraform and for OpenTofu", () => {
      const rows = [...sectionOf(page, "Every command").matchAll(/^\| (.+?) \| (.+) \| (.+) \|$/gm)].slice(2);
      expect(rows.map(([, what]) => what?.split(/[ ,]/)[0])).toEqual(
        expect.arrayContaining(["prepare", "apply", "upgrade", "back", "restore", "destroy"]),
      );
      for (const [, what, terraform = "", tofu = ""] of rows) {
        expect([what, tofu]).toEqual([what, terraform.replaceAll(/\bterraform (?=[a-z])/g, "tofu ")]);
        if (terraform.includes("`terraform ")) expect(tofu).not.toMatch(/`terraform /);
      }
    });

    it("needs nothing that is not in the folder: no page, no command and no path of where it was made", () => {
      expect(page).not.toMatch(/cdktf|npm |TypeScript|\{\{|\}\}|<!--|-chdir|undefined|\]\(\+/);
      expect(page.match(/[\w-]+[.]md\b/g)).toBeNull();
      const text = withoutBlocks(page);
      const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
      const anchors = headingsOf(page).map(({ anchor }) => `#${anchor}`);
      expect(links.filter((link) => !anchors.includes(link) && !link.startsWith("https://"))).toEqual([]);
    });

    it("contains nothing that only applies to other folders", () => {
      const foreign = { "idp-serverless": /kubectl/, "idp-kubernetes": /gcloud run /, "assessment-lab": /`smtp`/ }[
        stack
      ];
      expect(blocksIn(page, "sh").filter((block) => foreign.test(block))).toEqual([]);
      const platform = { "idp-serverless": "GKE", "idp-kubernetes": "Cloud Run", "assessment-lab": "GKE" }[stack];
      expect(page).not.toContain(`\n| ${platform} | `);
    });

    it("shows what is created, and the order of a first apply", () => {
      expect(blocksIn(page, "mermaid")).toHaveLength(2);
    });

    it("has each input once, those that are required apart, and each output", () => {
      const names = (title: string) => [...sectionOf(page, title).matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
      const { output, variable } = parts.configuration;
      expect(names("Required inputs")).toEqual(["project_id"]);
      expect([...names("Required inputs"), ...names("Other inputs")].sort()).toEqual(Object.keys(variable).sort());
      expect(names("Outputs").sort()).toEqual(Object.keys(output).sort());
    });

    it("contains commands that work in the folder", () => {
      const folder = `cdktf.out/stacks/${stack}`;
      const stacks = { [stack]: parts.configuration as unknown as Offer["stacks"][string] };
      const commands = blocksIn(page.replaceAll(/cat > [\s\S]*?\nEND\n/g, ""), "sh").flatMap((block) =>
        block.split("\n"),
      );
      const wrong = commands
        .filter((line) => line !== "" && !OUTSIDE.test(line))
        .map((line) =>
          line
            .replaceAll(/\bterraform (?=\w)/g, `terraform -chdir=${folder} `)
            .replace(/ (apply|destroy|plan)(?= |$)/, " $1 -var project_id=my-project")
            .replace("init -upgrade", "init")
            .replace(" scripts/", ` ${folder}/scripts/`),
        )
        .flatMap((line) => untruth(line, { copies: new Map(), scripts: {}, stacks }) ?? []);
      expect(wrong).toEqual([]);
      expect(commands.filter((line) => line.startsWith("terraform ")).length).toBeGreaterThan(5);
    });

    it("shows files of inputs that name inputs there are", () => {
      const inHcl = blocksIn(page, "hcl").flatMap((block) => [...block.matchAll(/^(\w+) +=/gm)]);
      const inJson = blocksIn(page, "json").flatMap((block) => [...block.matchAll(/^ {2}"(\w+)": /gm)]);
      const assigned = [...inHcl, ...inJson].map(([, name = ""]) => name);
      expect(assigned.length).toBeGreaterThan(0);
      expect(assigned.filter((name) => !(name in parts.configuration.variable))).toEqual([]);
    });

    it("says which rights, APIs and releases it needs", () => {
      const needs = sectionOf(page, "What you need");
      expect(needs).toMatch(/Owner of the project/);
      for (const service of servicesOf(parts.configuration)) expect(needs).toContain(`\`${service}\``);
      for (const { source, version } of Object.values(parts.configuration.terraform.required_providers))
        expect(needs).toContain(`\`${source}\` ${version}`);
      if (isLab) return;
      expect(needs).toContain("`roles/cloudsql.admin`");
      expect(needs.includes("`roles/container.admin`")).toBe(stack === "idp-kubernetes");
      expect(needs.includes("`roles/run.admin`")).toBe(stack === "idp-serverless");
    });

    it("states its version", () => {
      expect(beginning).toContain("version 9.9.9");
      expect(sectionOf(page, "A newer folder")).toContain("version 9.9.9.");
    });

    it("takes times from the pages of the stacks", () => {
      const times = /takes (\d+ to \d+ minutes)/.exec(readFileSync(packageFile(`stacks/${stack}.md`), "utf8"))?.[1];
      expect(beginning).toContain(`takes ${times}`);
    });

    it.each([
      [{ backend: { local: { path: "terraform.tfstate" } } }, "the file `terraform.tfstate` in this folder"],
      [{ backend: { gcs: { bucket: "secret-bucket" } } }, "in a backend, `gcs`"],
      [{ backend: undefined, cloud: { organization: "x" } }, "in a backend, `cloud`"],
      [{ backend: undefined }, "this folder names none"],
    ])("says where the state is, without arguments: %j", (terraform, said) => {
      const { configuration } = parts;
      const changed = { ...configuration, terraform: { ...configuration.terraform, ...terraform } };
      const state = sectionOf(folderPage({ ...parts, configuration: changed }), "The state");
      expect(state).toContain(said);
      expect(state).not.toContain("secret-bucket");
    });
  },
);

describe("A part of another page", () => {
  it.each<[string, () => unknown, string]>([
    ["heading", () => sectionText({ page: "README.md", anchor: "no-such" }, ""), "README.md has no heading #no-such"],
    ["table", () => tableOf({ page: "README.md", anchor: "synthesis" }, ""), "README.md has no table below #synthesis"],
    [
      "paragraph",
      () => paragraphOf({ page: "README.md", anchor: "synthesis" }, "", "Nobody"),
      'README.md does not say "Nobody" below #synthesis',
    ],
  ])("is refused when there is no such %s", (_, read, message) => {
    expect(read).toThrow(new Error(message));
  });

  it("reads as in the folder: its commands, and nothing that is said of other stacks", () => {
    const place = { page: "identity-provider.md", anchor: "go-back-to-an-earlier-release" };
    const [serverless, kubernetes] = ["idp-serverless", "idp-kubernetes"].map((stack) => sectionText(place, stack));
    expect(serverless).toContain("gcloud run services update");
    expect(serverless).not.toContain("kubectl");
    expect(kubernetes).toContain("kubectl");
    expect(kubernetes).not.toContain("gcloud run");
    for (const text of [serverless, kubernetes]) {
      expect(text).toContain("sh scripts/restore.sh backup");
      expect(text).toContain("\n   terraform apply -var application_version=");
      expect(text).not.toMatch(/\n\n\n|only:/);
    }
  });
});

function servicesOf({ resource = {} }: PageConfiguration): string[] {
  return Object.values(resource.google_project_service ?? {}).map((each) =>
    String((each as { service: unknown }).service),
  );
}
