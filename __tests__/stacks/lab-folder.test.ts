import { readFileSync } from "node:fs";
import { homedir } from "node:os";

import { App } from "cdktf";

import { packageFile } from "../../lib/core/package-file";
import { synthesizeInto, type SynthesizedFolder } from "../support/synthesis";
import { ConfigurationGraph, referencesIn, stringsIn } from "./configuration-graph";
import { LAB_STACK_NAME, labStack, labTerraform } from "./lab-stack";

let folder: SynthesizedFolder;
let graph: ConfigurationGraph;

beforeAll(() => {
  folder = synthesizeInto(App.of(labStack()), LAB_STACK_NAME);
  graph = new ConfigurationGraph(labTerraform());
});

describe("The synthesized folder of the lab", () => {
  it("holds every file that its configuration refers to, scripts with their parts in them", () => {
    const referred = stringsIn(labTerraform()).flatMap((text) =>
      [...text.matchAll(/\$\{path\.module\}\/([\w./-]+)/g)].map(([, path]) => path ?? ""),
    );
    expect(referred.length).toBeGreaterThan(0);
    expect([...new Set(referred)].filter((path) => !folder.files.includes(path))).toEqual([]);
    for (const script of ["linux-first-boot.sh", "no-profile.ini", "windows-first-boot.ps1"])
      expect(folder.read(`scripts/${script}`)).toBe(readFileSync(packageFile(`lib/lab/scripts/${script}`), "utf8"));
  });

  it("keeps its state beside itself, and no path of this machine is in it", () => {
    expect(labTerraform().terraform.backend).toEqual({ local: { path: "terraform.tfstate" } });
    for (const text of [process.cwd(), homedir(), packageFile("")])
      expect(folder.read("cdk.tf.json")).not.toContain(`"${text.replace(/\/$/, "")}`);
  });

  it("uses every input but tenant_id, which has no effect", () => {
    const used = new Set([
      ...graph.elements.flatMap((element) => graph.namedBy(element)),
      ...referencesIn(labTerraform().provider),
    ]);
    const unused = Object.keys(labTerraform().variable ?? {}).filter((name) => !used.has(`var.${name}`));
    expect(unused).toEqual(["tenant_id"]);
  });

  it("has for every input its group and its type, and refuses null where it means nothing", () => {
    const inputs = Object.entries(labTerraform().variable ?? {});
    for (const [name, { default: value, description, nullable, type }] of inputs) {
      expect([name, typeof type, /^\[[12378] [A-Z]/.test(String(description))]).toEqual([name, "string", true]);
      expect([name, nullable]).toEqual([name, value === null ? undefined : false]);
    }
    expect(inputs.filter(([, input]) => !("default" in input)).map(([name]) => name)).toEqual(["project_id"]);
  });
});
