import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { packageFile } from "../../lib/core/package-file";
import { settle, SmallCheckout } from "./small-checkout";

/** Names of the two programs of a checkout. */
const PROGRAMS = ["packages-all", "stacks-all"];

/** A change of a checkout, and what the next run must say and bundle. */
interface Change {
  readonly what: string;
  readonly make: (checkout: SmallCheckout) => void;
  readonly output?: string;
  readonly bundlings?: number;
}

const CHANGES: readonly Change[] = [
  {
    what: "the text of a file, but neither its size nor its time of modification",
    make: (checkout) => {
      const path = join(checkout.folder, "lib/who.ts");
      const { atime, mtime } = statSync(path);
      checkout.write("lib/who.ts", 'export const who: string = "Eve";');
      utimesSync(path, atime, mtime);
    },
    output: "Hello Eve",
    bundlings: 1,
  },
  {
    what: "which modules of packages are imported",
    make: written("lib/who.ts", 'export { word as who } from "word";'),
    output: "Hello Hello",
  },
  {
    what: "when a package is imported",
    make: written("lib/who.ts", 'export const who = ""; void import("word").then(({ word }) => console.log(word));'),
    output: "Hello \nHello",
  },
  {
    what: "a file of a package",
    make: written("node_modules/word/index.js", 'exports.word = "Good evening";'),
    output: "Good evening Ann",
    bundlings: 1,
  },
  {
    what: "which file of a package is its main one",
    make: written("node_modules/polite/package.json", '{ "main": "other.js" }'),
    output: "Good day Ann",
    bundlings: 1,
  },
  {
    what: "which file an import finds first",
    make: written("lib/who.tsx", 'export const who = "Zoe";'),
    output: "Hello Zoe",
    bundlings: 1,
  },
  {
    what: "which package an import finds first",
    make: written("node_modules/polite/node_modules/word/index.js", 'exports.word = "Hi";'),
    output: "Hi Ann",
    bundlings: 1,
  },
  {
    what: "the settings of TypeScript",
    make: written("tsconfig.json", '{ "compilerOptions": { "strict": true } }'),
  },
  { what: "what is installed", make: written("node_modules/.package-lock.json", "{}") },
  { what: "the release of the bundler", make: written("node_modules/esbuild/package.json", '{ "version": "99.0.0" }') },
  { what: "the file to an empty one", make: damaged(() => Buffer.alloc(0)) },
  { what: "the file to another one", make: damaged(() => Buffer.from("{}\n{}\n")) },
  { what: "the file to its first half", make: damaged((bytes) => bytes.subarray(0, bytes.length / 2)) },
  { what: "the file to all but its last byte", make: damaged((bytes) => bytes.subarray(0, -1)) },
  { what: "one bit of the code", make: damaged((bytes) => flipped(bytes, bytes.indexOf("(function"))) },
  { what: "one bit of what V8 made of it", make: damaged((bytes) => flipped(bytes, bytes.length - 100)) },
];

function written(path: string, text: string): (checkout: SmallCheckout) => void {
  return (checkout) => {
    checkout.write(path, text);
  };
}

/** Changes both kept files. */
function damaged(change: (bytes: Buffer) => Buffer): (checkout: SmallCheckout) => void {
  return ({ cache }) => {
    for (const name of PROGRAMS) writeFileSync(join(cache, name), change(readFileSync(join(cache, name))));
  };
}

function flipped(bytes: Buffer, index: number): Buffer {
  bytes[index] = (bytes[index] ?? 0) ^ 1;
  return bytes;
}

/** V8 writes its release behind the first four bytes. */
function ofAnotherRelease(bytes: Buffer): Buffer {
  const head = JSON.parse(bytes.toString("latin1").split("\n")[1] ?? "") as { codeLength: number };
  flipped(bytes, bytes.indexOf("(function") + head.codeLength + 4);
  const body = bytes.subarray(bytes.indexOf("\n") + 1);
  return Buffer.concat([Buffer.from(`${createHash("sha1").update(body).digest("hex")}\n`), body]);
}

describe("A kept program", () => {
  const checkouts = new Map(CHANGES.map(({ what }) => [what, new SmallCheckout()]));
  const unchanged = new SmallCheckout();

  beforeAll(settle);

  it("runs without the bundler until a file of it changes", async () => {
    const checkout = new SmallCheckout();
    await settle();
    expect(await checkout.run()).toEqual({ output: "Hello Ann", bundlings: 2 });
    expect(await checkout.run()).toEqual({ output: "Hello Ann", bundlings: 0 });
    checkout.write("lib/who.ts", 'export const who: string = "Eve";');
    expect(await checkout.run()).toEqual({ output: "Hello Eve", bundlings: 1 });
  });

  it.each(CHANGES)("is built again after a change of $what", async ({ what, make, output, bundlings }) => {
    const checkout = checkouts.get(what) ?? unchanged;
    expect(await checkout.run()).toEqual({ output: "Hello Ann", bundlings: 2 });
    make(checkout);
    expect(await checkout.run()).toEqual({ output: output ?? "Hello Ann", bundlings: bundlings ?? 2 });
  });

  it("is complete even while others run at the same time", async () => {
    const runs = await Promise.all(Array.from({ length: 6 }, () => unchanged.run()));
    expect(runs.map(({ output }) => output)).toEqual(runs.map(() => "Hello Ann"));
    expect(readdirSync(unchanged.cache).sort()).toEqual(PROGRAMS);
    expect(await unchanged.run()).toEqual({ output: "Hello Ann", bundlings: 0 });
  });

  it("is compiled again, but not bundled, when another release of V8 compiled it", async () => {
    await unchanged.run();
    const contents = () => PROGRAMS.map((name) => readFileSync(join(unchanged.cache, name)));
    damaged(ofAnotherRelease)(unchanged);
    const refused = contents();
    expect(await unchanged.run()).toEqual({ output: "Hello Ann", bundlings: 0 });
    const renewed = contents();
    expect(renewed.map((bytes, index) => bytes.equals(refused[index] ?? bytes))).toEqual([false, false]);
    await unchanged.run();
    expect(contents()).toEqual(renewed);
  });

  it("is built again when Node is started with other options", async () => {
    await unchanged.run();
    expect(await unchanged.run({}, "--stack-size=500")).toEqual({ output: "Hello Ann", bundlings: 2 });
    const environment = { NODE_OPTIONS: "--no-deprecation" };
    expect(await unchanged.run(environment)).toEqual({ output: "Hello Ann", bundlings: 2 });
    expect(await unchanged.run(environment)).toEqual({ output: "Hello Ann", bundlings: 0 });
  });

  it("makes archives of assets, as the framework does from where it is installed", async () => {
    symlinkSync(packageFile("node_modules/cdktf"), join(unchanged.folder, "node_modules/cdktf"));
    unchanged.write(
      "lib/who.ts",
      `
        import { App, AssetType, TerraformAsset, TerraformStack } from "cdktf";
        const app = new App({ outdir: ${JSON.stringify(join(unchanged.folder, "out"))} });
        const stack = new TerraformStack(app, "stack");
        new TerraformAsset(stack, "asset", { path: ${JSON.stringify(unchanged.folder)} + "/lib", type: AssetType.ARCHIVE });
        app.synth();
        export const who = "archive";
      `,
    );
    expect((await unchanged.run({ PATH: process.env.PATH ?? "" })).output).toBe("Hello archive");
    const assets = join(unchanged.folder, "out/stacks/stack/assets");
    const [archive = ""] = readdirSync(assets, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith("zip"),
    );
    expect(readFileSync(join(assets, archive)).includes("who.ts")).toBe(true);
  });

  it("is not one that failed", async () => {
    const checkout = new SmallCheckout();
    await settle();
    await expect(checkout.run({ EXIT_CODE: "1" })).rejects.toMatchObject({ code: 1, stdout: "Hello Ann\n" });
    expect(existsSync(checkout.cache)).toBe(false);
  });

  it("is not one with a file that was edited while it was made", async () => {
    const checkout = new SmallCheckout();
    await settle();
    await checkout.run({ EDIT_MEANWHILE: join(checkout.folder, "lib/who.ts") });
    expect(readdirSync(checkout.cache)).toEqual(["packages-all"]);
  });

  it("is not needed where none can be written", async () => {
    const checkout = new SmallCheckout();
    checkout.write("node_modules/.cache", "");
    await settle();
    for (let run = 0; run < 2; run++) expect(await checkout.run()).toEqual({ output: "Hello Ann", bundlings: 2 });
  });

  it("leaves nothing behind if something else is at its path", async () => {
    const checkout = new SmallCheckout();
    for (const name of PROGRAMS) mkdirSync(join(checkout.cache, name, "taken"), { recursive: true });
    await settle();
    expect(await checkout.run()).toEqual({ output: "Hello Ann", bundlings: 2 });
    expect(readdirSync(checkout.cache).sort()).toEqual(PROGRAMS);
  });
});
