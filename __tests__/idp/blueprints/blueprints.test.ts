import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { SHIPPED_BLUEPRINTS } from "../../../lib/idp/blueprint-files";
import { type BlueprintProps } from "../../../lib/idp/blueprint-props";
import type * as BlueprintsModule from "../../../lib/idp/blueprints";
import { Blueprints } from "../../../lib/idp/blueprints";
import { IdpImage } from "../../../lib/idp/idp-image";
import { describeWith, programPath } from "../../support/programs";
import { PLACE, STAND_IN_REPOSITORY } from "../../support/stand-in-parts";
import { BareStack, bareStack, synthesizeInto, testApp, type Terraform } from "../../support/synthesis";
import { temporaryFolder } from "../../support/temporary-folder";

const blueprint = (name: string) => `version: 1\nmetadata:\n  name: ${name}\nentries: []\n`;

const SHIPPED_FILES = Object.keys(SHIPPED_BLUEPRINTS).map((name) => `image/blueprints/${name}.yaml`);

const folderWith = (...propsOfEach: readonly BlueprintProps[]) => {
  const app = testApp();
  const stack = new BareStack(app, "test", { providers: [] });
  const blueprints = propsOfEach.map(
    (props, index) => new Blueprints(stack, `Blueprints${index}`, { blueprintFiles: {}, ...props }),
  );
  return { ...synthesizeInto(app), folders: blueprints.map(({ folder }) => folder) };
};

const refusalOf = (props: BlueprintProps) => {
  try {
    new Blueprints(bareStack(), "Blueprints", { blueprintFiles: {}, ...props });
  } catch (error) {
    return (error as Error).message.split("\n").map((line) => line.replace(/^ {2}- /, ""));
  }
  return [];
};

describe("Blueprints", () => {
  it("puts the blueprints of a map or a folder, and the shipped ones, into the folder", () => {
    const source = temporaryFolder();
    mkdirSync(join(source, ".git"));
    for (const file of ["groups.yaml", "README.md", ".hidden.yaml", ".git/config.yaml"])
      writeFileSync(join(source, file), blueprint("Groups"));
    for (const blueprintFiles of [{ "groups.yaml": blueprint("Groups") }, source]) {
      const folder = folderWith({ blueprintFiles });
      expect(folder.files).toEqual(
        ["blueprints/groups.yaml", "cdk.tf.json", "image/Dockerfile.blueprints", ...SHIPPED_FILES].sort(),
      );
      expect(folder.read("blueprints/groups.yaml")).toBe(blueprint("Groups"));
    }
  });

  it("keeps the files of several images in one stack apart", () => {
    const { files, folders } = folderWith(
      { blueprintFiles: { "a.yaml": blueprint("A") } },
      { blueprintFiles: { "a.yaml": blueprint("B") } },
    );
    expect(folders).toEqual(["blueprints", "blueprints-2"]);
    expect(files).toEqual(expect.arrayContaining(["blueprints/a.yaml", "blueprints-2/a.yaml"]));
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

  it("refuses everything that is wrong at once", () => {
    expect(
      refusalOf({
        blueprints: ["branding", "sign-up"],
        blueprintFiles: { "a.yml": blueprint("A"), "b.yaml": "entries: [", "c.yaml": blueprint("Shipped - branding") },
      }),
    ).toEqual([
      "test/Blueprints: 4 problems",
      'blueprints has "sign-up"; each must be password-recovery, branding, oidc-client or no-sign-up; put blueprints of your own into files',
      expect.stringContaining('blueprintFiles has "a.yml"; each must be directly in the folder'),
      expect.stringContaining('blueprintFiles has "b.yaml"; each must be YAML'),
      'repeated name in blueprintFiles is ["Shipped - branding"]; it must be the metadata.name of only one blueprint, because the application identifies blueprints by that name; rename one',
    ]);
  });

  it("refuses more, in number and in size, than a build request takes", () => {
    const many = Object.fromEntries(
      Array.from({ length: 41 }, (_, index) => [`${index}.yaml`, blueprint(String(index))]),
    );
    expect(refusalOf({ blueprintFiles: many })).toEqual([
      "test/Blueprints: 1 problem",
      "number of blueprintFiles is 41; it must be at most 40, because all are part of one build request; combine several in one file",
    ]);
    const large = (name: string) => `${blueprint(name)}#${"x".repeat(50_000)}\n`;
    const [, problem] = refusalOf({
      blueprintFiles: { "a.yaml": large("A"), "b.yaml": large("B"), "c.yaml": large("C") },
    });
    expect(problem).toMatch(/^size of blueprintFiles in bytes is 150\d+; it must be at most 120000, because/);
  });

  it("refuses a missing folder", () => {
    expect(refusalOf({ blueprintFiles: "/nowhere/blueprints" })).toEqual([
      "test/Blueprints: 1 problem",
      'blueprintFiles is "/nowhere/blueprints"; it must be a readable folder; use its path, for example join(__dirname, "blueprints")',
    ]);
  });

  describe("with the optional package yaml", () => {
    const load = jest.fn();
    /** Makes blueprints where the package cannot be loaded. */
    const without = (props: BlueprintProps) => {
      jest.isolateModules(() => {
        jest.doMock("yaml", load);
        const { Blueprints: Isolated } = jest.requireActual<typeof BlueprintsModule>("../../../lib/idp/blueprints");
        new Isolated(bareStack(), "Blueprints", { blueprintFiles: {}, ...props });
      });
    };
    load.mockImplementation(() => {
      throw new Error("Cannot find module 'yaml'");
    });
    afterEach(() => jest.dontMock("yaml"));

    it("names it if custom blueprints cannot be read", () => {
      expect(() => without({ blueprintFiles: { "a.yaml": blueprint("A") } })).toThrow(
        "test/Blueprints: 1 problem\n  - blueprintFiles is given, but the package yaml, an optional dependency that reads them, is not installed; run npm install yaml",
      );
    });

    it("does not load it for an image without custom blueprints", () => {
      load.mockClear();
      without({ blueprints: ["branding"] });
      expect(load).not.toHaveBeenCalled();
    });
  });
});

describe("Shipped blueprints", () => {
  it.each(Object.keys(SHIPPED_BLUEPRINTS))("%s obeys the rules for custom ones, and says what it creates", (name) => {
    const text = readFileSync(join(__dirname, `../../../image/blueprints/${name}.yaml`), "utf8");
    expect(refusalOf({ blueprintFiles: { [`${name}.yaml`]: text } })).toEqual([]);
    expect(text).toMatch(/^# [A-Z]/);
    expect(text.split("\n").length).toBeLessThan(70);
  });
});

describeWith(["terraform"], "The folder of blueprints, judged by Terraform", () => {
  /** What a plan says with these files in the folder. */
  const planWith = (files: Readonly<Record<string, string>>, blueprints: readonly string[] = []) => {
    const app = testApp();
    const stack = new BareStack(app, "test", { providers: [] });
    new IdpImage(stack, "Image", {
      place: PLACE,
      repository: STAND_IN_REPOSITORY,
      blueprints: new Blueprints(stack, "Blueprints", { blueprintFiles: {}, blueprints }),
    });
    synthesizeInto(app);
    const folder = join(app.outdir, "stacks/test");
    for (const [name, text] of Object.entries(files)) {
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
      },
      ["branding"],
    );
    expect(said).toContain('blueprints/ has "nested/a.yaml"; each must be directly in the folder');
    expect(said).toContain('blueprints/ has "no.yaml"; each must be YAML');
    expect(said).toContain('blueprints/ has "secret.yaml"; none may contain a literal');
    expect(said).toContain('repeated name in blueprints/ is ["Shipped - branding"]; it must be the metadata.name');
    expect(said).not.toContain("hunter2");
    expect(said.match(/Error:/g)).toHaveLength(4);
  });

  it("gives an image another name when a file is added, and the usual one while there is none", () => {
    const nameIn = (files: Readonly<Record<string, string>>) => /idp:2026[^"]*/.exec(planWith(files).stdout)?.[0];
    const app = testApp();
    new IdpImage(new BareStack(app, "test", { providers: [] }), "Image", {
      place: PLACE,
      repository: STAND_IN_REPOSITORY,
    });
    const plainFolder = synthesizeInto(app);
    const hash = (text: string) => createHash("sha256").update(text).digest("hex");
    const content = [hash(plainFolder.read("image/Dockerfile")), hash(plainFolder.read("image/cloud-entrypoint.sh"))];
    const plain = hash([...content, "ghcr.io/goauthentik/server", "AUTHENTIK_"].join(":")).slice(0, 12);
    const none = nameIn({});
    const [one, other] = [nameIn({ "a.yaml": blueprint("A") }), nameIn({ "a.yaml": blueprint("B") })];
    expect(none).toBe(`idp:2026.5.4-${plain}`);
    expect(new Set([none, one, other]).size).toBe(3);
  });
});
