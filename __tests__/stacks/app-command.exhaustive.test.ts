import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { temporaryFolder } from "../support/temporary-folder";
import { blocksIn, pageOf } from "../tools/pages";
import { runAppCommand, type SynthesisProcess } from "./synthesis-process";

const STACK_NAMES = ["idp-serverless", "idp-kubernetes", "assessment-lab"];

const outdir = temporaryFolder();
const manifest = join(outdir, "manifest.json");
let all: SynthesisProcess;

beforeAll(async () => {
  all = await runAppCommand({ outdir });
});

describe("The app command", () => {
  it("prints the folder of each stack, the commands of the first apply, and a warning of local states", () => {
    const folders = STACK_NAMES.map((name) => join(outdir, "stacks", name));
    expect(all.output.split("\n")).toEqual([
      ...folders,
      "",
      "The first apply, in an empty project, one block after the other; replace my-project in the line that begins with FOLDER=; for another stack, replace idp-serverless there:",
      "",
      "gcloud auth login",
      "",
      "gcloud auth application-default login",
      "",
      `FOLDER=${String(folders[0])} PROJECT=my-project`,
      'test -e "$FOLDER/terraform.tfvars" ||',
      '  sed "s/my-project/$PROJECT/" "$FOLDER/terraform.tfvars.example" >"$FOLDER/terraform.tfvars"',
      'terraform -chdir="$FOLDER" init',
      "",
      "Answer yes:",
      "",
      'terraform -chdir="$FOLDER" apply',
      "",
      'terraform -chdir="$FOLDER" output',
      "",
      ...STACK_NAMES.map(
        (name) =>
          expect.stringMatching(`^${name}: the apply takes [0-9]+ to [0-9]+ minutes; .* it costs about `) as string,
      ),
      "To try it offline first: npm run rehearse -- idp-serverless",
      "",
      expect.stringMatching(/^warning: /),
      "",
    ]);
    for (const folder of folders) expect(readdirSync(folder)).toContain("terraform.tfvars.example");
    // The front page has the same, in the same order.
    const [, , ...printed] = all.output.replaceAll(outdir, "cdktf.out").split("\n\n").slice(0, -2);
    const commands = printed.filter((block) => block !== "Answer yes:").map((block) => `${block}\n`);
    const blocks = blocksIn(pageOf("README.md").text, "sh");
    const begin = blocks.indexOf(commands[0] ?? "");
    expect(blocks.slice(begin, begin + commands.length)).toEqual(commands);
  });

  it("synthesizes one stack alone to the same bytes, and keeps the others with their states and in the manifest", async () => {
    const [name = "", ...others] = STACK_NAMES;
    const before = all.textOf(name);
    const states = others.map((other) => join(outdir, "stacks", other, "terraform.tfstate"));
    for (const state of states) writeFileSync(state, "{}");
    const { output, textOf } = await runAppCommand({ outdir, stackNames: [name] });
    expect(output).toContain("replace my-project in the line that begins with FOLDER=");
    expect(output).toContain(`/${name} PROJECT=my-project\n`);
    for (const other of others) expect(output).not.toContain(other);
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
      stderr: [
        "stacks to synthesize: 2 problems",
        "  - idp-severless is no stack; did you mean idp-serverless? Otherwise name another, or none for all stacks",
        "  - constructor is no stack; name idp-serverless, idp-kubernetes, assessment-lab, or none for all stacks",
        "",
      ].join("\n"),
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
