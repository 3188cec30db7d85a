import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { measureConnections } from "./connections";
import { measureFleet } from "./fleet";

const REPOSITORY = join(__dirname, "../..");
const scratch = mkdtempSync(join(tmpdir(), "bench-"));

/** The framework's template with one resource, and a program of ours with some tenants. */
const TEMPLATE = `
import { App, TerraformStack } from "cdktf";
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
const app = new App();
const stack = new TerraformStack(app, "template");
new GoogleProvider(stack, "google", {});
new StorageBucket(stack, "bucket", { name: "bucket", location: "EU" });
app.synth();
`;
const TEMPLATE_OPTIONS = {
  module: "CommonJS",
  moduleResolution: "Node",
  skipLibCheck: true,
  strict: true,
  target: "ES2018",
};
/** Half of them buckets and half secrets; a fixed number, so that figures of different days can be compared. */
const PLAIN_RESOURCES = 94;

/**
 * Tenants of ours, or as many plain stacks with the same number of resources each time, all as small as they can be.
 * Both load the same modules and make some of each first; what counts is the processor's time after that, and the most
 * memory of all. In CommonJS, to run with the compiled library as it is, and with the sources under the loader.
 */
const TENANTS = `
const { GoogleProvider } = require("@cdktf/provider-google/lib/provider");
const { SecretManagerSecret } = require("@cdktf/provider-google/lib/secret-manager-secret");
const { StorageBucket } = require("@cdktf/provider-google/lib/storage-bucket");
const { App, TerraformStack } = require("cdktf");
const [library, kind, count] = process.argv.slice(2);
const { PortableStack, ServerlessIdentityProvider } = require(library);
const project = { project: "my-project", region: "us-central1" };
const inputs = { projectId: project.project, region: project.region };
function ours(app, tenant) {
  const stack = new PortableStack(app, "tenant-" + tenant, { providers: ["google", "random"] });
  new GoogleProvider(stack, "google", project);
  new ServerlessIdentityProvider(stack, "Idp", { ...inputs, tenantId: "t" + tenant });
  return stack;
}
const warm = new App();
function plain(app, tenant) {
  const stack = new TerraformStack(app, "tenant-" + tenant);
  new GoogleProvider(stack, "google", project);
  for (let index = 0; index < ${PLAIN_RESOURCES} / 2; index++) {
    new StorageBucket(stack, "bucket-" + index, { location: "EU", name: "bucket-" + index });
    new SecretManagerSecret(stack, "secret-" + index, { replication: { auto: {} }, secretId: "secret-" + index });
  }
}
for (let tenant = 1; tenant <= 5; tenant++) (ours(warm, tenant), plain(new App(), tenant));
warm.synth();
const start = process.cpuUsage();
const app = new App();
for (let tenant = 1; tenant <= Number(count); tenant++) (kind === "ours" ? ours : plain)(app, tenant);
app.synth();
const { user, system } = process.cpuUsage(start);
process.stdout.write(JSON.stringify([(user + system) / 1000, process.resourceUsage().maxRSS / 1024]));
`;

/** What a command prints. */
function printed(command: string, args: readonly string[]): string {
  const env = { ...process.env, CDKTF_OUTDIR: join(scratch, "out") };
  const { status, stdout, stderr } = spawnSync(command, args, { cwd: REPOSITORY, encoding: "utf8", env });
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
  return stdout;
}

/** Milliseconds of a command: the median of five runs after one that warms the caches. */
function milliseconds(command: string, args: readonly string[]): number {
  const run = (): number => {
    const start = performance.now();
    printed(command, args);
    return performance.now() - start;
  };
  run();
  return Array.from({ length: 5 }, run).sort((one, other) => one - other)[2] ?? NaN;
}

function program(name: string, text: string): string {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
}

/** What is measured, both figures in one unit, and how many times the other ours may be at most. */
type Figure = readonly [name: string, ours: number, other: number, unit: string, most: number];

/** How a program of ours can run: what Node.js needs for it, and the library. */
const RUNS = {
  compiled: [[], join(REPOSITORY, "dist/lib/index.js")],
  "under tsx": [["--import", "tsx"], join(REPOSITORY, "lib/index.ts")],
} as const;

/** Time and memory of some tenants beside as many plain stacks of the framework with as many resources. */
function besidePlainStacks(tenants: number): readonly Figure[] {
  const path = program("tenants.cjs", TENANTS);
  return Object.entries(RUNS).flatMap(([run, [options, library]]) => {
    const [ours, plain] = ["ours", "plain"].map(
      (kind) =>
        JSON.parse(printed(process.execPath, [...options, path, library, kind, String(tenants)])) as readonly number[],
    );
    return (
      [
        ["ms", 1.2],
        ["MB", 1.4],
      ] as const
    ).map(([unit, most], at): Figure => {
      const name = `${tenants} more tenants, ${run}, beside plain stacks of ${PLAIN_RESOURCES} resources`;
      // The loader maps a stack trace to the sources for each token of the framework, so it is for one stack.
      return [name, ours?.[at] ?? NaN, plain?.[at] ?? NaN, unit, run === "compiled" ? most : Infinity];
    });
  });
}

/** Every comparison by the name that the command takes. */
const MEASUREMENTS: Readonly<Record<string, () => readonly Figure[]>> = {
  synthesis: () => {
    const ours = milliseconds("npm", ["run", "--silent", "synth", "--", "idp-serverless"]);
    const template = program("template.ts", TEMPLATE);
    const other = milliseconds(process.execPath, ["node_modules/ts-node/dist/bin.js", template]);
    return [["one stack, beside the framework's template on ts-node", ours, other, "ms", 1]];
  },
  tenants: () => [1, 50, 200, 400].flatMap(besidePlainStacks),
};

/** Measured on request alone, because they need programs beyond Node.js; each says whether its goals were met. */
const ON_REQUEST: Readonly<Record<string, (print: (text: string) => void) => Promise<boolean>>> = {
  connections: measureConnections,
  fleet: measureFleet,
};

async function main(names: readonly string[]): Promise<void> {
  symlinkSync(join(REPOSITORY, "node_modules"), join(scratch, "node_modules"));
  program("tsconfig.json", JSON.stringify({ compilerOptions: TEMPLATE_OPTIONS }));
  for (const name of names) {
    const { [name]: onRequest } = ON_REQUEST;
    if (onRequest !== undefined) {
      if (!(await onRequest((text) => process.stdout.write(text)))) process.exitCode = 1;
      continue;
    }
    const { [name]: measured } = MEASUREMENTS;
    if (measured === undefined)
      throw new Error(`"${name}" is not one of ${Object.keys({ ...MEASUREMENTS, ...ON_REQUEST }).join(", ")}`);
    for (const [what, ours, other, unit, most] of measured()) {
      const missed = ours > most * other;
      const figures = `${ours.toFixed(0)} and ${other.toFixed(0)} ${unit}, ${(ours / other).toFixed(2)} x`;
      process.stdout.write(`${what}: ${figures}${missed ? `, more than ${most} x` : ""}\n`);
      if (missed) process.exitCode = 1;
    }
  }
}

main(process.argv.length > 2 ? process.argv.slice(2) : Object.keys(MEASUREMENTS))
  .catch((error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  })
  .finally(() => {
    rmSync(scratch, { recursive: true, force: true });
  });
