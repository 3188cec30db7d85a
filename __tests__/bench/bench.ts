import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { report, type Figure } from "./figure";
import { inventoryFigures } from "./inventory-figures";
import { measure, type Cost } from "./measured-process";

const REPOSITORY = join(__dirname, "../..");

const scratch = mkdtempSync(join(tmpdir(), "bench-"));

/** What can be measured, by the name that the command takes. */
const MEASUREMENTS: Readonly<Record<string, () => Figure[] | Promise<Figure[]>>> = {
  synthesis: synthesisFigures,
  entrypoint: () => [entrypointFigure()],
  tests: () => [testSuiteFigure()],
  inventory: () => inventoryFigures(scratch),
};

/** Without a name, all but the inventory, which takes four minutes. */
const USUAL = ["synthesis", "entrypoint", "tests"];

void figuresOf(process.argv.length > 2 ? process.argv.slice(2) : USUAL)
  .then((figures) => {
    const { text, exitCode } = report(figures);
    process.stdout.write(text);
    process.exitCode = exitCode;
  })
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(() => {
    rmSync(scratch, { recursive: true, force: true });
  });

async function figuresOf(names: readonly string[]): Promise<Figure[]> {
  const known = Object.keys(MEASUREMENTS).join(", ");
  const figures: Figure[] = [];
  for (const name of names) {
    const { [name]: measured } = MEASUREMENTS;
    if (measured === undefined) throw new Error(`"${name}" cannot be measured; there are: ${known}`);
    process.stderr.write(`measuring ${name}\n`);
    figures.push(...(await measured()));
  }
  return figures;
}

/** Synthesis of one stack by the app command, beside an app without content and beside what the framework's template sets up. */
function synthesisFigures(): Figure[] {
  const ours = measure({
    command: process.execPath,
    args: ["stacks/app.cjs", "idp-serverless"],
    cwd: REPOSITORY,
    environment: { CDKTF_OUTDIR: join(scratch, "ours") },
    runs: 11,
  });
  const empty = peer("empty", ["main.js"], {
    "main.js": `
const { App, TerraformStack } = require("cdktf");
const app = new App();
new TerraformStack(app, "empty");
app.synth();
`,
  });
  const template = peer("template", ["node_modules/ts-node/dist/bin.js", "main.ts"], {
    "main.ts": `
import { App, TerraformStack } from "cdktf";
import * as google from "@cdktf/provider-google";
const app = new App();
const stack = new TerraformStack(app, "template");
new google.provider.GoogleProvider(stack, "google", {});
new google.storageBucket.StorageBucket(stack, "bucket", { name: "bucket", location: "EU" });
app.synth();
`,
    "tsconfig.json": JSON.stringify({
      compilerOptions: {
        strict: true,
        target: "ES2018",
        module: "CommonJS",
        moduleResolution: "Node",
        skipLibCheck: true,
      },
    }),
  });
  const slower = ours.milliseconds / empty.milliseconds;
  const faster = template.milliseconds / ours.milliseconds;
  return [
    figure("synthesis of one stack / empty app", ours, empty, `${slower.toFixed(2)} x`, "at most 2.0 x", slower <= 2),
    figure(
      "template default / synthesis of one stack",
      ours,
      template,
      `${faster.toFixed(1)} x`,
      "at least 15 x",
      faster >= 15,
    ),
    {
      name: "memory of synthesis of one stack",
      ours: `${ours.peakMegabytes.toFixed(0)} MB`,
      peer: `${template.peakMegabytes.toFixed(0)} MB`,
      ratio: `${(template.peakMegabytes / ours.peakMegabytes).toFixed(1)} x`,
      goal: "at most 130 MB",
      reached: ours.peakMegabytes <= 130,
    },
  ];
}

/** A project of its own that finds the packages of this one. */
function peer(name: string, args: readonly string[], files: Readonly<Record<string, string>>): Cost {
  const folder = join(scratch, name);
  mkdirSync(folder);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  return measure({ command: process.execPath, args, cwd: folder, runs: name === "empty" ? 11 : 1 });
}

/** What the entrypoint adds before the server takes over, beside starting the server at once; without a worker. */
function entrypointFigure(): Figure {
  const folder = join(scratch, "entrypoint");
  mkdirSync(folder);
  const server = join(folder, "ak");
  writeFileSync(server, "#!/bin/sh\n");
  chmodSync(server, 0o755);
  const environment = {
    PATH: `${folder}:${process.env.PATH ?? ""}`,
    TMPDIR: folder,
    DB_HOST: "/cloudsql/project:region:instance",
    DB_PORT: "5432",
    DB_NAME: "idp",
    DB_USER: "idp",
    DB_PASSWORD: "password",
    IDP_SECRET_KEY: "key",
    IDP_STORAGE__FILE__PATH: folder,
  };
  const run = (...args: string[]) => measure({ command: "sh", args, cwd: folder, environment, runs: 41 });
  const ours = run(join(REPOSITORY, "image/cloud-entrypoint.sh"), "server-alone");
  const bare = run("-c", "exec ak server");
  const overhead = ours.milliseconds - bare.milliseconds;
  const ratio = `${overhead.toFixed(1)} ms more`;
  return figure("entrypoint / bare exec", ours, bare, ratio, "at most 30 ms more", overhead <= 30);
}

function testSuiteFigure(): Figure {
  const start = Date.now();
  const { status } = spawnSync("npm", ["test", "--silent"], { cwd: REPOSITORY, stdio: "ignore" });
  const seconds = (Date.now() - start) / 1000;
  return {
    name: "npm test",
    ours: status === 0 ? `${seconds.toFixed(1)} s` : "failed",
    peer: "",
    ratio: "",
    goal: "at most 25 s",
    reached: status === 0 && seconds <= 25,
  };
}

function figure(name: string, ours: Cost, peerCost: Cost, ratio: string, goal: string, reached: boolean): Figure {
  const text = ({ milliseconds }: Cost) => `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;
  return { name, ours: text(ours), peer: text(peerCost), ratio, goal, reached };
}
