import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { basename } from "node:path";

import { App } from "cdktf";

import { packageFile } from "../../lib/core/package-file";
import { type SynthesizedFolder, synthesizeInto, type Terraform } from "../support/synthesis";
import { ConfigurationGraph, referencesIn, stringsIn } from "./configuration-graph";
import { withoutMetadata } from "./serverless-stack";
import { runAppCommand, type SynthesisProcess } from "./synthesis-process";
import { STACKS } from "./variants";

let onNodeAlone: SynthesisProcess;
let bySuccessor: SynthesisProcess;

beforeAll(async () => {
  [onNodeAlone, bySuccessor] = await Promise.all([
    runAppCommand(),
    runAppCommand({
      environment: { NODE_OPTIONS: `--require ${require.resolve("./use-successor-framework")}` },
    }),
  ]);
});

const parsed = (text: string) => JSON.parse(text) as Terraform;

describe.each(STACKS)("The synthesized folder of $name", ({ name, stack, terraform }) => {
  const synthesized = (): SynthesizedFolder => synthesizeInto(App.of(stack()), name);
  let folder: SynthesizedFolder;

  beforeAll(() => {
    folder = synthesized();
  });

  it("holds every file that its configuration, its pages or its scripts name, and nothing else", () => {
    const referred = stringsIn(terraform()).flatMap((text) =>
      [...text.matchAll(/\$\{path\.module\}\/([\w./-]+)/g)].map(([, path]) => path ?? ""),
    );
    // A file whose name an input decides is in a folder that is named; that of the operator's own blueprints is not
    // there.
    const folders = referred.filter((path) => path.endsWith("/") && path !== "blueprints/");
    const files = referred.filter((path) => /[.]\w+$|Dockerfile/.test(path));
    expect(folder.files).toEqual(expect.arrayContaining(files));

    const isNamed = (path: string, texts: readonly string[]) => texts.some((text) => text.includes(basename(path)));
    const pages = folder.files.filter((path) => path.endsWith(".md")).map((path) => folder.read(path));
    const scripts = folder.files.filter((path) => path.startsWith("scripts/"));
    const unnamed = folder.files.filter(
      (path) =>
        path.includes("/") &&
        !files.includes(path) &&
        !folders.some((each) => path.startsWith(each)) &&
        !path.startsWith("guides/") &&
        !isNamed(path, [...pages, ...scripts.filter((script) => script !== path).map((script) => folder.read(script))]),
    );
    expect(unnamed).toEqual([]);
  });

  it("contains documentation beside the configuration", () => {
    expect(folder.files.filter((path) => !path.includes("/"))).toEqual(
      [
        ".gitattributes",
        "cdk.tf.json",
        "README.md",
        "VERSION",
        `${name}.md`,
        "inputs.schema.json",
        "terraform.tfvars.example",
        "who-may-what.md",
      ].sort(),
    );
    const { version } = JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string };
    expect(folder.read("VERSION")).toBe(`${version}\n`);
    for (const path of folder.files.filter((each) => !each.includes("/")))
      for (const local of [process.cwd(), homedir(), packageFile("")])
        expect([path, folder.read(path).includes(`${local.replace(/\/$/, "")}/`)]).toEqual([path, false]);
  });

  it("is the same bytes when synthesized again, elsewhere, and in another process", () => {
    const again = synthesized();
    expect(again.files).toEqual(folder.files);
    for (const path of folder.files) expect(again.read(path)).toBe(folder.read(path));
    for (const path of folder.files) expect(onNodeAlone.textOf(name, path)).toBe(folder.read(path));
  });

  it("is the same with the framework's successor, its own metadata aside", () => {
    const [ours, successors] = [parsed(onNodeAlone.textOf(name)), parsed(bySuccessor.textOf(name))];
    expect(successors["//"].metadata.version).not.toEqual(ours["//"].metadata.version);
    expect(withoutMetadata(successors)).toEqual(withoutMetadata(ours));
    for (const path of folder.files.filter((each) => each !== "cdk.tf.json"))
      expect(bySuccessor.textOf(name, path)).toBe(folder.read(path));
  });

  it("keeps its state beside itself, and no path of this machine is in it", () => {
    expect(terraform().terraform.backend).toEqual({ local: { path: "terraform.tfstate" } });
    for (const text of [process.cwd(), homedir(), packageFile("")])
      expect(folder.read("cdk.tf.json").includes(`"${text.replace(/\/$/, "")}`)).toBe(false);
  });

  it("uses every input and every local value, but for the lab's tenant_id, which has no effect", () => {
    const used = new Set(
      new ConfigurationGraph(terraform()).elements.flatMap((element) =>
        new ConfigurationGraph(terraform()).namedBy(element),
      ),
    );
    // Rules look up tables, but a rule alone uses no input.
    const tables = referencesIn(terraform().variable).filter((each) => each.startsWith("local."));
    const elsewhere = [...referencesIn(terraform().provider), ...tables];
    const declared = [
      ...Object.keys(terraform().variable ?? {}).map((name) => `var.${name}`),
      ...Object.keys(terraform().locals ?? {}).map((name) => `local.${name}`),
    ];
    expect(declared.filter((each) => !used.has(each) && !elsewhere.includes(each))).toEqual(
      name === "assessment-lab" ? ["var.tenant_id"] : [],
    );
  });

  it("reports no secret: an output names secrets and never reads one", () => {
    const graph = new ConfigurationGraph(terraform());
    for (const name of Object.keys(terraform().output ?? {})) {
      const references = graph.namedBy(`output.${name}`);
      expect(references.filter((reference) => /^ephemeral\.|var\.bootstrap_password/.test(reference))).toEqual([]);
    }
    expect(stringsIn(terraform().output).filter((text) => text.includes("secret_data"))).toEqual([]);
  });

  it("has for every input its type, its meaning and what a later change does, and refuses null where it means nothing", () => {
    const inputs = Object.entries(terraform().variable ?? {});
    // A lab is applied once; the contract has what its inputs mean.
    const said = name === "assessment-lab" ? /./ : /\b(?:later|a change)\b/i;
    for (const [each, input] of inputs) {
      expect([each, typeof input.type]).toEqual([each, "string"]);
      expect([each, input.description]).toEqual([each, expect.stringMatching(said)]);
      // Null for no check-up.
      const nullable = input.default === null ? undefined : each === "check_up";
      expect([each, input.nullable]).toEqual([each, nullable]);
    }
    expect(inputs.filter(([, input]) => !("default" in input)).map(([each]) => each)).toEqual(["project_id"]);
  });
});
