import { folderPage, type PageParts } from "../../stacks/folder/folder-page";
import { type PageConfiguration } from "../../stacks/folder/folder-values";
import { headingsOf, withoutBlocks } from "../../stacks/folder/headings";
import { shippedStacks } from "./shipped-stacks";

const partsOf = (stack: keyof ReturnType<typeof shippedStacks>): PageParts => ({
  stack,
  page: stack === "assessment-lab" ? "assessment-lab.md" : "identity-provider.md",
  configuration: shippedStacks()[stack] as unknown as PageConfiguration,
  version: "9.9.9",
});

const sectionOf = (page: string, title: string) =>
  page.split(new RegExp(`^##+ ${title}$`, "m"))[1]?.split(/^##+ /m)[0] ?? "";

describe.each(["idp-serverless", "idp-kubernetes", "assessment-lab"] as const)(
  "The page of a folder of %s",
  (stack) => {
    const parts = partsOf(stack);
    const page = folderPage(parts);
    const isLab = stack === "assessment-lab";

    it("needs nothing that is not in the folder: no page, no command and no path of where it was made", () => {
      expect(page).not.toMatch(/cdktf|npm |TypeScript|\{\{|\}\}|<!--|-chdir|undefined|\]\(\+/);
      expect(page.match(/[\w-]+[.]md\b/g)).toBeNull();
      const text = withoutBlocks(page);
      const links = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, link = ""]) => link);
      const anchors = headingsOf(page).map(({ anchor }) => `#${anchor}`);
      expect(links.filter((link) => !anchors.includes(link) && !link.startsWith("https://"))).toEqual([]);
    });

    it("has each input once, those that are required apart, and each output", () => {
      const names = (title: string) => [...sectionOf(page, title).matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
      const { output, variable } = parts.configuration;
      expect(names("Required inputs")).toEqual(["project_id"]);
      expect([...names("Required inputs"), ...names("Other inputs")].sort()).toEqual(Object.keys(variable).sort());
      expect(names("Outputs").sort()).toEqual(Object.keys(output).sort());
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

function servicesOf({ resource = {} }: PageConfiguration): string[] {
  return Object.values(resource.google_project_service ?? {}).map((each) =>
    String((each as { service: unknown }).service),
  );
}
