import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { App, TerraformLocal } from "cdktf";

import { InputVariable } from "../../lib/core/inputs/input-variable";
import { packageFile } from "../../lib/core/package-file";
import { addAssessmentSource, type AssessmentSourceProps } from "../../lib/lab/assessment-source";
import { addDestroyNotice } from "../../lib/lab/lab-foundation";
import { discoverySourceId } from "../../lib/lab/lab-names";
import { valueAt } from "../stacks/configuration-graph";
import { evaluated } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import {
  bareStack,
  type Block,
  resourceAddresses,
  resourceOf,
  type SynthesizedFolder,
  synthesizeInto,
  terraformOf,
} from "../support/synthesis";

const NAMES = [
  "assess-discovery-client",
  "Assess-Discovery-Client",
  "a",
  "2nd lab",
  "lab-",
  "ends in -",
  "-",
  "😀",
  "Größe & Co. / 3",
  "e\u0301",
  "é",
  "x".repeat(63),
  "X".repeat(63),
  `${"x".repeat(46)} - ${"y".repeat(14)}`,
  "source-lab",
  "source-team-a-95ceb1a3",
  "source-f0443a34",
  'quotes " and \\ ${x} %{y}',
  "İstanbul Kelvin",
];

describeWith(["terraform"], "The id of the discovery source", () => {
  /** By name, of a literal and of an input. */
  const idsOf = (names: readonly string[]) => {
    const stack = bareStack();
    names.forEach((name, index) => {
      const given = new InputVariable(stack, `name_${index}`, { type: "string", default: name, description: "Name." });
      new TerraformLocal(stack, `input_${index}`, discoverySourceId(given.stringValue));
      new TerraformLocal(stack, `literal_${index}`, discoverySourceId(name));
    });
    const values = evaluated(terraformOf(stack));
    return names.map((name, index) => [name, values[`input_${index}`], values[`literal_${index}`]].map(String));
  };

  it("is legal, the same for an input and a literal, and not shared by a client that is named like it", () => {
    const ids = idsOf(NAMES);
    expect(Object.fromEntries(ids)).toMatchObject({
      "assess-discovery-client": "assess-discovery-client",
      "Assess-Discovery-Client": "source-assess-discovery-client-133eaa85",
      "2nd lab": "source-2nd-lab-f201715f",
      "😀": "source-f0443a34",
    });
    for (const [, input = "", given] of ids) {
      expect(input).toMatch(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
      expect(given).toBe(input);
    }
    const made = ids.flatMap(([name, id = ""]) => (id === name ? [] : [id]));
    for (const [name, id] of idsOf(made)) expect(id).not.toBe(name);
  });
});

function registered(overrides: Partial<AssessmentSourceProps> = {}) {
  const stack = bareStack();
  const source = addAssessmentSource(stack, "Source", {
    clientName: "assess-discovery-client",
    deploymentId: "a1b2c3",
    projectId: "demo-project",
    region: "us-central1",
    sourceId: "assess-discovery-client",
    dependsOn: [],
    usesAssessment: true,
    labels: {},
    outlivedBy: [],
    ...overrides,
  });
  stack.addOutputs({ id: { value: source.sourceId, description: "Source." } });
  return { source, stack, terraform: terraformOf(stack) };
}

describe("The assessment source", () => {
  it("tells other labs by a label of that group which source the lab uses, whatever labels are given", () => {
    const given = { team: "web", "assessment-source": "mine" };
    const { terraform } = registered({ labels: given });
    const { labels } = resourceOf(terraform, "google_migration_center_group", "source_group");
    expect(labels).toEqual({ ...given, "assessment-source": "assess-discovery-client" });
  });

  it("puts the status and cleanup scripts into the handed-over folder", () => {
    const { stack } = registered();

    const folder = synthesizeInto(App.of(stack), stack.node.id);

    const page = readFileSync(packageFile("stacks/assessment-lab.md"), "utf8");
    // Each reads the libraries beside it first.
    for (const script of ["assessment-cleanup.sh", "assessment-status.sh"]) {
      expect(outputOf(folder, script, "--help")).toContain("  PROJECT_ID ");
      expect(page).toContain(`sh scripts/${script}`);
    }
  });

  it("registers nothing when it is off, at synth or at plan", () => {
    const off = registered({ usesAssessment: false });
    expect(resourceAddresses(off.terraform)).toEqual([]);
    expect((off.terraform.output as Record<string, Block>).id?.value).toBeNull();
    expect(off.source.ready).toEqual([]);
  });
});

/** What a script of the folder says, run there with nothing that would name a library elsewhere. */
function outputOf(folder: SynthesizedFolder, script: string, option: string): string {
  const env = { PATH: process.env.PATH };
  return execFileSync("sh", [join("scripts", script), option], { cwd: folder.path, encoding: "utf8", env });
}

describe("The notice of a destroy", () => {
  it("is a command of the folder's script, from anywhere, and is nothing when nothing survives", () => {
    const stack = bareStack();
    const place = { deploymentId: "a1b2c3", projectId: "demo-project", region: "us-central1", sourceId: "lab" };
    expect(addDestroyNotice(stack, { ...place, usesAssessment: true })).toHaveLength(1);
    expect(addDestroyNotice(stack, { ...place, usesAssessment: false })).toEqual([]);
    const notice = resourceOf(terraformOf(stack), "terraform_data", "survivors_at_destroy");
    const { command, environment } = valueAt(notice, "provisioner.0.local-exec") as Block;
    expect(environment).toMatchObject({ SCRIPT: '${abspath("${path.module}/scripts/assessment-cleanup.sh")}' });
    const env = { PROJECT_ID: "demo", REGION: "us", SOURCE_ID: "lab", DEPLOYMENT_ID: "a1", SCRIPT: "/a b/cleanup.sh" };
    expect(execFileSync("sh", ["-c", String(command)], { encoding: "utf8", env })).toMatch(
      /the discovery source lab, which .* To remove them: PROJECT_ID=demo REGION=us SOURCE_ID=lab DEPLOYMENT_ID=a1 sh '\/a b\/cleanup\.sh'\n$/,
    );
  });
});
