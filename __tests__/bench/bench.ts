import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
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
  tenants: () => [tenantsFigure()],
  inventory: () => inventoryFigures(scratch),
};

/** Without a name, all but the inventory, which takes four minutes. */
const USUAL = ["synthesis", "tenants"];

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

/** Synthesis of one stack, beside what the framework's template sets up. */
function synthesisFigures(): Figure[] {
  const ours = measure({
    command: "npm",
    args: ["run", "--silent", "synth", "--", "idp-serverless"],
    cwd: REPOSITORY,
    environment: { CDKTF_OUTDIR: join(scratch, "ours") },
    runs: 5,
  });
  const template = peer("template", ["node_modules/ts-node/dist/bin.js", "main.ts"], {
    "main.ts": `
import { App, TerraformStack } from "cdktf";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
const app = new App();
const stack = new TerraformStack(app, "template");
new GoogleProvider(stack, "google", {});
new StorageBucket(stack, "bucket", { name: "bucket", location: "EU" });
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
  const faster = template.milliseconds / ours.milliseconds;
  const smaller = template.peakMegabytes / ours.peakMegabytes;
  return [
    figure("template / synthesis of one stack", ours, template, `${faster.toFixed(1)} x`, "more than 1 x", faster > 1),
    {
      name: "memory, template / synthesis of one stack",
      ours: `${ours.peakMegabytes.toFixed(0)} MB`,
      peer: `${template.peakMegabytes.toFixed(0)} MB`,
      ratio: `${smaller.toFixed(1)} x`,
      goal: "more than 1 x",
      reached: smaller > 1,
    },
  ];
}

const TENANTS = 20;

/** Synthesis of an app with many tenants, beside one with a single tenant. */
function tenantsFigure(): Figure {
  const program = join(scratch, "tenants.ts");
  writeFileSync(
    program,
    `
import { GoogleProvider } from "${REPOSITORY}/node_modules/@cdktf/provider-google/lib/provider";
import { App } from "${REPOSITORY}/node_modules/cdktf";
import { PortableStack, ServerlessIdentityProvider } from "${REPOSITORY}/lib";
const app = new App();
for (let tenant = 1; tenant <= Number(process.argv[2]); tenant++) {
  const stack = new PortableStack(app, \`tenant-\${tenant}\`, { providers: ["google", "random"] });
  new GoogleProvider(stack, "google", { project: "my-project", region: "us-central1" });
  new ServerlessIdentityProvider(stack, "Idp", { projectId: "my-project", region: "us-central1", tenantId: \`t\${tenant}\` });
}
app.synth();
`,
  );
  const synthesis = (tenants: number) =>
    measure({
      command: process.execPath,
      args: ["--import", "tsx", program, String(tenants)],
      cwd: REPOSITORY,
      environment: { CDKTF_OUTDIR: join(scratch, `tenants-${tenants}`) },
      runs: 5,
    });
  const [many, one] = [synthesis(TENANTS), synthesis(1)];
  const slower = many.milliseconds / one.milliseconds;
  const goal = `less than ${TENANTS} x`;
  return figure(
    `synthesis of ${TENANTS} tenants / of one`,
    many,
    one,
    `${slower.toFixed(1)} x`,
    goal,
    slower < TENANTS,
  );
}

/** A project of its own that finds the packages of this one. */
function peer(name: string, args: readonly string[], files: Readonly<Record<string, string>>): Cost {
  const folder = join(scratch, name);
  mkdirSync(folder);
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  symlinkSync(join(REPOSITORY, "node_modules"), join(folder, "node_modules"));
  return measure({ command: process.execPath, args, cwd: folder, runs: 1 });
}

function figure(name: string, ours: Cost, peerCost: Cost, ratio: string, goal: string, reached: boolean): Figure {
  const text = ({ milliseconds }: Cost) => `${milliseconds.toFixed(milliseconds < 100 ? 1 : 0)} ms`;
  return { name, ours: text(ours), peer: text(peerCost), ratio, goal, reached };
}
