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
const TENANTS = `
import { GoogleProvider } from "@cdktf/provider-google/lib/provider";
import { App } from "cdktf";
import { PortableStack, ServerlessIdentityProvider } from "${REPOSITORY}/lib";
const app = new App();
for (let tenant = 1; tenant <= Number(process.argv[2]); tenant++) {
  const stack = new PortableStack(app, \`tenant-\${tenant}\`, { providers: ["google", "random"] });
  new GoogleProvider(stack, "google", { project: "my-project", region: "us-central1" });
  new ServerlessIdentityProvider(stack, "Idp", { projectId: "my-project", region: "us-central1", tenantId: \`t\${tenant}\` });
}
app.synth();
`;

/** Milliseconds of a command: the median of five runs after one that warms the caches. */
function milliseconds(command: string, args: readonly string[]): number {
  const run = (): number => {
    const start = performance.now();
    const env = { ...process.env, CDKTF_OUTDIR: join(scratch, "out") };
    const { status, stdout, stderr } = spawnSync(command, args, { cwd: REPOSITORY, encoding: "utf8", env });
    if (status !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${stdout}${stderr}`);
    return performance.now() - start;
  };
  run();
  return Array.from({ length: 5 }, run).sort((one, other) => one - other)[2] ?? NaN;
}

function program(name: string, text: string): string {
  writeFileSync(join(scratch, name), text);
  return join(scratch, name);
}

/** What is measured beside what, and how many times as long the latter may take at least. */
type Figure = readonly [name: string, ours: number, other: number, least: number];

/** Every measurement by the name that the command takes. */
const MEASUREMENTS: Readonly<Record<string, () => Figure>> = {
  synthesis: () => [
    "one stack, beside the framework's template on ts-node",
    milliseconds("npm", ["run", "--silent", "synth", "--", "idp-serverless"]),
    milliseconds(process.execPath, ["node_modules/ts-node/dist/bin.js", program("template.ts", TEMPLATE)]),
    1,
  ],
  tenants: () => {
    const path = program("tenants.ts", TENANTS);
    const synthesis = (tenants: number) => milliseconds(process.execPath, ["--import", "tsx", path, String(tenants)]);
    return ["twenty tenants in one app, beside twenty apps", synthesis(20), 20 * synthesis(1), 1];
  },
};

function main(names: readonly string[]): void {
  symlinkSync(join(REPOSITORY, "node_modules"), join(scratch, "node_modules"));
  program("tsconfig.json", JSON.stringify({ compilerOptions: TEMPLATE_OPTIONS }));
  for (const name of names) {
    const { [name]: measured } = MEASUREMENTS;
    if (measured === undefined) throw new Error(`"${name}" is not one of ${Object.keys(MEASUREMENTS).join(", ")}`);
    const [what, ours, other, least] = measured();
    const verdict = other / ours >= least ? "" : ", missed";
    process.stdout.write(
      `${what}: ${ours.toFixed(0)} and ${other.toFixed(0)} ms, ${(other / ours).toFixed(1)} x${verdict}\n`,
    );
    if (verdict !== "") process.exitCode = 1;
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
