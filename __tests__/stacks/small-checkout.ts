import { execFile } from "node:child_process";
import { appendFileSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

import { packageFile } from "../../lib/core/package-file";
import { temporaryFolder } from "../support/temporary-folder";

/** What one run of the app command has printed, and how often it called the bundler. */
export interface SmallRun {
  readonly output: string;
  readonly bundlings: number;
}

const FILES = {
  "package.json": '{ "name": "small" }',
  "stacks/main.ts": `
    import { greet } from "polite";
    import { who } from "../lib/who";
    console.log(greet(who));
    process.exitCode = Number(process.env.EXIT_CODE ?? 0);
  `,
  "lib/who.ts": 'export const who: string = "Ann";',
  "node_modules/polite/package.json": '{ "main": "index.js" }',
  "node_modules/polite/index.js": 'exports.greet = (who) => `${require("word").word} ${who}`;',
  "node_modules/polite/other.js": "exports.greet = (who) => `Good day ${who}`;",
  "node_modules/word/index.js": 'exports.word = "Hello";',
  "node_modules/esbuild/package.json": "{}",
  "node_modules/esbuild/index.js": `
    const { appendFileSync } = require("node:fs");
    const { build } = require(${JSON.stringify(require.resolve("esbuild"))});
    exports.build = async (options) => {
      const bundle = await build(options);
      appendFileSync(__dirname + "/bundlings", "x");
      const { EDIT_MEANWHILE: file } = process.env;
      if (file !== undefined) appendFileSync(file, "// edited");
      return bundle;
    };
  `,
};

const APP = ["stacks/app.cjs", "stacks/bundles.cjs", "stacks/kept-program.cjs"];

/** A checkout with the app command and, in the place of stacks, a program of two files and two packages. */
export class SmallCheckout {
  readonly folder = temporaryFolder();

  /** Where programs are kept. */
  readonly cache = join(this.folder, "node_modules/.cache/small");

  constructor() {
    for (const [path, text] of Object.entries(FILES)) this.write(path, text);
    for (const path of APP) copyFileSync(packageFile(path), join(this.folder, path));
  }

  write(path: string, content: string | Buffer): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), content);
  }

  /** @throws Error with `code` and `stdout` of the command when it fails */
  async run(environment: Readonly<Record<string, string>> = {}, ...options: string[]): Promise<SmallRun> {
    const before = this.bundlings();
    const { stdout } = await promisify(execFile)(process.execPath, [...options, join(this.folder, "stacks/app.cjs")], {
      env: environment,
    });
    return { output: stdout.trim(), bundlings: this.bundlings() - before };
  }

  private bundlings(): number {
    const record = join(this.folder, "node_modules/esbuild/bundlings");
    appendFileSync(record, "");
    return readFileSync(record).length;
  }
}

/** Until files that were just written count as settled. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 1100));
}
