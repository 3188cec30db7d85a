import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { RECOMMENDED_VERSION } from "../../lib/idp/releases";
import { temporaryFolder } from "../support/temporary-folder";
import { runAppCommand, type SynthesisProcess } from "./synthesis-process";

const STACK_NAMES = ["idp-serverless", "idp-kubernetes", "assessment-lab"];

const outdir = temporaryFolder();
const manifest = join(outdir, "manifest.json");
let all: SynthesisProcess;

beforeAll(async () => {
  all = await runAppCommand({ outdir });
});

describe("The app command", () => {
  it("prints per stack its folder and the next command, and warns of local states", () => {
    const line = (name: string) => {
      const folder = join(outdir, "stacks", name);
      const release = name.startsWith("idp-") ? ` -var application_version=${RECOMMENDED_VERSION}` : "";
      return `${folder}: terraform -chdir=${folder} init && terraform -chdir=${folder} apply -var project_id=<your project>${release}\n`;
    };
    expect(all.output).toMatch(new RegExp(`^${STACK_NAMES.map(line).join("")}warning: [^\n]*\n$`));
  });

  it("synthesizes one stack alone to the same bytes, and keeps the others with their states and in the manifest", async () => {
    const [name = "", ...others] = STACK_NAMES;
    const before = all.textOf(name);
    const states = others.map((other) => join(outdir, "stacks", other, "terraform.tfstate"));
    for (const state of states) writeFileSync(state, "{}");
    const { output, textOf } = await runAppCommand({ outdir, stackNames: [name] });
    expect(output.trim().split("\n")).toEqual([
      expect.stringContaining(`/${name}: `),
      expect.stringMatching(/^warning: /),
    ]);
    expect(textOf(name)).toBe(before);
    expect(states.map((state) => existsSync(state))).toEqual([true, true]);
    const { stacks } = JSON.parse(readFileSync(manifest, "utf8")) as { stacks: object };
    expect(Object.keys(stacks).sort()).toEqual([...STACK_NAMES].sort());
  });

  it("refuses unknown stack names, all at once, with a message, and synthesizes none", async () => {
    const place = temporaryFolder();
    const stackNames = ["idp-severless", "assessment-lab", "constructor"];
    await expect(runAppCommand({ outdir: place, stackNames })).rejects.toMatchObject({
      code: 1,
      stderr:
        'stacks to synthesize: 1 problem\n  - "idp-severless", "constructor" must be among idp-serverless, idp-kubernetes, assessment-lab, because there are no other stacks; use these names, or none for all stacks\n',
    });
    expect(readdirSync(join(place, "stacks"))).toEqual([]);
  });

  it("writes no list of stacks if the existing one cannot be read", async () => {
    const place = temporaryFolder();
    const cutOff = '{ "version": "0.21.0", "sta';
    writeFileSync(join(place, "manifest.json"), cutOff);
    await expect(runAppCommand({ outdir: place, stackNames: ["assessment-lab"] })).rejects.toMatchObject({
      code: 1,
      stderr: `stacks to synthesize: 1 problem\n  - ${join(place, "manifest.json")} cannot be read; it must list the existing stacks, because the framework's command line deletes the folder of any other, with its state; run the same command again, or synthesize all stacks\n`,
    });
    expect(readFileSync(join(place, "manifest.json"), "utf8")).toBe(cutOff);
  });
});
