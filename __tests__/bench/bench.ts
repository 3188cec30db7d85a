import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
/**
 * Tenants of ours, or as many plain stacks with as many resources and locals as one tenant of ours has. Both load the
 * same modules and make some of each first; what counts is the processor's time after that, and the most memory of all.
 */
const TENANTS = `
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { StorageBucket } from "@cdktf/provider-google/lib/storage-bucket";
import { App, TerraformElement, TerraformLocal, TerraformResource, TerraformStack } from "cdktf";
import { PortableStack, ServerlessIdentityProvider } from "${REPOSITORY}/lib";
const project = { project: "my-project", region: "us-central1" };
const inputs = { projectId: project.project, region: project.region };
function ours(app: App, tenant: number): TerraformStack {
  const stack = new PortableStack(app, \`tenant-\${tenant}\`, { providers: ["google", "random"] });
  new GoogleProvider(stack, "google", project);
  new ServerlessIdentityProvider(stack, "Idp", { ...inputs, tenantId: \`t\${tenant}\` });
  return stack;
}
const warm = new App();
const elements = ours(warm, 0).node.findAll().filter(TerraformElement.isTerraformElement);
const resources = elements.filter(TerraformResource.isTerraformResource).length;
const locals = elements.filter((element) => element instanceof TerraformLocal).length;
function plain(app: App, tenant: number): void {
  const stack = new TerraformStack(app, \`tenant-\${tenant}\`);
  new GoogleProvider(stack, "google", project);
  for (let index = 0; index < locals; index++) new TerraformLocal(stack, \`local-\${index}\`, { index });
  for (let index = 0; index < resources; index++)
    new StorageBucket(stack, \`bucket-\${index}\`, {
      labels: { tenant: \`t\${tenant}\` },
      lifecycleRule: [{ action: { type: "Delete" }, condition: { age: 30 } }],
      location: "EU",
      name: \`bucket-\${index}\`,
      softDeletePolicy: { retentionDurationSeconds: 604800 },
      uniformBucketLevelAccess: true,
    });
}
for (let tenant = 1; tenant <= 5; tenant++) (ours(warm, tenant), plain(new App(), tenant));
warm.synth();
const [kind, count] = process.argv.slice(2);
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

/** Time and memory of some tenants beside as many plain stacks of the framework with as many resources. */
function besidePlainStacks(tenants: number): readonly Figure[] {
  const path = program("tenants.ts", TENANTS);
  const [ours, plain] = ["ours", "plain"].map(
    (kind) => JSON.parse(printed(process.execPath, ["--import", "tsx", path, kind, String(tenants)])) as number[],
  );
  return ["ms", "MB"].map((unit, at) => {
    const name = `${tenants} more tenants, beside plain stacks with as many resources`;
    return [name, ours?.[at] ?? NaN, plain?.[at] ?? NaN, unit, 1.4];
  });
}

/** Every measurement by the name that the command takes. */
const MEASUREMENTS: Readonly<Record<string, () => readonly Figure[]>> = {
  synthesis: () => {
    const ours = milliseconds("npm", ["run", "--silent", "synth", "--", "idp-serverless"]);
    const template = program("template.ts", TEMPLATE);
    const other = milliseconds(process.execPath, ["node_modules/ts-node/dist/bin.js", template]);
    return [["one stack, beside the framework's template on ts-node", ours, other, "ms", 1]];
  },
  tenants: () => [1, 10, 50, 200].flatMap(besidePlainStacks),
};

function main(names: readonly string[]): void {
  symlinkSync(join(REPOSITORY, "node_modules"), join(scratch, "node_modules"));
  program("tsconfig.json", JSON.stringify({ compilerOptions: TEMPLATE_OPTIONS }));
  for (const name of names) {
    const { [name]: measured } = MEASUREMENTS;
    if (measured === undefined) throw new Error(`"${name}" is not one of ${Object.keys(MEASUREMENTS).join(", ")}`);
    for (const [what, ours, other, unit, most] of measured()) {
      const missed = ours > most * other;
      const figures = `${ours.toFixed(0)} and ${other.toFixed(0)} ${unit}, ${(ours / other).toFixed(2)} x`;
      process.stdout.write(`${what}: ${figures}${missed ? `, more than ${most} x` : ""}\n`);
      if (missed) process.exitCode = 1;
    }
  }
}

try {
  main(process.argv.length > 2 ? process.argv.slice(2) : Object.keys(MEASUREMENTS));
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
