import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { Blueprints, SHIPPED_BLUEPRINTS, SIGN_IN_PROBE_BLUEPRINT } from "../../../lib/idp/blueprints";
import { IdpImage } from "../../../lib/idp/idp-image";
import { describeWith, programPath } from "../../support/programs";
import { CONTEXT, STAND_IN_REPOSITORY } from "../../support/stand-in-parts";
import { BareStack, bareStack, synthesizeInto, type Terraform, testApp } from "../../support/synthesis";
import { temporaryFolder } from "../../support/temporary-folder";

const blueprint = (name: string) => `version: 1\nmetadata:\n  name: ${name}\nentries: []\n`;

const SHIPPED_FILES = [...Object.keys(SHIPPED_BLUEPRINTS), SIGN_IN_PROBE_BLUEPRINT].map(
  (name) => `image/blueprints/${name}.yaml`,
);

describe("Blueprints", () => {
  it("puts the blueprints of a map or a folder, and the shipped ones, into the folder", () => {
    const source = temporaryFolder();
    mkdirSync(join(source, ".git"));
    for (const file of ["groups.yaml", "README.md", ".hidden.yaml", ".git/config.yaml"])
      writeFileSync(join(source, file), blueprint("Groups"));
    for (const blueprintFiles of [{ "groups.yaml": blueprint("Groups") }, source]) {
      const app = testApp();
      new Blueprints(new BareStack(app, "test", { providers: [] }), "Blueprints", { blueprintFiles });
      const folder = synthesizeInto(app);
      expect(folder.files).toEqual(
        ["blueprints/groups.yaml", "cdk.tf.json", "image/Dockerfile.blueprints", ...SHIPPED_FILES].sort(),
      );
      expect(folder.read("blueprints/groups.yaml")).toBe(blueprint("Groups"));
    }
  });

  it("does not touch files that were put into the folder by hand", () => {
    const app = testApp();
    new Blueprints(new BareStack(app, "test", { providers: [] }), "Blueprints", {
      blueprintFiles: {},
      blueprints: ["branding"],
    });
    const folder = join(app.outdir, "stacks/test/blueprints");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, "by-hand.yaml"), blueprint("By hand"));
    expect(synthesizeInto(app).read("blueprints/by-hand.yaml")).toBe(blueprint("By hand"));
  });

  it("refuses a folder that cannot be read, and a name that is not shipped", () => {
    const withProps = (props: object) => () => new Blueprints(bareStack(), "Blueprints", props);
    expect(withProps({ blueprintFiles: "/nowhere" })).toThrow(
      'blueprintFiles is "/nowhere"; it must be a readable folder',
    );
    expect(withProps({ blueprints: ["branding", "sign-up"] })).toThrow('blueprints has "sign-up"; each must be');
  });
});

describeWith(["terraform"], "The folder of blueprints, judged by Terraform", () => {
  /** What a plan says with these files in the folder. */
  const planWith = (files?: Readonly<Record<string, string>>, blueprints: readonly string[] = []) => {
    const app = testApp();
    const stack = new BareStack(app, "test", { providers: [] });
    new IdpImage(stack, "Image", {
      context: CONTEXT,
      repository: STAND_IN_REPOSITORY,
      blueprints: files && new Blueprints(stack, "Blueprints", { blueprintFiles: {}, blueprints }),
    });
    synthesizeInto(app);
    const folder = join(app.outdir, "stacks/test");
    for (const [name, text] of Object.entries(files ?? {})) {
      mkdirSync(dirname(join(folder, "blueprints", name)), { recursive: true });
      writeFileSync(join(folder, "blueprints", name), text);
    }
    // Only a backend has to be initialized.
    const configuration = JSON.parse(readFileSync(join(folder, "cdk.tf.json"), "utf8")) as Terraform;
    const withoutBackend = { ...configuration, terraform: { ...configuration.terraform, backend: undefined } };
    writeFileSync(join(folder, "cdk.tf.json"), JSON.stringify(withoutBackend));
    const { stderr, stdout } = spawnSync(programPath("terraform"), ["plan", "-no-color"], {
      cwd: folder,
      encoding: "utf8",
      env: { HOME: folder, CHECKPOINT_DISABLE: "1", COLUMNS: "10000" },
    });
    return { said: stderr.replaceAll(/\n[│ ]*/g, " "), stdout };
  };

  it("is refused for all problems in one plan, without showing a secret", () => {
    const { said } = planWith(
      {
        "again.yaml": blueprint("Shipped - branding"),
        "no.yaml": "entries: [",
        "nested/a.yaml": blueprint("Nested"),
        "secret.yaml": `${blueprint("Secret")}context:\n  password: hunter2\n`,
        "README.md": "Not a blueprint.",
        ...Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`${index}.yaml`, blueprint(String(index))])),
        "large.yaml": `${blueprint("A")}#${"x".repeat(130_000)}\n`,
      },
      ["branding"],
    );
    expect(said).toContain("number of files in blueprints/ is 45; it must be at most 40");
    expect(said).toMatch(/size of blueprints\/ in bytes is 13\d+; it must be at most 120000/);
    expect(said).toContain('blueprints/ has "large.yaml"; each may have 60000 bytes');
    expect(said).toContain('blueprints/ has "nested/a.yaml"; each must be directly in the folder');
    expect(said).toContain('blueprints/ has "no.yaml"; each must be YAML');
    expect(said).toContain('blueprints/ has "secret.yaml"; none may contain a literal');
    expect(said).toContain('repeated name in blueprints/ is ["Shipped - branding"]; it must be the metadata.name');
    expect(said).not.toContain("hunter2");
    expect(said.match(/Error:/g)).toHaveLength(7);
  });

  it("gives an image another name when a file is added, and the usual one while there is none", () => {
    const nameWith = (files?: Readonly<Record<string, string>>) => /idp:2026[^"]*/.exec(planWith(files).stdout)?.[0];
    const folders: Readonly<Record<string, string>>[] = [
      {},
      { "a.yaml": blueprint("A") },
      { "a.yaml": blueprint("B") },
    ];
    const [none, ...others] = folders.map((files) => nameWith(files));
    expect(none).toBe(nameWith(undefined));
    expect(new Set([none, ...others]).size).toBe(3);
  });
});
