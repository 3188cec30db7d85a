import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "@cdktf/hcl2json";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { PubsubTopic } from "@cdktf/provider-google/lib/pubsub-topic";
import { App, TerraformStack } from "cdktf";

import { ServiceIdentity } from "../../lib";
import { type Body } from "../../lib/core/hcl/hcl-body";
import { explain, hclFilesOf, KNOWN_BLOCKS } from "../../lib/core/hcl/stack-origin";
import { withoutTransitiveDependencies } from "../../lib/core/hcl/transitive-dependencies";
import { packageFile } from "../../lib/core/package-file";
import { type PortableStack, type PortableStackProps } from "../../lib/core/portable-stack";
import { brokenRules } from "../support/broken-rules";
import { describeWith, programPath } from "../support/programs";
import { CONTEXT } from "../support/stand-in-parts";
import { BareStack, synthesizeInto } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";
import { nestedBlocks } from "./provider-schema/provider-schema";
import { STACKS } from "./variants";

const filesOf = (stack: PortableStack) => hclFilesOf(stack, stack.toTerraform(), {});

const FOLDERS = STACKS.map(({ name, stack: stackOf }) => {
  const stack = stackOf();
  return { name, stackOf, stack, files: filesOf(stack) };
});

/** A value without spaces and punctuation, which the writer may set otherwise, and the reader shows otherwise. */
const bare = (value: unknown): string =>
  JSON.stringify(value)
    .replaceAll(/%\{ ?(if|else|endif)|\\n|[\s(),:=?"\\${}]/g, "")
    // HCL leaves out a join of one text.
    .replaceAll(/(join)?\[|\]/g, "");

/** Everything that a configuration sets, with its path, however its blocks are grouped and its lines are broken. */
function settings(value: unknown, path = ""): string[] {
  if (Array.isArray(value) && value.some((item) => typeof item === "object"))
    return value.flatMap((item) => settings(item, path));
  if (typeof value !== "object" || value === null || Array.isArray(value) || Object.keys(value).length === 0)
    return [`${path} ${bare(value)}`];
  return Object.entries(value)
    .filter(([name]) => name !== "//")
    .flatMap(([name, item]) => settings(item, `${path}.${name.replace(/^\$\{\(?(.*?)\)?\}$/, "$1")}`))
    .sort();
}

/** Lines of the conditions of such blocks, which Terraform shows whole above its message. */
function conditionLengths(text: string, kinds: string): number[] {
  const condition = new RegExp(`^ +(?:${kinds}) \\{\\n +condition += ([^]*?)\\n +error_message`, "gm");
  return [...text.matchAll(condition)].map(([, whole = ""]) => whole.split("\n").length);
}

describe.each(FOLDERS)("The folder of $name in HCL", ({ files, name, stack, stackOf }) => {
  it("says what its JSON says, but for dependencies that others imply", async () => {
    const parts = await Promise.all(Object.entries(files).map(([name, text]) => parse(name, text)));
    const json = JSON.parse(JSON.stringify(stack.toTerraform())) as Body;
    expect(parts.flatMap((part) => settings(part)).sort()).toEqual(settings(withoutTransitiveDependencies(json)));
  });

  it("is the same text again, and names no place of this machine", () => {
    expect(filesOf(stackOf())).toEqual(files);
    expect(Object.values(files).join("\n")).not.toContain(packageFile("").replace(/\/$/, ""));
  });

  it("shows one line of a condition above a warning, and few above a refusal", () => {
    const text = Object.values(files).join("\n");
    const warnings = conditionLengths(text, "assert");
    expect(warnings.length).toBeGreaterThan(5);
    // Those of the lab count its parts, a line for each.
    expect(Math.max(...warnings)).toBe(name === "assessment-lab" ? 6 : 1);
    const refusals = conditionLengths(text, "precondition|postcondition");
    expect(refusals.length).toBeGreaterThan(0);
    expect(Math.max(...refusals)).toBeLessThanOrEqual(5);
  });

  it("has a file for each part, none longer than a reader takes, and no line that is long for another reason than a text or a condition", () => {
    const long = Object.entries(files).filter(
      ([name, text]) => name !== "variables.tf" && text.split("\n").length > 640,
    );
    expect(long.map(([name]) => name)).toEqual([]);
    const lines = Object.values(files).flatMap((text) => text.split("\n"));
    const isText = (line: string) => /^\s*([\w-]+\s+= |[?:] )?"|"[^"]{60}/.test(line);
    expect(lines.filter((line) => line.length > 160 && !isText(line) && !/ (==|<=|>=|!=) /.test(line))).toEqual([]);
  });
});

it("The table of nested blocks is that of the providers' schemas; when this fails, run: npm run rehearse:schemas", () => {
  expect(readFileSync(packageFile(KNOWN_BLOCKS), "utf8")).toBe(nestedBlocks());
});

describeWith(["terraform"], "terraform fmt", () => {
  it.each(FOLDERS)("would change nothing in the folder of $name", ({ files }) => {
    const folder = temporaryFolder();
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const { stdout } = spawnSync(programPath("terraform"), ["fmt", "-check", "-diff"], {
      cwd: folder,
      encoding: "utf8",
    });
    expect(stdout).toBe("");
  });
});

describe("A stack of a program in HCL", () => {
  const stackIn = (outdir: string, hclOutput: boolean, props: Partial<PortableStackProps> = {}) => {
    const stack = new BareStack(new App({ outdir, hclOutput }), "test", { providers: ["google"], ...props });
    new GoogleProvider(stack, "google", { project: "demo-project" });
    explain(new PubsubTopic(stack, "Topic", { name: "news", schemaSettings: { schema: "news" } }), "It is kept.");
    return stack;
  };
  const hclBlocks = { google_pubsub_topic: { schema_settings: {} } };

  it("names the providers with an alias, which a caller of it as a module must pass", () => {
    const stack = stackIn(temporaryFolder(), true, { hclBlocks });
    const versions = () => synthesizeInto(App.of(stack)).read("versions.tf");
    expect(versions()).not.toContain("configuration_aliases");
    new GoogleProvider(stack, "other", { project: "other-project", alias: "other" });
    expect(versions()).toContain("  configuration_aliases = [google.other]\n");
  });

  it("takes the place of its JSON, and the other way round, and removes nothing else", () => {
    const outdir = temporaryFolder();
    const json = synthesizeInto(App.of(stackIn(outdir, false)));
    writeFileSync(join(json.path, "terraform.tfstate"), "{}");
    writeFileSync(join(json.path, "override.tf"), "");
    const hcl = synthesizeInto(App.of(stackIn(outdir, true, { hclBlocks })));
    expect(hcl.files).toEqual(["override.tf", "root.tf", "terraform.tfstate", "topic.tf", "versions.tf"]);
    expect(hcl.read("topic.tf")).toContain('# It is kept.\nresource "google_pubsub_topic" "topic" {\n');
    expect(existsSync(join(outdir, "stacks", "test.metadata.json"))).toBe(true);
    expect(synthesizeInto(App.of(stackIn(outdir, false))).files).toEqual([
      "cdk.tf.json",
      "override.tf",
      "terraform.tfstate",
    ]);
  });

  it("is refused where nothing tells blocks from objects, with what to do", () => {
    expect(() => stackIn(temporaryFolder(), true).toHclTerraform()).toThrow(
      brokenRules("test", [
        'google_pubsub_topic (test/Topic) cannot be written in HCL; which of its arguments are blocks is known of the library\'s own types alone, and nothing in a program tells; pass hclBlocks: { "google_pubsub_topic": { <block>: {} } } to the stack with all nested blocks of that type, or {} if it has none, or synthesize JSON',
      ]),
    );
  });

  it("is refused of a plain stack with constructs of the library, which the framework would write", () => {
    const stack = new TerraformStack(new App({ outdir: temporaryFolder(), hclOutput: true }), "plain");
    new GoogleProvider(stack, "google", { project: "demo-project" });
    new ServiceIdentity(stack, "Runtime", { context: CONTEXT, purpose: "run", description: "Runs the application" });
    expect(() => App.of(stack).synth()).toThrow(
      brokenRules("plain", [
        "HCL is asked for, and the stack is no PortableStack; it must be one, because the framework writes these constructs as HCL that Terraform cannot read; extend PortableStack, or synthesize JSON",
      ]),
    );
  });
});
