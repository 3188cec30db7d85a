import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { type App, TerraformStack } from "cdktf";
import { Construct } from "constructs";

import { PortableStack } from "../../lib/core/portable-stack";
import { addStackFile, unixLineEnds } from "../../lib/core/stack-file";
import { TerraformData } from "../../lib/core/terraform-data";
import { errorsOfPlan } from "../stacks/terraform-run";
import { describeWith } from "../support/programs";
import { bareStack, synthesizeInto, terraformOf, testApp } from "../support/synthesis";
import { temporaryFolder } from "../support/temporary-folder";

const sourceWith = (content: string) => {
  const source = join(temporaryFolder(), "source.sh");
  writeFileSync(source, content);
  return source;
};

const folderOf = (app: App) => join(app.outdir, "stacks/test");

describeWith(["terraform"], "A folder that a clone on Windows has changed", () => {
  it("is refused at plan, with each file that cannot be run, and the command that mends it", () => {
    const folder = temporaryFolder();
    const write = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    const stack = bareStack({ providers: [] });
    new TerraformData(stack, "Begin", { lifecycle: { precondition: [unixLineEnds(stack)] } });
    const { locals, resource } = terraformOf(stack);
    write("main.tf.json", JSON.stringify({ locals, resource }));
    write("scripts/first-boot.ps1", "exit\r\n");
    write("scripts/no-text.bin", "\u0000");
    write("scripts/db-init.sh", "set -eu\n");
    expect(errorsOfPlan(folder)).toEqual([]);

    const files = ["blueprints/own.yaml", "image/Dockerfile", "scripts/list.jq"];
    for (const file of files) write(file, "one\r\ntwo\r\n");
    const details = errorsOfPlan(folder).map(({ detail }) => detail);
    const [detail = ""] = details;
    expect(details).toEqual([
      `files have Windows line endings (CRLF), as after a clone with autocrlf; they must have those of Unix, because shells and the image cannot run others; run perl -pi -e 's/\\r$//' ${files.join(" ")} in the folder, and keep its .gitattributes.`,
    ]);
    execFileSync("sh", ["-c", detail.slice(detail.indexOf("perl"), detail.indexOf(" in the folder"))], { cwd: folder });
    expect(errorsOfPlan(folder)).toEqual([]);
  });
});

describe("a file in the folder of a stack", () => {
  it.each<[string, (app: App) => TerraformStack]>([
    ["a portable one", (app) => new PortableStack(app, "test", { providers: [] })],
    ["a plain one", (app) => new TerraformStack(app, "test")],
  ])("is copied as it is at synth: %s", (_, stackIn) => {
    const app = testApp();
    const source = sourceWith("first");
    addStackFile(new Construct(stackIn(app), "Part"), source, "scripts/deep/run.sh");
    writeFileSync(source, "${second} %{third}\n");
    const folder = synthesizeInto(app);
    expect(folder.files).toEqual(["cdk.tf.json", "scripts/deep/run.sh"]);
    expect(folder.read("scripts/deep/run.sh")).toBe("${second} %{third}\n");
  });

  it("is refused at the path of another file", () => {
    const stack = new TerraformStack(testApp(), "test");
    addStackFile(stack, "/package/a.sh", "scripts/run.sh");
    expect(() => addStackFile(stack, "/package/b.sh", "scripts/run.sh")).toThrow(
      new Error(
        "test: scripts/run.sh would be written from /package/a.sh and from /package/b.sh, and one of them would be lost; give one another place",
      ),
    );
  });

  it("is removed once no construct adds it any more", () => {
    const app = testApp();
    addStackFile(new TerraformStack(app, "test"), sourceWith("new"), "scripts/new.sh");
    mkdirSync(join(folderOf(app), "scripts/old"), { recursive: true });
    writeFileSync(join(folderOf(app), "scripts/old/old.sh"), "old");
    expect(synthesizeInto(app).files).toEqual(["cdk.tf.json", "scripts/new.sh"]);
  });

  it("does not touch what Terraform and the recipient put into the folder", () => {
    const app = testApp();
    addStackFile(new TerraformStack(app, "test"), sourceWith("x"), "scripts/x.sh");
    const foreign = [".terraform.lock.hcl", ".terraform/providers/x", "acme.tfvars", "backend.tf", "terraform.tfstate"];
    for (const file of foreign) {
      mkdirSync(join(folderOf(app), file, ".."), { recursive: true });
      writeFileSync(join(folderOf(app), file), file);
    }
    const folder = synthesizeInto(app);
    expect(folder.files).toEqual([...foreign, "cdk.tf.json", "scripts/x.sh"].sort());
    expect(foreign.map((file) => folder.read(file))).toEqual(foreign);
  });
});
